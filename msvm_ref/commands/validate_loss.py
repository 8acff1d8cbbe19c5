"""``msvm-ref validate`` for losses: --loss package.module:Name, --loss-command PROGRAM, and the lists of frameworks."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msvm_ref.commands.progress import Progress
from msvm_ref.errors import DataError

LISTS = ("torch", "keras", "optax", "sklearn-metrics", "tensorflow", "paddle")
LONGEST = 10.0
"""Seconds for a call, unless --timeout says otherwise: a loss is quicker than the fit that --timeout's default is made for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--loss", metavar="NAME", help="a loss function or class instead: package.module:Name"
    )
    parser.add_argument(
        "--loss-command",
        metavar="PROGRAM",
        help="a program that computes a loss: JSON on standard input, JSON on standard output",
    )
    parser.add_argument(
        "--framework",
        help="whose arrays a loss takes: numpy, torch, jax, keras, tensorflow, paddle "
        "(default: as its module says)",
    )
    parser.add_argument(
        "--reduction",
        choices=("mean", "sum", "none"),
        help="what a loss without such a parameter does",
    )


def wanted(args: argparse.Namespace) -> bool:
    return bool(args.loss or args.loss_command or args.solver in LISTS)


def run(args: argparse.Namespace) -> int:
    """0 where every check passes or fails as known, 1 where not."""
    from msvm_ref.conformance.losses import report
    from msvm_ref.conformance.losses.checks import LOSS_CHECKS

    for path in args.report:
        if Path(path).suffix.lower() not in (".json", ".md"):
            raise DataError("--report", "end in .json or .md for losses", repr(path))
    if args.bias or args.parameter or args.command:
        raise DataError(
            "validate", "be given no --bias, --parameter or --command with a loss", "one of them"
        )
    if sum(map(bool, (args.solver, args.loss, args.loss_command))) != 1:
        raise DataError(
            "validate",
            f"be given one loss: --loss, --loss-command, or one of {', '.join(LISTS)}",
            "several",
        )
    expected = dict(item.partition("=")[::2] for item in args.expect)
    for name in (*args.check, *expected):
        if name not in LOSS_CHECKS:
            raise DataError("check", f"be one of {', '.join(LOSS_CHECKS)}", repr(name))
    head, jobs = _jobs(args, expected)
    checks = tuple(args.check) or tuple(LOSS_CHECKS)
    with Progress("validate", len(jobs) * len(checks)) as bar:
        outcomes = [_outcome(make, known, checks, bar.step) for make, known in jobs]
    print(
        json.dumps(report.as_dict(outcomes, head), indent=1)
        if args.json
        else report.text(outcomes, head, args.verbose)
    )
    for path in args.report:
        report.write(path, outcomes, head)
        print(f"report: {path}", file=sys.stderr)
    return 0 if all(o.passed for o in outcomes) else 1


Job = tuple[Callable[[], Any], Mapping[str, str]]
"""How to make the trial, and the checks it is known to fail."""


def _jobs(args: argparse.Namespace, expected: dict[str, str]) -> tuple[str, list[Job]]:
    from msvm_ref.conformance.losses.suite import make_loss_trial
    from msvm_ref.model.catalogue import machine_named

    seconds = LONGEST if args.timeout == 60.0 else args.timeout
    if args.solver in LISTS:
        from msvm_ref.conformance.losses.builtin import loss_list

        if args.machine or args.convention or args.framework or args.reduction or expected:
            raise DataError(
                f"validate {args.solver}",
                "be given without --machine, --convention, --framework, --reduction and --expect",
                "one of them",
                "the built-in list says them for each loss",
            )
        head, entries = loss_list(args.solver)
        limits = {"seconds": seconds, "isolate": args.isolate}
        return head, [
            (partial(make_loss_trial, entry.load(), **limits), entry.expected) for entry in entries
        ]
    settings: dict[str, Any] = {
        "machine": machine_named(args.machine) if args.machine else None,
        "convention": args.convention,
        "reduction": args.reduction,
        "seconds": seconds,
    }
    if args.loss_command:
        from msvm_ref.conformance.losses.command import CommandLoss

        program = CommandLoss(args.loss_command, timeout=seconds, persistent=args.persistent)
        return args.loss_command, [(partial(make_loss_trial, program, **settings), expected)]
    from msvm_ref.commands.validate import load

    function = load(args.loss)
    settings |= {"framework": args.framework, "isolate": args.isolate}
    return args.loss, [(partial(make_loss_trial, function, **settings), expected)]


def _outcome(
    make: Callable[[], Any],
    expected: Mapping[str, str],
    checks: tuple[str, ...],
    step: Callable[[str], None],
) -> Any:
    from msvm_ref.conformance.losses.report import LossOutcome
    from msvm_ref.conformance.losses.suite import run_loss_check

    start = time.perf_counter()
    trial = make()
    records = []
    for name in checks:
        records.append(run_loss_check(trial, name, expected.get(name)))
        step(trial.function.name[:40])
    trial.limited.close()
    return LossOutcome(
        trial.function.name,
        trial.machine.name,
        trial.convention.name,
        tuple(records),
        dict(trial.ulps),
        time.perf_counter() - start,
    )
