"""The block problem of one example, solved exactly: the proximal step of its aggregated loss (docs/mathematics.md, section 8).

    max  <q, alpha> - 1/2 k ||sum_p alpha_p (Pi nu)_p||^2 - h (group sum)^2 / (2 C)
    s.t. alpha >= 0,  each slack group's sum <= C (a capped cost; h is its width, ``model/cost.py``)

``Blocks`` reads off a machine's spec which of the closed forms applies; every form writes the quadratic as

    sum_p D_p alpha_p^2 + rho (sum_p v_p alpha_p)^2      D_p = k s_p^2

with (s_p = s, v = 1, rho = k s^2) for relative margins s (f_y - f_c), and (s_p = |sigma_p|, v = sigma, rho = -k/d or 0)
for signed margins sigma_p f_p with or without sum-to-zero. What fits neither goes to coordinate ascent on its d x d Gram.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import by_class
from msvm_ref.model.machine import Spec
from msvm_ref.model.problem import Problem

RELATIVE, SIGNED, ARBITRARY = 0, 1, 2
OWN, ONE_SIGN, TWO_SIGNS = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Blocks:
    """A machine as the kernels take it: ``shape`` of the margins, ``slack`` of the groups, and their numbers."""

    shape: int
    slack: int
    sigma: Array  # (d, d): s_p for relative margins, sigma[y, p] for signed ones, 0 on components that do not count
    pull: float  # rho / k for signed margins: -1/d under sum-to-zero, else 0
    rows: Array  # (d, d, d) Pi nu where neither form fits, else empty: nothing of size d^3 is made for the others
    products: Array  # (d, d, d) <(Pi nu)[y, p], (Pi nu)[y, q]>, likewise
    gamma: Array
    mask: NDArray[np.bool_]
    capped: bool
    width: float

    def rows_of(self, y: Any, p: Any) -> Array:
        """(Pi nu)[y, p] for arrays y and p of labels and components, 0 for components that do not count."""
        y, p = np.broadcast_arrays(y, p)
        if self.shape == ARBITRARY:
            return np.asarray(self.rows[y, p])
        share = self.sigma[y, p][..., None]
        at_p, at_y = (c[..., None] == np.arange(len(self.gamma)) for c in (p, y))
        if self.shape == RELATIVE:
            return np.asarray(share * (at_y.astype(float) - at_p))
        return np.asarray(share * (at_p + self.pull))

    def margins(self, y: Any, scores: Array) -> Array:
        """<(Pi nu)[y_i, p], f(x_i)>, anything on components that do not count; scores add up to 0 where the machine's do."""
        if self.shape == ARBITRARY:
            return by_class(self.rows, y, scores)
        if self.shape == RELATIVE:
            scores = np.take_along_axis(scores, y[:, None], axis=1) - scores
        return np.asarray(self.sigma[y] * scores)

    def slopes(self, y: Any, scores: Array) -> Array:
        """gamma_p less the margins, anything on components that do not count."""
        return np.asarray(self.gamma[y] - self.margins(y, scores))

    def expansion(self, y: Any, alpha: Array) -> Array:
        """A[i] = sum_p alpha_ip (Pi nu)[y_i, p]"""
        if self.shape == ARBITRARY:
            return by_class(self.rows.transpose(0, 2, 1), y, alpha)
        share = self.sigma[y] * alpha
        total = share.sum(axis=1)
        if self.shape == SIGNED:
            return np.asarray(share + self.pull * total[:, None])
        A: Array = -share
        A[np.arange(len(y)), y] += total
        return A

    @property
    def losses_of_zero(self) -> Array:
        """What an example of each class costs at scores of 0, without C_i."""
        xi = np.maximum(np.where(self.mask, self.gamma, 0.0), 0.0)
        if self.slack != OWN:
            xi = xi.max(axis=1, keepdims=True)
        if self.width:
            curved = np.minimum(xi, self.width) if self.capped else xi
            xi = curved / self.width * (xi - 0.5 * curved)
        return np.asarray(xi.sum(axis=1))

    @property
    def packed(self) -> tuple[Any, ...]:
        """What the compiled kernels take."""
        return (
            self.shape,
            self.slack,
            self.sigma,
            self.pull,
            self.rows,
            self.products,
            self.gamma,
            self.mask,
            self.capped,
            self.width,
        )


def blocks(problem: Problem) -> Blocks:
    """The closed form that fits the machine of ``problem``, decided on its coefficients."""
    spec = problem.spec
    d, mask = spec.d, np.asarray(spec.mask)
    shape, sigma = _shape(spec, mask)
    slack = OWN
    if spec.shared and (mask.sum(axis=1) > 1).any():
        slack = TWO_SIGNS if mask.diagonal().any() else ONE_SIGN
        rivals = sigma[mask & ~np.eye(d, dtype=bool)]
        alike = rivals[0] != 0 and (rivals == rivals[0]).all()
        if shape == SIGNED and not (alike and (slack == ONE_SIGN or sigma.diagonal().all())):
            shape = ARBITRARY
    rows = np.zeros((0, 0, 0))
    if shape == ARBITRARY:
        rows = np.where(mask[:, :, None], spec.projected_nu, 0.0)
    return Blocks(
        shape,
        slack,
        sigma,
        -1.0 / d if shape == SIGNED and spec.sum_to_zero else 0.0,
        rows,
        np.einsum("ypm,yqm->ypq", rows, rows),
        np.ascontiguousarray(spec.gamma),
        np.ascontiguousarray(mask),
        spec.capped,
        spec.width,
    )


def _shape(spec: Spec, mask: NDArray[np.bool_]) -> tuple[int, Array]:
    """(shape, sigma): from the five entries of a margin that treats classes alike, else from the table."""
    d, own = spec.d, np.eye(spec.d, dtype=bool)
    entries = spec.machine.entries(d, centred=False)
    if entries is not None:
        if not mask.diagonal().any() and entries.true == -entries.rival:
            return RELATIVE, np.where(mask, float(entries.true), 0.0)
        if entries.true == 0:
            signed = np.where(own, float(entries.own), float(entries.rival))
            return SIGNED, np.where(mask, signed, 0.0)
        return ARBITRARY, np.zeros((d, d))
    nu, unit = np.where(mask[:, :, None], spec.nu, 0.0), own.astype(float)
    scale = float(spec.nu[0, 1, 0])
    relative = np.where(mask[:, :, None], scale * (unit[:, None, :] - unit[None, :, :]), 0.0)
    if np.array_equal(nu, relative) and not mask.diagonal().any():
        return RELATIVE, np.where(mask, scale, 0.0)
    signed = np.where(mask, np.einsum("ypp->yp", spec.nu), 0.0)
    if np.array_equal(nu, signed[:, :, None] * unit):
        return SIGNED, signed
    return ARBITRARY, np.zeros((d, d))
