"""The outcomes of loss checks for people (text, Markdown) and for programs (JSON)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msvm_ref.conformance.suite import Record

COLUMNS = ("loss", "machine", "convention", "checks", "verdict")


@dataclass(frozen=True)
class LossOutcome:
    """One function's records, with what it says it is."""

    title: str
    machine: str
    convention: str
    records: tuple[Record, ...]
    ulps: dict[str, float]
    """The largest rounding error seen by dtype, in ulps of the scale of the loss."""
    seconds: float

    def count(self, status: str) -> int:
        return sum(r.status == status for r in self.records)

    @property
    def passed(self) -> bool:
        return all(r.passed for r in self.records)

    @property
    def row(self) -> tuple[str, ...]:
        failed, known = self.count("failed"), self.count("expected failure")
        done = len(self.records) - self.count("skipped")
        verdict = f"FAILS {failed} of {done}" if failed else "passes"
        if known:
            verdict += f", {known} known finding{'s' * (known > 1)}"
        return (
            self.title,
            self.machine,
            self.convention,
            f"{done} of {len(self.records)}",
            verdict,
        )


def text(outcomes: Sequence[LossOutcome], head: str, verbose: bool = False) -> str:
    """A table, and under each function what failed (with ``verbose`` everything)."""
    rows = [COLUMNS, *(o.row for o in outcomes)]
    widths = [max(len(r[k]) for r in rows) for k in range(len(COLUMNS))]
    lines = [head]
    for r, outcome in zip(rows, [None, *outcomes], strict=True):
        lines.append("  ".join(cell.ljust(w) for cell, w in zip(r, widths, strict=True)).rstrip())
        for record in outcome.records if outcome else ():
            if verbose or record.status in ("failed", "expected failure"):
                said = f": {record.message}" if record.message else ""
                lines.append(f"  └ {record.status}: {record.name}" + said.replace("\n", "\n      "))
    return "\n".join([*lines, footer(outcomes)])


def footer(outcomes: Sequence[LossOutcome]) -> str:
    counted = {
        status: sum(o.count(status) for o in outcomes)
        for status in ("failed", "expected failure", "skipped")
    }
    return (
        f"{len(outcomes)} loss{'es' * (len(outcomes) != 1)} · "
        f"{sum(len(o.records) for o in outcomes)} checks, {counted['skipped']} of them skipped · "
        f"{counted['failed']} failures · {counted['expected failure']} known findings   "
        f"[{sum(o.seconds for o in outcomes):.0f} s]"
    )


def as_dict(outcomes: Sequence[LossOutcome], head: str) -> dict[str, Any]:
    return {
        "what": head,
        "passed": all(o.passed for o in outcomes),
        "losses": [
            {
                "loss": o.title,
                "machine": o.machine,
                "convention": o.convention,
                "passed": o.passed,
                "ulps": {k: round(v, 3) for k, v in o.ulps.items()},
                "seconds": round(o.seconds, 3),
                "records": [r.to_dict() for r in o.records],
            }
            for o in outcomes
        ],
    }


def markdown(outcomes: Sequence[LossOutcome], head: str) -> str:
    lines = [f"# {head}", "", "| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in o.row) + " |" for o in outcomes
    ]
    for o in outcomes:
        lines += ["", f"## {o.title}", ""]
        lines += [
            f"- **{r.status}** `{r.name}`" + (f": {r.message}" if r.message else "")
            for r in o.records
        ]
    return "\n".join([*lines, "", footer(outcomes), ""])


def write(path: str, outcomes: Sequence[LossOutcome], head: str) -> None:
    made = (
        json.dumps(as_dict(outcomes, head), indent=1) + "\n"
        if Path(path).suffix == ".json"
        else markdown(outcomes, head)
    )
    Path(path).write_text(made, encoding="utf-8")
