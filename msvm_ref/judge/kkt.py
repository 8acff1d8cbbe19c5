"""How far a candidate is from the optimality conditions, block by block, and how far its weights can be from the optimum."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.coefficients import sizes
from msvm_ref.judge.equality import as_float, equality_residual
from msvm_ref.judge.feasible import lengths
from msvm_ref.judge.image import image_of_coef
from msvm_ref.judge.objective import (
    EXTENDED,
    Image,
    expansion,
    group_sums,
    rounding,
    slacks,
    violations,
)
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem

NEGLIGIBLE = 1e-13
"""A part of ||W|| below which no tolerance sees a tilt."""


def kkt(
    problem: Problem, at: Candidate, image: Image, alpha: Array, alpha_image: Image, value: float
) -> dict[str, Any]:
    """Stationarity W = W_alpha [b = b_alpha] and sum alpha (xi - t) + sum (C phi(xi) + h a^2 / (2C) - a xi), both relative.

    a is the sum of a slack group; its term is (C phi' - a) (xi - h (C phi' + a) / (2C)), for the linear cost (C - a) xi.
    """
    assert at.b is not None
    A = expansion(problem, alpha)[0]
    off, size = _off(problem, at, A, image, alpha_image)
    t = violations(problem, np.asarray(image.scores + at.b, dtype=float))
    xi = slacks(problem, t)
    counts = np.isfinite(t)
    held = np.where(counts, alpha * (xi - np.where(counts, t, 0.0)), 0.0).sum()
    cost, total = problem.costs[:, None], group_sums(problem, alpha)
    due = cost * _rate(problem, xi)
    share = np.divide(due + total, 2 * cost, out=np.zeros_like(xi), where=cost > 0)
    rest = ((due - total) * (xi - problem.spec.width * share) * _counts(problem)).sum()
    return {
        "stationarity": math.sqrt(float(off.sum())) / max(size, 1e-300),
        "worst_class": int(off.argmax()),
        "complementarity": max(float(held + rest), 0.0) / max(value, 1e-300),
    }


def _off(
    problem: Problem, at: Candidate, A: Array, image: Image, alpha_image: Image
) -> tuple[Array, float]:
    """(||w_c - w_alpha,c||^2 [+ (b_c - b_alpha,c)^2] for each class, the larger norm): how far W is from stationary."""
    assert at.b is not None
    if at.W is not None:
        off = ((at.W - problem.features.T @ A) ** 2).sum(axis=0)
    else:
        assert at.coef is not None
        difference = np.asarray(image.scores - alpha_image.scores, dtype=float)
        off = np.maximum(((at.coef - A) * difference).sum(axis=0), 0.0)
    if problem.bias == "penalized":
        off = off + (at.b - A.sum(axis=0)) ** 2
    return off, math.sqrt(2 * max(image.half_norm.value, alpha_image.half_norm.value, 0.0))


def _rate(problem: Problem, xi: Array) -> Array:
    """phi'(xi), for the linear cost 1 everywhere (what it is at xi = 0 is multiplied by 0)."""
    spec = problem.spec
    if spec.width == 0:
        return np.ones_like(xi)
    return np.asarray((np.minimum(xi, spec.width) if spec.capped else xi) / spec.width)


def _counts(problem: Problem) -> Array:
    return (
        np.ones((problem.n, 1))
        if problem.spec.shared
        else problem.spec.mask[problem.y].astype(float)
    )


def sum_to_zero_fault(problem: Problem, at: Candidate, image: Image, gap: float) -> float | None:
    """||sum_c w_c|| and |sum_c b_c| over sqrt(d), W measured against itself and the distance its gap allows, b against the
    targets, each beyond its own rounding.
    """
    if at.b is None or not math.isfinite(gap):
        return None
    root, noise = math.sqrt(problem.d), 4 * problem.d * float(np.finfo(float).eps)
    if at.W is not None:
        tilt, size = float(np.linalg.norm(at.W.sum(axis=1))), float(np.linalg.norm(at.W))
    else:
        assert at.coef is not None
        size = math.sqrt(max(2 * image.half_norm.value, 0.0))
        tilt = _tilt_of_coef(problem, at.coef, size)
    off, off_b = tilt / root, abs(float(at.b.sum())) / root
    size_b, target = math.hypot(*at.b.tolist()), float(abs(problem.spec.gamma).max())
    fault = (off if off > noise * size else 0.0) / max(size, math.sqrt(2 * gap), 1e-300)
    fault_b = (off_b if off_b > noise * size_b else 0.0) / max(target, 1e-300)
    return max(fault, fault_b)


def _tilt_of_coef(problem: Problem, coef: Array, size: float) -> float:
    """At least ||sum_c w_c|| = ||sum_i r_i phi(x_i)||, r = sum_c coef_c: sum_i s_i |r_i| where that is next to nothing beside
    ||W||, else through the kernel; coefficients may cancel in W, so they say nothing of its size.
    """
    r = coef.astype(np.longdouble).sum(axis=1, keepdims=True)
    error = rounding(problem.d, EXTENDED) * abs(coef).sum(axis=1, keepdims=True)
    most = float(lengths(problem) @ (abs(r) + error)[:, 0])
    if most <= NEGLIGIBLE * size:
        return most
    return math.sqrt(2 * max(image_of_coef(problem, r.astype(float), 0, error).half_norm.high, 0.0))


def distance_bound(problem: Problem, at: Candidate, above: float, lower: float) -> float:
    """||W - W*|| <= ||W - Pi W|| + sqrt(2 (P(Pi W) - optimum)), every step rounded up; the first term only under sum-to-zero.

    ||W - Pi W|| = ||sum_c w_c|| / sqrt(d), and ||sum_i r_i phi(x_i)|| <= sum_i s_i |r_i| where W is given by its coef.
    """
    if not math.isfinite(above):
        return math.inf
    excess = Fraction(above) - Fraction(lower)
    reach = _root_up(2 * max(excess, Fraction(0)))
    if not problem.spec.sum_to_zero:
        return reach
    rows = at.W if at.W is not None else at.coef
    assert rows is not None
    sums = abs(rows.sum(axis=1)) + rounding(problem.d) * abs(rows).sum(axis=1)
    if at.W is None:
        off = float(lengths(problem) @ sums) * (1 + 1e-9)
        square = Fraction(off) ** 2 if math.isfinite(off) else None
    else:
        square = (
            sum((Fraction(v) ** 2 for v in sums.tolist()), Fraction(0))
            if np.isfinite(sums).all()
            else None
        )
    if square is None:
        return math.inf
    return math.nextafter(reach + _root_up(square / problem.d), math.inf) if square else reach


def _root_up(value: Fraction) -> float:
    """The square root, rounded up."""
    if value <= 0:
        return 0.0
    shift = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = value / (Fraction(4) ** shift)  # in [1/4, 4]: its root is good to an ulp
    try:
        return math.nextafter(
            math.ldexp(math.nextafter(math.sqrt(scaled), math.inf), shift), math.inf
        )
    except OverflowError:
        return math.inf


def dual_faults(problem: Problem, handed: Candidate) -> dict[str, Any]:
    """Sign, bound, support and equality violations of alpha as handed in, relative to the C_i (or to alpha's own size)."""
    names = ("dual_sign", "dual_bound", "dual_support", "dual_equality")
    if handed.alpha is None:
        return dict.fromkeys(names)
    alpha, mask = handed.alpha, problem.spec.mask[problem.y]
    natural = 1.0
    if not problem.spec.capped:  # alpha is C xi / h, xi about gamma
        natural = float(abs(problem.spec.gamma).max()) / problem.spec.width or 1.0
    scale = problem.costs[:, None] * natural
    scale = np.where(scale > 0, scale, 1e-300)  # where C_i = 0 any multiplier is wrong
    faults: dict[str, float | None] = {
        "dual_sign": float((np.maximum(-alpha, 0.0) / scale).max()),
        "dual_support": float((abs(np.where(mask, 0.0, alpha)) / scale).max()),
        "dual_bound": 0.0,
        "dual_equality": None,
    }
    if problem.spec.capped:
        excess = float(
            (
                (group_sums(problem, np.where(mask, alpha, 0.0)) - problem.costs[:, None]) / scale
            ).max()
        )
        noise = problem.d * float(np.finfo(float).eps) if problem.spec.shared else 0.0
        faults["dual_bound"] = excess if excess > noise else 0.0
    if problem.bias == "free":
        residual = np.array(
            [abs(as_float(v)) for v in equality_residual(problem, np.where(mask, alpha, 0.0))]
        )
        mass = sizes(problem.spec).expansion(problem.y, abs(alpha)).sum(axis=0)
        relative = float((residual / np.maximum(mass, 1e-300)).max())  # class by class
        faults["dual_equality"] = (
            0.0 if relative <= problem.n * float(np.finfo(float).eps) else relative
        )
    return faults


def title(problem: Problem) -> str:
    kernel = "" if problem.is_linear else f" · {problem.kernel}"
    return (
        f"{problem.machine.name} · n={problem.n} d={problem.d} p={problem.X.shape[1]} · C={problem.C:g} · "
        f"bias {problem.bias} · {problem.machine.cost} cost{kernel}"
    )
