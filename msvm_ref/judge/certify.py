"""certify(): recompute everything from the data, repair feasibility, and say what the candidate is worth."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from msvm_ref.errors import DataError, MsvmError
from msvm_ref.judge.bias import optimal_bias
from msvm_ref.judge.build import best_dual
from msvm_ref.judge.candidate import Candidate, candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.feasible import FeasibleDual, equality_residual, feasible_dual
from msvm_ref.judge.values import (
    Enclosed,
    by_class,
    dual_value,
    expansion,
    group_sums,
    primal_value,
    slacks,
    violations,
)
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem

Reference = Callable[[Problem], Any] | Any


def certify(problem: Problem, W: Any = None, b: Any = None, alpha: Any = None, coef: Any = None,
            scores: Any = None, *, reference: Reference = None, rigorous: bool = False) -> Certificate:
    """What a candidate is worth: primal (W or coef or scores, with b), dual (alpha, n x d), or both.

    A primal-only candidate gets its lower bound from the best dual point the judge can build. ``reference`` allows a
    ground truth to help: a Solution, or a callable such as ``msvm_ref.solve`` that makes one from the problem; only
    its multipliers and weights are used, and they are re-evaluated here like anyone's. ``rigorous`` re-evaluates lower
    and upper in exact and outward-rounded arithmetic (``judge.rigorous``), so that they are a theorem about the data.
    """
    if not isinstance(problem, Problem):
        raise DataError("problem", "be a Problem", repr(problem)[:80])
    handed = candidate(problem, W, b, alpha, coef, scores)
    residual = None
    if scores is not None and handed.W is not None and handed.b is not None:
        wanted = np.asarray(scores, dtype=float)
        miss = abs(wanted - (problem.features @ handed.W + handed.b)).max(axis=1)
        residual = float((miss / np.maximum(abs(wanted).max(axis=1), float(abs(problem.spec.gamma).max()) or 1.0)).max())
    helper = _helper(problem, reference)
    certificate = judge_candidate(problem, handed, residual, helper)
    if rigorous:
        if not math.isfinite(certificate.primal_value or 0.0):
            return replace(certificate, lower_from=f"{certificate.lower_from}; NOT rigorous: the candidate overflows")
        from msvm_ref.judge.rigorous import made_rigorous

        return made_rigorous(problem, certificate, handed, helper)
    return certificate


def _helper(problem: Problem, reference: Reference) -> Candidate | None:
    """The reference's candidate, if it is one of this problem."""
    found = reference(problem) if callable(reference) else reference
    helper = getattr(found, "candidate", found)
    if helper is None:
        return None
    shapes = {"W": (problem.features.shape[1], problem.d), "b": (problem.d,), "alpha": (problem.n, problem.d)}
    if not isinstance(helper, Candidate) or any(
            getattr(helper, name) is not None and getattr(helper, name).shape != shape for name, shape in shapes.items()):
        raise DataError("reference", "be a Solution of this problem, or a callable that makes one", repr(found)[:80])
    return helper


def judge_candidate(problem: Problem, handed: Candidate, scores_residual: float | None = None,
                    helper: Candidate | None = None) -> Certificate:
    """The certificate of a Candidate already in feature coordinates."""
    dual, lower_from = _dual(problem, handed, helper)
    W, b = _primal(problem, handed, dual.alpha)
    upper, lower = primal_value(problem, W, b), dual_value(problem, dual.alpha)
    doubt = upper.radius + lower.radius
    if doubt > 1e-3 * (upper.value - lower.value) and doubt > 1e-12 * upper.value:  # rounding shows: take more digits
        upper = primal_value(problem, W, b, np.longdouble)
        lower = dual_value(problem, dual.alpha, np.longdouble)
    lowest = max(lower.low - dual.charge, 0.0)  # alpha = 0 is feasible and worth 0
    best_upper, best_lower = upper.high, lowest
    if handed.alpha is None:  # the judge's own dual point brings weights along, often better than the candidate's
        W_built, b_built = weights(problem, dual.alpha)
        best_upper = min(best_upper, primal_value(problem, W_built, b if problem.bias == "free" else b_built).high)
    if helper is not None and helper.W is not None and helper.b is not None:
        best_upper = min(best_upper, primal_value(problem, helper.W, helper.b, np.longdouble).high)
    if helper is not None and handed.alpha is not None and helper.alpha is not None:
        other = feasible_dual(problem, helper.alpha)
        best_lower = max(best_lower, dual_value(problem, other.alpha, np.longdouble).low - other.charge)
    if best_lower > best_upper:
        raise MsvmError("enclosure", "not be empty", f"[{best_lower!r}, {best_upper!r}]",
                        "this is a bug in the judge; please report the problem and the candidate")
    return _certificate(problem, handed, W, b, dual, upper, lower, lowest, best_lower, best_upper, lower_from, scores_residual)


def _dual(problem: Problem, handed: Candidate, helper: Candidate | None) -> tuple[FeasibleDual, str]:
    if handed.alpha is not None:
        return feasible_dual(problem, handed.alpha), "the candidate's alpha, repaired"
    if helper is not None and helper.alpha is not None:
        return feasible_dual(problem, helper.alpha), "the reference solution's alpha, re-evaluated"
    value = primal_value(problem, *handed.primal)
    W, b = handed.primal if math.isfinite(value.high) else (np.zeros_like(handed.W), np.zeros(problem.d))
    return feasible_dual(problem, best_dual(problem, W, b, value.value)), "the dual point the judge built"


def _primal(problem: Problem, handed: Candidate, alpha: Array) -> tuple[Array, Array]:
    """The candidate's (W, b), centred where sum-to-zero asks for it; from alpha where only that was given."""
    if handed.W is not None and handed.b is not None:
        W, b = handed.W, handed.b
    else:
        W, b = weights(problem, alpha)
        if problem.bias == "free":
            b = optimal_bias(problem, problem.features @ W, alpha)
            b = min((b, b * (1 + 1e-12)), key=lambda v: primal_value(problem, W, v).high)  # a vertex sits on its kink
    if problem.spec.sum_to_zero:
        W, b = W - W.mean(axis=1, keepdims=True), b - b.mean()
    return W, b


def weights(problem: Problem, alpha: Array) -> tuple[Array, Array]:
    """(W, b)_alpha; b is 0 unless penalized (a free bias is not determined by alpha)."""
    A = expansion(problem, alpha)
    return problem.features.T @ A, A.sum(axis=0) if problem.bias == "penalized" else np.zeros(problem.d)


@dataclass(frozen=True)
class _Kkt:
    stationarity: float
    worst_class: int
    complementarity: float


def _kkt(problem: Problem, W: Array, b: Array, alpha: Array, upper: float) -> _Kkt:
    """Stationarity W = W_alpha [b = b_alpha] and sum alpha (xi - t) + sum (C - group sum) xi, both relative."""
    W_alpha, b_alpha = weights(problem, alpha)
    off = ((W - W_alpha) ** 2).sum(axis=0) + ((b - b_alpha) ** 2 if problem.bias == "penalized" else 0.0)
    size = max(float(np.linalg.norm(W)), float(np.linalg.norm(W_alpha)), 1e-300)
    t = violations(problem, problem.features @ W + b)
    xi = slacks(problem, t)
    held = np.where(np.isfinite(t), alpha * (xi - np.where(np.isfinite(t), t, 0.0)), 0.0).sum()
    if problem.spec.quadratic:
        total, cost = group_sums(problem, alpha), problem.costs[:, None]
        rest = np.divide((2 * cost * xi - total) ** 2, 4 * cost, out=np.zeros_like(xi), where=cost > 0).sum()
    else:
        rest = ((problem.costs[:, None] - group_sums(problem, alpha)) * xi * _counts(problem)).sum()
    return _Kkt(math.sqrt(float(off.sum())) / size, int(off.argmax()),
                max(float(held + rest), 0.0) / max(upper, 1e-300))


def _counts(problem: Problem) -> Array:
    return np.ones((problem.n, 1)) if problem.spec.shared else problem.spec.mask[problem.y].astype(float)


def _certificate(problem: Problem, handed: Candidate, W: Array, b: Array, dual: FeasibleDual, upper: Enclosed,
                 lower: Enclosed, lowest: float, best_lower: float, best_upper: float, lower_from: str,
                 scores_residual: float | None) -> Certificate:
    kkt = _kkt(problem, W, b, dual.alpha, upper.value) if math.isfinite(upper.high) else None
    centre, moved = _sum_to_zero(problem, handed, max(upper.high - best_lower, 0.0))
    return Certificate(
        title=_title(problem), lower=best_lower, upper=best_upper,
        primal_value=upper.high if handed.W is not None else None,
        dual_value=lower.low - dual.charge if handed.alpha is not None else None,
        distance_bound=moved + math.sqrt(2 * max(upper.high - best_lower, 0.0)),
        rounding=upper.radius + lower.radius + dual.charge,
        sum_to_zero=centre, sum_to_zero_required=problem.spec.sum_to_zero, **_dual_faults(problem, handed),
        stationarity=kkt.stationarity if kkt else None, worst_class=kkt.worst_class if kkt else None,
        complementarity=kkt.complementarity if kkt else None, scores_residual=scores_residual,
        alpha_built=handed.alpha is None, gram_residual=problem.factor.residual, lower_from=lower_from)


def _sum_to_zero(problem: Problem, handed: Candidate, gap: float) -> tuple[float | None, float]:
    """(relative violation, distance that centring moves W) of the candidate as handed in.

    W is measured against itself and the distance its gap allows, b against the targets, each beyond its own rounding.
    """
    if handed.W is None or handed.b is None or not math.isfinite(gap):
        return None, 0.0
    root = math.sqrt(problem.d)
    off = float(np.linalg.norm(handed.W.sum(axis=1))) / root
    off_b = abs(float(handed.b.sum())) / root
    noise = 4 * problem.d * float(np.finfo(float).eps)
    size, size_b = float(np.linalg.norm(handed.W)), float(np.linalg.norm(handed.b))
    fault = (off if off > noise * size else 0.0) / max(size, math.sqrt(2 * gap), 1e-300)
    fault_b = (off_b if off_b > noise * size_b else 0.0) / max(float(abs(problem.spec.gamma).max()), 1e-300)
    return max(fault, fault_b), off if problem.spec.sum_to_zero else 0.0


def _dual_faults(problem: Problem, handed: Candidate) -> dict[str, float | None]:
    """Sign, bound, support and equality violations of alpha as handed in, relative to the C_i (or to alpha's own size)."""
    names = ("dual_sign", "dual_bound", "dual_support", "dual_equality")
    if handed.alpha is None:
        return dict.fromkeys(names)
    alpha, mask = handed.alpha, problem.spec.mask[problem.y]
    natural = 2 * float(abs(problem.spec.gamma).max()) or 1.0  # the quadratic cost's alpha is 2 C xi
    scale = problem.costs[:, None] * (natural if problem.spec.quadratic else 1.0)
    scale = np.where(scale > 0, scale, 1e-300)  # where C_i = 0 any multiplier is wrong
    faults: dict[str, float | None] = {
        "dual_sign": float((np.maximum(-alpha, 0.0) / scale).max()),
        "dual_support": float((abs(np.where(mask, 0.0, alpha)) / scale).max()),
        "dual_bound": 0.0, "dual_equality": None}
    if not problem.spec.quadratic:
        excess = float(((group_sums(problem, np.where(mask, alpha, 0.0)) - problem.costs[:, None]) / scale).max())
        noise = problem.d * float(np.finfo(float).eps) if problem.spec.shared else 0.0
        faults["dual_bound"] = excess if excess > noise else 0.0
    if problem.bias == "free":
        residual = np.array([abs(float(v)) for v in equality_residual(problem, np.where(mask, alpha, 0.0))])
        mass = by_class(abs(problem.spec.projected_nu).transpose(0, 2, 1), problem.y, abs(alpha)).sum(axis=0)
        relative = float((residual / np.maximum(mass, 1e-300)).max())  # class by class
        faults["dual_equality"] = 0.0 if relative <= problem.n * float(np.finfo(float).eps) else relative
    return faults


def _title(problem: Problem) -> str:
    kernel = "" if problem.is_linear else f" · {problem.kernel}"
    return (f"{problem.machine.name} · n={problem.n} d={problem.d} p={problem.X.shape[1]} · C={problem.C:g} · "
            f"bias {problem.bias} · {problem.machine.cost} cost{kernel}")
