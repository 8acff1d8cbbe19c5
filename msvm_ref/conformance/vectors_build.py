"""Generate the golden vectors: small dyadic problems whose exact optimum is short, and wrong answers to them.

    python -m msvm_ref.conformance.vectors_build [DIRECTORY]

One file per machine. Each valid vector is an ``exact_optimum`` (primal == dual in rationals); data are chosen so that the
rationals stay short. Committed vectors are checked by ``vectors_verify``, never by running this again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from msvm_ref.conformance.vectors_invalid import invalid_vectors
from msvm_ref.conformance.vectors_verify import Vector, candidate_faults, decimal, verify_document
from msvm_ref.exact import exact_optimum
from msvm_ref.judge.exact import ExactOptimum
from msvm_ref.judge.exact_bias import bias_interval
from msvm_ref.model.catalogue import AMO, ATM, ATS, CS, LLW, MMR, MMR_ORTHO, OVA, RM, WW
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Problem

FORMAT = "msvm-ref-vectors/1"
HERE = Path(__file__).parent / "vectors"

MACHINES: dict[str, Machine] = {
    "WW": WW, "CS": CS, "LLW": LLW, "MMR": MMR, "MMR_ORTHO": MMR_ORTHO, "RM-1-4": RM(Fraction(1, 4)), "RM-1-2": RM(),
    "RM-3-4": RM(Fraction(3, 4)), "OVA": OVA, "AMO": AMO, "ATM": ATM, "ATS": ATS}

RIVAL = {"WW": "CS", "CS": "WW", "LLW": "ATS", "ATS": "LLW", "AMO": "ATM", "ATM": "AMO", "MMR": "MMR_ORTHO",
         "MMR_ORTHO": "MMR", "OVA": "ATS", "RM-1-4": "RM-1-2", "RM-1-2": "RM-3-4", "RM-3-4": "RM-1-2"}
"""The machine each one is most easily mistaken for."""

SHORT, LONGEST, ATTEMPTS = 60, 44, 12
"""Longest rational published for the optimum and for an entry; data sets tried per vector."""


@dataclass(frozen=True)
class Recipe:
    """One special case: a flag, what it is, and the data (a function of a seeded generator and d)."""

    flag: str
    comment: str
    data: Callable[[np.random.Generator, int], dict[str, Any]]


def ordinary(rng: np.random.Generator, d: int) -> dict[str, Any]:
    n = int(rng.integers(max(3, d), 9))
    y = [*range(d), *(int(v) for v in rng.integers(0, d, n - d))]
    X = rng.integers(-4, 5, (n, 2)) / 2 + np.array([[np.cos(6.3 * c / d), np.sin(6.3 * c / d)] for c in y]).round()
    return {"X": X, "y": y, "C": float(rng.choice([0.25, 0.5, 1.0, 2.0]))}


def contradictory(rng: np.random.Generator, d: int) -> dict[str, Any]:
    X = rng.integers(-2, 3, (3, 2)).astype(float)
    return {"X": X[[0, 0, 1, 1, 2]], "y": [0, 1, 0, d - 1, 1], "C": 1.0, "n_classes": d}


def absent(rng: np.random.Generator, d: int) -> dict[str, Any]:
    return {"X": rng.integers(-2, 3, (4, 2)).astype(float), "y": [0, 0, 1, 1], "C": 1.0, "n_classes": d + 1}


def single(rng: np.random.Generator, d: int) -> dict[str, Any]:
    return {"X": rng.integers(1, 4, (1, 2)).astype(float), "y": [int(rng.integers(0, d))], "C": 1.0, "n_classes": d}


def zero_features(rng: np.random.Generator, d: int) -> dict[str, Any]:
    return {"X": np.zeros((4, 1)), "y": [0, 0, 1, d - 1], "C": 1.0, "n_classes": d}


def tiny_cost(rng: np.random.Generator, d: int) -> dict[str, Any]:
    return ordinary(rng, d) | {"C": 2.0**-20}


def huge_cost(rng: np.random.Generator, d: int) -> dict[str, Any]:
    return ordinary(rng, d) | {"C": 2.0**20}


def weighted(rng: np.random.Generator, d: int) -> dict[str, Any]:
    data = ordinary(rng, d)
    return data | {"sample_weight": rng.integers(0, 4, len(data["y"])) / 2}


SPECIAL = (
    Recipe("contradictory", "the same point with two labels, twice", contradictory),
    Recipe("absent-class", "the last classes have no example", absent),
    Recipe("single-example", "one example", single),
    Recipe("zero-features", "every feature is zero: only a bias can act", zero_features),
    Recipe("tiny-C", "C = 2^-20: the loss hardly counts", tiny_cost),
    Recipe("huge-C", "C = 2^20: close to the hard margin", huge_cost),
    Recipe("weighted", "sample weights, some of them zero", weighted))


def build(directory: Path, report: Callable[[str], None] = lambda line: None) -> int:
    """Write every file; returns the number of vectors. Raises AssertionError if one of its own vectors fails to verify."""
    directory.mkdir(parents=True, exist_ok=True)
    total = 0
    for key in MACHINES:
        vectors = list(vectors_of(key))
        document = {"format": FORMAT, "schema": "schema.json", "machine": key, "vectors": vectors}
        refused = [(name, faults) for name, faults in verify_document(document) if faults]
        assert not refused, refused[0]
        lines = ",\n".join(json.dumps(vector, separators=(",", ":")) for vector in vectors)
        head = json.dumps({k: v for k, v in document.items() if k != "vectors"})[:-1]
        (directory / f"{key}.json").write_text(f'{head}, "vectors": [\n{lines}\n]}}\n', encoding="utf-8")
        total += len(vectors)
        report(f"{key}: {len(vectors)} vectors")
    return total


def vectors_of(key: str) -> Iterator[Vector]:
    """All vectors of one machine: the grid of biases, costs and d, then the special cases, each followed by wrong answers."""
    ordinal = 0
    for cost in ("linear", "quadratic"):
        for bias in ("none", "free", "penalized"):
            cases = [(d, Recipe("ordinary", f"{d} classes in the plane", ordinary)) for d in (2, 3, 4, 5)]
            cases += [(3, recipe) for k, recipe in enumerate(SPECIAL) if (k + ordinal) % 2 == 0 or bias == "free"]
            for d, recipe in cases:
                ordinal += 1
                optimum, vector = _shortest(key, cost, bias, d, recipe, ordinal)
                yield vector
                if recipe.flag == "ordinary":
                    for name, candidate in invalid_vectors(optimum, MACHINES[RIVAL[key]], ordinal):
                        yield from _invalid(vector, name, candidate)


def _shortest(key: str, cost: Any, bias: Any, d: int, recipe: Recipe, ordinal: int) -> tuple[ExactOptimum, Vector]:
    """Of several data sets the one with the shortest certificate among those whose W is not zero, if there are such."""
    found = []
    for attempt in range(ATTEMPTS):
        rng = np.random.default_rng([ordinal, attempt, d, sum(map(ord, key))])
        problem = Problem(MACHINES[key].with_cost(cost), bias=bias, **recipe.data(rng, d))
        optimum = exact_optimum(problem)
        trivial = not any(v for row in optimum.W for v in row)
        longest = max(len(str(v)) for block in (optimum.W, optimum.alpha, (optimum.b,)) for row in block for v in row)
        found.append((trivial, longest > LONGEST, longest, attempt, optimum))
        if not trivial and longest <= LONGEST // 3:
            break
    optimum = min(found, key=lambda entry: entry[:4])[-1]
    return optimum, _vector(f"{key}-{bias}-{cost}-d{optimum.problem.d}-{recipe.flag}", key, optimum, recipe)


def _vector(name: str, key: str, optimum: ExactOptimum, recipe: Recipe) -> Vector:
    problem = optimum.problem
    intervals = bias_interval(optimum)
    value = str(optimum.value)
    vector: Vector = {
        "id": name, "result": "valid", "comment": f"{problem.machine.name}: {recipe.comment}",
        "flags": sorted(_flags(key, optimum, intervals) | {recipe.flag}), "machine": machine_json(problem.machine, problem.d),
        "cost": problem.machine.cost, "bias": problem.bias, "C": dyadic(problem.C),
        "X": [[dyadic(v) for v in row] for row in problem.X], "y": [int(v) for v in problem.y],
        "optimum": {"value": decimal(optimum.value)} | ({"rational": value} if len(value) < SHORT else {}),
        "W": texts(optimum.W), "b": texts(optimum.b),
        "b_interval": [[None if end is None else str(end) for end in interval] for interval in intervals],
        "alpha": texts(optimum.alpha)}
    if problem.sample_weight is not None:
        vector["sample_weight"] = [dyadic(v) for v in problem.sample_weight]
    vector["scores"] = texts(_scores(optimum))
    return vector


def _flags(key: str, optimum: ExactOptimum, intervals: Any) -> set[str]:
    flags = {"non-unique-b"} if any(low != high for low, high in intervals) else set()
    if not any(v for row in optimum.W for v in row):
        flags.add("zero-W")
    if _weakly_active(optimum):
        flags.add("degenerate")
    rival = MACHINES[RIVAL[key]].with_cost(optimum.problem.machine.cost)
    problem = optimum.problem
    other = exact_optimum(Problem(rival, problem.X, problem.y, C=problem.C, bias=problem.bias,
                                  sample_weight=problem.sample_weight, n_classes=problem.d))
    if other.W != optimum.W:
        flags.add(f"discriminates:{key}/{RIVAL[key]}")
    return flags


def _weakly_active(optimum: ExactOptimum) -> bool:
    """Is some constraint tight although its multiplier is zero (or, linear cost, its slack zero at a full group)?"""
    problem, scores = optimum.problem, _scores(optimum)
    nu, gamma = problem.machine.nu(problem.d), problem.machine.gamma(problem.d)
    shape = machine_json(problem.machine, problem.d)["groups"]
    for i, y in enumerate(problem.y):
        for group in shape[y] if problem.costs[i] > 0 else ():
            t = {p: gamma[y][p] - sum(u * f for u, f in zip(nu[y][p], scores[i], strict=True)) for p in group}
            slack, mass = max(Fraction(0), *t.values()), sum(optimum.alpha[i][p] for p in group)
            if any(t[p] == slack and optimum.alpha[i][p] == 0 for p in group):
                return True
            if problem.machine.cost == "linear" and slack == 0 and mass == Fraction(float(problem.costs[i])):
                return True
    return False


def _invalid(base: Vector, name: str, candidate: dict[str, Any]) -> Iterator[Vector]:
    """The invalid vector, if the candidate is wrong on this problem (the same mistake is harmless on some)."""
    handed = {k: texts(v) for k, v in candidate.items() if k in ("W", "b", "alpha")}
    wrong = candidate_faults(base, handed)
    if wrong:
        fault = max(wrong, key=lambda k: (not k.endswith("-value"), abs(wrong[k])))  # infeasible before suboptimal
        yield {"id": f"{base['id']}/{name}", "result": "invalid", "problem": base["id"], "reason": candidate["reason"],
               "fault": fault, "size": decimal(wrong[fault], 4), "candidate": handed}


def machine_json(machine: Machine, d: int) -> dict[str, Any]:
    """A machine as explicit data: nothing has to be known about its name."""
    mask = machine.aggregation.mask(d)
    counted = [[int(p) for p in np.flatnonzero(row)] for row in mask]
    groups = [[row] if machine.aggregation.slack == "shared" else [[p] for p in row] for row in counted]
    return {"name": machine.name, "aggregation": machine.aggregation.name, "groups": groups,
            "sum_to_zero": machine.sum_to_zero, "nu": texts(machine.nu(d)), "gamma": texts(machine.gamma(d))}


def dyadic(value: float) -> str:
    """A float whose decimal expansion is exact and short, so that binary64 and rational readers see the same number."""
    text = repr(float(value))
    assert Fraction(text) == Fraction(float(value)), value
    return text.removesuffix(".0")


def texts(nested: Any) -> Any:
    return [texts(v) for v in nested] if isinstance(nested, (list, tuple)) else str(nested)


def _scores(optimum: ExactOptimum) -> list[list[Fraction]]:
    return [[sum((Fraction(float(x)) * w[c] for x, w in zip(row, optimum.W, strict=True)), optimum.b[c])
             for c in range(optimum.problem.d)] for row in optimum.problem.X]


if __name__ == "__main__":
    print(build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE, lambda line: print(line, flush=True)), "vectors")
