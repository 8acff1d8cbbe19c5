"""Outcomes for people (text, Markdown, one self-contained HTML page) and for programs (JSON)."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msvm_ref.conformance.gap_plot import plot
from msvm_ref.conformance.outcomes import Outcome
from msvm_ref.conformance.suite import Record
from msvm_ref.errors import DataError
from msvm_ref.pages import Mark, article, definitions, escape
from msvm_ref.pages import page as whole_page

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


MARKS: dict[str, Mark] = {
    "failed": "bad",
    "expected failure": "caution",
    "passed": "good",
    "skipped": "quiet",
}


def page(outcomes: Sequence[Outcome], head: str) -> str:
    """One HTML file; of each solver what failed comes first."""
    parts = [
        f"<p>{escape(footer(outcomes))}</p>",
        "<table><tr>" + "".join(f"<th>{c}</th>" for c in COLUMNS) + "</tr>",
        *(_summary(k, o) for k, o in enumerate(outcomes)),
        "</table>",
    ]
    for k, o in enumerate(outcomes):
        parts += [
            f"<h2 id=s{k}>{escape(o.title)}</h2>",
            f"<p class=quiet>Tolerance: {escape(o.judged)}.</p>",
            plot(o),
        ]
        parts += [_failure(r, "failed") for r in o.records if r.status == "failed"]
        parts += [_failure(r, "known to fail") for r in o.records if r.status == "expected failure"]
        parts.append(_others([r for r in o.records if r.status in ("passed", "skipped")]))
    return whole_page(head, parts)


def _summary(k: int, o: Outcome) -> str:
    """The solver's line of the table, with a link to its section."""
    cells = [escape(c) for c in row(o)]
    cells[0] = f"<a href='#s{k}'>{cells[0]}</a>"
    known = "expected failure" if o.count("expected failure") else "passed"
    mark = MARKS[known if o.passed else "failed"]
    told = "".join(
        f"<td{' class=nowrap' * (c in NARROW)}>{cell}</td>"
        for c, cell in zip(COLUMNS[:-1], cells[:-1], strict=True)
    )
    return f"<tr>{told}<td class={mark}>{cells[-1]}</td></tr>"


def _failure(record: Record, verdict: str) -> str:
    """What failed: the numbers, the enclosure, the diagnosis and the smallest example, each on its own line."""
    said = [
        line
        for line in record.message.splitlines()
        if not line.startswith(("diagnosis: ", "smallest example"))
    ]
    told = {"what was found": escape(" ".join(said))}
    details = record.details
    if "lower" in details:
        told["enclosure of the optimum"] = (
            f"[{details['lower']:.12g}, {details['upper']:.12g}] (its own units)"
        )
    diagnosis = details.get("diagnosis")
    if diagnosis:
        told["diagnosis"] = escape(diagnosis["sentence"])
        certificate = (diagnosis["found"] or {}).get("certificate")
        if certificate and not diagnosis["as_claimed"]:
            told["proof"] = (
                f"for that problem the optimum lies in [{certificate['lower']:.12g}, {certificate['upper']:.12g}] "
                f"and this answer, read so, is worth {certificate['primal_value']:.12g} (our units)"
            )
    example = details.get("smallest", details.get("case"))
    if example is not None:
        name = "smallest example found" if "smallest" in details else "the example"
        told[name] = f"<pre>{escape(json.dumps(example))}</pre>"
    return article(
        MARKS[record.status],
        verdict,
        f"<code>{escape(record.name)}</code>",
        definitions(told.items()),
    )


def _others(records: Sequence[Record]) -> str:
    """Passed and skipped checks, folded."""
    passed = sum(r.status == "passed" for r in records)
    rows = "".join(
        f"<tr><td class=nowrap><code>{escape(r.name)}</code></td><td class={MARKS[r.status]}>{r.status}</td>"
        f"<td class=number>{r.seconds:.2f} s</td><td>{escape(r.message)}</td></tr>"
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
