"""One attack: draw a problem from a seed, enclose its optimum, hand the judge candidates, hold its claims against the truth."""

from __future__ import annotations

import math
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np

import msvm_ref as mr
from tests.adversary.calls import Call, Case, Helpers, drawn_call
from tests.adversary.candidates import pool
from tests.adversary.checks import TOLERANCES, Broken, broken
from tests.adversary.draw import Draw, draw
from tests.adversary.evaluator import Exact
from tests.adversary.proved import best_biases, enclosed

CALLS, CALLS_WHERE_SLOW = 60, 16
SECONDS = 30
LARGEST_KERNEL = 10**100
BLOCKS = ((2**17, 64), (4, 3))
"""Entries of the judge's blocks and columns of a kernel's: as they are, and so few that small problems have several."""
Certify = Callable[..., Any]


@dataclass
class Outcome:
    """What was drawn and checked, by name, and what was broken: (index, call, claim, detail)."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)

    def count(self, what: str, name: str, times: int = 1) -> None:
        self.counts[what, name] += times


def attack(seed: int, index: int, certify: Certify = mr.certify) -> Outcome:
    """Problem ``index`` of stream ``seed``, with all its candidates; the same again for the same numbers."""
    outcome, rng = Outcome(), np.random.default_rng([seed, index])
    drawn, (entries, columns) = draw(rng), BLOCKS[index % 2]
    blocks = patch("msvm_ref.judge.rounding.ENTRIES", entries)
    of_kernels = patch("msvm_ref.judge.image.BLOCK", columns)
    with warnings.catch_warnings(), np.errstate(all="ignore"), blocks, of_kernels:
        warnings.simplefilter("ignore")
        try:
            with time_limit(SECONDS):
                case = made(drawn, outcome)
                if case is not None:
                    _attack_case(case, rng, certify, outcome, index)
        except TimeoutError:
            outcome.count("out of time", f"problem {index}")
    return outcome


def made(drawn: Draw, outcome: Outcome) -> Case | None:
    """The case of a draw; None where the package refuses the problem with a typed error."""
    try:
        problem = drawn.problem()
    except mr.MsvmError:
        outcome.count("problems", "refused")
        return None
    exact = Exact(problem)
    if exact.gram.size() > LARGEST_KERNEL:  # declared, but refused as soon as it is used
        outcome.count("problems", "refused")
        return None
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
    numbers = [
        call.keywords[name]
        for name in ("W", "b", "alpha", "coef", "scores")
        if name in call.keywords
    ]
    beyond = any(np.abs(value).max(initial=0.0) > 1e100 for value in numbers)
    return beyond or "neighbour" in call.labels["mode"]


def _count_right_answers(case: Case, call: Call, certificate: Any, outcome: Outcome) -> None:
    """How often the rounded optimum, both halves of it, is taken for what it is; rounding alone may spoil it."""
    point = call.handed.point
    if (call.labels["primal"], call.labels["dual"]) != ("optimum", "optimum") or point is None:
        return
    assert call.handed.alpha is not None, "both halves are given"
    P, D = case.exact.primal(point).value, case.exact.dual(call.handed.alpha).value
    spoiled = P - min(D, case.optimum.low) > P / 10**10 or not case.optimum.proved
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
    """TimeoutError after so many seconds of the processor, so that a busy machine draws the same."""

    def ring(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
