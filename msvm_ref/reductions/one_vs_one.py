"""One-against-one with max-wins voting (HL section II, (3); Friedman 1996).

    h_jk, j < k: the binary machine of classes j (+1) and k (-1)
    votes_j(x) = #{k > j : h_jk(x) >= 0} + #{k < j : h_kj(x) < 0}

The class with the most votes wins; HL give ties to the smaller index, and so do we (also h = 0, to the smaller of the pair).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.model.cost import Cost
from msvm_ref.model.kernels import Kernel, KernelFunction, linear
from msvm_ref.model.problem import Bias
from msvm_ref.reductions.binary import BinarySVM, Codes, Solve, train
from msvm_ref.reductions.samples import Samples
from msvm_ref.solvers.methods import solve as by_default

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class OneVsOne:
    """d (d - 1) / 2 binary machines."""

    samples: Samples
    """The data."""
    machines: Mapping[Pair, BinarySVM]
    """[j, k], j < k, separates class j from class k."""

    @property
    def parts(self) -> tuple[BinarySVM, ...]:
        return tuple(self.machines.values())

    def pair_scores(self, X: Any) -> dict[Pair, Array]:
        """h_jk(x) of every pair."""
        new = self.samples.new_points(X)
        return {pair: machine.score(new) for pair, machine in self.machines.items()}

    def votes(self, X: Any) -> Codes:
        """(n x d) how many pairs each class wins."""
        return count_votes(self.pair_scores(X), self.samples.n_classes)

    def vote_margin(self, X: Any) -> Codes:
        """Votes of the winner minus votes of the runner-up; 0 where the smaller index decided."""
        ordered = np.sort(self.votes(X), axis=1)
        return ordered[:, -1] - ordered[:, -2]

    def predict_codes(self, X: Any) -> Codes:
        return np.asarray(self.votes(X).argmax(axis=1))


def count_votes(scores: Mapping[Pair, Array], d: int) -> Codes:
    n = len(next(iter(scores.values())))
    votes = np.zeros((n, d), dtype=np.int64)
    for (j, k), h in scores.items():
        votes[:, j] += h >= 0
        votes[:, k] += h < 0
    return votes


def condorcet_winners(scores: Mapping[Pair, Array], d: int) -> NDArray[np.int64]:
    """The class that beats every other one at x, or -1 where there is none."""
    votes = count_votes(scores, d)
    return np.where(votes.max(axis=1) == d - 1, votes.argmax(axis=1), -1)


def one_vs_one(
    X: Any,
    y: Any,
    C: float = 1.0,
    kernel: Kernel | KernelFunction = linear,
    bias: Bias = "free",
    cost: Cost = "linear",
    sample_weight: Any = None,
    classes: Sequence[Hashable] | None = None,
    solve: Solve = by_default,
) -> OneVsOne:
    """Train d(d-1)/2 certified binary machines; ``solve`` takes a Problem and returns a certified Solution."""
    samples = Samples.of(X, y, C, kernel, bias, cost, sample_weight, classes)
    return OneVsOne(samples, pair_machines(samples, solve))


def pair_machines(samples: Samples, solve: Solve) -> dict[Pair, BinarySVM]:
    return {
        (j, k): train(samples, (j,), (k,), solve)
        for j, k in combinations(range(samples.n_classes), 2)
    }
