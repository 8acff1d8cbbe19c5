"""Outcomes for people (text, Markdown, one self-contained HTML page) and for programs (JSON)."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msvm_ref.conformance.gap_plot import plot
from msvm_ref.conformance.outcomes import Outcome
from msvm_ref.conformance.suite import Record
from msvm_ref.errors import DataError

COLUMNS = ("solver", "machine", "convention", "checks", "problems", "worst error", "verdict")
NARROW = ("machine", "checks", "worst error")


def row(outcome: Outcome) -> tuple[str, ...]:
    done = len(outcome.records) - outcome.count("skipped")
    return (
        outcome.title,
        outcome.machine,
        outcome.convention,
        f"{done} of {len(outcome.records)}",
        str(len(outcome.gaps)),
        _worst(outcome),
        outcome.verdict,
    )


def _worst(outcome: Outcome) -> str:
    """The worst error, and beside it the worst where the solver said that it had not converged."""
    admitted = max((g["error"] for g in outcome.gaps if g["converged"] is False), default=0.0)
    if all(g["converged"] is False for g in outcome.gaps):
        return f"{admitted:.0e} admitted"
    return f"{outcome.worst:.0e}" + (
        f" ({admitted:.0e} admitted)" if admitted > outcome.worst else ""
    )


def text(outcomes: Sequence[Outcome], head: str, verbose: bool = False) -> str:
    """A table, and under each solver what failed (with ``verbose`` everything)."""
    rows = [COLUMNS, *map(row, outcomes)]
    widths = [max(len(r[k]) for r in rows) for k in range(len(COLUMNS))]
    lines = [head]
    for r, outcome in zip(rows, [None, *outcomes], strict=True):
        lines.append("  ".join(cell.ljust(w) for cell, w in zip(r, widths, strict=True)).rstrip())
        lines += [
            f"  └ {record.status}: {record.name}"
            + (f": {_indented(record.message)}" if record.message else "")
            for record in (outcome.records if outcome else ())
            if verbose or record.status in ("failed", "expected failure")
        ]
    return "\n".join([*lines, footer(outcomes)])


def _indented(message: str) -> str:
    return message.replace("\n", "\n      ")


def footer(outcomes: Sequence[Outcome]) -> str:
    failed = sum(o.count("failed") for o in outcomes)
    known = sum(o.count("expected failure") for o in outcomes)
    checks = sum(len(o.records) for o in outcomes)
    skipped = sum(o.count("skipped") for o in outcomes)
    return (
        f"{len(outcomes)} solver{'s' * (len(outcomes) != 1)} · {checks} checks, {skipped} of them skipped · "
        f"{failed} failures · {known} known findings   [{sum(o.seconds for o in outcomes):.0f} s]"
    )


def as_dict(outcomes: Sequence[Outcome], head: str) -> dict[str, Any]:
    return {
        "what": head,
        "passed": all(o.passed for o in outcomes),
        "solvers": [
            {
                "solver": o.title,
                "machine": o.machine,
                "convention": o.convention,
                "tolerance": o.tolerance,
                "judged": o.judged,
                "verdict": o.verdict,
                "passed": o.passed,
                "worst_error": _number(o.worst),
                "seconds": round(o.seconds, 3),
                "records": [r.to_dict() for r in o.records],
                "problems": [{**g, "error": _number(g["error"])} for g in o.gaps],
            }
            for o in outcomes
        ],
    }


def as_json(outcomes: Sequence[Outcome], head: str) -> str:
    return json.dumps(as_dict(outcomes, head), indent=1) + "\n"


def markdown(outcomes: Sequence[Outcome], head: str) -> str:
    lines = [f"# {head}", "", "| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row(o)) + " |" for o in outcomes
    ]
    for o in outcomes:
        lines += ["", f"## {o.title}", "", f"Tolerance: {o.judged}.", ""]
        for r in sorted(
            o.records,
            key=lambda r: ("failed", "expected failure", "passed", "skipped").index(r.status),
        ):
            lines += [f"- **{r.status}** `{r.name}`" + (f": {r.message}" if r.message else "")]
            if r.status in ("failed", "expected failure") and "case" in r.details:
                lines += [
                    "  ```json",
                    "  " + json.dumps(r.details.get("smallest", r.details["case"])),
                    "  ```",
                ]
    return "\n".join([*lines, "", footer(outcomes), ""])


STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em;color:#222}
h1{font-size:1.5em}h2{font-size:1.15em;margin:2.2em 0 .2em;border-top:2px solid #ddd;padding-top:1em}
table{border-collapse:collapse;margin:1em 0;width:100%}td,th{padding:.3em .7em;text-align:left;vertical-align:top}
td,th{border-bottom:1px solid #ddd}.nowrap{white-space:nowrap}.number{text-align:right;font-variant-numeric:tabular-nums}
pre{white-space:pre-wrap;background:#f6f6f6;padding:.5em;margin:.3em 0;font-size:13px}
.failure{border-left:4px solid #b00020;padding:.2em 0 .4em 1em;margin:1em 0}.failure.known{border-color:#c98a00}
.failure dt{color:#666;font-size:13px}.failure dd{margin:0 0 .4em}.failure h3{margin:.2em 0;font-size:1em}
.failed{color:#b00020;font-weight:600}.passed{color:#17692b}.skipped{color:#777}.expected{color:#8a5a00}
.quiet{color:#666;font-size:13px}svg{max-width:100%;height:auto;font-family:system-ui,sans-serif}"""


def page(outcomes: Sequence[Outcome], head: str) -> str:
    """One HTML file, no scripts, nothing loaded from elsewhere; of each solver what failed comes first."""
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{_e(head)}</title><style>{STYLE}</style><h1>{_e(head)}</h1><p>{_e(footer(outcomes))}</p>",
        "<table><tr>" + "".join(f"<th>{c}</th>" for c in COLUMNS) + "</tr>",
    ]
    for k, o in enumerate(outcomes):
        cells = [_e(c) for c in row(o)]
        cells[0] = f"<a href='#s{k}'>{cells[0]}</a>"
        mark = "failed" if not o.passed else "expected" if o.count("expected failure") else "passed"
        parts.append(
            "<tr>"
            + "".join(
                f"<td{' class=nowrap' * (c in NARROW)}>{cell}</td>"
                for c, cell in zip(COLUMNS[:-1], cells[:-1], strict=True)
            )
            + f"<td class={mark}>{cells[-1]}</td></tr>"
        )
    parts.append("</table>")
    for k, o in enumerate(outcomes):
        parts += [
            f"<h2 id=s{k}>{_e(o.title)}</h2>",
            f"<p class=quiet>Tolerance: {_e(o.judged)}.</p>",
            plot(o),
        ]
        parts += [_failure(r, "") for r in o.records if r.status == "failed"]
        parts += [_failure(r, " known") for r in o.records if r.status == "expected failure"]
        parts.append(_others([r for r in o.records if r.status in ("passed", "skipped")]))
    return "\n".join(parts) + "</html>\n"


def _e(text: Any) -> str:
    return html.escape(str(text))


def _failure(record: Record, known: str) -> str:
    """What failed: the numbers, the enclosure, the diagnosis and the smallest example, each on its own line."""
    said = [
        line
        for line in record.message.splitlines()
        if not line.startswith(("diagnosis: ", "smallest example"))
    ]
    told = {"what was found": " ".join(said)}
    details = record.details
    if "lower" in details:
        told["enclosure of the optimum"] = (
            f"[{details['lower']:.12g}, {details['upper']:.12g}] (its own units)"
        )
    diagnosis = details.get("diagnosis")
    if diagnosis:
        told["diagnosis"] = diagnosis["sentence"]
        found = (diagnosis["found"] or {}).get("certificate")
        if found and not diagnosis["as_claimed"]:
            told["proof"] = (
                f"for that problem the optimum lies in [{found['lower']:.12g}, {found['upper']:.12g}] "
                f"and this answer, read so, is worth {found['primal_value']:.12g} (our units)"
            )
    lines = "".join(f"<dt>{name}</dt><dd>{_e(text)}</dd>" for name, text in told.items())
    example = details.get("smallest", details.get("case"))
    if example is not None:
        title = "smallest example found" if "smallest" in details else "the example"
        lines += f"<dt>{title}</dt><dd><pre>{_e(json.dumps(example))}</pre></dd>"
    status = "known to fail" if known else "failed"
    return (
        f"<div class='failure{known}'><h3><code>{_e(record.name)}</code> "
        f"<span class={'expected' if known else 'failed'}>{status}</span></h3><dl>{lines}</dl></div>"
    )


def _others(records: Sequence[Record]) -> str:
    """Passed and skipped checks, folded."""
    passed = sum(r.status == "passed" for r in records)
    rows = "".join(
        f"<tr><td class=nowrap><code>{_e(r.name)}</code></td><td class='{r.status}'>{r.status}</td>"
        f"<td class=number>{r.seconds:.2f} s</td><td>{_e(r.message)}</td></tr>"
        for r in records
    )
    return f"<details><summary>{passed} passed, {len(records) - passed} skipped</summary><table>{rows}</table></details>"


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
