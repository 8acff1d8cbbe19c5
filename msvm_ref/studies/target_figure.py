"""The cells of an embedded loss over the triangle of three classes, each with the set of classes its report predicts."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2
from textwrap import wrap
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.fisher.embedded import EmbeddedLoss, Rationals
from msvm_ref.fisher.reports import Report
from msvm_ref.pictures import COLORS, INK, pyplot

NEUTRAL = "#cdcdcd"
"""The report that ranks no class above another."""
WIDEST = 64
"""Characters in a line of the title."""
LIGHT = 0.62
"""How much of a class's colour is left, so that labels can be read on it."""


def target_figure(embedded: EmbeddedLoss, path: str | None = None, ax: Any = None) -> Any:
    """Draw the cells (exact polygons), coloured by report and labelled with the predicted set; Bayes borders dashed.

    Returns the matplotlib axes; saves to ``path`` if given.
    """
    if embedded.d != 3:
        raise DataError("embedded", "have 3 classes to be drawn on a triangle", str(embedded.d))
    plt = pyplot()
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 6.2), dpi=150)
    for report, cell in zip(embedded.reports, embedded.cells, strict=True):
        corners = [position(P) for P in outlined(cell.vertices)]
        ax.fill(
            *zip(*corners, strict=True), facecolor=report_color(report), edgecolor="white", lw=1.2
        )
        x, y = (sum(v) / len(corners) for v in zip(*corners, strict=True))
        halo = {"boxstyle": "round,pad=0.15", "fc": report_color(report), "ec": "none"}
        ax.text(x, y, label(report), ha="center", va="center", fontsize=8, color=INK, bbox=halo)
    centre = position((1 / 3, 1 / 3, 1 / 3))
    for a, b in ((0, 1), (0, 2), (1, 2)):
        end = position([0.5 if c in (a, b) else 0.0 for c in range(3)])
        ax.plot(*zip(centre, end, strict=True), color=INK, lw=1, ls=(0, (5, 4)))
    for corner, align in enumerate((("center", "bottom"), ("right", "top"), ("left", "top"))):
        x, y = position([float(c == corner) for c in range(3)])
        shift = 0.02 if corner == 0 else -0.02
        ax.text(x, y + shift, f"$P_{corner + 1} = 1$", ha=align[0], va=align[1], color=INK)
    lines = [
        f"{embedded.machine.name} learns {embedded.name.learns}",
        *wrap(embedded.name.embeds, WIDEST),
        f"reports: {embedded.count} · Bayes borders dashed",
    ]
    ax.set_title("\n".join(lines), color=INK, fontsize=10, pad=18)
    ax.set_aspect("equal")
    ax.axis("off")
    if path is not None:
        ax.figure.savefig(path, bbox_inches="tight")
        plt.close(ax.figure)
    return ax


def label(report: Report) -> str:
    """{1, 2}: the classes that the report ranks first."""
    return "{" + ", ".join(str(c + 1) for c in report.predicted) + "}"


def report_color(report: Report) -> str:
    """The classes' colours mixed by how far each score lies above the lowest one."""
    above = [float(f - min(report.scores)) for f in report.scores]
    total = sum(above)
    if not total:
        return NEUTRAL
    parts = [[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in COLORS]
    mixed = (
        round(
            255 - LIGHT * (255 - sum(w * p[i] for w, p in zip(above, parts, strict=True)) / total)
        )
        for i in range(3)
    )
    return "#" + "".join(f"{v:02x}" for v in mixed)


def position(P: Sequence[Any]) -> tuple[float, float]:
    """P_1 at the top, P_2 at the left, P_3 at the right of a triangle of side 1."""
    return 0.5 + 0.5 * (float(P[2]) - float(P[1])), float(P[0]) * 0.75**0.5


def outlined(vertices: Sequence[Rationals]) -> list[Rationals]:
    """The vertices of a convex polygon in order."""
    x, y = (sum(v) / len(vertices) for v in zip(*map(position, vertices), strict=True))
    return sorted(vertices, key=lambda P: atan2(position(P)[1] - y, position(P)[0] - x))
