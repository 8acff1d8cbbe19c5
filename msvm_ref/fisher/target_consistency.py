"""consistent_for: does a machine's loss lead to optimal reports of a given discrete target, through *some* link?

    A link psi from scores to reports makes the machine consistent for the target l
        <=>  every cell of the embedded loss lies inside the cell of one report of l        (Finocchiaro et al. 2022)

A row's scores minimise the risk at every P of its cell, so one report has to serve them all; and where each cell has its
report, link.py extends the table to all scores. It is enough to look at the vertices of each cell: they must share an
optimal report. The stricter question, whether psi = argmax will do for the 0-1 loss, is ``fisher_consistency``'s.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.exact.numbers import fractions, rational
from msvm_ref.fisher.cells import Cell, arrangements, moved, moved_cell, placement
from msvm_ref.fisher.embedded import EmbeddedLoss
from msvm_ref.fisher.embedding import check_classes, embedded_loss
from msvm_ref.fisher.least_risk import LeastRisk
from msvm_ref.fisher.link import Link, Regrets
from msvm_ref.fisher.loss import dot, point_loss
from msvm_ref.fisher.machine_json import machine_to_dict, same_machine
from msvm_ref.fisher.risk import show
from msvm_ref.fisher.targets import DiscreteTarget, discrete_target
from msvm_ref.model.machine import Machine

Rationals = tuple[Fraction, ...]
Table = tuple[Rationals, ...]
FINEST = {2: 30, 3: 14, 4: 9}
"""Simple P in a cell are looked for up to this denominator, up to 7 where there are more classes."""


@dataclass(frozen=True)
class Clash:
    """One set of scores, two P that it minimises the risk of, and no report optimal at both.

    ``multipliers``: for each P a table lambda that proves L(scores) = losses optimal there.
    """

    losses: Rationals
    scores: Rationals
    P: tuple[Rationals, Rationals]
    optimal: tuple[tuple[int, ...], tuple[int, ...]]
    multipliers: tuple[Table, Table]


@dataclass(frozen=True)
class TargetResult:
    """The verdict and its evidence: a ``link``, or a ``clash``."""

    machine: Machine
    d: int
    target: DiscreteTarget
    embedded: EmbeddedLoss
    link: Link | None
    clash: Clash | None
    seconds: float

    @property
    def consistent(self) -> bool:
        return self.link is not None

    def __bool__(self) -> bool:
        return self.consistent

    def verify(self) -> None:
        """Re-check the evidence with the independent checker; silent if it holds, a DataError if not."""
        from msvm_ref.fisher.check_target import verify_target

        verify_target(self.machine, self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        return {
            "machine": machine_to_dict(self.machine, self.d),
            "d": self.d,
            "target": {
                "name": self.target.name,
                "losses": [_text(row) for row in self.target.losses],
                "labels": list(self.target.labels),
            },
            "consistent": self.consistent,
            "embedded": self.embedded.to_dict() if self.link else None,
            "link": _link_dict(self.link) if self.link else None,
            "clash": _clash_dict(self.clash) if self.clash else None,
            "seconds": round(self.seconds, 3),
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    def __str__(self) -> str:
        head = (
            f"{self.machine.name}, d = {self.d}: "
            f"{'consistent' if self.consistent else 'NOT consistent'} for {self.target.name}"
        )
        if self.link is not None:
            far = self.link.epsilon
            near = "everywhere" if far is None else f"within {far} of a minimiser"
            return (
                f"{head} through a link        decided exactly in {self.seconds:.1f} s\n"
                f"  {self.embedded.count} cells, each inside one report's; "
                f"target regret ≤ {self.link.constant} × surrogate regret; right {near}"
            )
        assert self.clash is not None
        lines = [f"{head}, through no link        decided exactly in {self.seconds:.1f} s"]
        for P, optimal in zip(self.clash.P, self.clash.optimal, strict=True):
            said = ", ".join(self.target.labels[r] for r in optimal[:4])
            lines.append(
                f"  f* = {show(self.clash.scores)} minimises at P = {show(P)}, optimal: {said}"
            )
        return "\n".join(lines)


def consistent_for(
    machine: Machine, target: Any, d: int | None = None, *, embedded: EmbeddedLoss | None = None
) -> TargetResult:
    """Is ``machine`` consistent for ``target`` at d classes, through some link? A link, or two P that clash.

    ``target``: a loss matrix (reports x classes) or a name, see targets.py. ``embedded``: the machine's embedded loss,
    where you have it already.
    """
    start = time.perf_counter()
    if embedded is None:
        d, _ = check_classes(machine, d)
        discrete = discrete_target(target, d)
        embedded = embedded_loss(machine, d)
    elif d not in (None, embedded.d) or not same_machine(machine, embedded.machine, embedded.d):
        raise DataError(
            "embedded",
            f"be about {machine.name} at d = {d}",
            f"{embedded.machine.name} at d = {embedded.d}",
        )
    else:
        discrete = discrete_target(target, embedded.d)
    regrets = Regrets(discrete)
    both = embedded.symmetric and discrete.symmetric
    rows = _representatives(embedded) if both else _all(embedded)
    table: dict[Rationals, int] = {}
    for losses, scores, cell in rows:
        common = frozenset.intersection(*map(regrets.optimal, cell.vertices))
        if not common:
            clash = _clash(embedded, losses, scores, cell, regrets)
            spent = time.perf_counter() - start
            return TargetResult(machine, embedded.d, discrete, embedded, None, clash, spent)
        table[losses] = min(common)
    link = Link(embedded, discrete, _full_table(embedded, discrete, table))
    return TargetResult(
        machine, embedded.d, discrete, embedded, link, None, time.perf_counter() - start
    )


def _representatives(embedded: EmbeddedLoss) -> Iterator[tuple[Rationals, Rationals, Cell]]:
    for piece, cell in zip(embedded.pieces, embedded.piece_cells, strict=True):
        yield piece.losses, piece.scores, cell


def _all(embedded: EmbeddedLoss) -> Iterator[tuple[Rationals, Rationals, Cell]]:
    """Every row, one at a time: a clash often comes early."""
    for losses, scores, cell in _representatives(embedded):
        if not embedded.symmetric:
            yield losses, scores, cell
            continue
        for row in arrangements(losses):
            order = placement(row)
            yield row, moved(scores, order), moved_cell(cell, order)


def _full_table(
    embedded: EmbeddedLoss, target: DiscreteTarget, table: dict[Rationals, int]
) -> tuple[int, ...]:
    """The report for every row; where target and machine are symmetric, a row moved about has its report moved alike."""
    number = {row: r for r, row in reversed(list(enumerate(target.losses)))}
    full = []
    for row in embedded.losses:
        if row not in table:
            report = target.losses[table[tuple(sorted(row))]]
            table[row] = number[moved(report, placement(row))]
        full.append(table[row])
    return tuple(full)


def _clash(
    embedded: EmbeddedLoss, losses: Rationals, scores: Rationals, cell: Cell, regrets: Regrets
) -> Clash:
    first, second = _clashing(cell, regrets)
    program = LeastRisk(point_loss(embedded.machine, embedded.d))
    tables = []
    for P in (first, second):
        least = program.at([rational(v) for v in P])
        tables.append(tuple(fractions(row) for row in least.multipliers))
    return Clash(
        losses,
        scores,
        (first, second),
        (tuple(sorted(regrets.optimal(first))), tuple(sorted(regrets.optimal(second)))),
        (tables[0], tables[1]),
    )


def _clashing(cell: Cell, regrets: Regrets) -> tuple[Rationals, Rationals]:
    """Two P of the cell without a common optimal report, as simple as they come.

    Where no simple pair does it: at an inner P where one loss row alone is optimal, its reports fail at some vertex.
    """
    d = len(cell.vertices[0])
    seen: dict[frozenset[int], Rationals] = {}
    for inner in (True, False):
        for P in _simple(d, FINEST.get(d, 7)):
            heights = [dot(normal, P) for normal in cell.normals]
            if all(h > 0 if inner else h >= 0 for h in heights):
                optimal = regrets.optimal(P)
                for other, known in seen.items():
                    if not other & optimal:
                        return known, P
                seen.setdefault(optimal, P)
    for trial in range(1, 100):
        weights = [Fraction(1, trial + i * i) for i in range(1, len(cell.vertices) + 1)]
        centre = tuple(
            sum((w * P[c] for w, P in zip(weights, cell.vertices, strict=True)), Fraction(0))
            / sum(weights)
            for c in range(d)
        )
        for P in cell.vertices:
            if not regrets.optimal(P) & regrets.optimal(centre):
                return centre, P
    raise AssertionError("a cell without a common report has two P that clash")


def _simple(d: int, finest: int) -> Iterator[Rationals]:
    """P of growing common denominator, each once."""
    known = set()
    for total in range(1, finest + 1):
        for parts in _parts(total, d):
            P = tuple(Fraction(v, total) for v in parts)
            if P not in known:
                known.add(P)
                yield P


def _parts(total: int, d: int) -> Iterator[tuple[int, ...]]:
    if d == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in _parts(total - first, d - 1):
            yield (first, *rest)


def _text(values: Sequence[Fraction]) -> list[str]:
    return [str(v) for v in values]


def _link_dict(link: Link) -> dict[str, Any]:
    """The table for one row of each orbit where machine and target are symmetric, for every row otherwise."""
    both = link.embedded.symmetric and link.target.symmetric
    rows = {p.losses for p in link.embedded.pieces} if both else None
    return {
        "table": [
            {"losses": _text(row), "report": r}
            for row, r in zip(link.embedded.losses, link.table, strict=True)
            if rows is None or row in rows
        ],
        "mixture": link.mixture,
        "constant": str(link.constant),
        "epsilon": None if link.epsilon is None else str(link.epsilon),
    }


def _clash_dict(clash: Clash) -> dict[str, Any]:
    return {
        "losses": _text(clash.losses),
        "scores": _text(clash.scores),
        "P": [_text(P) for P in clash.P],
        "optimal": [list(o) for o in clash.optimal],
        "multipliers": [[_text(row) for row in table] for table in clash.multipliers],
    }
