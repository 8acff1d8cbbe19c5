"""``msvm-ref checks``: what validate checks, one line each; with a name, what that check does in full; --loss: of losses."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from msvm_ref.commands.output import check_report, emit
from msvm_ref.commands.parser import OK, add_common, one_of
from msvm_ref.commands.table import lines_of, screen


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="only this check, in full")
    parser.add_argument("--loss", action="store_true", help="the checks of loss functions")
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    check_report(options)
    told = {
        name: " ".join((check.__doc__ or "").replace("``", "").split())
        for name, check in _checks(options.loss).items()
    }
    more = " --loss" * options.loss
    if options.name is not None:
        name = one_of("check", options.name, told, f"msvm-ref checks{more}")
        emit(options, name, f"{name}\n{told[name]}", {"name": name, "checks": told[name]})
        return OK
    lines = lines_of([[name, text] for name, text in told.items()], screen())
    end = f"{len(told)} checks; in full: msvm-ref checks{more} NAME; run one: validate ... --check NAME"
    data = [{"name": name, "checks": text} for name, text in told.items()]
    emit(options, "Checks", "\n".join([*lines, end]), data)
    return OK


def _checks(of_losses: bool) -> Mapping[str, Callable[..., object]]:
    if of_losses:
        from msvm_ref.conformance.losses.checks import LOSS_CHECKS

        return LOSS_CHECKS
    from msvm_ref.conformance.checks import CHECKS

    return CHECKS
