"""A certificate from what the judge recomputed: KKT blocks, faults of the candidate as handed in, and the bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.feasible import FeasibleDual, equality_residual
from msvm_ref.judge.objective import Enclosed, by_class, group_sums, slacks, violations
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem


@dataclass(frozen=True)
class _Kkt:
    stationarity: float
    worst_class: int
    complementarity: float


def _kkt(
    problem: Problem, off: Array, size: float, scores: Array, alpha: Array, upper: float
) -> _Kkt:
    """Stationarity W = W_alpha [b = b_alpha] and sum alpha (xi - t) + sum (C - group sum) xi, both relative."""
    t = violations(problem, scores)
    xi = slacks(problem, t)
    held = np.where(np.isfinite(t), alpha * (xi - np.where(np.isfinite(t), t, 0.0)), 0.0).sum()
    if problem.spec.quadratic:
        total, cost = group_sums(problem, alpha), problem.costs[:, None]
        rest = np.divide(
            (2 * cost * xi - total) ** 2, 4 * cost, out=np.zeros_like(xi), where=cost > 0
        ).sum()
    else:
        rest = ((problem.costs[:, None] - group_sums(problem, alpha)) * xi * _counts(problem)).sum()
    return _Kkt(
        math.sqrt(float(off.sum())) / max(size, 1e-300),
        int(off.argmax()),
        max(float(held + rest), 0.0) / max(upper, 1e-300),
    )


def _counts(problem: Problem) -> Array:
    return (
        np.ones((problem.n, 1))
        if problem.spec.shared
        else problem.spec.mask[problem.y].astype(float)
    )


@dataclass(frozen=True)
class Centring:
    """||sum_c w_c|| and ||W|| of the weights as handed in."""

    tilt: float
    size: float


def certificate_of(
    problem: Problem,
    handed: Candidate,
    centring: Centring | None,
    off: Array,
    size: float,
    scores: Array,
    dual: FeasibleDual,
    upper: Enclosed,
    lower: Enclosed,
    best_lower: float,
) -> Certificate:
    """The certificate from what was recomputed: values, scores (bias included) and the distance from stationarity.

    It takes the problem for its kernel; who judged a factor of its Gram adds that factor's residual.
    """
    kkt = (
        _kkt(problem, off, size, scores, dual.alpha, upper.value)
        if math.isfinite(upper.high)
        else None
    )
    centre, moved = _sum_to_zero(problem, handed.b, centring, max(upper.high - best_lower, 0.0))
    return Certificate(
        title=_title(problem),
        lower=best_lower,
        upper=upper.high,
        primal_value=upper.high if handed.W is not None or handed.coef is not None else None,
        dual_value=lower.low - dual.charge if handed.alpha is not None else None,
        distance_bound=moved + math.sqrt(2 * max(upper.high - best_lower, 0.0)),
        rounding=upper.radius + lower.radius + dual.charge,
        sum_to_zero=centre,
        sum_to_zero_required=problem.spec.sum_to_zero,
        **_dual_faults(problem, handed),
        stationarity=kkt.stationarity if kkt else None,
        worst_class=kkt.worst_class if kkt else None,
        complementarity=kkt.complementarity if kkt else None,
        scores_residual=None,
        alpha_built=handed.alpha is None,
        gram_residual=0.0,
        lower_from="the candidate's alpha, repaired",
    )


def _sum_to_zero(
    problem: Problem, b: Array | None, centring: Centring | None, gap: float
) -> tuple[float | None, float]:
    """(relative violation, distance that centring moves W) of the candidate as handed in.

    W is measured against itself and the distance its gap allows, b against the targets, each beyond its own rounding.
    """
    if centring is None or b is None or not math.isfinite(gap):
        return None, 0.0
    root = math.sqrt(problem.d)
    off, off_b = centring.tilt / root, abs(float(b.sum())) / root
    noise = 4 * problem.d * float(np.finfo(float).eps)
    size_b = float(np.linalg.norm(b))
    fault = (off if off > noise * centring.size else 0.0) / max(
        centring.size, math.sqrt(2 * gap), 1e-300
    )
    fault_b = (off_b if off_b > noise * size_b else 0.0) / max(
        float(abs(problem.spec.gamma).max()), 1e-300
    )
    return max(fault, fault_b), off if problem.spec.sum_to_zero else 0.0


def _dual_faults(problem: Problem, handed: Candidate) -> dict[str, float | None]:
    """Sign, bound, support and equality violations of alpha as handed in, relative to the C_i (or to alpha's own size)."""
    names = ("dual_sign", "dual_bound", "dual_support", "dual_equality")
    if handed.alpha is None:
        return dict.fromkeys(names)
    alpha, mask = handed.alpha, problem.spec.mask[problem.y]
    natural = (
        2 * float(abs(problem.spec.gamma).max()) or 1.0
    )  # the quadratic cost's alpha is 2 C xi
    scale = problem.costs[:, None] * (natural if problem.spec.quadratic else 1.0)
    scale = np.where(scale > 0, scale, 1e-300)  # where C_i = 0 any multiplier is wrong
    faults: dict[str, float | None] = {
        "dual_sign": float((np.maximum(-alpha, 0.0) / scale).max()),
        "dual_support": float((abs(np.where(mask, 0.0, alpha)) / scale).max()),
        "dual_bound": 0.0,
        "dual_equality": None,
    }
    if not problem.spec.quadratic:
        excess = float(
            (
                (group_sums(problem, np.where(mask, alpha, 0.0)) - problem.costs[:, None]) / scale
            ).max()
        )
        noise = problem.d * float(np.finfo(float).eps) if problem.spec.shared else 0.0
        faults["dual_bound"] = excess if excess > noise else 0.0
    if problem.bias == "free":
        residual = np.array(
            [abs(float(v)) for v in equality_residual(problem, np.where(mask, alpha, 0.0))]
        )
        mass = by_class(
            abs(problem.spec.projected_nu).transpose(0, 2, 1), problem.y, abs(alpha)
        ).sum(axis=0)
        relative = float((residual / np.maximum(mass, 1e-300)).max())  # class by class
        faults["dual_equality"] = (
            0.0 if relative <= problem.n * float(np.finfo(float).eps) else relative
        )
    return faults


def _title(problem: Problem) -> str:
    kernel = "" if problem.is_linear else f" · {problem.kernel}"
    return (
        f"{problem.machine.name} · n={problem.n} d={problem.d} p={problem.X.shape[1]} · C={problem.C:g} · "
        f"bias {problem.bias} · {problem.machine.cost} cost{kernel}"
    )
