"""The ledger for people: a line each, a claim in full, and a page with every number behind every verdict."""

from __future__ import annotations

import base64
import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from msvm_ref.pages import Mark, article, definitions, escape, provenance_text, row
from msvm_ref.pages import page as whole_page
from msvm_ref.pages import table as table_of
from msvm_ref.studies.papers.claim import RESTORED, Decision, Evidence, Verdict
from msvm_ref.studies.papers.ledger import PAPERS, counts, experiment_counts, totals

STATEMENT = 68
"""Columns of the table for the statement."""


def table(decisions: Sequence[Decision], width: int | None = None) -> str:
    """id, statement, verdict and the numbers of each claim, cut to ``width`` columns if given, and the totals."""
    ids = max(len(d.claim.id) for d in decisions)
    verdicts = max(len(_verdict(d)) for d in decisions)
    lines = []
    for d in decisions:
        said = textwrap.shorten(d.claim.statement, STATEMENT, placeholder=" …")
        line = f"{d.claim.id:<{ids}}  {said:<{STATEMENT}}  {_verdict(d):<{verdicts}}  {d.shown}"
        lines.append(line if width is None or len(line) <= width else line[: width - 1] + "…")
    restored = [
        f"{paper}: {words}"
        for paper, words in RESTORED.items()
        if any(d.claim.paper == paper for d in decisions)
    ]
    return "\n".join([*lines, *restored, totals(decisions)])


def _verdict(decision: Decision) -> str:
    """The verdict, marked where the statement is ours."""
    return f"{decision.verdict}{' (found here)' if decision.claim.found_here else ''}"


def in_full(decision: Decision) -> str:
    """One claim with its statement, what was checked, the evidence of each form, and the sabotage it is tested with."""
    c = decision.claim
    errata = f" (erratum {', '.join(c.errata)})" if c.errata else ""
    rows = [
        (c.id, f"{PAPERS[c.paper]}: {c.where}"),
        ("states", c.statement),
        ("verdict", f"{_verdict(decision)}{errata}"),
        *([("formula", c.restored)] if c.restored else []),
        ("checked", c.checked),
        ("as printed", _line(decision.printed)),
    ]
    if decision.corrected is not None:
        rows += _repair(decision.claim.cut, c.correction, decision.corrected)
    rows.append(("sabotage", f"{c.sabotaged_by}: must change the verdict (tested)"))
    width = max(len(label) for label, _ in rows)
    return "\n".join(f"{label:<{width}}  {text}" for label, text in rows)


def _repair(cut: bool, correction: str, corrected: Evidence) -> list[tuple[str, str]]:
    words = ("in part", "that part") if cut else ("correction", "corrected")
    return [(words[0], correction), (words[1], _line(corrected))]


def _line(evidence: Evidence) -> str:
    answer = {True: "true", False: "false", None: "undecided"}[evidence.holds]
    return f"{answer}: {evidence.shown}"


MATHEMATICS = "https://github.com/msvm-ref/msvm_ref/blob/main/docs/mathematics.md"
"""Where the errata are written down; each has an anchor of its number."""
WORST_FIRST: dict[Verdict, tuple[Mark, str]] = {
    Verdict.FAILS: ("bad", "What fails"),
    Verdict.PART: ("caution", "What holds in part"),
    Verdict.CORRECTED: ("caution", "What holds with a correction"),
    Verdict.NOT_SHOWN: ("quiet", "What the samples do not show"),
    Verdict.HOLDS: ("good", "What holds"),
}


def page(
    decisions: Sequence[Decision],
    pictures: Mapping[str, tuple[bytes, str]],
    origin: Mapping[str, str],
) -> str:
    """HTML, what fails first; ``pictures`` are PNG bytes and a caption by claim id ('' for the top of the page)."""
    parts = [
        f"<p>{escape(totals(decisions))}. "
        "A verdict is computed: the printed form is put to a check, the corrected form to the same check; "
        "each check is tested with a sabotaged form that must change its verdict.</p>",
        _figure(pictures.get("")),
    ]
    notable = [d for v in WORST_FIRST for d in decisions if d.verdict is v is not Verdict.HOLDS]
    if len(decisions) > 1 and notable:
        titles = ("verdict", "claim", "statement", "what was found")
        parts.append(table_of(titles, map(_row, notable)))
    theirs = [d for d in decisions if not d.claim.found_here]
    sections = [
        (title, [d for d in theirs if d.verdict is verdict])
        for verdict, (_, title) in WORST_FIRST.items()
    ]
    for title, chosen in [*sections, ("Found here", [d for d in decisions if d.claim.found_here])]:
        if chosen:
            parts.append(f"<h2>{title}: {len(chosen)}</h2>")
            parts += [_entry(d, pictures.get(d.claim.id)) for d in chosen]
    parts.append(f"<p class=quiet>{escape(provenance_text(origin))}</p>")
    return whole_page("The claims of six papers, checked", parts)


def markdown(decisions: Sequence[Decision], origin: Mapping[str, str]) -> str:
    """The same as a table."""
    lines = ["# The claims of six papers, checked", "", f"{totals(decisions)}.", ""]
    lines += ["| verdict | claim | statement | what was found |", "|---|---|---|---|"]
    for d in (d for v in WORST_FIRST for d in decisions if d.verdict is v):
        cells = (_verdict(d), d.claim.id, d.claim.statement, d.shown)
        lines.append(
            "| " + " | ".join(" ".join(c.split()).replace("|", "\\|") for c in cells) + " |"
        )
    return "\n".join([*lines, "", "```text", provenance_text(origin), "```", ""])


def _row(d: Decision) -> str:
    link = f"<a href='#{escape(d.claim.id)}'>{escape(d.claim.id)}</a>"
    return row(
        WORST_FIRST[d.verdict][0], _verdict(d), link, escape(d.claim.statement), escape(d.shown)
    )


def _entry(d: Decision, picture: tuple[bytes, str] | None) -> str:
    c = d.claim
    rows = [("checked", escape(c.checked)), ("as printed", escape(_line(d.printed)))]
    if c.restored:
        rows.insert(0, ("formula", escape(c.restored)))
    if d.corrected is not None:
        rows += [(name, escape(said)) for name, said in _repair(c.cut, c.correction, d.corrected)]
    rows.append(("sabotage", escape(c.sabotaged_by)))
    if c.errata:
        links = (f"<a href='{MATHEMATICS}#{e.lower()}'>{e}</a>" for e in c.errata)
        rows.append(("errata", ", ".join(links)))
    forms = {"printed": d.printed, "corrected": d.corrected}
    numbers = {name: form.to_dict()["numbers"] for name, form in forms.items() if form}
    shown = json.dumps({k: v for k, v in numbers.items() if v}, indent=1, ensure_ascii=False)
    return article(
        WORST_FIRST[d.verdict][0],
        _verdict(d),
        f"{c.id} · {escape(PAPERS[c.paper].partition(':')[0])}, {escape(c.where)}",
        f"<p>{escape(c.statement)}</p>",
        definitions(rows),
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


def as_dict(decisions: Sequence[Decision]) -> dict[str, Any]:
    count = {str(verdict): number for verdict, number in counts(decisions).items()}
    count["found here"] = sum(d.claim.found_here for d in decisions)
    seen = {f"experiments: {v}": number for v, number in experiment_counts(decisions).items()}
    count |= seen if any(seen.values()) else {}
    return {"totals": count, "claims": [d.to_dict() for d in decisions]}
