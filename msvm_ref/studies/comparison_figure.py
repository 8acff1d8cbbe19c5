"""The comparison of methods on several data sets as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msvm_ref.pictures import COLORS, INK, pyplot
from msvm_ref.studies.comparison import ComparisonRow

PALETTE = (*COLORS, "#8a5fbf", "#d08a2e", "#4aa5b8", "#7a7a7a")


def comparison_figure(rows: Sequence[ComparisonRow], path: str | None = None) -> Any:
    """Accuracy, training time and share of support vectors by method, one colour per data set."""
    plt = pyplot()
    names = list(dict.fromkeys((row.source, row.method) for row in rows))
    sets = list(dict.fromkeys(row.data for row in rows))
    figure, axes = plt.subplots(1, 3, figsize=(11, 1.4 + 0.3 * len(names)), dpi=150, sharey=True)
    for k, data in enumerate(sets):
        chosen = [row for row in rows if row.data == data and not row.error]
        at = [
            names.index((row.source, row.method)) + 0.12 * (k - (len(sets) - 1) / 2)
            for row in chosen
        ]
        color = PALETTE[k % len(PALETTE)]
        axes[0].errorbar(
            [100 * row.accuracy for row in chosen],
            at,
            xerr=[100 * row.deviation for row in chosen],
            fmt="o",
            ms=5,
            lw=1,
            color=color,
            ecolor=color + "66",
            label=data,
        )
        axes[1].plot([row.seconds for row in chosen], at, "o", ms=5, color=color)
        axes[2].plot(
            [100 * row.support_vectors / row.n for row in chosen], at, "o", ms=5, color=color
        )
    axes[0].set_yticks(range(len(names)), [f"{method}  ({source})" for source, method in names])
    axes[0].invert_yaxis()
    axes[1].set_xscale("log")
    axes[1].xaxis.set_major_locator(plt.matplotlib.ticker.LogLocator(subs=(1.0, 3.0)))
    axes[1].xaxis.set_major_formatter("{x:g}")
    axes[1].xaxis.set_minor_formatter(plt.matplotlib.ticker.NullFormatter())
    titles = (
        "accuracy %, mean and deviation over folds",
        "training seconds",
        "unique support vectors, % of examples",
    )
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
