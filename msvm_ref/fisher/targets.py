"""Discrete losses that one may want to be consistent for: a loss matrix (reports x classes), given or by name.

0-1             d reports, the class:                    [r != y]
abstain(t)      0-1, and one report more at price t      (Ramaswamy, Tewari, Agarwal 2018)
top-k           sets S of k classes:                     [y not in S]
least           the least likely class:                  [r = y]
absolute        the class, on a scale (ordinal):         |r - y|
hierarchical    the class, in the balanced binary tree over 1 ... d: levels up to the first common node
partitions      ordered partitions of the classes        (Wang, Scott 2020; ordered_partitions.py)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.fisher.cells import orbit_size
from msvm_ref.fisher.ordered_partitions import ordered_partitions, partition_losses
from msvm_ref.foreign import rational

Rationals = tuple[Fraction, ...]
MOST_REPORTS = 60_000
MOST_PARTITIONED = 6
"""There are 4682 ordered partitions of 6 classes, and 47292 of 7."""


@dataclass(frozen=True)
class DiscreteTarget:
    """``losses[r][y]``: what report r costs when the class is y; ``labels``: what each report says."""

    name: str
    losses: tuple[Rationals, ...]
    labels: tuple[str, ...]

    @property
    def d(self) -> int:
        return len(self.losses[0])

    @cached_property
    def symmetric(self) -> bool:
        """Do permutations of the classes only reorder the reports?"""
        rows = set(self.losses)
        orbits = {tuple(sorted(row)) for row in rows}
        return sum(orbit_size(row) for row in orbits) == len(rows)


def discrete_target(target: Any, d: int) -> DiscreteTarget:
    """A target for d classes from its name, such as "0-1", "abstain(1/2)" or "top-2", or from its loss matrix."""
    if isinstance(target, DiscreteTarget):
        discrete = target
    elif isinstance(target, str):
        discrete = _named(target.strip().lower(), target, d)
    else:
        discrete = _given(target)
    if discrete.d != d:
        raise DataError(
            "target",
            f"have one column for each of the {d} classes",
            f"{discrete.d}",
            "rows are reports, columns are classes",
        )
    return discrete


def _named(name: str, typed: str, d: int) -> DiscreteTarget:
    head, _, rest = name.partition("(")
    if head == "abstain" and rest.endswith(")"):
        return _abstain(typed, rest[:-1], d)
    if name.startswith("top-"):
        return _top(typed, name[4:], d)
    if name not in PLAIN:
        names = ", ".join([*PLAIN, "abstain(1/2)", "top-2"])
        raise DataError("target", f"be one of {names}, or a loss matrix", repr(typed))
    rows, labels = PLAIN[name](d)
    return DiscreteTarget(name, _exact(rows), tuple(labels))


def _abstain(typed: str, text: str, d: int) -> DiscreteTarget:
    price = _rational(text.strip(), "the price of abstaining")
    if not 0 <= price <= 1:
        raise DataError(
            "target", "abstain at a price from 0 to 1, the price of an error", repr(typed)
        )
    rows, labels = _zero_one(d)
    return DiscreteTarget(f"abstain({price})", _exact([*rows, [price] * d]), (*labels, "abstain"))


def _top(typed: str, text: str, d: int) -> DiscreteTarget:
    if not (text.isdecimal() and len(text) < 4 and 1 <= int(text) < d):
        raise DataError("target", f"be top-1 to top-{d - 1} at {d} classes", repr(typed))
    sets = list(combinations(range(d), int(text)))
    rows = [[int(y not in chosen) for y in range(d)] for chosen in sets]
    return DiscreteTarget(f"top-{int(text)}", _exact(rows), tuple(map(_classes, sets)))


Plain = tuple[list[list[Any]], list[str]]


def _zero_one(d: int) -> Plain:
    return [[int(y != r) for y in range(d)] for r in range(d)], _numbers(d)


def _least(d: int) -> Plain:
    return [[int(y == r) for y in range(d)] for r in range(d)], [f"not {r + 1}" for r in range(d)]


def _absolute(d: int) -> Plain:
    return [[abs(y - r) for y in range(d)] for r in range(d)], _numbers(d)


def _hierarchical(d: int) -> Plain:
    def levels(low: int, high: int) -> dict[tuple[int, int], int]:
        """Pairs of classes in low ... high - 1, and the height of the node at which they part."""
        if high - low < 2:
            return {}
        middle = (low + high + 1) // 2
        below = levels(low, middle) | levels(middle, high)
        height = math.ceil(math.log2(high - low))
        return below | {(a, b): height for a in range(low, middle) for b in range(middle, high)}

    parting = levels(0, d)
    return [[parting.get((min(r, y), max(r, y)), 0) for y in range(d)] for r in range(d)], _numbers(
        d
    )


def _partitions(d: int) -> Plain:
    if d > MOST_PARTITIONED:
        raise DataError(
            "target", f"have at most {MOST_PARTITIONED} classes for ordered partitions", str(d)
        )
    partitions = list(ordered_partitions(d))
    return (
        [list(partition_losses(p)) for p in partitions],
        [" > ".join(_classes(block) for block in p) for p in partitions],
    )


PLAIN: dict[str, Callable[[int], Plain]] = {
    "0-1": _zero_one,
    "least": _least,
    "absolute": _absolute,
    "hierarchical": _hierarchical,
    "partitions": _partitions,
}
STANDARD = (
    "0-1",
    "abstain(1/2)",
    "abstain(1/d)",
    "top-2",
    "least",
    "absolute",
    "hierarchical",
    "partitions",
)
"""The targets of the table; abstain(1/d) is the one at that d, top-2 is asked from d = 3 on, partitions up to 6."""


def standard_targets(d: int) -> list[DiscreteTarget]:
    """The targets of STANDARD at d classes, each once."""
    asked = {"top-2": d > 2, "partitions": d <= MOST_PARTITIONED}
    names = [name.replace("1/d", f"1/{d}") for name in STANDARD if asked.get(name, True)]
    return [discrete_target(name, d) for name in dict.fromkeys(names)]


def _numbers(d: int) -> list[str]:
    return [str(r + 1) for r in range(d)]


def _classes(chosen: Sequence[int]) -> str:
    return "{" + ", ".join(str(c + 1) for c in chosen) + "}"


def _exact(rows: Sequence[Sequence[Any]]) -> tuple[Rationals, ...]:
    return tuple(tuple(Fraction(v) for v in row) for row in rows)


def _given(target: Any) -> DiscreteTarget:
    try:
        raw = np.asarray(target, dtype=object)
    except ValueError as error:
        raise DataError(
            "target", "be a matrix: rows are reports, columns are classes", str(error)
        ) from error
    if raw.ndim != 2 or raw.shape[0] < 1 or raw.shape[1] < 2 or raw.shape[0] > MOST_REPORTS:
        raise DataError(
            "target",
            f"be a matrix of 1 to {MOST_REPORTS} reports (rows) by 2 or more classes (columns)",
            f"shape {raw.shape}",
        )
    rows = tuple(tuple(_rational(v, "target") for v in row) for row in raw)
    return DiscreteTarget("given", rows, tuple(f"report {r + 1}" for r in range(len(rows))))


def _rational(value: Any, name: str) -> Fraction:
    """Fractions, ints, strings such as '2/5'; a float means the shortest decimal that prints as it does."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and math.isfinite(value):
        value = repr(value)
    return rational(value, name)
