"""Answers that look right and are not: the mistakes implementers make, applied to an exact optimum.

Each mistake is a function from the optimum to a candidate (W and b, or alpha) with its reason in words. On some problems
a mistake is harmless; the builder drops those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from msvm_ref.exact import exact_optimum
from msvm_ref.judge.exact import ExactOptimum
from msvm_ref.model.machine import Cost, Machine
from msvm_ref.model.problem import Problem

Candidate = dict[str, Any]
Mistake = Callable[[ExactOptimum, Machine], Candidate | None]


def sign_flip(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    return _primal([[-v for v in row] for row in optimum.W], [-v for v in optimum.b], "W and b have the wrong sign")


def swapped_classes(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    def swap(row: Any) -> list[Fraction]:
        return [row[1], row[0], *row[2:]]

    return _primal([swap(row) for row in optimum.W], swap(optimum.b), "classes 0 and 1 are exchanged")


def double_cost(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    return _solved(optimum, "solves the problem with 2C", C=2 * optimum.problem.C)


def half_cost(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    return _solved(optimum, "solves the problem with C/2", C=optimum.problem.C / 2)


def margin_two(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    gamma = tuple(tuple(2 * v for v in row) for row in optimum.problem.machine.gamma(optimum.problem.d))
    return _solved(optimum, "asks for twice the margin", machine=replace(optimum.problem.machine, target=gamma))


def other_machine(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    return _solved(optimum, f"solves {rival.name} instead", machine=rival.with_cost(optimum.problem.machine.cost))


def other_cost(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    machine = optimum.problem.machine
    other: Cost = "quadratic" if machine.cost == "linear" else "linear"
    return _solved(optimum, f"solves the {other} cost instead", machine=replace(machine, cost=other))


def penalized_for_free(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    if optimum.problem.bias != "free":
        return None
    return _solved(optimum, "penalises the bias that is free", bias="penalized")


def dropped_bias(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    if optimum.problem.bias == "none" or not any(optimum.b):
        return None
    return _primal(optimum.W, [Fraction(0)] * optimum.problem.d, "the bias was forgotten")


def uncentred(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    if not optimum.problem.machine.sum_to_zero:
        return None
    W = [[v + Fraction(1, 1000) for v in row] for row in optimum.W]
    return _primal(W, optimum.b, "the columns of W do not sum to zero")


def stale(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    X = optimum.problem.X.copy()
    X[-1] = X[-1] + 1
    return _solved(optimum, "the answer to the data before the last row changed", X=X)


def rounded(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    def short(row: Any) -> list[Fraction]:
        return [Fraction(round(v * 1000), 1000) for v in row]

    if optimum.problem.machine.sum_to_zero:
        return None
    return _primal([short(row) for row in optimum.W], optimum.b, "W rounded to three decimals")


def stopped_early(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    W = [[v * Fraction(1023, 1024) for v in row] for row in optimum.W]
    return _primal(W, [v * Fraction(1023, 1024) for v in optimum.b], "stopped a thousandth short of the optimum")


def alpha_above_bound(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    if optimum.problem.machine.cost != "linear":
        return None
    return _dual(optimum, lambda v: v + v / 2**20, "alpha exceeds C by one part in a million, and D the optimum")


def alpha_negative(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    small, done = Fraction(1, 2**20), False
    rows = [list(row) for row in optimum.alpha]
    for y, row in zip(optimum.problem.y, rows, strict=True):
        for p, value in enumerate(row):
            if not done and value == 0 and optimum.problem.spec.mask[y, p]:
                row[p], done = -small, True
    return {"alpha": rows, "reason": "one multiplier is slightly negative"} if done else None


def alpha_halved(optimum: ExactOptimum, rival: Machine) -> Candidate | None:
    return _dual(optimum, lambda v: v / 2, "feasible multipliers of half the size: the dual of another scaling")


MISTAKES: tuple[Mistake, ...] = (
    sign_flip, swapped_classes, double_cost, half_cost, margin_two, other_machine, other_cost, penalized_for_free,
    dropped_bias, uncentred, stale, rounded, stopped_early, alpha_above_bound, alpha_negative, alpha_halved)

PER_VECTOR = 2


def invalid_vectors(optimum: ExactOptimum, rival: Machine, turn: int) -> Iterator[tuple[str, Candidate]]:
    """PER_VECTOR mistakes that apply, taking turns so that every kind meets every machine."""
    made = 0
    for k in range(len(MISTAKES)):
        mistake = MISTAKES[(PER_VECTOR * turn + k) % len(MISTAKES)]
        candidate = mistake(optimum, rival)
        if candidate is not None:
            made += 1
            yield mistake.__name__.replace("_", "-"), candidate
        if made == PER_VECTOR:
            return


def _primal(W: Any, b: Any, reason: str) -> Candidate:
    return {"W": [list(row) for row in W], "b": list(b), "reason": reason}


def _dual(optimum: ExactOptimum, change: Callable[[Fraction], Fraction], reason: str) -> Candidate:
    return {"alpha": [[change(v) for v in row] for row in optimum.alpha], "reason": reason}


def _solved(optimum: ExactOptimum, reason: str, **changed: Any) -> Candidate:
    problem = optimum.problem
    given: dict[str, Any] = {"machine": problem.machine, "X": problem.X, "y": problem.y, "C": problem.C, "bias": problem.bias,
                             "sample_weight": problem.sample_weight, "n_classes": problem.d}
    other = exact_optimum(Problem(**(given | changed)))
    return _primal(other.W, other.b, reason)
