"""The loss of a machine at scores f, and a subgradient of it, in array operations alone.

    t_c    = gamma[y,c] - mu_c(f, y)                     violation of component c, before the hinge
    L(f,y) = sum_r phi(xi_r),   xi_r = max(0, max_{c in r} t_c)     (UV Definitions 3 and 4), phi: ``model/cost.py``
    dL/df  = - sum_c lambda_c nu[y,c,:],   lambda_c = [t_c > 0] (own slack),  one c with t_c = xi > 0 (shared slack)

times phi'(xi): 2 xi for the squared hinge, min(xi / h, 1) for Huber's. Where the scores matter only through their
differences, f_c - f_y is formed before anything else, so that a common shift of the scores costs no accuracy.
"""

from __future__ import annotations

import math

from msvm_ref.losses.arrays import Array, Batch
from msvm_ref.losses.plan import Plan


def hinge_losses(batch: Batch, plan: Plan) -> Array:
    """L(f_i, y_i) of every example, shape (...)."""
    xp = batch.xp
    v = _hinged(batch, plan)
    if plan.shared:
        return _phi(batch, plan, xp.max(v, axis=-1))
    return xp.sum(_phi(batch, plan, v), axis=-1)


def _phi(batch: Batch, plan: Plan, xi: Array) -> Array:
    """(c / h) (xi - c/2), c = min(xi, h) where capped, else xi; xi itself where h = 0."""
    if not plan.width:
        return xi
    curved = _curved(batch, plan, xi)
    return curved / plan.width * (xi - curved / 2)


def _curved(batch: Batch, plan: Plan, xi: Array) -> Array:
    return batch.xp.minimum(xi, batch.xp.full_like(xi, plan.width)) if plan.capped else xi


def hinge_subgradients(batch: Batch, plan: Plan) -> Array:
    """A member of the subdifferential of L(., y_i) at f_i for every example, shape (..., d); 0 at a kink of own slack."""
    xp = batch.xp
    v = _hinged(batch, plan)
    if plan.shared:
        places = xp.arange(batch.d, device=batch.device)
        chosen = places == xp.expand_dims(xp.argmax(v, axis=-1), axis=-1)
        v = xp.where(chosen, v, xp.zeros_like(v))
    rate = _curved(batch, plan, v) / plan.width if plan.width else xp.astype(v > 0, v.dtype)
    if plan.margin is None:
        return -xp.sum(xp.expand_dims(rate, axis=-1) * _nu(batch, plan), axis=-2)
    own, true, rival = plan.margin
    zero = xp.zeros_like(rate)
    others = xp.where(batch.own, zero, rate)
    of_true = -own * rate - true * xp.sum(others, axis=-1, keepdims=True)
    slope = xp.where(batch.own, of_true, -rival * rate)
    return slope - xp.mean(slope, axis=-1, keepdims=True) if plan.centred else slope


def _hinged(batch: Batch, plan: Plan) -> Array:
    """max(0, t_c) where component c counts, 0 elsewhere."""
    xp = batch.xp
    t = _target(batch, plan) - _margins(batch, plan)
    v = xp.maximum(t, xp.zeros_like(t))
    if plan.counts_own and plan.counts_others:
        return v
    return xp.where(batch.own == plan.counts_own, v, xp.zeros_like(v))


def _target(batch: Batch, plan: Plan) -> Array:
    """gamma[y,c] of every example."""
    xp = batch.xp
    if plan.target is not None:
        own, other = (xp.full_like(batch.scores, value) for value in plan.target)
        return xp.where(batch.own, own, other)
    return _rows(batch, batch.constants(plan.gamma))


def _margins(batch: Batch, plan: Plan) -> Array:
    """mu_c(f, y) of every component."""
    xp, f = batch.xp, batch.scores
    if plan.margin is None:
        e = f - batch.of_true_class(f) if plan.shift_free else f
        return xp.sum(_nu(batch, plan) * xp.expand_dims(e, axis=-2), axis=-1)
    own, true, rival = plan.margin
    if true == -rival and plan.shift_free and not plan.centred:
        unit = _power_of_two(true)
        return (batch.of_true_class(unit * f) - unit * f) * (true / unit)
    g = _centred(batch) if plan.centred else f
    of_true = batch.of_true_class(g)
    others = rival * g if true == 0 else true * of_true + rival * g
    return xp.where(batch.own, own * g, others)


def _centred(batch: Batch) -> Array:
    """f minus its mean, from differences to the true class's score; halved on the way, lest a difference overflow."""
    xp, half = batch.xp, 0.5 * batch.scores
    e = half - batch.of_true_class(half)
    return 2 * (e - xp.sum(e / batch.d, axis=-1, keepdims=True))


def _power_of_two(value: float) -> float:
    """The largest power of two up to min(1, |value|): scores times it are exact, and differences of them do not overflow."""
    return 2.0 ** min(0, math.frexp(abs(value))[1] - 1) if value else 1.0


def _nu(batch: Batch, plan: Plan) -> Array:
    """nu[y_i] of every example, shape (..., d, d)."""
    return _rows(batch, batch.constants(plan.nu))


def _rows(batch: Batch, table: Array) -> Array:
    """table[y_i], a label out of range standing for class 0 (its loss is made NaN at the end)."""
    xp, y = batch.xp, batch.y
    safe = y if batch.known is None else xp.where(batch.known, y, xp.zeros_like(y))
    flat = xp.take(table, xp.reshape(safe, (-1,)), axis=0)
    return xp.reshape(flat, (*y.shape, *table.shape[1:]))
