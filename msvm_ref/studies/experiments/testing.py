"""Testing seconds as HL section V.B has them: k(x, x_i) of every support vector first, then all decision functions from these.

A support vector of several binary machines is evaluated once. Seconds are the least of three runs; ``value`` is the kernel's
share of them in percent. What is predicted and counted as right is what the trained machine says, not this shortened sum.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.solution import Solution
from msvm_ref.studies.experiments.fits import Binaries, Fit, MachinePath, Path, supporting
from msvm_ref.studies.experiments.study import DAG, ONE

RUNS = 3


@dataclass(frozen=True)
class Shortened:
    """The decision functions of one solution, on its support vectors alone."""

    rows: NDArray[np.int64]
    """Of the training part."""
    coefficients: Array
    b: Array

    @staticmethod
    def of(path: Path, rows: NDArray[np.int64], binary: bool) -> Shortened:
        solution = path.last
        assert isinstance(solution, Solution)
        chosen = supporting(solution)
        coefficients, b = solution.coef[chosen], solution.b
        if binary:
            coefficients, b = (coefficients[:, :1] - coefficients[:, 1:]) / 2, (b[:1] - b[1:]) / 2
        return Shortened(rows[chosen], coefficients, b)

    def scores(self, K: Array, places: NDArray[np.int64]) -> Array:
        return np.asarray(K[:, places] @ self.coefficients + self.b)


Combine = Callable[[Array], Any]


class PredictionPath:
    """A trainer whose fits tell the seconds of testing in the place of those of training."""

    def __init__(self, inner: MachinePath | Binaries) -> None:
        self.inner = inner

    @property
    def started(self) -> float | None:
        return self.inner.started

    def forget(self) -> None:
        self.inner.forget()

    def fit(self, C: float) -> Fit:
        told, fold = self.inner.fit(C), self.inner.fold
        used, combine = shortened(self.inner)
        support, runs = fold.X[used], []
        for _ in range(RUNS):
            start = time.thread_time()
            K = fold.kernel(fold.new, support)
            middle = time.thread_time()
            combine(K)
            runs.append((time.thread_time() - start, middle - start))
        seconds, kernel = min(runs)
        return replace(told, seconds=seconds, value=100 * kernel / seconds)


def shortened(trained: MachinePath | Binaries) -> tuple[NDArray[np.int64], Combine]:
    """Its support vectors, as rows of the training part, and what is predicted from k(x, x_i) of these."""
    if isinstance(trained, MachinePath):
        parts = [Shortened.of(trained.paths[0], np.arange(len(trained.fold.y)), False)]
    else:
        pairs = trained.paths.items()
        parts = [Shortened.of(path, trained.samples.rows(*sides), True) for sides, path in pairs]
    used = np.unique(np.concatenate([p.rows for p in parts]))
    return used, _combining(trained.fold.contender.machine, parts, used)


def _combining(machine: str, parts: list[Shortened], used: NDArray[np.int64]) -> Combine:
    """What is done with k(x, x_i): votes, the walk of the DAG, or the largest score."""
    places = [np.searchsorted(used, p.rows) for p in parts]
    if machine not in (ONE, DAG):
        return lambda K: np.hstack(
            [p.scores(K, at) for p, at in zip(parts, places, strict=True)]
        ).argmax(axis=1)
    k = round((1 + (1 + 8 * len(parts)) ** 0.5) / 2)  # classes, of k (k - 1) / 2 pairs
    pair = {ends: n for n, ends in enumerate(combinations(range(k), 2))}

    def votes(K: Array) -> Any:
        won = np.zeros((len(K), k), dtype=np.int64)
        for (i, j), n in pair.items():
            first = parts[n].scores(K, places[n])[:, 0] >= 0
            won[:, i] += first
            won[:, j] += ~first
        return won.argmax(axis=1)

    def walk(K: Array) -> Any:
        front, back = np.zeros(len(K), dtype=np.int64), np.full(len(K), k - 1)
        for step in range(k - 1):
            at = front.copy()
            for i in range(step + 1):
                here = np.flatnonzero(at == i)
                if here.size:
                    n = pair[i, i + k - 1 - step]
                    stays = parts[n].scores(K[here], places[n])[:, 0] >= 0
                    back[here[stays]] -= 1
                    front[here[~stays]] += 1
        return front

    return votes if machine == ONE else walk
