"""A counterexample to Fisher consistency, with the evidence that lets anyone re-check it by arithmetic alone.

    f minimises R_P, k is in argmax f, and P_k < P_j with j in argmax P.

Evidence: multipliers lambda with sum gamma lambda = R_P(f) (weak duality: no scores do better); for ``unique``, the
multipliers of subgradients that surround 0; for ``open``, a radius s > 0 and multipliers at the d points
P + s (e_i - 1/d), between which f stays optimal and wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msvm_ref.exact.numbers import fraction, fractions, rational
from msvm_ref.fisher.face import lowest, minimum
from msvm_ref.fisher.loss import Number, PointLoss
from msvm_ref.fisher.optimality import Multipliers, is_unique, multipliers_at, neighbourhood
from msvm_ref.fisher.probability import bayes_classes

Rationals = tuple[Fraction, ...]
Table = tuple[Rationals, ...]


@dataclass(frozen=True)
class Counterexample:
    """A minimiser f of the risk at P that predicts k although j is likelier, with the evidence."""

    P: Rationals
    """The class probabilities."""
    f: Rationals
    """The scores."""
    k: int
    """A class among the largest of f."""
    j: int
    """A class among the largest of P."""
    risk: Fraction
    """R_P(f)."""
    multipliers: Table
    """lambda[y][c] that prove f optimal at P."""
    uniqueness: tuple[Table, ...] | None
    """Multipliers of subgradients that surround 0, where f is the only minimiser; else None."""
    radius: Fraction | None
    """How far P may move while f stays optimal and wrong; None where there is no such neighbourhood."""
    neighbours: tuple[Table, ...] | None
    """Multipliers at the d points P + radius (e_i - 1/d)."""
    bayes_scores: Rationals
    """Among the scores with the least loss on class j, those of least risk (by the linear hinge, for the squared one too)."""
    bayes_risk: Fraction
    """Their risk."""

    @property
    def unique(self) -> bool:
        return self.uniqueness is not None

    @property
    def open(self) -> bool:
        return self.radius is not None

    @property
    def predicted(self) -> tuple[int, ...]:
        return bayes_classes(self.f)

    @property
    def bayes(self) -> tuple[int, ...]:
        return bayes_classes(self.P)

    def to_dict(self) -> dict[str, Any]:
        def table(rows: Table) -> list[list[str]]:
            return [[str(v) for v in row] for row in rows]

        return {
            "P": [str(v) for v in self.P],
            "f": [str(v) for v in self.f],
            "k": self.k,
            "j": self.j,
            "risk": str(self.risk),
            "predicted": list(self.predicted),
            "bayes": list(self.bayes),
            "unique": self.unique,
            "open": self.open,
            "multipliers": table(self.multipliers),
            "uniqueness": None if self.uniqueness is None else [table(t) for t in self.uniqueness],
            "radius": None if self.radius is None else str(self.radius),
            "neighbours": None if self.neighbours is None else [table(t) for t in self.neighbours],
            "bayes_scores": [str(v) for v in self.bayes_scores],
            "bayes_risk": str(self.bayes_risk),
        }


def counterexample(
    loss: PointLoss, P: Sequence[Number], f: Sequence[Number], k: int
) -> Counterexample:
    """Gather the evidence that f, a minimiser of R_P with k among its largest scores, is wrong."""
    j = bayes_classes(P)[0]
    proof = multipliers_at(loss, f, P)
    assert proof is not None
    alone = is_unique(loss, f, P)
    around = neighbourhood(loss, f, k, j, P)
    sure = [rational(Fraction(int(c == j))) for c in range(loss.d)]
    bayes_risk, bayes_scores = lowest(loss, P, minimum(loss, sure).face)
    return Counterexample(
        fractions(P),
        fractions(f),
        k,
        j,
        fraction(loss.risk(P, f)),
        _table(proof),
        None if alone is None else tuple(map(_table, alone)),
        None if around is None else fraction(around[0]),
        None if around is None else tuple(map(_table, around[1])),
        fractions(bayes_scores),
        fraction(bayes_risk),
    )


def _table(multipliers: Multipliers) -> Table:
    return tuple(fractions(row) for row in multipliers.values)
