"""ZDO section 1.2.3: KPCA and Cholesky bases, their identities, and what is lost with fewer columns."""

from __future__ import annotations

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.model.representation import KINDS, Representation, error_by_rank
from tests.small_problems import blobs

X, _ = blobs(3, per_class=6)
NEW = np.random.default_rng(5).normal(size=(4, 3))
RBF, CROSS = mr.rbf(0.4)(X, X), mr.rbf(0.4)(NEW, X)
FULL = (
    mr.softmax.kpca(),
    mr.softmax.cholesky(),
    mr.softmax.incomplete_cholesky(),
    mr.softmax.leading_subset(len(X)),
)


@pytest.mark.parametrize("representation", FULL, ids=lambda r: r.kind)
def test_a_full_basis_is_orthonormal_and_reproduces_train_train_and_train_test_but_not_test_test(
    representation,
):
    basis = representation.of(RBF)
    inner = RBF[np.ix_(basis.points, basis.points)]
    np.testing.assert_allclose(basis.A.T @ inner @ basis.A, np.eye(basis.rank), atol=1e-8)
    np.testing.assert_allclose(basis.features @ basis.features.T, RBF, atol=1e-12)
    np.testing.assert_allclose(basis.project(RBF), basis.features, atol=1e-8)
    new = basis.project(CROSS)
    np.testing.assert_allclose(new @ basis.features.T, CROSS, atol=1e-8)
    lost = 1.0 - (new**2).sum(axis=1)
    assert (lost > 1e-3).all()
    assert basis.trace_error < 1e-13
    assert basis.rank == len(X)


def test_a_a_transpose_inverts_k():
    basis = mr.softmax.kpca().of(RBF)
    np.testing.assert_allclose(basis.A @ basis.A.T @ RBF, np.eye(len(X)), atol=1e-8)


def test_the_cholesky_inverse_needs_its_transpose():
    """Erratum E20: A = L^-T makes A'K A = I, A = L^-1 does not."""
    basis = mr.softmax.cholesky().of(RBF)
    L = np.linalg.cholesky(RBF)
    np.testing.assert_array_equal(basis.points, np.arange(len(X)))
    np.testing.assert_allclose(basis.A, np.linalg.inv(L).T, atol=1e-8)
    wrong = np.linalg.inv(L)
    assert abs(wrong.T @ RBF @ wrong - np.eye(len(X))).max() > 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_rank_deficient_grams_are_handled(kind):
    for K in (X @ X.T, np.ones((5, 5)), np.zeros((4, 4)), RBF[np.ix_([0, 0, 1, 1], [0, 0, 1, 1])]):
        basis = Representation(kind, len(K)).of(K)
        assert basis.rank == np.linalg.matrix_rank(K)
        np.testing.assert_allclose(basis.features @ basis.features.T, K, atol=1e-11)
        assert np.isfinite(basis.A).all()


def test_fewer_columns_lose_more_and_kpca_loses_least():
    ranks = (1, 2, 4, 8, 16)
    lost = {kind: [row["trace_error"] for row in error_by_rank(kind, RBF, ranks)] for kind in KINDS}
    for errors in lost.values():
        assert (np.diff(errors) < 0).all()
    for kind in KINDS[1:]:
        assert (np.array(lost["kpca"]) <= np.array(lost[kind]) + 1e-14).all()
    for kind in KINDS:
        for rank in ranks:
            basis = Representation(kind, rank).of(RBF)
            assert basis.rank == rank
            assert (
                np.linalg.eigvalsh(RBF - basis.features @ basis.features.T)[0] > -1e-12
            )  # a projection


def test_the_tolerance_is_kept():
    smooth = mr.rbf(0.02)(X, X)
    for kind in ("kpca", "incomplete-cholesky"):
        coarse, fine = (Representation(kind, tolerance=t).of(smooth) for t in (1e-1, 1e-3))
        assert coarse.rank < fine.rank < len(X)
    basis = mr.softmax.incomplete_cholesky(tolerance=0.01).of(RBF)
    assert (np.diag(RBF - basis.features @ basis.features.T) <= 0.01).all()


def test_a_leading_subset_uses_nothing_but_the_first_points():
    basis = mr.softmax.leading_subset(5).of(RBF)
    assert set(basis.points) <= set(range(5))
    np.testing.assert_allclose(basis.features @ basis.features[:5].T, RBF[:, :5], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_smooth_kernel_s_gram_is_taken_for_what_it_is(kind):
    """Singular to rounding, yet PSD: no kind refuses it, and kernels with new points come out right."""
    rng = np.random.default_rng(0)
    for n, p, gamma in ((200, 2, 0.5), (150, 1, 5.0), (100, 2, 0.01)):
        X, new = rng.normal(size=(n, p)), rng.normal(size=(20, p))
        kernel = mr.rbf(gamma)
        K = kernel(X, X)
        basis = Representation(kind).of(K)
        assert basis.entry_error < 1e-9
        assert abs(basis.project(kernel(new, X)) @ basis.features.T - kernel(new, X)).max() < 1e-6
        Representation(kind, n // 2).of(K)


def test_what_a_leading_subset_sees_beyond_its_points_must_be_psd_too():
    K = np.eye(4)
    K[3, 0] = K[0, 3] = 2.0
    with pytest.raises(mr.DataError, match="semi-definite"):
        Representation("leading-subset", 2).of(K)


def test_bad_input_is_refused():
    for arguments in (
        ("pca",),
        ("kpca", 0),
        ("kpca", 1.5),
        ("kpca", None, -0.1),
        ("kpca", None, 1.0),
        ("kpca", True),
    ):
        with pytest.raises(mr.DataError):
            Representation(*arguments)
    for kind in KINDS:
        assert (
            Representation(kind, 2.0).of(np.eye(3)).rank == 2
        )  # a whole number is one, whatever its type
        for K in (
            -np.eye(3),
            np.array([[1.0, 2.0], [2.0, 1.0]]),
            np.array([[1.0, 0.5], [0.4, 1.0]]),
            np.ones((2, 3)),
            np.full((3, 3), np.nan),
        ):
            with pytest.raises(mr.DataError):
                Representation(kind, 3).of(K)
