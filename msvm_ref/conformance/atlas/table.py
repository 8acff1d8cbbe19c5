"""The run on a terminal: a line an entry, the worst first."""

from __future__ import annotations

from typing import Any

from msvm_ref.conformance.atlas import verdict as v


def table(record: dict[str, Any], width: int = 80) -> list[str]:
    """AtlasEntry, version, machine, largest certified error at default and tightest settings, verdict with its remark."""
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
    end = f"{len(here)} entr{'y' if len(here) == 1 else 'ies'} here{away} · details: --report atlas.html"
    return [*lines, f"{end}  [{record['seconds']:.0f} s by the clock]"]


def took(record: dict[str, Any]) -> str:
    """How long the run took: by the clock, and summed over its entries where each has its own time."""
    told = [f"{record['seconds']:.0f} s by the clock"]
    if record.get("jobs"):
        several = record["jobs"] > 1
        told.append(f"{record['jobs']} libraries at a time" if several else "one library at a time")
    here = [e for e in record["entries"] if e["version"]]
    if here and all("seconds" in e for e in here):
        total = sum(e["seconds"] for e in here)
        told.append(f"{total:.0f} s summed over the entries (fits, certificates and scripts)")
    if record.get("taken_over"):
        told.append(f"{record['taken_over']} entries taken over from a run that was cut short")
    return "The run took " + ", ".join(told) + "."


def words(entry: dict[str, Any]) -> str:
    """The verdict and the first remark."""
    more, told = v.remarks(entry), [v.word_of(entry)]
    if entry["recipe"]:
        told.append("a recipe of ours")
    return "; ".join([*told, *more[:1]])


def number(error: float | None) -> str:
    return "none" if error is None else f"{error:.0e}"
