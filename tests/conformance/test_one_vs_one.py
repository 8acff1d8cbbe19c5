"""Every pair of a one-vs-one classifier, and the vote."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from msvm_ref.conformance import OneVsOnePair, check_solver
from msvm_ref.errors import DataError

NAMES = ("check_optimality", "check_C")


def statuses(estimator, pair):
    solver = OneVsOnePair(estimator, pair=pair)
    return [
        r.status
        for r in check_solver(solver, None, "libsvm", checks=NAMES, tolerance=1e-4, diagnose=False)
    ]


class Mutant(SVC):
    """SVC whose row ``bad`` of coef_ is off (and its vote with it)."""

    bad = 0

    @property
    def coef_(self):
        rows = np.array(super().coef_)
        rows[self.bad] *= 1.2
        return rows


class Mislabelled(SVC):
    def predict(self, X):
        return (super().predict(X) + 1) % 3


@pytest.mark.parametrize("pair", range(3))
def test_every_pair_is_judged(pair):
    assert statuses(SVC(kernel="linear", tol=1e-8), pair) == ["passed", "passed"]


@pytest.mark.parametrize("pair", range(3))
def test_a_pair_that_is_off_fails_there(pair):
    bad = Mutant(kernel="linear", tol=1e-8)
    bad.bad = pair
    assert "failed" in statuses(bad, pair)


def test_a_wrong_vote_fails():
    assert statuses(Mislabelled(kernel="linear", tol=1e-8), 1) == ["failed", "failed"]


def test_there_are_three_pairs():
    with pytest.raises(DataError, match="pair"):
        OneVsOnePair(SVC(), pair=3)
