"""``msvm-ref conventions``: how papers and libraries write the machines, and the exact map of C and of the scores to ours."""

from __future__ import annotations

import argparse
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from msvm_ref.commands.output import check_report, emit
from msvm_ref.commands.parser import OK, add_common, one_of
from msvm_ref.commands.table import lines_of

if TYPE_CHECKING:
    from msvm_ref.model.conventions import Convention, Factor


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="only this convention, in full")
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    from msvm_ref.model.conventions import CONVENTIONS

    check_report(options)
    rows = {convention.name: described(convention) for convention in CONVENTIONS}
    if options.name is not None:
        row = named(options.name, list(rows))
        width = max(map(len, row))
        emit(options, row["name"], "\n".join(f"{k:<{width}}  {v}" for k, v in row.items()), row)
        return OK
    keys = ("name", "machine", "bias", "our C", "our f")
    table = [list(keys), *([row[k] for k in keys] for row in rows.values())]
    end = (
        "our C and scores f for theirs; the source: msvm-ref conventions NAME\n"
        "any machine: margin1, margin2, ...; with C/n, lambda or 1/C for C: 'margin1, C/n'"
    )
    emit(options, "Conventions", "\n".join([*lines_of(table), end]), list(rows.values()))
    return OK


def named(name: str, known: list[str]) -> dict[str, Any]:
    """One of the list, or margin m of the relative machines; with ", C/n" or ", lambda" as validate takes it."""
    from msvm_ref.model.catalogue import WW
    from msvm_ref.model.conventions import convention_named

    base = name.partition(",")[0].strip().lower()
    spelled = {word.lower(): word for word in known}
    if not base.startswith("margin"):
        one_of("convention", spelled.get(base, name), known, "msvm-ref conventions")
        return described(convention_named(name))
    return described(convention_named(name, WW)) | {"machine": "WW, CS"}


def described(convention: Convention) -> dict[str, Any]:
    """The map as text: our C for theirs, our scores f for theirs."""
    quadratic = convention.machine is not None and convention.machine.cost == "quadratic"
    q = 2 if quadratic else 1
    parts = (
        (convention.loss, q),
        (convention.multiple, 1),
        (convention.scale, 2),
        (convention.ridge, -1),
    )
    number = math.prod((f.number**k for f, k in parts), start=Fraction(1))
    power = sum(k * f.power for f, k in parts)
    classes = sum(k * f.classes for f, k in parts)
    means = {"C": "C", "C/n": "C/n", "lambda": "1/(n lambda)", "1/C": "1/lambda"}
    constant = means[convention.parameter]
    return {
        "name": convention.name,
        "machine": "any" if convention.machine is None else convention.machine.name,
        "cost": "any" if convention.machine is None else convention.machine.cost,
        "bias": convention.bias or "any",
        "our C": _times(number, power, classes, constant),
        "our f": _of(convention.scale, "f"),
        "classes": "2" if convention.binary else "any",
        "source": convention.source,
    }


def _of(factor: Factor, symbol: str) -> str:
    return _times(factor.number, factor.power, factor.classes, symbol)


def _times(number: Any, power: int, classes: int, symbol: str) -> str:
    parts = [] if number == 1 else [str(number)]
    for base, exponent in (("(d-1)", power), ("d", classes)):
        if exponent:
            parts.append(base if exponent == 1 else f"{base}^{exponent}")
    return " ".join([*parts, symbol])
