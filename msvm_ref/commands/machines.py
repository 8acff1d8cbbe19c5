"""``msvm-ref machines``: the catalogue as the Unified View's Table 1, read off the specs."""

from __future__ import annotations

import argparse
from typing import Any

from msvm_ref.commands.output import check_report, emit
from msvm_ref.commands.parser import OK, add_common
from msvm_ref.commands.table import lines_of
from msvm_ref.model.machine import Machine, Target, short

SHORT = {"machine": "machine", "margin": "margin", "aggregation": "aggregation", "target": "target"}
SHORT |= {"sum_to_zero": "sum-to-zero"}
LONG = {**SHORT, "property3": "Def. 1(3), d=3", "citation": "citation"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="citations and Definition 1(3) as well"
    )
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    from msvm_ref.model.catalogue import CATALOGUE

    check_report(options)
    rows = [machine_row(machine) for machine in CATALOGUE]
    titles = LONG if options.verbose else SHORT

    def text() -> str:
        cells = [
            [str(row[key]).replace(" own", "").replace(" other", "") for key in titles]
            for row in rows
        ]
        more = [] if options.verbose else ["citations and Definition 1(3): -v"]
        return "\n".join([*lines_of([list(titles.values()), *cells]), *more])

    emit(options, "Machines", text, rows)
    return OK


def machine_row(machine: Machine) -> dict[str, Any]:
    """One line of Table 1, read off the spec."""
    from msvm_ref.fisher.definition1 import property3

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
