"""The softmax of ZDO (1.4) and its gradients (1.5), (1.6), in a form that neither overflows nor cancels.

    smax_g(t) = 1/g log((1 - k) + sum_{u=1..k} e^{g t_u}) = 1/g log(1 + sum_u (e^{g t_u} - 1)),   max <= smax_g <= sum (t >= 0)
    loss_i    = smax_g over the rivals u != y_i of  t_u = l(s_u),   s_u = f_{y_i} - f_u
    l(s)      = log(1 + e^-s)  (logistic)    or    max(0, 1 - s)  (hinge)

(1.4) prints 1 - m for a vector of m entries: over the m - 1 rivals that is 2 - m, the default here. ``printed=True`` keeps all
m classes and 1 - m; the true class then adds the constant l(0), and no scores bring the loss below it: log 2 for the
logistic loss (docs/mathematics.md, E19). g -> 0 is the sum (Weston, Watkins), g -> infinity the maximum (Crammer,
Singer) of the same l; gamma = 0 and gamma = inf are taken to mean these. For g a > 1 (a the largest t) the stable form
of the paper is used, a + 1/g log((1 - k) e^{-g a} + sum e^{g (t_u - a)}); for smaller ones log1p of expm1, since there
the 1 cancels.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array

LossName = Literal["logistic", "hinge"]
Numbers = NDArray[Any]  # float64, or complex for a complex-step derivative


def base_loss(name: LossName, s: Numbers) -> Numbers:
    """l(s), also for complex s (the branch is chosen by the real part)."""
    if name == "hinge":
        return np.where(s.real < 1, 1 - s, 0)
    small = np.log1p(np.exp(np.where(s.real > 0, -s, s)))
    return np.where(s.real > 0, small, small - s)


def base_slope(name: LossName, s: Array) -> Array:
    """-l'(s) >= 0: e^-s / (1 + e^-s), or 1 where s < 1 and 0 elsewhere."""
    if name == "hinge":
        return np.asarray(np.where(s < 1, 1.0, 0.0))
    e = np.exp(-abs(s))
    return np.asarray(np.where(s > 0, e, 1.0) / (1 + e))


def smax(t: Numbers, gamma: float, counts: NDArray[np.bool_]) -> Numbers:
    """(1.4) of each row over the entries that count (all >= 0)."""
    t = np.where(counts, t, 0)
    if gamma == 0:
        return np.asarray(t.sum(axis=1))
    real = np.where(counts, t.real, -np.inf)
    if np.isinf(gamma):
        return np.asarray(np.take_along_axis(t, real.argmax(axis=1)[:, None], axis=1)[:, 0])
    a, k = real.max(axis=1), counts.sum(axis=1)
    near = gamma * a <= 1
    with np.errstate(over="ignore"):
        grown = np.where(counts, np.expm1(gamma * np.where(near[:, None], t, 0)), 0).sum(axis=1)
    far = (1 - k) * np.exp(-gamma * a) + np.where(counts, np.exp(gamma * (t - a[:, None])), 0).sum(
        axis=1
    )
    return np.asarray(
        np.where(near, np.log1p(grown) / gamma, a + np.log(np.where(near, 1, far)) / gamma)
    )


def smax_weights(t: Array, gamma: float, counts: NDArray[np.bool_]) -> Array:
    """d smax / d t_v = e^{g (t_v - a)} / ((1 - k) e^{-g a} + sum_u e^{g (t_u - a)}); at gamma = inf one of the largest."""
    if gamma == 0:
        return counts.astype(float)
    lifted = np.where(counts, t, -np.inf)
    a = lifted.max(axis=1, keepdims=True)
    if np.isinf(gamma):
        return np.asarray(np.arange(t.shape[1]) == lifted.argmax(axis=1)[:, None], dtype=float)
    top = np.exp(gamma * (lifted - a))
    k = counts.sum(axis=1, keepdims=True)
    return np.asarray(top / ((1 - k) * np.exp(-gamma * a) + top.sum(axis=1, keepdims=True)))


def counted(y: NDArray[np.int64], d: int, printed: bool) -> NDArray[np.bool_]:
    """Which classes enter the softmax of each example: the rivals, or all of them as printed."""
    return np.ones((len(y), d), dtype=bool) if printed else ~np.eye(d, dtype=bool)[y]


def margins(scores: Numbers, y: NDArray[np.int64]) -> Numbers:
    """s_u = f_y - f_u."""
    return np.asarray(np.take_along_axis(scores, y[:, None], axis=1) - scores)


def losses(
    scores: Numbers, y: NDArray[np.int64], gamma: float, name: LossName, printed: bool
) -> Numbers:
    """loss_i of every example."""
    return smax(base_loss(name, margins(scores, y)), gamma, counted(y, scores.shape[1], printed))


def losses_and_rates(
    scores: Array, y: NDArray[np.int64], gamma: float, name: LossName, printed: bool
) -> tuple[Array, Array]:
    """loss_i, and a_iu = -c_iu >= 0, c_u = (d smax / d t_u) l'(s_u) of (1.5): how fast it falls as f_{y_i} - f_u grows.

    The own class has rate 0 (its row of the paper's matrix A vanishes).
    """
    s, counts = margins(scores, y), counted(y, scores.shape[1], printed)
    t = base_loss(name, s)
    a = smax_weights(t, gamma, counts) * base_slope(name, s)
    a[np.arange(len(y)), y] = 0.0
    return smax(t, gamma, counts), np.asarray(a)


def by_score(a: Array, y: NDArray[np.int64]) -> Array:
    """d loss_i / d f from the rates: +a_u on f_u, -sum a on f_y (the rows of B in (1.6))."""
    out = a.copy()
    out[np.arange(len(y)), y] -= a.sum(axis=1)
    return out
