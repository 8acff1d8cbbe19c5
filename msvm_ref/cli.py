"""The command line. Exit status 0 good, 1 verdict against, 2 usage or data error."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import msvm_ref
from msvm_ref.errors import MsvmError
from msvm_ref.fisher.definition1 import property3
from msvm_ref.model.catalogue import CATALOGUE, machine_named
from msvm_ref.model.machine import Machine, Target, short

COMMANDS = {
    "fisher": ("fisher", "circle"),
    "targets": ("targets",),
    "vectors": ("vectors",),
    "validate": ("validate", "diagnose"),
    "approx": ("approx",),
    "fit_predict": ("fit", "predict"),
    "compare": ("compare",),
    "claims": ("claims",),
}
"""Which file a command lives in: only that of the command asked for is loaded, all of them for help."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="msvm-ref", description="The reference for multi-class SVMs."
    )
    parser.add_argument("--version", action="version", version=f"msvm-ref {msvm_ref.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    given = list(sys.argv[1:] if arguments is None else arguments)
    asked = given[0] if given else ""
    if asked not in ("machines", "demo"):
        _add_solve(commands)
    machines = commands.add_parser("machines", help="the catalogue as the Unified View's Table 1")
    machines.add_argument("--json", action="store_true")
    machines.set_defaults(handler=_machines)
    demo = commands.add_parser(
        "demo", help="ten machines, three routes, and scikit-learn before the judge"
    )
    demo.add_argument("--json", action="store_true")
    demo.set_defaults(handler=_demo)
    own = ("solve", "machines", "demo")
    for module, names in COMMANDS.items():
        if asked in names or not any(asked in group for group in (own, *COMMANDS.values())):
            import_module(f"msvm_ref.commands.{module}").add_commands(commands)
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
    from msvm_ref.solvers.methods import METHODS

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
    from msvm_ref.commands.kernel_option import parse_kernel
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
