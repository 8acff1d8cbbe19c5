"""Is a vector shaped as FORMAT.md says? Keys, lengths, words, numbers in lowest terms, the machine that its name says."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

from .machines import COUNTED, MACHINES

RATIONAL = re.compile(r"-?\d{1,200}(/\d{1,200})?", re.ASCII)
DECIMAL = re.compile(r"-?\d{1,40}(\.\d{1,60})?([eE][-+]?\d{1,2})?", re.ASCII)
TEXT = re.compile(r".+")

EXAMPLES, FEATURES, CLASSES, CHARACTERS = 32, 16, 8, 40_000
"""The most a vector may have: exact arithmetic is not for large problems, and the limit is checked before the work."""


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
    """A machine is what its name says: every field is made again from the name and d, and compared."""
    shape = {
        "name": list(MACHINES),
        "aggregation": list(COUNTED),
        "groups": list,
        "sum_to_zero": bool,
        "nu": (((RATIONAL, d), d), d),
        "gamma": ((RATIONAL, d), d),
    }
    faults = misfits(machine, shape, where)
    if faults:
        return faults
    named = MACHINES[machine["name"]].at(machine["name"], d)
    return [
        f"{where}.{field} is not that of {machine['name']} with {d} classes"
        for field, value in named.items()
        if json.dumps(machine[field]) != json.dumps(value)
    ]


def sizes(vector: Any) -> tuple[int, int, int]:
    """(n, p, d) by y, X's first row and gamma; ValueError where there are none, or too many."""
    try:
        n, p, d = len(vector["y"]), len(vector["X"][0]), len(vector["machine"]["gamma"])
    except (LookupError, TypeError) as error:
        raise ValueError("machine.gamma, X or y is missing or empty") from error
    if n > EXAMPLES or p > FEATURES or not 2 <= d <= CLASSES:
        raise ValueError(
            f"it has {n} examples, {p} features and {d} classes; at most {EXAMPLES}, {FEATURES} and "
            f"2 to {CLASSES} are verified"
        )
    return n, p, d


def too_long(vector: Any) -> list[str]:
    """A vector's text, before any of it is read as a number."""
    return [f"it has more than {CHARACTERS} characters"] * (len(json.dumps(vector)) > CHARACTERS)


def valid_misfits(vector: Any) -> list[str]:
    """Everything about a valid vector's form that is not as it must be; what it says is another matter."""
    try:
        n, p, d = sizes(vector)
    except ValueError as error:
        return [str(error)]
    if long := too_long(vector):
        return long
    point = {"W": ((RATIONAL, d), p), "b": (RATIONAL, d), "alpha": ((RATIONAL, d), n)}
    faults = misfits(
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
    if faults:
        return faults
    faults = machine_misfits(vector["machine"], d, "machine") + machine_misfits(
        vector["rival"]["machine"], d, "rival.machine"
    )
    faults += [
        f"y[{i}] is {v}: not a class 0 ... {d - 1}"
        for i, v in enumerate(vector["y"])
        if not 0 <= v < d
    ]
    faults += ["C is not positive"] * (Fraction(vector["C"]) <= 0)
    return faults + ["a sample weight is negative"] * any(
        Fraction(w) < 0 for w in vector.get("sample_weight", ())
    )
