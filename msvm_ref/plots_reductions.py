"""Pictures of reductions: a margin tree's dendrogram, and the comparison of methods on several data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msvm_ref.comparison import Row
from msvm_ref.plots import COLORS, INK, pyplot
from msvm_ref.reductions.margin_tree import MarginTree, Split


def dendrogram(tree: MarginTree, names: list[str] | None = None, path: str | None = None, ax: Any = None) -> Any:
    """Classes at the bottom, each split at the height of its margin; returns the axes, saves to ``path`` if given.

    A split that is not ``decided`` (another partition may be as wide within the certificates) is dashed.
    """
    plt = pyplot()
    labels = [str(c) for c in tree.samples.classes] if names is None else names
    if ax is None:
        _, ax = plt.subplots(figsize=(1.6 + 0.8 * len(labels), 4.2), dpi=150)
    leaves: list[int] = []
    _draw(ax, tree.root, leaves)
    ax.set_xticks(range(len(leaves)), [labels[c] for c in leaves], rotation=0 if max(map(len, labels)) < 9 else 30)
    ax.set_xlim(-0.6, len(leaves) - 0.4)
    ax.set_ylim(bottom=0)
    ax.set_ylabel("margin" if tree.samples.hard else f"soft margin at C = {tree.samples.C:g}", color=INK)
    ax.set_title(f"Margin tree, {tree.rule} rule, {tree.samples.whole.kernel} kernel", color=INK, fontsize=11)
    for side in ("top", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="x", length=0)
    if path is not None:
        ax.figure.savefig(path, bbox_inches="tight")
        plt.close(ax.figure)
    return ax


def _draw(ax: Any, node: Split | int, leaves: list[int]) -> tuple[float, float]:
    """Draw a subtree; returns where it hangs: (position, height)."""
    if isinstance(node, int):
        leaves.append(node)
        return float(len(leaves) - 1), 0.0
    (x0, y0), (x1, y1) = _draw(ax, node.left, leaves), _draw(ax, node.right, leaves)
    height = node.margin.value
    ax.plot([x0, x0, x1, x1], [y0, height, height, y1], color=COLORS[0], lw=1.8, ls="-" if node.decided else "--",
            solid_capstyle="butt", solid_joinstyle="miter")
    ax.annotate(f"{height:.3g}", ((x0 + x1) / 2, height), textcoords="offset points", xytext=(0, 3), ha="center", fontsize=8,
                color=INK)
    return (x0 + x1) / 2, height


PALETTE = (*COLORS, "#8a5fbf", "#d08a2e", "#4aa5b8", "#7a7a7a")


def comparison_figure(rows: Sequence[Row], path: str | None = None) -> Any:
    """Accuracy, training time and share of support vectors by method, one colour per data set."""
    plt = pyplot()
    names = list(dict.fromkeys((row.source, row.method) for row in rows))
    sets = list(dict.fromkeys(row.data for row in rows))
    figure, axes = plt.subplots(1, 3, figsize=(11, 1.4 + 0.3 * len(names)), dpi=150, sharey=True)
    for k, data in enumerate(sets):
        chosen = [row for row in rows if row.data == data and not row.error]
        at = [names.index((row.source, row.method)) + 0.12 * (k - (len(sets) - 1) / 2) for row in chosen]
        color = PALETTE[k % len(PALETTE)]
        axes[0].errorbar([100 * row.accuracy for row in chosen], at, xerr=[100 * row.deviation for row in chosen], fmt="o",
                         ms=5, lw=1, color=color, ecolor=color + "66", label=data)
        axes[1].plot([row.seconds for row in chosen], at, "o", ms=5, color=color)
        axes[2].plot([100 * row.support_vectors / row.n for row in chosen], at, "o", ms=5, color=color)
    axes[0].set_yticks(range(len(names)), [f"{method}  ({source})" for source, method in names])
    axes[0].invert_yaxis()
    axes[1].set_xscale("log")
    axes[1].xaxis.set_major_locator(plt.matplotlib.ticker.LogLocator(subs=(1.0, 3.0)))
    axes[1].xaxis.set_major_formatter("{x:g}")
    axes[1].xaxis.set_minor_formatter(plt.matplotlib.ticker.NullFormatter())
    titles = ("accuracy %, mean and deviation over folds", "training seconds", "unique support vectors, % of examples")
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, fontsize=10, color=INK)
        ax.grid(axis="x", color="#dddddd", lw=0.7)
        ax.set_axisbelow(True)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    figure.legend(loc="upper center", ncol=len(sets), frameon=False, bbox_to_anchor=(0.5, 1.0))
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    if path is not None:
        figure.savefig(path, bbox_inches="tight")
        plt.close(figure)
    return figure
