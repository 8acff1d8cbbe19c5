"""Is a vector shaped as FORMAT.md says? Keys, lengths, words, numbers in lowest terms, a machine that treats classes alike."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

RATIONAL = re.compile(r"-?\d{1,4000}(/\d{1,4000})?", re.ASCII)
DECIMAL = re.compile(r"-?\d{1,400}(\.\d{1,1100})?([eE][-+]?\d{1,3})?", re.ASCII)
TEXT = re.compile(r".+")

COUNTED: dict[str, Callable[[int, int], list[list[int]]]] = {
    "self": lambda y, d: [[y]],
    "total-max": lambda y, d: [list(range(d))],
    "total-sum": lambda y, d: [[p] for p in range(d)],
    "others-max": lambda y, d: [[p for p in range(d) if p != y]],
    "others-sum": lambda y, d: [[p] for p in range(d) if p != y],
}
"""The slack groups of an example of class y, by the aggregation's name."""


def misfits(value: Any, shape: Any, where: str) -> list[str]:
    """How a value departs from a shape: {key: shape} ("key?" may be missing), (shape, length), a pattern, a type or words."""
    if isinstance(shape, dict):
        known = {name.rstrip("?"): inner for name, inner in shape.items()}
        if not isinstance(value, dict):
            return [f"{where} is not an object"]
        odd = [f"{where}.{name} is unknown" for name in value if name not in known]
        odd += [
            f"{where}.{name} is missing" for name in shape if name[-1] != "?" and name not in value
        ]
        present = [(name, inner) for name, inner in known.items() if name in value]
        return odd + [
            fault
            for name, inner in present
            for fault in misfits(value[name], inner, f"{where}.{name}")
        ]
    if isinstance(shape, tuple):
        if not isinstance(value, list) or len(value) != shape[1]:
            return [f"{where} is not a list of {shape[1]}"]
        return [f for k, item in enumerate(value) for f in misfits(item, shape[0], f"{where}[{k}]")]
    if isinstance(shape, type):
        return [] if type(value) is shape else [f"{where} is not of type {shape.__name__}"]
    if not isinstance(value, str):
        return [] if value is None and shape == "end" else [f"{where} is not a string"]
    if isinstance(shape, list):
        return [] if value in shape else [f"{where} is {value!r}, not one of {', '.join(shape)}"]
    pattern = RATIONAL if shape == "end" else shape
    if not pattern.fullmatch(value):
        return [f"{where} is {value[:60]!r}, which is no such number or word"]
    if (
        pattern is DECIMAL
        and abs(float(value)) < float("inf")
        and Fraction(float(value)) == Fraction(value)
    ):
        return [] if Fraction(value) or value[0] != "-" else [f"{where} is a negative zero"]
    if pattern is RATIONAL and not re.search("/0+$", value) and str(Fraction(value)) == value:
        return []
    return (
        []
        if pattern is TEXT
        else [f"{where} is {value[:60]!r}: not in lowest terms, or not a binary64 number"]
    )


def machine_misfits(machine: Any, d: int, where: str) -> list[str]:
    """Shapes, groups as the aggregation says, and nu, gamma that treat all classes alike."""
    shape = {
        "name": TEXT,
        "aggregation": list(COUNTED),
        "groups": list,
        "sum_to_zero": bool,
        "nu": (((RATIONAL, d), d), d),
        "gamma": ((RATIONAL, d), d),
    }
    found = misfits(machine, shape, where) + [f"{where} has fewer than two classes"] * (d < 2)
    if found:
        return found
    alike: dict[tuple[bool, ...], set[str]] = {}
    for y in range(d):
        for p in range(d):
            alike.setdefault((p == y,), set()).add(machine["gamma"][y][p])
            for m in range(d):
                alike.setdefault((p == y, m == y, m == p), set()).add(machine["nu"][y][p][m])
    groups = [COUNTED[machine["aggregation"]](y, d) for y in range(d)]
    implied = all(
        sum(map(Fraction, machine["nu"][y][p])) == 0
        for y in range(d)
        for group in groups[y]
        for p in group
    )
    if implied and machine["sum_to_zero"]:
        found.append(f"{where}.sum_to_zero is stated where the margins imply it")
    if any(len(values) > 1 for values in alike.values()):
        found.append(f"{where}.nu or gamma treats one class unlike another")
    if json.dumps(machine["groups"]) != json.dumps(groups):
        found.append(f"{where}.groups are not those of {machine['aggregation']}")
    return found


def sizes(vector: Any) -> tuple[int, int, int]:
    """(n, p, d) by y, X's first row and gamma; ValueError where there are none."""
    try:
        n, p, d = len(vector["y"]), len(vector["X"][0]), len(vector["machine"]["gamma"])
    except (LookupError, TypeError) as error:
        raise ValueError("machine.gamma, X or y is missing or empty") from error
    return n, p, d


def valid_misfits(vector: Any) -> list[str]:
    """Everything about a valid vector's form that is not as it must be; what it says is another matter."""
    try:
        n, p, d = sizes(vector)
    except ValueError as error:
        return [str(error)]
    point = {"W": ((RATIONAL, d), p), "b": (RATIONAL, d), "alpha": ((RATIONAL, d), n)}
    found = misfits(
        vector,
        point
        | {
            "id": TEXT,
            "result": ["valid"],
            "comment": TEXT,
            "flags": list,
            "machine": dict,
            "cost": ["linear", "quadratic"],
            "bias": ["none", "free", "penalized"],
            "C": DECIMAL,
            "sample_weight?": (DECIMAL, n),
            "X": ((DECIMAL, p), n),
            "y": (int, n),
            "optimum": {"value": TEXT, "rational?": RATIONAL},
            "b_interval": (("end", 2), d),
            "scores": ((RATIONAL, d), n),
            "rival": point | {"machine": dict},
        },
        "vector",
    )
    if found:
        return found
    found = machine_misfits(vector["machine"], d, "machine") + machine_misfits(
        vector["rival"]["machine"], d, "rival.machine"
    )
    found += [
        f"y[{i}] is {v}: not a class 0 ... {d - 1}"
        for i, v in enumerate(vector["y"])
        if not 0 <= v < d
    ]
    found += ["C is not positive"] * (Fraction(vector["C"]) <= 0)
    return found + ["a sample weight is negative"] * any(
        Fraction(w) < 0 for w in vector.get("sample_weight", ())
    )
