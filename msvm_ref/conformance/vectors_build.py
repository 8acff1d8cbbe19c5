"""Generate the golden vectors: small dyadic problems whose exact optimum is short, and wrong answers to them.

    python -m msvm_ref.conformance.vectors_build [DIRECTORY]

One file per machine. Each valid vector is an ``exact_optimum`` (primal == dual in rationals); data are chosen so that the
rationals stay short. Committed vectors are checked by ``vectors_verify``, never by running this again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from msvm_ref.conformance.vectors_invalid import invalid_vectors
from msvm_ref.conformance.vectors_verify import FORMAT, verify_document
from msvm_ref.conformance.verifier.machines import RIVAL, label
from msvm_ref.conformance.verifier.valid import comment, flags_of, identity, optimum_json
from msvm_ref.conformance.verifier.values import Vector, rationals, scores, stated, texts
from msvm_ref.exact.bias import bias_interval
from msvm_ref.exact.optimum import ExactOptimum
from msvm_ref.model.catalogue import AMO, ATM, ATS, CS, LLW, MMR, MMR_ORTHO, OVA, RM, WW
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.exact_optimum import exact_optimum

HERE = Path(__file__).parent / "vectors"

MACHINES: dict[str, Machine] = {
    "WW": WW,
    "CS": CS,
    "LLW": LLW,
    "MMR": MMR,
    "MMR_ORTHO": MMR_ORTHO,
    "RM-1-4": RM(Fraction(1, 4)),
    "RM-1-2": RM(),
    "RM-3-4": RM(Fraction(3, 4)),
    "OVA": OVA,
    "AMO": AMO,
    "ATM": ATM,
    "ATS": ATS,
}

LONGEST, ATTEMPTS = 44, 12
"""Length above which a rational is avoided where another data set has shorter ones; data sets tried per vector."""


Data = Callable[[np.random.Generator, int], dict[str, Any]]


def ordinary(rng: np.random.Generator, d: int) -> dict[str, Any]:
    n = int(rng.integers(max(3, d), 9))
    y = [*range(d), *(int(v) for v in rng.integers(0, d, n - d))]
    X = (
        rng.integers(-4, 5, (n, 2)) / 2
        + np.array([[np.cos(6.3 * c / d), np.sin(6.3 * c / d)] for c in y]).round()
    )
    return {"X": X, "y": y, "C": float(rng.choice([0.25, 0.5, 1.0, 2.0]))}


def contradictory(rng: np.random.Generator, d: int) -> dict[str, Any]:
    X = rng.integers(-2, 3, (3, 2)).astype(float)
    return {"X": X[[0, 0, 1, 1, 2]], "y": [0, 1, 0, d - 1, 1], "C": 1.0, "n_classes": d}


def absent(rng: np.random.Generator, d: int) -> dict[str, Any]:
    return {
        "X": rng.integers(-2, 3, (4, 2)).astype(float),
        "y": [0, 0, 1, 1],
        "C": 1.0,
        "n_classes": d + 1,
    }


def single(rng: np.random.Generator, d: int) -> dict[str, Any]:
    return {
        "X": rng.integers(1, 4, (1, 2)).astype(float),
        "y": [int(rng.integers(0, d))],
        "C": 1.0,
        "n_classes": d,
    }


def zero_features(rng: np.random.Generator, d: int) -> dict[str, Any]:
    return {"X": np.zeros((4, 1)), "y": [0, 0, 1, d - 1], "C": 1.0, "n_classes": d}


def tiny_cost(rng: np.random.Generator, d: int) -> dict[str, Any]:
    return ordinary(rng, d) | {"C": 2.0**-20}


def huge_cost(rng: np.random.Generator, d: int) -> dict[str, Any]:
    return ordinary(rng, d) | {"C": 2.0**20}


def weighted(rng: np.random.Generator, d: int) -> dict[str, Any]:
    data = ordinary(rng, d)
    return data | {"sample_weight": rng.integers(0, 4, len(data["y"])) / 2}


SPECIAL: dict[str, Data] = {
    "contradictory": contradictory,
    "absent-class": absent,
    "single-example": single,
    "zero-features": zero_features,
    "tiny-C": tiny_cost,
    "huge-C": huge_cost,
    "weighted": weighted,
}
"""Data of the special cases; ``verifier.valid.CASES`` says what they are."""


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
        (directory / f"{key}.json").write_text(
            f'{head}, "vectors": [\n{lines}\n]}}\n', encoding="utf-8"
        )
        total += len(vectors)
        report(f"{key}: {len(vectors)} vectors")
    (directory / "SHA256SUMS").write_text(checksums(directory), encoding="utf-8")
    return total


def checksums(directory: Path) -> str:
    """What ``sha256sum -c SHA256SUMS`` reads: a verifier proves that a file is true, this that it is the published one."""
    return "".join(
        f"{hashlib.sha256((directory / f'{key}.json').read_bytes()).hexdigest()}  {key}.json\n"
        for key in MACHINES
    )


def vectors_of(key: str) -> Iterator[Vector]:
    """All vectors of one machine: the grid of biases, costs and d, then the special cases, each followed by wrong answers."""
    ordinal = 0
    for cost in ("linear", "quadratic"):
        for bias in ("none", "free", "penalized"):
            cases: list[tuple[int, str, Data]] = [(d, "ordinary", ordinary) for d in (2, 3, 4, 5)]
            cases += [
                (3, case, data)
                for k, (case, data) in enumerate(SPECIAL.items())
                if (k + ordinal) % 2 == 0 or bias == "free"
            ]
            for d, case, data in cases:
                ordinal += 1
                vector = _shortest(key, cost, bias, d, case, data, ordinal)
                yield vector
                if case == "ordinary":
                    yield from invalid_vectors(vector, ordinal)


def _shortest(
    key: str, cost: Any, bias: Any, d: int, case: str, data: Data, ordinal: int
) -> Vector:
    """Of several data sets of this case the one with the shortest certificate, W not zero if that can be had."""
    attempts = []
    for attempt in range(ATTEMPTS):
        rng = np.random.default_rng([ordinal, attempt, d, sum(map(ord, key))])
        optimum = exact_optimum(Problem(MACHINES[key].with_cost(cost), bias=bias, **data(rng, d)))
        trivial = not any(v for row in optimum.W for v in row)
        longest = max(
            len(str(v))
            for block in (optimum.W, optimum.alpha, (optimum.b,))
            for row in block
            for v in row
        )
        vector = _vector(key, optimum, case)
        if case not in vector["flags"]:
            continue
        attempts.append((trivial, longest > LONGEST, longest, attempt, vector))
        if not trivial and longest <= LONGEST // 3:
            break
    return min(attempts, key=lambda entry: entry[:4])[-1]


def _vector(key: str, optimum: ExactOptimum, case: str) -> Vector:
    problem = optimum.problem
    rival = exact_optimum(
        Problem(
            MACHINES[label(RIVAL[problem.machine.name])].with_cost(problem.machine.cost),
            problem.X,
            problem.y,
            C=problem.C,
            bias=problem.bias,
            sample_weight=problem.sample_weight,
            n_classes=problem.d,
        )
    )
    vector: Vector = {
        "id": "",
        "result": "valid",
        "comment": "",
        "flags": [],
        "machine": machine_json(problem.machine, problem.d),
        "cost": problem.machine.cost,
        "bias": problem.bias,
        "C": dyadic(problem.C),
        "X": [[dyadic(v) for v in row] for row in problem.X],
        "y": [int(v) for v in problem.y],
        "optimum": optimum_json(optimum.value),
        "W": texts(optimum.W),
        "b": texts(optimum.b),
        "b_interval": [
            [None if end is None else str(end) for end in interval]
            for interval in bias_interval(optimum)
        ],
        "alpha": texts(optimum.alpha),
        "scores": [],
    }
    if problem.sample_weight is not None:
        vector["sample_weight"] = [dyadic(v) for v in problem.sample_weight]
    vector["scores"] = texts(scores(stated(vector), rationals(vector["W"]), rationals(vector["b"])))
    vector["rival"] = {
        "machine": machine_json(rival.problem.machine, problem.d),
        "W": texts(rival.W),
        "b": texts(rival.b),
        "alpha": texts(rival.alpha),
    }
    return vector | {
        "id": identity(vector)[0] + case,
        "comment": comment(vector, case),
        "flags": flags_of(vector),
    }


def machine_json(machine: Machine, d: int) -> dict[str, Any]:
    """A machine as explicit data: nothing has to be known about its name."""
    mask = machine.aggregation.mask(d)
    counted = [[int(p) for p in np.flatnonzero(row)] for row in mask]
    groups = [
        [row] if machine.aggregation.slack == "shared" else [[p] for p in row] for row in counted
    ]
    return {
        "name": machine.name,
        "aggregation": machine.aggregation.name,
        "groups": groups,
        "sum_to_zero": machine.sum_to_zero,
        "nu": texts(machine.nu(d)),
        "gamma": texts(machine.gamma(d)),
    }


def dyadic(value: float) -> str:
    """A float whose decimal expansion is exact and short, so that binary64 and rational readers see the same number."""
    text = repr(float(value))
    assert Fraction(text) == Fraction(float(value)), value
    return text.removesuffix(".0")


if __name__ == "__main__":
    print(
        build(
            Path(sys.argv[1]) if len(sys.argv) > 1 else HERE, lambda line: print(line, flush=True)
        ),
        "vectors",
    )
