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


KERNELS = {"uv-table4": "a Gaussian kernel", "uv-table5": "a linear kernel"}
SECONDS = "uv-fig4"


def advice(told: Sequence[Chapter]) -> list[str]:
    """One sentence a kernel, one for the seconds; Nemenyi's test says whom the mean ranks tell from the first."""
    said = []
    for chapter in _asked(told):
        if chapter.study.name == SECONDS:
            said.append(_seconds(chapter))
        else:
            ranked = chapter.rankings()[:1]
            said += [_choice(chapter, KERNELS[chapter.study.name], each) for _, each in ranked]
    return said


def figures(told: Sequence[Chapter]) -> tuple[list[str], list[list[str]]]:
    """The numbers behind the advice: titles, and a row for each machine, the best of the first column first."""
    chapters = _asked(told)
    columns = [_times(c) if c.study.name == SECONDS else _behind(c) for c in chapters]
    titles = [
        "training, over the fastest"
        if c.study.name == SECONDS
        else f"points behind the best, {KERNELS[c.study.name].removeprefix('a ')}"
        for c in chapters
    ]
    names = sorted(columns[0], key=lambda n: columns[0][n]) if columns else []
    rows = [[n, *(f"{c[n]:.1f}" if n in c else "–" for c in columns)] for n in names]
    return ["machine", *titles], rows


def _asked(told: Sequence[Chapter]) -> list[Chapter]:
    by_name = {c.study.name: c for c in told}
    chosen = [by_name[name] for name in (*KERNELS, SECONDS) if name in by_name]
    return [c for c in chosen if len(c.whole) > 1]


def _behind(chapter: Chapter) -> dict[str, float]:
    """By how many points a machine is behind the best of a data set, on average."""
    rows, means = chapter.whole, chapter.means
    best = {row: max(means[row, c] for c in chapter.columns) for row in rows}
    return {c: fmean(best[row] - means[row, c] for row in rows) for c in chapter.columns}


def _times(chapter: Chapter) -> dict[str, float]:
    """How many times as long as the fastest, by the geometric mean."""
    rows, means = chapter.whole, chapter.means
    logs = {c: fmean(math.log10(max(means[row, c], 1e-9)) for row in rows) for c in chapter.columns}
    return {c: 10 ** (log - min(logs.values())) for c, log in logs.items()}


def _choice(chapter: Chapter, kernel: str, ranked: MeanRanks) -> str:
    behind = _behind(chapter)
    first = min(behind, key=lambda c: behind[c])
    rank = dict(zip(ranked.names, ranked.ranks, strict=True))
    worse = [n for n in ranked.names if rank[n] - rank[first] > ranked.critical]
    others = [n for n in ranked.names if n != first and n not in worse]
    told = f"tell {', '.join(worse)} to be worse" if worse else "tell nobody to be worse"
    rest = f", and do not tell it from {', '.join(others)}" if others else ""
    return (
        f"With {kernel} take {first}: on average over {_sets(chapter)} it is {behind[first]:.1f} points behind the best "
        f"machine of the set; mean ranks {told}{rest}.{_ties(chapter)}"
    )


def _ties(chapter: Chapter) -> str:
    """Whose numbers ties made, on how many of those data sets."""
    tied = Counter(
        r.entry.column for r in chapter.results if r.tied and r.entry.row in chapter.whole
    )
    told = ", ".join(f"{column} on {count}" for column, count in tied.most_common())
    return f" Numbers that ties made ({told}) count as they came out." if told else ""


def _seconds(chapter: Chapter) -> str:
    times = _times(chapter)
    order = sorted(times, key=lambda c: times[c])
    second, last = (f"{c} {times[c]:.1f}" for c in (order[1], order[-1]))
    sizes = [r.entry.train for r in chapter.results if r.entry.row in chapter.whole]
    return (
        f"{order[0]} is trained fastest; the others take from {second} to {last} times as long, by the geometric mean over "
        f"{_sets(chapter)}, on {min(sizes)} to {max(sizes)} rows."
    )


def _sets(chapter: Chapter) -> str:
    """How many data sets have every column, and how many of them by the quick protocol."""
    rows = chapter.whole
    quick = {r.entry.row for r in chapter.results if r.entry.protocol == "quick"} & {*rows}
    return f"{len(rows)} data sets" + (f" ({len(quick)} by the quick protocol)" if quick else "")
