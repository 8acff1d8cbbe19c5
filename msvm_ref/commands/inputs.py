"""What a command reads besides tables: a JSON claim, in any of the forms that this package writes.

{machine, C, bias, X, y (or data: a table), W, b | coef, b | alpha | scores}     written by hand
a model of ``fit --save`` or ``solve --save``, or what ``solve --json`` printed
a report of ``validate --report out.json``: the claim behind its first failure, or behind that of --check NAME
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from msvm_ref.commands.kernel_option import KernelOption
from msvm_ref.commands.kernel_option import kernel as parse_kernel
from msvm_ref.errors import DataError
from msvm_ref.foreign import FILE_LIMIT, parsed_json, read_text, shown
from msvm_ref.model.arrays import real_array
from msvm_ref.model.catalogue import machine_named
from msvm_ref.model.kernels import Kernel, precomputed

if TYPE_CHECKING:
    from msvm_ref.datasets.tables import Table
    from msvm_ref.estimator.saved import SavedModel
    from msvm_ref.model.problem import Problem

PARTS = ("W", "b", "alpha", "coef", "scores")
FIELDS: dict[str, type | tuple[type, ...]] = {
    "machine": str,
    "cost": str,
    "C": (int, float),
    "kernel": str,
    "bias": str,
    "data": str,
    "target": str,
    "X": list,
    "y": list,
    "sample_weight": list,
    "classes": list,
    **dict.fromkeys(PARTS, list),
}
"""What a claim may say, each of its type or null."""


class JudgedClaim(NamedTuple):
    """A problem and the keywords of ``certify`` for the candidate that is claimed to solve it."""

    problem: Problem
    given: dict[str, Any]


def read_json(path: str) -> Any:
    """The JSON value in a file, or on standard input for ``-``."""
    if path == "-":
        content = sys.stdin.buffer.read(FILE_LIMIT)
        return parsed_json(content.decode("utf-8-sig", "replace"), "standard input")
    return parsed_json(read_text(path, encoding="utf-8-sig"), path)


def read_claim(
    path: str,
    table: Table | None = None,
    changes: Mapping[str, Any] | None = None,
    check: str | None = None,
) -> JudgedClaim:
    """The claim in a file; ``table`` takes the place of its data, ``changes`` of its machine, C, kernel, bias and cost."""
    record = read_json(path)
    if not isinstance(record, dict):
        raise DataError(path, "hold a JSON object", type(record).__name__)
    if "solvers" in record:
        record = _of_report(path, record, check)
    elif check is not None:
        raise DataError("--check", "be given with a report of validate", path)
    if isinstance(record.get("model"), dict):
        record = record["model"]
    saved = "format" in record
    record = _of_model(path, record) if saved else _typed(path, record)
    record = {**record, **{k: v for k, v in (changes or {}).items() if v is not None}}
    given = {k: record[k] for k in PARTS if k in record}
    if not given:
        raise DataError(path, "have W, coef, alpha or scores", shown(list(record), 200))
    X, y = _data(path, record, table)
    if saved and table is not None:
        record, given = _spread(record, given, table)
    problem = _problem(record, X, y, given)
    return JudgedClaim(problem, _fitting(problem, record, given, table is not None))


def read_model(path: str) -> SavedModel:
    """What ``fit`` or ``solve`` saved, or ``solve --json`` printed."""
    from msvm_ref.estimator.model_file import checked_record
    from msvm_ref.estimator.saved import SavedModel

    value = read_json(path)
    if isinstance(value, dict) and isinstance(value.get("model"), dict):
        value = value["model"]
    return SavedModel.of_record(checked_record(value, path))


def _typed(path: str, record: dict[str, Any]) -> dict[str, Any]:
    """The fields that are said, each of its type; DataError for any other."""
    said = {name: value for name, value in record.items() if value is not None}
    for name, value in said.items():
        if name not in FIELDS:
            raise DataError(path, f"have keys among {', '.join(FIELDS)}", shown(name))
        if not isinstance(value, FIELDS[name]) or isinstance(value, bool):
            raise DataError(f"{name} in {path}", "be of its type", shown(value))
    return said


def changed(options: argparse.Namespace) -> dict[str, Any]:
    """What the command line says instead of the file."""
    return {k: getattr(options, k) for k in ("machine", "C", "kernel", "bias", "cost")}


def _data(path: str, record: dict[str, Any], table: Table | None) -> tuple[Any, Any]:
    from msvm_ref.datasets.tables import read_table

    if table is None and "data" in record:
        table = read_table(record["data"], record.get("target"))
    if table is not None:
        return table.X, table.y
    if not {"X", "y"} <= set(record):
        raise DataError(
            path,
            "have X and y, or data (a table)",
            shown(list(record), 200),
            "name the table first: msvm-ref certify data.csv model.json",
        )
    return record["X"], record["y"]


def _problem(record: dict[str, Any], X: Any, y: Any, given: dict[str, Any]) -> Problem:
    from msvm_ref.model.problem import Problem

    bias: Any = record.get("bias")
    if bias is None:
        if any(v != 0 for v in given.get("b", [])):
            raise DataError(
                "bias", "be said where there is a b", "nothing", '"bias": "free" or "penalized"'
            )
        bias = "none"
    return Problem(
        machine_named(record.get("machine", "WW")).with_cost(record.get("cost", "linear")),
        X,
        y,
        C=record.get("C", 1.0),
        bias=bias,
        kernel=_kernel(record.get("kernel", "linear"), X),
        sample_weight=record.get("sample_weight"),
        classes=record.get("classes"),
    )


def _kernel(value: Any, X: Any) -> Kernel:
    if isinstance(value, Kernel):
        return value
    if value == "precomputed":
        return precomputed
    try:
        option = value if isinstance(value, KernelOption) else parse_kernel(value)
    except argparse.ArgumentTypeError as error:
        raise DataError(
            "kernel", "be written as in --kernel", f"{shown(value)} ({error})"
        ) from error
    return option.of(
        X if option.name == "linear" else real_array("X", X, 2, "(examples, features)")
    )


def _fitting(
    problem: Problem, record: dict[str, Any], given: dict[str, Any], other_data: bool
) -> dict[str, Any]:
    """The parts that belong to this problem: one row an example is no use on other data; zeros are no bias."""
    given = dict(given)
    if other_data:
        rows = record.get("X")
        if rows is None or not np.array_equal(np.asarray(rows, dtype=object), problem.X):
            if "W" not in given:
                raise DataError("model", "have W where the data are other than its own", "no W")
            given = {k: v for k, v in given.items() if k in ("W", "b")}
        given = _in_order(problem, record, given)
    if problem.bias == "none" and all(
        isinstance(v, (int, float)) and v == 0 for v in given.get("b", [])
    ):
        given.pop("b", None)
    return given


def _spread(
    record: dict[str, Any], given: dict[str, Any], table: Table
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A model's claim on the rows of a table, each of which counts once, whatever weights the model has.

    ``fit`` makes equal examples one row that carries their weight; where the table has them, each gets its share of coef
    and alpha.
    """
    record = {**record, "sample_weight": None}
    theirs, ours = _rows(record["X"], record["y"]), _rows(table.X, table.y)
    place = {row: k for k, row in enumerate(theirs)}
    if theirs == ours or len(place) < len(theirs) or set(place) != set(ours):
        return record, given
    at = np.array([place[row] for row in ours])
    copies = np.bincount(at)[at, None]
    for name in ("coef", "alpha"):
        if given.get(name) is not None:
            rows = real_array(name, given[name], 2, "(examples, margins)")
            if len(rows) == len(theirs):
                given = {**given, name: rows[at] / copies}
    return {**record, "X": table.X}, given


def _rows(X: Any, y: Any) -> list[tuple[Any, ...]]:
    """Examples with their labels, to be compared."""
    rows = np.asarray(X, dtype=float) + 0.0  # -0.0 is 0.0
    return [(*row, str(label)) for row, label in zip(rows.tolist(), y, strict=True)]


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
    """The claim of a model."""
    from msvm_ref.estimator.model_file import checked_record, problem_of

    checked = checked_record(record, path)
    problem, train = problem_of(checked), checked["train"]
    return {
        **{k: checked[k] for k in ("machine", "cost", "C", "bias", "b", "alpha")},
        "W" if problem.is_linear else "coef": checked["weights"],
        "kernel": problem.kernel,
        "X": train["X"],
        "y": train["y"],
        "sample_weight": train["sample_weight"],
        "classes": checked["labels"],
    }


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
        raise DataError("--check", f"be one of {', '.join(claims)}", shown(name))
    return dict(claims[name])
