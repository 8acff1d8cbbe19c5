"""The barrier's systems through few features, class by class: d factorisations of p x p in place of one of (p d) x (p d).

Signed margins with slacks of their own: component (i, c) moves the weights by s_ic x_i (x) (e_c + pull 1), so that with D the
barrier and cost terms

    I + Z' D^-1 Z = I + (1 (x) Pi) diag_c(M_c) (1 (x) Pi),      M_c = sum_i s_ic^2 / D_ic x_i x_i',   Pi = 1 + pull 11'

which, with I + M_c = L_c L_c', is solved for u in the range of Pi by t_c = L_c'^-1 L_c^-1 (u_c - mu), mu = 0 where pull is.
Else mu makes the t_c add up to 0: L_c^-1 (u_c - mu) is what is left of all L_c^-1 u_c when their part in the span of the
L_c^-1, one below the other, is taken away. By a basis of that span, as the sum of the (I + M_c)^-1 loses the stiff directions.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import OWN, SIGNED, Blocks
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.systems import NEGLIGIBLE, Components, Refined, features_of


def apart(machine: Blocks) -> bool:
    """Does nothing but sum-to-zero couple the classes?"""
    return machine.shape == SIGNED and machine.slack == OWN


class ClassFeatures(Refined):
    within = 1e-8
    """All classes together would still find their digits, but not from where worse steps lead."""

    def __init__(self, engine: Engine, machine: Blocks, parts: Components) -> None:
        self.X, self.parts, self.pull = features_of(engine, parts), parts, machine.pull
        self.s = np.where(parts.mask, machine.sigma[parts.y], 0.0)

    def product(self, x: Array) -> Array:
        out = self._lift(self.X.T @ self._expand(x))
        return out if self.parts.ridge is None else out + self.parts.ridge * x

    def _expand(self, x: Array) -> Array:
        """(examples x classes) sum_p x_ip R_ip"""
        share = self.s * self.parts.table(x)
        if self.pull:
            share += self.pull * share.sum(axis=1, keepdims=True)
        return share

    def _lift(self, T: Array) -> Array:
        """Z T for T (features x classes) in the range of Pi."""
        return np.asarray((self.s * (self.X @ T))[self.parts.example, self.parts.component])

    def factor(self, diagonal: Array, push: Array | None) -> bool:
        for more in (push, self.parts.ridge):
            diagonal = diagonal if more is None else diagonal + more
        self.inverse = 1.0 / diagonal
        weight = self.s**2 * self.parts.table(self.inverse)
        least = NEGLIGIBLE * float(weight.max())
        d, width = self.s.shape[1], self.X.shape[1]
        self.roots: Array = np.empty((d, width, width))
        for c, column in enumerate(weight.T):
            felt = np.flatnonzero(column > least)
            part = np.sqrt(column[felt])[:, None] * self.X[felt]
            M = part.T @ part
            M.reshape(-1)[:: width + 1] += 1.0
            lower, failed = lapack.dpotrf(M.T, lower=1, overwrite_a=1)
            if failed:
                return False
            self.roots[c] = lapack.dtrtri(lower, lower=1, overwrite_c=1)[0]
        if self.pull:
            self.span = np.linalg.qr(self.roots.reshape(d * width, width))[0]
        return True

    def _once(self, right: Array) -> Array:
        first = self.inverse * right
        t = self.roots @ (self.X.T @ self._expand(first)).T[:, :, None]
        if self.pull:
            long = t.reshape(-1)
            long -= self.span @ (self.span.T @ long)
        t = self.roots.transpose(0, 2, 1) @ t
        return np.asarray(self.inverse * (right - self._lift(t[:, :, 0].T)))

    def _matrix(self, x: Array) -> Array:
        """(D + Z Z') x"""
        return np.asarray(x / self.inverse + self._lift(self.X.T @ self._expand(x)))
