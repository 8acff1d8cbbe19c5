"""Run entries: a process for every cell (solver, settings, data), its fits certified here, its end on record if it breaks."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from msvm_ref.conformance.atlas.data import DATA, WORDS, case_of
from msvm_ref.conformance.atlas.entry import AtlasEntry
from msvm_ref.conformance.atlas.findings import shown_by_script
from msvm_ref.conformance.atlas.formula import formula_of
from msvm_ref.conformance.atlas.measure import measured
from msvm_ref.conformance.atlas.truths import truth
from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.process import CommandError, RunningProgram, unfinished
from msvm_ref.conformance.trial import key_of
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.solution import Solution

LIMIT = 60.0
"""Seconds for one fit."""
LONGEST = 2**28
"""Bytes of the longest answer."""
KINDS = ("default", "tight")


@dataclass
class Truths:
    """Each problem's certified optimum once, whichever thread asks first."""

    known: dict[Any, Solution] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, problem: Problem) -> Solution:
        key = key_of(problem)
        with self.lock:
            if key not in self.known:
                self.known[key] = truth(problem)
            return self.known[key]


@dataclass
class Budget:
    """``entry``: seconds after which an entry's fits are not repeated; ``end``: the clock's time after which none is begun."""

    entry: float = 120.0
    end: float = math.inf

    @staticmethod
    def of(entry: float, minutes: float | None) -> Budget:
        return Budget(entry, time.monotonic() + 60 * minutes if minutes else math.inf)


def run(
    entries: Sequence[AtlasEntry],
    data: Sequence[str] = DATA,
    repeats: int = 3,
    jobs: int = 1,
    limit: float = LIMIT,
    step: Callable[[str], None] = lambda name: None,
    budget: Budget | None = None,
    done: Mapping[str, dict[str, Any]] | None = None,
    keep: Callable[[dict[str, Any]], None] = lambda record: None,
) -> dict[str, Any]:
    """The record of a run: for each entry its version, its cells and what its scripts showed. JSON-ready.
    Its "seconds" are the clock's, an entry's are its own share: with two jobs the shares add up to about twice the clock's.

    ``done``: records of an earlier run that are taken as they are; ``keep`` is handed each new one when it is there.
    """
    start, truths = time.perf_counter(), Truths()
    allowed, earlier = budget or Budget(), done or {}
    lock = threading.Lock()

    def whole(entry: AtlasEntry) -> dict[str, Any]:
        if entry.name in earlier:
            return earlier[entry.name]
        record = described(entry)
        if record["version"]:
            worker, cells = LibraryProcess(entry, limit), []
            used = time.monotonic()
            for kind in KINDS:
                for name in data:
                    spent = time.monotonic() - used
                    cells.append(cell(worker, kind, name, repeats, truths, allowed, spent))
                    step(entry.name)
            record["cells"] = cells
            record["findings"] = [shown_by_script(f, limit) for f in entry.findings]
            record["seconds"] = round(time.monotonic() - used, 1)
            with lock:
                keep(record)
        return record

    with ThreadPoolExecutor(jobs) as pool:
        records = list(pool.map(whole, entries))
    return {
        "entries": records,
        "data": {name: WORDS[name] for name in data},
        "repeats": repeats,
        "jobs": jobs,
        "taken_over": sum(e.name in earlier for e in entries),
        "seconds": round(time.perf_counter() - start, 1),
    }


def described(entry: AtlasEntry) -> dict[str, Any]:
    """What is known of an entry without running it."""
    return {
        "name": entry.name,
        "library": entry.library,
        "title": entry.title,
        "language": entry.language,
        "machine": entry.machine,
        "version": entry.probe.version(),
        "install": entry.install,
        "convention": entry.convention.name,
        "source": entry.convention.source,
        "formula": formula_of(entry.convention, entry.pairs),
        "bias": entry.convention.bias,
        "recipe": not entry.solver,
        "settings": {kind: _words(entry.settings(kind)) for kind in KINDS},
        "note": entry.note,
    }


class LibraryProcess:
    """The process in which an entry's library runs; started again where the library ended it."""

    def __init__(self, entry: AtlasEntry, limit: float) -> None:
        self.entry, self.limit = entry, limit
        self.program: RunningProgram | None = None

    def fit(self, case: Case, kind: str) -> dict[str, Any]:
        """One fit as the worker's line; {"broke": …} where the process ended, or did not answer in time."""
        entry, d = self.entry, len(np.unique(case.y))
        task = {
            "adapter": entry.adapter,
            "settings": entry.settings(kind),
            "X": np.asarray(case.X).tolist(),
            "y": np.asarray(case.y).tolist(),
            "C": entry.convention.from_C(case.C, len(case.y), 2 if entry.pairs else d),
        }
        if self.program is None:
            command = [sys.executable, "-m", "msvm_ref.conformance.atlas.worker"]
            self.program = RunningProgram(command, entry.name, LONGEST)
        program = self.program
        try:
            line: dict[str, Any] = json.loads(
                program.ask(json.dumps(task).encode() + b"\n", self.limit)
            )
        except CommandError as error:
            self.program = None
            last = program.said.splitlines()[-1] if program.said else ""
            status = program.process.returncode
            ended = f"ended by signal {-status}" if status and status != -9 else str(error)
            return {"broke": f"{ended}; {last}"[:300]}
        if line.get("converged") is None and (said := unfinished(program.all_said)):
            return {**line, "converged": False, "said": said[:200]}
        return line


def cell(
    worker: LibraryProcess,
    kind: str,
    data: str,
    repeats: int,
    truths: Truths,
    budget: Budget | None = None,
    spent: float = 0.0,
) -> dict[str, Any]:
    """One solver's fits of one data set at one setting, each certified; an abort or a time-out is part of the record.

    ``spent``: what the entry has used so far; once that is its budget a data set is fitted once.
    """
    case, allowed = case_of(data), budget or Budget()
    records: list[dict[str, Any]] = []
    start = time.monotonic()
    for _ in range(repeats):
        now = time.monotonic()
        if now > allowed.end:
            records += [] if records else [{"left": "the run's time was used up"}]
            break
        if records and spent + now - start > allowed.entry:
            break
        line = worker.fit(case, kind)
        records.append(measured(worker.entry, case, line, truths))
        if "broke" in line:
            break
    return {"kind": kind, "data": data, "fits": records}


def _words(settings: dict[str, Any]) -> str:
    shown = {k: v for k, v in settings.items() if k not in ("program", "package")}
    return ", ".join(f"{k}={v!r}" for k, v in shown.items()) or "as they come"


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
