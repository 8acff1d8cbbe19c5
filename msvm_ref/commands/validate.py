"""The shell's view of conformance: ``validate`` and ``diagnose``. Exit status 0 passes, 1 does not, 2 usage or data error."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from msvm_ref.commands import validate_loss
from msvm_ref.commands.progress import Progress
from msvm_ref.errors import DataError
from msvm_ref.foreign import FILE_LIMIT, parsed_json, read_text, shown

OK, VERDICT = 0, 1


def add_commands(subparsers: Any) -> None:
    """Register ``validate`` and ``diagnose``; each sets ``handler``: args -> exit status."""
    validate = subparsers.add_parser(
        "validate",
        help="hold scikit-learn, your estimator, or any program to its claim",
        description="Run every conformance check over a solver: 'sklearn' or 'kernlab' (the built-in lists; kernlab needs R), "
        "'package.module:Name' (an estimator class or instance, or a function of X, y, C), or a program given by "
        "--command.",
    )
    validate.add_argument(
        "solver",
        nargs="?",
        help="sklearn, kernlab, or package.module:Name; of losses torch, keras, optax, sklearn-metrics, "
        "tensorflow or paddle",
    )
    validate.add_argument(
        "--command",
        metavar="PROGRAM",
        help="a program: JSON on standard input, JSON on standard output",
    )
    validate.add_argument(
        "--persistent",
        action="store_true",
        help="start the program once: one JSON object a line in, one a line out",
    )
    validate.add_argument("--machine", help="WW, CS, LLW, ...: where the convention leaves it open")
    validate.add_argument(
        "--convention",
        help="UV (default), HL(4), liblinear-cs, margin1, ...: see msvm_ref.model.conventions",
    )
    validate.add_argument(
        "--bias", choices=("none", "free", "penalized"), help="where the convention leaves it open"
    )
    validate.add_argument(
        "--tolerance",
        type=float,
        default=1e-3,
        help="certified relative gap to reach (default 1e-3)",
    )
    validate.add_argument(
        "--timeout",
        type=float,
        default=60.0,
        help="seconds a program (or, with --isolate, a solver) may take for one fit",
    )
    validate.add_argument(
        "--isolate",
        action="store_true",
        help="run package.module:Name in a process of its own, held to --timeout",
    )
    validate.add_argument(
        "--parameter", help="name of the estimator's constant (default: C, else alpha or lambda_)"
    )
    validate.add_argument(
        "--expect",
        action="append",
        default=[],
        metavar="CHECK=REASON",
        help="a known failure; strict",
    )
    validate.add_argument(
        "--check", action="append", default=[], metavar="CHECK", help="only this check (repeatable)"
    )
    validate.add_argument(
        "--report", action="append", default=[], metavar="FILE", help="write .html, .json or .md"
    )
    validate.add_argument(
        "--json", action="store_true", help="the report as JSON on standard output"
    )
    validate.add_argument(
        "-v", "--verbose", action="store_true", help="list passed and skipped checks too"
    )
    validate_loss.add_arguments(validate)
    validate.set_defaults(handler=run_validate)
    diagnose = subparsers.add_parser(
        "diagnose",
        help="which problem is this the solution of?",
        description="Read {machine, C, bias, X, y (or data: a CSV or .npz file), W, b | alpha | scores}; say what it solves.",
    )
    diagnose.add_argument("file", help="JSON; - for standard input")
    diagnose.add_argument(
        "--tolerance",
        type=float,
        default=1e-6,
        help="relative gap that counts as optimal (default 1e-6)",
    )
    diagnose.add_argument("--json", action="store_true")
    diagnose.set_defaults(handler=run_diagnose)


def run_validate(args: argparse.Namespace) -> int:
    if validate_loss.wanted(args):
        return validate_loss.run(args)
    from msvm_ref.conformance import report
    from msvm_ref.conformance.checks import CHECKS
    from msvm_ref.conformance.outcomes import run

    for path in args.report:
        if Path(path).suffix.lower() not in (".html", ".json", ".md"):
            raise DataError("--report", "end in .html, .json or .md", repr(path))
    head, entries = _entries(args)
    total = sum(len(e.checks) or len(CHECKS) for e in entries)
    with Progress("validate", total) as bar:
        truths: dict[Any, Any] = {}
        outcomes = [
            run(entry, bar.step, explain_known=bool(args.report), truths=truths)
            for entry in entries
        ]
    print(
        json.dumps(report.as_dict(outcomes, head), indent=1)
        if args.json
        else report.text(outcomes, head, args.verbose)
    )
    for path in args.report:
        report.write(path, outcomes, head)
        print(f"report: {path}", file=sys.stderr)
    return OK if all(o.passed for o in outcomes) else VERDICT


def _entries(args: argparse.Namespace) -> tuple[str, list[Any]]:
    from msvm_ref.conformance.checks import CHECKS
    from msvm_ref.conformance.outcomes import Entry
    from msvm_ref.model.catalogue import machine_named

    if (args.solver is None) == (args.command is None):
        raise DataError(
            "validate",
            "be given one solver: sklearn, kernlab, package.module:Name, or --command PROGRAM",
            "neither" if args.solver is None else "both",
        )
    expected = dict(item.partition("=")[::2] for item in args.expect)
    for name in (*args.check, *expected):
        if name not in CHECKS:
            raise DataError("check", f"be one of {', '.join(CHECKS)}", repr(name))
    if args.solver in ("sklearn", "kernlab"):
        from msvm_ref.conformance.builtin_solvers import BUILT_IN, version_of

        if args.machine or args.convention or args.bias or expected:
            raise DataError(
                f"validate {args.solver}",
                "be given without --machine, --convention, --bias and --expect",
                "one of them",
                "the built-in list says them for each solver",
            )
        title, entries = BUILT_IN[args.solver]
        chosen = _only(entries(), tuple(args.check))
        if args.isolate:
            limits = {"isolate": True, "timeout": args.timeout}
            chosen = [replace(e, settings={**e.settings, **limits}) for e in chosen]
        return f"{title} {version_of(args.solver)}", chosen
    if args.command is not None:
        from msvm_ref.conformance.command import CommandSolver

        solver: Any = CommandSolver(args.command, args.timeout, persistent=args.persistent)
    else:
        solver = load(args.solver)
    settings: dict[str, Any] = {
        "machine": machine_named(args.machine) if args.machine else None,
        "bias": args.bias,
        "tolerance": args.tolerance,
        "parameter": args.parameter,
        "isolate": args.isolate,
        "timeout": args.timeout,
    }
    return args.command or args.solver, [
        Entry(solver, args.convention, settings, expected, tuple(args.check))
    ]


def _only(entries: list[Any], checks: tuple[str, ...]) -> list[Any]:
    if not checks:
        return entries
    return [
        replace(e, checks=tuple(c for c in checks if not e.checks or c in e.checks))
        for e in entries
        if not e.checks or set(e.checks) & set(checks)
    ]


def load(name: str) -> Any:
    """``package.module:Name``, looked for in the current directory as well."""
    module, colon, attribute = name.partition(":")
    if not colon:
        raise DataError("solver", "be sklearn, kernlab or package.module:Name", repr(name))
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # whatever the user's module does when it is imported
        raise DataError(
            "solver",
            "be importable as package.module:Name",
            f"{name} ({type(error).__name__}: {error})",
        ) from error
    return found


def run_diagnose(args: argparse.Namespace) -> int:
    """0 where the candidate is optimal as claimed, 1 where it is not."""
    from msvm_ref.conformance.diagnosis import diagnose

    problem, given = read_claim(args.file)
    found = diagnose(problem, **given, tolerance=args.tolerance)
    print(json.dumps(found.to_dict(), indent=1) if args.json else str(found))
    return OK if found.as_claimed else VERDICT


CLAIM: dict[str, type | tuple[type, ...]] = {
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
    "W": list,
    "b": list,
    "alpha": list,
    "coef": list,
    "scores": list,
}
"""What a claim may say, each of its type or null."""


def read_claim(path: str) -> tuple[Any, dict[str, Any]]:
    """(problem, candidate) of a JSON claim."""
    from msvm_ref.commands.kernel_option import parse_kernel
    from msvm_ref.datasets.tables import read_table
    from msvm_ref.model.catalogue import machine_named
    from msvm_ref.model.problem import Problem

    text = sys.stdin.read(FILE_LIMIT) if path == "-" else read_text(path)
    claim = parsed_json(text, "standard input" if path == "-" else path)
    if not isinstance(claim, dict):
        raise DataError(path, "hold a JSON object", type(claim).__name__)
    claim = {name: value for name, value in claim.items() if value is not None}
    for name, value in claim.items():
        if name not in CLAIM:
            raise DataError(path, f"have keys among {', '.join(CLAIM)}", shown(name))
        if not isinstance(value, CLAIM[name]) or isinstance(value, bool):
            raise DataError(f"{name} in {path}", "be of its type", shown(value))
    if "data" in claim:
        X, y = read_table(claim["data"], claim.get("target"))
    elif {"X", "y"} <= set(claim):
        X, y = claim["X"], claim["y"]
    else:
        raise DataError(path, "have X and y, or data (a file)", shown(list(claim)))
    problem = Problem(
        machine_named(claim.get("machine", "WW")).with_cost(claim.get("cost", "linear")),
        X,
        y,
        C=claim.get("C", 1.0),
        bias=claim.get("bias", "none"),
        kernel=parse_kernel(claim.get("kernel", "linear")),
        sample_weight=claim.get("sample_weight"),
        classes=claim.get("classes"),
    )
    given = {k: claim[k] for k in ("W", "b", "alpha", "coef", "scores") if k in claim}
    if {"W", "coef"} & set(given):
        given.pop("alpha", None)
    if problem.bias == "none" and all(v == 0 for v in given.get("b", [])):
        given.pop("b", None)
    return problem, given
