"""Which branch each hinge is on: a guess that makes large primals small, and its revision by what a solve shows.

The guess smooths the loss, tau log(1 + sum_{p in r} exp(t_p / tau)) for each slack group r (t = gamma - mu), and minimises
by L-BFGS. Its softmax weights play alpha / C. A wrong guess costs a further round, never a wrong answer: a reduced
problem is a relaxation (see ``primal``), and the judge evaluates the full one.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.presolve import Mask, Pieces

LARGE = 600
"""Constraints from which a guess pays for itself; below, the whole problem is cheaper."""
SMOOTHING = 0.005
BAND = 16
"""A component this many SMOOTHINGs from its kink is taken to be on that side."""
STEPS = 250


def guess_pieces(problem: Problem) -> Pieces:
    """Pieces of the smoothed problem's minimiser; everything unknown where the problem is small."""
    everything = Pieces.unknown(problem)
    if everything.hinge.sum() < LARGE:
        return everything
    t, weight, tau = _smoothed(problem)
    return _classify(problem, everything.hinge, t, weight, BAND * tau)


def released(problem: Problem, pieces: Pieces, candidate: Candidate) -> Pieces | None:
    """The pieces with every contradicted one made unknown again; None where none is contradicted."""
    t = _targets_missed(problem, candidate)
    slack = np.maximum(t.max(axis=1, keepdims=True), 0.0) if problem.spec.shared else 0.0
    top = (
        np.where(pieces.hinge, t, -np.inf).max(axis=1, keepdims=True)
        if problem.spec.shared
        else 0.0
    )
    outside = Pieces.unknown(problem).hinge & ~pieces.hinge & ~pieces.linear
    wrong = (outside & (t > np.maximum(top, 0.0)) & (slack >= 0)) | (pieces.linear & (t < 0))
    return Pieces(pieces.hinge | wrong, pieces.linear & ~wrong) if wrong.any() else None


def sharpened(problem: Problem, candidate: Candidate) -> Pieces:
    """Pieces read off a good answer: unknown stay those near their kink, by multiplier and by violation."""
    cost = np.where(problem.costs > 0, problem.costs, 1.0)[:, None]
    scale = float(abs(problem.spec.gamma).max()) or 1.0
    return _classify(
        problem,
        Pieces.unknown(problem).hinge,
        _targets_missed(problem, candidate),
        candidate.dual / cost,
        1e-4 * scale,
    )


def exact_penalty(problem: Problem, candidate: Candidate) -> float:
    """A ceiling for the C_i well above every multiplier of a good answer; inf where multipliers reach their C."""
    largest = float(candidate.dual.max(initial=0.0))
    return (
        np.inf if problem.spec.quadratic or largest * 1e3 > problem.costs.max() else 100 * largest
    )


def _classify(problem: Problem, counts: Mask, t: Array, weight: Array, band: float) -> Pieces:
    """Satisfied: no weight and t < -band (below the group's top by as much, where slack is shared). Violated: the reverse."""
    top = np.maximum(t.max(axis=1, keepdims=True), 0.0) if problem.spec.shared else 0.0
    satisfied = counts & (weight < 1e-3) & (t < top - band)
    one_sided = not problem.spec.shared and not problem.spec.quadratic
    linear = counts & (weight > 1 - 1e-3) & (t > band) & one_sided
    return Pieces(counts & ~satisfied & ~linear, linear)


def _targets_missed(problem: Problem, candidate: Candidate) -> Array:
    """t[i,p] = gamma - mu_p, -inf where the component does not count."""
    spec = problem.spec
    W, b = candidate.primal
    scores = problem.features @ W + b
    t = spec.gamma[problem.y] - _by_label(problem, spec.nu, scores)
    return np.where(spec.mask[problem.y], t, -np.inf)


def _by_label(problem: Problem, nu: Array, scores: Array) -> Array:
    out = np.empty((problem.n, problem.d))
    for label in range(problem.d):
        rows = problem.y == label
        out[rows] = scores[rows] @ nu[label].T
    return out


def _smoothed(problem: Problem) -> tuple[Array, Array, float]:
    """(t, weight, tau) at the minimiser of the smoothed primal."""
    spec, phi, d = problem.spec, problem.dense_features, problem.d
    mean = phi.mean(axis=0) if problem.bias == "free" else np.zeros(phi.shape[1])
    phi = phi - mean
    scale = float(np.sqrt((phi * phi).sum(axis=1)).max(initial=0.0)) or 1.0
    phi = phi / scale
    costs = problem.costs[:, None] * scale**2
    unit = float(costs.sum()) or 1.0
    tau = SMOOTHING * (float(abs(spec.gamma).max()) or 1.0)
    mask, gamma = spec.mask[problem.y], spec.gamma[problem.y]
    nu_t = spec.nu.transpose(0, 2, 1)
    bias, ridge = problem.bias != "none", float(problem.bias == "penalized") * scale**2

    def parts(v: Array) -> tuple[Array, Array, Array, Array]:
        W, b = v[: phi.shape[1] * d].reshape(-1, d), v[phi.shape[1] * d :]
        if spec.sum_to_zero:
            W, b = W - W.mean(axis=1, keepdims=True), b - b.mean() if bias else b
        scores = phi @ W + (b if bias else 0.0)
        return W, b, np.where(mask, gamma - _by_label(problem, spec.nu, scores), -np.inf), scores

    def weights(t: Array) -> tuple[Array, Array]:
        """(smoothed slack, its gradient in t)"""
        if not spec.shared:
            return np.where(mask, tau * np.logaddexp(0.0, t / tau), 0.0), np.where(
                mask, expit(t / tau), 0.0
            )
        top = np.maximum(t.max(axis=1, keepdims=True), 0.0)
        part = np.exp((t - top) / tau)
        total = np.exp(-top / tau) + part.sum(axis=1, keepdims=True)
        return top + tau * np.log(total), part / total

    def objective(v: Array) -> tuple[float, Array]:
        W, b, t, _ = parts(v)
        slack, weight = weights(t)
        pull = costs * weight * (2 * slack if spec.quadratic else 1.0)
        value = (
            (W * W).sum() / 2
            + ridge * (b @ b) / 2
            + (costs * (slack**2 if spec.quadratic else slack)).sum()
        )
        by_score = -_by_label(problem, nu_t, pull)
        grad_w, grad_b = W + phi.T @ by_score, ridge * b + (by_score.sum(axis=0) if bias else 0.0)
        if spec.sum_to_zero:
            grad_w = grad_w - grad_w.mean(axis=1, keepdims=True)
            grad_b = grad_b - grad_b.mean() if bias else grad_b
        return float(value) / unit, np.concatenate([grad_w.ravel(), np.atleast_1d(grad_b)]) / unit

    start = np.zeros(phi.shape[1] * d + (d if bias else 0))
    minimum = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": STEPS, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-9},
    )
    t = parts(minimum.x)[2]
    return t, weights(t)[1], tau
