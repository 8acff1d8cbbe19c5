"""Orthonormal bases of the span of the data in feature space: KPCA, Cholesky, incomplete Cholesky, a leading subset.

    u_i = sum_k A_ki phi(x_k),   A'K A = I,      x~_i = u_i'phi(x) = sum_k A_ki k(x_k, x)          (ZDO section 1.2.3, (1.3))

KPCA: K = V Lambda V', A = V Lambda^-1/2.  Cholesky: K = L L', A = L^-T (the paper's inverse of the Cholesky factor needs the
transpose: A'K A = I fails for L^-1, docs/mathematics.md, E20). A full basis reproduces K between training points and
between training and new points, x~_i'x~_j = k(x_i, x_j); between two new points only their part in the span. With fewer
columns (``rank``, ``tolerance``) it is the projection on a subspace: x~'x~ <= k(x, x).
ZDO = Zien, De Bona, Ong, "Training and Approximation of a Primal Multiclass Support Vector Machine", 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, solve_triangular

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array, frozen, real_array, real_number
from msvm_ref.model.factor import ROUNDING

Kind = Literal["kpca", "cholesky", "incomplete-cholesky", "leading-subset"]
KINDS: tuple[Kind, ...] = ("kpca", "cholesky", "incomplete-cholesky", "leading-subset")

APART = 1e-10
"""A point taken in its own order counts as dependent when less than this part of the largest k(x, x) lies outside the span.
With 1e-12 the coefficients A grow so large that kernels with new points are off by 2e-2 (rbf, n = 400, p = 2); so by 1e-7."""


@dataclass(frozen=True, eq=False)
class Basis:
    """An orthonormal basis of a span of training points in feature space."""

    points: NDArray[np.int64]
    """The training points that span it."""
    A: Array
    """(points x rank) coefficients."""
    features: Array
    """(n x rank) coordinates of the training points."""
    trace_error: float
    """The part of tr K that is lost."""
    entry_error: float
    """The largest entry of K - features features', over the largest of K."""

    @property
    def rank(self) -> int:
        return int(self.A.shape[1])

    def project(self, cross: Array) -> Array:
        """(1.3): new points' coordinates from k(x_new, x_i) against all training points (new x n)."""
        return np.asarray(cross[:, self.points] @ self.A)


@dataclass(frozen=True)
class Representation:
    """How to represent a Gram matrix by few columns."""

    kind: Kind
    """Which basis."""
    rank: int | None = None
    """At most so many columns; None for as many as there are."""
    tolerance: float = 0.0
    """Nothing below this times the largest: of eigenvalues (KPCA) or of what is left of the diagonal (Cholesky); never below
    rounding level, nor below APART where the points keep their own order."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise DataError("kind", f"be one of {', '.join(KINDS)}", repr(self.kind))
        rank = real_number(self.rank) if self.rank is not None else 1.0
        if rank is None or rank != int(rank) or rank < 1:
            raise DataError("rank", "be a positive integer", repr(self.rank))
        if self.rank is not None:
            object.__setattr__(self, "rank", int(rank))
        level = real_number(self.tolerance)
        if level is None or not 0 <= level < 1:
            raise DataError(
                "tolerance", "lie in [0, 1)", repr(self.tolerance), "it is relative to the largest"
            )

    def of(self, gram: Array) -> Basis:
        """The basis for a Gram matrix; a DataError where it is not symmetric or, as far as it is looked at, not PSD."""
        K = real_array("Gram matrix", gram, 2, "(examples, examples)")
        n, scale = len(K), float(abs(K).max(initial=0.0))
        noise = ROUNDING * n * float(np.finfo(np.float64).eps)
        if K.shape != (n, n) or abs(K - K.T).max(initial=0.0) > noise * scale:
            raise DataError("Gram matrix", "be square and symmetric", f"shape {K.shape}")
        limit = n if self.rank is None else min(self.rank, n)
        floor = max(self.tolerance, noise)
        if self.kind == "kpca":
            points, A, features = _kpca(K, limit, floor, noise)
        elif self.kind == "incomplete-cholesky":
            points, A, features = _pivoted(K, limit, floor, noise)
        else:
            points, A, features = _in_order(
                K, limit if self.kind == "leading-subset" else n, limit, floor, noise
            )
        trace, lost = float(np.trace(K)), abs(K - features @ features.T).max(initial=0.0)
        return Basis(
            points,
            frozen(A),
            frozen(features),
            max(1 - float((features**2).sum()) / trace, 0.0) if trace else 0.0,
            float(lost) / scale if scale else 0.0,
        )


def kpca(rank: int | None = None, tolerance: float = 0.0) -> Representation:
    """The leading eigenvectors: the best approximation of K in every unitarily invariant norm."""
    return Representation("kpca", rank, tolerance)


def cholesky(rank: int | None = None, tolerance: float = 0.0) -> Representation:
    """Points in their own order, those that depend on earlier ones left out: Gram-Schmidt in feature space."""
    return Representation("cholesky", rank, tolerance)


def incomplete_cholesky(rank: int | None = None, tolerance: float = 0.0) -> Representation:
    """Pivoted: the point with the largest part outside the span so far comes next."""
    return Representation("incomplete-cholesky", rank, tolerance)


def leading_subset(rank: int) -> Representation:
    """The span of the first ``rank`` points (ZDO section 1.2.3, "the first d points")."""
    return Representation("leading-subset", rank)


def error_by_rank(kind: Kind, gram: Array, ranks: Any) -> list[dict[str, float]]:
    """Rank kept, trace error and entry error of one kind at each rank."""
    errors = []
    for rank in ranks:
        basis = Representation(kind, int(rank)).of(gram)
        errors.append(
            {
                "asked": int(rank),
                "rank": basis.rank,
                "trace_error": basis.trace_error,
                "entry_error": basis.entry_error,
            }
        )
    return errors


def _kpca(
    K: Array, limit: int, floor: float, noise: float
) -> tuple[NDArray[np.int64], Array, Array]:
    n = len(K)
    few = (
        limit < n // 2
    )  # then only the leading pairs are computed, and a negative one at the other end is not seen
    values, vectors = eigh((K + K.T) / 2, subset_by_index=[n - limit, n - 1] if few else None)
    values, vectors = values[::-1], vectors[:, ::-1]
    if len(values) and values[-1] < -noise * max(values[0], abs(K).max()):
        raise _not_psd(float(values[-1]))
    keep = (
        np.flatnonzero(values > floor * max(values[0], 0.0))[:limit]
        if len(values)
        else np.zeros(0, dtype=np.int64)
    )
    root = np.sqrt(values[keep])
    return np.arange(len(K)), vectors[:, keep] / root, vectors[:, keep] * root


def _pivoted(
    K: Array, limit: int, floor: float, noise: float
) -> tuple[NDArray[np.int64], Array, Array]:
    """Cholesky by columns, the largest remaining diagonal first."""
    n = len(K)
    left, scale = np.diag(K).copy(), float(np.diag(K).max(initial=0.0))
    if (left < -noise * scale).any() or (scale <= 0.0 and K.any()):
        raise _not_psd(float(left.min()))
    L = np.zeros((n, limit))
    points: list[int] = []
    while len(points) < limit:
        k = int(left.argmax())
        if not left[k] > floor * scale:
            break
        r = len(points)
        column = (K[:, k] - L[:, :r] @ L[k, :r]) / np.sqrt(left[k])
        column[points] = 0.0
        L[:, r] = column
        left = left - column**2
        left[k] = 0.0
        points.append(k)
        if left.min() < -np.sqrt(noise) * scale:
            raise _not_psd(float(left.min()))
    chosen, L = np.array(points, dtype=np.int64), L[:, : len(points)]
    return chosen, _inverse_transpose(L[chosen]), L


def _in_order(
    K: Array, first: int, limit: int, floor: float, noise: float
) -> tuple[NDArray[np.int64], Array, Array]:
    """Gram-Schmidt over the ``first`` points in their own order, dependent ones passed over: the columns of Cholesky without
    pivoting. Those lose all digits on a Gram that is singular to rounding (it looks indefinite), so the points are
    orthogonalised, twice, in the coordinates of their pivoted factor.
    """
    block = K[:first, :first]
    phi = _pivoted(block, first, noise, noise)[2]
    apart = max(floor, APART) * float(np.diag(block).max(initial=0.0))
    directions = np.zeros((min(limit, phi.shape[1]), phi.shape[1]))
    points: list[int] = []
    for i in range(first):
        if len(points) == len(directions):
            break
        so_far, rest = directions[: len(points)], phi[i]
        for _ in range(2):
            rest = rest - (so_far @ rest) @ so_far
        if rest @ rest > apart:
            directions[len(points)] = rest / np.sqrt(rest @ rest)
            points.append(i)
    chosen = np.array(points, dtype=np.int64)
    L = phi @ directions[: len(points)].T
    L[chosen] = np.tril(L[chosen])
    A = _inverse_transpose(L[chosen])
    others = K[first:, chosen] @ A
    scale = float(np.diag(K).max(initial=0.0))
    doubt = (
        noise * scale * (1 + abs(others @ A.T).sum(axis=1)) ** 2
    )  # w'E w for the coefficients w of a point, |E| <= noise
    left = np.diag(K)[first:] - (others**2).sum(axis=1)
    if (left + doubt).min(initial=0.0) < -np.sqrt(noise) * scale:
        raise _not_psd(float(left.min()))
    return chosen, A, np.vstack([L, others])


def _inverse_transpose(L: Array) -> Array:
    return (
        np.asarray(solve_triangular(L, np.eye(len(L)), lower=True).T)
        if len(L)
        else np.zeros((0, 0))
    )


def _not_psd(value: float) -> DataError:
    return DataError(
        "Gram matrix",
        "be positive semi-definite to rounding",
        f"an eigenvalue or pivot of {value:.3g}",
        "clip or shift the spectrum first",
    )
