"""``msvm-ref diagnose``: which problem is this the solution of? Searched for, and proved."""

from __future__ import annotations

import argparse

from msvm_ref.commands.inputs import changed, read_claim
from msvm_ref.commands.output import check_report, emit
from msvm_ref.commands.parser import OK, VERDICT, add_common, add_problem, tolerance
from msvm_ref.commands.progress import Progress


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        help="JSON: {machine, C, bias, X, y (or data: a table), W, b | alpha | scores}, or what solve, fit or validate "
        "wrote; - for standard input",
    )
    parser.add_argument("--data", metavar="TABLE", help="instead of the file's X and y")
    parser.add_argument("--target", metavar="COLUMN", help="name of the label column of --data")
    add_problem(parser, defaults=False)
    parser.add_argument(
        "--check", metavar="CHECK", help="of a validate report: the claim of this check"
    )
    parser.add_argument(
        "--tolerance", type=tolerance, default=1e-6, help="relative gap that counts as optimal"
    )
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    """0 where the candidate is optimal as claimed, 1 where it is not."""
    from msvm_ref.conformance.diagnosis import diagnose
    from msvm_ref.datasets.tables import read_table

    check_report(options)
    table = read_table(options.data, options.target) if options.data is not None else None
    claim = read_claim(options.file, table, changed(options), options.check)
    if {"W", "coef"} & set(claim.given):
        claim.given.pop("alpha", None)  # the primal half says more, and multipliers are not unique
    with Progress("diagnosing", quiet=options.quiet):
        diagnosis = diagnose(claim.problem, **claim.given, tolerance=options.tolerance)
    emit(options, "Diagnosis", str(diagnosis), diagnosis.to_dict())
    return OK if diagnosis.as_claimed else VERDICT
