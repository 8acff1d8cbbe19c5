"""Polyhedral sets of scores: is one empty, where is its inside, is it a point, is it bounded, which are its corners?

A region is a list of constraints <normal, f> + constant = 0, >= 0 or > 0, all decided by exact linear programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from flint import fmpq_mat

from msvm_ref.exact.lp import Infeasible, Program, UnboundedError
from msvm_ref.fisher.loss import Number, Vector, dot

CORNER_LIMIT = 6_000
"""Candidate systems beyond which corners are not enumerated."""


@dataclass(frozen=True)
class Constraint:
    """<normal, f> + constant  = 0, >= 0 or > 0"""

    normal: Vector
    constant: Number
    kind: str


@dataclass(frozen=True)
class Nothing:
    """Multipliers of the constraints that combine them into a contradiction."""

    multipliers: Vector


def inside(region: Sequence[Constraint], d: int, zero: Number) -> Vector | Nothing:
    """Scores that meet every constraint, the strict ones strictly: max delta <= 1 with strict ones >= delta."""
    one = zero + 1
    program = Program(zero, [True] * (d + 1))
    program.at_most({d: one}, one)
    order: list[tuple[bool, int]] = []
    for c in region:
        row = {m: -v for m, v in enumerate(c.normal) if v}
        if c.kind == "=":
            order.append((True, len(program.eq)))
            program.equal(row, c.constant)
        else:
            order.append((False, len(program.ub)))
            if c.kind == ">":
                row[d] = one
            program.at_most(row, c.constant)
    result = program.maximize({d: one})
    if not isinstance(result, Infeasible) and result.value > 0:
        return tuple(result.x[:d])
    return Nothing(tuple((result.y_eq if equal else result.y_ub)[i] for equal, i in order))


def above(high: int, low: int, d: int, zero: Number, kind: str = ">=") -> Constraint:
    """f_high >= f_low, or > where kind says so."""
    one = zero + 1
    return Constraint(
        tuple(one if m == high else -one if m == low else zero for m in range(d)), zero, kind
    )


def centred(d: int, zero: Number) -> Constraint:
    """sum f = 0"""
    return Constraint((zero + 1,) * d, zero, "=")


def extent(region: Sequence[Constraint], d: int, zero: Number) -> tuple[bool, bool]:
    """(a single point?, bounded?) of a non-empty closed region: push every score up and down as far as it goes."""
    program = Program(zero, [True] * d)
    for c in region:
        row = {m: -v for m, v in enumerate(c.normal) if v}
        (program.equal if c.kind == "=" else program.at_most)(row, c.constant)
    point = True
    for m in range(d):
        ends = []
        for sign in (zero + 1, zero - 1):
            try:
                result = program.maximize({m: sign})
            except UnboundedError:
                return False, False
            assert not isinstance(result, Infeasible)
            ends.append(sign * result.value)
        point = point and ends[0] == ends[1]
    return point, True


def corners(region: Sequence[Constraint], d: int) -> tuple[Vector, ...] | None:
    """All vertices of a closed rational region, sorted; None where there would be too many systems to solve."""
    equal = [c for c in region if c.kind == "="]
    faces = list({_scaled(c): c for c in region if c.kind != "="}.values())
    rank = _matrix(equal).rank() if equal else 0
    if comb(len(faces), d - rank) > CORNER_LIMIT:
        return None
    vertices = set()
    for chosen in combinations(faces, d - rank):
        rows = [*equal, *chosen]
        reduced, full = _augmented(rows).rref()
        if full != d or not all(reduced[i, i] == 1 for i in range(d)):
            continue
        f = tuple(reduced[i, d] for i in range(d))
        if all(dot(c.normal, f) + c.constant >= 0 for c in faces):
            vertices.add(f)
    return tuple(sorted(vertices, reverse=True))


def _scaled(c: Constraint) -> tuple[Number, ...]:
    lead = next((abs(v) for v in c.normal if v), abs(c.constant) or c.constant + 1)
    return (*(v / lead for v in c.normal), c.constant / lead)


def _matrix(rows: Sequence[Constraint]) -> fmpq_mat:
    return fmpq_mat([list(c.normal) for c in rows])


def _augmented(rows: Sequence[Constraint]) -> fmpq_mat:
    return fmpq_mat([[*c.normal, -c.constant] for c in rows])
