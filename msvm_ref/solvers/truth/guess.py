"""Which branch each hinge is on: a guess that makes large primals small, and its revision by what a solve shows.

The guess smooths the loss, tau log(1 + sum_{p in r} exp(t_p / tau)) for each slack group r (t = gamma - mu), and minimises
by L-BFGS. Its softmax weights play alpha / C. A wrong guess costs a further round, never a wrong answer: a reduced
problem is a relaxation (see ``primal``), and the judge evaluates the full one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import slack_loss, slack_rate, violations
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.presolve import Mask, Pieces

LARGE, MIDDLE = 600, 300
"""Hinges from which a guess pays for itself with a linear kernel, and with another; below, the whole problem is cheaper."""
SMOOTHING = 0.005
BAND = 16
"""A component this many SMOOTHINGs from its kink is taken to be on that side."""
STEPS = 250
SLIGHT = 1e-6
"""A piece this close to the largest of its group, relatively, is not contradicted."""


def guess_pieces(problem: Problem) -> Pieces:
    """Pieces of the smoothed problem's minimiser; everything unknown where the problem is small."""
    everything = Pieces.unknown(problem)
    if everything.hinge.sum() < (LARGE if problem.is_linear else MIDDLE):
        return everything
    t, weight, tau = _smoothed(problem)
    pieces = _classify(problem, everything.hinge, t, weight, BAND * tau)
    return replace(pieces, tied=weight) if _tied(problem, t / tau) else pieces


def released(problem: Problem, pieces: Pieces, candidate: Candidate) -> Pieces | None:
    """The pieces with every contradicted one made unknown again; None where none is contradicted."""
    t = _missed(problem, candidate)
    counts, held = Pieces.unknown(problem).hinge, pieces.held
    if problem.spec.shared:  # what stands in for the slack, and what the slack has to be
        covered = np.where(pieces.hinge, t, 0.0).max(axis=1, initial=0.0)
        covered = np.where(held.any(axis=1), np.where(held, t, 0.0).sum(axis=1), covered)
        most = t.max(axis=1, initial=0.0)
        short = (covered < most - SLIGHT * abs(covered))[:, None]
        wrong = short & ~pieces.hinge & (held | (counts & (t > covered[:, None])))
    else:
        wrong = (counts & ~pieces.hinge & ~held & (t > 0)) | (held & (t < 0))
    return Pieces(pieces.hinge | wrong, held & ~wrong) if wrong.any() else None


def sharpened(problem: Problem, candidate: Candidate) -> Pieces:
    """Pieces read off a good answer: unknown stay those near their kink, by multiplier and by violation."""
    cost = np.where(problem.costs > 0, problem.costs, 1.0)[:, None]
    scale = float(abs(problem.spec.gamma).max()) or 1.0
    return _classify(
        problem,
        Pieces.unknown(problem).hinge,
        _missed(problem, candidate),
        candidate.dual / cost,
        1e-4 * scale,
    )


def exact_penalty(problem: Problem, candidate: Candidate) -> float:
    """A ceiling for the C_i well above every multiplier of a good answer; inf where multipliers reach their C, or feel it."""
    largest = float(candidate.dual.max(initial=0.0))
    felt = problem.spec.width > 0 or largest * 1e3 > problem.costs.max()
    return np.inf if felt else 100 * largest


def _classify(problem: Problem, counts: Mask, t: Array, weight: Array, band: float) -> Pieces:
    """Satisfied: no weight and t < -band (below the group's top by as much, where slack is shared). Violated: the reverse.

    Of a shared slack one component is violated for sure if all others stay below it: the group's max is that one.
    """
    shared = problem.spec.shared
    top = t.max(axis=1, keepdims=True, initial=0.0) if shared else 0.0
    satisfied = counts & (weight < 1e-3) & (t < top - band)
    linear = counts & (weight > 1 - 1e-3) & (t > band) & (problem.spec.width == 0)
    if shared:
        linear &= (counts & ~satisfied).sum(axis=1, keepdims=True) == 1
    return Pieces(counts & ~satisfied & ~linear, linear)


def _tied(problem: Problem, t: Array) -> bool:
    """Do nearly all margins of nearly all examples tie (t in smoothings), with a shared slack? At W = 0 they do."""
    counts = problem.spec.mask[problem.y]
    apart = np.quantile(t.max(axis=1) - np.where(counts, t, np.inf).min(axis=1), 0.9)
    return bool(problem.spec.shared and problem.spec.width == 0 and apart <= BAND)


def _missed(problem: Problem, candidate: Candidate) -> Array:
    """t[i,p] = gamma - mu_p, -inf where the component does not count."""
    W, b = candidate.primal
    return violations(problem, problem.features @ W + b)


def _smoothed(problem: Problem) -> tuple[Array, Array, float]:
    """(t, weight, tau) at the minimiser of the smoothed primal; the examples go by label in here."""
    spec, d = problem.spec, problem.d
    order = np.argsort(problem.y, kind="stable")
    y = problem.y[order]
    ends = np.searchsorted(y, np.arange(d + 1))
    slices = [(k, slice(ends[k], ends[k + 1])) for k in range(d) if ends[k] < ends[k + 1]]
    phi = problem.dense_features[order]
    phi = phi - (phi.mean(axis=0) if problem.bias == "free" else 0.0)
    scale = float(np.sqrt((phi * phi).sum(axis=1)).max(initial=0.0)) or 1.0
    phi = phi / scale
    costs = problem.costs[order, None] * scale**2
    unit = float(costs.sum()) or 1.0
    tau = SMOOTHING * (float(abs(spec.gamma).max()) or 1.0)
    target = np.where(spec.mask[y], spec.gamma[y], -np.inf)
    forth, back = spec.nu.transpose(0, 2, 1), -spec.nu
    bias, ridge = problem.bias != "none", float(problem.bias == "penalized") * scale**2
    cut = phi.shape[1] * d

    def mapped(maps: Array, rows: Array) -> Array:
        """rows_i maps[y_i]"""
        out = np.empty_like(rows)
        for label, where in slices:
            np.matmul(rows[where], maps[label], out=out[where])
        return out

    def centre(rows: Array) -> Array:
        return rows - rows.mean(axis=-1, keepdims=True) if spec.sum_to_zero else rows

    def missed(v: Array) -> tuple[Array, Array, Array]:
        """W, b and t"""
        W, b = centre(v[:cut].reshape(-1, d)), centre(v[cut:]) if bias else v[cut:]
        scores = phi @ W
        return W, b, target - mapped(forth, scores + b if bias else scores)

    def weights(t: Array) -> tuple[Array, Array]:
        """(smoothed slack, its gradient in t)"""
        if not spec.shared:
            part = np.exp(-abs(t) / tau)  # log(1 + e^t) and its derivative, for t of any size
            return np.maximum(t, 0.0) + tau * np.log1p(part), np.where(t > 0, 1.0, part) / (
                1 + part
            )
        top = t.max(axis=1, keepdims=True, initial=0.0)
        part = np.exp((t - top) / tau)
        total = np.exp(-top / tau) + part.sum(axis=1, keepdims=True)
        return top + tau * np.log(total), part / total

    def objective(v: Array) -> tuple[float, Array]:
        W, b, t = missed(v)
        slack, weight = weights(t)
        by_score = mapped(back, costs * weight * slack_rate(spec, slack))
        value = np.vdot(W, W) / 2 + ridge * (b @ b) / 2 + (costs * slack_loss(spec, slack)).sum()
        grads = [W + phi.T @ by_score] + ([ridge * b + by_score.sum(axis=0)] if bias else [])
        return float(value) / unit, np.concatenate([centre(g).ravel() for g in grads]) / unit

    minimum = minimize(
        objective,
        np.zeros(cut + d * bias),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": STEPS, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-9},
    )
    t = np.empty(target.shape)
    t[order] = missed(minimum.x)[2]
    return t, weights(t)[1], tau
