"""Several threads: the same numbers in the same order, errors where they belong, and no pool left behind."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.errors import DataError
from msvm_ref.threads import each, workers

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(700, 4)), np.arange(700) % 3


@pytest.mark.parametrize("kernel", [mr.rbf(0.3), mr.polynomial(2)], ids=str)
@pytest.mark.parametrize("method", ["fast", "auto"])
def test_two_threads_find_what_one_finds(kernel, method):
    problem = mr.Problem(mr.CS, X, Y, kernel=kernel)
    one, two = (
        mr.solve(problem, method, tolerance=1e-5, n_jobs=n, max_seconds=60.0) for n in (1, 2)
    )
    assert np.array_equal(one.alpha, two.alpha)
    assert one.certificate == two.certificate
    path = mr.solve_path(problem, [1.0], method, tolerance=1e-5, n_jobs=2, max_seconds=60.0)
    assert np.array_equal(path[0].alpha, one.alpha)


def test_the_estimator_hands_it_on():
    one, two = (mr.MulticlassSVC("CS", n_jobs=n, tol=1e-4).fit(X, Y) for n in (None, 2))
    assert np.array_equal(one.dual_coef_, two.dual_coef_)
    with pytest.raises(DataError, match="n_jobs"):
        mr.MulticlassSVC("CS", n_jobs=0).fit(X, Y)


@pytest.mark.parametrize("wrong", [0, -2, 1.5, "2", True, None])
def test_a_number_of_threads_is_one(wrong):
    with pytest.raises(DataError, match="n_jobs"):
        mr.solve(mr.Problem(mr.CS, X[:9], Y[:9]), n_jobs=wrong)


def test_in_their_order_and_in_the_callers_context():
    def slow(k: int) -> tuple[int, bool]:
        for _ in range(1000 * (9 - k)):
            pass
        return k, bool(np.isinf(np.float64(1e308) * 10))

    with workers(3), np.errstate(over="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(each(slow, range(10))) == [(k, True) for k in range(10)]
    with workers(-1):
        assert list(each(abs, [-1, 2, -3])) == [1, 2, 3]


def test_an_error_is_raised_and_the_threads_end():
    before = threading.active_count()
    with workers(2), pytest.raises(ZeroDivisionError):
        list(each(lambda k: 1 // k, [2, 1, 0, 3]))
    assert threading.active_count() == before
