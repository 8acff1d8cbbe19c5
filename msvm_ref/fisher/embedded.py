"""The embedded loss as an object: rows, reports, cells and orbits, its evidence, and its JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from msvm_ref.fisher.cells import (
    Cell,
    arrangements,
    moved_cell,
    orbit_size,
    placement,
    plain_cell,
    whole_cell,
)
from msvm_ref.fisher.loss import dot
from msvm_ref.fisher.machine_json import machine_from_dict, machine_to_dict
from msvm_ref.fisher.naming import Name, named
from msvm_ref.fisher.reports import Report, permuted, report
from msvm_ref.fisher.risk import show
from msvm_ref.foreign import parsed_json
from msvm_ref.model.machine import Machine

Rationals = tuple[Fraction, ...]
Table = tuple[Rationals, ...]


@dataclass(frozen=True)
class Point:
    """A corner of the cells, with multipliers lambda[y][c] that prove R*(P) = sum gamma lambda."""

    P: Rationals
    multipliers: Table


@dataclass(frozen=True)
class Piece:
    """A row, scores that attain it, its corners (numbers of points) and its walls: <wall, P> >= 0.

    Where classes are alike the row is sorted upwards and the piece is its cell within P_1 >= ... >= P_d.
    """

    losses: Rationals
    scores: Rationals
    points: tuple[int, ...]
    walls: tuple[Rationals, ...]


@dataclass(frozen=True)
class Orbit:
    """Rows that differ by a permutation of the classes: one of them, how many there are, and its report and cell."""

    losses: Rationals
    size: int
    report: Report
    cell: Cell


@dataclass(frozen=True)
class EmbeddedLoss:
    """What ``machine`` learns at d classes. ``points`` and ``pieces`` are the evidence; the rest follows from them."""

    machine: Machine
    d: int
    symmetric: bool
    points: tuple[Point, ...]
    pieces: tuple[Piece, ...]
    seconds: float

    @cached_property
    def orbits(self) -> tuple[Orbit, ...]:
        return tuple(
            Orbit(p.losses, orbit_size(p.losses) if self.symmetric else 1, self._report(p), cell)
            for p, cell in zip(self.pieces, self.piece_cells, strict=True)
        )

    @cached_property
    def piece_cells(self) -> tuple[Cell, ...]:
        build = whole_cell if self.symmetric else plain_cell
        return tuple(
            build(p.losses, [self.points[q].P for q in p.points], p.walls) for p in self.pieces
        )

    def _report(self, piece: Piece) -> Report:
        corners = [self.points[q].P for q in piece.points]
        centre = [sum(column, Fraction(0)) / len(corners) for column in zip(*corners, strict=True)]
        return report(self.machine, piece.losses, piece.scores, centre)

    @property
    def count(self) -> int:
        """How many reports there are."""
        return sum(orbit_size(p.losses) if self.symmetric else 1 for p in self.pieces)

    @cached_property
    def losses(self) -> tuple[Rationals, ...]:
        """The embedded loss: one row per report, one column per class; orbit after orbit."""
        if not self.symmetric:
            return tuple(p.losses for p in self.pieces)
        return tuple(row for p in self.pieces for row in arrangements(p.losses))

    @cached_property
    def reports(self) -> tuple[Report, ...]:
        """Scores that attain each row, with the whole face of such scores."""
        if not self.symmetric:
            return tuple(o.report for o in self.orbits)
        return tuple(
            permuted(o.report, placement(row))
            for o in self.orbits
            for row in arrangements(o.losses)
        )

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Where each row is optimal."""
        if not self.symmetric:
            return self.piece_cells
        return tuple(
            moved_cell(cell, placement(row))
            for p, cell in zip(self.pieces, self.piece_cells, strict=True)
            for row in arrangements(p.losses)
        )

    @cached_property
    def corners(self) -> tuple[Rationals, ...]:
        """Every vertex of every cell, once."""
        return tuple(sorted({P for cell in self.cells for P in cell.vertices}, reverse=True))

    @cached_property
    def corner_risks(self) -> dict[Rationals, Fraction]:
        """The least risk at every corner."""
        return {P: self.least_risk(P) for P in self.corners}

    @cached_property
    def name(self) -> Name:
        """What it is called, where we recognise it."""
        return named(self.d, [p.losses for p in self.pieces], self.symmetric)

    def least_risk(self, P: Sequence[Fraction]) -> Fraction:
        """min over the rows of <P, v>, which is the least pointwise risk of the machine."""
        sorted_P = sorted(P, reverse=True) if self.symmetric else P
        values: list[Fraction] = [dot(sorted_P, p.losses) for p in self.pieces]
        return min(values)

    def verify(self) -> int:
        """Re-prove it all with the independent checker, which says how many simplices it measured; a DataError if not."""
        from msvm_ref.fisher.check_embedded import verify_embedded

        return verify_embedded(self.machine, self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        return {
            "machine": machine_to_dict(self.machine, self.d),
            "d": self.d,
            "symmetric": self.symmetric,
            "learns": self.name.learns,
            "embeds": self.name.embeds,
            "reports": self.count,
            "points": [
                {"P": _text(q.P), "multipliers": [_text(row) for row in q.multipliers]}
                for q in self.points
            ],
            "pieces": [
                {
                    "losses": _text(p.losses),
                    "scores": _text(p.scores),
                    "points": list(p.points),
                    "walls": [_text(w) for w in p.walls],
                }
                for p in self.pieces
            ],
            "seconds": round(self.seconds, 3),
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    @staticmethod
    def from_json(text: str) -> EmbeddedLoss:
        """Read what to_json wrote, by us or by others, and believe it only once the checker has re-proved it."""
        from msvm_ref.fisher.check_embedded import read_embedded, verify_embedded

        data = parsed_json(text, "embedded loss")
        d, symmetric, points, pieces = read_embedded(data)
        machine = machine_from_dict(data.get("machine"), d)
        verify_embedded(machine, data)
        return EmbeddedLoss(
            machine,
            d,
            symmetric,
            tuple(Point(tuple(P), tuple(map(tuple, table))) for P, table in points),
            tuple(
                Piece(tuple(v), tuple(f), tuple(held), tuple(map(tuple, walls)))
                for v, f, held, walls in pieces
            ),
            0.0,
        )

    def __str__(self) -> str:
        lines = [
            f"{self.machine.name}, d = {self.d}: learns {self.name.learns}",
            f"  {self.name.embeds}; {_plural(self.count, 'report')} in "
            f"{_plural(len(self.pieces), 'orbit')}, all of them found exactly in {self.seconds:.1f} s",
        ]
        for o in self.orbits[:SHOWN]:
            only = (
                ""
                if o.report.unique
                else "  one of many" + ("" if o.report.bounded else ", unboundedly")
            )
            lines.append(
                f"  {'×' + str(o.size):>6}  losses {show(o.losses)}  at f = {show(o.report.scores)}{only}"
            )
        if len(self.orbits) > SHOWN:
            lines.append(f"  … and {len(self.orbits) - SHOWN} more orbits")
        return "\n".join(lines)


SHOWN = 12
"""Orbits listed in print."""


def _text(values: Rationals) -> list[str]:
    return [str(v) for v in values]


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")
