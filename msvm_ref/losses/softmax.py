"""The softmax family of Zien, De Bona and Ong between the sum (gamma = 0) and the maximum (gamma = inf) of the rivals' losses.

    smax_g(t) = 1/g log(1 + sum_u (e^{g t_u} - 1)),   t_u = l(f_y - f_u) over the k rivals u != y          (ZDO (1.4))
    l(s)      = log(1 + e^-s)  ("logistic")    or    max(0, 1 - s)  ("hinge")

gamma = 1 with the logistic l is the multinomial logistic loss (cross-entropy). ``printed=True`` counts the true class as (1.4)
prints it; the loss is then nowhere below l(0) (docs/mathematics.md, E19). For g max(t) > 1 the paper's stable form is
used, a + 1/g log((1 - k) e^{-g a} + sum e^{g (t_u - a)}) with a = max t, elsewhere log1p of expm1. smax itself is not convex
in t; composed with the logistic l it is convex in f for every gamma >= 1 (E18).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from msvm_ref.errors import SpecError
from msvm_ref.losses.arrays import Array, Batch


@dataclass(frozen=True)
class Softmax:
    """``Softmax(gamma=1, base="logistic")`` in the place of a machine."""

    gamma: float = 1.0
    base: Literal["logistic", "hinge"] = "logistic"
    printed: bool = False

    def __post_init__(self) -> None:
        if not (isinstance(self.gamma, (int, float)) and self.gamma >= 0):
            raise SpecError("gamma", "be a number >= 0 (inf for the maximum)", repr(self.gamma))
        if self.base not in ("logistic", "hinge"):
            raise SpecError("base", "be 'logistic' or 'hinge'", repr(self.base))


def softmax_losses(batch: Batch, spec: Softmax) -> Array:
    """smax_g of the rivals' losses of every example, shape (...)."""
    xp = batch.xp
    t = _rival_losses(batch, spec, _margins(batch))
    if spec.gamma == 0:
        return xp.sum(t, axis=-1)
    a = xp.max(t, axis=-1, keepdims=True)
    if math.isinf(spec.gamma):
        return xp.squeeze(a, axis=-1)
    gamma, k = spec.gamma, _count(batch, spec)
    near = gamma * a <= 1
    grown = xp.expm1(gamma * xp.where(near, t, xp.zeros_like(t)))
    small = xp.log1p(xp.sum(grown, axis=-1, keepdims=True)) / gamma
    total = xp.sum(_exponentials(batch, spec, t, a), axis=-1, keepdims=True)
    large = a + xp.log((1 - k) * xp.exp(-gamma * a) + total) / gamma
    return xp.squeeze(xp.where(near, small, large), axis=-1)


def softmax_subgradients(batch: Batch, spec: Softmax) -> Array:
    """d loss_i / d f_i (ZDO (1.5)); the hinge's kink, and a tie at gamma = inf, count as one side of it."""
    xp = batch.xp
    s = _margins(batch)
    t = _rival_losses(batch, spec, s)
    a = xp.max(t, axis=-1, keepdims=True)
    if spec.gamma == 0:
        share = xp.ones_like(t)
    elif math.isinf(spec.gamma):
        places = xp.arange(batch.d, device=batch.device)
        share = xp.astype(places == xp.expand_dims(xp.argmax(t, axis=-1), axis=-1), t.dtype)
    else:
        top = _exponentials(batch, spec, t, a)
        rest = (1 - _count(batch, spec)) * xp.exp(-spec.gamma * a)
        share = top / (rest + xp.sum(top, axis=-1, keepdims=True))
    slope = xp.astype(s < 1, t.dtype) if spec.base == "hinge" else _logistic_slope(batch, s)
    rate = xp.where(batch.own, xp.zeros_like(t), share * slope)
    return xp.where(batch.own, -xp.sum(rate, axis=-1, keepdims=True), rate)


def _logistic_slope(batch: Batch, s: Array) -> Array:
    """-l'(s) = 1 / (1 + e^s), without overflow."""
    e = batch.xp.exp(-batch.xp.abs(s))
    return batch.xp.where(s > 0, e, batch.xp.ones_like(e)) / (1 + e)


def _margins(batch: Batch) -> Array:
    """s_u = f_y - f_u"""
    return batch.of_true_class(batch.scores) - batch.scores


def _rival_losses(batch: Batch, spec: Softmax, s: Array) -> Array:
    """t_u = l(s_u), with 0 (which adds nothing to a softmax of t >= 0) for a class that does not count."""
    xp = batch.xp
    zero = xp.zeros_like(s)
    t = xp.maximum(1 - s, zero) if spec.base == "hinge" else xp.logaddexp(zero, -s)
    return t if spec.printed else xp.where(batch.own, zero, t)


def _exponentials(batch: Batch, spec: Softmax, t: Array, a: Array) -> Array:
    """e^{g (t_u - a)} of the classes that count."""
    e = batch.xp.exp(spec.gamma * (t - a))
    return e if spec.printed else batch.xp.where(batch.own, batch.xp.zeros_like(e), e)


def _count(batch: Batch, spec: Softmax) -> int:
    return batch.d if spec.printed else batch.d - 1
