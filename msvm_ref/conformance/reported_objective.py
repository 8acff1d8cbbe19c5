"""What a reported objective is, where it is not the objective: other sums over the same weights, each a number to compare with.

P = R + sum_i C_i L_i,  R = 1/2 ||W||^2 [+ 1/2 ||b||^2]          in the solver's own units throughout
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from msvm_ref.model.conventions.convention import Posed
from msvm_ref.model.loss import objective, violations

SAME = 1e-7
"""Relative: both are float64 sums over a few examples."""


def alternatives(posed: Posed, given: Mapping[str, Any]) -> dict[str, float]:
    """words -> value, for weights in our units."""
    problem = posed.problem
    if "W" not in given or not problem.is_linear:
        return {}
    W, b = given["W"], given.get("b", np.zeros(problem.d))
    total = objective(problem, W, b)
    ridge = float((W * W).sum()) / 2 + (float(b @ b) / 2 if problem.bias == "penalized" else 0.0)
    loss = total - ridge
    t = violations(problem, problem.features @ W + b)
    late = (t > 0).any(axis=1, keepdims=True) if problem.spec.shared else t > 0
    counted = float((problem.costs[:, None] * late).sum())
    values = {
        "violated margins counted instead of summed": ridge + counted,
        "the penalty without its half": 2 * ridge + loss,
        "the loss without the penalty": loss,
        "the penalty without the loss": ridge,
        "the mean loss instead of the sum": ridge + loss / problem.n,
        "the loss without its constant": ridge + loss / problem.C,
    }
    return {words: posed.objective(value) for words, value in values.items()}


def named(reported: float, posed: Posed, given: Mapping[str, Any]) -> set[str]:
    """Those that the reported number is."""
    return {
        words
        for words, value in alternatives(posed, given).items()
        if abs(reported - value) <= SAME * max(abs(value), 1e-300)
    }
