"""The ledger for people: a line each, a claim in full, and a page with every number behind every verdict."""

from __future__ import annotations

import base64
import html
import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from msvm_ref.pages import document, provenance_text
from msvm_ref.studies.papers.claim import Decision, Evidence, Verdict
from msvm_ref.studies.papers.ledger import PAPERS, totals

STATEMENT = 68
"""Columns of the table for the statement."""


def table(decisions: Sequence[Decision], width: int | None = None) -> str:
    """id, statement, verdict and the numbers of each claim, cut to ``width`` columns if given, and the totals."""
    ids = max(len(d.claim.id) for d in decisions)
    verdicts = max(len(str(d.verdict)) for d in decisions)
    lines = []
    for d in decisions:
        said = textwrap.shorten(d.claim.statement, STATEMENT, placeholder=" …")
        line = f"{d.claim.id:<{ids}}  {said:<{STATEMENT}}  {d.verdict!s:<{verdicts}}  {d.shown}"
        lines.append(line if width is None or len(line) <= width else line[: width - 1] + "…")
    return "\n".join([*lines, totals(decisions)])


def in_full(decision: Decision) -> str:
    """One claim with its statement, what was checked, the evidence of each form, and the sabotage it is tested with."""
    c = decision.claim
    errata = f" (erratum {', '.join(c.errata)})" if c.errata else ""
    rows = [
        (c.id, f"{PAPERS[c.paper]}: {c.where}"),
        ("states", c.statement),
        ("verdict", f"{decision.verdict}{errata}"),
        ("checked", c.checked),
        ("as printed", _line(decision.printed)),
    ]
    if decision.corrected is not None:
        rows += [("correction", c.correction), ("corrected", _line(decision.corrected))]
    rows.append(("sabotage", f"{c.sabotaged_by}: must change the verdict (tested)"))
    width = max(len(label) for label, _ in rows)
    return "\n".join(f"{label:<{width}}  {text}" for label, text in rows)


def _line(evidence: Evidence) -> str:
    return f"{'true' if evidence.holds else 'false'}: {evidence.shown}"


MATHEMATICS = "docs/mathematics.md"
"""Where the errata are written down, from the root of the project; each has an anchor of its number."""
WORST_FIRST = (Verdict.FAILS, Verdict.CORRECTED, Verdict.HOLDS)
TITLES = {
    Verdict.FAILS: "What fails",
    Verdict.CORRECTED: "What holds with a correction",
    Verdict.HOLDS: "What holds",
}
CLASSES = {Verdict.FAILS: "failed", Verdict.CORRECTED: "known", Verdict.HOLDS: "passed"}


def page(
    decisions: Sequence[Decision],
    pictures: Mapping[str, tuple[bytes, str]],
    origin: Mapping[str, str],
) -> str:
    """HTML, what fails first; ``pictures`` are PNG bytes and a caption by claim id ('' for the top of the page)."""
    parts = [
        f"<h1>The claims of five papers, checked</h1><p>{html.escape(totals(decisions))}. "
        "A verdict is computed: the printed form is put to a check, the corrected form to the same check; "
        "each check is tested with a sabotaged form that must change its verdict.</p>",
        _figure(pictures.get("")),
        "<table class=cards><tr><th>verdict</th><th>claim</th><th>statement</th><th>what was found</th></tr>",
        *(_line_of(d) for v in WORST_FIRST[:2] for d in decisions if d.verdict is v),
        "</table>",
    ]
    for verdict in WORST_FIRST:
        chosen = [d for d in decisions if d.verdict is verdict]
        if chosen:
            parts.append(f"<h2>{TITLES[verdict]}: {len(chosen)}</h2>")
            parts += [_article(d, pictures.get(d.claim.id)) for d in chosen]
    parts.append(f"<p class=quiet>{html.escape(provenance_text(dict(origin)))}</p>")
    return document("The claims of five papers, checked", "".join(parts))


def markdown(decisions: Sequence[Decision], origin: Mapping[str, str]) -> str:
    """The same as a table."""
    lines = ["# The claims of five papers, checked", "", f"{totals(decisions)}.", ""]
    lines += ["| verdict | claim | statement | what was found |", "|---|---|---|---|"]
    for d in (d for v in WORST_FIRST for d in decisions if d.verdict is v):
        row = (str(d.verdict), d.claim.id, d.claim.statement, d.shown)
        lines.append("| " + " | ".join(" ".join(c.split()).replace("|", "\\|") for c in row) + " |")
    return "\n".join([*lines, "", "```text", provenance_text(dict(origin)), "```", ""])


def _line_of(d: Decision) -> str:
    cells = (d.claim.statement, d.shown)
    return (
        f"<tr><td class={CLASSES[d.verdict]}>{d.verdict}</td>"
        f"<td class=nowrap><a href='#{d.claim.id}'>{d.claim.id}</a></td>"
        + "".join(f"<td>{html.escape(c)}</td>" for c in cells)
        + "</tr>"
    )


def _article(d: Decision, picture: tuple[bytes, str] | None) -> str:
    c = d.claim
    rows = [("checked", c.checked), ("as printed", _line(d.printed))]
    if d.corrected is not None:
        rows += [("correction", c.correction), ("corrected", _line(d.corrected))]
    rows.append(("sabotage", c.sabotaged_by))
    told = "".join(f"<dt>{k}</dt><dd>{html.escape(v)}</dd>" for k, v in rows)
    if c.errata:
        links = ", ".join(f"<a href='{MATHEMATICS}#{e.lower()}'>{e}</a>" for e in c.errata)
        told += f"<dt>errata</dt><dd>{links}</dd>"
    numbers = {
        "printed": d.printed.to_dict()["numbers"],
        "corrected": d.corrected.to_dict()["numbers"] if d.corrected else None,
    }
    shown = html.escape(
        json.dumps({k: v for k, v in numbers.items() if v}, indent=1, ensure_ascii=False)
    )
    more = (
        f"<details><summary>numbers</summary><pre>{shown}</pre></details>"
        if any(numbers.values())
        else ""
    )
    return (
        f"<div class='cause {CLASSES[d.verdict]}' id='{c.id}'><h3><span class={CLASSES[d.verdict]}>{d.verdict}</span> "
        f"{c.id} · {html.escape(PAPERS[c.paper].partition(':')[0])}, {html.escape(c.where)}</h3>"
        f"<p>{html.escape(c.statement)}</p><dl>{told}</dl>{more}{_figure(picture)}</div>"
    )


def _figure(picture: tuple[bytes, str] | None) -> str:
    if picture is None:
        return ""
    data = base64.b64encode(picture[0]).decode()
    caption = html.escape(picture[1])
    return f"<figure><img alt='{caption}' src='data:image/png;base64,{data}'><figcaption>{caption}</figcaption></figure>"


def as_dict(decisions: Sequence[Decision]) -> dict[str, Any]:
    counts = {str(v): sum(d.verdict is v for d in decisions) for v in Verdict}
    return {"totals": counts, "claims": [d.to_dict() for d in decisions]}
