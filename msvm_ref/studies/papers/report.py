"""The ledger for people: a line each, a claim in full, and a page with every number behind every verdict."""

from __future__ import annotations

import base64
import json
import textwrap
from collections.abc import Mapping, Sequence

from msvm_ref.pages import Mark, article, definitions, escape
from msvm_ref.pages import page as whole_page
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


MARKS: dict[Verdict, Mark] = {
    Verdict.HOLDS: "good",
    Verdict.CORRECTED: "caution",
    Verdict.FAILS: "bad",
}


def page(
    decisions: Sequence[Decision], pictures: Mapping[str, tuple[bytes, str]], head: str
) -> str:
    """HTML; ``pictures`` are PNG bytes and a caption by claim id ('' for the top of the page)."""
    parts = [
        f"<p>{escape(head)}. {escape(totals(decisions))}. "
        "A verdict is computed: the printed form is put to a check, the corrected form to the same check; "
        "each check is tested with a sabotaged form that must change its verdict.</p>",
        _figure(pictures.get("")),
    ]
    for paper, title in PAPERS.items():
        mine = [d for d in decisions if d.claim.paper == paper]
        if mine:
            parts.append(f"<h2>{paper}: {escape(title)}</h2><p>{escape(totals(mine))}</p>")
            parts += [_entry(d, pictures.get(d.claim.id)) for d in mine]
    return whole_page("The claims of five papers, checked", parts)


def _entry(d: Decision, picture: tuple[bytes, str] | None) -> str:
    c = d.claim
    rows = [("checked", c.checked), ("as printed", _line(d.printed))]
    if d.corrected is not None:
        rows += [("correction", c.correction), ("corrected", _line(d.corrected))]
    rows += [("sabotage", c.sabotaged_by), *([("errata", ", ".join(c.errata))] if c.errata else [])]
    forms = {"printed": d.printed, "corrected": d.corrected}
    numbers = {name: form.to_dict()["numbers"] for name, form in forms.items() if form}
    shown = json.dumps({k: v for k, v in numbers.items() if v}, indent=1, ensure_ascii=False)
    return article(
        MARKS[d.verdict],
        d.verdict,
        f"{c.id} · {escape(c.where)}",
        f"<p>{escape(c.statement)}</p>",
        definitions((name, escape(said)) for name, said in rows),
        f"<details><summary>numbers</summary><pre>{escape(shown)}</pre></details>"
        if any(numbers.values())
        else "",
        _figure(picture),
        id=c.id,
    )


def _figure(picture: tuple[bytes, str] | None) -> str:
    if picture is None:
        return ""
    data = base64.b64encode(picture[0]).decode()
    caption = escape(picture[1])
    return f"<figure><img alt='{caption}' src='data:image/png;base64,{data}'><figcaption>{caption}</figcaption></figure>"


def as_json(decisions: Sequence[Decision]) -> str:
    counts = {str(v): sum(d.verdict is v for d in decisions) for v in Verdict}
    return json.dumps(
        {"totals": counts, "claims": [d.to_dict() for d in decisions]}, indent=1, ensure_ascii=False
    )
