"""regret_constant: how much target regret a unit of surrogate regret can hide, exactly.

    (target regret of the prediction from f at P)  <=  kappa (R_P(f) - R*(P))          for all P and f

*By argmax*, for a machine that is consistent so: the 0-1 loss, ties in the argmax broken against us (argmax_regret.py).
*Through a link*, for any other machine: its own embedded loss, under the best of all links (link.py). There kappa is at most
the mixture size k, and at least the size of the largest bounded face of U that is a simplex: halfway between its rows, at
u = mean of the s rows, every report is wrong somewhere, and the surrogate's regret there is 1/s of the report's. Where the two
differ (WW at d = 4 has no simplex of 4 rows), the faces of U are gone through one by one (link_regret.py).
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.exact.numbers import fractions, rational
from msvm_ref.fisher.argmax_regret import (
    ArgmaxRegret,
    RankedPart,
    Ranking,
    Stretch,
    Witness,
    rankings,
)
from msvm_ref.fisher.embedded import EmbeddedLoss, Rationals, Table
from msvm_ref.fisher.embedding import check_classes, embedded_loss
from msvm_ref.fisher.least_risk import LeastRisk
from msvm_ref.fisher.link_regret import Branch, FaceProof, Leaf, link_regret
from msvm_ref.fisher.loss import point_loss
from msvm_ref.fisher.machine_json import machine_to_dict, same_machine
from msvm_ref.fisher.mixtures import Simplex, largest_simplex, mixture_size
from msvm_ref.fisher.risk import show
from msvm_ref.model.machine import Machine


@dataclass(frozen=True)
class RegretConstant:
    """``by``: "argmax" (towards 0-1) or "link" (towards the embedded loss); kappa lies in [lower, upper].

    By argmax: ``extremal`` attains kappa, ``calibration`` is delta, ``rankings`` the proof. Through a link: at ``scores`` no
    report does better than ``lower``, which a ``simplex`` proves if its rows' mean is L(scores), ``upper`` then being the
    mixture size; otherwise ``faces`` prove both. Only where these take too long do the two ends differ.
    """

    machine: Machine
    d: int
    embedded: EmbeddedLoss
    by: str
    lower: Fraction
    upper: Fraction
    extremal: Witness | None
    calibration: tuple[Stretch, ...] | None
    rankings: tuple[Ranking, ...] | None
    simplex: Simplex | None
    faces: tuple[FaceProof, ...] | None
    scores: Rationals | None
    seconds: float

    @property
    def kappa(self) -> Fraction | None:
        """The smallest constant where it is known exactly, else None: it lies between ``lower`` and ``upper``."""
        return self.lower if self.lower == self.upper else None

    @property
    def argmax(self) -> bool:
        return self.by == "argmax"

    @cached_property
    def breakpoints(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """(epsilon, delta(epsilon)) where the slope of the calibration function changes, and at both ends."""
        if not self.calibration:
            return ()
        points = [self.calibration[0].left, *(s.right for s in self.calibration)]
        kept = [points[0]]
        for here, after in pairwise(points[1:]):
            before = kept[-1]
            if (here[1] - before[1]) * (after[0] - here[0]) != (after[1] - here[1]) * (
                here[0] - before[0]
            ):
                kept.append(here)
        return (*kept, points[-1])

    def delta(self, epsilon: Any) -> Fraction:
        """The least surrogate regret with which argmax can have a 0-1 regret of epsilon, 0 <= epsilon <= 1."""
        if not self.calibration:
            raise DataError(
                "delta",
                "be asked of a machine consistent by argmax",
                f"{self.machine.name}, by {self.by}",
            )
        try:
            x = Fraction(repr(epsilon) if isinstance(epsilon, float) else epsilon)
        except (TypeError, ValueError, ZeroDivisionError) as error:
            raise DataError("epsilon", "be a number such as 1/2", repr(epsilon)[:80]) from error
        if not 0 <= x <= 1:
            raise DataError("epsilon", "lie in [0, 1]", str(epsilon)[:80])
        stretch = next(s for s in self.calibration if x <= s.right[0])
        (a, ya), (b, yb) = stretch.left, stretch.right
        return ya + (yb - ya) * (x - a) / (b - a)

    def verify(self) -> None:
        """Re-check the evidence with the independent checker; silent if it holds, a DataError if not."""
        from msvm_ref.fisher.check_regret import verify_regret

        verify_regret(self.machine, self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "machine": machine_to_dict(self.machine, self.d),
            "d": self.d,
            "symmetric": self.embedded.symmetric,
            "by": self.by,
            "kappa": None if self.kappa is None else str(self.kappa),
            "lower": str(self.lower),
            "upper": str(self.upper),
            "seconds": round(self.seconds, 3),
        }
        if self.extremal and self.calibration and self.rankings:
            data["extremal"] = _witness(self.extremal)
            data["calibration"] = [
                {
                    "left": _text(s.left),
                    "right": _text(s.right),
                    "witnesses": [_witness(w) for w in s.witnesses],
                }
                for s in self.calibration
            ]
            data["rankings"] = [_ranking(r) for r in self.rankings]
        if self.scores:
            data["embedded"] = self.embedded.to_dict()
            data["scores"] = _text(self.scores)
        if self.simplex:
            data["simplex"] = {
                "losses": [_text(v) for v in self.simplex.rows],
                "P": _text(self.simplex.P),
                "without": [_text(P) for P in self.simplex.without],
            }
        if self.faces:
            data["faces"] = [{"P": _text(f.P), "tree": _tree(f.tree)} for f in self.faces]
        return data

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    def __str__(self) -> str:
        value = (
            str(self.kappa) if self.kappa is not None else f"between {self.lower} and {self.upper}"
        )
        head = f"{self.machine.name}, d = {self.d}: "
        if self.extremal is None:
            return (
                f"{head}argmax is not consistent; towards its embedded loss ({self.embedded.name.embeds}), "
                f"through the best link,\n  regret ≤ κ × surrogate regret with κ = {value}"
                f"        in {self.seconds:.1f} s"
            )
        w = self.extremal
        bends = "  ".join(f"δ({e}) = {v}" for e, v in self.breakpoints)
        return (
            f"{head}0-1 regret of argmax ≤ κ × surrogate regret with κ = {value}        in {self.seconds:.1f} s\n"
            f"  attained at P = {show(w.P)} by f = {show(w.scores)}, which may predict {w.k + 1}\n"
            f"  calibration function, linear between  {bends}"
        )


def regret_constant(
    machine: Machine, d: int | None = None, *, embedded: EmbeddedLoss | None = None
) -> RegretConstant:
    """The exact regret constant of ``machine`` at d classes: by argmax where that is consistent, else through a link.

    ``embedded``: the machine's embedded loss, where you have it already.
    """
    start = time.perf_counter()
    if embedded is None:
        d, _ = check_classes(machine, d)
        embedded = embedded_loss(machine, d)
    elif d not in (None, embedded.d) or not same_machine(machine, embedded.machine, embedded.d):
        raise DataError(
            "embedded",
            f"be about {machine.name} at d = {d}",
            f"{embedded.machine.name} at d = {embedded.d}",
        )
    ranked = rankings(embedded)
    if ranked is None:
        return _through_a_link(machine, embedded, start)
    regret = ArgmaxRegret(embedded, ranked)
    kappa, witness = regret.worst
    stretches = regret.calibration
    return RegretConstant(
        machine,
        embedded.d,
        embedded,
        "argmax",
        kappa,
        kappa,
        witness,
        stretches,
        ranked,
        None,
        None,
        None,
        time.perf_counter() - start,
    )


def _through_a_link(machine: Machine, embedded: EmbeddedLoss, start: float) -> RegretConstant:
    simplex: Simplex | None = largest_simplex(embedded)
    assert simplex is not None
    alone = embedded.count == 1
    lower = Fraction(0 if alone else len(simplex.rows))
    upper = Fraction(0) if alone else Fraction(mixture_size(embedded))
    hardest = [
        sum(column, Fraction(0)) / len(simplex.rows) for column in zip(*simplex.rows, strict=True)
    ]
    faces = None
    if lower < upper and (exact := link_regret(embedded)) is not None:
        lower = upper = exact.kappa
        simplex, faces, hardest = None, exact.faces, list(exact.u)
    # at P > 0 the only scores whose losses are at most these have exactly these losses
    scores = _attaining(LeastRisk(point_loss(machine, embedded.d)), hardest)
    spent = time.perf_counter() - start
    return RegretConstant(
        machine,
        embedded.d,
        embedded,
        "link",
        lower,
        upper,
        None,
        None,
        None,
        simplex,
        faces,
        scores,
        spent,
    )


def _attaining(program: LeastRisk, losses: list[Fraction]) -> Rationals:
    """Scores f with L(f) <= losses: one more linear program, in the scores and slacks of the risk's."""
    return fractions(program.within([rational(v) for v in losses]))


def _text(values: Any) -> list[str]:
    return [str(v) for v in values]


def _tree(tree: Branch | Leaf) -> Any:
    if isinstance(tree, Leaf):
        return _text(tree.weights)
    return {"row": tree.row, "ways": [_tree(way) for way in tree.ways]}


def _tables(table: Table) -> list[list[str]]:
    return [_text(row) for row in table]


def _witness(w: Witness) -> dict[str, Any]:
    return {
        "P": _text(w.P),
        "scores": _text(w.scores),
        "k": w.k,
        "j": w.j,
        "multipliers": _tables(w.multipliers),
    }


def _ranking(r: Ranking) -> dict[str, Any]:
    return {
        "k": r.k,
        "points": [
            {
                "P": _text(q.P),
                "multipliers": _tables(q.multipliers),
                "order": _text(q.order),
                "least": _tables(q.least),
            }
            for q in r.points
        ],
        "parts": [_part(p) for p in r.parts],
    }


def _part(p: RankedPart) -> dict[str, Any]:
    return {
        "losses": _text(p.losses),
        "scores": _text(p.scores),
        "ranked": _text(p.ranked),
        "best": p.best,
        "points": list(p.points),
        "walls": _tables(p.walls),
    }
