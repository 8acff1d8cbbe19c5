"""A validation as one HTML page, as Markdown and as JSON: the verdict first, one cause once, then every check."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from msvm_ref.conformance.causes import Cause
from msvm_ref.conformance.gap_plot import plot
from msvm_ref.conformance.outcomes import Outcome
from msvm_ref.conformance.suite import Record
from msvm_ref.conformance.summary import footer, proof
from msvm_ref.pages import document, provenance_text

COLUMNS = ("verdict", "solver", "machine", "error", "why", "convention", "checks", "problems")
Origin = Mapping[str, str]


def cells(outcome: Outcome) -> tuple[str, ...]:
    done = len(outcome.records) - outcome.count("skipped")
    error = f"{outcome.worst:.0e}"
    if outcome.admitted > outcome.worst:
        error += f" ({outcome.admitted:.0e} admitted)"
    return (
        outcome.verdict,
        outcome.title,
        outcome.machine,
        error if outcome.gaps else "-",
        outcome.remark,
        outcome.convention,
        f"{done} of {len(outcome.records)}",
        str(len(outcome.gaps)),
    )


def as_dict(outcomes: Sequence[Outcome], head: str, origin: Origin) -> dict[str, Any]:
    return {
        "what": head,
        "passed": all(o.passed for o in outcomes),
        "provenance": dict(origin),
        "solvers": [
            {
                "verdict": o.verdict,
                "solver": o.title,
                "label": o.label,
                "machine": o.machine,
                "convention": o.convention,
                "why": o.remark,
                "passed": o.passed,
                "tolerance": o.tolerance,
                "judged": o.judged,
                "worst_error": _number(o.worst),
                "worst_admitted": _number(o.admitted),
                "seconds": round(o.seconds, 3),
                "causes": [c.to_dict() for c in o.causes],
                "records": [r.to_dict() for r in o.records],
                "problems": [{**g, "error": _number(g["error"])} for g in o.gaps],
            }
            for o in outcomes
        ],
    }


def markdown(outcomes: Sequence[Outcome], head: str, origin: Origin) -> str:
    lines = [f"# {head}", "", "| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += [
        f"| {' | '.join(c.replace('|', chr(92) + '|') for c in cells(o))} |" for o in outcomes
    ]
    lines += ["", footer(outcomes, "")[0]]
    for o in outcomes:
        lines += ["", f"## {o.verdict}: {o.title}", "", f"Tolerance: {o.judged}.", ""]
        for cause in o.causes:
            lines += [
                f"- **{_many(cause)}**: {cause.sentence}",
                *(f"  - {p}" for p in proof(cause)),
            ]
            if cause.right:
                lines.append(f"  - right as it is with `{cause.options}`")
            lines.append(f"  - explains {', '.join(f'`{name}`' for name in cause.checks)}")
        lines += ["", "| check | status | |", "|---|---|---|"]
        for r in sorted(o.records, key=lambda r: ORDER.index(r.status)):
            said = (r.message.splitlines() or [""])[0].replace("|", "\\|")
            lines.append(f"| `{r.name}` | {r.status} | {said} |")
    return "\n".join([*lines, "", "```text", provenance_text(dict(origin)), "```", ""])


ORDER = ("failed", "expected failure", "passed", "skipped")


def _many(cause: Cause) -> str:
    count = len(cause.checks)
    known = "known, " if cause.known else ""
    return f"{known}one cause explains {count} checks" if count > 1 else f"{known}{cause.checks[0]}"


def page(outcomes: Sequence[Outcome], head: str, origin: Origin) -> str:
    """Of each solver the causes come first, then the plot, then every check, folded."""
    parts = [
        f"<h1>{_e(head)}</h1><p>{_e(footer(outcomes, '', verbose=True)[0])}</p>",
        "<table class=cards><tr>" + "".join(f"<th>{c}</th>" for c in COLUMNS) + "</tr>",
    ]
    for k, o in enumerate(outcomes):
        verdict, title, *rest = (_e(c) for c in cells(o))
        known = " known" if o.passed and o.causes else ""
        parts.append(
            f"<tr><td class='{o.verdict}{known} nowrap'>{verdict}</td><td><a href='#s{k}'>{title}</a></td>"
            + "".join(f"<td>{cell}</td>" for cell in rest)
            + "</tr>"
        )
    parts.append("</table>")
    for k, o in enumerate(outcomes):
        parts += [
            f"<h2 id=s{k}><span class={o.verdict}>{o.verdict}</span> {_e(o.title)}</h2>",
            *(_cause(cause) for cause in o.causes),
            f"<p class=quiet>Tolerance: {_e(o.judged)}.</p>",
            f"<div class=scroll>{plot(o)}</div>",
            _checks(o.records),
        ]
    parts.append(f"<p class=quiet>{_e(provenance_text(dict(origin)))}</p>")
    return document(head, "\n".join(parts))


def _e(text: Any) -> str:
    return html.escape(str(text))


def _cause(cause: Cause) -> str:
    """The sentence, the proof, where the solver is right as it is, the checks explained and the smallest example."""
    kind = "known" if cause.known else "failed"
    told = {"what was found": cause.sentence}
    certificates = [line for line in proof(cause) if not line.startswith("smallest")]
    if certificates:
        told["proof"] = "\n".join(certificates)
    if cause.right:
        told["right as it is with"] = cause.options
    told["explains"] = ", ".join(cause.checks)
    lines = "".join(
        f"<dt>{k}</dt><dd>{_e(v).replace(chr(10), '<br>')}</dd>" for k, v in told.items()
    )
    example = cause.details.get("smallest", cause.details.get("case"))
    if example is not None:
        title = "smallest example found" if "smallest" in cause.details else "the example"
        lines += f"<dt>{title}</dt><dd><pre>{_e(json.dumps(example))}</pre></dd>"
    return (
        f"<div class='cause {kind}'><h3><span class={kind}>{_e(_many(cause))}</span></h3>"
        f"<dl>{lines}</dl></div>"
    )


def _checks(records: Sequence[Record]) -> str:
    """Every check, what failed first, folded."""
    counts = {status: sum(r.status == status for r in records) for status in ORDER}
    title = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    rows = "".join(
        f"<tr><td class={_class(r.status)}>{r.status}</td><td><code>{_e(r.name)}</code></td>"
        f"<td>{_e(r.message)}</td><td class=number>{r.seconds:.2f} s</td></tr>"
        for r in sorted(records, key=lambda r: ORDER.index(r.status))
    )
    return f"<details><summary>{title}</summary><table class=cards>{rows}</table></details>"


def _class(status: str) -> str:
    return "known" if status == "expected failure" else status


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
