"""The critical-difference diagram as SVG: contenders on an axis of mean ranks, bars join those that do not differ."""

from __future__ import annotations

from msvm_ref.pages import escape
from msvm_ref.studies.experiments.ranks import LEVEL, MeanRanks

LEFT, RIGHT, TOP, LINE = 140.0, 580.0, 56.0, 18.0
WIDTH = 720.0


def diagram(ranking: MeanRanks, title: str) -> str:
    most = len(ranking.names)

    def place(rank: float) -> float:
        return LEFT + (RIGHT - LEFT) * (rank - 1) / (most - 1)

    bars = ranking.cliques
    below = TOP + 10 * len(bars) + 14
    half = (most + 1) // 2
    height = below + LINE * half + 12
    parts = [
        f"<line x1='{LEFT}' x2='{RIGHT}' y1='{TOP}' y2='{TOP}' stroke='currentColor'/>",
        f"<text x='{LEFT}' y='16' font-size='13'>{escape(title)}</text>",
        f"<text x='{LEFT}' y='32' font-size='12'>{ranking.data_sets} data sets, critical difference "
        f"{ranking.critical:.2f} at {LEVEL:g}</text>",
    ]
    for tick in range(1, most + 1):
        x = place(tick)
        parts.append(
            f"<line x1='{x:.1f}' x2='{x:.1f}' y1='{TOP - 5}' y2='{TOP}' stroke='currentColor'/>"
        )
        parts.append(
            f"<text x='{x:.1f}' y='{TOP - 8}' font-size='11' text-anchor='middle'>{tick}</text>"
        )
    for number, (first, last) in enumerate(bars):
        y = TOP + 8 + 10 * number
        a, b = place(ranking.ranks[first]) - 3, place(ranking.ranks[last]) + 3
        parts.append(
            f"<line x1='{a:.1f}' x2='{b:.1f}' y1='{y}' y2='{y}' stroke='currentColor' stroke-width='4'/>"
        )
    for k, (name, rank) in enumerate(zip(ranking.names, ranking.ranks, strict=True)):
        left = k < half
        y = below + LINE * (k if left else most - 1 - k)
        x, edge = place(rank), LEFT - 10 if left else RIGHT + 10
        anchor = "end" if left else "start"
        word = f"{name} {rank:.2f}" if left else f"{rank:.2f} {name}"
        parts.append(
            f"<polyline points='{x:.1f},{TOP} {x:.1f},{y:.1f} {edge},{y:.1f}' fill='none' stroke='currentColor' "
            "stroke-opacity='.6'/>"
        )
        offset = edge - 4 if left else edge + 4
        parts.append(
            f"<text x='{offset}' y='{y + 4:.1f}' font-size='12' text-anchor='{anchor}'>{escape(word)}</text>"
        )
    return (
        f"<div class=scroll><svg viewBox='0 0 {WIDTH:.0f} {height:.0f}' width='{WIDTH:.0f}' role=img "
        f"aria-label='{escape(title)}'>{''.join(parts)}</svg></div>"
    )
