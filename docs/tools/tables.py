"""Tables read off the code, put in the place of ``<!-- table: NAME -->``."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

PLACE = re.compile(r"^<!-- table: (\w+) -->$", re.M)


def fill(markdown: str) -> str:
    return PLACE.sub(lambda place: TABLES[place[1]](), markdown)


def conventions() -> str:
    """Each convention: its machine and bias, our C and our f for theirs."""
    from msvm_ref.model.conventions.literals import CONVENTIONS

    rows = []
    for c in CONVENTIONS:
        squared = c.machine is not None and c.machine.cost == "quadratic"
        machine = "any" if c.machine is None else c.machine.name + " squared" * squared
        constant = product((c.loss, 2 if squared else 1), (c.scale, 2), (c.ridge, -1))
        per = {"C": "C", "C/n": "C/n", "lambda": "/ (λ n)"}[c.parameter]
        constant = constant or ("1" if c.parameter == "lambda" else "")
        cells = (f"`{c.name}`", machine, c.bias or "as given", f"{constant} {per}")
        told = c.source.replace("|", "\\|")
        rows.append(f"| {' | '.join(cells)} | {product((c.scale, 1))} f | {told} |")
    head = ["| name | machine | bias | our C | our f | source |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *rows])


def product(*factors: tuple[Any, int]) -> str:
    """Factors (number (d-1)^power d^classes) to their exponents, multiplied; empty where it is 1."""
    number, power, classes = Fraction(1), 0, 0
    for factor, exponent in factors:
        number *= Fraction(factor.number) ** exponent
        power += factor.power * exponent
        classes += factor.classes * exponent
    above = [str(number.numerator)] * (number.numerator != 1)
    below = [str(number.denominator)] * (number.denominator != 1)
    for symbol, exponent in (("(d−1)", power), ("d", classes)):
        part = symbol + ("²" if abs(exponent) == 2 else "")
        assert abs(exponent) <= 2
        (above if exponent > 0 else below).extend([part] * (exponent != 0))
    top, bottom = " ".join(above), " ".join(below)
    return f"{top or '1'}/{bottom}" if bottom else top


def checks() -> str:
    """Each check with the first sentence of its docstring."""
    from msvm_ref.conformance.checks import CHECKS

    rows = []
    for name, check in CHECKS.items():
        told = " ".join((check.__doc__ or "").split("\n\n")[0].split())
        rows.append(
            f"| `{name}` | {told.replace('|', chr(92) + '|').replace('*', chr(92) + '*')} |"
        )
    return "\n".join(["| check | what must hold |", "|---|---|", *rows])


TABLES: dict[str, Callable[[], str]] = {"conventions": conventions, "checks": checks}
