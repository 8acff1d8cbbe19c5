"""``msvm-ref study``: the papers' experiments run again with certificates: list, run, show, page, export, merge.

What is trained is kept in a store (one sqlite file) as it comes; a run that was ended in any way goes on where it was. What a
store has is exported to small files; those that come along are shown where no store is named. Exit status 1 says that a
cell failed or kept a gap above the tolerance.
"""

from __future__ import annotations

import argparse
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from msvm_ref.commands.output import check_report, check_writable, emit, remark, write_text
from msvm_ref.commands.parser import OK, VERDICT, UsageError, add_common, number
from msvm_ref.commands.progress import Progress
from msvm_ref.commands.solve import announce_compilation
from msvm_ref.commands.table import lines_of, screen

STORE = "msvm-studies.sqlite"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _action(actions, "list", _list, "the studies there are")
    run_it = _action(actions, "run", _run, "train what the store lacks, and print the table")
    _add_choice(run_it)
    _add_store(run_it)
    run_it.add_argument(
        "--protocol",
        choices=("quick", "paper"),
        default="quick",
        help="paper: as printed (hours); quick: thinned out as the table says (minutes)",
    )
    jobs = number("a number of processes, not 0", -1024, 1024, whole=True)
    run_it.add_argument("--jobs", type=jobs, default=1, help="processes; negative leaves cores out")
    run_it.add_argument("--dask", metavar="SCHEDULER", help="address of a dask scheduler instead")
    run_it.add_argument(
        "--data", metavar="DIR", help="folder of the data sets that do not come along"
    )
    run_it.add_argument("--retry", action="store_true", help="try failed cells again")
    show = _action(actions, "show", _show, "the table of what comes along, and over it of a store")
    _add_choice(show)
    _add_store(show, None, "whose results are shown over those that come along")
    page = _action(actions, "page", _page, "a page of what comes along, and over it of a store")
    page.add_argument("out", nargs="+", metavar="OUT", help="files to write: .html or .md")
    _add_store(page, None, "whose results are shown over those that come along")
    export = _action(actions, "export", _export, "take a store's results into files, NAME.json")
    export.add_argument("folder", metavar="DIR", help="where they are; what else they have stays")
    _add_store(export)
    merge = _action(actions, "merge", _merge, "take over what other stores have")
    merge.add_argument("sources", nargs="+", metavar="FILE", help="stores that are read")
    _add_store(merge, text="the one that is added to")


def run(options: argparse.Namespace) -> int:
    check_report(options)
    return int(options.action(options))


def _action(actions: Any, name: str, action: Any, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=text, description=text)
    add_common(parser)
    parser.set_defaults(action=action)
    return parser


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a study (msvm-ref study list)")
    parser.add_argument("--data-sets", metavar="NAMES", default="", help="as iris,glass; else all")
    parser.add_argument("--machines", metavar="NAMES", default="", help="as WW,CS; else all")


def _add_store(
    parser: argparse.ArgumentParser,
    default: str | None = STORE,
    text: str = "where results are kept",
) -> None:
    parser.add_argument("--store", metavar="FILE", default=default, help=text)


def _list(options: argparse.Namespace) -> int:
    from msvm_ref.studies.experiments.registry import STUDIES

    rows = [
        [s.name, f"{s.paper} {s.place}", f"{len(s.sources)} x {len(s.contenders)}", s.title]
        for s in STUDIES.values()
    ]
    text = "\n".join(lines_of([["NAME", "WHERE", "SIZE", "WHAT"], *rows], screen()))
    data = [
        {
            "name": s.name,
            "place": f"{s.paper} {s.place}",
            "title": s.title,
            "data": [source.table for source in s.sources],
            "machines": [c.label for c in s.contenders],
            "remarks": list(s.remarks),
        }
        for s in STUDIES.values()
    ]
    emit(options, "Studies", text, data)
    return OK


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _run(options: argparse.Namespace) -> int:
    from msvm_ref.studies.experiments.engine import run as run_study
    from msvm_ref.studies.experiments.registry import contenders_named, sources_named, study_named
    from msvm_ref.studies.experiments.store import Store

    if options.jobs == 0:
        raise UsageError("--jobs must be a number of processes, not 0")
    study = study_named(options.name)
    sources = sources_named(study, _words(options.data_sets))
    contenders = contenders_named(study, _words(options.machines))
    check_writable("--store", options.store)
    _check_data(sources, options.data)
    announce_compilation(options, "fast")
    start = time.monotonic()
    with Store(options.store) as store:
        if options.retry:
            store.forget_failures()
        before = len(store.records)
        with Progress(study.name, 1, options.quiet) as bar:

            def told(cells: int, total: int, what: str) -> None:
                bar.of(total)
                bar.step(what, cells)

            outcomes = run_study(
                study,
                store,
                options.protocol,
                sources,
                contenders,
                options.jobs,
                options.dask,
                options.data,
                told,
            )
        remark(
            options,
            f"{len(store.records) - before} cells trained in {time.monotonic() - start:.0f} s, kept in {options.store}",
        )
    from msvm_ref.studies.experiments.result import entry, results

    return _tell(options, study, results(study, [entry(study, e) for e in outcomes]))


def _check_data(sources: Any, folder: str | None) -> None:
    """A file that is not there or not the right one is told before the first cell."""
    from msvm_ref.datasets import load
    from msvm_ref.studies.experiments.study import CIRCLES

    for table in dict.fromkeys(source.table for source in sources):
        if table not in CIRCLES:
            load(table, folder)


def _show(options: argparse.Namespace) -> int:
    from msvm_ref.studies.experiments.registry import contenders_named, sources_named, study_named
    from msvm_ref.studies.experiments.result import known

    study = study_named(options.name)
    rows = {s.label for s in sources_named(study, _words(options.data_sets))}
    columns = {c.label for c in contenders_named(study, _words(options.machines))}
    with _opened(options.store) as store:
        told = known(study, store)
    return _tell(
        options, study, [r for r in told if r.entry.row in rows and r.entry.column in columns]
    )


def _page(options: argparse.Namespace) -> int:
    from msvm_ref.studies.experiments.chapter import chapters
    from msvm_ref.studies.experiments.page import html, markdown
    from msvm_ref.studies.experiments.registry import STUDIES

    for path in options.out:
        check_writable("OUT", path, (".html", ".md"))
    with _opened(options.store) as store:
        told = chapters(list(STUDIES.values()), store)
    for path in options.out:
        maker = html if Path(path).suffix.lower() == ".html" else markdown
        write_text(path, maker(told))
        remark(options, f"page: {path}")
    return OK


def _export(options: argparse.Namespace) -> int:
    from msvm_ref.studies.experiments.exported import as_json, joined, parsed
    from msvm_ref.studies.experiments.registry import STUDIES
    from msvm_ref.studies.experiments.result import stored

    if not Path(options.folder).is_dir():
        raise UsageError(f"DIR must be a folder, and {options.folder!r} is not one")
    with _opened(options.store) as store:
        for study in STUDIES.values():
            new = [] if study.pictures else stored(study, store)
            if new:
                path = Path(options.folder) / f"{study.name}.json"
                old = parsed(study, path.read_text(encoding="utf-8")) if path.is_file() else []
                write_text(str(path), as_json(study, joined(old, new)))
                remark(options, f"{len(new)} cells: {path}")
    return OK


def _merge(options: argparse.Namespace) -> int:
    from msvm_ref.studies.experiments.store import Store

    check_writable("--store", options.store)
    for path in options.sources:
        _opened(path)
    with Store(options.store) as store:
        for path in options.sources:
            before = len(store.records)
            with _opened(path) as other:
                store.add(other.records.values())
            remark(options, f"{len(store.records) - before} new cells from {path}")
    return OK


def _opened(path: str | None) -> Any:
    """A store that is there; nothing where none is named."""
    from msvm_ref.studies.experiments.store import Store

    if path is None:
        return nullcontext()
    if not Path(path).is_file():
        raise UsageError(f"--store must name a store, and {path!r} is not there")
    return Store(path)


def _tell(options: argparse.Namespace, study: Any, results: Any) -> int:
    from msvm_ref.studies.experiments.table import table

    data = {"study": study.name, "place": f"{study.paper} {study.place}"}
    emit(
        options,
        f"{study.paper} {study.place}",
        table(study, results),
        {**data, "remarks": list(study.remarks), "results": [r.to_dict() for r in results]},
    )
    failed = any(r.entry.failures or r.entry.open_gaps for r in results)
    return VERDICT if failed else OK
