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
from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.components import Components
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.feature_system import ByWeights
from msvm_ref.solvers.fast.systems import factored


class ClassFeatures(ByWeights):
    def __init__(self, engine: Engine, machine: Blocks, parts: Components) -> None:
        super().__init__(engine, parts)
        self.pull, self.s = machine.pull, np.where(parts.mask, machine.sigma[parts.y], 0.0)

    def factor(self, diagonal: Array, push: Array | None) -> bool:
        for more in (push, self.parts.ridge):
            diagonal = diagonal if more is None else diagonal + more
        self.inverse = 1.0 / diagonal
        weight = self.s**2 * self.parts.table(self.inverse)
        d, width = self.s.shape[1], self.X.shape[1]
        self.roots: Array = np.empty((d, width, width))
        for c, M in enumerate(self.grams(weight, False)):
            M.reshape(-1)[:: width + 1] += 1.0
            lower = factored(M)
            if lower is None:
                return False
            self.roots[c] = np.tril(lapack.dtrtri(lower, lower=1)[0])
        if self.pull:
            self.span = np.linalg.qr(self.roots.reshape(d * width, width))[0]
        return True

    def local(self, v: Array) -> Array:
        return self.inverse * v

    def weights(self, goal: Array) -> Array:
        t = self.roots @ goal.T[:, :, None]
        if self.pull:
            long = t.reshape(-1)
            long -= self.span @ (self.span.T @ long)
        return np.asarray((self.roots.transpose(0, 2, 1) @ t)[:, :, 0].T)
