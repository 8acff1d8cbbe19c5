"""DAGSVM as a deque (Platt, Cristianini, Shawe-Taylor 2000; NP section 1): pairs as in one-against-one, d - 1 per point.

Put the classes in a deque; ask the machine of its first and last class and pop the loser; what is left after d - 1
questions is predicted. A class that beats every other one is never popped, so where there is a Condorcet winner it is
returned whatever the order; elsewhere the answer depends on the order.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.reductions.binary import Codes
from msvm_ref.reductions.one_vs_one import OneVsOne


@dataclass(frozen=True, eq=False)
class DagWalk:
    """Where each point went."""

    asked: NDArray[np.int64]
    """[i, t]: the pair (front, back) asked at step t."""
    won: NDArray[np.int64]
    """[i, t]: who stayed."""
    evaluations: int
    """How many decision values it took."""

    @property
    def codes(self) -> Codes:
        return self.won[:, -1]


@dataclass(frozen=True, eq=False)
class Dag:
    """A DAG over the machines of one-against-one."""

    pairs: OneVsOne
    """Those machines."""
    order: tuple[int, ...]
    """The deque: a permutation of the class indices."""

    def walk(self, X: Any) -> DagWalk:
        """All points at once: those that ask the same pair share one evaluation of that machine's scores."""
        new = self.pairs.samples.new_points(X)
        n, d = new.shape[0], len(self.order)
        front, back = np.zeros(n, dtype=np.int64), np.full(n, d - 1)
        order = np.array(self.order)
        asked, won = np.empty((n, d - 1, 2), dtype=np.int64), np.empty((n, d - 1), dtype=np.int64)
        evaluations = 0
        for step in range(d - 1):
            asked[:, step] = np.column_stack([order[front], order[back]])
            start = front.copy()
            for first in range(
                step + 1
            ):  # after `step` answers the deque is order[first : first + d - step]
                here = np.flatnonzero(start == first)
                if not here.size:
                    continue
                a, b = order[first], order[first + d - 1 - step]
                stays = self._prefers(int(a), int(b), new[here])
                evaluations += here.size
                won[here, step] = np.where(stays, a, b)
                back[here[stays]] -= 1
                front[here[~stays]] += 1
        return DagWalk(asked, won, evaluations)

    def predict_codes(self, X: Any) -> Codes:
        return self.walk(X).codes

    def _prefers(self, a: int, b: int, new: Array) -> NDArray[np.bool_]:
        """Does the pair's machine speak for a? h = 0 speaks for the smaller index, as in one-against-one."""
        h = self.pairs.machines[min(a, b), max(a, b)].score(new)
        return h >= 0 if a < b else h < 0


def dag(pairs: OneVsOne, order: Sequence[Hashable] | None = None) -> Dag:
    """The DAG over trained pairs; ``order`` lists the class labels front to back (default: as they are sorted)."""
    if not isinstance(pairs, OneVsOne):
        raise DataError("pairs", "be what one_vs_one returns", type(pairs).__name__)
    classes = pairs.samples.classes
    return Dag(pairs, places(classes if order is None else order, classes))


def places(order: Any, classes: Sequence[Hashable]) -> tuple[int, ...]:
    """The index of each class as ``order`` lists them; a DataError where it does not list each of them once."""
    try:
        labels = [] if isinstance(order, (set, frozenset)) else list(order)
        good = len(labels) == len(classes) and set(labels) == set(classes)
    except TypeError:  # no sequence, or of what no label can be
        good = False
    if not good:
        raise DataError("order", f"be a permutation of the classes {list(classes)!r}", repr(order))
    return tuple(classes.index(label) for label in labels)
