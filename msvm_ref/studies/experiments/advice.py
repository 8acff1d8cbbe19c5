"""What the numbers say in words: of a chapter, and to someone who has to choose a machine."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from msvm_ref.studies.experiments.chapter import Chapter
from msvm_ref.studies.experiments.ranks import MeanRanks

COMPARED = ("agrees", "near", "differs")


def sentences(chapter: Chapter) -> list[str]:
    """What the numbers of a chapter say, in words."""
    counts = Counter(r.agreement for r in chapter.results)
    printed, told = sum(counts[word] for word in COMPARED), []
    if counts["not compared"] and not chapter.study.pictures:
        told.append(
            f"{counts['not compared']} cells are of fewer training rows than {chapter.study.paper}'s and are not compared."
        )
    if printed and not chapter.study.pictures:
        told.append(
            f"{counts['agrees']} of {printed} agree with {chapter.study.paper}'s printed numbers, "
            f"{counts['near']} are near, {counts['differs']} differ."
        )
    for words, each in chapter.rankings():
        first = f"{each.names[0]} (mean rank {each.ranks[0]:.2f})"
        others = ", ".join(each.leaders[1:]) or "none"
        told.append(
            f"By {words} {first} is first over {each.data_sets} data sets; not told from it at this number of sets: "
            f"{others}; last is {each.names[-1]} ({each.ranks[-1]:.2f})."
        )
    return told


def advice(told: Sequence[Chapter]) -> list[str]:
    """One sentence a kernel, one for the seconds; Nemenyi's test says who is worse than the first by mean rank."""
    by_name = {c.study.name: c for c in told}
    said = []
    for name, kernel in (("uv-table4", "a Gaussian kernel"), ("uv-table5", "a linear kernel")):
        if name in by_name:
            said += [
                _choice(by_name[name], kernel, each) for _, each in by_name[name].rankings()[:1]
            ]
    seconds = by_name.get("uv-fig4")
    if seconds is not None and len(seconds.whole) > 1:
        said.append(_seconds(seconds))
    return said


def _choice(chapter: Chapter, kernel: str, ranked: MeanRanks) -> str:
    """By how many points a machine is behind the best of a data set, on average; and whom the mean ranks tell apart."""
    rows, means = chapter.whole, chapter.means
    best = {row: max(means[row, c] for c in chapter.columns) for row in rows}
    behind = {c: fmean(best[row] - means[row, c] for row in rows) for c in chapter.columns}
    first, *others = sorted(behind, key=lambda c: behind[c])
    worse = [n for n in ranked.names if n not in ranked.leaders]
    told = f"tell {', '.join(worse)} to be worse" if worse else "tell nobody to be worse"
    rest = ", ".join(f"{c} {behind[c]:.1f}" for c in others)
    return (
        f"With {kernel} take {first}: on average over {_sets(chapter)} it is {behind[first]:.1f} points behind the best "
        f"machine of the set ({rest}); mean ranks, of which {ranked.names[0]}'s is the first, {told}."
    )


def _seconds(chapter: Chapter) -> str:
    rows, means = chapter.whole, chapter.means
    logs = {c: fmean(math.log10(max(means[row, c], 1e-9)) for row in rows) for c in chapter.columns}
    order = sorted(logs, key=lambda c: logs[c])
    times = ", ".join(f"{c} {10 ** (logs[c] - logs[order[0]]):.1f}" for c in order)
    sizes = [r.entry.train for r in chapter.results if r.entry.row in rows]
    return (
        f"Training takes, on {min(sizes)} to {max(sizes)} rows, by the geometric mean over {_sets(chapter)} and over the "
        f"fastest: {times}."
    )


def _sets(chapter: Chapter) -> str:
    """How many data sets have every column, and how many of them by the quick protocol."""
    rows = chapter.whole
    quick = {r.entry.row for r in chapter.results if r.entry.protocol == "quick"} & {*rows}
    return f"{len(rows)} data sets" + (f" ({len(quick)} by the quick protocol)" if quick else "")
