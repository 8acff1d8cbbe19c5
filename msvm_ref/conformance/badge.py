"""A badge from a report: ``python -m msvm_ref.conformance.badge report.json badge.svg``.

The report is what ``msvm-ref validate --report report.json`` wrote. Green: every check that could be decided passed; amber:
failures that were declared beforehand; red: anything else. The number is the largest certified error among fits that did not
say "not converged". Nothing is judged here; a badge is worth what its report is worth, so publish both.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context
from html import escape
from pathlib import Path
from typing import Any

from msvm_ref.errors import DataError, MsvmError
from msvm_ref.foreign import parsed_json, read_text, shown
from msvm_ref.model.arrays import real_number

LABEL = "certified by msvm_ref"
GREEN, AMBER, RED = "#2f8f4e", "#b7791f", "#c9473c"
CHARACTER = 6.1
"""Width of a character at 11 px, in px; the text is stretched to it, so any font fits."""


def badge(report: Mapping[str, Any]) -> str:
    """The SVG of a validation report (the object of its JSON)."""
    words, color = summary(report)
    label = LABEL if color != RED else "judged by msvm_ref"
    left, right = (round(CHARACTER * len(text)) + 12 for text in (label, words))
    height, width = 20, left + right
    name = escape(f"{label}: {words}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="{name}">\n'
        f"<title>{name}</title>\n"
        f'<rect width="{width}" height="{height}" rx="3" fill="#444c56"/>\n'
        f'<path d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-{right - 3}z" fill="{color}"/>\n'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">\n'
        f'<text x="6" y="14" textLength="{left - 12}">{escape(label)}</text>\n'
        f'<text x="{left + 6}" y="14" textLength="{right - 12}">{escape(words)}</text>\n'
        "</g>\n</svg>\n"
    )


def summary(report: Mapping[str, Any]) -> tuple[str, str]:
    """(words, colour): what the report says in one line."""
    solvers = report.get("solvers")
    if not isinstance(solvers, list) or not solvers:
        raise DataError("report", "be JSON of msvm-ref validate, with its solvers", "none")
    try:
        statuses = [record["status"] for solver in solvers for record in solver["records"]]
        errors = [solver["worst_error"] for solver in solvers]
    except (KeyError, TypeError) as error:
        raise DataError("report", "be JSON of msvm-ref validate", f"no {error}") from error
    failed, known = statuses.count("failed"), statuses.count("expected failure")
    passed = statuses.count("passed")
    worst = max(map(_error, errors))
    if failed or not passed:
        return f"fails {failed} of {len(statuses)} checks", RED
    if not math.isfinite(worst):
        return "error not bounded", RED
    within = f"error ≤ {rounded_up(worst)}"
    if known:
        return f"{passed} passed, {known} known to fail, {within}", AMBER
    return f"{passed} checks, {within}", GREEN


def rounded_up(value: float) -> str:
    """One digit that is no smaller: a bound stays a bound in print."""
    up = Context(prec=1, rounding=ROUND_CEILING)
    return f"{up.create_decimal(repr(value)):.0e}" if value else "0"


def _error(value: Any) -> float:
    """A certified error of a report; inf where it says that there is none."""
    if value is None or value == "inf":
        return math.inf
    error = real_number(value)
    if error is None or error < 0:
        raise DataError("worst_error", "be a number that is not negative, or null", shown(value))
    return error


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 2:
        print("usage: python -m msvm_ref.conformance.badge REPORT.json BADGE.svg", file=sys.stderr)
        return 2
    try:
        report = parsed_json(read_text(arguments[0]), "report")
        if not isinstance(report, dict):
            raise DataError("report", "hold a JSON object", type(report).__name__)
        picture = badge(report)
        Path(arguments[1]).write_text(picture, encoding="utf-8")
    except (MsvmError, OSError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
