"""What both checkers read: the machine's loss as it is written, and rationals out of JSON. No prover's code."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from msvm_ref.errors import DataError, SpecError
from msvm_ref.foreign import rational, shown
from msvm_ref.model.machine import Machine

Vector = list[Fraction]
MOST_CLASSES = 16
"""Checked before nu[y,c,m] is written out and compared under every exchange of classes."""


class RawLoss:
    """nu, gamma and the slack groups, read afresh from the machine."""

    def __init__(self, machine: Machine, d: int) -> None:
        if not isinstance(machine, Machine):
            raise SpecError("machine", "be a Machine such as WW or RM(0.5)", shown(machine))
        if d > MOST_CLASSES:
            raise DataError(
                "d", f"be at most {MOST_CLASSES}", shown(d), "the prover ends long before"
            )
        if machine.cost != "linear":
            raise SpecError(
                "cost",
                "be 'linear'",
                repr(machine.cost),
                "proofs are about piecewise linear losses",
            )
        self.d, self.nu, self.gamma = d, machine.nu(d), machine.gamma(d)
        self.sum_to_zero = machine.sum_to_zero
        keep = machine.aggregation.components
        self.groups: list[list[list[int]]] = []
        for y in range(d):
            parts = [c for c in range(d) if keep == "all" or (keep == "self") == (c == y)]
            self.groups.append(
                [parts] if machine.aggregation.slack == "shared" else [[c] for c in parts]
            )

    def violation(self, y: int, c: int, f: Vector) -> Fraction:
        return Fraction(self.gamma[y][c]) - dot(self.nu[y][c], f)

    def losses(self, f: Vector) -> Vector:
        return [
            sum(
                (
                    max([Fraction(0), *(self.violation(y, c, f) for c in group)])
                    for group in self.groups[y]
                ),
                Fraction(0),
            )
            for y in range(self.d)
        ]

    def affine(self, y: int, c: int, other: int | None) -> tuple[Fraction, ...]:
        """Coefficients of t_c - t_other (or of t_c), the constant last."""
        mine = [*(-v for v in self.nu[y][c]), Fraction(self.gamma[y][c])]
        if other is not None:
            mine = [
                u - v
                for u, v in zip(
                    mine, [*(-v for v in self.nu[y][other]), self.gamma[y][other]], strict=True
                )
            ]
        return tuple(mine)


def treats_classes_alike(loss: RawLoss) -> bool:
    d = loss.d
    for i in range(1, d):
        swap = {0: i, i: 0}
        for y in range(d):
            for c in range(d):
                sy, sc = swap.get(y, y), swap.get(c, c)
                if loss.gamma[sy][sc] != loss.gamma[y][c]:
                    return False
                if any(loss.nu[sy][sc][swap.get(m, m)] != loss.nu[y][c][m] for m in range(d)):
                    return False
    return True


def dot(a: Any, b: Any) -> Fraction:
    return sum((u * v for u, v in zip(a, b, strict=True)), Fraction(0))


def field(data: Any, name: str, kind: type, what: str = "proof") -> Any:
    value = data.get(name) if isinstance(data, dict) else None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise DataError(what, f"have a field {name!r} of type {kind.__name__}", shown(value))
    return value


def number(value: Any, what: str = "proof") -> Fraction:
    return rational(value, f"a number of the {what}")


def vector(values: Any, length: int, what: str = "proof") -> Vector:
    if not isinstance(values, (list, tuple)) or len(values) != length:
        raise DataError(what, f"hold vectors of length {length} here", shown(values))
    return [number(v, what) for v in values]


def as_json(evidence: Any, what: str) -> dict[str, Any]:
    """The JSON form of a proof or counterexample, or of an object that has one."""
    data = evidence.to_dict() if hasattr(evidence, "to_dict") else evidence
    if not isinstance(data, dict):
        raise DataError(what, "be an object, or its JSON form", shown(evidence))
    return data
