"""The pointwise loss as data: slack groups of affine violations.

    L_y(f) = sum over groups r of  max(0, max_{p in r} t_p(f)),     t_p(f) = gamma_p - <nu_p, f>
    R_P(f) = sum_y P_y L_y(f)                                        (the pointwise risk, UV section 3.1)

f ranges over R^d, or over {sum f = 0} where the machine says so. R_P is convex, piecewise linear and non-negative, so
it attains its minimum for every P; the set of minimisers is a polyhedron, possibly unbounded.
Numbers live in any ordered field; catalogue work uses ``flint.fmpq``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from msvm_ref.errors import SpecError
from msvm_ref.exact.numbers import rational
from msvm_ref.model.machine import Aggregation, Machine

Number = Any
Vector = tuple[Number, ...]


@dataclass(frozen=True)
class Component:
    """One violation t(f) = gamma - <nu, f>; ``c`` is its class index in the machine's arrays."""

    c: int
    gamma: Number
    nu: Vector

    def at(self, f: Sequence[Number]) -> Number:
        return self.gamma - dot(self.nu, f)


Group = tuple[Component, ...]


@dataclass(frozen=True)
class PointLoss:
    """groups[y] are the slack groups of class y; ``shifts``: adding a constant to f changes no violation."""

    d: int
    groups: tuple[tuple[Group, ...], ...]
    sum_to_zero: bool
    zero: Number

    @property
    def shifts(self) -> bool:
        return all(
            sum(p.nu, self.zero) == 0 for groups in self.groups for group in groups for p in group
        )

    @property
    def pinned(self) -> bool:
        """Do we look for f in {sum f = 0}: as the machine demands, or because constants do not matter?"""
        return self.sum_to_zero or self.shifts

    def losses(self, f: Sequence[Number]) -> list[Number]:
        return [
            sum((slack(group, f, self.zero) for group in groups), self.zero)
            for groups in self.groups
        ]

    def risk(self, P: Sequence[Number], f: Sequence[Number]) -> Number:
        return dot(P, self.losses(f))


def slack(group: Group, f: Sequence[Number], zero: Number) -> Number:
    """max(0, max_p t_p(f))"""
    return max([zero, *(p.at(f) for p in group)])


def dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    total = a[0] * b[0]
    for u, v in zip(a[1:], b[1:], strict=True):
        if u and v:
            total = total + u * v
    return total


def point_loss(machine: Machine, d: int) -> PointLoss:
    """The machine's loss at d classes; linear (hinge) cost only, since the squared one is not piecewise linear."""
    if machine.cost != "linear":
        raise SpecError(
            "cost",
            "be 'linear' for exact analysis of the pointwise risk",
            repr(machine.cost),
            "a squared hinge is not piecewise linear; minimize_risk solves it numerically",
        )
    nu = [[[rational(v) for v in row] for row in plane] for plane in machine.nu(d)]
    gamma = [[rational(v) for v in row] for row in machine.gamma(d)]
    return assemble(nu, gamma, machine.aggregation, machine.sum_to_zero, fmpq(0))


def assemble(
    nu: Any, gamma: Any, aggregation: Aggregation, sum_to_zero: bool, zero: Number
) -> PointLoss:
    d = len(gamma)
    counts = aggregation.mask(d)
    groups = []
    for y in range(d):
        parts = [Component(c, gamma[y][c], tuple(nu[y][c])) for c in range(d) if counts[y, c]]
        groups.append(
            (tuple(parts),) if aggregation.slack == "shared" else tuple((p,) for p in parts)
        )
    return PointLoss(d, tuple(groups), sum_to_zero, zero)


def is_symmetric(machine: Machine, d: int) -> bool:
    """Do all permutations of the classes leave the machine as it is? Neighbouring swaps generate them all."""
    nu, gamma = machine.nu(d), machine.gamma(d)
    for i in range(d - 1):
        s = [*range(d)]
        s[i], s[i + 1] = s[i + 1], s[i]
        for y in range(d):
            for c in range(d):
                if gamma[s[y]][s[c]] != gamma[y][c] or any(
                    nu[s[y]][s[c]][s[m]] != nu[y][c][m] for m in range(d)
                ):
                    return False
    return True
