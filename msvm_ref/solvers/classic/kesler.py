"""Kesler's construction as a kernel: a multi-class machine with own slacks is a single-class SVM.

    k'(z_ip, z_jq) = <(Pi nu)[y_i,p], (Pi nu)[y_j,q]> (k(x_i,x_j) [+ 1 for a penalized bias])
    primal   min 1/2 ||w||^2 + sum_ip C_i xi_ip^e   s.t.  <w, z_ip> >= gamma[y_i,p] - xi_ip,  xi >= 0     e = 1 or 2
    dual     max sum gamma alpha - 1/2 alpha'(k' + ridge) alpha   s.t.  0 <= alpha_ip <= C_i (e = 1)  or  0 <= alpha_ip (e = 2)

FH = Franc, Hlavac, "Multi-class Support Vector Machine", ICPR 2002. Their (7) is the relative margin, where the product of
the rows is 1/4 [delta(y_i,y_j) + delta(p,q) - delta(y_i,q) - delta(y_j,p)]; (3) and (4) are the primal (the printed
one lacks xi >= 0, docs/mathematics.md, E15) and the dual at gamma = 1. A smooth cost of width h adds h delta / C to the
kernel; the delta runs over pairs (i,p) and not over examples (docs/mathematics.md, E16): ``ridge`` is 1/(2 C_i) on the
diagonal of the pairs. Any machine with own slacks goes the same way; FH have WW (docs/mathematics.md, section 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError, SpecError
from msvm_ref.model.arrays import Array, frozen
from msvm_ref.model.problem import Problem

Index = NDArray[np.int64]


def extended_gram(problem: Problem) -> Array:
    """k(x_i, x_j), plus 1 for a penalized bias, of the factor that defines the problem."""
    phi = problem.dense_features
    return np.asarray(phi @ phi.T + (1.0 if problem.bias == "penalized" else 0.0))


@dataclass(frozen=True, eq=False)
class KeslerKernel:
    """k' on pairs (example, component): ``kernel(pairs, others)`` is a matrix, ``kernel.gram()`` that of all that count."""

    extended: Array
    """(n x n) k(x_i, x_j) [+ 1] of the examples, from the factor that defines the problem."""
    rows: Array
    """(d x d x d) Pi nu."""
    labels: Index
    """The class index of each example."""
    pairs: Index
    """The (i, p) that count."""

    @staticmethod
    def of(problem: Problem) -> KeslerKernel:
        if problem.bias == "free":
            raise DataError(
                "bias",
                "be 'none' or 'penalized' for Kesler's kernel",
                "'free'",
                "FH (2) penalizes it so that the dual loses its equality: pass bias='penalized'",
            )
        gram = extended_gram(problem)
        counts = problem.spec.mask[problem.y] & (problem.costs > 0)[:, None]
        return KeslerKernel(
            frozen(gram), problem.spec.projected_nu, problem.y, np.argwhere(counts).astype(np.int64)
        )

    def __call__(self, first: Any, second: Any) -> Array:
        """(len(first) x len(second)) values k' of pairs (i, p)."""
        (i, p), (j, q) = self._pairs("first", first), self._pairs("second", second)
        modifiers = self.rows[self.labels[i], p] @ self.rows[self.labels[j], q].T
        return np.asarray(modifiers * self.extended[np.ix_(i, j)])

    def gram(self) -> Array:
        """k' of every pair that counts with every other."""
        return self(self.pairs, self.pairs)

    def _pairs(self, name: str, pairs: Any) -> tuple[Index, Index]:
        array = np.asarray(pairs)
        if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
            raise DataError(
                name,
                "hold pairs (example, component) of integers",
                f"shape {array.shape}, dtype {array.dtype}",
            )
        if len(array) and not (
            (array >= 0).all() and (array < (len(self.labels), len(self.rows))).all()
        ):
            raise DataError(
                name,
                f"index {len(self.labels)} examples and {len(self.rows)} components",
                "an index outside",
            )
        return array[:, 0], array[:, 1]


@dataclass(frozen=True, eq=False)
class SingleClass:
    """The dual above, pair by pair: which example and component, its row of Pi nu, target, bound and ridge.

    gradient_t = target_t - <rows_t, F[:, owner_t]> - ridge_t alpha_t,  F = A'K (d x n),  A_i = sum of alpha_t rows_t, t of i.
    """

    kernel: KeslerKernel
    owner: Index
    component: Index
    rows: Array
    target: Array
    upper: Array
    ridge: Array
    shape: tuple[int, int]

    def scatter(self, alpha: Array) -> Array:
        """alpha of the pairs as the (n x d) matrix of the problem."""
        full = np.zeros(self.shape)
        full[self.owner, self.component] = alpha
        return full

    def scores(self, alpha: Array) -> Array:
        """F = A'K (d x n), afresh: what a run of updates has lost to rounding is regained."""
        A = np.zeros((self.shape[0], self.rows.shape[1]))
        np.add.at(A, self.owner, alpha[:, None] * self.rows)
        return np.ascontiguousarray(A.T @ self.kernel.extended)

    def diagonal(self) -> Array:
        """k'(z_t, z_t) + ridge_t."""
        return np.asarray(
            (self.rows**2).sum(axis=1) * np.diag(self.kernel.extended)[self.owner] + self.ridge
        )


def single_class(problem: Problem, method: str) -> SingleClass:
    """The single-class SVM of a problem with own slacks and no free bias; a typed refusal for any other."""
    spec = problem.spec
    if spec.shared:
        raise SpecError(
            "aggregation",
            f"give each component its own slack for method {method!r}",
            f"{problem.machine.aggregation.name}, where they share one",
            "FH (4) has a box for each multiplier; try method='dual', or 'cs-decomposition' for CS",
        )
    kernel = KeslerKernel.of(problem)
    i, p = np.ascontiguousarray(kernel.pairs[:, 0]), np.ascontiguousarray(kernel.pairs[:, 1])
    cost = problem.costs[i]
    return SingleClass(
        kernel,
        i,
        p,
        frozen(spec.projected_nu[problem.y[i], p]),
        frozen(spec.gamma[problem.y[i], p]),
        frozen(cost if spec.capped else np.full(len(i), np.inf)),
        frozen(spec.width / cost),
        (problem.n, problem.d),
    )
