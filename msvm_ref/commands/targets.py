"""``msvm-ref targets``: what a machine learns: the discrete loss it embeds, what it is consistent for, its regret constant.

The table and the page are no questions, so there is no verdict to end with: only mistakes end otherwise than with 0.
"""

from __future__ import annotations

import argparse
import sys

from msvm_ref.commands.output import (
    check_plot,
    check_report,
    check_writable,
    emit,
    remark,
    whole_file,
    write_text,
)
from msvm_ref.commands.parser import MACHINES, OK, UsageError, add_common, number
from msvm_ref.commands.progress import Progress
from msvm_ref.commands.table import screen


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "machine", nargs="?", help=f"{MACHINES}; the table of all of them without one"
    )
    parser.add_argument("--all", action="store_true", help="every machine of the catalogue")
    parser.add_argument(
        "-d",
        type=number("a number of classes, at least 2", 2, 1000, whole=True),
        default=3,
        metavar="CLASSES",
        help="number of classes",
    )
    parser.add_argument(
        "--target",
        metavar="NAME",
        help='one target instead of all: 0-1, "abstain(1/2)", top-2, least, absolute, hierarchical, partitions',
    )
    parser.add_argument(
        "--plot", metavar="OUT.svg", help="also draw the cells (one machine, 3 classes)"
    )
    parser.add_argument(
        "--html", metavar="OUT.html", help="write the page in which one drags P (3 classes)"
    )
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    _refuse(options)
    check_report(options)
    check_plot(options.plot)
    if options.html is not None:
        check_writable("--html", options.html, (".html",))
        from msvm_ref.studies.target_page import target_page

        with Progress("page", quiet=options.quiet):
            write_text(options.html, target_page())
        remark(options, f"page: {options.html}")
    elif options.machine is None:
        _table(options)
    elif options.target:
        _one_target(options)
    else:
        _one_machine(options)
    return OK


def _refuse(options: argparse.Namespace) -> None:
    """UsageError where the options do not go together."""
    if options.machine and options.all:
        raise UsageError("msvm-ref targets: give one machine, or --all")
    if options.plot is not None and (not options.machine or options.target or options.d != 3):
        raise UsageError(
            "--plot draws one machine with 3 classes: msvm-ref targets WW --plot out.svg"
        )
    if options.target and not options.machine:
        raise UsageError("--target asks about one machine: msvm-ref targets CS --target 0-1")
    if options.html is not None and (
        options.machine or options.d != 3 or options.json or options.report
    ):
        raise UsageError(
            "--html writes one page for all machines at 3 classes: msvm-ref targets --html out.html"
        )


def _table(options: argparse.Namespace) -> None:
    from msvm_ref.model.catalogue import CATALOGUE
    from msvm_ref.studies.learned import learned_all, table

    with Progress(f"targets d = {options.d}", len(CATALOGUE), options.quiet) as bar:
        rows = learned_all(CATALOGUE, options.d, bar.step)
    width = screen() if sys.stdout.isatty() else None
    emit(options, _title(options), table(rows, width), [row.to_dict() for row in rows])


def _one_target(options: argparse.Namespace) -> None:
    from msvm_ref.fisher.target_consistency import consistent_for
    from msvm_ref.model.catalogue import machine_named

    machine = machine_named(options.machine)
    with Progress(f"{machine.name}, {options.target}", quiet=options.quiet):
        verdict = consistent_for(machine, options.target, options.d)
    emit(options, _title(options), str(verdict), verdict.to_dict())


def _one_machine(options: argparse.Namespace) -> None:
    from msvm_ref.model.catalogue import machine_named
    from msvm_ref.studies.learned import learned

    machine = machine_named(options.machine)
    with Progress(f"{machine.name}, d = {options.d}", quiet=options.quiet):
        row = learned(machine, options.d)
    served = ", ".join(row.served) or "none of the standard targets"
    evidence = {"embedded": row.embedded.to_dict(), "constant": row.regret.to_dict()}
    words = f"{row.embedded}\nserves {served}\n{row.regret}"
    emit(options, _title(options), words, {**row.to_dict(), **evidence})
    if options.plot is not None:
        from msvm_ref.studies.target_figure import target_figure

        with whole_file(options.plot) as name:
            target_figure(row.embedded, name)
        remark(options, f"cells over the simplex: {options.plot}")


def _title(options: argparse.Namespace) -> str:
    return f"What {options.machine or 'each machine'} learns, d = {options.d}"
