"""The barrier's systems by the weights: H = Z Z' with Z_a = [x_i, sqrt rho] (x) R_a, and

(I + Z' D^-1 Z) dT = Z' D^-1 v + m,     Z' D^-1 Z = sum_i x_i x_i' (x) (R_i' D_i^-1 R_i).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import RELATIVE
from msvm_ref.solvers.fast.components import Components, by_rivals
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.systems import REFINEMENTS, factored

NEGLIGIBLE = 1e-14
WIDE, SQUARES = 2, 20_000_000
"""Features for each matrix up to which all are made at once, from products of two features, and how many of those are held."""


class ByWeights(ABC):
    """T: (features x classes), of [x_i, sqrt rho] in units of the mean cost."""

    rough = False

    def __init__(self, engine: Engine, parts: Components) -> None:
        X = engine.features(parts.chosen)
        X = np.column_stack([X, np.full(len(X), np.sqrt(engine.rho))])
        self.X, self.parts = X * parts.unit, parts

    def effect(self, x: Array) -> Array:
        return np.asarray(self.X.T @ self.parts.expand(x))

    def felt(self, x: Array, T: Array) -> Array:
        """Z T, and the cost term."""
        return self.felt_of(T) + self.parts.cost_term(x)

    def felt_of(self, T: Array) -> Array:
        """Z T"""
        return self.parts.feel(self.X @ T)

    def along(self, length: Array) -> Array:
        return length

    def step(self, right: Array, missing: Array | None, refined: bool) -> tuple[Array, Array]:
        goal = self.effect(self.local(right))
        goal = goal if missing is None else goal + missing
        T = self.weights(goal)
        left = self._left(goal, T) if refined else goal
        for _ in range(REFINEMENTS if refined else 0):
            better = T + self.weights(left)
            still = self._left(goal, better)
            if not abs(still).max() < 0.5 * abs(left).max():
                break
            T, left = better, still
        return self.local(right - self.felt_of(T)), T

    def grams(
        self, weights: Array, together: bool, rows: NDArray[np.int64] | slice = slice(None)
    ) -> Array:
        """sum_i w_i x_i x_i' of ``rows`` for each column w, negligible w left out: of all, where they make one matrix."""
        width, many = self.X.shape[1], weights.shape[1]
        out: Array = np.empty((many, width, width))
        if width <= WIDE * many and len(self.X) * width**2 <= 2 * SQUARES:
            a, b = self.upper
            out[:, a, b] = out[:, b, a] = weights.T @ self.squares[rows]
            return out
        size = abs(weights)
        least = NEGLIGIBLE * (size.max() if together else size.max(axis=0))
        for gram, w, counts in zip(out, weights.T, (size > least).T, strict=True):
            felt = np.flatnonzero(counts)  # few near the end
            X = np.sqrt(abs(w[felt]))[:, None] * self.X[rows][felt]
            one_sign = not (w[felt] < 0).any()
            gram[:] = X.T @ (X if one_sign else np.sign(w[felt])[:, None] * X)
        return out

    @cached_property
    def upper(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs of features, each once."""
        return np.triu_indices(self.X.shape[1])

    @cached_property
    def squares(self) -> Array:
        """Each example's products of two features"""
        a, b = self.upper
        return self.X[:, a] * self.X[:, b]

    def _left(self, goal: Array, T: Array) -> Array:
        """goal - (I + Z' D^-1 Z) T"""
        return np.asarray(goal - T - self.effect(self.local(self.felt_of(T))))

    @abstractmethod
    def factor(self, diagonal: Array, push: Array | None) -> bool: ...

    @abstractmethod
    def local(self, v: Array) -> Array:
        """D^-1 v"""

    @abstractmethod
    def weights(self, goal: Array) -> Array:
        """(I + Z' D^-1 Z)^-1"""


class FeatureSystem(ByWeights):
    def factor(self, diagonal: Array, push: Array | None) -> bool:
        parts, d = self.parts, self.parts.d
        blocks = np.zeros(len(parts.chosen)) if push is None or parts.own else push
        if push is not None and parts.own:
            diagonal = diagonal + push
        if parts.ridge is not None:
            if parts.own:
                diagonal = diagonal + parts.ridge
            else:
                blocks = blocks + np.asarray(
                    np.bincount(parts.example, parts.ridge) / parts.mask.sum(axis=1)
                )
        self.inverse = 1.0 / diagonal
        table = parts.table(self.inverse)
        self.blocks, self.total = blocks, table.sum(axis=1)
        width = self.X.shape[1]
        if by_rivals(parts.machine):
            S = self._by_rivals(table)
        else:
            E = self._coupled(table)
            m, k = np.triu_indices(d)
            S = np.empty((d, width, d, width))
            S[m, :, k, :] = S[k, :, m, :] = self.grams(E[:, m, k], True)
        S = S.reshape((d * width, d * width))
        S[np.diag_indices_from(S)] += 1.0
        self.lower = factored(S)
        return self.lower is not None

    def _by_rivals(self, table: Array) -> Array:
        """Relative margins, slacks of their own: each class and each of its rivals have one Gram, and nothing is subtracted."""
        d, width = self.parts.d, self.X.shape[1]
        S: Array = np.zeros((d, width, d, width))
        every, weight = np.arange(d), abs(self.parts.machine.sigma).max() ** 2 * table
        for y in np.unique(self.parts.y):
            members = np.flatnonzero(self.parts.y == y)
            grams = self.grams(weight[members], True, members)
            S[y] -= grams.transpose(1, 0, 2)
            S[:, :, y] -= grams
            S[every, :, every] += grams
            S[y, :, y] += grams.sum(axis=0)
        return S

    def _coupled(self, table: Array) -> Array:
        """R_i' D_i^-1 R_i by Sherman and Morrison's formula, nothing of which cancels.

        Of relative margins it has the sums of the others for what a sum less a part would be; else it is about the mean row.
        """
        parts, machine, d = self.parts, self.parts.machine, self.parts.d
        left = 1.0 / (1.0 + self.blocks * self.total)
        if machine.shape == RELATIVE:
            t, b, left, i = table, self.blocks[:, None], left[:, None], np.arange(len(table))
            E: Array = t[:, :, None] * (-b * left * t)[:, None, :]
            E.reshape(-1, d * d)[:, :: d + 1] = t * (1.0 + b * (t @ (1.0 - np.eye(d)))) * left
            E[i, parts.y] = E[i, :, parts.y] = -left * t
            E[i, parts.y, parts.y] = left[:, 0] * self.total
            E *= abs(machine.sigma).max() ** 2
            return E
        middle: Array = parts.expand(self.inverse) / self.total[:, None]
        rows: Array = np.where(parts.mask[:, :, None], parts.planes - middle[:, None, :], 0.0)
        E = np.matmul((table[:, :, None] * rows).transpose(0, 2, 1), rows)
        return np.asarray(
            E + (self.total * left)[:, None, None] * middle[:, :, None] * middle[:, None, :]
        )

    def local(self, v: Array) -> Array:
        if not self.blocks.any():
            return self.inverse * v
        middle = self._middle(v)
        apart = v - middle[self.parts.example]
        # again: a huge block feels a sum that is not quite 0
        apart -= self._middle(apart)[self.parts.example]
        together = middle / (1.0 + self.blocks * self.total)
        return np.asarray(self.inverse * (apart + together[self.parts.example]))

    def _middle(self, v: Array) -> Array:
        """The mean of each example's components, weighted by D^-1 without the blocks."""
        return np.asarray(self.parts.sums(self.inverse * v) / self.total)

    def weights(self, goal: Array) -> Array:
        solved = lapack.dpotrs(self.lower, goal.T.ravel(), lower=1)[0]
        return np.asarray(solved.reshape(self.parts.d, -1).T)
