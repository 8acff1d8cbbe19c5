"""The shell's view of what a machine learns: ``targets``. Exit status 0 answered, 2 usage or data.

The table and the page are no questions, so there is no verdict to end with: only mistakes end otherwise than with 0.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from msvm_ref.commands.fisher import drawable
from msvm_ref.commands.progress import Progress
from msvm_ref.model.catalogue import CATALOGUE, machine_named

OK, USAGE = 0, 2


def add_commands(subparsers: Any) -> None:
    """Register ``targets`` on an argparse subparsers object; sets ``handler``: args -> exit status."""
    targets = subparsers.add_parser(
        "targets",
        help="what a machine learns: its embedded loss, the targets it serves, its regret constant",
        description="Find, exactly, the discrete loss that a machine embeds, and what it is consistent for.",
    )
    targets.add_argument(
        "machine",
        nargs="?",
        help="WW, CS, LLW, MMR, MMR_ORTHO, RM, RM(1/4), OVA, AMO, ATM or ATS; the whole table without one",
    )
    targets.add_argument(
        "--all", action="store_true", help="every machine of the catalogue, as a table"
    )
    targets.add_argument(
        "-d", type=int, default=3, metavar="CLASSES", help="number of classes (default 3)"
    )
    targets.add_argument(
        "--target",
        metavar="NAME",
        help='one target instead of all: 0-1, "abstain(1/2)", top-2, least, absolute, hierarchical, partitions',
    )
    targets.add_argument(
        "--plot", metavar="OUT.svg", help="also draw the cells (one machine, 3 classes)"
    )
    targets.add_argument(
        "--html", metavar="OUT.html", help="write the page in which one drags P (3 classes)"
    )
    targets.add_argument("--json", action="store_true", help="the answer with its evidence as JSON")
    targets.set_defaults(handler=run_targets)


def run_targets(args: argparse.Namespace) -> int:
    complaint = _complaint(args)
    if complaint:
        print(complaint, file=sys.stderr)
        return USAGE
    if args.plot is not None and not drawable(args.plot):
        return USAGE
    if args.html:
        _write_page(args.html)
        return OK
    if args.machine is None:
        return _table(args.d, args.json)
    return _one(args)


def _complaint(args: argparse.Namespace) -> str:
    """What is wrong with the options; empty if nothing is."""
    if args.machine and args.all:
        return "targets takes one machine, or --all"
    if args.plot and (not args.machine or args.d != 3):
        return "--plot draws one machine with 3 classes: msvm-ref targets WW --plot out.svg"
    if args.target and not args.machine:
        return "--target asks about one machine: msvm-ref targets CS --target 0-1"
    if args.html and (args.machine or args.d != 3 or args.json):
        return (
            "--html writes one page for all machines at 3 classes: msvm-ref targets --html out.html"
        )
    if args.html and not Path(args.html).absolute().parent.is_dir():
        return f"--html must name a file in an existing directory, got {args.html!r}"
    return ""


def _table(d: int, as_json: bool) -> int:
    from msvm_ref.studies.learned import learned_all, table

    with Progress(f"targets d = {d}", len(CATALOGUE)) as bar:
        rows = learned_all(CATALOGUE, d, bar.step)
    print(json.dumps([r.to_dict() for r in rows]) if as_json else table(rows))
    return OK


def _one(args: argparse.Namespace) -> int:
    machine = machine_named(args.machine)
    if args.target:
        from msvm_ref.fisher.target_consistency import consistent_for

        result = consistent_for(machine, args.target, args.d)
        print(json.dumps(result.to_dict()) if args.json else result)
        return OK
    from msvm_ref.studies.learned import learned

    row = learned(machine, args.d)
    if args.json:
        evidence = {"embedded": row.embedded.to_dict(), "constant": row.regret.to_dict()}
        print(json.dumps({**row.to_dict(), **evidence}))
    else:
        served = ", ".join(row.served) or "none of the standard targets"
        print(row.embedded)
        print(f"serves {served}")
        print(row.regret)
    if args.plot:
        from msvm_ref.studies.target_figure import target_figure

        target_figure(row.embedded, args.plot)
        print(f"cells over the simplex: {args.plot}", file=sys.stderr)
    return OK


def _write_page(path: str) -> None:
    from msvm_ref.studies.target_page import target_page

    Path(path).write_text(target_page(), encoding="utf-8")
    print(f"page: {path}", file=sys.stderr)
