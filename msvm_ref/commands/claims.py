"""``msvm-ref claims``: the ledger at the shell. Exit status 0 as expected, 1 a verdict has changed, 2 usage.

A claim that fails is the paper's business and no error of ours.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from msvm_ref.commands.progress import Progress
from msvm_ref.errors import BackendError, DataError

FEW = 3
"""Up to this many claims are shown in full."""


def add_commands(subparsers: Any) -> None:
    claims = subparsers.add_parser(
        "claims",
        help="every checkable statement of the five papers, checked",
        description="Run the claims ledger: HOLDS, HOLDS WITH A CORRECTION or FAILS, computed.",
    )
    claims.add_argument("--paper", metavar="UV", help="UV, HL, FH, ZDO or NP")
    claims.add_argument(
        "--id",
        metavar="UV-C1",
        help="one claim, or a family of them (UV-C1 has one claim per machine)",
    )
    claims.add_argument(
        "--report", metavar="claims.html", help="also write a page with the numbers and pictures"
    )
    claims.add_argument("--json", action="store_true", help="every claim with its evidence as JSON")
    claims.set_defaults(handler=run_claims)


def run_claims(options: argparse.Namespace) -> int:
    from msvm_ref.studies.papers.ledger import run, select, surprises, totals
    from msvm_ref.studies.papers.report import as_json, in_full, table

    if options.report is not None and (
        Path(options.report).suffix != ".html" or not Path(options.report).parent.is_dir()
    ):
        raise DataError(
            "--report", "be an .html file in a folder that exists", repr(options.report)
        )
    chosen, start = select(options.paper, options.id), time.perf_counter()
    with Progress("claims", len(chosen)) as bar:
        decisions = run(chosen, bar.step)
    if options.json:
        print(as_json(decisions))
    elif len(decisions) <= FEW:
        print("\n\n".join(map(in_full, decisions)))
    else:
        print(table(decisions, shutil.get_terminal_size().columns if sys.stdout.isatty() else None))
    changed = surprises(decisions)
    for line in changed:
        print(f"changed: {line}", file=sys.stderr)
    if options.report is not None:
        _write(options.report, decisions, f"{time.perf_counter() - start:.0f} s")
        print(f"report: {options.report} ({totals(decisions)})", file=sys.stderr)
    return 1 if changed else 0


def _write(path: str, decisions: Any, seconds: str) -> None:
    import msvm_ref
    from msvm_ref.commands.claim_pictures import pictures
    from msvm_ref.studies.papers.report import page

    try:
        found = pictures(decisions)
    except BackendError as error:
        print(f"no pictures: {error}", file=sys.stderr)
        found = {}
    Path(path).write_text(
        page(decisions, found, f"msvm_ref {msvm_ref.__version__}, {seconds}"), encoding="utf-8"
    )
