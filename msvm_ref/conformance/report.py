"""Outcomes for people (text, Markdown, one self-contained HTML page) and for programs (JSON)."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msvm_ref.conformance.profiles import Outcome
from msvm_ref.errors import DataError

COLUMNS = ("solver", "machine", "convention", "checks", "problems", "worst error", "verdict")
FLOOR = 1e-13
"""Where the plot draws an error of 0."""


def row(outcome: Outcome) -> tuple[str, ...]:
    done = len(outcome.records) - outcome.count("skipped")
    return (outcome.title, outcome.machine, outcome.convention, f"{done} of {len(outcome.records)}",
            str(len(outcome.gaps)), _worst(outcome), outcome.verdict)


def _worst(outcome: Outcome) -> str:
    """The worst error, and beside it the worst where the solver said that it had not converged."""
    admitted = max((g["error"] for g in outcome.gaps if g["converged"] is False), default=0.0)
    if all(g["converged"] is False for g in outcome.gaps):
        return f"{admitted:.0e} admitted"
    return f"{outcome.worst:.0e}" + (f" ({admitted:.0e} admitted)" if admitted > outcome.worst else "")


def text(outcomes: Sequence[Outcome], head: str, verbose: bool = False) -> str:
    """A table, and under each solver what failed (with ``verbose`` everything)."""
    rows = [COLUMNS, *map(row, outcomes)]
    widths = [max(len(r[k]) for r in rows) for k in range(len(COLUMNS))]
    lines = [head]
    for r, outcome in zip(rows, [None, *outcomes], strict=True):
        lines.append("  ".join(cell.ljust(w) for cell, w in zip(r, widths, strict=True)).rstrip())
        lines += [f"  └ {record.status}: {record.name}" + (f": {_indented(record.message)}" if record.message else "")
                  for record in (outcome.records if outcome else ())
                  if verbose or record.status in ("failed", "expected failure")]
    return "\n".join([*lines, footer(outcomes)])


def _indented(message: str) -> str:
    return message.replace("\n", "\n      ")


def footer(outcomes: Sequence[Outcome]) -> str:
    failed = sum(o.count("failed") for o in outcomes)
    known = sum(o.count("expected failure") for o in outcomes)
    checks = sum(len(o.records) for o in outcomes)
    skipped = sum(o.count("skipped") for o in outcomes)
    return (f"{len(outcomes)} solver{'s' * (len(outcomes) != 1)} · {checks} checks, {skipped} of them skipped · "
            f"{failed} failures · {known} known findings   [{sum(o.seconds for o in outcomes):.0f} s]")


def as_dict(outcomes: Sequence[Outcome], head: str) -> dict[str, Any]:
    return {"what": head, "passed": all(o.passed for o in outcomes), "solvers": [
        {"solver": o.title, "machine": o.machine, "convention": o.convention, "tolerance": o.tolerance, "verdict": o.verdict,
         "passed": o.passed, "worst_error": _number(o.worst), "seconds": round(o.seconds, 3),
         "records": [r.to_dict() for r in o.records],
         "problems": [{**g, "error": _number(g["error"])} for g in o.gaps]} for o in outcomes]}


def as_json(outcomes: Sequence[Outcome], head: str) -> str:
    return json.dumps(as_dict(outcomes, head), indent=1) + "\n"


def markdown(outcomes: Sequence[Outcome], head: str) -> str:
    lines = [f"# {head}", "", "| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row(o)) + " |" for o in outcomes]
    for o in outcomes:
        lines += ["", f"## {o.title}", ""]
        for r in o.records:
            lines += [f"- **{r.status}** `{r.name}`" + (f": {r.message}" if r.message else "")]
            if r.status == "failed" and "case" in r.details:
                lines += ["  ```json", "  " + json.dumps(r.details.get("smallest", r.details["case"])), "  ```"]
    return "\n".join([*lines, "", footer(outcomes), ""])


STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:72em;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:1em 0}td,th{padding:.25em .7em;text-align:left;vertical-align:top}
td,th{border-bottom:1px solid #ddd}
pre{white-space:pre-wrap;background:#f6f6f6;padding:.5em;margin:.3em 0}.failed{color:#b00020;font-weight:600}
.passed{color:#17692b}.skipped{color:#777}.expected{color:#8a5a00}svg{max-width:100%;height:auto}"""


def page(outcomes: Sequence[Outcome], head: str) -> str:
    """One HTML file, no scripts, nothing loaded from elsewhere."""
    e = html.escape
    parts = [f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
             f"<title>{e(head)}</title><style>{STYLE}</style><h1>{e(head)}</h1><p>{e(footer(outcomes))}</p>",
             "<table><tr>" + "".join(f"<th>{c}</th>" for c in COLUMNS) + "</tr>"]
    for o in outcomes:
        mark = "passed" if o.passed else "failed"
        cells = row(o)
        parts.append("<tr>" + "".join(f"<td>{e(c)}</td>" for c in cells[:-1]) + f"<td class={mark}>{e(cells[-1])}</td></tr>")
    parts.append("</table>")
    for o in outcomes:
        parts += [f"<h2>{e(o.title)}</h2>", plot(o), "<table><tr><th>check</th><th>result</th><th>what was found</th></tr>"]
        for r in o.records:
            found = f"<pre>{e(r.message)}</pre>" if "\n" in r.message else e(r.message)
            if r.status == "failed" and "case" in r.details:
                example = e(json.dumps(r.details.get("smallest", r.details["case"])))
                found += f"<details><summary>the example</summary><pre>{example}</pre></details>"
            parts.append(f"<tr><td><code>{e(r.name)}</code></td><td class='{r.status}'>{r.status}</td><td>{found}</td></tr>")
        parts.append("</table>")
    return "\n".join(parts) + "</html>\n"


def plot(outcome: Outcome) -> str:
    """Certified relative error of every fit, on a log scale, with the tolerance as a line: inline SVG."""
    width, height, left, top = 900, 220, 60, 12
    bottom, span = height - 28, width - left - 20

    def y(error: float) -> float:
        level = (math.log10(min(max(error, FLOOR), 10.0)) + 13) / 14
        return bottom - level * (bottom - top)

    out = [f"<svg viewBox='0 0 {width} {height}' role=img aria-label='certified relative error of each fit'>"]
    for power in range(-12, 1, 3):
        out.append(  # noqa: PERF401 (a drawing reads better line by line)
                   f"<line x1={left} x2={width - 20} y1={y(10.0**power):.1f} y2={y(10.0**power):.1f} stroke='#e4e4e4'/>"
                   f"<text x={left - 6} y={y(10.0**power) + 4:.1f} font-size=11 text-anchor=end>1e{power}</text>")
    at = y(outcome.tolerance)
    out.append(f"<line x1={left} x2={width - 20} y1={at:.1f} y2={at:.1f} stroke='#b00020' stroke-dasharray='5 4'/>"
               f"<text x={width - 20} y={at - 4:.1f} font-size=11 fill='#b00020' text-anchor=end>tolerance</text>")
    for k, g in enumerate(outcome.gaps):
        x = left + span * (k + 0.5) / len(outcome.gaps)
        honest = g["converged"] is False
        colour = "#999" if honest else "#b00020" if not g["error"] <= outcome.tolerance else "#2b6cb0"
        said = ", said not converged" if honest else ""
        label = html.escape(f"{g['case']} (n={g['n']}, d={g['d']}): {g['error']:.2e}{said}")
        out.append(f"<circle cx={x:.1f} cy={y(g['error']):.1f} r=4 fill='{colour}'><title>{label}</title></circle>")
    out.append(f"<text x={left} y={height - 8} font-size=11>fits in the order of the checks; red: above tolerance; "
               "grey: the solver said itself that it had not converged; hover for the problem</text></svg>")
    return "".join(out)


def write(path: str, outcomes: Sequence[Outcome], head: str) -> None:
    """.html, .json or .md, by the ending."""
    kind = Path(path).suffix.lower()
    makers = {".html": page, ".md": markdown, ".json": as_json}
    if kind not in makers:
        raise DataError("--report", "end in .html, .json or .md", repr(path))
    try:
        Path(path).write_text(makers[kind](outcomes, head), encoding="utf-8")
    except OSError as error:
        raise DataError("--report", "be a file that can be written", str(error)) from error


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
