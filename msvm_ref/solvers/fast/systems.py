"""The barrier's linear systems (H + diag + slack terms) dx = v, in two ways.

Whole: H_ab = (k(x_i, x_j) + rho) <R_a, R_b>, factored by Cholesky at unit diagonal.
By features: H = Z Z' with Z_a = [x_i, sqrt rho] (x) R_a, and with D the barrier and cost terms (one small block an example)

    (D + Z Z')^-1 v = D^-1 v - D^-1 Z (I + Z' D^-1 Z)^-1 Z' D^-1 v,   Z' D^-1 Z = sum_i x_i x_i' (x) (R_i' D_i^-1 R_i).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lapack

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import OWN, Blocks
from msvm_ref.solvers.fast.engine import Engine

REFINEMENTS = 6
NEGLIGIBLE = 1e-14
ROUGH = 1e-6
"""What a refined solution may miss of its right-hand side: Newton's direction still leads there."""
RIDGES = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11)


class Components:
    """Components of the chosen examples, all or those ``taken``: whose they are, rows, slack groups, in units of the mean cost.

    What is not taken of a chosen example's shared slack is 0.
    """

    def __init__(
        self,
        engine: Engine,
        machine: Blocks,
        chosen: NDArray[np.int64],
        taken: NDArray[np.bool_] | None = None,
    ) -> None:
        self.machine, self.chosen, self.y = machine, chosen, engine.y[chosen]
        self.d = engine.alpha.shape[1]
        self.mask = machine.mask[self.y] if taken is None else taken[chosen]
        self.example, self.component = np.nonzero(self.mask)
        self.unit = float(engine.cost[chosen].mean())
        self.own = machine.slack == OWN
        self.group = np.arange(len(self.example)) if self.own else self.example
        costs = engine.cost[chosen]
        self.room = (costs[self.example] if self.own else costs) / self.unit
        self.ridge = self.unit**2 * machine.width / costs[self.example] if machine.width else None

    @cached_property
    def rows(self) -> Array:
        """(components x classes)"""
        return self.machine.rows_of(self.y[self.example], self.component)

    @cached_property
    def planes(self) -> Array:
        """(examples x components x classes) the rows, 0 where a component does not count"""
        return self.machine.rows_of(self.y[:, None], np.arange(self.d))

    def sums(self, x: Array) -> Array:
        """x summed over each slack group."""
        return np.asarray(
            np.bincount(self.group, weights=x, minlength=len(self.room)), dtype=np.float64
        )

    def table(self, x: Array) -> Array:
        """x as (examples x components), 0 where nothing counts."""
        out = np.zeros(self.mask.shape)
        out[self.example, self.component] = x
        return out


class System(Protocol):
    rough: bool
    """Did the last refined solution miss its right-hand side?"""

    def product(self, x: Array) -> Array: ...
    def factor(self, diagonal: Array, push: Array | None) -> bool: ...
    def solve(self, right: Array, refined: bool) -> Array: ...


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


class DenseSystem:
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
        diagonal = M.reshape(-1)[:: len(M) + 1]
        unit = diagonal.copy()
        for small in RIDGES:
            # at unit diagonal: near the end x and z differ by twenty orders of magnitude
            diagonal[:] = unit + small
            lower, failed = lapack.dpotrf(M.T, lower=1, clean=0)
            if not failed:
                self.lower = lower
                return True
        return False

    def solve(self, right: Array, refined: bool) -> Array:
        # not cho_solve, whose checks cost a small system half its time
        return np.asarray(self.scale * lapack.dpotrs(self.lower, self.scale * right, lower=1)[0])


class Refined(ABC):
    """A system solved again for what is left, until that no longer shrinks."""

    rough = False
    within = ROUGH
    """What may be left, as a part of the right-hand side."""

    def solve(self, right: Array, refined: bool) -> Array:
        solved = self._once(right)
        left = right - self._matrix(solved) if refined else right
        for _ in range(REFINEMENTS if refined else 0):
            better = solved + self._once(left)
            still = right - self._matrix(better)
            if not abs(still).max() < 0.5 * abs(left).max():
                break
            solved, left = better, still
        self.rough = refined and not abs(left).max() <= self.within * abs(right).max()
        return solved

    @abstractmethod
    def _once(self, right: Array) -> Array: ...

    @abstractmethod
    def _matrix(self, x: Array) -> Array:
        """(H + D) x"""


def features_of(engine: Engine, parts: Components) -> Array:
    """[x_i, sqrt rho] of the chosen examples, in units of the mean cost"""
    X = engine.features(parts.chosen)
    return np.column_stack([X, np.full(len(X), np.sqrt(engine.rho))]) * parts.unit


class FeatureSystem(Refined):
    def __init__(self, engine: Engine, parts: Components) -> None:
        self.X, self.parts = features_of(engine, parts), parts

    def product(self, x: Array) -> Array:
        out = self._lift(self.X.T @ self._expand(x))
        if self.parts.ridge is not None:
            total = x if self.parts.own else self.parts.sums(x)[self.parts.group]
            out = out + self.parts.ridge * total
        return out

    def _expand(self, x: Array) -> Array:
        """(examples x classes) sum_p x_ip R_ip"""
        return np.asarray(np.einsum("ip,ipm->im", self.parts.table(x), self.parts.planes))

    def _lift(self, T: Array) -> Array:
        """Z T for T (features x classes)."""
        return np.asarray((self.parts.rows * (self.X @ T)[self.parts.example]).sum(axis=1))

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
        planes = parts.planes
        if (
            blocks.any()
        ):  # Sherman and Morrison's formula about the mean row, so that nothing cancels
            middle = np.einsum("ip,ipm->im", table, planes) / self.total[:, None]
            planes = np.where(parts.mask[:, :, None], planes - middle[:, None, :], 0.0)
        E = np.einsum("ip,ipm,ipk->imk", table, planes, planes, optimize=True)
        if blocks.any():
            left = self.total / (1.0 + blocks * self.total)
            E += left[:, None, None] * middle[:, :, None] * middle[:, None, :]
        width = self.X.shape[1]
        S: Array = np.empty((d, width, d, width))
        least = NEGLIGIBLE * float(abs(E).max())
        for m in range(d):
            for k in range(m, d):
                felt = np.flatnonzero(
                    abs(E[:, m, k]) > least
                )  # few near the end, and few pairs where margins are relative
                X = self.X if 2 * len(felt) > len(E) else self.X[felt]
                weight = E[:, m, k] if X is self.X else E[felt, m, k]
                S[m, :, k, :] = X.T @ (weight[:, None] * X)
                S[k, :, m, :] = S[m, :, k, :]
        S = S.reshape((d * width, d * width))
        S[np.diag_indices_from(S)] += 1.0
        try:  # S is at least the identity: left unscaled, rounding cannot take that from it
            self.cholesky = cho_factor(S, lower=True, check_finite=False, overwrite_a=True)
        except LinAlgError:
            return False
        return True

    def _local(self, v: Array) -> Array:
        """D^-1 v"""
        if not self.blocks.any():
            return self.inverse * v
        i = self.parts.example
        middle = np.bincount(i, weights=self.inverse * v, minlength=len(self.total)) / self.total
        return np.asarray(
            self.inverse * (v - middle[i] + (middle / (1.0 + self.blocks * self.total))[i])
        )

    def _once(self, right: Array) -> Array:
        first = self._local(right)
        t = (self.X.T @ self._expand(first)).T.ravel()
        t = cho_solve(self.cholesky, t, check_finite=False)
        return self._local(right - self._lift(t.reshape(self.parts.d, -1).T))

    def _matrix(self, x: Array) -> Array:
        """(D + Z Z') x"""
        i = self.parts.example
        held = (self.blocks * np.bincount(i, weights=x, minlength=len(self.total)))[i]
        return np.asarray(x / self.inverse + held + self._lift(self.X.T @ self._expand(x)))
