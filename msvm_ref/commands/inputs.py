"""What a command reads besides tables: a JSON claim, in any of the forms that this package writes.

{machine, C, bias, X, y (or data: a table), W, b | coef, b | alpha | scores}     written by hand
a model of ``fit --save`` or ``solve --json``
a report of ``validate --report out.json``: the claim behind its first failure, or behind that of --check NAME
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from msvm_ref.commands.kernel_option import kernel as parse_kernel
from msvm_ref.errors import DataError
from msvm_ref.model.catalogue import machine_named
from msvm_ref.model.kernels import Kernel, linear, polynomial, precomputed, rbf

if TYPE_CHECKING:
    from msvm_ref.datasets.tables import Table
    from msvm_ref.estimator.saved import SavedModel
    from msvm_ref.model.problem import Problem

PARTS = ("W", "b", "alpha", "coef", "scores")
MODEL = "msvm-ref model 1"


@dataclass(frozen=True)
class Claim:
    """A problem and the keywords of ``certify`` for the candidate that is claimed to solve it."""

    problem: Problem
    given: dict[str, Any]


def read_json(path: str) -> Any:
    """The JSON value in a file, or on standard input for ``-``."""
    try:
        if path == "-":
            return json.loads(sys.stdin.buffer.read().decode("utf-8-sig"))
        if Path(path).is_dir():
            raise DataError(path, "be a JSON file", "a folder")
        return json.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except DataError:
        raise
    except FileNotFoundError as error:
        raise DataError(path, "be a file that exists", "nothing there") from error
    except RecursionError as error:
        raise DataError(path, "be a JSON file", "lists nested too deeply") from error
    except (OSError, ValueError) as error:
        raise DataError(path, "be a JSON file", " ".join(str(error).split())[:120]) from error


def read_claim(
    path: str,
    table: Table | None = None,
    changes: Mapping[str, Any] | None = None,
    check: str | None = None,
) -> Claim:
    """The claim in a file; ``table`` takes the place of its data, ``changes`` of its machine, C, kernel, bias and cost."""
    record = read_json(path)
    if not isinstance(record, dict):
        raise DataError(path, "hold a JSON object", type(record).__name__)
    if "solvers" in record:
        record = _of_report(path, record, check)
    elif check is not None:
        raise DataError("--check", "be given with a report of validate", path)
    if record.get("format") == MODEL:
        record = _of_model(path, record)
    record = {**record, **{k: v for k, v in (changes or {}).items() if v is not None}}
    given = {k: record[k] for k in PARTS if record.get(k) is not None}
    if not given:
        raise DataError(
            path, "have W, coef, alpha or scores", ", ".join(map(str, record))[:80] or "nothing"
        )
    X, y = _data(path, record, table)
    problem = _problem(record, X, y, given)
    return Claim(problem, _fitting(problem, record, given, table is not None))


def changed(options: argparse.Namespace) -> dict[str, Any]:
    """What the command line says instead of the file."""
    return {k: getattr(options, k) for k in ("machine", "C", "kernel", "bias", "cost")}


def _data(path: str, record: dict[str, Any], table: Table | None) -> tuple[Any, Any]:
    from msvm_ref.datasets.tables import read_table

    if table is None and record.get("data") is not None:
        target = record.get("target")
        table = read_table(str(record["data"]), None if target is None else str(target))
    if table is not None:
        return table.X, table.y
    if record.get("X") is None or record.get("y") is None:
        raise DataError(
            path,
            "have X and y, or data (a table)",
            ", ".join(map(str, record))[:80],
            "name the table first: msvm-ref certify data.csv model.json",
        )
    return record["X"], record["y"]


def _problem(record: dict[str, Any], X: Any, y: Any, given: dict[str, Any]) -> Problem:
    from msvm_ref.model.problem import Problem

    cost = record.get("cost", "linear")
    if cost not in ("linear", "quadratic"):
        raise DataError("cost", "be linear or quadratic", repr(cost)[:80])
    C = record.get("C", 1.0)
    if isinstance(C, bool) or not isinstance(C, (int, float)) or not 0 < C < math.inf:
        raise DataError("C", "be a positive number", repr(C)[:80])
    bias: Any = record.get("bias")
    if bias is None:
        if given.get("b") is not None and np.any(np.asarray(given["b"], dtype=object) != 0):
            raise DataError(
                "bias", "be said where there is a b", "nothing", '"bias": "free" or "penalized"'
            )
        bias = "none"
    try:
        return Problem(
            machine_named(str(record.get("machine", "WW"))).with_cost(cost),
            X,
            y,
            C=C,
            bias=bias,
            kernel=_kernel(record.get("kernel", "linear"), X),
            sample_weight=record.get("sample_weight"),
            classes=record.get("classes"),
        )
    except (TypeError, AttributeError, OverflowError) as error:
        raise DataError("claim", "make a problem", str(error)[:120]) from error


def _kernel(value: Any, X: Any) -> Kernel:
    if isinstance(value, dict):
        named = dict(value)
        makers: dict[str, Callable[..., Kernel]] = {"rbf": rbf, "polynomial": polynomial}
        name = str(named.pop("name", None))
        if name == "linear":
            return linear
        if name not in makers:
            raise DataError("kernel", "be linear, rbf or polynomial", repr(value)[:80])
        try:
            return makers[name](**named)
        except TypeError as error:
            raise DataError("kernel", "have its parameters", repr(value)[:80]) from error
    if value == "precomputed":
        return precomputed
    try:
        option = value if hasattr(value, "of") else parse_kernel(str(value))
    except argparse.ArgumentTypeError as error:
        raise DataError("kernel", "be written as in --kernel", f"{value!r} ({error})") from error
    return option.of(np.asarray(X, dtype=float)) if option.name != "linear" else option.of(X)


def _fitting(
    problem: Problem, record: dict[str, Any], given: dict[str, Any], other_data: bool
) -> dict[str, Any]:
    """The parts that belong to this problem: one row an example is no use on other data; zeros are no bias."""
    given = dict(given)
    if other_data:
        rows = record.get("X")
        if rows is None or not np.array_equal(np.asarray(rows, dtype=object), problem.X):
            if not {"W"} & set(given):
                raise DataError("model", "have W where the data are other than its own", "no W")
            given = {k: v for k, v in given.items() if k in ("W", "b")}
        given = _in_order(problem, record, given)
    if problem.bias == "none" and not np.any(np.asarray(given.get("b", 0), dtype=object)):
        given.pop("b", None)
    return given


def _in_order(problem: Problem, record: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Columns in the order of the problem's classes, where the file names its own."""
    classes = record.get("classes")
    if classes is None:
        return given
    theirs, ours = [str(c) for c in classes], [str(c) for c in problem.classes]
    if sorted(theirs) != sorted(ours):
        raise DataError("data", f"have the model's classes {theirs}", str(ours))
    order = [theirs.index(c) for c in ours]
    return {k: np.asarray(v)[..., order] for k, v in given.items()}


def _of_model(path: str, record: dict[str, Any]) -> dict[str, Any]:
    train = record.get("train")
    if not isinstance(train, dict):
        raise DataError(path, "have every field of a model", "no train")
    labels = record.get("labels")
    y = train.get("y")
    try:
        return {
            **{k: record[k] for k in ("machine", "cost", "C", "bias", "kernel", "b", "alpha")},
            **{k: record[k] for k in ("W", "coef") if record.get(k) is not None},
            "X": train["X"],
            "y": [labels[k] for k in y],  # type: ignore[index,union-attr]
            "sample_weight": train["sample_weight"],
            "classes": labels,
        }
    except (KeyError, TypeError, IndexError) as error:
        raise DataError(
            path, "have every field of a model", f"{type(error).__name__}: {error}"
        ) from error


def _of_report(path: str, report: dict[str, Any], check: str | None) -> dict[str, Any]:
    """The claim of a record of a validate report."""
    try:
        records = [r for solver in report["solvers"] for r in solver["records"]]
        claims = {str(r["name"]): r["claim"] for r in records if isinstance(r.get("claim"), dict)}
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(path, "be a report of validate", f"{type(error).__name__}") from error
    if not claims:
        raise DataError(path, "have a failed check with a candidate", "none")
    name = check or next(iter(claims))
    if name not in claims:
        raise DataError("--check", f"be one of {', '.join(claims)}", repr(name))
    return dict(claims[name])


def read_model(path: str) -> SavedModel:
    """What ``fit --save`` wrote or ``solve --json`` printed."""
    from msvm_ref.estimator.saved import SavedModel

    return SavedModel.read(read_json(path), path)
