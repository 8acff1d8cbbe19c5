"""UV's Figures 3 to 5 as SVG: a group of bars for each data set, a colour for each machine.

Accuracies are drawn relative to the mean of the group, seconds on a logarithmic scale, the rest as they are; beside these two
stands the mean over the data sets that have every machine (geometric, of seconds), as in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from msvm_ref.pages import escape

COLOURS = {
    "OVA": "#2e8b57", "MMR": "#17a2b8", "WW": "#2f55c8", "CS": "#e377c2", "LLW": "#d62728",
    "AMO": "#ff8c00", "ATS": "#d4b400", "ATM": "#a9a9a9", "RM": "#595959",
}  # fmt: skip
"""As in the paper's figures, as far as they can be told from a page of either colour."""
MEAN = "mean"
AXES = {
    "accuracy": "percentage points above or below the mean of the data set's machines",
    "seconds": "CPU seconds, logarithmic; the mean is geometric",
    "support": "support vectors in percent of the training examples",
}
BAR, GAP, HEIGHT, TOP, LEFT = 9.0, 16.0, 160.0, 24.0, 48.0


def bars(
    values: Mapping[tuple[str, str], float],
    rows: Sequence[str],
    columns: Sequence[str],
    measure: str,
) -> str:
    """By (row, column); what is missing is left out."""
    if not values:
        return ""
    drawn = {place: _height(values, place, columns, measure) for place in values}
    whole = [row for row in rows if all((row, c) in drawn for c in columns)]
    if measure != "accuracy" and len(whole) > 1:
        rows = [*rows, MEAN]
        drawn |= {(MEAN, c): fmean(drawn[row, c] for row in whole) for c in columns}
    low, high = min((*drawn.values(), 0.0)), max((*drawn.values(), 0.0))
    if measure == "seconds":
        low = min(drawn.values()) - 0.3
    span = (high - low) or 1.0

    def y(value: float) -> float:
        return TOP + HEIGHT * (high - value) / span

    group = BAR * len(columns) + GAP
    width = LEFT + group * len(rows)
    base = low if measure == "seconds" else 0.0
    parts = [_ticks(low, high, y, width, measure)]
    for k, row in enumerate(rows):
        x = LEFT + group * k
        for j, column in enumerate(columns):
            if (row, column) in drawn:
                ends = sorted((y(drawn[row, column]), y(base)))
                parts.append(
                    f"<rect x='{x + BAR * j:.1f}' y='{ends[0]:.1f}' width='{BAR - 1:.1f}' "
                    f"height='{max(ends[1] - ends[0], 0.5):.1f}' fill='{COLOURS.get(column, '#888')}'>"
                    f"<title>{escape(f'{row}, {column}: {_said(drawn, values, (row, column), measure)}')}</title></rect>"
                )
        middle = x + BAR * len(columns) / 2
        parts.append(
            f"<text x='{middle:.1f}' y='{TOP + HEIGHT + 16:.1f}' font-size='11' text-anchor='middle'>"
            f"{escape(row)}</text>"
        )
    for j, column in enumerate(columns):
        x = LEFT + 52 * j
        parts.append(
            f"<rect x='{x}' y='4' width='9' height='9' fill='{COLOURS.get(column, '#888')}'/>"
            f"<text x='{x + 12}' y='13' font-size='11'>{escape(column)}</text>"
        )
    wide = max(width, LEFT + 52 * len(columns))
    return (
        f"<div class=scroll><svg viewBox='0 0 {wide:.0f} {TOP + HEIGHT + 44:.0f}' width='{wide:.0f}' role='img'>"
        f"{''.join(parts)}</svg></div>"
    )


def _said(
    drawn: Mapping[tuple[str, str], float],
    values: Mapping[tuple[str, str], float],
    place: tuple[str, str],
    measure: str,
) -> str:
    mean = 10 ** drawn[place] if measure == "seconds" else drawn[place]
    return f"{values.get(place, mean):.4g}"


def _height(
    values: Mapping[tuple[str, str], float],
    place: tuple[str, str],
    columns: Sequence[str],
    measure: str,
) -> float:
    value = values[place]
    if measure == "accuracy":
        return value - fmean(values[place[0], c] for c in columns if (place[0], c) in values)
    return math.log10(max(value, 1e-6)) if measure == "seconds" else value


def _ticks(low: float, high: float, y: Callable[[float], float], width: float, measure: str) -> str:
    step = next(s for s in (1.0, 2.0, 5.0, 10.0, 20.0, 1e9) if high - low <= 8 * s)
    words = AXES.get(measure, "")
    lines = [f"<text x='{LEFT}' y='{TOP + HEIGHT + 36:.0f}' font-size='11'>{escape(words)}</text>"]
    for k in range(math.ceil(low / step), math.floor(high / step) + 1):
        at = y(k * step)
        number = f"{k * step:+.0f}" if k and measure == "accuracy" else f"{k * step:.0f}"
        word = f"1e{k}" if measure == "seconds" else number
        lines.append(
            f"<line x1='{LEFT - 4}' x2='{width:.0f}' y1='{at:.1f}' y2='{at:.1f}' class='axis'/>"
            f"<text x='{LEFT - 8}' y='{at + 4:.1f}' font-size='11' text-anchor='end'>{word}</text>"
        )
    return "".join(lines)
