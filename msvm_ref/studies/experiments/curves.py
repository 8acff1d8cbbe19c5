"""ZDO's Figure 1.1 as SVG: error against seconds, a panel for each data set, a line for each basis, a point for each rank."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msvm_ref.pages import escape

WIDTH, HEIGHT, LEFT, TOP, APART, BELOW = 250.0, 150.0, 44.0, 48.0, 20.0, 56.0
BESIDE = 3
"""Panels in a row."""
COLOURS = ("#2f55c8", "#ff8c00", "#2e8b57")

Points = Sequence[tuple[float, float, str]]
"""Seconds, error in percent, and what the point is."""


def curves(panels: Mapping[str, Mapping[str, Points]]) -> str:
    """By data set and basis; seconds on a logarithmic scale."""
    parts = []
    for k, (title, lines) in enumerate(panels.items()):
        at = LEFT + (k % BESIDE) * (WIDTH + LEFT + APART), TOP + (k // BESIDE) * (HEIGHT + BELOW)
        parts.append(_panel(title, lines, *at))
    names = dict.fromkeys(name for lines in panels.values() for name in lines)
    for k, name in enumerate(names):
        parts.append(
            f"<rect x='{LEFT + 90 * k}' y='4' width='9' height='9' fill='{COLOURS[k % len(COLOURS)]}'/>"
            f"<text x='{LEFT + 90 * k + 12}' y='13' font-size='11'>{escape(name)}</text>"
        )
    wide = min(len(panels), BESIDE) * (WIDTH + LEFT + APART)
    high = TOP + math.ceil(len(panels) / BESIDE) * (HEIGHT + BELOW)
    return (
        f"<div class=scroll><svg viewBox='0 0 {wide:.0f} {high:.0f}' width='{wide:.0f}' role='img' "
        f"aria-label='test error against training seconds'>{''.join(parts)}</svg></div>"
    )


def _panel(title: str, lines: Mapping[str, Points], left: float, top: float) -> str:
    every = [p for points in lines.values() for p in points]
    times = [math.log10(max(p[0], 1e-6)) for p in every]
    first, last = min(times), max(times)
    low, high = 0.0, max(p[1] for p in every) or 1.0

    def x(seconds: float) -> float:
        return left + WIDTH * (math.log10(max(seconds, 1e-6)) - first) / ((last - first) or 1.0)

    def y(error: float) -> float:
        return top + HEIGHT * (high - error) / (high - low)

    parts = [
        f"<text x='{left:.1f}' y='{top - 8}' font-size='12'>{escape(title)}</text>",
        f"<line x1='{left:.1f}' x2='{left + WIDTH:.1f}' y1='{top + HEIGHT}' y2='{top + HEIGHT}' class='axis'/>",
    ]
    step = 10 ** math.floor(math.log10(high)) if high > 0 else 1.0
    step = step / 2 if high / step < 3 else step
    for k in range(math.floor(high / step) + 1):
        at = y(k * step)
        parts.append(
            f"<line x1='{left - 4:.1f}' x2='{left + WIDTH:.1f}' y1='{at:.1f}' y2='{at:.1f}' class='axis'/>"
            f"<text x='{left - 8:.1f}' y='{at + 4:.1f}' font-size='11' text-anchor='end'>{k * step:g}</text>"
        )
    for share in (first, last):
        at = x(10**share)
        anchor = "start" if share == first else "end"
        parts.append(
            f"<text x='{at:.1f}' y='{top + HEIGHT + 16}' font-size='11' text-anchor='{anchor}'>{10**share:.2g} s</text>"
        )
    for k, points in enumerate(lines.values()):
        colour = COLOURS[k % len(COLOURS)]
        ordered = " ".join(f"{x(s):.1f},{y(e):.1f}" for s, e, _ in points)
        parts.append(f"<polyline points='{ordered}' fill='none' stroke='{colour}'/>")
        parts += [
            f"<circle cx='{x(s):.1f}' cy='{y(e):.1f}' r='3' fill='{colour}'><title>{escape(f'{what}: {e:.3g} %, {s:.3g} s')}"
            "</title></circle>"
            for s, e, what in points
        ]
    return "".join(parts)
