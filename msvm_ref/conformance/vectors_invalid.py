"""Invalid vectors: the mistakes of ``verifier/invalid.py`` made on a valid vector, kept where the mistake does harm.

A mistake that starts from the right answer is a formula; one that solves another problem is solved here, and its alpha
published as the evidence that this is what the candidate is.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from msvm_ref.conformance.verifier.invalid import COPIED, SOLVED, candidate_faults, reason, worst
from msvm_ref.conformance.verifier.values import Vector, decimal, texts
from msvm_ref.model.machine import OTHERS_MAX, OTHERS_SUM, SELF, TOTAL_MAX, TOTAL_SUM, Machine
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.exact_optimum import exact_optimum

ORDER = (
    "sign-flip",
    "swapped-classes",
    "double-cost",
    "half-cost",
    "margin-two",
    "other-machine",
    "other-cost",
    "penalized-for-free",
    "dropped-bias",
    "uncentred",
    "stale",
    "rounded",
    "stopped-early",
    "alpha-above-bound",
    "alpha-negative",
    "alpha-halved",
)
PER_VECTOR = 2
AGGREGATIONS = {a.name: a for a in (SELF, TOTAL_SUM, TOTAL_MAX, OTHERS_SUM, OTHERS_MAX)}


def invalid_vectors(base: Vector, turn: int) -> Iterator[Vector]:
    """PER_VECTOR mistakes that apply, taking turns so that every kind meets every machine, less those that do no harm."""
    applicable = [
        name
        for k in range(len(ORDER))
        if applies(name := ORDER[(PER_VECTOR * turn + k) % len(ORDER)], base)
    ]
    for mistake in applicable[:PER_VECTOR]:
        vector = made(mistake, base)
        wrong = candidate_faults(base, vector["candidate"])
        if wrong:
            fault = worst(wrong)
            yield {
                "id": f"{base['id']}/{mistake}",
                "result": "invalid",
                "problem": base["id"],
                "reason": reason(mistake, base),
                "fault": fault,
                "size": decimal(wrong[fault], 4),
            } | vector


def applies(mistake: str, base: Vector) -> bool:
    centred = base["machine"]["sum_to_zero"]
    conditions: dict[str, bool] = {
        "penalized-for-free": base["bias"] == "free",
        "dropped-bias": any(v != "0" for v in base["b"]),
        "uncentred": centred,
        "rounded": not centred,
        "alpha-above-bound": base["cost"] == "linear",
        "alpha-negative": COPIED["alpha-negative"][1](base)["alpha"]
        != [[Fraction(v) for v in row] for row in base["alpha"]],
    }
    return conditions.get(mistake, True)


def made(mistake: str, base: Vector) -> Vector:
    """The candidate, and the evidence for it where it solves another problem."""
    if mistake in COPIED:
        return {
            "candidate": {name: texts(value) for name, value in COPIED[mistake][1](base).items()}
        }
    optimum = exact_optimum(problem_of(SOLVED[mistake][1](base)))
    return {
        "candidate": {"W": texts(optimum.W), "b": texts(optimum.b)},
        "evidence": {"alpha": texts(optimum.alpha)},
    }


def problem_of(vector: Vector) -> Problem:
    """A vector's problem, its machine taken from nu and gamma as stated."""
    stated: dict[str, Any] = vector["machine"]
    machine = Machine(
        stated["name"],
        margin=_exact(stated["nu"]),
        aggregation=AGGREGATIONS[stated["aggregation"]],
        target=_exact(stated["gamma"]),
        sum_to_zero=stated["sum_to_zero"],
        cost=vector["cost"],
    )
    weight = vector.get("sample_weight")
    return Problem(
        machine,
        [[float(Fraction(v)) for v in row] for row in vector["X"]],
        vector["y"],
        C=float(Fraction(vector["C"])),
        bias=vector["bias"],
        n_classes=len(stated["gamma"]),
        sample_weight=None if weight is None else [float(v) for v in weight],
    )


def _exact(nested: Any) -> Any:
    return tuple(_exact(v) for v in nested) if isinstance(nested, list) else Fraction(nested)
