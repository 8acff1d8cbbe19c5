"""Cell by cell over the simplex: where is which row of an unknown concave piecewise linear function the lowest?

    z(P) = min over unknown rows w of <P, w>,     asked of an oracle: z(P), and a row that is lowest at P and just beside it

The search keeps the lower envelope of the rows found so far (envelope.py). At each of its corners the oracle says whether
it lies above z: if so, a new row cuts it down; once it does so nowhere, concavity of z makes the two agree everywhere.
Classes alike: only P_1 >= ... >= P_d is searched, a simplex as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from msvm_ref.errors import SpecError
from msvm_ref.fisher.envelope import Envelope, Ray
from msvm_ref.fisher.loss import dot

Rationals = tuple[Fraction, ...]
MOST_ROWS = 4_000
GENERIC = (3, 71, 211, 389, 577, 743, 829, 911)
"""Just beside P means: towards an inner P of uneven weights 1 + g/997, so that a row lowest there has inner points."""


class Answered(Protocol):
    """What an oracle says about one P."""

    @property
    def value(self) -> Fraction: ...

    @property
    def row(self) -> Rationals: ...


Answer = TypeVar("Answer", bound=Answered)


@dataclass(frozen=True)
class Part(Generic[Answer]):
    """Where one row is the lowest: the answer it came with, its corners (numbers of corners) and walls <wall, P> >= 0."""

    answer: Answer
    points: tuple[int, ...]
    walls: tuple[Rationals, ...]


class CellSearch(Generic[Answer]):
    """``ask(P, beside)``: the oracle; ``answers`` of a finished search are its last words on each corner."""

    def __init__(
        self, d: int, symmetric: bool, ask: Callable[[Rationals, Rationals], Answer]
    ) -> None:
        self.d, self.symmetric, self.ask = d, symmetric, ask
        self.domain = domain(d, symmetric)
        self.inner = self._at([1 + Fraction(g, 997) for g in GENERIC[:d]])
        self.found = [ask(self.inner, self.inner)]
        self.envelope = Envelope(self._seen(self.found[0].row))
        self.settled: dict[Ray, tuple[Rationals, Answer]] = {}

    def _seen(self, row: Rationals) -> Rationals:
        """The row in the domain's coordinates: <P, row> = sum mu_i <corner_i, row> for P = sum mu_i corner_i."""
        return tuple(dot(corner, row) for corner in self.domain)

    def _at(self, mu: Sequence[Fraction]) -> Rationals:
        total = sum(mu)
        return tuple(dot(mu, column) / total for column in zip(*self.domain, strict=True))

    def run(self, progress: Callable[[int, int], None] = lambda done, total: None) -> None:
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
        P = self._at(mu)
        answer = self.ask(P, self.inner)
        if answer.value == z:
            self.settled[ray] = P, answer
            return
        if len(self.found) >= MOST_ROWS:
            raise SpecError(
                "machine",
                f"have at most {MOST_ROWS} reports (up to permutations where classes are alike)",
                "more",
                "use fewer classes, or minimize_risk at the P you care about",
            )
        self.found.append(answer)
        self.envelope.add(self._seen(answer.row))

    def outcome(self) -> tuple[list[tuple[Rationals, Answer]], list[Part[Answer]]]:
        """Corners from the surest P on, and parts by their rows; rows without inner points are dropped."""
        d, envelope = self.d, self.envelope
        order = sorted(
            (ray for ray, _, _ in envelope.corners()),
            key=lambda ray: self.settled[ray][0],
            reverse=True,
        )
        cells = envelope.cells()
        parts = []
        for r in sorted(cells, key=lambda r: self.found[r].row):
            mine = self.found[r].row
            walls = tuple(
                edge(b, d, self.symmetric)
                if b < d
                else tuple(w - v for w, v in zip(self.found[b - d].row, mine, strict=True))
                for b in cells[r]
            )
            held = tuple(q for q, ray in enumerate(order) if envelope.rays[ray] >> (d + r) & 1)
            parts.append(Part(self.found[r], held, walls))
        return [self.settled[ray] for ray in order], parts


def domain(d: int, symmetric: bool) -> list[Rationals]:
    """The corners of the P that are searched: of {P_1 >= ... >= P_d}, or of the whole simplex."""
    if not symmetric:
        return [tuple(Fraction(int(c == i)) for c in range(d)) for i in range(d)]
    return [tuple(Fraction(int(c <= i), i + 1) for c in range(d)) for i in range(d)]


def edge(i: int, d: int, symmetric: bool) -> Rationals:
    """The inner normal of the domain's i-th wall: P_i >= P_{i+1} (for the last, P_d >= 0), or P_i >= 0."""
    return tuple(Fraction(int(c == i) - int(symmetric and c == i + 1)) for c in range(d))
