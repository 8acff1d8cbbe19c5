"""The command line. Exit status 0 good, 1 verdict against, 2 usage or data error."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import msvm_ref
from msvm_ref.commands import approx, claims, compare, fisher, fit_predict, validate, vectors
from msvm_ref.errors import DataError, MsvmError
from msvm_ref.estimator.model_file import DEGREE
from msvm_ref.fisher.definition1 import property3
from msvm_ref.foreign import is_number, shown
from msvm_ref.model.catalogue import CATALOGUE, machine_named
from msvm_ref.model.kernels import Kernel, linear, polynomial, rbf
from msvm_ref.model.machine import Machine, Target, short
from msvm_ref.solvers.methods import METHODS


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="msvm-ref", description="The reference for multi-class SVMs."
    )
    parser.add_argument("--version", action="version", version=f"msvm-ref {msvm_ref.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_solve(commands)
    machines = commands.add_parser("machines", help="the catalogue as the Unified View's Table 1")
    machines.add_argument("--json", action="store_true")
    machines.set_defaults(handler=_machines)
    demo = commands.add_parser(
        "demo", help="ten machines, three routes, and scikit-learn before the judge"
    )
    demo.add_argument("--json", action="store_true")
    demo.set_defaults(handler=_demo)
    fisher.add_commands(commands)
    vectors.add_commands(commands)
    validate.add_commands(commands)
    approx.add_commands(commands)
    fit_predict.add_commands(commands)
    compare.add_commands(commands)
    claims.add_commands(commands)
    options = parser.parse_args(arguments)
    try:
        return int(options.handler(options))
    except MsvmError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            return 2
        # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0


def _add_solve(commands: Any) -> None:
    solve = commands.add_parser(
        "solve", help="certified ground truth for a CSV or .npz file, as JSON"
    )
    solve.add_argument(
        "file", help="CSV (label in the last column, or --target) or .npz (arrays X, y)"
    )
    solve.add_argument(
        "--machine", default="WW", help="WW, CS, LLW, MMR, MMR_ORTHO, RM(1/2), OVA, AMO, ATM, ATS"
    )
    solve.add_argument("--C", type=float, default=1.0)
    solve.add_argument(
        "--kernel", default="linear", help="linear, rbf:GAMMA or polynomial:DEGREE[:GAMMA[:COEF0]]"
    )
    solve.add_argument("--bias", default="none", choices=("none", "free", "penalized"))
    solve.add_argument("--cost", default="linear", choices=("linear", "quadratic"))
    solve.add_argument("--method", default="primal", choices=tuple(METHODS))
    solve.add_argument("--backend", help="one solver instead of the default chain")
    solve.add_argument(
        "--tolerance", type=float, default=1e-9, help="certified relative gap (default 1e-9)"
    )
    solve.add_argument("--target", metavar="COLUMN", help="name of the CSV's label column")
    solve.add_argument(
        "--report", action="store_true", help="print the certificate for people to stderr as well"
    )
    solve.set_defaults(handler=_solve)


def _solve(options: argparse.Namespace) -> int:
    from msvm_ref.datasets.tables import read_table
    from msvm_ref.model.problem import Problem
    from msvm_ref.solvers.methods import solve

    X, y = read_table(options.file, options.target)
    machine = machine_named(options.machine).with_cost(options.cost)
    problem = Problem(
        machine, X, y, C=options.C, kernel=parse_kernel(options.kernel), bias=options.bias
    )
    solution = solve(problem, options.method, options.backend, options.tolerance)
    if options.report:
        print(solution, file=sys.stderr)
    print(json.dumps(solution.to_dict(), indent=1))
    return 0 if solution.converged else 1


def parse_kernel(text: str) -> Kernel:
    """``linear``, ``rbf:0.5``, ``polynomial:3``, ``polynomial:3:1:0``."""
    name, *numbers = text.split(":")
    if all(map(is_number, numbers)):
        values = [float(v) for v in numbers]
        if name == "linear" and not values:
            return linear
        if name == "rbf" and len(values) == 1:
            return rbf(values[0])
        if name == "polynomial" and 1 <= len(values) <= 3:
            whole = values[0].is_integer() and values[0] <= DEGREE
            return polynomial(int(values[0]) if whole else -1, *values[1:])
    raise DataError(
        "--kernel", "be linear, rbf:GAMMA or polynomial:DEGREE[:GAMMA[:COEF0]]", shown(text)
    )


def machine_row(machine: Machine) -> dict[str, Any]:
    """One line of Table 1, read off the spec."""
    target = machine.target
    assert isinstance(target, Target)
    own = f"{short(target.own_per_rival)}(d-1)" if target.own_per_rival else short(target.own)
    implied = not machine.sum_to_zero and all(
        sum(row) == 0 for plane in machine.nu(3) for row in plane
    )
    verdict = property3(machine)
    return {
        "machine": machine.name,
        "margin": machine.margin_name,
        "aggregation": machine.aggregation.name,
        "target": own if own == short(target.other) else f"{own} own, {short(target.other)} other",
        "sum_to_zero": "yes" if machine.sum_to_zero else "implied" if implied else "no",
        "property3": "holds"
        if verdict.holds
        else "up to ties"
        if verdict.holds_up_to_ties
        else "fails",
        "citation": machine.citation,
    }


def _machines(options: argparse.Namespace) -> int:
    rows = [machine_row(machine) for machine in CATALOGUE]
    if options.json:
        print(json.dumps(rows, indent=1))
        return 0
    titles = {
        "machine": "machine",
        "margin": "margin",
        "aggregation": "aggregation",
        "target": "target",
        "sum_to_zero": "sum-to-zero",
        "property3": "Def. 1(3), d=3",
        "citation": "citation",
    }
    widths = {key: max(len(str(row[key])) for row in [*rows, titles]) for key in titles}
    for row in [titles, *rows]:
        print("  ".join(str(row[key]).ljust(widths[key]) for key in titles).rstrip())
    return 0


def _demo(options: argparse.Namespace) -> int:
    from msvm_ref.studies.demo import demo

    return demo(as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
