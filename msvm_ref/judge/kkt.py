"""How far a candidate is from the optimality conditions, block by block, and how far its weights can be from the optimum."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.coefficients import sizes
from msvm_ref.judge.equality import as_float, equality_residual
from msvm_ref.judge.image import Image, WeightImage, expansion, image_of_coef
from msvm_ref.judge.objective import group_sums, slacks, violations
from msvm_ref.judge.rounding import EXTENDED, blocks, rounding
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
    off, b_alpha, left = np.zeros(problem.d), np.zeros(problem.d), 0.0
    if isinstance(image, WeightImage) and isinstance(alpha_image, WeightImage):
        off = np.asarray(((image.W - alpha_image.W) ** 2).sum(axis=0), dtype=float)
    for rows in blocks(problem.n, problem.d):
        A, f = expansion(problem, alpha, rows=rows)[0], np.asarray(image.at(rows)[0], dtype=float)
        if at.coef is not None and not isinstance(image, WeightImage):
            off += ((at.coef[rows] - A) * (f - alpha_image.at(rows)[0])).sum(axis=0)
        b_alpha += A.sum(axis=0)
        left += _left(problem, rows, alpha[rows], violations(problem, f + at.b, rows))
    off = np.maximum(off, 0.0)
    if problem.bias == "penalized":
        off = off + (at.b - b_alpha) ** 2
    size = math.sqrt(2 * max(image.half_norm.value, alpha_image.half_norm.value, 0.0))
    return {
        "stationarity": math.sqrt(float(off.sum())) / max(size, 1e-300),
        "worst_class": int(off.argmax()),
        "complementarity": max(left, 0.0) / max(value, 1e-300),
    }


def _left(problem: Problem, rows: slice, alpha: Array, t: Array) -> float:
    """What complementarity leaves of these examples, whose violations are t."""
    xi, counts = slacks(problem, t), np.isfinite(t)
    held = np.where(counts, alpha * (xi - np.where(counts, t, 0.0)), 0.0).sum()
    cost, total = problem.costs[rows, None], group_sums(problem, alpha)
    due = cost * _rate(problem, xi)
    share = np.divide(due + total, 2 * cost, out=np.zeros_like(xi), where=cost > 0)
    rest = (due - total) * (xi - problem.spec.width * share)
    if not problem.spec.shared:
        rest = np.where(problem.spec.mask[problem.y[rows]], rest, 0.0)
    return float(held + rest.sum())


def _rate(problem: Problem, xi: Array) -> Array:
    """phi'(xi), for the linear cost 1 everywhere (what it is at xi = 0 is multiplied by 0)."""
    spec = problem.spec
    if spec.width == 0:
        return np.ones_like(xi)
    return np.asarray((np.minimum(xi, spec.width) if spec.capped else xi) / spec.width)


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
        tilt = _tilt_of_coef(problem, at.coef, size, image)
    off, off_b = tilt / root, abs(float(at.b.sum())) / root
    size_b, target = math.hypot(*at.b.tolist()), float(abs(problem.spec.gamma).max())
    fault = (off if off > noise * size else 0.0) / max(size, math.sqrt(2 * gap), 1e-300)
    fault_b = (off_b if off_b > noise * size_b else 0.0) / max(target, 1e-300)
    return max(fault, fault_b)


def _tilt_of_coef(problem: Problem, coef: Array, size: float, image: Image) -> float:
    """At least ||sum_c w_c|| = ||sum_i r_i phi(x_i)||, r = sum_c coef_c: sum_i s_i |r_i| where that is next to nothing beside
    ||W||, else through the kernel; coefficients may cancel in W, so they say nothing of its size.

    Where nothing is asked of it the scores at hand will do for an estimate, whose square is sum_i r_i sum_c f_c(x_i).
    """
    r = coef.astype(np.longdouble).sum(axis=1, keepdims=True)
    error = rounding(problem.d, EXTENDED) * abs(coef).sum(axis=1, keepdims=True)
    most = float(problem.lengths @ (abs(r) + error)[:, 0])
    if most <= NEGLIGIBLE * size:
        return most
    if not problem.spec.sum_to_zero:
        parts = blocks(problem.n, problem.d)
        square = sum(float(r[rows, 0] @ image.at(rows)[0].sum(axis=1)) for rows in parts)
        return math.sqrt(max(square, 0.0))
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
        off = float(problem.lengths @ sums) * (1 + 1e-9)
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
    names = ("dual_sign", "dual_support", "dual_bound")
    if handed.alpha is None:
        return dict.fromkeys((*names, "dual_equality"))
    parts = blocks(problem.n, problem.d)
    found = [_group_faults(problem, rows, handed.alpha[rows]) for rows in parts]
    noise = problem.d * float(np.finfo(float).eps) if problem.spec.shared else 0.0
    sign, support, bound = (float(max(values)) for values in zip(*found, strict=True))
    faults: dict[str, float | None] = {
        **dict(zip(names, (sign, support, bound if bound > noise else 0.0), strict=True)),
        "dual_equality": None,
    }
    if problem.bias == "free":
        mask = problem.spec.mask[problem.y]
        residual = np.array(
            [
                abs(as_float(v))
                for v in equality_residual(problem, np.where(mask, handed.alpha, 0.0))
            ]
        )
        mass = sizes(problem.spec).expansion(problem.y, abs(handed.alpha)).sum(axis=0)
        relative = float((residual / np.maximum(mass, 1e-300)).max())  # class by class
        faults["dual_equality"] = (
            0.0 if relative <= problem.n * float(np.finfo(float).eps) else relative
        )
    return faults


def _group_faults(problem: Problem, rows: slice, alpha: Array) -> tuple[float, float, float]:
    """The largest of each kind among these examples: a wrong sign, a foreign component, a group beyond its C_i."""
    spec, mask = problem.spec, problem.spec.mask[problem.y[rows]]
    natural = 1.0
    if not spec.capped:  # alpha is C xi / h, xi about gamma
        natural = float(abs(spec.gamma).max()) / spec.width or 1.0
    cost = problem.costs[rows, None]
    scale = cost * natural
    scale = np.where(scale > 0, scale, 1e-300)  # where C_i = 0 any multiplier is wrong
    sign = (np.maximum(-alpha, 0.0) / scale).max()
    support = (abs(np.where(mask, 0.0, alpha)) / scale).max()
    if not spec.capped:
        return sign, support, 0.0
    excess = (group_sums(problem, np.where(mask, alpha, 0.0)) - cost) / scale
    return sign, support, excess.max()


def title(problem: Problem) -> str:
    kernel = "" if problem.is_linear else f" · {problem.kernel}"
    return (
        f"{problem.machine.name} · n={problem.n} d={problem.d} p={problem.X.shape[1]} · C={problem.C:g} · "
        f"bias {problem.bias} · {problem.machine.cost} cost{kernel}"
    )
