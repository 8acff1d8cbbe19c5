"""The picture of ``msvm-ref approx``: test error against training time, one line a basis, labelled by rank (ZDO Fig. 1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msvm_ref.pictures import COLORS, INK, pyplot
from msvm_ref.studies.approx import TradeOffPoint

MARKERS = ("o", "s", "^", "D")


def approx_figure(points: Sequence[TradeOffPoint], title: str, path: str | None = None) -> Any:
    """Draw the trade-off; saves to ``path`` if given. Returns the matplotlib figure."""
    plt = pyplot()
    from matplotlib import ticker

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.4), dpi=150)
    kinds = list(dict.fromkeys(p.kind for p in points if p.kind != "one-vs-rest"))
    for color, marker, kind in zip(COLORS, MARKERS, kinds, strict=False):
        mine = sorted((p for p in points if p.kind == kind), key=lambda p: p.rank)
        style = {"color": color, "marker": marker, "ms": 4, "lw": 1.2, "label": kind}
        left.plot([p.seconds for p in mine], [100 * p.test_error for p in mine], **style)
        lossy = [p for p in mine if p.trace_error > 1e-12]  # a full basis loses rounding only
        right.plot([p.rank for p in lossy], [100 * p.trace_error for p in lossy], **style)
        if kind == kinds[0]:
            for p in mine:
                left.annotate(
                    str(p.rank),
                    (p.seconds, 100 * p.test_error),
                    xytext=(3, 4),
                    textcoords="offset points",
                    fontsize=7,
                    color=INK,
                )
    for p in points:
        if p.kind == "one-vs-rest":
            left.plot(
                [p.seconds],
                [100 * p.test_error],
                ls="",
                marker="*",
                ms=9,
                color=INK,
                label="one-vs-rest, full rank",
            )
    left.set_xscale("log")
    left.xaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    left.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{x:g}"))
    left.xaxis.set_minor_formatter(ticker.NullFormatter())
    left.set_xlabel("decomposition and training [CPU s]")
    left.set_ylabel("test error [%]")
    left.set_ylim(bottom=0)
    right.set_xscale("log", base=2)
    right.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{x:g}"))
    right.set_yscale("log")
    right.set_xlabel("rank")
    right.set_ylabel("lost of the kernel's trace [%]")
    for ax in (left, right):
        ax.grid(color="#e4e4e4", lw=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    left.legend(frameon=False, fontsize=8)
    figure.suptitle(title, fontsize=9, color=INK)
    figure.tight_layout()
    if path is not None:
        figure.savefig(path, bbox_inches="tight")
        plt.close(figure)
    return figure
