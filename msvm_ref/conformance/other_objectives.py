"""Answers that are right for an objective which is none of our problems, each with a primal and a dual value of that objective.

    at its own b        min_W 1/2 ||W||^2 + sum_i C_i L(W'x_i + b),      D_b(alpha) = D(alpha) - sum_ip alpha_ip <nu_ip, b>
    Huber-smoothed      h(v) = v^2 / 2w on [0, w], v - w/2 above,        D_w(alpha) = D(alpha) - w/2 sum_ip alpha_ip^2 / C_i
    own class's weight  one-vs-rest: class c's problem has C c_c for its own examples and C for the rest
    one step from 0     W = t times -grad P(0): no optimum, a line through 0

D is the dual without a bias, of any alpha with 0 <= alpha_ip and group sums <= C_i, so what is written is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from msvm_ref.conformance.finding import Enclosure, Finding
from msvm_ref.conformance.repairs import Primal
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certify import repaired, worth
from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import expansion, objective, slack_rate, violations, weights
from msvm_ref.model.problem import Bias, Problem
from msvm_ref.solvers.methods import solve

WIDTHS = (*(2.0**k for k in range(1, -11, -1)), 0.1, 0.01, 1e-3, 0.2, 0.05)
MANY = 4
"""Fewer unknowns than this may lie along a line by accident."""
STRAIGHT = 1e-7
"""||W - t G|| / ||W|| of a W along G: both are sums in float64, the line is theirs exactly."""


def own_bias(problem: Problem, primal: Primal) -> Iterator[Finding]:
    """W is the best there is for the b it comes with, and b is not the best."""
    W, b = primal
    if problem.bias == "none" or not abs(b).max(initial=0.0) > 0:
        return
    bare = _without_bias(problem)
    alpha = repaired(bare, _multipliers(bare, b)).alpha
    dual = worth(bare, Candidate(alpha=alpha)).low
    lower = dual - float((expansion(bare, alpha) @ b).sum())
    fixed = 0.5 * float(b @ b) if problem.bias == "penalized" else 0.0
    zero = np.zeros_like(W)
    title = f"{problem.machine.name} in W alone, at the b it came with"
    proof = Enclosure(title, lower + fixed, objective(problem, W, b), objective(problem, zero, b))
    yield _finding("own b", "W optimal at its own b, which is not optimal", problem, proof)


def _multipliers(problem: Problem, b: Array) -> Array:
    """alpha of min 1/2 ||W||^2 + sum C_i phi(xi_i), <nu_ip, W'x_i + b> + xi_i >= gamma_ip, through cvxpy.

    phi(xi) = min {eta^2 / 2h + rest : eta + rest = xi, both >= 0}, without eta where h = 0, without rest where not capped.
    """
    import cvxpy as cp

    spec, (n, p), d = problem.spec, problem.features.shape, problem.d
    i, c = np.nonzero(spec.mask[problem.y])
    nu = spec.projected_nu[problem.y[i], c]  # one row a constraint
    V = cp.Variable((p, d))
    shape = (n, 1) if spec.shared else (n, spec.mask.shape[1])
    slack: Any = 0
    each: Any = 0
    if spec.width:
        eta = cp.Variable(shape, nonneg=True)
        slack, each = eta, cp.square(eta) / (2 * spec.width)
    if spec.capped:
        rest = cp.Variable(shape, nonneg=True)
        slack, each = slack + rest, each + rest
    scores = problem.features @ V + np.tile(b, (n, 1))
    place = np.zeros(len(i), dtype=int) if spec.shared else c
    holds = (
        cp.sum(cp.multiply(nu, scores[i]), axis=1) + slack[i, place] >= spec.gamma[problem.y[i], c]
    )
    cost = cp.sum(cp.multiply(problem.costs[:, None], each))
    cp.Problem(cp.Minimize(cp.sum_squares(V) / 2 + cost), [holds]).solve(solver="CLARABEL")
    alpha = np.zeros(spec.mask[problem.y].shape)
    if holds.dual_value is not None:
        alpha[i, c] = np.maximum(holds.dual_value, 0.0)
    return alpha


def huber(problem: Problem, primal: Primal) -> Iterator[Finding]:
    """alpha_ip = C_i clip(v_ip / w, 0, 1) follows from W: no solver is needed, and one width after another is tried.

    Smoothed below the kink only, or (``around``) on both sides of it: the same with v + w/2 for v.
    """
    if problem.spec.width or problem.spec.shared:
        return
    W, b = primal
    t = violations(problem, problem.features @ W + b)
    costs = problem.costs[:, None]
    size = max(float(np.linalg.norm(W)), 1e-300)
    for around in (0.0, 0.5):
        for width in WIDTHS:
            v = np.where(np.isfinite(t), t + around * width, -1.0)
            alpha = costs * np.clip(v / width, 0.0, 1.0)
            theirs, shift = weights(problem, alpha)
            if np.linalg.norm(theirs - W) > 1e-2 * size:
                continue
            if problem.bias == "penalized" and np.linalg.norm(shift - b) > 1e-2 * size:
                continue
            yield _huber(problem, primal, alpha, v, width, around)


def _huber(
    problem: Problem, primal: Primal, alpha: Array, v: Array, width: float, around: float
) -> Finding:
    W, b = primal
    costs, lift = problem.costs[:, None], around * width
    dual_point = repaired(problem, alpha).alpha
    lower = worth(problem, Candidate(alpha=dual_point)).low
    each = np.where(costs > 0, costs, 1.0)  # alpha is 0 where its C_i is
    lower += float((lift * dual_point - width / 2 * dual_point**2 / each).sum())
    ridge = objective(problem, W, b) - float((costs * np.maximum(v - lift, 0.0)).sum())
    zero = violations(problem, np.zeros((problem.n, problem.d)))
    start = np.where(np.isfinite(zero), zero + lift, -1.0)
    where = "on both sides of the kink" if around else "above the kink"
    words = f"a hinge smoothed over a width of {width:g} {where} (Huber)"
    proof = Enclosure(
        f"{problem.machine.name}, {words}",
        lower,
        ridge + float((costs * _smooth(v, width)).sum()),
        float((costs * _smooth(start, width)).sum()),
    )
    return _finding(f"huber: {width:g} {around:g}", words, problem, proof)


def _smooth(v: Array, width: float) -> Array:
    inside: Array = np.clip(v, 0.0, width) ** 2 / (2 * width) + np.maximum(v - width, 0.0)
    return inside


def one_step(problem: Problem, primal: Primal) -> Iterator[Finding]:
    """W = t G, G = sum_i C_i sum_p (Pi nu)_ip x_i' (all margins are violated at 0); of a max, the mean over its rivals."""
    W, _ = primal
    if W.size < MANY:
        return
    spec = problem.spec
    counts = spec.mask[problem.y].astype(float)
    alpha = problem.costs[:, None] * counts * slack_rate(spec, spec.gamma[problem.y])
    if spec.shared:
        alpha = alpha / counts.sum(axis=1, keepdims=True)
    G, _ = weights(_without_bias(problem), alpha)
    length = float((G * G).sum())
    t = float((W * G).sum()) / length if length > 0 else 0.0
    size = float((W * W).sum())
    left = float(((W - t * G) ** 2).sum())
    if t > 0 and left <= STRAIGHT**2 * size:
        words = f"one gradient step from 0: W is {t:.4g} times -grad P(0)"
        proof = Enclosure("how far W is from a multiple of grad P(0)", size - left, size, size)
        yield replace(_finding("one step", words, problem, proof), optimum=False)


def own_class_weights(problem: Problem, primal: Primal) -> Iterator[Finding]:
    """One-vs-rest with class weights that reach a class's own examples only: d problems of two classes, each certified."""
    weight = problem.sample_weight
    if problem.machine.name != "OVA" or weight is None or problem.d < 3:
        return
    means = [
        float(weight[problem.y == c].mean()) for c in range(problem.d) if (problem.y == c).any()
    ]
    if len(means) < problem.d or not np.array_equal(weight, np.array(means)[problem.y]):
        return
    parts = [_own_class(problem, primal, c, means[c]) for c in range(problem.d)]
    lower, value, at_zero = (sum(part[k] for part in parts) for k in range(3))
    words = "class weights reach a class's own examples only"
    proof = Enclosure(f"OVA, {words}", lower, value, at_zero)
    yield _finding("own class", words, problem, proof)


def _own_class(problem: Problem, primal: Primal, c: int, weight: float) -> tuple[float, ...]:
    """(lower, value, value at 0) of class c against the rest: half of OVA's with two classes and W = (-w, w)."""
    W, b = primal
    own = problem.y == c
    two = Problem(
        problem.machine,
        problem.X,
        own.astype(int),
        C=problem.C,
        kernel=problem.kernel,
        bias=problem.bias,
        sample_weight=np.where(own, weight, 1.0),
        classes=range(2),
    )
    both = np.column_stack([-W[:, c], W[:, c]]), np.array([-b[c], b[c]])
    zero = np.zeros_like(both[0]), np.zeros(2)
    truth = worth(two, solve(two).candidate)
    return truth.low / 2, objective(two, *both) / 2, objective(two, *zero) / 2


def _without_bias(problem: Problem) -> Problem:
    bias: Bias = "none"
    return Problem(
        problem.machine,
        problem.X,
        problem.y,
        C=problem.C,
        kernel=problem.kernel,
        bias=bias,
        sample_weight=problem.sample_weight,
        classes=range(problem.d),
    )


def _finding(kind: str, words: str, problem: Problem, proof: Any) -> Finding:
    return Finding((words,), problem, proof, problem.C, kind=kind)
