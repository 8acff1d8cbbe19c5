"""Does a valid vector say the truth? Its optimum is proved; everything else it states is recomputed and compared."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .bias import bias_interval
from .machines import RIVAL, label
from .shape import valid_misfits
from .values import (
    Vector,
    decimal,
    primal_value,
    rationals,
    scores,
    stated,
    texts,
    unproved,
    violations,
)

SHORT = 60
"""An optimum whose rational has fewer characters states it."""
TINY, HUGE = Fraction(1, 2**20), Fraction(2**20)

CASES = {
    "ordinary": "{d} classes in the plane",
    "contradictory": "the same point with two labels, twice",
    "absent-class": "the last classes have no example",
    "single-example": "one example",
    "zero-features": "every feature is zero: only a bias can act",
    "tiny-C": "C = 2^-20: the loss hardly counts",
    "huge-C": "C = 2^20: close to the hard margin",
    "weighted": "sample weights, some of them zero",
}
"""The kinds of problem, the last word of a valid id, with their comment."""


def verify_valid(vector: Vector) -> list[str]:
    """What is wrong with a valid vector; nothing if it is proved and everything it says follows."""
    faults = valid_misfits(vector)
    if faults:
        return faults
    problem, rival = stated(vector), vector["rival"]
    faults = unproved(problem, vector)
    faults += [
        f"rival: {fault}"
        for fault in unproved(stated(vector | {"machine": rival["machine"]}), rival)
    ]
    if faults:
        return faults
    W, b, alpha = (rationals(vector[name]) for name in ("W", "b", "alpha"))
    optimum = primal_value(problem, W, b)
    told: dict[str, tuple[Any, Any]] = {
        "optimum": (optimum_json(optimum), vector["optimum"]),
        "scores": (texts(scores(problem, W, b)), vector["scores"]),
        "b_interval": (
            [
                [None if end is None else str(end) for end in ends]
                for ends in bias_interval(problem, W, b, alpha)
            ],
            vector["b_interval"],
        ),
        "flags": (flags_of(vector), vector["flags"]),
    }
    head, case = identity(vector)
    told |= {
        "rival.machine.name": (RIVAL[vector["machine"]["name"]], rival["machine"]["name"]),
        "id": (head + case, vector["id"]),
        "comment": (comment(vector, case), vector["comment"]),
    }
    faults = [
        f"{name} must be {right}, not {said}"
        for name, (right, said) in told.items()
        if right != said
    ]
    return faults + ["id names a case that is not among the flags"] * (case not in vector["flags"])


def flags_of(vector: Vector) -> list[str]:
    """The flags of a vector whose optimum and interval are proved: each is a statement that is true or false of it."""
    problem = stated(vector)
    W, b, alpha = (rationals(vector[name]) for name in ("W", "b", "alpha"))
    t = violations(problem, W, b)
    labels: dict[tuple[Fraction, ...], set[int]] = {}
    for row, y in zip(problem.X, problem.y, strict=True):
        labels.setdefault(tuple(row), set()).add(y)
    cases = {
        "contradictory": any(len(flags) > 1 for flags in labels.values()),
        "absent-class": len(set(problem.y)) < problem.d,
        "single-example": len(problem.y) == 1,
        "zero-features": not any(v for row in problem.X for v in row),
        "tiny-C": Fraction(vector["C"]) <= TINY,
        "huge-C": Fraction(vector["C"]) >= HUGE,
        "weighted": "sample_weight" in vector,
    }
    weak = any(
        slack[p] == max(0, *slack.values()) and row[p] == 0
        for row, slacks in zip(alpha, t, strict=True)
        for slack in slacks
        for p in slack
    )
    spare = not problem.quadratic and any(
        max(slack.values()) <= 0 and sum(row[p] for p in slack) == cost
        for row, cost, slacks in zip(alpha, problem.cost, t, strict=True)
        for slack in slacks
    )
    both = f"discriminates:{label(vector['machine']['name'])}/{label(vector['rival']['machine']['name'])}"
    flags = cases | {
        "ordinary": not any(cases.values()),
        "degenerate": weak or spare,
        "zero-W": not any(v for row in W for v in row),
        "non-unique-b": any(low != high for low, high in vector["b_interval"]),
        both: vector["rival"]["W"] != vector["W"],
    }
    return sorted(name for name, true in flags.items() if true)


def optimum_json(value: Fraction) -> dict[str, str]:
    short = max(abs(value.numerator), value.denominator) < 10**SHORT and len(str(value)) < SHORT
    return {"value": decimal(value)} | ({"rational": str(value)} if short else {})


def identity(vector: Vector) -> tuple[str, str]:
    """(the id without its last word, the last word): machine, bias, cost, d, and the case."""
    head = f"{label(vector['machine']['name'])}-{vector['bias']}-{vector['cost']}-d{len(vector['machine']['gamma'])}-"
    return head, vector["id"][len(head) :]


def comment(vector: Vector, case: str) -> str:
    return f"{vector['machine']['name']}: {CASES.get(case, 'no such case').format(d=len(vector['machine']['gamma']))}"
