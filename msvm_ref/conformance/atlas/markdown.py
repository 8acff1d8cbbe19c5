"""ATLAS.md from a run: every number out of the run's JSON."""

from __future__ import annotations

from typing import Any

from msvm_ref.conformance.atlas import verdict as v
from msvm_ref.conformance.atlas.entry import FOLDER
from msvm_ref.conformance.atlas.formula import formula_in
from msvm_ref.conformance.atlas.table import number, took
from msvm_ref.pages import provenance_text

HEAD = """# The atlas of multi-class SVMs

What installable libraries compute, against the certified optimum of the problem each says it solves. *Error* is
(objective − optimum) / optimum, the optimum enclosed by a certificate; the largest over the data sets and over up to {repeats}
fits each, at default and at the tightest settings. *right*: within 1e-6 at its tightest, *close*: within 1e-2, *off*: beyond;
*breaks*: some fit had no answer, *slow*: none within the time limit (which a loaded machine may be the reason of).
*FAULTY*: a script of plain library calls, without this package, shows the fault as well; it is printed below.
"""


def markdown(record: dict[str, Any]) -> str:
    entries = v.by_severity(record["entries"])
    here = [e for e in entries if e["version"]]
    parts = [HEAD.format(repeats=record["repeats"]), _matrix(here, list(record["data"]))]
    parts += ["\n## The data\n", *(f"- {k}: {words}" for k, words in record["data"].items())]
    faulty = [e for e in here if v.faults_of(e)]
    if faulty:
        parts += ["\n## Faults\n", *(_faults(e) for e in faulty)]
    parts += ["\n## What each solves, and with which settings\n", *(_entry(e) for e in here)]
    if away := [e for e in entries if not e["version"]]:
        parts += ["\n## Not installed in this run\n"]
        parts += [f"- {e['name']} ({e['library']}, {e['machine']}): `{e['install']}`" for e in away]
    parts += [
        f"\n## About this run\n\n{took(record)} Seconds in the table: the median of one fit at default settings."
    ]
    parts += [record["remark"]] if record.get("remark") else []
    parts += [f"\n```text\n{provenance_text(record['provenance'])}\n```\n"]
    return "\n".join(parts)


def _matrix(entries: list[dict[str, Any]], data: list[str]) -> str:
    head = ["entry", "version", "language", "machine", "verdict", "default", "tight", "seconds"]
    rows = [head, ["---"] * len(head)]
    for e in entries:
        word = "**FAULTY**" if v.faulty(e) else v.verdict_of(e)
        errors = [number(v.worst_error(e, kind)) for kind in ("default", "tight")]
        time = f"{v.seconds(e, 'default'):.2g}"
        rows.append([e["name"], e["version"], e["language"], e["machine"], word, *errors, time])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _entry(entry: dict[str, Any]) -> str:
    lines = [f"### {entry['name']}", "", f"`{entry['title']}` — {entry['source']}.", ""]
    lines += [f"Minimises {formula_in(entry)}.", ""]
    lines += ["| data | default | tight |", "|---|---|---|"]
    for name in dict.fromkeys(cell["data"] for cell in entry["cells"]):
        lines.append(f"| {name} | {span(entry, 'default', name)} | {span(entry, 'tight', name)} |")
    lines += ["", f"Default: {entry['settings']['default']}; tight: {entry['settings']['tight']}."]
    lines += [f"Measured besides: {'; '.join(more)}."] if (more := v.remarks(entry)) else []
    lines += [f"{entry['note'][:1].upper()}{entry['note'][1:]}."] if entry["note"] else []
    return "\n".join([*lines, ""])


def span(entry: dict[str, Any], kind: str, data: str) -> str:
    """The certified error over the repeats: one number, or median (smallest to largest)."""
    errors = v.spread(entry, kind, data)
    if errors is None:
        return "no answer"
    low, middle, high = errors
    if number(low) == number(high):
        return number(high)
    return f"{number(middle)} ({number(low)} to {number(high)})"


def _faults(entry: dict[str, Any]) -> str:
    parts = [f"### {entry['name']} {entry['version']}\n"]
    for fault in v.faults_of(entry):
        script = (FOLDER / "reproducers" / fault["script"]).read_text()
        language = {"py": "python", "R": "r", "js": "javascript"}[fault["script"].split(".")[-1]]
        parts += [f"**{fault['title']}**\n", f"```{language}\n{script.strip()}\n```\n"]
        parts += [f"prints\n\n```text\n{fault['printed']}\n```\n"]
    return "\n".join(parts)
