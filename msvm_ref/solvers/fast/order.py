"""The order of the visits: some passes over the same examples, each shuffled on its own.

Fisher and Yates, with the upper half of x times an odd constant for its numbers, x stepped by shifts (xorshift64*, Vigna
2016). A pass over a hundred examples takes some microseconds, and numpy's shuffle would take as much again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.solvers.fast.lean import lean

SHIFTS = np.uint64(12), np.uint64(25), np.uint64(27)
HALF, ODD = np.uint64(32), np.uint64(2685821657736338717)


@lean()
def shuffle(x: Any, orders: Any) -> Any:
    """Each row of ``orders`` in place; the next x (not 0)."""
    for row in range(len(orders)):
        for last in range(orders.shape[1] - 1, 0, -1):
            x ^= x >> SHIFTS[0]
            x ^= x << SHIFTS[1]
            x ^= x >> SHIFTS[2]
            at = ((x * ODD >> HALF) * np.uint64(last + 1)) >> HALF
            orders[row, last], orders[row, at] = orders[row, at], orders[row, last]
    return x


class Orders:
    """The same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.x = np.random.default_rng(seed).integers(1, 2**63, dtype=np.uint64)

    def passes(self, examples: NDArray[np.int64], times: int) -> NDArray[np.int64]:
        """``times`` passes over the examples, one after the other."""
        orders = np.empty((times, len(examples)), dtype=np.int64)
        orders[:] = examples
        self.x = np.uint64(shuffle(self.x, orders))
        return orders.ravel()
