"""Problems are validated once, frozen, and say what is wrong."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import msvm_ref as mr
from tests.small_problems import blobs

X, Y = blobs(3)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"X": X[:, 0]}, mr.DataError, "X must have 2 axes"),
        ({"X": np.zeros((0, 2)), "y": []}, mr.DataError, "at least one row"),
        ({"X": X.astype(str)}, mr.DataError, "X must be numeric.*encode"),
        ({"X": [["a", 1.0]] * len(Y)}, mr.DataError, "X must be numeric"),
        ({"X": X.astype(complex)}, mr.DataError, "real"),
        ({"X": sparse.csr_array(X), "kernel": mr.rbf(1.0)}, mr.DataError, "dense.*toarray"),
        ({"X": sparse.csr_array(X * np.nan)}, mr.DataError, "finite"),
        ({"X": [[1.0], [1.0, 2.0]] + [[1.0]] * (len(Y) - 2)}, mr.DataError, "numpy refuses"),
        (
            {"X": np.where(np.arange(len(Y))[:, None] == 3, np.nan, X)},
            mr.DataError,
            r"X must be finite, got nan at \[3, 0\]",
        ),
        (
            {"X": np.where(np.arange(len(Y))[:, None] == 3, np.inf, X)},
            mr.DataError,
            "X must be finite, got inf",
        ),
        ({"y": Y[:-1]}, mr.DataError, "one label for each"),
        ({"y": Y[:, None]}, mr.DataError, "one axis"),
        ({"y": 3}, mr.DataError, "sequence of labels"),
        ({"y": "abc"}, mr.DataError, "sequence of labels"),
        ({"y": np.zeros(len(Y), int)}, mr.DataError, "at least 2 classes.*n_classes"),
        ({"y": [None, *Y[1:]]}, mr.DataError, "no missing labels"),
        ({"y": [float("nan"), *Y[1:]]}, mr.DataError, "no missing labels"),
        ({"y": [[1], *Y[1:]]}, mr.DataError, "hashable"),
        ({"n_classes": 2}, mr.DataError, "at least the 3 classes present"),
        ({"n_classes": 3.5}, mr.DataError, "integer"),
        ({"classes": [0, 1]}, mr.DataError, "only the declared classes"),
        ({"classes": [0, 1, 2, 2]}, mr.DataError, "distinct"),
        ({"C": 0.0}, mr.DataError, "C must be positive"),
        ({"C": -1.0}, mr.DataError, "C must be positive"),
        ({"C": np.nan}, mr.DataError, "C must be positive"),
        ({"C": "1"}, mr.DataError, "C must be positive"),
        ({"C": np.ones(3)}, mr.DataError, "weigh samples by sample_weight"),
        ({"bias": "yes"}, mr.DataError, "bias must be 'none', 'free' or 'penalized'"),
        ({"kernel": "rbf"}, mr.DataError, "kernel must be linear"),
        ({"kernel": lambda a, b: np.ones(3)}, mr.DataError, "return shape"),
        (
            {"kernel": lambda a, b: -a @ b.T},
            mr.DataError,
            "positive semi-definite.*smallest eigenvalue",
        ),
        ({"kernel": lambda a, b: np.full((len(a), len(b)), np.nan)}, mr.DataError, "finite"),
        ({"sample_weight": np.ones(2)}, mr.DataError, "sample_weight must have shape"),
        ({"sample_weight": -np.ones(len(Y))}, mr.DataError, "non-negative"),
        ({"sample_weight": np.full(len(Y), 1e300), "C": 1e300}, mr.DataError, "1e-100, 1e.100"),
        ({"machine": "WW"}, mr.SpecError, "machine must be a Machine"),
        ({"machine": mr.Machine("four", mr.OVA.at(4).nu, mr.SELF)}, mr.SpecError, "d = 3 classes"),
    ],
)
def test_bad_input_has_its_typed_error(change, error, message):
    good = {"machine": mr.WW, "X": X, "y": Y}
    with pytest.raises(error, match=message) as caught:
        mr.Problem(**(good | change))
    assert isinstance(caught.value, mr.MsvmError)
    assert isinstance(caught.value, ValueError)
    assert caught.value.name
    assert caught.value.expected
    assert pickle.loads(pickle.dumps(caught.value)).args == caught.value.args


@pytest.mark.parametrize(
    ("gram", "message"),
    [
        (np.ones((3, 2)), "square Gram"),
        (np.array([[1.0, 0.5, 0], [0.1, 1, 0], [0, 0, 1]]), "symmetric"),
        (np.diag([1.0, 1.0, -0.1]), "positive semi-definite"),
        (-np.eye(3), "positive semi-definite"),
        (np.array([[1.0, 2.0, 0], [2.0, 1.0, 0], [0, 0, 1]]), "smallest eigenvalue -1"),
    ],
)
def test_a_gram_that_is_none_is_refused(gram, message):
    with pytest.raises(mr.DataError, match=message):
        mr.Problem(mr.WW, gram, [0, 1, 2], kernel=mr.precomputed)


def test_a_gram_that_is_psd_to_rounding_is_accepted():
    gram = X @ X.T  # rank 3 of 15
    noisy = gram + 1e-15 * np.abs(gram).max() * np.sign(np.subtract.outer(Y, Y) + 0.5)
    problem = mr.Problem(mr.WW, (noisy + noisy.T) / 2, Y, kernel=mr.precomputed)
    assert problem.features.shape[1] < len(Y)
    assert problem.factor.residual < 1e-13 * np.abs(gram).max()


@pytest.mark.parametrize(
    "make",
    [
        lambda: mr.rbf(0),
        lambda: mr.rbf(-1.0),
        lambda: mr.rbf(float("nan")),
        lambda: mr.rbf("scale"),
        lambda: mr.polynomial(0),
        lambda: mr.polynomial(1.5),
        lambda: mr.polynomial(2, coef0=-1),
        lambda: mr.polynomial(2, gamma=0),
    ],
)
def test_kernel_parameters_are_checked(make):
    with pytest.raises(mr.DataError):
        make()


def test_labels_of_any_kind_are_mapped_and_mapped_back():
    for labels in (
        ["a", "b", "c"],
        [10, -5, 7],
        [(1, 2), (0, 3), (5, 5)],
        [1, "one", (1,)],
        [True, 2.5, 7],
    ):
        y = [labels[k] for k in Y]
        solution = mr.solve(mr.Problem(mr.WW, X, y, C=10.0))
        predicted = solution.predict(X)
        assert set(map(str, predicted)) <= set(map(str, solution.problem.classes))
        agreement = np.mean([a == b for a, b in zip(predicted.tolist(), y, strict=True)])
        assert agreement > 0.6


def test_absent_classes_are_allowed_when_declared():
    assert mr.Problem(mr.WW, X, Y, n_classes=5).classes == (0, 1, 2, 3, 4)
    assert mr.Problem(mr.WW, X, Y + 7, n_classes=4).classes[:3] == (7, 8, 9)
    assert "absent" in repr(mr.Problem(mr.WW, X, ["a"] * len(Y), n_classes=3).classes[2])
    named = mr.Problem(mr.WW, X, ["b"] * len(Y), classes=["a", "b"])
    assert named.classes == ("a", "b")
    assert set(named.y) == {1}


def test_a_problem_is_frozen_and_does_not_share_the_caller_s_arrays():
    mine = X.copy()
    problem = mr.Problem(mr.WW, mine, Y, sample_weight=np.ones(len(Y)))
    mine[:] = 0
    assert (problem.X == X).all()
    for array in (
        problem.X,
        problem.y,
        problem.costs,
        problem.sample_weight,
        problem.gram,
        problem.features,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError):
        problem.C = 2.0


def test_float32_fortran_and_read_only_input_are_the_same_problem():
    single = X.astype(np.float32)
    views = [single, np.asfortranarray(single), np.repeat(single, 2, axis=0)[::2]]
    views[0].setflags(write=False)
    values = [mr.solve(mr.Problem(mr.WW, view, Y)).certificate for view in views]
    assert max(v.lower for v in values) <= min(v.upper for v in values)


def test_with_c_shares_what_does_not_depend_on_c():
    problem = mr.Problem(mr.WW, X, Y, kernel=mr.rbf(1.0), sample_weight=np.arange(len(Y)))
    _ = problem.features
    other = problem.with_C(3.0)
    assert other.features is problem.features
    assert (other.costs == 3.0 * np.arange(len(Y))).all()
    assert problem.C == 1.0
    with pytest.raises(mr.DataError):
        problem.with_C(0)


def test_costs_below_are_the_largest_floats_below_the_product():
    """C w_i as a real number lies in [costs_below, the next float): what rounds up is taken back, nothing else."""
    rng = np.random.default_rng(7)
    weight = rng.random(200)
    problem = mr.Problem(mr.WW, np.ones((200, 1)), np.arange(200) % 2, C=0.7, sample_weight=weight)
    taken_back = 0
    for i, below in enumerate(problem.costs_below.tolist()):
        exact = Fraction(problem.C) * Fraction(float(weight[i]))
        assert problem.exact_cost(i) == exact
        assert Fraction(below) <= exact < Fraction(np.nextafter(below, np.inf).item())
        taken_back += below < problem.costs[i]
    assert 50 < taken_back < 150


def test_problems_survive_pickling():
    problem = pickle.loads(
        pickle.dumps(mr.Problem(mr.RM(0.25), X, Y, kernel=mr.rbf(1.0), bias="free"))
    )
    assert mr.solve(problem).certificate.optimal(1e-9)


def test_rbf_and_polynomial_are_their_formulas():
    a, b = X[:4], X[3:6]
    expected = np.exp(-0.3 * ((a[:, None] - b) ** 2).sum(axis=2))
    np.testing.assert_allclose(mr.rbf(0.3)(a, b), expected, rtol=1e-14)
    assert mr.rbf(0.3)(a, a).diagonal().tolist() == [1.0] * 4
    np.testing.assert_allclose(
        mr.polynomial(3, 0.5, 2.0)(a, b), (0.5 * a @ b.T + 2) ** 3, rtol=1e-13
    )


def test_sparse_rows_are_indexed_alike_whoever_made_them():
    """One kernel is compiled for both of scipy's index types; the caller's matrix stays as it is."""
    wide = sparse.csr_array(
        (np.ones(3), np.array([0, 2, 1], np.int64), np.array([0, 2, 3], np.int64)), shape=(2, 3)
    )
    rows = mr.Problem(mr.WW, wide, [0, 1]).X
    assert rows.indices.dtype == rows.indptr.dtype == np.int32
    assert wide.indices.dtype == np.int64
    np.testing.assert_array_equal(rows.toarray(), wide.toarray())
    assert not any(part.flags.writeable for part in (rows.data, rows.indices, rows.indptr))
