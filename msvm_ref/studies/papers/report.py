"""The ledger for people: a line each, a claim in full, and a page with every number behind every verdict."""

from __future__ import annotations

import base64
import html
import json
import textwrap
from collections.abc import Mapping, Sequence

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


STYLE = """
body{font:15px/1.45 system-ui,sans-serif;color:#222;max-width:1080px;margin:2em auto;padding:0 1em}
h1{font-size:1.5em;margin-bottom:.2em} h2{margin-top:2em;border-bottom:1px solid #ccc;font-size:1.15em}
article{border-left:5px solid #999;padding:.1em 0 .3em 1em;margin:1.3em 0}
article.HOLDS{border-color:#3f9b55} article.CORRECTED{border-color:#c9a24a} article.FAILS{border-color:#c9473c}
h3{font-size:1em;margin:.2em 0} .v{font-weight:600;float:right;font-size:.85em}
.HOLDS .v{color:#2c7a40} .CORRECTED .v{color:#8a6a12} .FAILS .v{color:#b0261b}
dl{display:grid;grid-template-columns:7em 1fr;gap:.1em .6em;margin:.4em 0} dt{color:#666} dd{margin:0;overflow-wrap:anywhere}
details{margin:.3em 0} pre{background:#f6f6f6;padding:.6em;overflow-x:auto;max-height:24em;font-size:12px}
figure{margin:.6em 0} img{max-width:100%} figcaption{color:#555;font-size:.9em}
"""


def page(
    decisions: Sequence[Decision], pictures: Mapping[str, tuple[bytes, str]], head: str
) -> str:
    """HTML; ``pictures`` are PNG bytes and a caption by claim id ('' for the top of the page)."""
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Claims</title><style>{STYLE}</style>",
        f"<h1>The claims of five papers, checked</h1><p>{html.escape(head)}. {html.escape(totals(decisions))}. ",
        "A verdict is computed: the printed form is put to a check, the corrected form to the same check; "
        "each check is tested with a sabotaged form that must change its verdict.</p>",
        _figure(pictures.get("")),
    ]
    for paper, title in PAPERS.items():
        mine = [d for d in decisions if d.claim.paper == paper]
        if mine:
            parts.append(
                f"<h2>{paper}: {html.escape(title)}</h2><p>{html.escape(totals(mine))}</p>"
            )
            parts += [_article(d, pictures.get(d.claim.id)) for d in mine]
    return "".join(parts) + "</html>\n"


def _article(d: Decision, picture: tuple[bytes, str] | None) -> str:
    c = d.claim
    rows = [("checked", c.checked), ("as printed", _line(d.printed))]
    if d.corrected is not None:
        rows += [("correction", c.correction), ("corrected", _line(d.corrected))]
    rows += [("sabotage", c.sabotaged_by), *([("errata", ", ".join(c.errata))] if c.errata else [])]
    told = "".join(f"<dt>{k}<dd>{html.escape(v)}" for k, v in rows)
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
        f"<article id='{c.id}' class={d.verdict.name}><span class=v>{d.verdict}</span>"
        f"<h3>{c.id} · {html.escape(c.where)}</h3>"
        f"<p>{html.escape(c.statement)}</p><dl>{told}</dl>{more}{_figure(picture)}</article>"
    )


def _figure(picture: tuple[bytes, str] | None) -> str:
    if picture is None:
        return ""
    data = base64.b64encode(picture[0]).decode()
    caption = html.escape(picture[1])
    return f"<figure><img alt='{caption}' src='data:image/png;base64,{data}'><figcaption>{caption}</figcaption></figure>"


def as_json(decisions: Sequence[Decision]) -> str:
    counts = {str(v): sum(d.verdict is v for d in decisions) for v in Verdict}
    return json.dumps(
        {"totals": counts, "claims": [d.to_dict() for d in decisions]}, indent=1, ensure_ascii=False
    )
