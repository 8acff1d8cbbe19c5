"""certify(): recompute everything from the data, repair feasibility, and say what the candidate is worth."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from msvm_ref.errors import DataError, MsvmError
from msvm_ref.judge.bias import optimal_bias
from msvm_ref.judge.candidate import Candidate, candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.feasible import FeasibleDual, feasible_dual
from msvm_ref.judge.implicit import judge_implicit
from msvm_ref.judge.kkt import Centring, certificate_of
from msvm_ref.judge.objective import dual_value, expansion, primal_value
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.lower_bound import best_dual

Reference = Callable[[Problem], Any] | Any


def certify(
    problem: Problem,
    W: Any = None,
    b: Any = None,
    alpha: Any = None,
    coef: Any = None,
    scores: Any = None,
    *,
    reference: Reference = None,
    rigorous: bool = False,
) -> Certificate:
    """What a candidate is worth: primal (W or coef or scores, with b), dual (alpha, n x d), or both.

    A primal-only candidate gets its lower bound from the best dual point the judge can build. ``reference`` allows a
    ground truth to help: a Solution, or a callable such as ``msvm_ref.solve`` that makes one from the problem; only
    its multipliers and weights are used, and they are re-evaluated here like anyone's. ``rigorous`` re-evaluates lower
    and upper in exact and outward-rounded arithmetic (``judge.rigorous``), so that they are a theorem about the data.
    """
    if not isinstance(problem, Problem):
        raise DataError("problem", "be a Problem", repr(problem)[:80])
    handed = candidate(problem, W, b, alpha, coef, scores)
    if problem.is_implicit and handed.kernel_suffices and not rigorous and reference is None:
        return judge_implicit(problem, handed)
    handed = handed.explicit(problem)
    residual = None
    if scores is not None and handed.W is not None and handed.b is not None:
        wanted = np.asarray(scores, dtype=float)
        miss = abs(wanted - (problem.features @ handed.W + handed.b)).max(axis=1)
        residual = float(
            (
                miss
                / np.maximum(abs(wanted).max(axis=1), float(abs(problem.spec.gamma).max()) or 1.0)
            ).max()
        )
    helper = _helper(problem, reference)
    certificate = judge_candidate(problem, handed, residual, helper)
    if rigorous:
        if not math.isfinite(certificate.primal_value or 0.0):
            return replace(
                certificate,
                lower_from=f"{certificate.lower_from}; NOT rigorous: the candidate overflows",
            )
        from msvm_ref.exact.rigorous import made_rigorous

        return made_rigorous(problem, certificate, handed, helper)
    return certificate


def _helper(problem: Problem, reference: Reference) -> Candidate | None:
    """The reference's candidate, if it is one of this problem."""
    found = reference(problem) if callable(reference) else reference
    helper = getattr(found, "candidate", found)
    if helper is None:
        return None
    helper = helper.explicit(problem) if isinstance(helper, Candidate) else helper
    shapes = {
        "W": (problem.features.shape[1], problem.d),
        "b": (problem.d,),
        "alpha": (problem.n, problem.d),
    }
    if not isinstance(helper, Candidate) or any(
        getattr(helper, name) is not None and getattr(helper, name).shape != shape
        for name, shape in shapes.items()
    ):
        raise DataError(
            "reference",
            "be a Solution of this problem, or a callable that makes one",
            repr(found)[:80],
        )
    return helper


def judge_candidate(
    problem: Problem,
    handed: Candidate,
    scores_residual: float | None = None,
    helper: Candidate | None = None,
) -> Certificate:
    """The certificate of a Candidate already in feature coordinates."""
    dual, lower_from = _dual(problem, handed, helper)
    W, b = _primal(problem, handed, dual.alpha)
    upper, lower = primal_value(problem, W, b), dual_value(problem, dual.alpha)
    doubt = upper.radius + lower.radius
    if (
        doubt > 1e-3 * (upper.value - lower.value) and doubt > 1e-12 * upper.value
    ):  # rounding shows: take more digits
        upper = primal_value(problem, W, b, np.longdouble)
        lower = dual_value(problem, dual.alpha, np.longdouble)
    lowest = max(lower.low - dual.charge, 0.0)  # alpha = 0 is feasible and worth 0
    best_upper, best_lower = upper.high, lowest
    if (
        handed.alpha is None
    ):  # the judge's own dual point brings weights along, often better than the candidate's
        W_built, b_built = weights(problem, dual.alpha)
        best_upper = min(
            best_upper,
            primal_value(problem, W_built, b if problem.bias == "free" else b_built).high,
        )
    if helper is not None and helper.W is not None and helper.b is not None:
        best_upper = min(best_upper, primal_value(problem, helper.W, helper.b, np.longdouble).high)
    if helper is not None and handed.alpha is not None and helper.alpha is not None:
        other = feasible_dual(problem, helper.alpha)
        best_lower = max(
            best_lower, dual_value(problem, other.alpha, np.longdouble).low - other.charge
        )
    if best_lower > best_upper:
        raise MsvmError(
            "enclosure",
            "not be empty",
            f"[{best_lower!r}, {best_upper!r}]",
            "this is a bug in the judge; please report the problem and the candidate",
        )
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # an overflowing candidate has an infinite upper and no KKT blocks
        off, size = _off(problem, W, b, dual.alpha)
        scores = problem.features @ W + b
        centring = (
            None
            if handed.W is None
            else Centring(
                float(np.linalg.norm(handed.W.sum(axis=1))), float(np.linalg.norm(handed.W))
            )
        )
    known = certificate_of(
        problem, handed, centring, off, size, scores, dual, upper, lower, best_lower
    )
    return replace(
        known,
        upper=best_upper,
        lower_from=lower_from,
        scores_residual=scores_residual,
        gram_residual=problem.factor.residual,
    )


def _dual(
    problem: Problem, handed: Candidate, helper: Candidate | None
) -> tuple[FeasibleDual, str]:
    if handed.alpha is not None:
        return feasible_dual(problem, handed.alpha), "the candidate's alpha, repaired"
    if helper is not None and helper.alpha is not None:
        return feasible_dual(problem, helper.alpha), "the reference solution's alpha, re-evaluated"
    value = primal_value(problem, *handed.primal)
    W, b = (
        handed.primal
        if math.isfinite(value.high)
        else (np.zeros_like(handed.W), np.zeros(problem.d))
    )
    return feasible_dual(
        problem, best_dual(problem, W, b, value.value)
    ), "the dual point the judge built"


def _primal(problem: Problem, handed: Candidate, alpha: Array) -> tuple[Array, Array]:
    """The candidate's (W, b), centred where sum-to-zero asks for it; from alpha where only that was given."""
    if handed.W is not None and handed.b is not None:
        W, b = handed.W, handed.b
    else:
        W, b = weights(problem, alpha)
        if problem.bias == "free":
            b = optimal_bias(problem, problem.features @ W, alpha)
            b = min(
                (b, b * (1 + 1e-12)), key=lambda v: primal_value(problem, W, v).high
            )  # a vertex sits on its kink
    if problem.spec.sum_to_zero:
        W, b = W - W.mean(axis=1, keepdims=True), b - b.mean()
    return W, b


def weights(problem: Problem, alpha: Array) -> tuple[Array, Array]:
    """(W, b)_alpha; b is 0 unless penalized (a free bias is not determined by alpha)."""
    A = expansion(problem, alpha)
    return problem.features.T @ A, A.sum(axis=0) if problem.bias == "penalized" else np.zeros(
        problem.d
    )


def _off(problem: Problem, W: Array, b: Array, alpha: Array) -> tuple[Array, float]:
    """(||w_c - w_alpha,c||^2 [+ (b_c - b_alpha,c)^2] for each class, the larger norm): how far W is from stationary."""
    W_alpha, b_alpha = weights(problem, alpha)
    off = ((W - W_alpha) ** 2).sum(axis=0) + (
        (b - b_alpha) ** 2 if problem.bias == "penalized" else 0.0
    )
    return off, max(float(np.linalg.norm(W)), float(np.linalg.norm(W_alpha)))
