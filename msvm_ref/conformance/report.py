"""A validation as one HTML page, as Markdown and as JSON: the verdict first, one cause once, then every check."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from msvm_ref.conformance.causes import Cause
from msvm_ref.conformance.gap_plot import plot
from msvm_ref.conformance.outcomes import Outcome
from msvm_ref.conformance.suite import Record
from msvm_ref.conformance.summary import footer, proof
from msvm_ref.pages import Mark, article, definitions, escape, provenance_text, row, table
from msvm_ref.pages import page as whole_page

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
                "repeats": [{k: _finite(v) for k, v in r.to_dict().items()} for r in o.repeats],
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
        lines += [f"- {r.text}" for r in o.repeats]
        for cause in o.causes:
            lines += [
                f"- **{_many(cause)}**: {cause.sentence}",
                *(f"  - {p}" for p in proof(cause)),
            ]
            if cause.right:
                lines.append(f"  - right as it is with `{cause.options}`")
            lines.append(f"  - explains {', '.join(f'`{name}`' for name in cause.checks)}")
        lines += ["", "| check | status | |", "|---|---|---|"]
        for r in _worst_first(o.records):
            said = (r.message.splitlines() or [""])[0].replace("|", "\\|")
            lines.append(f"| `{r.name}` | {r.status} | {said} |")
    return "\n".join([*lines, "", "```text", provenance_text(origin), "```", ""])


def _many(cause: Cause) -> str:
    count = len(cause.checks)
    known = "known, " if cause.known else ""
    return f"{known}one cause explains {count} checks" if count > 1 else f"{known}{cause.checks[0]}"


def page(outcomes: Sequence[Outcome], head: str, origin: Origin) -> str:
    """Of each solver the causes come first, then the plot, then every check, folded."""
    parts = [f"<p>{escape(footer(outcomes, '', verbose=True)[0])}</p>"]
    parts.append(table(COLUMNS, (_summary(k, o) for k, o in enumerate(outcomes))))
    for k, o in enumerate(outcomes):
        parts += [
            f"<h2 id=s{k}><span class={_mark(o)}>{o.verdict}</span> {escape(o.title)}</h2>",
            *(_cause(cause) for cause in o.causes),
            f"<p class=quiet>Tolerance: {escape(o.judged)}.</p>",
            *(f"<p>{escape(r.text)}</p>" for r in o.repeats),
            f"<div class=scroll>{plot(o)}</div>",
            _checks(o.records),
        ]
    parts.append(f"<p class=quiet>{escape(provenance_text(origin))}</p>")
    return whole_page(head, parts)


MARKS: dict[str, Mark] = {
    "failed": "bad",
    "expected failure": "caution",
    "passed": "good",
    "skipped": "quiet",
}


def _mark(outcome: Outcome) -> Mark:
    if not outcome.causes:
        return "good" if outcome.count("passed") else "caution"
    return "caution" if outcome.passed else "bad"


def _summary(k: int, outcome: Outcome) -> str:
    """The solver's line of the table, with a link to its section."""
    verdict, title, *rest = cells(outcome)
    link = f"<a href='#s{k}'>{escape(title)}</a>"
    return row(_mark(outcome), verdict, link, *map(escape, rest))


def _cause(cause: Cause) -> str:
    """The sentence, the proof, where the solver is right as it is, the checks explained and the smallest example."""
    told = {"what was found": escape(cause.sentence)}
    certificates = [line for line in proof(cause) if not line.startswith("smallest")]
    if certificates:
        told["proof"] = "<br>".join(map(escape, certificates))
    if cause.right:
        told["right as it is"] = f"with <code>{escape(cause.options)}</code>"
    told["explains"] = ", ".join(f"<code>{escape(name)}</code>" for name in cause.checks)
    example = cause.details.get("smallest", cause.details.get("case"))
    if example is not None:
        name = "smallest example found" if "smallest" in cause.details else "the example"
        told[name] = f"<pre>{escape(json.dumps(example))}</pre>"
    mark: Mark = "caution" if cause.known else "bad"
    verdict = "known to fail" if cause.known else "FAILS"
    return article(mark, verdict, escape(_many(cause)), definitions(told.items()))


def _checks(records: Sequence[Record]) -> str:
    """Every check, what failed first, folded."""
    counts = {status: sum(r.status == status for r in records) for status in MARKS}
    title = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    rows = (
        row(
            MARKS[r.status],
            r.status,
            f"<code>{escape(r.name)}</code>",
            escape(r.message),
            f"<span class=number>{r.seconds:.2f} s</span>",
        )
        for r in _worst_first(records)
    )
    named = table(("status", "check", "", "time"), rows)
    return f"<details><summary>{title}</summary>{named}</details>"


def _worst_first(records: Sequence[Record]) -> list[Record]:
    return sorted(records, key=lambda r: list(MARKS).index(r.status))


def _finite(value: Any) -> Any:
    return _number(value) if isinstance(value, float) else value


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
