"""What a softmax solution is worth: a duality gap where the problem is convex, stationarity where it is not.

A loss that is convex in the scores has affine minorants, loss_i(f) >= constant_i - sum_u a_iu s_iu with a >= 0. For any of them

    optimum >= D = sum_i C_i constant_i - 1/2 ||V_a||^2 - {0, 1/2 ||b_a||^2, R ||b_a||_1}    (bias none, penalized, free)

V_a, b_a as in ``SoftmaxProblem.expansion``: the Fenchel dual. The minorants are tangents at the candidate: for a smooth loss
constant_i = loss_i + sum a s and a the rates of (1.5), and then

    P - D = 1/2 ||V - V_a||^2 [+ 1/2 ||b - b_a||^2] = 1/2 ||gradient||^2,

the bound that 1-strong convexity gives. At gamma = 1 D is the entropy dual of multinomial logistic regression: constant_i is
the entropy of (1 - sum a, a). With a free bias b* is boxed: each loss is at least f_u - f_y, so P <= ``upper`` keeps
b*_u - b*_y below min_i (upper / C_i + sqrt(2 upper) ||x~_i|| ||L_u - L_y||) over the examples i of class y, and with sum b* = 0
(a common shift changes no loss) |b*_c| <= R, the largest of these.
A hinge has kinks: there any slope in [0, 1] will do, and the one that brings V_a closest to V is taken (bounded least squares).
``rounding`` is an allowance for float64 (a first-order estimate, not a proof), off ``lower`` and on ``upper`` already.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear

from msvm_ref.errors import DataError, MsvmError
from msvm_ref.judge.rounding import rounding
from msvm_ref.model.arrays import Array, real_array
from msvm_ref.softmax.loss import (
    base_loss,
    base_slope,
    by_score,
    counted,
    losses_and_rates,
    margins,
    smax,
    smax_weights,
)
from msvm_ref.softmax.problem import SoftmaxProblem, is_softmax

KINK = 1e-6
"""A margin within KINK of 1 counts as on the hinge's kink: its slope may be anything in [0, 1]."""


@dataclass(frozen=True)
class SoftmaxCertificate:
    """lower <= optimum <= upper where ``convex``; otherwise ``lower`` is 0 and only ``stationarity`` says anything.

    ``stationarity``: norm of the smallest (sub)gradient found, over the larger of ||V|| and ||V_a||.
    """

    lower: float
    upper: float
    convex: bool
    stationarity: float
    gradient_norm: float
    rounding: float

    @property
    def gap(self) -> float:
        return max(self.upper - self.lower, 0.0)

    @property
    def relative_gap(self) -> float:
        return self.gap / self.upper if self.upper > 0 else 0.0

    def optimal(self, tol: float = 1e-6) -> bool:
        """Within ``tol`` (relative) of the optimum? Never claimed of a problem that is not convex."""
        return self.convex and self.relative_gap <= tol

    def to_dict(self) -> dict[str, Any]:
        told = {f.name: getattr(self, f.name) for f in fields(self)}
        return told | {"gap": self.gap, "relative_gap": self.relative_gap}

    def __str__(self) -> str:
        if not self.convex:
            return (
                f"NOT CONVEX: a stationary point at best, no bound on the optimum\n"
                f"value {self.upper:.10g}   stationarity {self.stationarity:.1e}"
            )
        return (
            f"optimum in [{self.lower:.12g}, {self.upper:.12g}]   relative gap {self.relative_gap:.1e}\n"
            f"stationarity {self.stationarity:.1e}"
        )


def certify_softmax(
    problem: SoftmaxProblem, V: Any, b: Any, weights: Any = None, slopes: Any = None
) -> SoftmaxCertificate:
    """Recompute the value, the gradient and, where the problem is convex, the dual bound.

    ``weights`` (n x d, on each row's classes) and ``slopes`` may come from a solver's multipliers: which classes share the
    maximum at gamma = inf, which slope a hinge takes at its kink. They are clipped to what is admissible, never believed.
    """
    V, b = _point(is_softmax(problem), V, b)
    weights, slopes = (
        _multipliers(problem, name, given)
        for name, given in (("weights", weights), ("slopes", slopes))
    )
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below
        return _certificate(problem, V, b, weights, slopes)


def _point(problem: SoftmaxProblem, V: Any, b: Any) -> tuple[Array, Array]:
    shapes = (problem.zeros()[0].shape, (problem.d,))
    V, b = real_array("V", V, 2, "(features, rank of k_Y)"), real_array("b", b, 1, "(classes,)")
    if (V.shape, b.shape) != shapes:
        raise DataError(
            "V, b", f"have shapes {shapes[0]} and {shapes[1]}", f"{V.shape} and {b.shape}"
        )
    if (
        problem.bias == "none" and b.any()
    ):  # it would buy a value below the optimum with a bias the problem does not have
        raise DataError("b", "be zero for bias='none'", repr(b.tolist()))
    return V, b


def _multipliers(problem: SoftmaxProblem, name: str, given: Any) -> Array | None:
    if given is None:
        return None
    array, shape = real_array(name, given, 2, "(examples, classes)"), (problem.data.n, problem.d)
    if array.shape != shape:
        raise DataError(name, f"have shape {shape}", f"{array.shape}")
    return array


def _certificate(
    problem: SoftmaxProblem, V: Array, b: Array, weights: Array | None, slopes: Array | None
) -> SoftmaxCertificate:
    scores = problem.scores(V, b)
    upper = float(problem.value(V, b))
    if problem.smooth:
        loss, a = losses_and_rates(scores, problem.y, problem.gamma, problem.loss, problem.printed)
        tangent = loss + (a * margins(scores, problem.y)).sum(axis=1)
    else:
        a, tangent = _kinked(problem, scores, V, b, weights, slopes)
    V_a, b_a = problem.expansion(a)
    allowance = _allowance(problem, scores, V, a, tangent, V_a, upper)
    g = problem.gradient_from(V, b, a)
    norm = math.hypot(float(np.linalg.norm(g[0])), float(np.linalg.norm(g[1])))
    size = max(float(np.linalg.norm(V)), float(np.linalg.norm(V_a)), 1e-300)
    dual = float(problem.costs @ tangent) - float((V_a**2).sum()) / 2
    if problem.bias == "penalized":
        dual -= float(b_a @ b_a) / 2
    elif problem.bias == "free":
        pull = problem.costs @ abs(
            by_score(a, problem.y)
        )  # what b_a was summed from, class by class
        b_error = rounding(problem.data.n + problem.d + 8) * float(pull.sum())
        furthest = _reach(problem, upper + allowance)
        dual -= furthest * (float(abs(b_a).sum()) + b_error) * (1 + 1e-9)
    lower, upper = max(dual - allowance, 0.0) if problem.convex else 0.0, upper + allowance
    if not upper < math.inf:  # NaN included
        raise DataError(
            "V, b", "have a value within float64", repr(upper), "no optimum is that far out"
        )
    if not lower <= upper:
        raise MsvmError(
            "enclosure",
            "not be empty",
            f"[{lower!r}, {upper!r}]",
            "this is a bug; please report the data",
        )
    return SoftmaxCertificate(lower, upper, problem.convex, norm / size, norm, allowance)


def _kinked(
    problem: SoftmaxProblem,
    scores: Array,
    V: Array,
    b: Array,
    weights: Array | None,
    slopes: Array | None,
) -> tuple[Array, Array]:
    """Rates and constants of minorants of smax(l(s)) by parts: smax(t') >= smax(t) + <w, t' - t>, t'_u >= the tangent of l.

    (Where the softmax is not convex in t this is no minorant; the rates still make the gradient.)
    """
    s = margins(scores, problem.y)
    counts = counted(problem.y, problem.d, problem.printed)
    t = base_loss(problem.loss, s)
    if weights is not None and math.isinf(problem.gamma):
        shares = np.where(counts, np.maximum(weights, 0.0), 0.0)
        total = shares.sum(axis=1, keepdims=True)
        w = np.where(
            total > 0,
            shares / np.where(total > 0, total, 1.0),
            smax_weights(t, problem.gamma, counts),
        )
        base = np.zeros(len(s))  # max(t') >= <w, t'> for any w in the simplex
    else:
        w = smax_weights(t, problem.gamma, counts)
        base = smax(t, problem.gamma, counts) - (w * np.where(counts, t, 0.0)).sum(axis=1)
    if problem.loss == "hinge":
        theta = base_slope("hinge", s) if slopes is None else np.clip(slopes, 0.0, 1.0)
        own = np.arange(len(s)), problem.y
        theta[own] = 1.0  # s = 0 there: no kink
        if slopes is None:
            theta = _best_slopes(problem, s, w, theta, V, b)
        intercept = theta
    else:
        theta = base_slope("logistic", s)
        intercept = t + theta * s
    constant = base + (w * np.where(counts, intercept, 0.0)).sum(axis=1)
    a = w * theta
    a[np.arange(len(s)), problem.y] = 0.0
    return a, constant


def _best_slopes(
    problem: SoftmaxProblem, s: Array, w: Array, theta: Array, V: Array, b: Array
) -> Array:
    """The slopes at the kinks that make the subgradient smallest: least squares in [0, 1]."""
    kinks = (abs(s - 1) <= KINK) & (w > 0) & (problem.costs > 0)[:, None]
    kinks[np.arange(len(s)), problem.y] = False
    where = np.argwhere(kinks)
    theta = np.where(kinks, 0.0, theta)
    if not len(where):
        return theta

    def flat(a: Array) -> Array:
        gradient = problem.gradient_from(V, b, a)
        return np.concatenate([gradient[0].ravel(), gradient[1]])

    silent = w * theta
    silent[np.arange(len(s)), problem.y] = 0.0
    rest = flat(silent)
    columns = []
    for i, u in where:
        one = silent.copy()
        one[i, u] = w[i, u]
        columns.append(flat(one) - rest)
    theta[tuple(where.T)] = lsq_linear(
        np.column_stack(columns), -rest, bounds=(0.0, 1.0), tol=1e-14
    ).x
    return theta


def _reach(problem: SoftmaxProblem, upper: float) -> float:
    """R: the largest |b*_c| that ``upper`` leaves possible."""
    L, norms = problem.label_factor, np.linalg.norm(problem.features, axis=1)
    reach = 0.0
    for y in range(problem.d):
        members = (problem.y == y) & (problem.costs > 0)
        for u in range(problem.d):
            if u != y:
                apart = float(np.linalg.norm(L[u] - L[y]))
                furthest = (
                    upper / problem.costs[members] + math.sqrt(2 * upper) * norms[members] * apart
                )
                reach = max(reach, float(furthest.min()))
    return reach


def _allowance(
    problem: SoftmaxProblem,
    scores: Array,
    V: Array,
    a: Array,
    tangent: Array,
    V_a: Array,
    value: float,
) -> float:
    """First-order rounding of P and D: of the scores, of the losses and constants, of ||V_a||^2 / 2."""
    phi, L, y = problem.features, problem.label_factor, problem.y
    unit = rounding(len(phi) + phi.shape[1] + problem.d + 32)
    size = abs(phi) @ abs(V) @ abs(L).T + abs(scores)
    size = size + np.take_along_axis(size, y[:, None], axis=1)
    weighty = abs(tangent) + (a * size).sum(axis=1) + 1e-3
    spread = abs(phi).T @ (problem.costs[:, None] * abs(by_score(a, y))) @ abs(L)
    return unit * (value + float(problem.costs @ weighty + (abs(V_a) * spread).sum()))
