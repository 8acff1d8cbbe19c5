"""The problems a candidate may be the solution of instead: edits of a claim, and a cheap test that rules most of them out.

Along the ray t (W, b) the objective is t^2/2 R + sum_i C_i L(t f(x_i)), R = ||W||^2 [+ ||b||^2]. At an optimum 0 lies in its
subdifferential at t = 1, which for L = sum of hinges is an interval, so that C must lie in

    [R / -g_low, R / -g_high],    g = sum_i weight_i dL(t f(x_i))/dt at t = 1,  hinges within KINK of 0 counted both ways.

That is necessary, costs one pass over the data, and says for a given machine which C are possible at all.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.catalogue import CATALOGUE
from msvm_ref.model.loss import violations
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Bias, Problem

KINK, SLACK = 0.02, 0.03
MOST_EDITS = 3.5


@dataclass(frozen=True)
class Hypothesis:
    """An edited claim: W' = scale * (W[:, order], centred or transposed), at machine, C * factor, bias, weights."""

    machine: Machine
    scale: float
    factor: float
    bias: Bias
    sigma: float
    order: tuple[int, ...]
    weights: str
    shape: str
    words: tuple[str, ...]
    edits: float


def conversions(machine: Machine, n: int, d: int, C: float) -> list[tuple[float, float, str]]:
    """(scale of f, factor of C, words): C misread, or another way of writing the machine."""
    out = [(1.0, 1.0, "")]
    for factor, words in (
        (2, "C·2"),
        (0.5, "C/2"),
        (4, "C·4"),
        (0.25, "C/4"),
        (n, "C·n"),
        (1 / n, "C/n (mean for sum)"),
        (d - 1, "C·(d-1)"),
        (1 / (d - 1), "C/(d-1)"),
        (d, "C·d"),
        (1 / d, "C/d"),
        (1 / (C * C * n), "mean + C/2 ‖w‖² (C taken for lambda)"),
        (1 / (C * C), "C taken for 1/C"),
        (10, "C·10"),
        (0.1, "C/10"),
    ):
        if machine.margin_name == "relative" and factor == 2:
            words = "C·2, that is margin f_y - f_c >= 2 at C"
        out.append((1.0, float(factor), words))
    out += [
        (2.0, 1.0, "scores halved"),
        (0.5, 1.0, "scores doubled"),
        (-1.0, 1.0, "sign of f flipped"),
    ]
    if machine.margin_name == "relative":
        for mean, words in ((1.0, ""), (1 / n, ", C/n")):
            out += [
                (2.0, 4 * mean, f"margin f_y - f_c >= 1{words}"),
                (0.02, 0.04 * mean, f"margin f_y - f_c >= 100{words}"),
            ]
        out += [
            (1.0, 2 / n, "margin f_y - f_c >= 2, C/n"),
            (2.0, 2.0, "margin f_y - f_c >= 1 and ‖w‖² without the half"),
            (2.0, 4 / (C * C * n), "margin f_y - f_c >= 1, mean + C/2 ‖w‖² (C taken for lambda)"),
        ]
    if machine.margin_name == "absolute":
        out += [(float(d - 1), float(d - 1), "target 1/(d-1)"), (0.5, 0.5, "target 2")]
    unique: dict[tuple[float, float], str] = {}
    for scale, factor, words in out:
        unique.setdefault((scale, round(factor, 14)), words)
    return [(s, f, words) for (s, f), words in unique.items()]


def neighbours(problem: Problem, W: Array, b: Array) -> list[Hypothesis]:
    """Edits of the claim that pass the ray test, fewest edits first."""
    rays: dict[Any, Any] = {}
    hypotheses = [h for h in edits_of(problem, W, b) if possible(problem, h, W, b, rays)]
    return sorted(hypotheses, key=lambda h: h.edits)


def edited(problem: Problem, h: Hypothesis) -> Problem:
    """The problem of a hypothesis."""
    weight = _weights(problem, h.weights)
    X = problem.X if h.sigma == 1.0 else np.column_stack([problem.X, np.full(problem.n, h.sigma)])
    return Problem(
        h.machine,
        X,
        problem.y,
        C=problem.C * h.factor,
        kernel=problem.kernel,
        bias="none" if h.sigma != 1.0 else h.bias,
        sample_weight=weight,
        classes=range(problem.d),
    )


def moved(h: Hypothesis, W: Array, b: Array) -> tuple[Array, Array]:
    """The candidate under a hypothesis, in ``edited``'s coordinates."""
    weights, bias = (W.T if h.shape == "transposed" else W), b
    weights, bias = h.scale * weights[:, h.order], h.scale * bias[list(h.order)]
    if h.shape == "centred":
        weights, bias = weights - weights.mean(axis=1, keepdims=True), bias - bias.mean()
    if h.sigma != 1.0:
        return np.vstack([weights, bias / h.sigma]), np.zeros(len(bias))
    return weights, bias


def edits_of(problem: Problem, W: Array, b: Array) -> Iterator[Hypothesis]:
    """Every edit of the claim that is small enough, possible or not."""
    d = problem.d
    cost = problem.machine.cost
    machines = {m.name: m for m in (problem.machine, *(m.with_cost(cost) for m in CATALOGUE))}
    others = [
        m.with_cost("quadratic" if cost == "linear" else "linear") for m in (problem.machine,)
    ]
    biased = bool(abs(b).max(initial=0.0) > 0)
    treatments = _biases(problem, biased)
    shapes = [("as given", "", 0.0)]
    if abs(W.sum(axis=1)).max() > 1e-9 * max(abs(W).max(), 1e-300):
        shapes.append(("centred", "W uncentred", 0.5))
    if W.shape[0] == W.shape[1]:
        shapes.append(("transposed", "W transposed", 1.0))
    labels = _weightings(problem)
    for machine in (*machines.values(), *others):
        swap = 0.0 if machine == problem.machine else 1.5
        told = (
            f"{machine.cost} cost"
            if machine.name == problem.machine.name
            else f"not {problem.machine.name}"
        )
        name = told if swap else ""
        for (scale, factor, words), bias, order, shape, weight in itertools.product(
            conversions(machine, problem.n, d, problem.C), treatments, _orders(d), shapes, labels
        ):
            edits = swap + bool(words) + bias[3] + order[2] + shape[2] + weight[2]
            if edits <= MOST_EDITS:
                said = tuple(w for w in (name, words, bias[2], order[1], shape[1], weight[1]) if w)
                yield Hypothesis(
                    machine,
                    scale,
                    factor,
                    bias[0],
                    bias[1],
                    order[0],
                    weight[0],
                    shape[0],
                    said,
                    edits,
                )


def _biases(problem: Problem, biased: bool) -> list[tuple[Bias, float, str, float]]:
    """(treatment, sigma, words, edits); without a bias only where the candidate has none."""
    says: dict[Bias, str] = {
        "none": "no bias",
        "free": "a free bias",
        "penalized": "a penalized bias (K + 1)",
    }
    out: list[tuple[Bias, float, str, float]] = [
        (
            bias,
            1.0,
            "" if bias == problem.bias else f"{words} for {says[problem.bias]}",
            float(bias != problem.bias),
        )
        for bias, words in says.items()
        if bias != "none" or not biased
    ]
    if biased and problem.is_linear:
        cost = 1.0 + (problem.bias == "free")
        out += [
            ("penalized", s, f"intercept scaled by {s:g}", cost) for s in (10.0, 100.0, 1000.0, 0.1)
        ]
    return out


def _orders(d: int) -> list[tuple[tuple[int, ...], str, float]]:
    """Permutations of the classes: all for d <= 4, else swaps and shifts."""
    same = tuple(range(d))
    if d <= 4:
        every = list(itertools.permutations(same))
    else:
        every = [same, *(tuple(np.roll(same, k).tolist()) for k in range(1, d))]
        for i, j in itertools.combinations(same, 2):
            swapped = list(same)
            swapped[i], swapped[j] = j, i
            every.append(tuple(swapped))
    return [
        (
            o,
            ""
            if o == same
            else f"class k's scores stand in column {[o.index(k) for k in same]}"
            if d > 2
            else "the two classes swapped",
            float(o != same),
        )
        for o in every
    ]


def _weightings(problem: Problem) -> list[tuple[str, str, float]]:
    """(mode of ``_weights``, words, edits): those that are not what was given."""
    out = [("as given", "", 0.0), ("by index", "weights multiplied by the label's index", 1.0)]
    if problem.sample_weight is not None:
        out += [
            ("ignored", "sample weights ignored", 1.0),
            ("index", "the label's index in place of the weights", 1.0),
            ("mean 1", "sample weights normalised to mean 1", 1.0),
        ]
    if len(set(np.bincount(problem.y, minlength=problem.d).tolist())) > 1:
        out.append(("balanced", "classes weighted to balance, n / (d n_c)", 1.0))
    if len(np.unique(np.column_stack([problem.X, problem.y]), axis=0)) < problem.n:
        out.append(("once", "duplicates counted once", 1.0))
    return out


def _weights(problem: Problem, mode: str) -> Any:
    given = problem.sample_weight
    ones = np.ones(problem.n) if given is None else given
    if mode == "by index":
        return ones * (problem.y + 1.0)
    if mode == "index":
        return problem.y + 1.0
    if mode == "mean 1":
        return ones / ones.mean()
    if mode == "balanced":
        count = np.bincount(problem.y, minlength=problem.d)
        return ones * (problem.n / ((count > 0).sum() * count[problem.y]))
    if mode == "once":
        rows = np.column_stack([problem.X, problem.y])
        _, same, count = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        return ones / count[np.ravel(same)]
    return given if mode == "as given" else None


@dataclass(frozen=True)
class Ray:
    """||W||^2, ||b||^2 and the slopes [low_i, high_i] of the losses along t (W, b) at t = 1."""

    weights: float
    bias: float
    low: Array
    high: Array


def possible(problem: Problem, h: Hypothesis, W: Array, b: Array, rays: dict[Any, Any]) -> bool:
    """Is C * factor among the constants at which the ray through the candidate may be stationary? ``rays`` keeps results."""
    key = (h.machine, h.scale, h.order, h.shape)  # scores depend on nothing else
    if key not in rays:
        weights, bias = moved(replace(h, sigma=1.0), W, b)
        slopes = _slope(_with_machine(problem, h.machine, rays), problem.features @ weights + bias)
        rays[key] = Ray(float((weights * weights).sum()), float((bias * bias).sum()), *slopes)
    ray: Ray = rays[key]
    if (key, h.weights) not in rays:
        if h.weights not in rays:
            rays[h.weights] = _weights(problem, h.weights)
        weight = rays[h.weights]
        total = (
            (ray.low.sum(), ray.high.sum())
            if weight is None
            else (weight @ ray.low, weight @ ray.high)
        )
        rays[key, h.weights] = float(total[0]), float(total[1])
    ridge = ray.weights + (ray.bias / h.sigma**2 if h.bias == "penalized" else 0.0)
    smallest, largest = constants(ridge, *rays[key, h.weights])
    return smallest <= problem.C * h.factor <= largest


def constants(ridge: float, low: float, high: float) -> tuple[float, float]:
    """[R / -g_low, R / -g_high] with SLACK: the C at which the ray may be stationary."""
    smallest = ridge / -low if low < 0 else math.inf
    largest = ridge / -high if high < 0 else math.inf
    return smallest * (1 - SLACK), largest * (1 + SLACK)


def plain(problem: Problem) -> Hypothesis:
    """The claim itself."""
    return Hypothesis(
        problem.machine,
        1.0,
        1.0,
        problem.bias,
        1.0,
        tuple(range(problem.d)),
        "as given",
        "as given",
        (),
        0.0,
    )


def _with_machine(problem: Problem, machine: Machine, kept: dict[Any, Any]) -> Problem:
    """The problem's data under another machine, made once for ``kept``."""
    if machine not in kept:
        kept[machine] = Problem(
            machine, problem.X, problem.y, kernel=problem.kernel, classes=range(problem.d)
        )
    other: Problem = kept[machine]
    return other


def _slope(problem: Problem, scores: Array) -> tuple[Array, Array]:
    """[low_i, high_i] of dL(t f_i)/dt at t = 1; -mu = t_violation - gamma on the components that count."""
    t = violations(problem, scores)
    counts = np.isfinite(t)
    rate = np.where(counts, np.where(counts, t, 0.0) - problem.spec.gamma[problem.y], 0.0)
    if problem.spec.quadratic:
        xi = np.maximum(np.where(counts, t, 0.0), 0.0)
        if problem.spec.shared:
            top = (xi == xi.max(axis=1, keepdims=True)) & counts
            step = np.where(top, 2 * xi * rate, 0.0)
            return step.min(axis=1) * 1.01, step.max(axis=1) * 0.99
        total = (2 * xi * rate).sum(axis=1)
        return total - KINK * abs(total), total + KINK * abs(total)
    near, active = counts & (abs(t) <= KINK), counts & (t > KINK)
    if not problem.spec.shared:
        sure = np.where(active, rate, 0.0).sum(axis=1)
        unsure = np.where(near, rate, 0.0)
        return sure + np.minimum(unsure, 0).sum(axis=1), sure + np.maximum(unsure, 0).sum(axis=1)
    worst = t.max(axis=1, keepdims=True)
    leading = counts & (t >= worst - KINK) & (t > -KINK)
    low = np.where(leading, rate, np.inf).min(axis=1)
    high = np.where(leading, rate, -np.inf).max(axis=1)
    idle = ~leading.any(axis=1)
    low, high = np.where(idle, 0.0, low), np.where(idle, 0.0, high)
    loose = worst[:, 0] <= KINK
    return np.where(loose, np.minimum(low, 0), low), np.where(loose, np.maximum(high, 0), high)
