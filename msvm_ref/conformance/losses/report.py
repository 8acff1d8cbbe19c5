"""The outcomes of loss checks for people (80 columns, the verdict first) and for programs (JSON)."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msvm_ref.conformance.suite import Record
from msvm_ref.conformance.summary import INDENT, WIDTH, cut

NAME, MACHINE = 26, 20
"""Columns of a function's and of a machine's name at most."""


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

    def of_status(self, status: str) -> list[Record]:
        return [r for r in self.records if r.status == status]

    @property
    def passed(self) -> bool:
        return all(r.passed for r in self.records)

    @property
    def verdict(self) -> str:
        clean = self.passed and not self.of_status("expected failure")
        return "ok" if clean else "FAILS"

    @property
    def remark(self) -> str:
        failed, known = self.of_status("failed"), self.of_status("expected failure")
        if failed:
            return f"fails {_checks(len(failed))}" + (f", {len(known)} as known" if known else "")
        if known:
            return f"{_checks(len(known))} as known"
        return f"{_checks(len(self.of_status('passed')))} pass"


def _checks(count: int) -> str:
    return f"{count} check{'s' * (count != 1)}"


def summary(outcomes: Sequence[LossOutcome], head: str, verbose: bool = False) -> list[str]:
    """One line a function, under it what failed and why; with ``verbose`` every check."""
    names = min(max(len(o.title) for o in outcomes), NAME)
    machines = min(max(len(o.machine) for o in outcomes), MACHINE)
    lines = [head]
    for o in outcomes:
        row = f"{o.verdict:<5}  {cut(o.title, names):<{names}}  {cut(o.machine, machines):<{machines}}  "
        lines.append(cut(row + o.remark, WIDTH))
        if verbose:
            lines += [f"{INDENT}convention {o.convention}; errors in ulps of the scale: {_ulps(o)}"]
            for r in o.records:
                said = r.message.replace("\n", f"\n{INDENT}    ")
                lines.append(f"{INDENT}{r.status}: {r.name}" + (f": {said}" if said else ""))
            continue
        for reason, checks in _reasons(o).items():
            lines += _wrapped(f"{', '.join(checks)}: {reason}")
        lines += _new(o)
    return [*lines, footer(outcomes, verbose)]


def _reasons(outcome: LossOutcome) -> dict[str, list[str]]:
    """Checks that fail as known, by the reason given for them."""
    out: dict[str, list[str]] = {}
    for record in outcome.of_status("expected failure"):
        reason = record.message.splitlines()[0].partition(" (")[0]
        out.setdefault(reason, []).append(record.name.removeprefix("check_"))
    return out


def _new(outcome: LossOutcome) -> list[str]:
    """The first failure in full (it has the diagnosis), the others by name."""
    failed = outcome.of_status("failed")
    if not failed:
        return []
    lines: list[str] = []
    for text in failed[0].message.splitlines():
        lines += _wrapped(text if lines else f"{failed[0].name}: {text}")
    if failed[1:]:
        lines += _wrapped("also " + ", ".join(r.name for r in failed[1:]))
    return lines


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=INDENT,
        subsequent_indent=INDENT + "  ",
        break_on_hyphens=False,
        max_lines=4,
        placeholder=" …",
    )


def _ulps(outcome: LossOutcome) -> str:
    return ", ".join(f"{v:.2f} ({k})" for k, v in outcome.ulps.items()) or "none"


def footer(outcomes: Sequence[LossOutcome], verbose: bool = False) -> str:
    seconds = sum(o.seconds for o in outcomes)
    known = sum(o.verdict != "ok" and o.passed for o in outcomes)
    newly = sum(not o.passed for o in outcomes)
    more = "" if verbose else " · details: -v"
    count = f"{len(outcomes)} loss{'es' * (len(outcomes) != 1)}"
    return f"{count}, {known or 'none'} fail as known, {newly or 'none'} newly{more}  [{seconds:.0f} s]"


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
