"""Pictures for the claims page: each draws numbers computed here or kept in the claim's evidence."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.model.catalogue import ATS, CS
from msvm_ref.pictures import INK, pyplot
from msvm_ref.studies.papers.claim import Decision, Verdict
from msvm_ref.studies.papers.ledger import PAPERS
from msvm_ref.studies.papers.small import SIX, exact, loss, weights
from msvm_ref.studies.plots import simplex_map

COLOURS = {
    Verdict.HOLDS: "#3f9b55",
    Verdict.CORRECTED: "#c9a24a",
    Verdict.PART: "#c9743c",
    Verdict.FAILS: "#a3282e",
    Verdict.NOT_SHOWN: "#8a8a8a",
}


def pictures(decisions: Sequence[Decision]) -> dict[str, tuple[bytes, str]]:
    """PNG and caption by claim id, for the claims that have one; '' is the summary."""
    drawn = {"": (_png(lambda ax: _summary(ax, decisions), (7.5, 2.6)), "Verdicts by paper")}
    by_id = {d.claim.id: d for d in decisions}
    for id, (draw, size, caption) in DRAWINGS.items():
        if id in by_id:
            drawn[id] = (_png(lambda ax, d=by_id[id], draw=draw: draw(ax, d), size), caption)  # type: ignore[misc]
    return drawn


def _png(draw: Callable[[Any], None], size: tuple[float, float]) -> bytes:
    plt = pyplot()
    figure, ax = plt.subplots(figsize=size, dpi=110)
    draw(ax)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", bbox_inches="tight")
    plt.close(figure)
    return stream.getvalue()


def _summary(ax: Any, decisions: Sequence[Decision]) -> None:
    """The papers' own statements; what was found here is in no bar."""
    theirs = [d for d in decisions if not d.claim.found_here]
    papers = [p for p in PAPERS if any(d.claim.paper == p for d in theirs)]
    left = np.zeros(len(papers))
    for verdict, colour in COLOURS.items():
        counts = np.array(
            [sum(d.claim.paper == p and d.verdict is verdict for d in theirs) for p in papers]
        )
        ax.barh(papers, counts, left=left, color=colour, label=str(verdict).lower())
        for k, count in enumerate(counts):
            if count:
                ax.text(left[k] + count / 2, k, str(count), ha="center", va="center", color="white")
        left += counts
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, fontsize=8)
    ax.set_xlabel("claims", color=INK)


def _ats_risk(ax: Any, decision: Decision) -> None:
    """Risk of ATS at P = (4, 3, 2, 1)/10 from (1, 1, -1, -1) to (3, -1, -1, -1)."""
    P = [Fraction(k, 10) for k in (4, 3, 2, 1)]
    start, end = (1, 1, -1, -1), (3, -1, -1, -1)
    t = [Fraction(k, 40) for k in range(-10, 61)]
    risk = [
        sum(
            p * loss(ATS, 4, [a + s * (b - a) for a, b in zip(start, end, strict=True)], y)
            for y, p in enumerate(P)
        )
        for s in t
    ]
    ax.plot([float(s) for s in t], [float(r) for r in risk], color="#3b6fb6")
    for s, name in ((0, "(1, 1, −1, −1)"), (1, "(3, −1, −1, −1)")):
        value = float(risk[t.index(Fraction(s))])
        ax.plot([s], [value], "o", color=INK)
        ax.annotate(
            f"{name}\nrisk {value:g}",
            (s, value),
            textcoords="offset points",
            xytext=(14, 48) if s == 0 else (-14, 34),
            ha="left" if s == 0 else "right",
            fontsize=9,
            arrowprops={"arrowstyle": "-", "color": "#999"},
        )
    ax.set_xlabel("from one to the other")
    ax.set_ylabel("risk at P = (.4, .3, .2, .1)")
    ax.set_ylim(top=max(map(float, risk)) + 0.3)


def _pairwise(ax: Any, decision: Decision) -> None:
    """Value of (7) at the solutions of (4), over the C given to (4)."""
    from msvm_ref.studies.papers.hl_ww import HL4, pairwise_value

    C = Fraction(12)
    grid = [Fraction(k, 2) for k in range(2, 33)]
    values = []
    for other in grid:
        W, b, _ = weights(exact(HL4, SIX, other, "free"))
        values.append(float(pairwise_value(SIX, C, W, b, 0)))
    ax.plot([float(v) for v in grid], values, color="#3b6fb6", marker=".", ms=4)
    for at, name in ((4, "C/k"), (12, "C")):
        ax.axvline(at, color="#999", lw=0.8, ls="--")
        ax.text(at, max(values), f" {name}", va="top")
    ax.set_xlabel("C given to (4)")
    ax.set_ylabel("value of (7) at C = 12")


def _circle(ax: Any, decision: Decision) -> None:
    rates = decision.printed.numbers["agreement with Bayes, % (mean, 95 % interval)"]
    names = sorted(rates, key=lambda name: -rates[name][0])
    for k, name in enumerate(names):
        mean, low, high = rates[name]
        ax.plot([low, high], [k, k], color="#999", lw=2)
        ax.plot([mean], [k], "o", color="#3f9b55" if name in ("WW", "CS", "MMR") else "#c9473c")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel("agreement with Bayes, %")
    ax.spines[["top", "right"]].set_visible(False)


def _softmax(ax: Any, decision: Decision) -> None:
    from msvm_ref.softmax.loss import smax

    t = np.array([[2.0, 1.5, 0.5]])
    gammas = np.logspace(-3, 3, 200)
    ax.semilogx(
        gammas, [smax(t, g, np.ones_like(t, dtype=bool))[0] for g in gammas], color="#3b6fb6"
    )
    for level, name in ((t.sum(), "sum"), (t.max(), "maximum")):
        ax.axhline(level, color="#999", lw=0.8, ls="--")
        ax.text(gammas[-1], level, name, ha="right", va="bottom")
    ax.set_ylim(1.8, 4.4)
    ax.set_xlabel("γ")
    ax.set_ylabel("smax of (2, 1.5, 0.5)")


def _convex(ax: Any, decision: Decision) -> None:
    """Excess of the loss over its chord along rivals violated alike."""
    from msvm_ref.softmax.loss import base_loss, smax

    s = np.linspace(-14, -2, 200)
    for name, gamma in (("hinge", 1.0), ("logistic", 0.5), ("logistic", 1.0), ("logistic", 3.0)):
        t = base_loss(name, np.column_stack([s, s]))  # type: ignore[arg-type]
        value = smax(t, gamma, np.ones_like(t, dtype=bool))
        chord = value[0] + (value[-1] - value[0]) * (s - s[0]) / (s[-1] - s[0])
        ax.plot(s, value - chord, label=f"{name}, γ = {gamma:g}")
    ax.axhline(0, color="#999", lw=0.8)
    ax.set_xlabel("s of both rivals")
    ax.set_ylabel("loss minus chord (convex: never above 0)")
    ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))


DRAWINGS: dict[str, tuple[Callable[[Any, Decision], None], tuple[float, float], str]] = {
    "UV-C1-ATS": (
        _ats_risk,
        (6, 3.2),
        "The loss of ATS prefers a tie of classes 1 and 2 to the Bayes class.",
    ),
    "UV-C1-CS": (
        lambda ax, d: simplex_map(CS, ax=ax, resolution=24),
        (4.6, 4.4),
        "What the CS loss predicts over the simplex.",
    ),
    "UV-CIRCLE": (
        _circle,
        (5, 3),
        "Mean agreement with Bayes over four samples and its 95 % interval, C = 100.",
    ),
    "HL-7": (
        _pairwise,
        (6, 3.2),
        "Six points, k = 3: the solution of (4) that solves (7) at C is the one at C/k.",
    ),
    "ZDO-LIMITS": (_softmax, (6, 3), "The softmax between sum and maximum."),
    "ZDO-CONVEX": (_convex, (6, 3.4), "Above 0 somewhere: not convex."),
}
