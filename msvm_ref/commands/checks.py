"""``msvm-ref checks``: what validate checks, one line each; with a name, what that check does in full."""

from __future__ import annotations

import argparse

from msvm_ref.commands.output import check_report, emit
from msvm_ref.commands.parser import OK, add_common, one_of
from msvm_ref.commands.table import lines_of, screen


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="only this check, in full")
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    from msvm_ref.conformance.checks import CHECKS

    check_report(options)
    told = {
        name: " ".join((check.__doc__ or "").replace("``", "").split())
        for name, check in CHECKS.items()
    }
    if options.name is not None:
        name = one_of("check", options.name, told, "msvm-ref checks")
        emit(options, name, f"{name}\n{told[name]}", {"name": name, "checks": told[name]})
        return OK
    lines = lines_of([[name, text] for name, text in told.items()], screen())
    end = f"{len(told)} checks; in full: msvm-ref checks NAME; run one: validate ... --check NAME"
    data = [{"name": name, "checks": text} for name, text in told.items()]
    emit(options, "Checks", "\n".join([*lines, end]), data)
    return OK
