"""The certified error of every fit of a report as inline SVG: a column for each problem, a dot for each fit of it."""

from __future__ import annotations

import html
import math
from typing import Any

from msvm_ref.conformance.outcomes import Outcome

FLOOR = 1e-13
"""Where an error of 0 is drawn."""
WIDTH, LEFT, TOP, HEIGHT, LABELS = 1100, 62, 26, 220, 130
RED, BLUE, GREY = "#b00020", "#2b6cb0", "#999"


def plot(outcome: Outcome) -> str:
    """Relative distance from the optimum on a log scale, problems in the order of the checks, their tolerance as a bar."""
    cases: dict[str, list[dict[str, Any]]] = {}
    for gap in outcome.gaps:
        cases.setdefault(gap["case"], []).append(gap)
    if not cases:
        return "<p class=quiet>No fit was certified.</p>"
    step = (WIDTH - LEFT - 10) / len(cases)
    out = [
        f"<svg viewBox='0 0 {WIDTH} {TOP + HEIGHT + LABELS}' role=img aria-label='certified relative error of each fit'>"
    ]
    out.append(_key())
    for power in range(-12, 1, 3):
        y = _height(10.0**power)
        out += [
            f"<line x1={LEFT} x2={WIDTH - 10} y1={y:.1f} y2={y:.1f} stroke='#e4e4e4'/>",
            f"<text x={LEFT - 6} y={y + 4:.1f} font-size=11 text-anchor=end>1e{power}</text>",
        ]
    for k, (name, fits) in enumerate(cases.items()):
        middle = LEFT + step * (k + 0.5)
        bar = _height(max(g["allowed"] for g in fits))
        out.append(
            f"<line x1={middle - step * 0.45:.1f} x2={middle + step * 0.45:.1f} y1={bar:.1f} y2={bar:.1f} "
            f"stroke='{RED}' stroke-dasharray='4 3'/>"
        )
        spread = min(step * 0.6, 5.0 * (len(fits) - 1)) / max(len(fits) - 1, 1)
        out += [_dot(g, middle + (j - (len(fits) - 1) / 2) * spread) for j, g in enumerate(fits)]
        low = TOP + HEIGHT + 10
        bad = any(_colour(g) == RED for g in fits)
        out.append(
            f"<text x={middle:.1f} y={low} font-size=10 text-anchor=end transform='rotate(-50 {middle:.1f} {low})' "
            f"fill='{RED if bad else '#444'}'>{html.escape(_short(name))}</text>"
        )
    return "".join(out) + "</svg>"


def _height(error: float) -> float:
    level = (math.log10(min(max(error, FLOOR), 10.0)) + 13) / 14
    return TOP + (1 - level) * HEIGHT


def _colour(gap: dict[str, Any]) -> str:
    return GREY if gap["converged"] is False else BLUE if gap["error"] <= gap["allowed"] else RED


def _dot(gap: dict[str, Any], x: float) -> str:
    said = ", said not converged" if gap["converged"] is False else ""
    label = html.escape(
        f"{gap['case']} (n={gap['n']}, d={gap['d']}): {gap['error']:.2e}, allowed {gap['allowed']:.2e}{said}"
    )
    return f"<circle cx={x:.1f} cy={_height(gap['error']):.1f} r=3.5 fill='{_colour(gap)}'><title>{label}</title></circle>"


def _short(name: str) -> str:
    name = name.partition(": ")[0] if name.startswith("fixture") else name
    return name if len(name) <= 27 else name[:26] + "…"


def _key() -> str:
    parts = [(BLUE, "within tolerance"), (RED, "above"), (GREY, "said itself: not converged")]
    out = [f"<text x={LEFT} y=14 font-size=12>certified relative error of every fit</text>"]
    x = LEFT + 250
    for colour, words in parts:
        out.append(
            f"<circle cx={x} cy=10 r=4 fill='{colour}'/><text x={x + 8} y=14 font-size=11>{words}</text>"
        )
        x += 30 + 7 * len(words)
    out.append(
        f"<line x1={x} x2={x + 22} y1=10 y2=10 stroke='{RED}' stroke-dasharray='4 3'/>"
        f"<text x={x + 28} y=14 font-size=11>tolerance</text>"
    )
    return "".join(out)
