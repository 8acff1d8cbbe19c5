"""The page of all studies, of what comes along and what a store adds: HTML in one file, or Markdown for docs/.

No number in it is typed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from msvm_ref.pages import escape, page, provenance, provenance_text
from msvm_ref.studies.experiments.bars import bars
from msvm_ref.studies.experiments.curves import Points, curves
from msvm_ref.studies.experiments.diagram import diagram
from msvm_ref.studies.experiments.ranks import MeanRanks, ranking
from msvm_ref.studies.experiments.result import AGREES, LEVEL, NEAR, Result, known
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.study import Study
from msvm_ref.studies.experiments.table import UNITS, spread, written

MARKS = {"agrees": "good", "near": "caution", "differs": "bad"}
SIGNS = {"agrees": "✓", "near": "≈", "differs": "✗"}
TITLE = "The papers' experiments: results"


@dataclass(frozen=True)
class Chapter:
    """A study and what there is of it."""

    study: Study
    results: tuple[Result, ...]

    @property
    def rows(self) -> list[str]:
        return list(dict.fromkeys(r.entry.row for r in self.results))

    def at(self, row: str, column: str) -> Result | None:
        return next((r for r in self.results if r.place == (row, column)), None)

    @property
    def columns(self) -> list[str]:
        return [c.label for c in self.study.contenders]

    @property
    def is_figure(self) -> bool:
        return self.study.place.startswith("Figure ")

    @property
    def means(self) -> dict[tuple[str, str], float]:
        return {r.place: r.mean for r in self.results if not math.isnan(r.mean)}

    @property
    def whole(self) -> str:
        """How many data sets have every column, and how many of them by the quick protocol."""
        rows = [[self.at(row, column) for column in self.columns] for row in self.rows]
        first = [cells[0] for cells in rows if None not in cells]
        quick = sum(r is not None and r.entry.protocol == "quick" for r in first)
        return f"{len(first)} data sets" + (f" ({quick} by the quick protocol)" if quick else "")

    def rankings(self) -> list[tuple[str, MeanRanks]]:
        """Ours, and the paper's over the same rows."""
        several_solvers = any(c.solver for c in self.study.contenders)
        if self.study.measure != "accuracy" or self.is_figure or several_solvers:
            return []
        ours = self.means
        theirs = {place: printed.value for place, printed in self.study.printed.items()}
        pairs = [("ours", ours), (f"{self.study.paper}'s printed numbers", theirs)]
        made = [(words, ranking(scores, self.columns, self.rows)) for words, scores in pairs]
        return [(words, each) for words, each in made if each is not None]


def chapters(studies: Sequence[Study], store: Store | None = None) -> list[Chapter]:
    made = [Chapter(study, tuple(known(study, store))) for study in studies]
    return [chapter for chapter in made if chapter.results]


def sentences(chapter: Chapter) -> list[str]:
    """What the numbers of a chapter say, in words."""
    counts = Counter(r.agreement for r in chapter.results)
    printed, told = sum(counts[word] for word in MARKS), []
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


def legend() -> str:
    return (
        f"Each cell: ours, below it the paper's and (the difference over the root mean square of both deviations): "
        f"up to {AGREES:g} agrees, up to {NEAR:g} near, beyond differs; where ours was trained on fewer rows than theirs the "
        f"two are not compared. * is best or not significantly worse (exact signed-rank test, {LEVEL:g}; among those of one "
        "protocol). q: by the quick protocol, else as printed."
    )


def html(told: Sequence[Chapter]) -> str:
    parts = ["<h2>What to choose</h2>", *(f"<p>{escape(text)}</p>" for text in advice(told))]
    parts += [f"<p class=quiet>{escape(legend())}</p>", _contents(told)]
    for chapter in told:
        study = chapter.study
        parts.append(
            f"<h2 id='{study.name}'>{escape(f'{study.paper} {study.place}: {study.title}')}</h2>"
        )
        parts += [f"<p>{escape(text)}</p>" for text in sentences(chapter)]
        if not chapter.study.pictures:
            parts.append(_html_table(chapter))
        parts.append(_picture(chapter, told))
        parts += [diagram(each, words) for words, each in chapter.rankings()]
        parts.append(_html_notes(chapter))
    parts.append(f"<p class=quiet>{escape(provenance_text(provenance()))}</p>")
    return page(TITLE, parts)


def _contents(told: Sequence[Chapter]) -> str:
    links = (
        f"<a href='#{c.study.name}'>{escape(f'{c.study.paper} {c.study.place}')}</a> "
        f"<span class=quiet>{escape(c.study.title)}</span>"
        for c in told
    )
    return f"<ul>{''.join(f'<li>{link}</li>' for link in links)}</ul>"


def _picture(chapter: Chapter, told: Sequence[Chapter]) -> str:
    """UV's figures as bars; ZDO's as curves, its errors against the seconds of the chapter that has them."""
    seconds = next((c for c in told if c.study.name == f"{chapter.study.name}-time"), None)
    if chapter.study.paper == "ZDO":
        return "" if seconds is None else curves(_trade_off(chapter, seconds))
    if chapter.is_figure:
        return bars(chapter.means, chapter.rows, chapter.columns, chapter.study.measure)
    return ""


def _trade_off(errors: Chapter, seconds: Chapter) -> dict[str, dict[str, Points]]:
    panels: dict[str, dict[str, list[tuple[float, float, str]]]] = {}
    for (row, column), error in errors.means.items():
        if (row, column) in seconds.means:
            line = panels.setdefault(row, {}).setdefault(column.split()[0], [])
            line.append((seconds.means[row, column], error, column))
    return {row: dict(lines) for row, lines in panels.items()}


def advice(told: Sequence[Chapter]) -> list[str]:
    """What the numbers mean for someone who has to choose a machine: one sentence a kernel, one for the seconds."""
    by_name, said = {c.study.name: c for c in told}, []
    for name, kernel in (("uv-table4", "a Gaussian kernel"), ("uv-table5", "a linear kernel")):
        ranked = [each for c in (by_name.get(name),) if c for _, each in c.rankings()[:1]]
        for each in ranked:
            worse, sets = [n for n in each.names if n not in each.leaders], by_name[name].whole
            if not worse:
                said.append(
                    f"With {kernel} no machine is told from another over {sets}; {each.names[0]} is first by mean rank."
                )
                continue
            others = ", ".join(each.leaders[1:])
            why = f", or {others}, not told apart over {sets}" if others else f", first over {sets}"
            said.append(
                f"With {kernel} take {each.names[0]}{why}; told to be worse: {', '.join(worse)}."
            )
    seconds = by_name.get("uv-fig4")
    if seconds is not None:
        rows = [r for r in seconds.rows if all((r, c) in seconds.means for c in seconds.columns)]
        logs = {
            c: fmean(math.log10(max(seconds.means[r, c], 1e-9)) for r in rows)
            for c in (seconds.columns if len(rows) > 1 else ())
        }
        order = sorted(logs, key=lambda c: logs[c])
        if order:
            times = ", ".join(f"{c} {10 ** (logs[c] - logs[order[0]]):.1f}" for c in order)
            said.append(
                f"Training takes, by the geometric mean over {seconds.whole} and over the fastest: {times}."
            )
    return said


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
            cells.append(
                f"<td class={MARKS.get(r.agreement, 'quiet')} title='{escape(_title(r))}'>{escape(_ours(chapter.study, r))}"
                f"<br><small style='font-weight:400'>{escape(_theirs(chapter.study, r))}</small></td>"
            )
        body.append(f"<tr><th>{escape(row)}</th>{''.join(cells)}</tr>")
    caption = f"<p class=quiet>{escape(UNITS[chapter.study.measure])}</p>"
    table = f"<table class=nowrap style='font-size:.78em'><tr>{head}</tr>{''.join(body)}</table>"
    return f"{caption}<div class=scroll>{table}</div>"


def _ours(study: Study, r: Result) -> str:
    best = "*" if r.among_the_best else ""
    quick = " q" if r.entry.protocol == "quick" else ""
    if math.isnan(r.mean) and study.measure == "agreement":
        return f"w* = 0{quick}"
    return written(r.mean, spread(r), study.measure) + best + quick


def _theirs(study: Study, r: Result) -> str:
    if r.printed is None:
        return ""
    number = written(r.printed.value, r.printed.deviation, study.measure)
    if r.difference is None or r.agreement not in MARKS:
        return number
    return f"{number} ({round(r.difference, 1) + 0.0:+.1f})"  # no minus before nothing


def _title(r: Result) -> str:
    """What is told where one points at the cell."""
    e = r.entry
    gap = "" if math.isnan(e.gap) else f", widest certified gap {e.gap:.1e}"
    point = ("–", "–") if e.point is None else e.point
    counts = ("–" if n is None else n for n in (e.cells, e.open_gaps, e.failures))
    said = "exponents of gamma {}, of C {}".format(*point) + gap
    limit = ", chosen at the grid's limit" if e.at_limit else ""
    said += f", {e.train} training rows"
    return f"{said}, {{}} cells, {{}} above the tolerance, {{}} failed{limit}, {e.protocol}".format(
        *counts
    )


def _html_notes(chapter: Chapter) -> str:
    study = chapter.study
    names = dict.fromkeys(r.entry.protocol for r in chapter.results)
    words = [f"{name}: {study.protocol(name).words}" for name in names]
    items = "".join(f"<li>{escape(text)}</li>" for text in (*words, *study.remarks))
    return f"<details><summary>protocols and remarks</summary><ul>{items}</ul></details>"


def markdown(told: Sequence[Chapter]) -> str:
    lines = [f"# {TITLE}", "", *(f"{text}\n" for text in advice(told))]
    lines += [f"{legend()} ✓ agrees, ≈ near, ✗ differs.", ""]
    for chapter in told:
        study = chapter.study
        if chapter.study.pictures:
            continue
        lines += [f"## {study.paper} {study.place}: {study.title}", ""]
        lines += [*sentences(chapter), ""] if sentences(chapter) else []
        lines += [f"| {UNITS[study.measure]} | {' | '.join(chapter.columns)} |"]
        lines += ["|---" * (len(chapter.columns) + 1) + "|"]
        for row in chapter.rows:
            cells = [_markdown_cell(study, chapter.at(row, c)) for c in chapter.columns]
            lines.append(f"| {row} | {' | '.join(cells)} |")
        names = dict.fromkeys(r.entry.protocol for r in chapter.results)
        lines += ["", *(f"- {name}: {study.protocol(name).words}" for name in names)]
        lines += [*(f"- {text}" for text in study.remarks), ""]
    return "\n".join([*lines, "```text", provenance_text(provenance()), "```", ""])


def _markdown_cell(study: Study, r: Result | None) -> str:
    if r is None:
        return "not run"
    theirs = "" if r.printed is None else f"<br>{_theirs(study, r)}"
    return f"{_ours(study, r)} {SIGNS.get(r.agreement, '')}{theirs}".replace("*", "\\*")
