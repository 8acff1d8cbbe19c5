"""A table t[y,c,m] that treats classes alike is five numbers: what is known of it without writing d^3 of them down."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from msvm_ref.errors import SpecError
from msvm_ref.model.arrays import Array

Tensor = tuple[Any, ...]  # nested tuples of Fractions
TABLE_LIMIT = 400
"""The most classes for which nu[y,c,m] is written out (512 MB); beyond, ``Machine.entries`` says it all."""


class Floats(NamedTuple):
    """``Entries`` to compute with: a row times a vector is the rest's part of its sum, and what the others have more."""

    own: float
    own_rest: float
    true: float
    rival: float
    rest: float
    own_more: float
    true_more: float
    rival_more: float


@dataclass(frozen=True)
class Entries:
    """The table t[y,c,m] of a margin that treats classes alike, by its five different entries.

    t[y,y,y] = own,  t[y,y,m] = own_rest;   for c != y:  t[y,c,y] = true,  t[y,c,c] = rival,  t[y,c,m] = rest.
    """

    own: Fraction
    own_rest: Fraction
    true: Fraction
    rival: Fraction
    rest: Fraction

    @property
    def floats(self) -> Floats:
        """Each rounded once to float64, and what own, true and rival are more than the rest of their row."""
        more = (self.own - self.own_rest, self.true - self.rest, self.rival - self.rest)
        exact = (self.own, self.own_rest, self.true, self.rival, self.rest, *more)
        return Floats(*map(float, exact))

    def row(self, y: int, c: int, d: int) -> tuple[Fraction, ...]:
        """t[y,c,:] as exact rationals."""
        row = [self.own_rest if c == y else self.rest] * d
        row[y] = self.own if c == y else self.true
        if c != y:
            row[c] = self.rival
        return tuple(row)

    def table(self, d: int) -> Tensor:
        check_table(d)
        return tuple(tuple(self.row(y, c, d) for c in range(d)) for y in range(d))

    def array(self, d: int) -> Array:
        """The table in float64, read-only; each entry is the rational rounded once."""
        check_table(d)
        every = np.arange(d)
        array = np.full((d, d, d), float(self.rest))
        array[every, :, every] = float(self.true)
        array[:, every, every] = float(self.rival)
        array[every, every, :] = float(self.own_rest)
        array[every, every, every] = float(self.own)
        array.setflags(write=False)
        return array


def check_table(d: int) -> None:
    """d^3 entries must fit: a margin given as an array has no other form."""
    if d > TABLE_LIMIT:
        raise SpecError(
            "d",
            f"be at most {TABLE_LIMIT} where the table nu[y,c,m] is written out",
            f"{d}, a table of {d**3:.1e} entries",
            "a Margin(name, own, true, rival) treats classes alike and needs none: Machine.entries(d)",
        )
