"""Answers that are right but for one thing: the data were scaled first, C is another one, a row, a class, one multiplier or
the bias is missing.

Each yields what was certified once that is mended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from msvm_ref.conformance.finding import Finding, judged
from msvm_ref.conformance.hypotheses import plain, possible
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Bias, Problem
from msvm_ref.solvers.methods import solve
from msvm_ref.solvers.solution import Solution
from msvm_ref.solvers.workspace import Workspace

Primal = tuple[Array, Array]
"""(W, b) in the problem's features."""
ALONG = 1e-4
"""W* - W lies along one direction when what is left of it is this much smaller: the two are float solutions."""

MANY = 3
"""Fewer unknowns than this always lie along one example."""


def lost_bias(problem: Problem, primal: Primal) -> Iterator[Finding]:
    """W right and b wrong: the truth's b in place of the candidate's."""
    treatments: tuple[Bias, ...] = ("free", "penalized")
    for bias in treatments:
        other = _with(problem, problem.X, bias)
        truth = solve(other)
        told = f"with a {bias} bias: W is right and b is wrong, it should be {np.round(truth.b, 6).tolist()}"
        yield _mended(f"lost bias: {bias}", told, other, (primal[0], truth.b), truth)


def one_multiplier(problem: Problem, primal: Primal, truth: Solution) -> Iterator[Finding]:
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
    yield _mended("one multiplier", words, problem, (W, b), truth)


def preprocessed(problem: Problem, primal: Primal) -> Iterator[Finding]:
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
        (
            "features scaled to [-1, 1] first",
            lowest + np.ptp(X, axis=0) / 2,
            _spread(np.ptp(X, axis=0) / 2),
        ),
        ("features divided by their largest size first", zero, _spread(abs(X).max(axis=0))),
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
            yield _mended(f"scaled: {words}", words, other, (weights, bias), solve(other))


def row_left_out(problem: Problem, primal: Primal) -> Iterator[Finding]:
    """One example is not there; every class keeps one, and the ray test leaves few to solve."""
    count = np.bincount(problem.y, minlength=problem.d)
    for i in range(problem.n):
        if count[problem.y[i]] < 2:
            continue
        keep = np.arange(problem.n) != i
        weight = None if problem.sample_weight is None else problem.sample_weight[keep]
        other = _with(problem, problem.X[keep], problem.bias, problem.y[keep], weight)
        if possible(other, plain(other), *primal, {}):
            yield _mended("row left out", f"example {i} left out", other, primal, solve(other))


def absent_dropped(problem: Problem, primal: Primal) -> Iterator[Finding]:
    """A declared class without examples is no class: its column is 0, and the others are the optimum without it."""
    there = np.bincount(problem.y, minlength=problem.d) > 0
    if there.all() or there.sum() < 2 or problem.machine.fixed_d is not None:
        return
    W, b = primal
    if abs(W[:, ~there]).max() > 0 or abs(b[~there]).max() > 0:
        return
    number = np.cumsum(there) - 1
    other = Problem(
        problem.machine,
        problem.X,
        number[problem.y],
        C=problem.C,
        kernel=problem.kernel,
        bias=problem.bias,
        sample_weight=problem.sample_weight,
    )
    words = "the class without examples left out, its scores 0"
    yield _mended("absent class", words, other, (W[:, there], b[there]), solve(other))


def single_precision(problem: Problem, primal: Primal, claimed: Solution) -> Iterator[Finding]:
    """X rounded to float32 before the fit; or W itself in float32, and no further off than such numbers are apart."""
    single = problem.X.astype(np.float32).astype(float)
    if not np.array_equal(single, problem.X):
        other = _with(problem, single, problem.bias)
        yield _mended("float32: data", "X in float32", other, primal, solve(other))
    W = primal[0]
    short = np.array_equal(W, W.astype(np.float32).astype(float))
    if short and not np.array_equal(W, W.astype(np.float16).astype(float)):
        words = "its W in float32"
        yield _mended("float32: answer", words, problem, primal, claimed, SINGLE * problem.n)


SINGLE = 2.0**-20
"""Relative error per example that sums in float32 may cost: 2^-24 for each of a few roundings."""
STEPS, RANGE = 14, 1e6


def another_C(problem: Problem, primal: Primal) -> Iterator[Finding]:
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
    words = f"C·{truth.problem.C / problem.C:.6g}"
    yield _mended(f"C: {truth.problem.C / problem.C:.3g}", words, truth.problem, primal, truth)


def _spread(s: Array) -> Array:
    """Divisors: what does not vary is left as it is."""
    out: Array = np.where(s > 0, s, 1.0)
    return out


def _mended(
    kind: str, words: str, problem: Problem, primal: Primal, truth: Solution, allowed: float = 0.0
) -> Finding:
    certificate = judged(problem, primal, truth)
    return Finding((words,), problem, certificate, problem.C, kind=kind, allowed=allowed)


def _with(problem: Problem, X: Array, bias: Bias, y: Any = None, weight: Any = None) -> Problem:
    return Problem(
        problem.machine,
        X,
        problem.y if y is None else y,
        C=problem.C,
        kernel=problem.kernel,
        bias=bias,
        sample_weight=problem.sample_weight if y is None else weight,
        classes=range(problem.d),
    )
