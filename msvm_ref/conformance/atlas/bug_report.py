"""A text for a library's tracker: versions, the script, what it prints, the certificate. Nothing in it needs this package."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msvm_ref.conformance.atlas.entry import FOLDER, AtlasEntry
from msvm_ref.conformance.atlas.findings import shown_by_script
from msvm_ref.conformance.atlas.formula import formula_in, formula_of
from msvm_ref.conformance.atlas.verdict import RIGHT

LANGUAGES = {".py": "python", ".R": "r", ".js": "javascript"}


def bug_report(entry: AtlasEntry, limit: float = 60.0, kept: dict[str, Any] | None = None) -> str:
    """One text for each finding whose script shows it here; one line for those that it does not show.

    ``kept``: the entry's record in a run, or ``measured_now``, for the certificate of its worst fit.
    """
    version = entry.probe.version()
    if not version:
        return f"{entry.name} is not installed here: {entry.install}"
    where = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    record = {
        "library": entry.library,
        "version": version,
        "title": entry.title,
        "source": entry.convention.source,
        "formula": formula_of(entry.convention, entry.pairs),
        "cells": (kept or {}).get("cells", ()),
    }
    texts = []
    for finding in entry.findings:
        fault = shown_by_script(finding, limit)
        if fault["shown"]:
            texts.append(tracker_text(record, fault, where))
        else:
            texts.append(f"{entry.library} {version} does not show it here: {finding.title}\n")
    return "\n".join(texts)


def measured_now(entry: AtlasEntry, data: Iterable[str], limit: float) -> dict[str, Any]:
    """One fit of each small data set at the tightest settings, certified: the record a run would have of it."""
    from msvm_ref.conformance.atlas.runner import LibraryProcess, Truths, cell

    if not entry.probe.version() or all(f.severity == "input" for f in entry.findings):
        return {}
    worker, truths = LibraryProcess(entry, limit), Truths()
    return {"cells": [cell(worker, "tight", name, 1, truths) for name in data if name != "digits"]}


def tracker_text(record: dict[str, Any], fault: dict[str, Any], where: str) -> str:
    """The report of one fault, from the entry's record in a run."""
    script = Path(FOLDER / "reproducers" / fault["script"])
    return f"""# {fault["title"]}

{record["library"]} {record["version"]}, {record["title"]}; {where}.

What it minimises: {formula_in(record)}.

```{LANGUAGES[script.suffix]}
{script.read_text().strip()}
```

This prints

```text
{fault["printed"]}
```

Expected: the script ends without an error.
{_certificate(record) if fault["severity"] != "input" else ""}"""


def _certificate(record: dict[str, Any]) -> str:
    """The worst fit of the run with the enclosure of its optimum, where the fault is one of answers."""
    fits = [
        (fit["error"], cell["data"], fit)
        for cell in record["cells"]
        if cell["kind"] == "tight"
        for fit in cell["fits"]
        if fit.get("error", 0.0) > RIGHT
    ]
    if not fits:
        return ""
    _, data, fit = max(fits, key=lambda one: one[0])
    pair = f", classes {fit['pair'][0]} and {fit['pair'][1]}" if "pair" in fit else ""
    return (
        f"\nMeasured besides, at its tightest settings on {data}{pair} (constant {fit['constant']:.6g}): objective "
        f"{fit['objective']:.10g}, while weak duality encloses the optimum in [{fit['lower']:.10g}, {fit['upper']:.10g}].\n"
    )
