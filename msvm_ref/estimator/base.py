"""What the four estimators share: validated input, weights, kernel by name, and the certified solver behind ``method``."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from msvm_ref.errors import DataError
from msvm_ref.judge.certificate import Certificate
from msvm_ref.model.arrays import Array, real_number, refuse_masked
from msvm_ref.model.kernels import Kernel, as_kernel, linear, polynomial, precomputed, rbf
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.methods import options_of, solve
from msvm_ref.solvers.solution import Solution
from msvm_ref.threads import one_thread

SPARSE_FROM, DENSE_UP_TO = 1_000_000, 20_000_000
"""Sparse input of a linear kernel stays sparse from so many cells on; of another kernel it is refused beyond so many."""


@dataclass(frozen=True, eq=False)
class Training:
    """The weighted set of examples a fit depends on; ``row_of[i]`` is the row that example i of the input became, or -1.

    Rows of weight 0 are left out and equal rows of one class are one row that carries their weights' sum, in an order
    that does not depend on the input's: a weight of 2 is two copies to the last bit, and shuffled data give the same fit.
    """

    X: Array
    codes: NDArray[np.int64]
    weight: Array | None
    kernel: Kernel
    row_of: NDArray[np.int64]

    def inputs(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The examples of the input behind some rows."""
        return np.flatnonzero(np.isin(self.row_of, rows))


class CertifiedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Shared plumbing; the parameters are each estimator's own."""

    def _training(self, X: Any, y: Any, sample_weight: Any) -> Training:
        for name, values in (("X", X), ("y", y), ("sample_weight", sample_weight)):
            refuse_masked(name, values)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        weight = (
            np.ones(len(y))
            if sample_weight is None
            else _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        )
        counted = np.flatnonzero(weight)
        self.classes_, codes = np.unique(y[counted], return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(
                "y",
                "have at least 2 classes",
                f"{len(self.classes_)} class",
                "rows of weight 0 do not count" if sample_weight is not None else "",
            )
        X = solvable(X, self.kernel)
        given = isinstance(self.kernel, str) and self.kernel == "precomputed"
        if given and X.shape[0] != X.shape[1]:
            raise DataError(
                "X", "be a square Gram matrix for kernel='precomputed'", f"shape {X.shape}"
            )
        alone = np.arange(len(counted))
        first, group = (
            (alone, alone) if given or sparse.issparse(X) else distinct(X[counted], codes)
        )
        self._chosen = counted[first]
        row_of = np.full(len(y), -1, dtype=np.int64)
        row_of[counted] = group
        X, codes = X[self._chosen], codes[first]
        sorted_in = np.lexsort(
            (weight[counted], group)
        )  # a sum's last bit depends on the order of its terms
        mass: Array = np.bincount(group[sorted_in], weight[counted][sorted_in]).astype(np.float64)
        X = X[:, self._chosen] if given else X
        kernel = named_kernel(self, X, mass)
        if self.class_weight is not None:
            mass = mass * self._class_weights(y[counted], codes, mass)[codes]
        return Training(
            X, codes.astype(np.int64), None if (mass == 1).all() else mass, kernel, row_of
        )

    def _class_weights(self, y: Any, codes: NDArray[np.int64], mass: Array) -> Array:
        """Of each class; "balanced" counts an example by its weight, so that a weight of 2 stays two copies."""
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            held = np.bincount(codes, mass)
            return np.asarray(mass.sum() / (len(held) * held), dtype=np.float64)
        return np.asarray(
            compute_class_weight(self.class_weight, classes=self.classes_, y=y), dtype=np.float64
        )

    def _new(self, X: Any) -> Array:
        refuse_masked("X", X)
        new: Array = solvable(
            validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False), self.kernel
        )
        return (
            new[:, self._chosen]
            if isinstance(self.kernel, str) and self.kernel == "precomputed"
            else new
        )

    def _solver(self) -> Callable[[Problem], Solution]:
        """Problem -> certified Solution by ``method``, with the limits that were given and a seed where one is taken."""
        limits = {
            name: getattr(self, name)
            for name in ("max_iter", "max_seconds", "n_jobs")
            if getattr(self, name, None) is not None
        }

        def by_method(problem: Problem) -> Solution:
            options = dict(limits)
            if self.random_state is not None and "seed" in options_of(
                self.method
            ):  # None is the method's own fixed seed
                options["seed"] = int(check_random_state(self.random_state).randint(2**31 - 1))
            start = time.perf_counter()
            with one_thread():
                solution = solve(problem, self.method, tolerance=self.tol, **options)
            if self.verbose:
                print(
                    f"[{type(self).__name__}] n = {problem.n}, d = {problem.d}: method {solution.method}, "
                    f"certified gap {solution.certificate.relative_gap:.1e}, {time.perf_counter() - start:.2f} s"
                )
            return solution

        return by_method

    def _report(self, solutions: Iterable[Solution]) -> None:
        """Set what is known of every fit, and warn with the certified gap where the tolerance was not reached."""
        certified = list(solutions)
        worst = max(certified, key=lambda s: s.certificate.relative_gap)
        self.certificate_: Certificate = worst.certificate
        self.method_ = (
            worst.method
            if len({s.method for s in certified}) == 1
            else ", ".join(sorted({s.method for s in certified}))
        )
        late = sum(not s.converged for s in certified)
        if late:
            parts = f" in {late} of {len(certified)} binary problems" if len(certified) > 1 else ""
            warnings.warn(
                f"{type(self).__name__} stopped{parts} at a certified relative gap of "
                f"{worst.certificate.relative_gap:.2e} (tol = {self.tol:g}): the objective is at most that far "
                "above its optimum; raise max_iter or max_seconds, scale the features, or accept tol",
                ConvergenceWarning,
                stacklevel=3,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags


def solvable(X: Any, kernel: Any) -> Any:
    """What a Problem takes. The one place that decides what becomes of sparse input."""
    if not sparse.issparse(X):
        return X
    cells = X.shape[0] * X.shape[1]
    if cells > SPARSE_FROM and isinstance(kernel, str) and kernel == "linear":
        return X
    if cells > DENSE_UP_TO:
        raise DataError(
            "X",
            f"have at most {DENSE_UP_TO} cells when sparse",
            f"{X.shape[0]} x {X.shape[1]}",
            "kernel='linear' takes large sparse input as it is",
        )
    return X.toarray()


def distinct(X: Array, codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(first row of each distinct example, the number of its example for each row), ordered by class and bytes."""
    table = np.ascontiguousarray(np.column_stack([codes, X])) + 0.0  # -0.0 is 0.0
    keys = table.view(np.dtype((np.void, table.shape[1] * table.itemsize))).ravel()
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return first, group.ravel()


def named_kernel(estimator: Any, X: Array, weight: Array) -> Kernel:
    """kernel= "linear", "rbf", "poly", "precomputed", a Kernel or a callable, with gamma, degree and coef0."""
    kernel = estimator.kernel
    if not isinstance(kernel, str):
        return as_kernel(kernel)
    if kernel == "linear":
        return linear
    if kernel == "precomputed":
        return precomputed
    if kernel == "rbf":
        return rbf(_gamma(estimator.gamma, X, weight))
    if kernel == "poly":
        return polynomial(estimator.degree, _gamma(estimator.gamma, X, weight), estimator.coef0)
    raise DataError(
        "kernel", "be 'linear', 'rbf', 'poly', 'precomputed', a Kernel or a callable", repr(kernel)
    )


def _gamma(gamma: Any, X: Array, weight: Array) -> float:
    """The number meant: "scale" = 1 / (p var(X)) over all cells, each row counted by its weight; "auto" = 1 / p."""
    p = int(X.shape[1])
    if isinstance(gamma, str):
        if gamma == "auto":
            return 1 / p
        if gamma == "scale":
            mean = float(np.average(X.mean(axis=1), weights=weight))
            variance = float(np.average(((X - mean) ** 2).mean(axis=1), weights=weight))
            return 1 / (p * variance) if variance > 0 else 1.0
        raise DataError("gamma", "be 'scale', 'auto' or a positive number", repr(gamma))
    number = real_number(gamma)
    if number is None or number <= 0:
        raise DataError("gamma", "be 'scale', 'auto' or a positive number", repr(gamma))
    return number


def iterations(solution: Solution) -> int:
    """Passes over the examples; of the ground truth, how often a backend was asked."""
    return max(int(solution.work.get("passes", len(solution.attempts))), 1)
