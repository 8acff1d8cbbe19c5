"""Masked entries are no numbers: wherever arrays come in, they are refused, and what is fully there is taken."""

from __future__ import annotations

import numpy as np
import pytest

import msvm_ref as mr
from tests.small_problems import blobs

X, Y = blobs(3)
HOLE = np.ma.array(X, mask=np.zeros(X.shape, dtype=bool))
HOLE[1, 1] = np.ma.masked
WHOLE = np.ma.array(X)


def hidden(values):
    """The values with their first entry masked."""
    array = np.ma.array(values, dtype=float)
    array[(0,) * array.ndim] = np.ma.masked
    return array


@pytest.mark.parametrize(
    "use",
    [
        lambda: mr.Problem(mr.WW, HOLE, Y),
        lambda: mr.Problem(mr.WW, list(HOLE), Y),
        lambda: mr.Problem(mr.WW, X, np.ma.array(Y, mask=Y == 1)),
        lambda: mr.Problem(mr.WW, X, Y, sample_weight=hidden(np.ones(len(Y)))),
        lambda: mr.certify(mr.Problem(mr.WW, X, Y), W=hidden(np.zeros((X.shape[1], 3)))),
        lambda: mr.certify(mr.Problem(mr.WW, X, Y), alpha=hidden(np.zeros((len(Y), 3)))),
        lambda: mr.Machine("mine", hidden(mr.OVA.at(3).nu), mr.TOTAL_SUM),
        lambda: mr.Machine("mine", mr.ABSOLUTE, mr.TOTAL_SUM, hidden(np.ones((3, 3)))),
        lambda: mr.MulticlassSVC().fit(HOLE, Y),
        lambda: mr.MulticlassSVC().fit(X, Y).predict(HOLE),
        lambda: mr.conventions.HL4.pose(HOLE, Y, 1.0),
        lambda: mr.conventions.HL4.pose(X, Y, 1.0).ours(W=hidden(np.zeros((X.shape[1], 3)))),
    ],
)
def test_masked_entries_are_refused(use):
    with pytest.raises(mr.MsvmError, match=r"masked|missing"):
        use()


def test_a_masked_array_with_nothing_masked_is_an_array():
    problem = mr.Problem(mr.WW, WHOLE, Y)
    assert type(problem.X) is np.ndarray
    assert np.array_equal(problem.X, X)
