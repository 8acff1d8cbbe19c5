"""The barrier's linear systems, with D the barrier and cost terms (one small block an example),

    D dx + Z dT = v,     dT = Z'dx + m,

for the step dx of the multipliers and that of what they make, T: weights, or the scores H x that the components feel (then H
stands for Z' and 1 for Z). In two ways here.

Whole, by the scores: H_ab = (k(x_i, x_j) + rho) <R_a, R_b>, factored by Cholesky at unit diagonal.
By features, by the weights: H = Z Z' with Z_a = [x_i, sqrt rho] (x) R_a, and

    (I + Z' D^-1 Z) dT = Z' D^-1 v + m,     Z' D^-1 Z = sum_i x_i x_i' (x) (R_i' D_i^-1 R_i).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import OWN, RELATIVE, SIGNED, Blocks
from msvm_ref.solvers.fast.engine import Engine

REFINEMENTS = 6
NEGLIGIBLE = 1e-14
WIDE, SQUARES = 2, 20_000_000
"""Features for each matrix up to which all are made at once, from products of two features, and how many of those are held."""
ROUGH = 1e-6
"""What a refined solution may miss of its right-hand side: Newton's direction still leads there."""
RIDGES = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11)


def apart(machine: Blocks) -> bool:
    """Does nothing but sum-to-zero couple the classes?"""
    return machine.shape == SIGNED and machine.slack == OWN


def by_rivals(machine: Blocks) -> bool:
    """Does each component concern its label and one rival, and nothing else?"""
    return machine.shape == RELATIVE and machine.slack == OWN


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
        self.place = np.flatnonzero(self.mask)
        self.unit = float(engine.cost[chosen].mean())
        self.own = machine.slack == OWN
        self.group = np.arange(len(self.example)) if self.own else self.example
        costs = engine.cost[chosen]
        self.room = (costs[self.example] if self.own else costs) / self.unit
        self.ridge = self.unit**2 * machine.width / costs[self.example] if machine.width else None

    @cached_property
    def lanes(self) -> int:
        """How many of what nothing couples: the classes, or one."""
        return self.d if apart(self.machine) and not self.machine.pull else 1

    @cached_property
    def lane(self) -> NDArray[np.int64]:
        """Of each component."""
        return self.component if self.lanes > 1 else np.zeros_like(self.component)

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
        if self.own:
            return x
        return np.asarray(np.bincount(self.group, weights=x, minlength=len(self.room)))

    def cost_term(self, x: Array) -> Array:
        """The ridge of each component's slack, times what the slack is."""
        if self.ridge is None:
            return np.zeros(len(x))
        return np.asarray(self.ridge * (x if self.own else self.sums(x)[self.group]))

    def table(self, x: Array) -> Array:
        """x as (examples x components), 0 where nothing counts."""
        out = np.zeros(self.mask.shape)
        out.ravel()[self.place] = x
        return out

    def of(self, table: Array) -> Array:
        """A table's entries that count."""
        return np.asarray(table.ravel()[self.place])

    def expand(self, x: Array) -> Array:
        """(examples x classes) sum_p x_ip R_ip"""
        return self.machine.expansion(self.y, self.table(x))

    def feel(self, scores: Array) -> Array:
        """Its transpose: of (examples x classes) what each component feels."""
        if self.machine.pull:
            scores = scores + self.machine.pull * scores.sum(axis=1, keepdims=True)
        return self.of(self.machine.margins(self.y, scores))


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
