"""``msvm-ref atlas``: every multi-class SVM one can install, before the judge, at default and at tightest settings.

What is not installed is listed with the line that installs it. Each library runs in a process of its own.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from msvm_ref.commands.output import as_json, check_report, remark, write_text
from msvm_ref.commands.parser import (
    OK,
    UsageError,
    add_common,
    count,
    did_you_mean,
    one_of,
    positive,
)
from msvm_ref.commands.progress import Progress
from msvm_ref.commands.table import lines_of, screen


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="entries or libraries only")
    parser.add_argument("--list", action="store_true", help="what there is, and how to install it")
    parser.add_argument(
        "--data", default="iris,wine,glass,digits", help="data sets, separated by commas"
    )
    parser.add_argument("--repeats", type=count, default=3, help="fits of each data set")
    parser.add_argument("--jobs", type=count, default=1, help="libraries at the same time")
    parser.add_argument("--timeout", type=positive, default=60.0, help="seconds for one fit")
    parser.add_argument(
        "--entry-seconds",
        type=positive,
        default=120.0,
        help="after so long an entry's data sets are fitted once each (default: 120)",
    )
    parser.add_argument(
        "--minutes", type=positive, help="after so long no fit is begun; what is left out is told"
    )
    parser.add_argument(
        "--bug-report", metavar="NAME", help="text for the tracker of an entry's library, and stop"
    )
    parser.add_argument(
        "--from",
        dest="source",
        action="append",
        default=[],
        metavar="RUN.json",
        help="show a run that was kept by --report instead of running (repeatable; the last wins)",
    )
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    check_report(options)
    entries = _entries(options.names)
    if options.list:
        print(as_json(_listed(entries)) if options.json else _list_text(entries))
        return OK
    if options.bug_report is not None:
        return _bug_report(options)
    record = _read(options) if options.source else _run(options, entries)
    from msvm_ref.conformance.atlas.markdown import markdown
    from msvm_ref.conformance.atlas.page import page
    from msvm_ref.conformance.atlas.table import table

    print(as_json(record) if options.json else "\n".join(table(record, screen())))
    makers = {".html": page, ".md": markdown}
    for path in options.report:
        maker = makers.get(Path(path).suffix.lower())
        write_text(path, maker(record) if maker else as_json(record) + "\n")
        remark(options, f"report: {path}")
    return OK


def _entries(names: list[str]) -> list[Any]:
    from msvm_ref.conformance.atlas.registry import ENTRIES, chosen

    known = [*dict.fromkeys(e.library for e in ENTRIES), *(e.name for e in ENTRIES)]
    for name in names:
        if name not in known:
            raise UsageError(
                f"entry {name!r} is unknown{did_you_mean(name, known)} (msvm-ref atlas --list lists them)"
            )
    return chosen(names)


def _run(options: argparse.Namespace, entries: list[Any]) -> dict[str, Any]:
    from msvm_ref.conformance.atlas.kept import Kept
    from msvm_ref.conformance.atlas.runner import KINDS, Budget
    from msvm_ref.conformance.atlas.runner import run as run_entries
    from msvm_ref.pages import provenance

    data = _data(options)
    here = sum(bool(e.probe.version()) for e in entries)
    kept = Kept.of(options)
    done = kept.read()
    if done:
        remark(options, f"{len(done)} entries taken from {kept.path}, where a run was cut short")
    with Progress("atlas", here * len(KINDS) * len(data), options.quiet) as bar:
        record = run_entries(
            entries,
            data,
            options.repeats,
            options.jobs,
            options.timeout,
            bar.step,
            Budget.of(options.entry_seconds, options.minutes),
            done,
            kept.add,
        )
    kept.remove()
    return {**record, "provenance": provenance()}


def _data(options: argparse.Namespace) -> list[str]:
    from msvm_ref.conformance.atlas.data import DATA

    names = list(dict.fromkeys(name.strip() for name in options.data.split(",")))
    for name in names:
        one_of("data set", name, DATA, "msvm-ref atlas --help")
    return names


def _read(options: argparse.Namespace) -> dict[str, Any]:
    """Runs kept by --report, the later ones replacing entries of the earlier, their times added up."""
    from msvm_ref.commands.inputs import read_json

    record: dict[str, Any] = {}
    for path in options.source:
        later = read_json(path)
        if not isinstance(later, dict) or "entries" not in later:
            raise UsageError(f"--from must name a run kept by msvm-ref atlas --report, got {path}")
        entries = {e["name"]: e for e in (*record.get("entries", ()), *later["entries"])}
        seconds = record.get("seconds", 0.0) + later["seconds"]
        record = {**record, **later, "entries": list(entries.values()), "seconds": seconds}
    if options.names:
        names = {e.name for e in _entries(options.names)}
        record["entries"] = [e for e in record["entries"] if e["name"] in names]
    return record


def _bug_report(options: argparse.Namespace) -> int:
    from msvm_ref.conformance.atlas.bug_report import bug_report, measured_now

    known = [entry for entry in _entries([options.bug_report]) if entry.findings]
    if not known:
        raise UsageError(f"--bug-report: no fault of {options.bug_report} is known")
    if options.source:
        kept = {e["name"]: e for e in _read(options)["entries"]}
    else:
        kept = {e.name: measured_now(e, _data(options), options.timeout) for e in known}
    print("\n".join(bug_report(entry, options.timeout, kept.get(entry.name)) for entry in known))
    return OK


def _listed(entries: list[Any]) -> list[dict[str, Any]]:
    from msvm_ref.conformance.atlas.runner import described

    return [described(entry) for entry in entries]


def _list_text(entries: list[Any]) -> str:
    versions = [entry.probe.version() for entry in entries]
    rows = [["name", "version", "machine", "what, or how to install it"]]
    rows += [
        [e.name, version or "-", e.machine, e.title if version else e.install]
        for e, version in zip(entries, versions, strict=True)
    ]
    there = sum(map(bool, versions))
    end = f"{there} entries installed here, {len(entries) - there} not"
    return "\n".join([*lines_of(rows, screen()), end])
