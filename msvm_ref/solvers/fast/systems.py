"""The barrier's linear systems, with D the barrier and cost terms (one small block an example),

    D dx + Z dT = v,     dT = Z'dx + m,

for the step dx of the multipliers and that of what they make, T: weights, or the scores H x that the components feel (then H
stands for Z' and 1 for Z). Here by the scores and whole, H_ab = (k(x_i, x_j) + rho) <R_a, R_b> factored by Cholesky at unit
diagonal; class by class in class_system.py; by the weights in feature_system.py and class_features.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.components import Components
from msvm_ref.solvers.fast.engine import Engine

REFINEMENTS = 6
ROUGH = 1e-6
"""What a refined solution may miss of its right-hand side: Newton's direction still leads there."""
RIDGES = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11)


class System(Protocol):
    rough: bool
    """Did the last refined solution miss its right-hand side?"""

    def effect(self, x: Array) -> Array: ...
    def felt(self, x: Array, T: Array) -> Array: ...
    def along(self, length: Array) -> Array: ...
    def factor(self, diagonal: Array, push: Array | None) -> bool: ...
    def step(self, right: Array, missing: Array | None, refined: bool) -> tuple[Array, Array]: ...


class ByScores(ABC):
    """T: H x, of each component."""

    parts: Components

    def effect(self, x: Array) -> Array:
        return self.product(x)

    def felt(self, x: Array, T: Array) -> Array:
        return T

    def along(self, length: Array) -> Array:
        """The lanes' lengths, for T."""
        return np.asarray(length[self.parts.lane])

    def step(self, right: Array, missing: Array | None, refined: bool) -> tuple[Array, Array]:
        if missing is None:
            dx = self.solve(right, refined)
            return dx, self.product(dx)
        dx = self.solve(right - missing, refined)
        return dx, self.product(dx) + missing

    @abstractmethod
    def product(self, x: Array) -> Array: ...

    @abstractmethod
    def solve(self, right: Array, refined: bool) -> Array:
        """(H + D)^-1"""


def _pairs(parts: Components) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs of components that share a slack, each with itself among them; components come example by example."""
    everyone = np.arange(len(parts.example))
    if parts.own:
        return everyone, everyone
    sizes = np.bincount(parts.group, minlength=len(parts.room))
    first = (np.cumsum(sizes) - sizes)[parts.group]
    many = sizes[parts.group]
    inner = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    return np.repeat(everyone, many), np.repeat(first, many) + inner


def factored(M: Array) -> Array | None:
    """The lower triangle of Cholesky's factor, of M with as much more on its diagonal as rounding took."""
    diagonal = M.reshape(-1)[:: len(M) + 1]
    exact = diagonal.copy()
    for small in RIDGES:
        diagonal[:] = exact * (1.0 + small)
        lower, failed = lapack.dpotrf(M.T, lower=1, clean=0)
        if not failed:
            return np.asarray(lower)
    return None


class DenseSystem(ByScores):
    rough = False

    def __init__(self, engine: Engine, parts: Components) -> None:
        i = parts.example
        self.parts = parts
        self.H = (
            (parts.rows @ parts.rows.T) * engine.gram(parts.chosen)[np.ix_(i, i)] * parts.unit**2
        )
        self.pairs = _pairs(parts)
        if parts.ridge is not None:
            self.H[self.pairs] += parts.ridge[self.pairs[0]]

    def product(self, x: Array) -> Array:
        return np.asarray(self.H @ x)

    def factor(self, diagonal: Array, push: Array | None) -> bool:
        added = np.zeros(len(self.pairs[0]))
        if push is not None:
            added += push[self.parts.group][self.pairs[0]]
        added[self.pairs[0] == self.pairs[1]] += diagonal
        whole = self.H.diagonal() + diagonal + (0.0 if push is None else push[self.parts.group])
        self.scale = 1.0 / np.sqrt(whole)
        M = self.H * self.scale
        M *= self.scale[:, None]
        M[self.pairs] += added * self.scale[self.pairs[0]] * self.scale[self.pairs[1]]
        # at unit diagonal: near the end x and z differ by twenty orders of magnitude
        self.lower = factored(M)
        return self.lower is not None

    def solve(self, right: Array, refined: bool) -> Array:
        # not cho_solve, whose checks cost a small system half its time
        return np.asarray(self.scale * lapack.dpotrs(self.lower, self.scale * right, lower=1)[0])


class Refined(ByScores):
    """A system solved again for what is left, until that no longer shrinks."""

    rough = False

    def solve(self, right: Array, refined: bool) -> Array:
        solved = self._once(right)
        left = right - self._matrix(solved) if refined else right
        for _ in range(REFINEMENTS if refined else 0):
            better = solved + self._once(left)
            still = right - self._matrix(better)
            if not abs(still).max() < 0.5 * abs(left).max():
                break
            solved, left = better, still
        self.rough = refined and not abs(left).max() <= ROUGH * abs(right).max()
        return solved

    @abstractmethod
    def _once(self, right: Array) -> Array: ...

    @abstractmethod
    def _matrix(self, x: Array) -> Array:
        """(H + D) x"""
