"""``msvm-ref certify``: what a solution is worth, an interval that contains the optimum and the solution's place in it.

msvm-ref certify data.csv model.json        W and b (or alpha, scores) in model.json, the problem from there or from options
msvm-ref certify model.json                 the model has its own data
"""

from __future__ import annotations

import argparse
from typing import Any

from msvm_ref.commands.inputs import changed, read_claim
from msvm_ref.commands.output import check_report, emit
from msvm_ref.commands.parser import OK, VERDICT, add_common, add_problem, tolerance
from msvm_ref.commands.progress import Progress


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", help="a table as for solve; leave it out where the model has its data"
    )
    parser.add_argument(
        "model",
        nargs="?",
        help="JSON: {machine, C, bias, W, b | alpha | scores, ...}, or what solve, fit or validate wrote; - for standard input",
    )
    parser.add_argument("--target", metavar="COLUMN", help="name of the label column")
    add_problem(parser, defaults=False)
    parser.add_argument(
        "--reference", action="store_true", help="let a ground truth sharpen the lower bound"
    )
    parser.add_argument(
        "--check", metavar="CHECK", help="of a validate report: the claim of this check"
    )
    parser.add_argument(
        "--tolerance", type=tolerance, default=1e-6, help="relative gap that counts as optimal"
    )
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    from msvm_ref.datasets.tables import read_table
    from msvm_ref.solvers.certifying import certify
    from msvm_ref.solvers.methods import solve

    check_report(options)
    table = read_table(options.data, options.target) if options.model is not None else None
    claim = read_claim(options.model or options.data, table, changed(options), options.check)
    with Progress("certifying", quiet=options.quiet):
        reference: Any = solve if options.reference else None
        certificate = certify(claim.problem, **claim.given, reference=reference)
    verdict = verdict_of(certificate, options.tolerance)
    data = {
        "verdict": verdict,
        "tolerance": options.tolerance,
        "certificate": certificate.to_dict(),
    }
    emit(options, certificate.title, lambda: told(verdict, options.tolerance, certificate), data)
    return OK if verdict == "OPTIMAL" else VERDICT


def told(verdict: str, tolerance: float, certificate: Any) -> str:
    """The verdict at this tolerance, and the certificate without its own word where that is another."""
    lines = str(certificate).splitlines()
    if verdict == "UNDECIDED":
        lines = [line for line in lines if not line.startswith("NOT OPTIMAL")]
    return "\n".join([f"{verdict} at {tolerance:g}{advice(verdict, certificate)}", *lines])


def verdict_of(certificate: Any, tolerance: float) -> str:
    """OPTIMAL, NOT OPTIMAL, or UNDECIDED where the enclosure is too wide to tell."""
    if certificate.optimal(tolerance):
        return "OPTIMAL"
    c, faults = certificate, certificate.infeasibility.values()
    surely = [0.0]  # the error that is there whatever the optimum is within [lower, upper]
    if c.primal_value is not None and c.primal_value > 0:
        surely.append((c.primal_value - c.upper) / c.primal_value)
    if c.dual_value is not None and c.upper > 0:
        surely.append((c.lower - c.dual_value) / c.upper)
    return "NOT OPTIMAL" if max(*surely, *faults) > tolerance else "UNDECIDED"


def advice(verdict: str, certificate: Any) -> str:
    if verdict != "UNDECIDED":
        return ""
    most = 100 * max(certificate.primal_error, certificate.dual_error)
    return f": between 0 and {most:.3g} % from the optimum; pass --reference, or alpha"
