"""One-vs-one classifiers such as SVC with three classes: each of the pairs as a two-class solver, and the vote."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np

from msvm_ref.conformance.adapters import Fitted, short_name
from msvm_ref.errors import DataError

PAIRS = tuple(itertools.combinations(range(3), 2))
PLACES = ("first", "second", "third")


class OneVsOnePair:
    """One pair out of a one-vs-one classifier of three classes; ``pair`` = 0, 1, 2 for (0, 1), (0, 2), (1, 2).

    A third class is put beside the two handed in, which become the pair's labels. The pair's row of coef_ must be that of
    the two-class problem, which the third class must not touch; and predict must be the vote of all three rows.
    """

    takes_labels = False
    takes = frozenset[str]()

    def __init__(self, estimator: Any, name: str | None = None, pair: int = 0) -> None:
        if pair not in (0, 1, 2):
            raise DataError("pair", "be 0, 1 or 2", repr(pair))
        self.estimator, self.pair = estimator, pair
        self.name = name or f"{short_name(estimator)} {PLACES[pair]} pair of three"

    def copy(self) -> OneVsOnePair:
        return OneVsOnePair(copy.deepcopy(self.estimator), self.name, self.pair)

    def fit(
        self, X: Any, y: Any, C: float, sample_weight: Any = None, classes: Any = None
    ) -> Fitted:
        data, labels = np.asarray(X), np.asarray(y)
        own = PAIRS[self.pair]
        third = np.vstack([data[:2] + 5, data[:1] - 7])
        rows = np.vstack([data, third])
        other = next(label for label in range(3) if label not in own)
        named = np.append(np.take(own, labels) if len(labels) else labels, [other] * 3)
        model = self.estimator.set_params(C=C).fit(rows, named)
        _must_vote(model, rows)
        # LIBSVM's row of a pair is positive for its first class
        w, b = -model.coef_[self.pair], -float(model.intercept_[self.pair])
        return Fitted((0, 1), W=np.column_stack([-w, w]), b=np.array([-b, b]))


def _must_vote(model: Any, rows: Any) -> None:
    """ValueError unless predict is the class with most votes, the first of them in a tie (LIBSVM's rule)."""
    scores = rows @ model.coef_.T + model.intercept_
    votes = np.zeros((len(rows), 3))
    for k, (first, second) in enumerate(PAIRS):
        votes[:, first] += scores[:, k] > 0
        votes[:, second] += scores[:, k] <= 0
    sure = abs(scores).min(axis=1) > 1e-9 * max(float(abs(scores).max()), 1e-300)
    wrong = np.flatnonzero(sure & (np.asarray(model.predict(rows)) != votes.argmax(axis=1)))
    if len(wrong):
        raise ValueError(f"predict is not the vote of its own pairs on row {wrong[0]}")
