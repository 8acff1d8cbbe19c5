"""Answers that are right but for one thing: the bias, or a single multiplier. Each yields what to certify once it is mended."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from msvm_ref.judge.solution import Solution
from msvm_ref.methods import solve
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Bias, Problem

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
        other = Problem(problem.machine, problem.X, problem.y, C=problem.C, kernel=problem.kernel, bias=bias,
                        sample_weight=problem.sample_weight, classes=range(problem.d))
        truth = solve(other)
        told = f"with a {bias} bias: W is right and b is wrong, it should be {np.round(truth.b, 6).tolist()}"
        yield told, other, (primal[0], truth.b), truth


def one_multiplier(problem: Problem, primal: tuple[Array, Array], truth: Solution) -> Iterator[Mended]:
    """W = sum_i phi(x_i) coef_i', so one wrong multiplier leaves W* - W = t phi(x_i) v'.

    v = (Pi nu)[y_i, p] where alpha[i,p] is wrong, and v = e_m where the coefficient of one class is. At most one
    direction is tried: the one that leaves least of W* - W. Of one feature and two classes every W is such a multiple.
    """
    penalized = problem.bias == "penalized"
    best_W, best_b = truth.candidate.primal
    rows = np.column_stack([problem.features, np.ones(problem.n)]) if penalized else problem.features
    missing = best_W - primal[0]
    if penalized:
        missing = np.vstack([missing, best_b - primal[1]])
    if missing.size < MANY:
        return
    lengths = (rows * rows).sum(axis=1)
    seen = rows @ missing  # n x d: <phi(x_i), missing_m>
    size = float((missing * missing).sum())
    found: tuple[float, int, Array, str] | None = None
    for i in np.flatnonzero(lengths > 0).tolist():
        own = int(problem.y[i])
        directions = [(problem.spec.projected_nu[own, p], f"the multiplier of example {i} for component {p}")
                      for p in np.flatnonzero(problem.spec.mask[own])]
        directions += [(e, f"the coefficient of example {i} for class {m}") for m, e in enumerate(np.eye(problem.d))]
        for v, words in directions:
            norm = float(lengths[i] * (v @ v))
            t = float(seen[i] @ v) / norm if norm > 0 else 0.0
            left = size - t * t * norm
            if left < ALONG * size and (found is None or left < found[0] * (1 - 1e-9)):
                found = (left, i, t * v, f"but for one number: {words} is off by {abs(t):.4g}, as if lost or overwritten")
    if found is None:
        return
    _, at, change, words = found
    W = primal[0] + np.outer(problem.features[at], change)
    b = primal[1] + change if penalized else best_b if problem.bias == "free" else primal[1]
    yield words, problem, (W, b), truth
