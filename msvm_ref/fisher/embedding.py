"""embedded_loss: the discrete loss that a machine's hinge loss embeds, all of it, in exact rationals.

    U = {v : v_y >= L_y(f) for all y, for some scores f}        R*(P) = min over v in U of <P, v>

U is a polyhedron with recession cone R^d_+ (losses are never negative). Its vertices are the rows of the embedded loss
(Finocchiaro, Frongillo, Waggoner 2019, 2022): unique, and each optimal on a cell of P with inner points.

The search keeps the lower envelope of the rows found so far (envelope.py). At each of its corners P an exact linear
program gives R*(P): where the envelope lies above it, the minimiser's loss vector is a new row; once it lies above it
nowhere, concavity of R* makes the two agree everywhere. A machine that treats classes alike is searched on
P_1 >= ... >= P_d alone: there each orbit of rows has exactly one row with inner points, the one sorted upwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from fractions import Fraction

from msvm_ref.errors import SpecError
from msvm_ref.exact.numbers import fraction, fractions, rational
from msvm_ref.fisher.embedded import EmbeddedLoss, Piece, Point, Rationals
from msvm_ref.fisher.envelope import Envelope, Ray
from msvm_ref.fisher.least_risk import Least, LeastRisk
from msvm_ref.fisher.loss import PointLoss, dot, is_symmetric, point_loss
from msvm_ref.model.machine import Machine

LARGEST = {True: 8, False: 5}
"""The most classes we accept for machines that do and that do not treat all classes alike."""
MOST_ROWS = 4_000
GENERIC = (3, 71, 211, 389, 577, 743, 829, 911)
"""Ties between minimisers at a corner are broken towards an inner P of uneven weights 1 + g/997."""


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


def embedded_loss(
    machine: Machine, d: int | None = None, progress: Callable[[int, int], None] | None = None
) -> EmbeddedLoss:
    """The rows, reports and cells of the loss that ``machine`` embeds at d classes.

    Machines that treat classes alike (checked exactly) are taken up to d = 8, others up to d = 5.
    ``progress`` is called with (corners settled, corners known so far).
    """
    start = time.perf_counter()
    d, symmetric = check_classes(machine, d)
    search = _Search(point_loss(machine, d), domain(d, symmetric))
    search.run(progress or (lambda done, total: None))
    points, pieces = search.outcome(symmetric)
    return EmbeddedLoss(machine, d, symmetric, points, pieces, time.perf_counter() - start)


def domain(d: int, symmetric: bool) -> list[Rationals]:
    """The corners of the P that are searched: of {P_1 >= ... >= P_d}, or of the whole simplex."""
    if not symmetric:
        return [tuple(Fraction(int(c == i)) for c in range(d)) for i in range(d)]
    return [tuple(Fraction(int(c <= i), i + 1) for c in range(d)) for i in range(d)]


class _Search:
    """Rows live in the coordinates of the domain's corners: <P, v> = <mu, (<corner_i, v>)_i> for P = sum mu_i corner_i."""

    def __init__(self, loss: PointLoss, corners: list[Rationals]) -> None:
        self.loss, self.corners, self.program = loss, corners, LeastRisk(loss)
        self.inner = self._exact([1 + Fraction(g, 997) for g in GENERIC[: loss.d]])
        first = self.program.at(self.inner)
        self.rows = [fractions(loss.losses(first.f))]
        self.scores = [fractions(first.f)]
        self.envelope = Envelope(self._seen(self.rows[0]))
        self.settled: dict[Ray, tuple[Rationals, Least]] = {}

    def _seen(self, v: Rationals) -> Rationals:
        return tuple(dot(corner, v) for corner in self.corners)

    def _exact(self, mu: Sequence[Fraction]) -> list[object]:
        P = [dot(mu, column) for column in zip(*self.corners, strict=True)]
        return [rational(v) for v in P]

    def run(self, progress: Callable[[int, int], None]) -> None:
        while True:
            known = list(self.envelope.corners())
            waiting = [c for c in known if c[0] not in self.settled]
            progress(len(known) - len(waiting), len(known))
            if not waiting:
                return
            for ray, mu, z in waiting:
                if ray in self.envelope.rays:
                    self._settle(ray, mu, z)

    def _settle(self, ray: Ray, mu: Rationals, z: Fraction) -> None:
        P = self._exact(mu)
        least = self.program.at(P, self.inner)
        if fraction(least.value) == z:
            self.settled[ray] = fractions(P), least
            return
        if len(self.rows) >= MOST_ROWS:
            raise SpecError(
                "machine",
                f"embed at most {MOST_ROWS} reports (up to permutations where classes are alike)",
                "more",
                "use fewer classes, or minimize_risk at the P you care about",
            )
        self.rows.append(fractions(self.loss.losses(least.f)))
        self.scores.append(fractions(least.f))
        self.envelope.add(self._seen(self.rows[-1]))

    def outcome(self, symmetric: bool) -> tuple[tuple[Point, ...], tuple[Piece, ...]]:
        """Corners sorted from the surest P on, pieces by their rows; rows without inner points are dropped."""
        d, envelope = self.loss.d, self.envelope
        order = sorted(
            (ray for ray, _, _ in envelope.corners()),
            key=lambda ray: self.settled[ray][0],
            reverse=True,
        )
        points = tuple(
            Point(P, tuple(fractions(row) for row in least.multipliers))
            for P, least in (self.settled[ray] for ray in order)
        )
        cells = envelope.cells()
        pieces = []
        for r in sorted(cells, key=lambda r: self.rows[r]):
            mine = self.rows[r]
            walls = tuple(
                wall(b, d, symmetric)
                if b < d
                else tuple(w - v for w, v in zip(self.rows[b - d], mine, strict=True))
                for b in cells[r]
            )
            held = tuple(q for q, ray in enumerate(order) if envelope.rays[ray] >> (d + r) & 1)
            pieces.append(Piece(mine, self.scores[r], held, walls))
        return points, tuple(pieces)


def wall(i: int, d: int, symmetric: bool) -> Rationals:
    """The inner normal of the domain's i-th wall: P_i >= P_{i+1} (for the last, P_d >= 0), or P_i >= 0."""
    return tuple(Fraction(int(c == i) - int(symmetric and c == i + 1)) for c in range(d))
