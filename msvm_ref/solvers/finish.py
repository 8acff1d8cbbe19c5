"""From what a backend left behind to the candidate worth judging.

A backend's alpha is repaired to dual feasibility. For the primal half there is a choice: the backend's own (W, b), or
W_alpha with the backend's b; each also scaled up a hair, which trades a little norm for violations that a large C
makes expensive. The cheapest by primal value goes to the judge.
"""

from __future__ import annotations

import numpy as np

from msvm_ref.judge.bias import shift_free
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.certify import judge_candidate, weights
from msvm_ref.judge.feasible import feasible_dual
from msvm_ref.judge.objective import primal_value
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem

STRETCH = (0.0, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8)


def finish(problem: Problem, raw: Candidate, tolerance: float) -> tuple[Candidate, Certificate]:
    """The best candidate that can be read off ``raw``, and its certificate; stretched only where that is needed."""
    alpha = feasible_dual(problem, raw.dual).alpha
    W_alpha, b_alpha = weights(problem, alpha)
    plain = [_centred(problem, W_alpha, raw.primal[1] if problem.bias == "free" else b_alpha)]
    if problem.is_linear:
        plain.append(_centred(problem, *raw.primal))
    plain += [
        (0 * W_alpha, 0 * b_alpha),
        _centred(problem, 0 * W_alpha, plain[0][1]),
    ]  # W* = 0 happens, and exactly
    W, b = _cheapest(problem, plain)
    if primal_value(problem, W, b).high == 0.0:
        alpha = 0 * alpha
    candidate = Candidate(W, b, alpha)
    certificate = judge_candidate(problem, candidate)
    if certificate.relative_gap <= tolerance:
        return candidate, certificate
    stretched = Candidate(
        *_cheapest(problem, [(W * (1 + s), b * (1 + s)) for W, b in plain for s in STRETCH]), alpha
    )
    return stretched, judge_candidate(problem, stretched)


def _cheapest(problem: Problem, options: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    return min(options, key=lambda pair: primal_value(problem, *pair).value)


def _centred(problem: Problem, W: Array, b: Array) -> tuple[Array, Array]:
    """sum_c w_c = 0 and sum_c b_c = 0 where the machine asks for it, or where it changes no margin and lowers the norm."""
    if problem.spec.sum_to_zero or shift_free(problem):
        return W - W.mean(axis=1, keepdims=True), b - b.mean()
    return np.asarray(W), np.asarray(b)
