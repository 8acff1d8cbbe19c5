"""The shell's ``compare``: HL's five methods and the ten machines. Exit status 0 ok, 1 a gap stayed open, 2 usage."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from msvm_ref.commands.fisher import drawable
from msvm_ref.commands.progress import Progress
from msvm_ref.errors import DataError
from msvm_ref.solvers.methods import METHODS

OK, VERDICT, USAGE = 0, 1, 2


def add_commands(subparsers: Any) -> None:
    compare = subparsers.add_parser(
        "compare", help="accuracy, time, support vectors and certified gaps of 15 methods"
    )
    compare.add_argument(
        "data", nargs="+", help="iris, wine, glass, ... or CSV files (label in the last column)"
    )
    compare.add_argument(
        "--C",
        default="1",
        help="one or several, as 0.1,1,10: the best by cross-validation is reported",
    )
    compare.add_argument("--gamma", default="scale", help="scale, auto or numbers, one or several")
    compare.add_argument("--kernel", default="rbf", choices=("linear", "rbf", "poly"))
    compare.add_argument(
        "--bias",
        default="penalized",
        choices=("none", "free", "penalized"),
        help="of the ten machines",
    )
    compare.add_argument("--folds", type=int, default=5)
    compare.add_argument("--seed", type=int, default=0, help="of the folds")
    compare.add_argument(
        "--tolerance", type=float, default=1e-6, help="certified relative gap (default 1e-6)"
    )
    compare.add_argument(
        "--method",
        default="auto",
        choices=tuple(METHODS),
        help="one for all rows; auto: fast with a kernel, primal for linear",
    )
    compare.add_argument(
        "--jobs", type=int, default=1, help="processes (joblib); times are honest with 1"
    )
    compare.add_argument("--plot", metavar="OUT.png")
    compare.add_argument("--json", action="store_true")
    compare.set_defaults(handler=run_compare)


def run_compare(options: argparse.Namespace) -> int:
    from msvm_ref.studies.comparison import compare, count_searches, table

    Cs, gammas = (
        numbers("--C", options.C),
        [
            g if g in ("scale", "auto") else numbers("--gamma", g)[0]
            for g in options.gamma.split(",")
        ],
    )
    if options.plot is not None and not drawable(options.plot):
        return USAGE
    start = time.monotonic()
    with Progress("compare", count_searches(len(options.data))) as bar:
        rows = compare(
            [_named(name) for name in options.data],
            Cs,
            gammas,
            options.kernel,
            options.bias,
            options.folds,
            options.tolerance,
            options.method,
            options.seed,
            options.jobs,
            progress=bar.step,
        )
    if options.plot is not None:
        from msvm_ref.studies.comparison_figure import comparison_figure

        comparison_figure(rows, options.plot)
    if options.json:
        print(
            json.dumps(
                {
                    "folds": options.folds,
                    "seed": options.seed,
                    "kernel": options.kernel,
                    "bias": options.bias,
                    "tolerance": options.tolerance,
                    "rows": [row.to_dict() for row in rows],
                },
                indent=1,
            )
        )
    else:
        print(table(rows, options.tolerance))
        print(
            f"{options.folds}-fold cross-validation, {options.kernel} kernel; C as HL and UV each write it; "
            f"* best, ! gap above {options.tolerance:g}   [{time.monotonic() - start:.0f} s]"
        )
    return (
        OK
        if all(not row.error and row.relative_gap <= options.tolerance for row in rows)
        else VERDICT
    )


def numbers(option: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise DataError(option, "be numbers separated by commas", repr(text)) from error


def _named(name: str) -> Any:
    from msvm_ref.datasets import NAMES
    from msvm_ref.datasets.tables import read_table

    if name in NAMES:
        return name
    if not Path(name).is_file():
        raise DataError("data", f"be one of {', '.join(NAMES)}, or a file", repr(name))
    return (Path(name).stem, *read_table(name))
