"""embedded_loss: the discrete loss that a machine's hinge loss embeds, all of it, in exact rationals.

    U = {v : v_y >= L_y(f) for all y, for some scores f}        R*(P) = min over v in U of <P, v>

U is a polyhedron with recession cone R^d_+ (losses are never negative). Its vertices are the rows of the embedded loss
(Finocchiaro, Frongillo, Waggoner 2019, 2022): unique, and each optimal on a cell of P with inner points. They are found cell
by cell (cell_search.py), an exact linear program answering at each corner. Where classes are alike, each orbit of rows
has exactly one row with inner points on P_1 >= ... >= P_d: the one sorted upwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from msvm_ref.errors import SpecError
from msvm_ref.exact.numbers import fraction, fractions, rational
from msvm_ref.fisher.cell_search import CellSearch
from msvm_ref.fisher.embedded import EmbeddedLoss, Piece, Point, Rationals, Table
from msvm_ref.fisher.least_risk import LeastRisk
from msvm_ref.fisher.loss import PointLoss, is_symmetric, point_loss
from msvm_ref.model.machine import Machine

LARGEST = {True: 8, False: 5}
"""The most classes we accept for machines that do and that do not treat all classes alike."""


def check_classes(machine: Machine, d: int | None) -> tuple[int, bool]:
    """(the number of classes, does the machine treat them alike?), or a refusal before any work is done."""
    if not isinstance(machine, Machine):
        raise SpecError("machine", "be a Machine such as WW or RM(0.5)", repr(machine))
    d = (machine.fixed_d or 3) if d is None else d
    if isinstance(d, bool) or not isinstance(d, int):
        raise SpecError("d", "be an integer", repr(d))
    if machine.cost != "linear":
        raise SpecError(
            "cost",
            "be 'linear': only a polyhedral loss embeds a discrete one",
            repr(machine.cost),
            "use machine.with_cost('linear')",
        )
    remedy = "use minimize_risk at the P you care about"
    if d > max(LARGEST.values()):
        raise SpecError("d", f"be at most {max(LARGEST.values())}", str(d), remedy)
    symmetric = is_symmetric(machine, d)
    if d > LARGEST[symmetric]:
        kind = "treats" if symmetric else "does not treat"
        raise SpecError(
            "d",
            f"be at most {LARGEST[symmetric]} for a machine that {kind} all classes alike",
            str(d),
            remedy,
        )
    return d, symmetric


@dataclass(frozen=True)
class Risk:
    """R* at one P, in Fractions: its value, scores that attain it, their loss vector, and multipliers that prove it."""

    value: Fraction
    row: Rationals
    scores: Rationals
    multipliers: Table
    order: Rationals


class RiskOracle:
    """R*(P), or R*_k(P) over the scores that rank class k first, in Fractions."""

    def __init__(self, loss: PointLoss, top: int | None = None) -> None:
        self.loss, self.program = loss, LeastRisk(loss, top)

    def __call__(self, P: Rationals, beside: Rationals | None = None) -> Risk:
        near = None if beside is None else [rational(v) for v in beside]
        least = self.program.at([rational(v) for v in P], near)
        return Risk(
            fraction(least.value),
            fractions(self.loss.losses(least.f)),
            fractions(least.f),
            tuple(fractions(row) for row in least.multipliers),
            fractions(least.order),
        )


def embedded_loss(
    machine: Machine, d: int | None = None, progress: Callable[[int, int], None] | None = None
) -> EmbeddedLoss:
    """The rows, reports and cells of the loss that ``machine`` embeds at d classes.

    Machines that treat classes alike (checked exactly) are taken up to d = 8, others up to d = 5.
    ``progress`` is called with (corners settled, corners known so far).
    """
    start = time.perf_counter()
    d, symmetric = check_classes(machine, d)
    points, pieces = pieces_of(
        point_loss(machine, d), symmetric, progress or (lambda done, total: None)
    )
    return EmbeddedLoss(machine, d, symmetric, points, pieces, time.perf_counter() - start)


def pieces_of(
    loss: PointLoss, symmetric: bool, progress: Callable[[int, int], None]
) -> tuple[tuple[Point, ...], tuple[Piece, ...]]:
    search = CellSearch(loss.d, symmetric, RiskOracle(loss))
    search.run(progress)
    corners, parts = search.outcome()
    return (
        tuple(Point(P, answer.multipliers) for P, answer in corners),
        tuple(Piece(p.answer.row, p.answer.scores, p.points, p.walls) for p in parts),
    )
