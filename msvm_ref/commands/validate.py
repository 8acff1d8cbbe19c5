"""``msvm-ref validate``: run every conformance check over a solver, and say what is wrong with a proof.

The solver is sklearn or kernlab (built-in lists; kernlab needs R), package.module:Name (an estimator class or instance, or a
function of X, y, C), or a program given by --command. A loss function instead: --loss, --loss-command, or the lists torch,
keras, optax, sklearn-metrics, tensorflow, paddle.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from msvm_ref.commands import validate_loss
from msvm_ref.commands.output import as_json, check_report, remark, write_text
from msvm_ref.commands.parser import (
    BIASES,
    MACHINES,
    OK,
    VERDICT,
    UsageError,
    add_common,
    count,
    did_you_mean,
    one_of,
    positive,
    slack_cost,
    tolerance,
)
from msvm_ref.commands.progress import Progress
from msvm_ref.commands.table import coloured
from msvm_ref.errors import DataError

BUILT_IN = ("sklearn", "kernlab")
FIT_SECONDS, PATIENCE = 60.0, 25.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "solver",
        nargs="?",
        help=f"sklearn, kernlab, or package.module:Name; of losses {', '.join(validate_loss.LISTS)}",
    )
    parser.add_argument(
        "--command",
        metavar="PROGRAM",
        help="a program: JSON on standard input, JSON on standard output (msvm-ref template --protocol)",
    )
    parser.add_argument(
        "--persistent",
        action="store_true",
        help="start the program once: one JSON object a line in, one a line out",
    )
    parser.add_argument(
        "--machine", metavar="NAME", help=f"{MACHINES}, where the convention leaves it open"
    )
    parser.add_argument("--cost", type=slack_cost, help="of --machine (default: linear)")
    parser.add_argument(
        "--convention", metavar="NAME", help="as msvm-ref conventions lists them (default: UV)"
    )
    parser.add_argument(
        "--bias", choices=BIASES, help="where the convention leaves it open (default: none)"
    )
    parser.add_argument(
        "--tolerance", type=tolerance, default=1e-3, help="certified relative gap to reach"
    )
    parser.add_argument(
        "--timeout",
        type=positive,
        help="seconds a program (or, with --isolate, a solver) may take for one fit (default: 60), a loss "
        "for one batch (default: 10)",
    )
    parser.add_argument(
        "--patience",
        type=positive,
        default=PATIENCE,
        help="seconds of fits after which a program that has failed a check is asked no more, but for its diagnosis",
    )
    parser.add_argument(
        "--isolate",
        action="store_true",
        help="run the solver in a process of its own, held to --timeout",
    )
    parser.add_argument(
        "--parameter", help="name of the estimator's constant (default: C, else alpha or lambda_)"
    )
    parser.add_argument(
        "--without",
        type=undeclared,
        default=(),
        metavar="WORDS",
        help="what it does not take, separated by commas: sample_weight, absent_class, class_weight",
    )
    parser.add_argument(
        "--expect",
        action="append",
        default=[],
        metavar="CHECK=REASON",
        help="a known failure; strict: should it pass, that is a failure",
    )
    parser.add_argument(
        "--suite",
        choices=("quick", "standard", "thorough"),
        default="standard",
        help="nine checks; all; all, with real and awkward data",
    )
    parser.add_argument(
        "--repeats",
        type=count,
        default=0,
        metavar="N",
        help="fit two cases N times over as well: median and range of the error, and is it the same again",
    )
    parser.add_argument(
        "--check", action="append", default=[], metavar="CHECK", help="only this check (repeatable)"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="every check, every message, every proof"
    )
    validate_loss.add_arguments(parser)
    add_common(parser)


def undeclared(text: str) -> tuple[str, ...]:
    """A type for argparse: words of ``without.WORDS``."""
    words = tuple(word.strip() for word in text.split(","))
    known = ("sample_weight", "absent_class", "class_weight")
    if wrong := [word for word in words if word not in known]:
        raise argparse.ArgumentTypeError(
            f"must be among {', '.join(known)}, got {wrong[0]!r}{did_you_mean(wrong[0], known)}"
        )
    return words


def run(options: argparse.Namespace) -> int:
    check_report(options)
    if validate_loss.asked_for(options):
        return validate_loss.run(options)
    validate_loss.refuse_alone(options)
    options.timeout = options.timeout or FIT_SECONDS
    _one_solver(options)
    from msvm_ref.conformance import report
    from msvm_ref.conformance.checks import CHECKS
    from msvm_ref.conformance.outcomes import UNDECIDED
    from msvm_ref.conformance.outcomes import run as outcome_of
    from msvm_ref.pages import provenance

    head, entries = _entries(options)
    entries = [replace(entry, repeats=options.repeats) for entry in entries]
    total = sum(len(e.checks) or len(CHECKS) for e in entries)
    truths: dict[Any, Any] = {}
    with Progress("validate", total, options.quiet) as bar, printing_aside():
        outcomes = [
            outcome_of(entry, bar.step, explain_known=bool(options.report), truths=truths)
            for entry in entries
        ]
    origin = provenance()
    data = report.as_dict(outcomes, head, origin)
    print(as_json(data) if options.json else _screen(options, outcomes, head))
    makers = {".html": report.page, ".md": report.markdown}
    for path in options.report:
        maker = makers.get(Path(path).suffix.lower())
        write_text(path, maker(outcomes, head, origin) if maker else as_json(data) + "\n")
        remark(options, f"report: {path}")
    decided = not any(o.verdict == UNDECIDED and o.truth_gap for o in outcomes)
    return OK if decided and all(o.passed for o in outcomes) else VERDICT


def _screen(options: argparse.Namespace, outcomes: list[Any], head: str) -> str:
    from msvm_ref.conformance.summary import summary

    lines = []
    for line in summary(outcomes, head, _again(options), options.verbose):
        word = line.partition(" ")[0]
        lines.append(coloured(word) + line[len(word) :])
    return "\n".join(lines)


def _again(options: argparse.Namespace) -> str:
    """The command line to type again, but for convention, bias, machine and cost."""
    words = ["msvm-ref", "validate"]
    words += [options.solver] if options.solver else ["--command", options.command]
    words += ["--machine", options.machine] if options.machine else []
    return shlex.join(words)


@contextlib.contextmanager
def printing_aside() -> Any:
    """What a user's solver prints goes to standard error: standard output is the report's."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def _one_solver(options: argparse.Namespace) -> None:
    if (options.solver is None) == (options.command is None):
        raise UsageError(
            f"msvm-ref validate: give {'a' if options.solver is None else 'one'} solver: sklearn, kernlab, "
            "package.module:Name, or --command PROGRAM"
        )
    if options.solver is not None and options.solver not in BUILT_IN:
        _check_place(options.solver, "solver")


def _check_place(name: str, what: str) -> None:
    """Refuse what cannot be package.module:Name."""
    if ":" not in name:
        lists = f"{', '.join(BUILT_IN)} or " if what == "solver" else ""
        raise UsageError(
            f"{what} must be {lists}package.module:Name, got {name!r}"
            f"{did_you_mean(name, (*BUILT_IN, *validate_loss.LISTS))}"
        )


def _entries(options: argparse.Namespace) -> tuple[str, list[Any]]:
    from msvm_ref.conformance.checks import CHECKS
    from msvm_ref.conformance.outcomes import Entry
    from msvm_ref.conformance.sizes import cases_of, checks_of

    expected = dict(item.partition("=")[::2] for item in options.expect)
    for name in (*options.check, *expected):
        one_of("check", name, CHECKS, "msvm-ref checks")
    if options.solver in BUILT_IN:
        return _built_in(options, expected)
    settings: dict[str, Any] = {
        "machine": machine_of(options),
        "bias": options.bias,
        "tolerance": options.tolerance,
        "parameter": options.parameter,
        "isolate": options.isolate,
        "timeout": options.timeout,
        "without": options.without,
        "patience": options.patience,
        "cases": cases_of(options.suite),
    }
    convention = _convention(options, settings["machine"])
    if options.command is not None:
        from msvm_ref.conformance.command import CommandSolver

        stated = {"machine": options.machine, "convention": convention, "bias": options.bias}
        solver: Any = CommandSolver(
            options.command, options.timeout, persistent=options.persistent, stated=stated
        )
    else:
        solver = load(options.solver)
    name, label = options.command or options.solver, ""
    if options.command is not None:
        label = " ".join(Path(word).name for word in solver.command)
    title = f"{name} as {settings['machine'].name if settings['machine'] else convention}"
    checks = tuple(options.check) or checks_of(options.suite)
    return title, [Entry(solver, convention, settings, expected, checks, label)]


def machine_of(options: argparse.Namespace) -> Any:
    from msvm_ref.model.catalogue import machine_named

    if options.machine is None:
        if options.cost is not None:
            raise UsageError("--cost must be given with --machine")
        return None
    return machine_named(options.machine).with_cost(options.cost or "linear")


def _convention(options: argparse.Namespace, machine: Any) -> str | None:
    from msvm_ref.model.conventions import CONVENTIONS, convention_named
    from msvm_ref.model.conventions.libraries import LIBRARIES

    name: str | None = options.convention
    if name is None:
        if machine is None:
            raise UsageError(
                "msvm-ref validate: say what it solves: --machine WW, or --convention liblinear-cs "
                "(msvm-ref machines and conventions list them)"
            )
        return None
    known = [c.name for c in (*CONVENTIONS, *LIBRARIES)]
    base = name.partition(",")[0].strip()
    if not base.lower().startswith("margin"):
        one_of("convention", {c.lower(): c for c in known}.get(base.lower(), base), known,
               "msvm-ref conventions")  # fmt: skip
    convention_named(name, machine).for_machine(machine)
    return name


def _built_in(options: argparse.Namespace, expected: dict[str, str]) -> tuple[str, list[Any]]:
    from msvm_ref.conformance.builtin_solvers import BUILT_IN as LISTS
    from msvm_ref.conformance.builtin_solvers import version_of
    from msvm_ref.conformance.sizes import cases_of, checks_of

    said = {k: getattr(options, k) for k in ("machine", "convention", "bias", "cost")}
    given = [f"--{k}" for k, v in said.items() if v]
    given += ["--expect"] * bool(expected) + ["--without"] * bool(options.without)
    if given:
        raise UsageError(
            f"msvm-ref validate {options.solver}: the list says {given[0]} for each solver; leave it out"
        )
    title, entries = LISTS[options.solver]
    chosen = _only(entries(), tuple(options.check) or checks_of(options.suite))
    if more := cases_of(options.suite):
        chosen = [_with_cases(e, more) for e in chosen]
    if options.isolate:
        limits = {"isolate": True, "timeout": options.timeout}
        chosen = [replace(e, settings={**e.settings, **limits}) for e in chosen]
    return f"{title} {version_of(options.solver)}", chosen


def _with_cases(entry: Any, more: tuple[Any, ...]) -> Any:
    given = tuple(entry.settings.get("cases", ()))
    return replace(entry, settings={**entry.settings, "cases": (*given, *more)})


def _only(entries: list[Any], checks: tuple[str, ...]) -> list[Any]:
    if not checks:
        return entries
    return [
        replace(e, checks=tuple(c for c in checks if not e.checks or c in e.checks))
        for e in entries
        if not e.checks or set(e.checks) & set(checks)
    ]


def load(name: str, what: str = "solver") -> Any:
    """``package.module:Name``, looked for in the current directory as well."""
    _check_place(name, what)
    module, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        named: Any = importlib.import_module(module)
        for part in attribute.split("."):
            named = getattr(named, part)
    except (Exception, SystemExit) as error:  # whatever the user's module does when it is imported
        raise DataError(
            what,
            "be importable as package.module:Name",
            f"{name} ({type(error).__name__}: {error})",
        ) from error
    return named
