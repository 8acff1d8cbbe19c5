"""The run on a terminal: a line an entry, the worst first."""

from __future__ import annotations

from typing import Any

from msvm_ref.conformance.atlas import verdict as v


def table(record: dict[str, Any], width: int = 80) -> list[str]:
    """Entry, version, machine, largest certified error at default and tightest settings, verdict with its remark."""
    here = v.by_severity(e for e in record["entries"] if e["version"])
    rows = [("entry", "version", "machine", "default", "tight", "verdict")]
    for entry in here:
        errors = [number(v.worst_error(entry, kind)) for kind in ("default", "tight")]
        rows.append((entry["name"], entry["version"], entry["machine"], *errors, words(entry)))
    widths = [max(len(row[k]) for row in rows) for k in range(6)]
    lines = []
    for row in rows:
        line = "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
        lines.append(line if len(line) <= width else line[: width - 1].rstrip() + "…")
    missing = len(record["entries"]) - len(here)
    away = f", {missing} not installed (--list says how)" if missing else ""
    end = f"{len(here)} entries here{away} · details: --report atlas.html"
    return [*lines, f"{end}  [{record['seconds']:.0f} s]"]


def words(entry: dict[str, Any]) -> str:
    """The verdict, the number of faults, and the first remark."""
    word, faults, more = v.verdict_of(entry), v.faults_of(entry), v.remarks(entry)
    told = [f"FAULTY ({len(faults)})" if faults else word]
    if entry["recipe"]:
        told.append("a recipe of ours")
    return "; ".join([*told, *more[:1]])


def number(error: float | None) -> str:
    return "none" if error is None else f"{error:.0e}"
