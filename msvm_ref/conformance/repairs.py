"""Answers that are right but for one thing: the data were scaled first, C is another one, one multiplier or the bias is wrong.

Each yields what to certify once that is mended.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from msvm_ref.conformance.hypotheses import plain, possible
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Bias, Problem
from msvm_ref.solvers.methods import solve
from msvm_ref.solvers.solution import Solution
from msvm_ref.solvers.workspace import Workspace

Mended = tuple[str, Problem, tuple[Array, Array], Solution]
"""(words, problem, (W, b) mended, ground truth of the problem)."""
ALONG = 1e-4
"""W* - W lies along one direction when what is left of it is this much smaller: the two are float solutions."""

MANY = 3
"""Fewer unknowns than this always lie along one example."""


def lost_bias(problem: Problem, primal: tuple[Array, Array]) -> Iterator[Mended]:
    """W right and b wrong: the truth's b in place of the candidate's."""
    treatments: tuple[Bias, ...] = ("free", "penalized")
    for bias in treatments:
        other = _with(problem, problem.X, bias)
        truth = solve(other)
        told = f"with a {bias} bias: W is right and b is wrong, it should be {np.round(truth.b, 6).tolist()}"
        yield told, other, (primal[0], truth.b), truth


def one_multiplier(
    problem: Problem, primal: tuple[Array, Array], truth: Solution
) -> Iterator[Mended]:
    """W = sum_i phi(x_i) coef_i', so one wrong multiplier leaves W* - W = t phi(x_i) v'.

    v = (Pi nu)[y_i, p] where alpha[i,p] is wrong, and v = e_m where the coefficient of one class is. At most one
    direction is tried: the one that leaves least of W* - W. Of one feature and two classes every W is such a multiple.
    """
    penalized = problem.bias == "penalized"
    best_W, best_b = truth.candidate.primal
    rows = (
        np.column_stack([problem.features, np.ones(problem.n)]) if penalized else problem.features
    )
    missing = best_W - primal[0]
    if penalized:
        missing = np.vstack([missing, best_b - primal[1]])
    if missing.size < MANY:
        return
    lengths = (rows * rows).sum(axis=1)
    seen = rows @ missing  # n x d: <phi(x_i), missing_m>
    size = float((missing * missing).sum())
    nearest: tuple[float, int, Array, str] | None = None
    for i in np.flatnonzero(lengths > 0).tolist():
        own = int(problem.y[i])
        directions = [
            (problem.spec.projected_nu[own, p], f"the multiplier of example {i} for component {p}")
            for p in np.flatnonzero(problem.spec.mask[own])
        ]
        directions += [
            (e, f"the coefficient of example {i} for class {m}")
            for m, e in enumerate(np.eye(problem.d))
        ]
        for v, words in directions:
            norm = float(lengths[i] * (v @ v))
            t = float(seen[i] @ v) / norm if norm > 0 else 0.0
            left = size - t * t * norm
            if left < ALONG * size and (nearest is None or left < nearest[0] * (1 - 1e-9)):
                nearest = (
                    left,
                    i,
                    t * v,
                    f"but for one number: {words} is off by {abs(t):.4g}, as if lost or overwritten",
                )
    if nearest is None:
        return
    _, at, change, words = nearest
    W = primal[0] + np.outer(problem.features[at], change)
    b = primal[1] + change if penalized else best_b if problem.bias == "free" else primal[1]
    yield words, problem, (W, b), truth


def preprocessed(problem: Problem, primal: tuple[Array, Array]) -> Iterator[Mended]:
    """z = (x - m) / s feature by feature, W in those units or mapped back; or rows of length 1."""
    X, (W, b) = problem.X, primal
    middle, zero, one = X.mean(axis=0), np.zeros(X.shape[1]), np.ones(X.shape[1])
    lowest = X.min(axis=0)
    ways = [
        ("features standardised first", middle, _spread(X.std(axis=0))),
        (
            "features standardised first (n - 1 in the variance)",
            middle,
            _spread(X.std(axis=0, ddof=min(1, problem.n - 1))),
        ),
        ("features centred first", middle, one),
        ("features divided by their standard deviation first", zero, _spread(X.std(axis=0))),
        ("features scaled to [0, 1] first", lowest, _spread(np.ptp(X, axis=0))),
    ]
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    tries = [
        ("examples scaled to unit length first", X / np.where(lengths > 0, lengths, 1.0), W, b)
    ]
    for words, m, s in ways:
        Z = (X - m) / s
        tries.append((f"{words}, W and b in those units", Z, W, b))
        if problem.bias != "none" or not m.any():  # without a bias a shift cannot be mapped back
            tries.append((words, Z, W * s[:, None], b + m @ W))
    for words, Z, weights, bias in tries:
        other = _with(problem, Z, problem.bias)
        if possible(other, plain(other), weights, bias, {}):
            yield words, other, (weights, bias), solve(other)


STEPS, RANGE = 14, 1e6


def another_C(problem: Problem, primal: tuple[Array, Array]) -> Iterator[Mended]:
    """R(C) = ||W(C)||^2 [+ ||b(C)||^2] grows with C: the C whose optimum has the candidate's R, by false position in log C."""

    def size(W: Array, b: Array) -> float:
        return float((W * W).sum() + ((b * b).sum() if problem.bias == "penalized" else 0.0))

    claimed_size = size(*primal)
    if not claimed_size > 0:
        return
    low, high = np.log(problem.C / RANGE), np.log(problem.C * RANGE)
    f_low, f_high, truth, workspace = -np.inf, np.inf, None, Workspace()
    for _ in range(STEPS):
        inside = np.isfinite(f_low) and np.isfinite(f_high)
        share = float(np.clip(-f_low / (f_high - f_low), 0.05, 0.95)) if inside else 0.5
        middle = low + share * (high - low)
        truth = solve(problem.with_C(float(np.exp(middle))), workspace=workspace)
        off = float(np.log(max(size(*truth.candidate.primal), 1e-300) / claimed_size))
        if abs(off) < 1e-9:
            break
        if off < 0:
            low, f_low = middle, off
        else:
            high, f_high = middle, off
    assert truth is not None
    yield f"C·{truth.problem.C / problem.C:.6g}", truth.problem, primal, truth


def _spread(s: Array) -> Array:
    """Divisors: what does not vary is left as it is."""
    out: Array = np.where(s > 0, s, 1.0)
    return out


def _with(problem: Problem, X: Array, bias: Bias) -> Problem:
    return Problem(
        problem.machine,
        X,
        problem.y,
        C=problem.C,
        kernel=problem.kernel,
        bias=bias,
        sample_weight=problem.sample_weight,
        classes=range(problem.d),
    )
