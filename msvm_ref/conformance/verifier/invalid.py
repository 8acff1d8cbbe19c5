"""Is an invalid vector wrong, by as much as it says, and is its candidate what its reason says it is?"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .shape import RATIONAL, TEXT, misfits, sizes, too_long
from .values import (
    Vector,
    decimal,
    dual_residuals,
    dual_value,
    primal_residuals,
    primal_value,
    rationals,
    stated,
    texts,
    unproved,
)


def _primal(change: Callable[[Fraction], Fraction]) -> Callable[[Vector], Vector]:
    return lambda v: {
        "W": [[change(x) for x in row] for row in rationals(v["W"])],
        "b": [change(x) for x in rationals(v["b"])],
    }


def _weights_only(change: Callable[[Fraction], Fraction]) -> Callable[[Vector], Vector]:
    return lambda v: {
        "W": [[change(x) for x in row] for row in rationals(v["W"])],
        "b": rationals(v["b"]),
    }


def _dual(change: Callable[[Fraction], Fraction]) -> Callable[[Vector], Vector]:
    return lambda v: {"alpha": [[change(x) for x in row] for row in rationals(v["alpha"])]}


def _swapped(vector: Vector) -> Vector:
    W, b = rationals(vector["W"]), rationals(vector["b"])
    return {"W": [[row[1], row[0], *row[2:]] for row in W], "b": [b[1], b[0], *b[2:]]}


def _negative(vector: Vector) -> Vector:
    alpha, groups = rationals(vector["alpha"]), vector["machine"]["groups"]
    zero = [
        (i, p)
        for i, y in enumerate(vector["y"])
        for group in groups[y]
        for p in group
        if alpha[i][p] == 0
    ]
    for i, p in zero[:1]:
        alpha[i][p] = -Fraction(1, 2**20)
    return {"alpha": alpha}


def _twice(vector: Vector) -> Vector:
    gamma = [[2 * v for v in row] for row in rationals(vector["machine"]["gamma"])]
    return vector | {"machine": vector["machine"] | {"gamma": texts(gamma)}}


def _other_cost(vector: Vector) -> Vector:
    return vector | {"cost": "linear" if vector["cost"] == "quadratic" else "quadratic"}


def _last_moved(vector: Vector) -> Vector:
    return vector | {"X": [*vector["X"][:-1], texts([v + 1 for v in rationals(vector["X"][-1])])]}


COPIED: dict[str, tuple[str, Callable[[Vector], Vector]]] = {
    "sign-flip": ("W and b have the wrong sign", _primal(lambda v: -v)),
    "swapped-classes": ("classes 0 and 1 are exchanged", _swapped),
    "dropped-bias": (
        "the bias was forgotten",
        lambda v: {"W": rationals(v["W"]), "b": [Fraction(0) for _ in v["b"]]},
    ),
    "uncentred": (
        "the columns of W do not sum to zero",
        _weights_only(lambda v: v + Fraction(1, 1000)),
    ),
    "rounded": (
        "W rounded to three decimals",
        _weights_only(lambda v: Fraction(round(v * 1000), 1000)),
    ),
    "stopped-early": (
        "stopped a thousandth short of the optimum",
        _primal(lambda v: v * Fraction(1023, 1024)),
    ),
    "alpha-above-bound": (
        "alpha exceeds C by one part in a million",
        _dual(lambda v: v + v / 2**20),
    ),
    "alpha-negative": ("one multiplier is slightly negative", _negative),
    "alpha-halved": (
        "feasible multipliers of half the size: the dual of another scaling",
        _dual(lambda v: v / 2),
    ),
}
"""Mistakes made with the right answer: the reason, and what the candidate then is."""

SOLVED: dict[str, tuple[str, Callable[[Vector], Vector]]] = {
    "double-cost": ("solves the problem with 2C", lambda v: v | {"C": str(Fraction(v["C"]) * 2)}),
    "half-cost": ("solves the problem with C/2", lambda v: v | {"C": str(Fraction(v["C"]) / 2)}),
    "margin-two": ("asks for twice the margin", _twice),
    "other-machine": ("solves {rival} instead", lambda v: v | {"machine": v["rival"]["machine"]}),
    "other-cost": ("solves the {other_cost} cost instead", _other_cost),
    "penalized-for-free": ("penalises the bias that is free", lambda v: v | {"bias": "penalized"}),
    "stale": ("the answer to the data before the last row changed", _last_moved),
}
"""Right answers to another problem: the reason, and that problem. ``evidence.alpha`` proves the candidate its optimum."""


def reason(mistake: str, base: Vector) -> str:
    words = (COPIED | SOLVED)[mistake][0]
    return words.format(
        rival=base["rival"]["machine"]["name"], other_cost=_other_cost(base)["cost"]
    )


def verify_invalid(vector: Vector, base: Vector) -> list[str]:
    """What is wrong with an invalid vector: nothing if its candidate is no optimum of ``base``, for the stated reason."""
    if long := too_long(vector):
        return long
    n, p, d = sizes(base)
    mistake, matrix = str(vector.get("id")).rpartition("/")[2], ((RATIONAL, d), n)
    if mistake not in COPIED | SOLVED:
        return [f"id must be the problem's, a slash, and one of {', '.join(COPIED | SOLVED)}"]
    candidate = (
        {"alpha": matrix}
        if mistake.startswith("alpha")
        else {"W": ((RATIONAL, d), p), "b": (RATIONAL, d)}
    )
    shape = {
        "id": TEXT,
        "result": ["invalid"],
        "problem": [base["id"]],
        "reason": [reason(mistake, base)],
        "fault": TEXT,
        "size": TEXT,
        "candidate": candidate,
    } | ({"evidence": {"alpha": matrix}} if mistake in SOLVED else {})
    faults = misfits(vector, shape, "vector") or ["id is not the problem's"] * (
        vector["id"] != f"{base['id']}/{mistake}"
    )
    if faults:
        return faults
    wrong = candidate_faults(base, vector["candidate"])
    if not wrong:
        return ["the candidate is optimal"]
    fault = worst(wrong)
    if (vector["fault"], vector["size"]) != (fault, decimal(wrong[fault], 4)):
        faults.append(
            f"the fault is {fault} of {decimal(wrong[fault], 4)}, not {vector['fault']} of {vector['size']}"
        )
    if mistake in SOLVED:
        other = stated(SOLVED[mistake][1](base))
        return faults + [
            f"the candidate does not do what its reason says: {fault}"
            for fault in unproved(other, vector["candidate"] | vector["evidence"])
        ]
    if rationals_of(vector["candidate"]) != COPIED[mistake][1](base):
        faults.append("the candidate is not what its reason says")
    return faults


def rationals_of(named: dict[str, Any]) -> dict[str, Any]:
    return {name: rationals(value) for name, value in named.items()}


def candidate_faults(vector: Vector, candidate: dict[str, Any]) -> dict[str, Fraction]:
    """Faults by name with their exact size: residuals, and the values' distance from the optimum."""
    problem = stated(vector)
    optimum = primal_value(problem, rationals(vector["W"]), rationals(vector["b"]))
    sizes_of: dict[str, Fraction] = {}
    if "W" in candidate:
        W, b = rationals(candidate["W"]), rationals(candidate["b"])
        sizes_of |= primal_residuals(problem, W, b)
        sizes_of["primal-value"] = primal_value(problem, W, b) - optimum
    if "alpha" in candidate:
        alpha = rationals(candidate["alpha"])
        sizes_of |= dual_residuals(problem, alpha)
        sizes_of["dual-value"] = optimum - dual_value(problem, alpha)
    return {name: size for name, size in sizes_of.items() if size}


def worst(wrong: dict[str, Fraction]) -> str:
    """The fault that is stated: infeasible before suboptimal, then the largest."""
    return max(wrong, key=lambda name: (not name.endswith("-value"), abs(wrong[name])))
