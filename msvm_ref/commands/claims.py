"""``msvm-ref claims``: every checkable statement of the six papers, checked: HOLDS, WITH A CORRECTION, IN PART or FAILS.

Exit status 1 says that a verdict has changed. A claim that fails is the paper's business and no error of ours.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from msvm_ref.commands.output import as_json, check_report, remark, write_text
from msvm_ref.commands.parser import OK, VERDICT, add_common
from msvm_ref.commands.progress import Progress
from msvm_ref.commands.table import folded, lines_of, screen
from msvm_ref.errors import BackendError

FEW = 3
"""Up to this many claims are shown in full."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--paper", metavar="UV", help="UV, HL, FH, ZDO, NP or APS")
    parser.add_argument(
        "--id",
        metavar="UV-C1",
        help="one claim, or a family of them (UV-C1 has one claim per machine)",
    )
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    check_report(options)
    from msvm_ref.studies.papers.ledger import run as decide
    from msvm_ref.studies.papers.ledger import select, surprises, totals
    from msvm_ref.studies.papers.report import as_dict, in_full, table

    chosen, start = select(options.paper, options.id), time.perf_counter()
    with Progress("claims", len(chosen), options.quiet) as bar:
        decisions = decide(chosen, bar.step)
    if options.json:
        print(as_json(as_dict(decisions)))
    elif len(decisions) <= FEW:
        print("\n\n".join(map(in_full, decisions)))
    else:
        print(_screen(decisions) if sys.stdout.isatty() else table(decisions))
    changed = surprises(decisions)
    for line in changed:
        print(f"changed: {line}", file=sys.stderr)
    for path in options.report:
        write_text(path, _page(options, path, decisions, time.perf_counter() - start))
        remark(options, f"report: {path} ({totals(decisions)})")
    return VERDICT if changed else OK


def _screen(decisions: Any) -> str:
    """One line a claim as wide as the terminal, the verdict first."""
    from msvm_ref.studies.papers.ledger import totals

    short = {"HOLDS WITH A CORRECTION": "CORRECTED"}
    rows = [
        [short.get(str(d.verdict), str(d.verdict)), d.claim.id, d.claim.statement]
        for d in decisions
    ]
    end = "numbers of one: msvm-ref claims --id ID; of all: --report out.html"
    return "\n".join([*lines_of(rows, screen()), folded(totals(decisions), screen() - 1), end])


def _page(options: argparse.Namespace, path: str, decisions: Any, seconds: float) -> str:
    from msvm_ref.commands.claim_pictures import pictures
    from msvm_ref.pages import provenance
    from msvm_ref.studies.papers.report import as_dict, markdown, page

    origin = {**provenance(), "seconds": f"{seconds:.0f}"}
    if path.lower().endswith(".json"):
        return as_json({**as_dict(decisions), "provenance": origin}) + "\n"
    if path.lower().endswith(".md"):
        return markdown(decisions, origin)
    try:
        drawn = pictures(decisions)
    except BackendError as error:
        remark(options, f"no pictures: {error}")
        drawn = {}
    return page(decisions, drawn, origin)
