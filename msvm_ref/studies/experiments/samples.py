"""The examples of a cell: which rows train and which test, and how they are scaled. All from the seed, nothing from the clock.

splits    repetition r: the first ``train`` rows of permutation (seed, 0, r) train, the others test
folds     of the part parameters are chosen on: place i of permutation (seed, 1, r) belongs to fold i mod k
holdout   of that part: the first 70 % of permutation (seed, 1, r) train, the others test
official  the literature's own training and test part
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from msvm_ref.datasets import load
from msvm_ref.model.arrays import Array
from msvm_ref.studies.experiments.study import Scaling, Source

Rows = NDArray[np.int64]
Kind = Literal["split", "folds", "holdout", "official"]
SPLITS, FOLDS = 0, 1
ALL = -1
"""The fold of a cell that is a split, a holdout or the official test."""


SHARE = 0.7
"""Of a holdout that trains (HL, section V)."""


@dataclass(frozen=True)
class Draw:
    """One repetition of splitting or of folding."""

    source: Source
    seed: int
    repetition: int
    kind: Kind
    folds: int
    """How many, where it is folds; else 1."""
    train_at_most: int
    test_at_most: int
    scaling: Scaling


@dataclass(frozen=True, eq=False)
class Sample:
    """The scaled examples of a draw, and who trains and tests in each of its folds."""

    X: Array
    y: NDArray[np.int64]
    classes: int
    parts: dict[int, tuple[Rows, Rows]]
    """Fold -> rows that train, rows that test."""


@dataclass(frozen=True)
class Defaults:
    """What a relative sigma and C are relative to: a default sigma from the distances, a default C from the kernel values.

        sigma = median over pairs i < j of ||x_i - x_j||,     C = 1 / (mean_i k(x_i, x_i) - mean_ij k(x_i, x_j))

    ZDO section 1.3.1 takes both from Chapelle and Zien (AISTATS 2005): the median of the distances, and one over the
    variance of the examples in feature space. Over the draw's training rows; for folds over all of them.
    """

    squares: Array
    """||x_i - x_j||^2 of the pairs."""
    rows: int

    @property
    def sigma(self) -> float:
        return float(np.median(np.sqrt(self.squares)))

    def gamma(self, factor: float) -> float:
        """Of exp(-gamma ||x - x'||^2) at ``factor`` times the default sigma."""
        return 1 / (2 * (factor * self.sigma) ** 2)

    def C(self, gamma: float) -> float:
        total = self.rows + 2 * float(np.exp(-gamma * self.squares).sum())
        return 1 / (1 - total / self.rows**2)


def defaults(drawn: Sample) -> Defaults:
    rows = np.unique(np.concatenate([train for train, _ in drawn.parts.values()]))
    return Defaults(pdist(drawn.X[rows], "sqeuclidean"), len(rows))


def split(source: Source, seed: int, repetition: int) -> tuple[Rows, Rows]:
    order = np.random.default_rng([seed, SPLITS, repetition]).permutation(source.rows)
    return order[: source.train], order[source.train :]


def chosen_on(source: Source, seed: int) -> Rows:
    """The rows on which parameters are chosen."""
    return np.arange(source.train) if source.official else split(source, seed, 0)[0]


def folded(count: int, folds: int, seed: int, repetition: int) -> NDArray[np.int64]:
    """The fold of each of ``count`` examples."""
    order = np.random.default_rng([seed, FOLDS, repetition]).permutation(count)
    number = np.empty(count, dtype=np.int64)
    number[order] = np.arange(count) % folds
    return number


@lru_cache(maxsize=4)
def sample(draw: Draw, folder: str | None) -> Sample:
    X, y, classes = _table(draw.source, folder)
    if draw.kind in ("folds", "holdout"):
        rows = _cut(chosen_on(draw.source, draw.seed), draw.train_at_most, draw)
        if draw.kind == "holdout":
            order = np.random.default_rng([draw.seed, FOLDS, draw.repetition]).permutation(
                len(rows)
            )
            first = round(SHARE * len(rows))
            halves = {ALL: (order[:first], order[first:])}
            return Sample(scaled(X[rows], X[rows], draw.scaling), y[rows], classes, halves)
        fold = folded(len(rows), draw.folds, draw.seed, draw.repetition)
        parts = {
            k: (np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(draw.folds)
        }
        return Sample(scaled(X[rows], X[rows], draw.scaling), y[rows], classes, parts)
    if draw.kind == "official":
        train, test = np.arange(draw.source.train), np.arange(draw.source.train, draw.source.rows)
        train, test = _cut(train, draw.train_at_most, draw), _cut(test, draw.test_at_most, draw)
    else:
        train, test = split(draw.source, draw.seed, draw.repetition)
    train, test = train[: draw.train_at_most], test[: draw.test_at_most]
    rows = np.concatenate([train, test])
    places = np.arange(len(rows))
    parts = {ALL: (places[: len(train)], places[len(train) :])}
    return Sample(scaled(X[rows], X[train], draw.scaling), y[rows], classes, parts)


def scaled(X: Array, train: Array, scaling: Scaling) -> Array:
    """x / std, or 2 (x - min) / (max - min) - 1, with the statistics of ``train``; what is constant there is left as it is."""
    if scaling == "unit-variance":
        deviation = train.std(axis=0)
        return np.asarray(X / np.where(deviation > 0, deviation, 1.0))
    low, high = train.min(axis=0), train.max(axis=0)
    return np.asarray(
        np.where(high > low, 2 * (X - low) / np.where(high > low, high - low, 1.0) - 1, X)
    )


def _cut(rows: Rows, most: int, draw: Draw) -> Rows:
    """At most so many rows, drawn where the official order could be one of classes."""
    if len(rows) <= most:
        return rows
    order = np.random.default_rng([draw.seed, FOLDS]).permutation(len(rows))
    return rows[order[:most]]


@lru_cache(maxsize=2)
def _table(source: Source, folder: str | None) -> tuple[Array, NDArray[np.int64], int]:
    data = load(source.table, folder)
    return data.X[: source.rows], data.y[: source.rows], int(data.y.max()) + 1
