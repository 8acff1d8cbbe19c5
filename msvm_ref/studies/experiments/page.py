"""The page of all studies, of what comes along and what a store adds: HTML in one file, or Markdown for docs/.

No number in it is typed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msvm_ref.pages import escape, page, provenance, provenance_text
from msvm_ref.studies.experiments.advice import advice, figures, sentences
from msvm_ref.studies.experiments.bars import bars
from msvm_ref.studies.experiments.chapter import Chapter
from msvm_ref.studies.experiments.curves import Points, curves
from msvm_ref.studies.experiments.diagram import diagram
from msvm_ref.studies.experiments.result import AGREES, LEVEL, NEAR, Result
from msvm_ref.studies.experiments.study import Study
from msvm_ref.studies.experiments.table import UNITS, spread, written

MARKS = {"agrees": "good", "near": "caution", "differs": "bad"}
SIGNS = {"agrees": "✓", "near": "≈", "differs": "✗"}
TITLE = "The papers' experiments: results"


STYLE = """<style>table.figures{width:auto;font-size:.9em}
table.figures :is(td,th):first-child{font-weight:600;white-space:nowrap}
.scroll th:first-child{position:sticky;left:0;background:var(--paper);padding-right:.7em}
table.results{font-size:.84em}table.results small{color:var(--faint);font-weight:400}
ul.contents{columns:22em;column-gap:2.4em;padding-left:1.2em;font-size:.92em}</style>"""
"""Row names stay where a wide table is scrolled; the contents take two columns where there is room."""


def legend() -> list[str]:
    return [
        "Each cell: ours; below it the paper's and, in brackets, the difference over the root mean square of both deviations: "
        f"up to {AGREES:g} agrees, up to {NEAR:g} near, beyond differs. Where ours was trained on fewer rows than theirs the "
        "two are not compared.",
        f"* best or not significantly worse (exact signed-rank test, {LEVEL:g}); ! a gap above the tolerance is behind it; "
        "> chosen at the grid's limit; ? ties on half of the test rows and more, or as many as nobody can tell: no accuracy "
        "of the machine.",
        "A row marked quick is by the quick protocol, every other one as printed.",
    ]


def html(told: Sequence[Chapter]) -> str:
    parts = [STYLE, "<h2>What to choose</h2>", *(f"<p>{escape(text)}</p>" for text in advice(told))]
    titles, rows = figures(told)
    if rows:
        head = "".join(f"<th>{escape(t)}</th>" for t in titles)
        body = "".join(f"<tr>{''.join(f'<td>{escape(c)}</td>' for c in row)}</tr>" for row in rows)
        parts.append(f"<table class=figures><tr>{head}</tr>{body}</table>")
    parts += ["<h2>All tables and figures</h2>", _contents(told)]
    parts.append(f"<p class=quiet>{escape(chr(10).join(legend()))}</p>")
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
    return f"<ul class=contents>{''.join(f'<li>{link}</li>' for link in links)}</ul>"


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
                f"<td class='{MARKS.get(r.agreement, '')}' title='{escape(_title(r))}'>{escape(_ours(chapter.study, r))}"
                f"<br><small>{escape(_theirs(chapter.study, r))}</small></td>"
            )
        quick = "<br><small>quick</small>" if _quick(chapter, row) else ""
        body.append(f"<tr><th>{escape(row)}{quick}</th>{''.join(cells)}</tr>")
    caption = f"<p class=quiet>{escape(UNITS[chapter.study.measure])}</p>"
    table = f"<table class='nowrap results'><tr>{head}</tr>{''.join(body)}</table>"
    return f"{caption}<div class=scroll>{table}</div>"


def _quick(chapter: Chapter, row: str) -> bool:
    """A row is by one protocol."""
    return any(r.entry.row == row and r.entry.protocol == "quick" for r in chapter.results)


def _ours(study: Study, r: Result) -> str:
    e = r.entry
    marks = "*" * r.among_the_best + "!" * bool(e.open_gaps)
    marks += ">" * bool(e.at_limit) + "?" * r.tied
    if math.isnan(r.mean):
        return ("w* = 0" if study.measure == "agreement" else "failed") + marks
    return written(r.mean, spread(r), study.measure) + marks


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
    titles, rows = figures(told)
    if rows:
        lines += [_line(titles), _line(["---"] * len(titles)), *map(_line, rows), ""]
    lines += [*(f"- {text.replace('*', chr(92) + '*')}" for text in legend())]
    lines += ["- ✓ agrees, ≈ near, ✗ differs.", ""]
    for chapter in told:
        study = chapter.study
        if chapter.study.pictures:
            continue
        lines += [f"## {study.paper} {study.place}: {study.title}", ""]
        lines += [*sentences(chapter), ""] if sentences(chapter) else []
        lines += [_line([UNITS[study.measure], *chapter.columns])]
        lines += [_line(["---"] * (len(chapter.columns) + 1))]
        for row in chapter.rows:
            cells = [_markdown_cell(study, chapter.at(row, c)) for c in chapter.columns]
            lines.append(_line([row + " (quick)" * _quick(chapter, row), *cells]))
        names = dict.fromkeys(r.entry.protocol for r in chapter.results)
        lines += ["", *(f"- {name}: {study.protocol(name).words}" for name in names)]
        lines += [*(f"- {text}" for text in study.remarks), ""]
    return "\n".join([*lines, "```text", provenance_text(provenance()), "```", ""])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(study: Study, r: Result | None) -> str:
    if r is None:
        return "not run"
    theirs = "" if r.printed is None else f"<br>{_theirs(study, r)}"
    sign = SIGNS.get(r.agreement, "")
    return f"{_ours(study, r)}{' ' * bool(sign)}{sign}{theirs}".replace("*", "\\*")
