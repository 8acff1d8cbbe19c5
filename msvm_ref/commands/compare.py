"""``msvm-ref compare``: Hsu and Lin's five methods and the ten machines: accuracy, time, support vectors, certified gaps.

Exit status 1 says that a gap stayed open or a method refused.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

from msvm_ref.commands.kernel_option import KernelOption, kernels
from msvm_ref.commands.output import check_plot, check_report, emit, whole_file
from msvm_ref.commands.parser import (
    BIAS,
    BIASES,
    OK,
    VERDICT,
    UsageError,
    add_common,
    add_data,
    number,
    seed,
    tolerance,
)
from msvm_ref.commands.progress import Progress
from msvm_ref.commands.solve import announce_compilation


def configure(parser: argparse.ArgumentParser) -> None:
    from msvm_ref.solvers.methods import METHODS

    add_data(parser, nargs="+")
    parser.add_argument(
        "--C",
        type=constants,
        default="1",
        help="one or several, as 0.1,1,10: the best by cross-validation is reported",
    )
    parser.add_argument(
        "--kernel",
        type=kernels,
        default="rbf",
        help="linear, rbf[:GAMMA] or poly:3[:GAMMA], with one or several GAMMA as rbf:scale,0.1,1",
    )
    parser.add_argument("--bias", default=BIAS, choices=BIASES, help="of the ten machines")
    folds = number("a whole number of at least 2", 2, 10**6, whole=True)
    parser.add_argument("--folds", type=folds, default=5, help="of the cross-validation")
    parser.add_argument("--seed", type=seed, default=0, help="of the folds")
    parser.add_argument("--tolerance", type=tolerance, default=1e-6, help="certified relative gap")
    parser.add_argument(
        "--method",
        default="auto",
        choices=tuple(METHODS),
        metavar="METHOD",
        help=f"{', '.join(METHODS)}: one for all rows; auto: fast with a kernel, primal for linear",
    )
    jobs = number("a number of processes, not 0", -1024, 1024, whole=True)
    parser.add_argument(
        "--jobs", type=jobs, default=1, help="processes (joblib); times are honest with 1"
    )
    parser.add_argument("--plot", metavar="OUT.png", help="draw the comparison")
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    check_report(options)
    check_plot(options.plot)
    kernel: KernelOption = options.kernel
    if options.jobs == 0:
        raise UsageError("--jobs must be a number of processes, not 0")
    if kernel.name == "poly" and (kernel.degree, kernel.coef0) != (3, 1.0):
        raise UsageError("--kernel poly is of degree 3 and coef0 1 here: poly:3[:GAMMA]")
    from msvm_ref.studies.comparison import compare, count_searches, data_set, table

    start = time.monotonic()
    data = [data_set(_table(name, options.target), options.folds) for name in options.data]
    method = options.method
    if method == "auto":
        method = "fast" if kernel.name != "linear" else "primal"
    announce_compilation(options, method, max(len(y) for _, _, y in data))
    gammas = list(kernel.gammas)
    with Progress("compare", count_searches(len(data)), options.quiet) as bar:
        rows = compare(
            data,
            options.C,
            gammas,
            kernel.name,
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

        with whole_file(options.plot) as name:
            comparison_figure(rows, name)
    text = (
        f"{table(rows, options.tolerance)}\n{options.folds}-fold cross-validation, {kernel.name} kernel; "
        f"C as HL and UV each write it;\n* best, ! gap above {options.tolerance:g}"
        f"   [{time.monotonic() - start:.0f} s]"
    )
    settings = {k: getattr(options, k) for k in ("folds", "seed", "bias", "tolerance")}
    settings |= {"kernel": kernel.name, "rows": [row.to_dict() for row in rows]}
    emit(options, "Comparison", text, settings)
    closed = all(not row.error and row.relative_gap <= options.tolerance for row in rows)
    return OK if closed else VERDICT


def constants(text: str) -> list[float]:
    """A type for argparse: positive numbers separated by commas."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = [math.nan]
    if not all(0 < value < math.inf for value in values):
        raise argparse.ArgumentTypeError(
            f"must be positive numbers separated by commas, got {text!r}"
        )
    return values


def _table(name: str, target: str | None) -> Any:
    from msvm_ref.datasets import NAMES
    from msvm_ref.datasets.tables import read_table

    if name in NAMES:
        return name
    table = read_table(name, target)
    return (Path(table.title).stem, table.X, table.y)
