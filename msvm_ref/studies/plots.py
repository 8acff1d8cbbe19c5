"""Pictures: the ternary map of a loss over the simplex (d = 3), and the circle figures of UV section 3.3."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.machine import Machine
from msvm_ref.pictures import COLORS, INK, pyplot

if TYPE_CHECKING:
    from msvm_ref.studies.circle import CircleRow, CircleStudy

MIXED = {(0, 1): "#79b4b0", (0, 2): "#a678b4", (1, 2): "#c9a24a", (0, 1, 2): "#b9b9b9"}
Corner = tuple[int, int, int]
UNDEFINED = "#e9e9e9"
RESOLUTION = 60
"""Cells along each side of the simplex."""


def simplex_map(
    machine: Machine, path: str | None = None, resolution: int | None = None, ax: Any = None
) -> Any:
    """Draw, for each P on the simplex of three classes, the classes that minimisers of the risk rank first.

    Each cell is the exact answer of ``minimize_risk`` at one rational P inside it; hatched where a class that is not a
    most likely one is among them. White lines are the Bayes borders. Where classes are alike (checked exactly) a sixth
    of the simplex is computed and turned. Returns the matplotlib axes; saves to ``path`` if given.
    """
    resolution = RESOLUTION if resolution is None else resolution
    if not 3 <= resolution <= 400:
        raise DataError("resolution", "lie between 3 and 400", repr(resolution))
    plt = pyplot()
    pieces = _ranked_first(machine, resolution)
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 6.2), dpi=150)
    wrong_share = _draw_cells(ax, pieces)
    for corner, name, align in (
        (0, "$P_1 = 1$", ("center", "bottom")),
        (1, "$P_2 = 1$", ("right", "top")),
        (2, "$P_3 = 1$", ("left", "top")),
    ):
        x, y = _position([int(c == corner) for c in range(3)])
        ax.text(x, y + (0.02 if corner == 0 else -0.02), name, ha=align[0], va=align[1], color=INK)
    centre = _position([1 / 3] * 3)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        end = _position([0.5 if c in (a, b) else 0.0 for c in range(3)])
        ax.plot([centre[0], end[0]], [centre[1], end[1]], color="white", lw=1.6)
    told = (
        f"wrong on {100 * wrong_share:.0f} % of the simplex (hatched)"
        if wrong_share
        else "right everywhere on the map"
    )
    ax.set_title(f"{machine.name}: classes the loss predicts at P\n{told}", color=INK, fontsize=11)
    _legend(ax, {p.ranked for p in pieces}, bool(wrong_share))
    ax.set_aspect("equal")
    ax.axis("off")
    ax.set_ylim(-0.2, 0.95)
    if path is not None:
        ax.figure.savefig(path, bbox_inches="tight")
        plt.close(ax.figure)
    return ax


@dataclass(frozen=True)
class _MapPiece:
    """A small triangle of the simplex: corners in units of 1/(6n), the classes ranked first inside, and are they wrong?"""

    corners: tuple[Corner, Corner, Corner]
    ranked: tuple[int, ...]
    wrong: bool
    area: int


def _draw_cells(ax: Any, pieces: list[_MapPiece]) -> float:
    """Fill the pieces, hatch the wrong ones; returns the wrong share of the area."""
    from matplotlib.collections import PolyCollection

    for wrong in (False, True):
        chosen = [p for p in pieces if p.wrong == wrong]
        shapes = [[_position([v / sum(c) for v in c]) for c in p.corners] for p in chosen]
        colors = [_color(p.ranked) for p in chosen]
        if chosen:
            ax.add_collection(
                PolyCollection(shapes, facecolors=colors, edgecolors=colors, linewidths=0.3)
            )
        if chosen and wrong:
            ax.add_collection(
                PolyCollection(
                    shapes, facecolors="none", edgecolors="#00000055", linewidths=0, hatch="////"
                )
            )
    ax.autoscale_view()
    return sum(p.area for p in pieces if p.wrong) / sum(p.area for p in pieces)


def _ranked_first(machine: Machine, n: int) -> list[_MapPiece]:
    """Each piece with the answer at its centroid, whose coordinates in units of 1/(18n) are the sums of its corners'."""
    from msvm_ref.fisher.loss import is_symmetric
    from msvm_ref.fisher.risk import minimize_risk

    alike = is_symmetric(machine, 3)
    known: dict[tuple[int, ...], tuple[int, ...]] = {}
    pieces = []
    for corners, area in _triangles(n):
        units = [sum(c[y] for c in corners) for y in range(3)]
        order = sorted(range(3), key=lambda c: -units[c]) if alike else [0, 1, 2]
        canonical = tuple(units[c] for c in order)
        if canonical not in known:
            known[canonical] = minimize_risk(
                machine, [Fraction(v, 18 * n) for v in canonical], 3
            ).argmax_classes
        ranked = tuple(sorted(order[c] for c in known[canonical]))
        pieces.append(_MapPiece(corners, ranked, any(units[c] < max(units) for c in ranked), area))
    return pieces


def _triangles(n: int) -> list[tuple[tuple[Corner, Corner, Corner], int]]:
    """The n^2 cells of the simplex with their areas; cells that a line P_a = P_b halves are cut into six by their medians."""
    triangles: list[tuple[tuple[Corner, Corner, Corner], int]] = []
    for i in range(n):
        for j in range(n - i):
            k = n - i - j
            cells = [((i + 1, j, k - 1), (i, j + 1, k - 1), (i, j, k))]
            if k > 1:
                cells.append(((i, j + 1, k - 1), (i + 1, j, k - 1), (i + 1, j + 1, k - 2)))
            for cell in cells:
                a, b, c = ((6 * p[0], 6 * p[1], 6 * p[2]) for p in cell)
                centre = _mean(a, b, c)
                if len(set(centre)) == 3:
                    triangles.append(((a, b, c), 6))
                    continue
                ring = [a, _mean(a, b), b, _mean(b, c), c, _mean(c, a)]
                triangles += [((centre, ring[m - 1], ring[m]), 1) for m in range(6)]
    return triangles


def _mean(*points: Corner) -> Corner:
    x, y, z = (sum(p[c] for p in points) // len(points) for c in range(3))
    return x, y, z


def _position(P: Any) -> tuple[float, float]:
    """P_1 at the top, P_2 bottom left, P_3 bottom right."""
    return float(P[2] + P[0] / 2), float(P[0] * np.sqrt(3) / 2)


def _color(ranked: tuple[int, ...]) -> str:
    return COLORS[ranked[0]] if len(ranked) == 1 else MIXED[ranked]


def _legend(ax: Any, kinds: set[tuple[int, ...]], wrong: bool) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(
            facecolor=_color(k),
            label=f"class {k[0] + 1}"
            if len(k) == 1
            else "{" + ", ".join(str(c + 1) for c in k) + "}",
        )
        for k in sorted(kinds, key=lambda k: (len(k), k))
    ]
    if wrong:
        handles.append(Patch(facecolor="white", edgecolor="#555555", hatch="////", label="wrong"))
    ax.legend(
        handles=handles,
        loc="lower center",
        ncol=4,
        frameon=False,
        fontsize=9,
        bbox_to_anchor=(0.5, -0.04),
    )


def circle_figure(study: CircleStudy, path: str | None = None, seed: int | None = None) -> Any:
    """UV's Figure 1 or 2: one disc per machine, rings for C from the inside out, the sample around it.

    Grey rings are undefined: w* = 0 there, and nothing is predicted.
    """
    from msvm_ref.studies.circle import EDGES, GRID, sample

    plt = pyplot()
    chosen = study.seeds[0] if seed is None else seed
    cells = [c for c in study.cells if c.seed == chosen]
    if not cells:
        raise DataError("seed", f"be one of {list(study.seeds)}", repr(chosen))
    names = list(dict.fromkeys(c.machine for c in cells))
    exponents = sorted({c.exponent for c in cells})
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(3.3 * columns, 3.5 * rows + 0.5), dpi=150, squeeze=False
    )
    t, y = sample(study.variant, chosen)
    rng = np.random.default_rng(chosen)
    for ax, name in zip(axes.flat, names, strict=False):
        mine = {c.exponent: c for c in cells if c.machine == name}
        for ring, exponent in enumerate(exponents):
            class_ring(ax, mine[exponent].classes, 0.42 + 0.105 * ring, 0.085, GRID)
        for edge in EDGES[:3]:
            angle = edge * np.pi / 10
            ax.plot([0, 1.25 * np.cos(angle)], [0, 1.25 * np.sin(angle)], color=INK, lw=0.7)
        radius = 1.05 + (0.14 * rng.random(len(t)) if study.variant == "noisy" else 0.04)
        ax.scatter(
            radius * np.cos(t * np.pi / 10),
            radius * np.sin(t * np.pi / 10),
            s=3 if len(t) > 200 else 9,
            c=[COLORS[c] for c in y],
            linewidths=0,
        )
        if all(c.zero for c in mine.values()):
            _write_undefined(ax)
        _label_disc(ax, study.best(name))
    for ax in list(axes.flat)[len(names) :]:
        ax.axis("off")
    figure.suptitle(
        f"{study.variant.capitalize()} circle, seed {chosen}: rings are C = "
        f"$10^{{{exponents[0]}}}$ (inside) to $10^{{{exponents[-1]}}}$ (outside); lines are the Bayes borders; "
        f"best: mean agreement over {len(study.seeds)} samples",
        fontsize=9,
        color=INK,
        y=0.985,
    )
    figure.tight_layout(rect=(0, 0, 1, 0.985))
    if path is not None:
        figure.savefig(path, bbox_inches="tight")
        plt.close(figure)
    return figure


def _write_undefined(ax: Any) -> None:
    ax.text(
        0,
        0,
        "w* = 0\nundefined",
        ha="center",
        va="center",
        fontsize=8,
        color=INK,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )


def _label_disc(ax: Any, best: CircleRow) -> None:
    missing = f", {best.undefined} of {best.seeds} undefined" if best.undefined else ""
    agreement = "" if best.mean is None else f"  (best {100 * best.mean:.0f} %{missing})"
    ax.set_title(best.machine + agreement, fontsize=10, color=INK)
    ax.set_aspect("equal")
    ax.set_xlim(-1.28, 1.28)
    ax.set_ylim(-1.28, 1.28)
    ax.axis("off")


def class_ring(ax: Any, classes: Any, inner: float, width: float, n: int) -> None:
    """Arcs of equal class, joined, as one wedge each."""
    from matplotlib.patches import Wedge

    starts = [i for i in range(n) if classes[i] != classes[i - 1]] or [0]
    for a, b in zip(starts, [*starts[1:], starts[0] + n], strict=True):
        color = COLORS[classes[a]] if classes[a] >= 0 else UNDEFINED
        whole = b - a >= n
        ax.add_patch(
            Wedge(
                (0, 0),
                inner + width,
                0 if whole else 360 * a / n,
                360 if whole else 360 * b / n,
                width=width,
                facecolor=color,
                edgecolor="none",
            )
        )
