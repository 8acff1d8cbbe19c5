"""The page of all studies, from the store: HTML in one file, or Markdown for docs/. No number in it is typed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from msvm_ref.pages import escape, page, provenance, provenance_text
from msvm_ref.studies.experiments.bars import bars
from msvm_ref.studies.experiments.diagram import diagram
from msvm_ref.studies.experiments.ranks import MeanRanks, ranking
from msvm_ref.studies.experiments.result import AGREES, LEVEL, NEAR, Result, stored
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.study import Study
from msvm_ref.studies.experiments.table import UNITS, written

MARKS = {"agrees": "good", "near": "caution", "differs": "bad", "not printed": "quiet"}
SIGNS = {"agrees": "✓", "near": "≈", "differs": "✗", "not printed": ""}
TITLE = "The papers' experiments: results"


@dataclass(frozen=True)
class Chapter:
    """A study and what the store has of it."""

    study: Study
    results: tuple[Result, ...]

    @property
    def rows(self) -> list[str]:
        return list(dict.fromkeys(r.outcome.source.label for r in self.results))

    def at(self, row: str, column: str) -> Result | None:
        for r in self.results:
            if (r.outcome.source.label, r.outcome.contender.label) == (row, column):
                return r
        return None

    @property
    def columns(self) -> list[str]:
        return [c.label for c in self.study.contenders]

    def rankings(self) -> list[tuple[str, MeanRanks]]:
        """Ours, and the paper's over the same rows."""
        if self.study.measure != "accuracy":
            return []
        ours = {(r.outcome.source.label, r.outcome.contender.label): r.mean for r in self.results}
        theirs = {place: printed.value for place, printed in self.study.printed.items()}
        pairs = [("ours", ours), (f"{self.study.paper}'s printed numbers", theirs)]
        made = [(words, ranking(scores, self.columns, self.rows)) for words, scores in pairs]
        return [(words, each) for words, each in made if each is not None]


def chapters(store: Store, studies: Sequence[Study]) -> list[Chapter]:
    made = [Chapter(study, tuple(stored(study, store))) for study in studies]
    return [chapter for chapter in made if chapter.results]


def sentences(chapter: Chapter) -> list[str]:
    """What the numbers of a chapter say, in words."""
    counts = Counter(r.agreement for r in chapter.results)
    printed, told = counts.total() - counts["not printed"], []
    if printed:
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


def legend() -> str:
    return (
        f"Each cell: ours, below it the paper's. Agreement is the difference over the root mean square of both deviations: "
        f"up to {AGREES:g} agrees, up to {NEAR:g} near, beyond differs. * is best or not significantly worse (exact "
        f"signed-rank test, {LEVEL:g}; among those of one protocol). q: by the quick protocol, else as printed."
    )


def html(told: Sequence[Chapter]) -> str:
    parts = [f"<p>{escape(legend())}</p>"]
    for chapter in told:
        study = chapter.study
        parts.append(
            f"<h2 id='{study.name}'>{escape(f'{study.paper} {study.place}: {study.title}')}</h2>"
        )
        parts.append(f"<p>{escape(' '.join(sentences(chapter)))}</p>")
        parts.append(_html_table(chapter))
        means = {
            (r.outcome.source.label, r.outcome.contender.label): r.mean for r in chapter.results
        }
        parts.append(bars(means, chapter.rows, chapter.columns, study.measure))
        parts += [diagram(each, words) for words, each in chapter.rankings()]
        parts.append(_html_notes(chapter))
    parts.append(f"<p class=quiet>{escape(provenance_text(provenance()))}</p>")
    return page(TITLE, parts)


def _html_table(chapter: Chapter) -> str:
    head = "".join(f"<th>{escape(c)}</th>" for c in ("", *chapter.columns))
    body = []
    for row in chapter.rows:
        cells = []
        for column in chapter.columns:
            r = chapter.at(row, column)
            if r is None:
                cells.append("<td class=quiet>not run</td>")
                continue
            theirs = "" if r.printed is None else written(r.printed.value, r.printed.deviation)
            cells.append(
                f"<td class={MARKS[r.agreement]} title='{escape(_title(r))}'>{escape(_ours(r))}"
                f"<br><small>{escape(theirs)}</small></td>"
            )
        body.append(f"<tr><th>{escape(row)}</th>{''.join(cells)}</tr>")
    caption = f"<p class=quiet>{escape(UNITS[chapter.study.measure])}</p>"
    return f"{caption}<div class=scroll><table><tr>{head}</tr>{''.join(body)}</table></div>"


def _ours(r: Result) -> str:
    spread = r.deviation if len(r.values) > 1 else None
    best = "*" if r.among_the_best else ""
    return written(r.mean, spread) + best + (" q" if r.outcome.protocol.name == "quick" else "")


def _title(r: Result) -> str:
    """What is told where one points at the cell."""
    o = r.outcome
    gap = "" if math.isnan(r.worst_gap) else f", widest certified gap {r.worst_gap:.1e}"
    return (
        f"exponents of gamma {o.point[0]}, of C {o.point[1]}{gap}, {o.cells} cells, {o.open_gaps} above the tolerance, "
        f"{o.failures} failed, {o.protocol.name}"
    )


def _html_notes(chapter: Chapter) -> str:
    study = chapter.study
    names = dict.fromkeys(r.outcome.protocol.name for r in chapter.results)
    words = [f"{name}: {study.protocol(name).words}" for name in names]
    items = "".join(f"<li>{escape(text)}</li>" for text in (*words, *study.remarks))
    return f"<details><summary>protocols and remarks</summary><ul>{items}</ul></details>"


def markdown(told: Sequence[Chapter]) -> str:
    lines = [f"# {TITLE}", "", f"{legend()} ✓ agrees, ≈ near, ✗ differs.", ""]
    for chapter in told:
        study = chapter.study
        lines += [f"## {study.paper} {study.place}: {study.title}", ""]
        lines += [*sentences(chapter), ""] if sentences(chapter) else []
        lines += [f"| {UNITS[study.measure]} | {' | '.join(chapter.columns)} |"]
        lines += ["|---" * (len(chapter.columns) + 1) + "|"]
        for row in chapter.rows:
            cells = [_markdown_cell(chapter.at(row, column)) for column in chapter.columns]
            lines.append(f"| {row} | {' | '.join(cells)} |")
        names = dict.fromkeys(r.outcome.protocol.name for r in chapter.results)
        lines += ["", *(f"- {name}: {study.protocol(name).words}" for name in names)]
        lines += [*(f"- {text}" for text in study.remarks), ""]
    return "\n".join([*lines, "```text", provenance_text(provenance()), "```", ""])


def _markdown_cell(r: Result | None) -> str:
    if r is None:
        return "not run"
    theirs = "" if r.printed is None else f"<br>{written(r.printed.value, r.printed.deviation)}"
    return f"{_ours(r)} {SIGNS[r.agreement]}{theirs}".replace("*", "\\*")
