"""``msvm-ref validate`` for losses: --loss package.module:Name, --loss-command PROGRAM, and the lists of frameworks."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msvm_ref.commands.output import emit
from msvm_ref.commands.parser import OK, VERDICT, UsageError, one_of
from msvm_ref.commands.progress import Progress
from msvm_ref.commands.table import coloured

LISTS = ("torch", "keras", "optax", "sklearn-metrics", "tensorflow", "paddle")
BATCH_SECONDS = 10.0
OWN = ("framework", "reduction")
"""Options of losses alone."""
NOT_OURS = ("bias", "parameter", "command")
"""Options of solvers alone."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("losses instead of solvers")
    group.add_argument(
        "--loss", metavar="NAME", help="a loss function or class: torch.nn:MultiMarginLoss"
    )
    group.add_argument(
        "--loss-command",
        metavar="PROGRAM",
        help="a program: a batch of scores as JSON on standard input, its loss as JSON on standard output",
    )
    group.add_argument(
        "--framework",
        choices=("numpy", "torch", "jax", "keras", "tensorflow", "paddle"),
        help="whose arrays it takes (default: as its module says)",
    )
    group.add_argument(
        "--reduction",
        choices=("mean", "sum", "none"),
        help="what one without such a parameter does",
    )


def asked_for(options: argparse.Namespace) -> bool:
    return bool(options.loss or options.loss_command or options.solver in LISTS)


def refuse_alone(options: argparse.Namespace) -> None:
    """Options of losses without a loss."""
    for name in OWN:
        if getattr(options, name):
            raise UsageError(f"msvm-ref validate: --{name} is for a loss; give --loss as well")


def run(options: argparse.Namespace) -> int:
    """0 where every check passes or fails as known, 1 where not."""
    from msvm_ref.commands.validate import printing_aside
    from msvm_ref.conformance.losses import report
    from msvm_ref.conformance.losses.checks import LOSS_CHECKS

    given = [f"--{name}" for name in NOT_OURS if getattr(options, name)]
    if given:
        raise UsageError(f"msvm-ref validate: {given[0]} is for a solver; leave it out for a loss")
    if sum(map(bool, (options.solver, options.loss, options.loss_command))) != 1:
        raise UsageError(
            f"msvm-ref validate: give one loss: --loss, --loss-command, or one of {', '.join(LISTS)}"
        )
    expected = dict(item.partition("=")[::2] for item in options.expect)
    for name in (*options.check, *expected):
        one_of("check", name, LOSS_CHECKS, "msvm-ref checks --loss")
    checks = tuple(options.check) or tuple(LOSS_CHECKS)
    with printing_aside():
        head, jobs = _jobs(options, expected)
        with Progress("validate", len(jobs) * len(checks), options.quiet) as bar:
            outcomes = [_outcome(make, known, checks, bar.step) for make, known in jobs]
    lines = []
    for line in report.summary(outcomes, head, options.verbose):
        word = line.partition(" ")[0]
        lines.append(coloured(word) + line[len(word) :])
    emit(options, head, "\n".join(lines), report.as_dict(outcomes, head))
    return OK if all(o.passed for o in outcomes) else VERDICT


Job = tuple[Callable[[], Any], Mapping[str, str]]
"""How to make the trial, and the checks it is known to fail."""


def _jobs(options: argparse.Namespace, expected: dict[str, str]) -> tuple[str, list[Job]]:
    from msvm_ref.conformance.losses.suite import make_loss_trial

    seconds = options.timeout or BATCH_SECONDS
    if options.solver in LISTS:
        return _listed(options, expected, {"seconds": seconds, "isolate": options.isolate})
    from msvm_ref.commands.validate import load, machine_of

    settings: dict[str, Any] = {
        "machine": machine_of(options),
        "convention": options.convention,
        "reduction": options.reduction,
        "seconds": seconds,
    }
    if options.loss_command:
        from msvm_ref.conformance.losses.command import CommandLoss

        if options.framework or options.isolate:
            raise UsageError(
                "msvm-ref validate --loss-command: a program takes neither --framework nor --isolate"
            )
        program = CommandLoss(options.loss_command, timeout=seconds, persistent=options.persistent)
        return options.loss_command, [(partial(make_loss_trial, program, **settings), expected)]
    function = load(options.loss, "loss")
    settings |= {"framework": options.framework, "isolate": options.isolate}
    return options.loss, [(partial(make_loss_trial, function, **settings), expected)]


def _listed(
    options: argparse.Namespace, expected: dict[str, str], limits: dict[str, Any]
) -> tuple[str, list[Job]]:
    from msvm_ref.conformance.losses.builtin import loss_list
    from msvm_ref.conformance.losses.suite import make_loss_trial

    said = ("machine", "convention", "cost", *OWN)
    given = [f"--{name}" for name in said if getattr(options, name)] + ["--expect"] * bool(expected)
    if given:
        raise UsageError(
            f"msvm-ref validate {options.solver}: the list says {given[0]} for each loss; leave it out"
        )
    head, entries = loss_list(options.solver)
    return head, [
        (partial(make_loss_trial, entry.load(), **limits), entry.expected) for entry in entries
    ]


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
        step(trial.function.name)
    trial.limited.close()
    return LossOutcome(
        trial.function.name,
        trial.machine.name,
        trial.convention.name,
        tuple(records),
        dict(trial.ulps),
        time.perf_counter() - start,
    )
