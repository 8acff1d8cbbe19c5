"""A margin tree's dendrogram."""

from __future__ import annotations

from typing import Any

from msvm_ref.pictures import COLORS, INK, pyplot
from msvm_ref.reductions.margin_tree import ClassSplit, MarginTree


def dendrogram(
    tree: MarginTree, names: list[str] | None = None, path: str | None = None, ax: Any = None
) -> Any:
    """Classes at the bottom, each split at the height of its margin; returns the axes, saves to ``path`` if given.

    A split that is not ``decided`` (another partition may be as wide within the certificates) is dashed.
    """
    plt = pyplot()
    labels = [str(c) for c in tree.samples.classes] if names is None else names
    if ax is None:
        _, ax = plt.subplots(figsize=(1.6 + 0.8 * len(labels), 4.2), dpi=150)
    leaves: list[int] = []
    _draw(ax, tree.root, leaves)
    ax.set_xticks(
        range(len(leaves)),
        [labels[c] for c in leaves],
        rotation=0 if max(map(len, labels)) < 9 else 30,
    )
    ax.set_xlim(-0.6, len(leaves) - 0.4)
    ax.set_ylim(bottom=0)
    ax.set_ylabel(
        "margin" if tree.samples.hard else f"soft margin at C = {tree.samples.C:g}", color=INK
    )
    ax.set_title(
        f"Margin tree, {tree.rule} rule, {tree.samples.whole.kernel} kernel", color=INK, fontsize=11
    )
    for side in ("top", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="x", length=0)
    if path is not None:
        ax.figure.savefig(path, bbox_inches="tight")
        plt.close(ax.figure)
    return ax


def _draw(ax: Any, node: ClassSplit | int, leaves: list[int]) -> tuple[float, float]:
    """Draw a subtree; returns where it hangs: (position, height)."""
    if isinstance(node, int):
        leaves.append(node)
        return float(len(leaves) - 1), 0.0
    (x0, y0), (x1, y1) = _draw(ax, node.left, leaves), _draw(ax, node.right, leaves)
    height = node.margin.value
    ax.plot(
        [x0, x0, x1, x1],
        [y0, height, height, y1],
        color=COLORS[0],
        lw=1.8,
        ls="-" if node.decided else "--",
        solid_capstyle="butt",
        solid_joinstyle="miter",
    )
    ax.annotate(
        f"{height:.3g}",
        ((x0 + x1) / 2, height),
        textcoords="offset points",
        xytext=(0, 3),
        ha="center",
        fontsize=8,
        color=INK,
    )
    return (x0 + x1) / 2, height
