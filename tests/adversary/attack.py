"""One attack: draw a problem from a seed, enclose its optimum, hand candidates to the judge, hold every claim against the truth."""

from __future__ import annotations

import math
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import msvm_ref as mr
from tests.adversary.candidates import Half, Pool, pool
from tests.adversary.checks import TOLERANCES, Broken, Handed, broken
from tests.adversary.draw import BIASES, Draw, draw
from tests.adversary.evaluator import Exact, Weights
from tests.adversary.proved import Optimum, best_biases, enclosed
from tests.adversary.scaled import scaled
from tests.adversary.sources import solution

CALLS, CALLS_WHERE_SLOW = 40, 8
SECONDS = 60
Certify = Callable[..., Any]


@dataclass
class Outcome:
    """What was drawn and checked, by name, and what was broken: (index, call, claim, detail)."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)

    def count(self, what: str, name: str, times: int = 1) -> None:
        self.counts[what, name] += times


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


def attack(seed: int, index: int, certify: Certify = mr.certify) -> Outcome:
    """Problem ``index`` of stream ``seed``, with all its candidates; the same again for the same numbers."""
    outcome, rng = Outcome(), np.random.default_rng([seed, index])
    drawn = draw(rng)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            with time_limit(SECONDS):
                case = made(drawn, outcome)
                if case is not None:
                    _attack_case(case, rng, certify, outcome, index)
        except TimeoutError:
            outcome.count("problems", "out of time")
    return outcome


def made(drawn: Draw, outcome: Outcome) -> Case | None:
    """The case of a draw; None where the package refuses the problem with a typed error."""
    try:
        problem = drawn.problem()
    except mr.MsvmError:
        outcome.count("problems", "refused")
        return None
    exact = Exact(problem)
    optimum = enclosed(problem, exact)
    outcome.count("problems", "optimum proved" if optimum.proved else "optimum enclosed")
    return Case(drawn, problem, exact, optimum)


def _attack_case(
    case: Case, rng: np.random.Generator, certify: Certify, outcome: Outcome, index: int
) -> None:
    helpers = Helpers(case, rng)
    candidates = pool(rng, case.problem, case.exact, case.optimum, helpers.neighbour)
    slow = case.problem.n > 40
    for number in range(CALLS_WHERE_SLOW if slow else CALLS):
        call = drawn_call(case, candidates, helpers, rng)
        for fault in judged(case, call, certify, outcome):
            outcome.failures.append(
                {"index": index, "call": number, "claim": fault.claim, "detail": fault.detail}
                | case.draw.labels
                | call.labels
            )
    for fault in bias_faults(case, helpers, outcome):
        outcome.failures.append(
            {"index": index, "call": -1, "claim": fault.claim, "detail": fault.detail}
            | case.draw.labels
        )


class Helpers:
    """Solutions to hand in as references, made when first asked for: the right one, and a neighbouring problem's."""

    def __init__(self, case: Case, rng: np.random.Generator) -> None:
        self.case = case
        self.other = _neighbour(case.draw, rng)
        self._own: Any = None

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
        if self._own is None and self.case.problem.n <= 40:
            self._own = solution(self.case.problem)
        return self._own


def _neighbour(drawn: Draw, rng: np.random.Generator) -> mr.Problem | None:
    """The same data with another C, bias, cost, machine or labels."""
    what = rng.choice(("C", "bias", "bias", "cost", "machine", "labels"))
    given = drawn.arguments
    machine = given["machine"]
    changed: dict[str, Any] = {
        "C": lambda: {"C": given["C"] * float(rng.choice((0.5, 2.0, 1 + 1e-9, 1 + 1e-6)))},
        "bias": lambda: {"bias": BIASES[(BIASES.index(given["bias"]) + rng.integers(1, 3)) % 3]},
        "cost": lambda: {
            "machine": machine.with_cost("linear" if machine.cost == "quadratic" else "quadratic")
        },
        "machine": lambda: {"machine": mr.CATALOGUE[rng.integers(len(mr.CATALOGUE))]},
        "labels": lambda: {"y": (np.asarray(given["y"]) + 1) % given["n_classes"]},
    }[what]()
    try:
        return drawn.problem(**changed)
    except mr.MsvmError:
        return None


HALVES = {"both": 0.7, "dual": 0.18, "primal": 0.12}


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


def judged(case: Case, call: Call, certify: Certify, outcome: Outcome) -> list[Broken]:
    """What the judge got wrong on one call; counts what was asked."""
    for what, name in (case.draw.labels | call.labels).items():
        outcome.count(what, name)
    outcome.count("certificates", "all")
    try:
        certificate = certify(case.problem, **call.keywords)
    except TimeoutError:
        raise
    except mr.DataError as error:
        return [] if _may_refuse(call, outcome) else [Broken("refused a candidate", str(error))]
    except Exception as error:  # whatever the judge lets out is what is looked for
        return [Broken(f"raised {type(error).__name__}", str(error)[:200])]
    outcome.count("checks", "all", 4 + 3 * sum(certificate.optimal(tol) for tol in TOLERANCES))
    _count_right_answers(case, call, certificate, outcome)
    return broken(case.exact, case.optimum, call.handed, certificate)


def _may_refuse(call: Call, outcome: Outcome) -> bool:
    """A foreign reference may be refused, and so may numbers beyond 1e100; nothing else."""
    outcome.count("refusals", call.labels["mode"])
    numbers = [call.keywords[name] for name in ("W", "b", "alpha", "coef", "scores") if name in call.keywords]
    beyond = any(np.abs(value).max(initial=0.0) > 1e100 for value in numbers)
    return beyond or "neighbour" in call.labels["mode"]


def _count_right_answers(case: Case, call: Call, certificate: Any, outcome: Outcome) -> None:
    """How often the rounded optimum, both halves of it, is taken for what it is; rounding alone may spoil it."""
    point = call.handed.point
    if (call.labels["primal"], call.labels["dual"]) != ("optimum", "optimum") or point is None:
        return
    P = case.exact.primal(point).value
    spoiled = P - case.optimum.high > P / 10**10 or not case.optimum.proved
    verdict = "accepted" if certificate.optimal(1e-9) else "refused"
    outcome.count("right answers", f"{verdict}, spoiled by rounding" if spoiled else verdict)


def bias_faults(case: Case, helpers: Helpers, outcome: Outcome) -> list[Broken]:
    """Does Solution.b_interval hold every exactly optimal b that is known?"""
    biases = best_biases(case.problem, case.exact, case.optimum) if case.problem.n <= 40 else []
    if not biases or helpers.own is None:
        return []
    outcome.count("b intervals", "converged" if helpers.own.converged else "not converged")
    try:
        interval = np.asarray(helpers.own.b_interval).tolist()
    except mr.MsvmError:
        return []
    except Exception as error:
        return [Broken(f"b_interval raised {type(error).__name__}", str(error)[:200])]
    outcome.count("checks", "all", len(biases))
    for b in biases:
        for c, value in enumerate(b.fractions()):
            low, high = interval[c]
            if not (_at_most(low, value) and not _at_most(high, value, strict=True)):
                detail = f"class {c}: b = {float(value)!r}, interval [{low!r}, {high!r}]"
                return [Broken("b_interval excludes an optimal b", detail)]
    return []


def _at_most(bound: float, value: Any, strict: bool = False) -> bool:
    if math.isinf(bound):
        return bound < 0
    exact = type(value)(bound)
    return bool(exact < value if strict else exact <= value)


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """TimeoutError after so many seconds, where the platform and the thread allow an alarm."""

    def ring(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

