"""``msvm-ref fit``: train a machine on a table and save it as JSON that carries its data and its certificate."""

from __future__ import annotations

import argparse
from typing import Any

from msvm_ref.commands.output import check_report, check_writable, emit, whole_file
from msvm_ref.commands.parser import (
    OK,
    VERDICT,
    add_common,
    add_data,
    add_problem,
    count,
    positive,
    seed,
    tolerance,
)
from msvm_ref.commands.progress import Progress
from msvm_ref.commands.solve import announce_compilation
from msvm_ref.errors import DataError, MsvmError


def configure(parser: argparse.ArgumentParser) -> None:
    from msvm_ref.solvers.methods import METHODS

    add_data(parser)
    add_problem(parser)
    parser.add_argument("--save", metavar="MODEL.json", required=True)
    methods = ("auto", *METHODS)
    parser.add_argument(
        "--method",
        default="auto",
        choices=methods,
        metavar="METHOD",
        help=f"{', '.join(methods)}; auto: ground truth where small, else fast",
    )
    parser.add_argument("--tolerance", type=tolerance, default=1e-6, help="certified relative gap")
    parser.add_argument("--max-seconds", type=positive, help="of methods that iterate")
    parser.add_argument("--max-iter", type=count, help="of methods that iterate")
    parser.add_argument("--seed", type=seed, help="of methods that draw")
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    from msvm_ref.datasets.tables import columns_named, read_table
    from msvm_ref.estimator import MulticlassSVC
    from msvm_ref.estimator.saved import SavedModel
    from msvm_ref.solvers.automatic import suited

    check_report(options)
    check_writable("--save", options.save, (".json",))
    table = read_table(options.data, options.target)
    if table.names is not None:
        columns_named(table.title, table.names, table.names)
    estimator = MulticlassSVC(
        options.machine,
        C=options.C,
        bias=options.bias,
        cost=options.cost,
        method=options.method,
        tol=options.tolerance,
        max_iter=options.max_iter,
        max_seconds=options.max_seconds,
        random_state=options.seed,
        **options.kernel.settings,
    )
    method = options.method
    if method == "auto":
        n, p = table.X.shape
        method = suited(n, len(set(table.y)), p, options.kernel.name == "linear")
    announce_compilation(options, method, len(table.y))
    with Progress("fitting", quiet=options.quiet):
        _fitted(estimator, table)
    model = SavedModel.of(estimator.solution_, estimator.classes_, options.tolerance, table.names)
    with whole_file(options.save) as name:
        model.save(name)
    support = len(estimator.support_)
    data = {
        "saved": options.save,
        "method": model.method,
        "labels": list(model.labels),
        "support": support,
        "certificate": model.claimed,
        "sha256": model.sha256,
    }
    n, different = len(table.y), estimator.solution_.problem.n
    merged = f"{n} examples, {different} of them different: equal ones are one of their weight\n"
    words = merged * (different < n)
    words += f"method {model.method}, {support} support vectors, saved to {options.save}\nsha256 {model.sha256}"
    emit(options, f"{options.machine} on {table.title}", f"{estimator.certificate_}\n{words}", data)
    return OK if model.optimal else VERDICT


def _fitted(estimator: Any, table: Any) -> None:
    try:
        estimator.fit(table.X, table.y)
    except MsvmError:
        raise
    except (
        ValueError,
        TypeError,
    ) as error:  # scikit-learn's own refusals: labels that are no classes
        raise DataError(
            table.title, "hold examples of classes", str(error).splitlines()[0]
        ) from error
