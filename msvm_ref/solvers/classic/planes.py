"""The working sets of the cutting planes: constraints <U_k, t> of n families or of one, with what a master needs of them.

Constraint k of matrix U_k (n x d, entries in [0, C_i]):   xi >= delta_k - <A_k, f>

    delta_k = sum_ip U_k[i,p] gamma[y_i,p],   A_k[i] = sum_p U_k[i,p] (Pi nu)[y_i,p],   H_kl = <A_k, K A_l>

In n-slack form U_k has one row that is not 0, its example's, and only that row is kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import expansion
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.kesler import extended_gram

NOTHING = 1e-8
"""A multiplier up to this share of its family's whole counts as 0: interior points leave no zeros."""
Mask = NDArray[np.bool_]


class Planes(ABC):
    """The constraints: families, delta, H, and how many masters in a row gave each a multiplier of 0."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.K = problem, extended_gram(problem)
        self.family, self.delta = np.zeros(0, dtype=np.int64), np.zeros(0)
        self.keys: list[tuple[int, bytes]] = []
        self.idle = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.delta)

    def gain(self, U: Array) -> Array:
        """(n,) sum_p U[i,p] gamma[y_i,p]"""
        return np.asarray((U * self.problem.spec.gamma[self.problem.y]).sum(axis=1))

    def drop_idle(self, multipliers: Array, patience: int) -> None:
        """Forget the constraints whose multiplier was 0 in the last ``patience`` masters."""
        self.idle = np.where(multipliers > NOTHING, 0, self.idle + 1)
        keep = self.idle < patience
        if not keep.all():
            self.family, self.delta, self.idle = (
                self.family[keep],
                self.delta[keep],
                self.idle[keep],
            )
            self.keys = [key for key, kept in zip(self.keys, keep, strict=True) if kept]
            self._keep(keep)

    def _enter(self, family: list[int], keys: list[tuple[int, bytes]], delta: Array) -> None:
        self.family, self.keys = np.append(self.family, family).astype(np.int64), self.keys + keys
        self.delta = np.append(self.delta, delta)
        self.idle = np.append(self.idle, np.zeros(len(keys), dtype=np.int64))

    @property
    @abstractmethod
    def hessian(self) -> Array:
        """H"""

    @abstractmethod
    def violation(self, U: Array, scores: Array) -> Array:
        """By how much each family's constraint of U exceeds its slack (the largest of 0 and those in the working set), in
        the units of the target.
        """

    @abstractmethod
    def add(self, U: Array, chosen: Mask) -> int:
        """Take the chosen families' constraints of U that are not there yet; how many."""

    @abstractmethod
    def combined(self, multipliers: Array) -> tuple[Array, Array]:
        """(alpha, scores) of the constraints weighed by their multipliers."""

    @abstractmethod
    def _keep(self, keep: Mask) -> None:
        """Of what the formulation stores for each constraint, these."""


class NSlack(Planes):
    """Family i is example i; a constraint is a row of U and one of A."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.U, self.A = np.zeros((0, problem.d)), np.zeros((0, problem.d))

    @property
    def hessian(self) -> Array:
        return np.asarray(self.K[np.ix_(self.family, self.family)] * (self.A @ self.A.T))

    def violation(self, U: Array, scores: Array) -> Array:
        slack = np.zeros(self.problem.n)
        values = self.delta - (self.A * scores[self.family]).sum(axis=1)
        np.maximum.at(slack, self.family, values)
        value = self.gain(U) - (expansion(self.problem, U) * scores).sum(axis=1)
        cost = self.problem.costs
        units = np.divide(value - slack, cost, out=np.zeros_like(slack), where=cost > 0)
        return np.asarray(units)

    def add(self, U: Array, chosen: Mask) -> int:
        there = set(self.keys)
        found = [(int(i), U[i].tobytes()) for i in np.flatnonzero(chosen & (U > 0).any(axis=1))]
        new = [key for key in found if key not in there]
        family = [i for i, _ in new]
        self._enter(family, new, self.gain(U)[family])
        self.U = np.concatenate([self.U, U[family]])
        self.A = np.concatenate([self.A, expansion(self.problem, U)[family]])
        return len(new)

    def combined(self, multipliers: Array) -> tuple[Array, Array]:
        alpha = np.zeros((self.problem.n, self.problem.d))
        np.add.at(alpha, self.family, multipliers[:, None] * self.U)
        return alpha, np.asarray(self.K @ expansion(self.problem, alpha))

    def _keep(self, keep: Mask) -> None:
        self.U, self.A = self.U[keep], self.A[keep]


class OneSlack(Planes):
    """One family; a constraint is a whole U, with A and the scores K A."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        shape = (0, problem.n, problem.d)
        self.U, self.A, self.F = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.H = np.zeros((0, 0))

    @property
    def hessian(self) -> Array:
        return self.H

    def violation(self, U: Array, scores: Array) -> Array:
        slack = (self.delta - (self.A * scores).sum(axis=(1, 2))).max(initial=0.0)
        value = self.gain(U).sum() - (expansion(self.problem, U) * scores).sum()
        return np.array([(value - slack) / (self.problem.costs.sum() or 1.0)])

    def add(self, U: Array, chosen: Mask) -> int:
        key = (0, U.tobytes())
        if not chosen.all() or key in self.keys or not U.any():
            return 0
        A = expansion(self.problem, U)
        F = self.K @ A
        self._enter([0], [key], self.gain(U).sum())
        cross = (self.A * F).sum(axis=(1, 2))
        corner = np.array([[(A * F).sum()]])
        self.H = np.block([[self.H, cross[:, None]], [cross[None, :], corner]])
        self.U = np.concatenate([self.U, U[None]])
        self.A, self.F = np.concatenate([self.A, A[None]]), np.concatenate([self.F, F[None]])
        return 1

    def combined(self, multipliers: Array) -> tuple[Array, Array]:
        return np.tensordot(multipliers, self.U, 1), np.tensordot(multipliers, self.F, 1)

    def _keep(self, keep: Mask) -> None:
        self.U, self.A, self.F = self.U[keep], self.A[keep], self.F[keep]
        self.H = self.H[np.ix_(keep, keep)]
