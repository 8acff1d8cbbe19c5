"""The barrier's linear systems class by class: d factorisations of n x n in place of one of (n d) x (n d).

A component a = (i, p) puts X_ip = s_a x_a on class p; s_a = sigma_a for signed margins, -sigma_a for relative ones, where the
true class takes X_iy = -sum_p X_ip. With K the Gram matrix in units of the cost, S = sum_c X_c and D barrier and cost terms,

    x'(H + D) x = sum_c X_c' (K + D_c / s^2) X_c  +  pull S'K S  +  u'P u        (signed; u_i = sum_p x_ip, P its shared slack)
                = sum_c X_c' (K + D_c / s^2) X_c   where S = 0,                  (relative; P / s^2 stands on the true class)

so that with T_c = (K + D_c / s^2)^-1 only what couples the classes is left to solve for, one or two numbers an example:

    relative   X_c = T_c (r_c - mu)                          (sum_c T_c) mu = sum_c T_c r_c
    signed     X_c = T_c (r_c - pull K S - w / s_c)          S = sum_c X_c,   w / P = sum_c X_c / s_c.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, lu_factor, lu_solve

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import ARBITRARY, OWN, RELATIVE, Blocks
from msvm_ref.solvers.fast.components import Components
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.systems import Refined

GROUND = 1e-13
"""What stands on a true class without a shared slack, as a part of the largest k(x, x): K alone may be singular."""
INVERSE, LU = 8.0, 2.5
"""What an inverse and an LU factorisation take, in Cholesky factorisations of the same size (measured, n = 100 ... 1000)."""
TINY = 1e-300


class ClassSystem(Refined):
    def __init__(self, engine: Engine, machine: Blocks, parts: Components) -> None:
        self.parts, self.pull = parts, machine.pull
        self.y, n = parts.y, len(parts.chosen)
        self.K = engine.gram(parts.chosen) * parts.unit**2
        self.ground = GROUND * float(self.K.diagonal().max())
        self.relative = machine.shape == RELATIVE
        sigma = machine.sigma[self.y[parts.example], parts.component]
        self.moves = sigma != 0  # a component that moves no score stands alone
        self.s = np.where(self.moves, -sigma if self.relative else sigma, 1.0)
        self.a = self._table(1.0 / self.s)
        here = self.a != 0
        if self.relative:
            here[np.arange(n), self.y] = True
        self.who = [np.flatnonzero(column) for column in here.T]
        self.square: list[Any] = [... if len(who) == n else np.ix_(who, who) for who in self.who]

    def product(self, x: Array) -> Array:
        return self.parts.feel(self.K @ self.parts.expand(x)) + self.parts.cost_term(x)

    def factor(self, diagonal: Array, push: Array | None) -> bool:
        parts, n = self.parts, len(self.y)
        self.shared = np.zeros(n)
        if push is not None and parts.own:
            diagonal = diagonal + push
        elif push is not None:
            self.shared = push
        if parts.ridge is not None and parts.own:
            diagonal = diagonal + parts.ridge
        elif parts.ridge is not None:
            of_example = np.zeros(n)
            of_example[parts.example] = parts.ridge
            self.shared = self.shared + of_example
        self.diagonal = diagonal
        stands = self._table(diagonal / self.s**2)
        if self.relative:
            scale = np.ones(n)
            scale[parts.example] = self.s
            stands[np.arange(n), self.y] = np.maximum(self.shared / scale**2, self.ground)
        self.T: list[Array] = []
        for who, square, column in zip(self.who, self.square, stands.T, strict=True):
            M = self.K[square].copy()
            M[np.diag_indices_from(M)] += column[who]
            inverse = _inverse(M)
            if inverse is None:
                return False
            self.T.append(inverse)
        return self._couple(stands)

    def _couple(self, stands: Array) -> bool:
        n = len(self.y)
        if self.relative:
            total = np.zeros((n, n))
            for square, T in zip(self.square, self.T, strict=True):
                total[square] += T
            inverse = _inverse(total)
            self.coupling: Any = inverse
            return inverse is not None
        joint = bool(self.shared.any())
        if not (self.pull or joint):
            self.coupling = None
            return True
        G = np.zeros((n + n * joint, n + n * joint))
        first, second = G[:n], G[n:]
        if joint:
            second[:, n:][np.diag_indices(n)] = 1.0 / np.maximum(self.shared, TINY)
        first[:, :n][np.diag_indices(n)] = 1.0 + self.pull * len(self.T)
        for c, (who, square, T) in enumerate(zip(self.who, self.square, self.T, strict=True)):
            a = self.a[who, c]
            if (
                self.pull
            ):  # T K = 1 - T D within the class, and the ones are in G already: nothing cancels
                first[:, :n][square] -= self.pull * T * stands[who, c]
                rest = np.setdiff1d(np.arange(n), who)
                G[rest, rest] -= self.pull
                G[np.ix_(who, rest)] += self.pull * (T @ self.K[np.ix_(who, rest)])
            if joint:
                first[:, n:][square] += T * a
                second[:, n:][square] += a[:, None] * T * a
                if self.pull:
                    second[who, :n] += self.pull * a[:, None] * (T @ self.K[who])
        self.coupling = lu_factor(G, check_finite=False, overwrite_a=True)
        return bool(np.isfinite(self.coupling[0]).all())

    def _table(self, x: Array) -> Array:
        """(examples x classes) of the components that move scores"""
        return self.parts.table(np.where(self.moves, x, 0.0))

    def _once(self, right: Array) -> Array:
        n, d = self.a.shape
        X = self._apply(self._table(right / self.s))
        if self.relative:
            mu = self.coupling @ X.sum(axis=1)
            X -= self._apply(np.repeat(mu[:, None], d, axis=1))
        elif self.coupling is not None:
            load = X.sum(axis=1)
            if self.shared.any():
                load = np.concatenate([load, (self.a * X).sum(axis=1)])
            solved = lu_solve(self.coupling, load, check_finite=False)
            push = np.repeat((self.pull * (self.K @ solved[:n]))[:, None], d, axis=1)
            if self.shared.any():
                push += self.a * solved[n:, None]
            X -= self._apply(push)
        moved = self.parts.of(X) / self.s
        return np.asarray(np.where(self.moves, moved, right / self.diagonal))

    def _apply(self, r: Array) -> Array:
        """(examples x classes) T_c r_c"""
        out = np.zeros_like(r)
        for c, (who, T) in enumerate(zip(self.who, self.T, strict=True)):
            out[who, c] = T @ r[who, c]
        return out

    def _matrix(self, x: Array) -> Array:
        """(H + D) x"""
        held = self.shared * self.parts.sums(x) if not self.parts.own else None
        out = self.diagonal * x + self.parts.feel(self.K @ self.parts.expand(x))
        return out if held is None else out + held[self.parts.group]


def work(
    machine: Blocks,
    y: NDArray[np.int64],
    taken: NDArray[np.bool_] | None = None,
    pressed: bool = True,
) -> float:
    """Of a factorisation over all components or those ``taken``, in multiply-adds of a Cholesky factorisation.

    ``pressed``: does any shared slack stand in the way, by a barrier, a cost term or because it is used up?
    """
    if machine.shape == ARBITRARY:
        return np.inf
    n, here = float(len(y)), machine.mask[y] if taken is None else taken
    sizes = here.sum(axis=0).astype(float)
    if machine.shape == RELATIVE:
        sizes += np.bincount(y, minlength=len(sizes))
        return float(INVERSE * ((sizes**3).sum() + n**3) / 6)
    shared = machine.slack != OWN and pressed
    coupling = 8 * LU + 6 * len(sizes) if shared else LU * bool(machine.pull)
    return float((INVERSE * (sizes**3).sum() + coupling * n**3) / 6)


def _inverse(M: Array) -> Array | None:
    """Of a positive definite matrix, which is overwritten; None where it is not one."""
    if len(M) == 0:  # a class of which nothing is free
        return M
    scale = 1.0 / np.sqrt(M.diagonal())
    M *= scale
    M *= scale[:, None]
    lower, failed = lapack.dpotrf(
        M.T, lower=1, overwrite_a=1
    )  # M.T is M, in the order LAPACK takes
    if failed:
        return None
    lower, _ = lapack.dpotri(lower, lower=1, overwrite_c=1)
    whole = lower + lower.T
    whole[np.diag_indices_from(whole)] /= 2
    whole *= scale
    whole *= scale[:, None]
    return np.asarray(whole)
