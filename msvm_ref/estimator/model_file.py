"""The JSON form of a saved model, read under limits: every field of its type, no other field, and the digest of them all.

    format, sha256              "msvm-ref model 2", and the digest of every other field in canonical JSON
    machine, cost, C, bias, kernel, train (X, y, sample_weight)         the problem; y holds the labels themselves
    labels, features            which class a column of W, b, alpha is; which name a column of X has
    W or coef, b, alpha         the solution
    tolerance, method, msvm_ref what was asked for, and by whose word it was computed
    certificate                 as the judge gave it

The digest binds all fields to each other and to what ``fit`` printed; whoever recomputes it has made another statement,
of which ``recheck`` believes nothing that can be recomputed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.foreign import parsed_json, read_text, shown
from msvm_ref.model.arrays import Array, real_array, real_number
from msvm_ref.model.catalogue import machine_named
from msvm_ref.model.kernels import Kernel, linear, polynomial, rbf
from msvm_ref.model.problem import Problem

FORMAT = "msvm-ref model 2"
FIELDS = (
    "format",
    "sha256",
    "msvm_ref",
    "machine",
    "cost",
    "C",
    "bias",
    "kernel",
    "labels",
    "features",
    "train",
    "weights",
    "b",
    "alpha",
    "tolerance",
    "method",
    "certificate",
)
"""Of a record; "weights" is called W for the linear kernel and coef for others."""
KERNELS: dict[str, tuple[Callable[..., Kernel], tuple[str, ...]]] = {
    "linear": (lambda: linear, ()),
    "rbf": (rbf, ("gamma",)),
    "polynomial": (polynomial, ("degree", "gamma", "coef0")),
}
CLASSES, DEGREE = 10_000, 10_000
"""The most classes and the highest polynomial degree that are read."""


def digest(record: dict[str, Any]) -> str:
    """sha256 of a record without its "sha256", keys sorted, no spaces, numbers as repr writes them."""
    rest = {name: value for name, value in record.items() if name != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def read_record(path: str) -> dict[str, Any]:
    """The record in a file, with the fields of a model and its own digest; what they say is another matter."""
    return checked_record(parsed_json(read_text(path), path), path)


def checked_record(value: Any, path: str) -> dict[str, Any]:
    """``value`` where it is such a record; ``path`` is named where it is none."""
    record = dict(value) if isinstance(value, dict) else value
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        got = record.get("format") if isinstance(record, dict) else record
        remedy = "msvm-ref fit ... --save model.json makes one"
        raise DataError(path, f"be a model of format {FORMAT!r}", shown(got), remedy)
    kernel = record.get("kernel")
    name = kernel.get("name") if isinstance(kernel, dict) else None
    weights = "W" if name == "linear" else "coef"
    keys = {weights if field == "weights" else field for field in FIELDS}
    if set(record) != keys:
        odd = sorted(keys ^ set(record))
        raise DataError(path, "have every field of a model and no other", f"{shown(odd)} amiss")
    if record["sha256"] != digest(record):
        raise DataError(
            path,
            "have the sha256 of its content",
            shown(record["sha256"]),
            "it was altered after it was saved: fit again",
        )
    record["weights"] = record.pop(weights)
    return record


def problem_of(record: dict[str, Any]) -> Problem:
    """The training problem a record states."""
    labels, train = labels_of(record["labels"]), record["train"]
    if not isinstance(train, dict) or set(train) != {"X", "y", "sample_weight"}:
        raise DataError("train", "have X, y and sample_weight", shown(train))
    X, y, weight = (train[name] for name in ("X", "y", "sample_weight"))
    for name, value in (("X", X), ("y", y), ("sample_weight", weight)):
        if not isinstance(value, list) and (name != "sample_weight" or value is not None):
            raise DataError(f"train.{name}", "be a list", shown(value))
    if not all(isinstance(v, (str, int, float)) for v in y):
        raise DataError("train.y", "hold labels, strings or numbers", shown(y))
    return Problem(
        machine_named(record["machine"]).with_cost(record["cost"]),
        X,
        y,
        C=record["C"],
        kernel=_kernel(record["kernel"]),
        bias=record["bias"],
        sample_weight=weight,
        classes=labels,
    )


def labels_of(labels: Any) -> tuple[Any, ...]:
    """Distinct strings or numbers, one for each class."""
    if (
        not isinstance(labels, (list, tuple))
        or not 2 <= len(labels) <= CLASSES
        or not all(isinstance(v, (str, int, float)) and v == v for v in labels)
        or len(set(labels)) < len(labels)
    ):
        raise DataError("labels", "be different strings or numbers, 2 at least", shown(labels))
    return tuple(labels)


def features_of(features: Any, width: int) -> tuple[str, ...] | None:
    """The names of the columns of X, or None."""
    if features is None:
        return None
    named = isinstance(features, (list, tuple)) and all(isinstance(v, str) for v in features)
    if not named or len(features) != width:
        raise DataError("features", f"be {width} names", shown(features))
    return tuple(features)


def array_of(name: str, values: Any, shape: tuple[int, ...]) -> Array:
    if not isinstance(values, list):
        raise DataError(name, "be a list", shown(values))
    array = real_array(name, values, len(shape), str(shape))
    if array.shape != shape:
        raise DataError(name, f"have shape {shape}", f"shape {array.shape}")
    return array


def fraction_of(name: str, value: Any) -> float:
    """A number strictly between 0 and 1."""
    number = real_number(value)
    if number is None or not 0 < number < 1:
        raise DataError(name, "lie strictly between 0 and 1", shown(value))
    return number


def text_of(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable() or len(value) > 200:
        raise DataError(name, "be a line of text", shown(value))
    return value


def _kernel(record: Any) -> Kernel:
    if not isinstance(record, dict):
        raise DataError("kernel", "be an object with a name", shown(record))
    arguments = dict(record)
    name = arguments.pop("name", None)
    if not isinstance(name, str) or name not in KERNELS:
        raise DataError("kernel", f"be one of {', '.join(KERNELS)}", shown(name))
    make, parameters = KERNELS[name]
    if set(arguments) != set(parameters):
        raise DataError(
            f"kernel {name}",
            f"have the parameters {', '.join(parameters) or 'none'}",
            shown(sorted(arguments)),
        )
    if any(real_number(v) is None for v in arguments.values()):
        raise DataError(f"kernel {name}", "have numbers for parameters", shown(arguments))
    if arguments.get("degree", 1) > DEGREE:
        raise DataError("degree", f"be at most {DEGREE}", shown(arguments["degree"]))
    return make(**arguments)
