"""The calls of certify that are made on one problem: which halves, in which form, with which reference, rigorous or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import msvm_ref as mr
from tests.adversary.candidates import Half, Pool
from tests.adversary.checks import Handed
from tests.adversary.draw import BIASES, Draw
from tests.adversary.evaluator import Exact, Weights
from tests.adversary.proved import Optimum
from tests.adversary.scaled import scaled
from tests.adversary.sources import solution

HALVES = {"both": 0.78, "dual": 0.16, "primal": 0.06}


@dataclass(frozen=True, eq=False)
class Call:
    """One call of certify: its keywords, what it says in exact numbers, and the names under which it is counted."""

    keywords: dict[str, Any]
    handed: Handed
    labels: dict[str, str]


@dataclass(frozen=True, eq=False)
class Case:
    """A problem, its exact form and its enclosed optimum."""

    draw: Draw
    problem: mr.Problem
    exact: Exact
    optimum: Optimum


class Helpers:
    """Solutions to hand in as references, made when first asked for: the right one, and a neighbouring problem's."""

    def __init__(self, case: Case, rng: np.random.Generator) -> None:
        self.case = case
        self.other = _neighbour(case.draw, rng)
        self.answer: Any = None

    @property
    def neighbour(self) -> Any:
        if self.other is None:
            return None
        if not hasattr(self, "_foreign"):
            self._foreign = None if self.case.problem.n > 40 else solution(self.other)
        return self._foreign

    @property
    def own(self) -> Any:
        """The package's own solution (of the merged problem it could not be used as a reference: n differs)."""
        if self.answer is None and self.case.problem.n <= 40:
            self.answer = solution(self.case.problem)
        return self.answer


def _neighbour(drawn: Draw, rng: np.random.Generator) -> mr.Problem | None:
    """The same data with another C, bias, cost, machine or labels."""
    what = rng.choice(("C", "bias", "bias", "cost", "machine", "labels"))
    given = drawn.arguments
    machine = given["machine"]
    changes: dict[str, Callable[[], dict[str, Any]]] = {
        "C": lambda: {"C": given["C"] * float(rng.choice((0.5, 2.0, 1 + 1e-9, 1 + 1e-6)))},
        "bias": lambda: {"bias": BIASES[(BIASES.index(given["bias"]) + rng.integers(1, 3)) % 3]},
        "cost": lambda: {
            "machine": machine.with_cost("linear" if machine.cost == "quadratic" else "quadratic")
        },
        "machine": lambda: {"machine": mr.CATALOGUE[rng.integers(len(mr.CATALOGUE))]},
        "labels": lambda: {"y": (np.asarray(given["y"]) + 1) % given["n_classes"]},
    }
    try:
        return drawn.problem(**changes[what]())
    except mr.MsvmError:
        return None


def drawn_call(case: Case, candidates: Pool, helpers: Helpers, rng: np.random.Generator) -> Call:
    halves = str(rng.choice(list(HALVES), p=list(HALVES.values())))
    primal = candidates.primal() if halves != "dual" else None
    dual = candidates.dual() if halves != "primal" else None
    keywords, handed, form = _presented(case, primal, dual, rng)
    labels = {
        "form": form,
        "primal": primal.kind if primal else "none",
        "dual": dual.kind if dual else "none",
        "mode": "plain",
    }
    mode = rng.random()
    if mode < 0.1:
        keywords["rigorous"], labels["mode"] = True, "rigorous"
    if 0.07 < mode < 0.2:
        reference, name = _reference(helpers, rng)
        if reference is not None:
            keywords["reference"] = reference
            labels["mode"] = name if mode >= 0.1 else f"rigorous, {name}"
    return Call(keywords, handed, labels)


def _reference(helpers: Helpers, rng: np.random.Generator) -> tuple[Any, str]:
    choice = rng.choice(("right", "wrong", "callable", "wrong callable"), p=(0.25, 0.5, 0.1, 0.15))
    right = choice in ("right", "callable")
    reference = helpers.own if right else helpers.neighbour
    if reference is None:
        return None, ""
    name = "right reference" if right else "neighbour's reference"
    if "callable" in choice:
        return (lambda _: reference), name + ", callable"
    return reference, name


def _presented(
    case: Case, primal: Half | None, dual: Half | None, rng: np.random.Generator
) -> tuple[dict[str, Any], Handed, str]:
    """The keywords of certify, and the same in exact numbers."""
    keywords: dict[str, Any] = {}
    alpha = None
    if dual is not None:
        keywords["alpha"] = dual.weights
        alpha = scaled(np.asarray(dual.weights).tolist())
    if primal is None:
        return keywords, Handed(None, alpha), "none"
    assert primal.b is not None, "a primal half has a bias"
    b, linear = scaled(primal.b.tolist()), case.problem.kernel == mr.linear
    if case.problem.bias != "none":
        keywords["b"] = primal.b
    form = "W" if linear else "coef"
    choice = rng.random()
    if choice < 0.06 and case.problem.n <= 40:
        scores = _scores(case, primal)
        if np.isfinite(scores).all():
            return keywords | {"scores": scores}, Handed(None, alpha, vague=True), "scores"
    if choice < 0.2 and linear and primal.kind != "neighbour":
        coef = _coefficients(case, primal, rng)
        exact = scaled(coef.tolist())
        return keywords | {"coef": coef}, Handed(Weights(b, coef=exact), alpha), "coef"
    exact = scaled(np.asarray(primal.weights).tolist())
    point = Weights(b, W=exact) if linear else Weights(b, coef=exact)
    return keywords | {form: primal.weights}, Handed(point, alpha), form


def _scores(case: Case, primal: Half) -> Any:
    """The candidate's training scores in floats, bias included."""
    problem = case.problem
    if problem.kernel == mr.linear:
        return np.asarray(problem.X @ primal.weights + primal.b)
    return np.asarray(problem.gram @ primal.weights + primal.b)


def _coefficients(case: Case, primal: Half, rng: np.random.Generator) -> Any:
    """Coefficients for a linear kernel: those of the optimal multipliers, spoiled a little where the candidate is."""
    try:
        coef = case.exact.expansion(case.optimum.alpha).floats()
    except OverflowError:
        return np.zeros((case.exact.n, case.exact.d))
    if primal.kind in ("optimum", "zero"):
        return coef * (primal.kind == "optimum")
    return coef * (1 + 10.0 ** -rng.uniform(1, 15.5) * rng.normal(size=coef.shape))
