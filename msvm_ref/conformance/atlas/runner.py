"""Run entries: a process for every cell (solver, settings, data), its fits certified here, its end on record if it breaks."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from msvm_ref.conformance.atlas.data import DATA, WORDS, case_of
from msvm_ref.conformance.atlas.entry import Entry
from msvm_ref.conformance.atlas.findings import shown_by_script
from msvm_ref.conformance.atlas.measure import measured
from msvm_ref.conformance.atlas.truths import truth
from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.process import CommandError, RunningProgram
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


def run(
    entries: Sequence[Entry],
    data: Sequence[str] = DATA,
    repeats: int = 3,
    jobs: int = 1,
    limit: float = LIMIT,
    step: Callable[[str], None] = lambda name: None,
) -> dict[str, Any]:
    """The record of a run: for each entry its version, its cells and what its scripts showed. JSON-ready."""
    start, truths = time.perf_counter(), Truths()

    def whole(entry: Entry) -> dict[str, Any]:
        record = described(entry)
        if record["version"]:
            worker = Worker(entry, limit)
            record["cells"] = []
            for kind in KINDS:
                for name in data:
                    record["cells"].append(cell(worker, kind, name, repeats, truths))
                    step(entry.name)
            record["findings"] = [shown_by_script(f, limit) for f in entry.findings]
        return record

    with ThreadPoolExecutor(jobs) as pool:
        records = list(pool.map(whole, entries))
    return {
        "entries": records,
        "data": {name: WORDS[name] for name in data},
        "repeats": repeats,
        "seconds": round(time.perf_counter() - start, 1),
    }


def described(entry: Entry) -> dict[str, Any]:
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
        "bias": entry.convention.bias,
        "recipe": not entry.solver,
        "settings": {kind: _words(entry.settings(kind)) for kind in KINDS},
        "note": entry.note,
    }


class Worker:
    """The process in which an entry's library runs; started again where the library ended it."""

    def __init__(self, entry: Entry, limit: float) -> None:
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
        return line


def cell(worker: Worker, kind: str, data: str, repeats: int, truths: Truths) -> dict[str, Any]:
    """One solver's fits of one data set at one setting, each certified; an abort or a time-out is part of the record."""
    case, records = case_of(data), []
    for _ in range(repeats):
        line = worker.fit(case, kind)
        records.append(measured(worker.entry, case, line, truths))
        if "broke" in line:
            break
    return {"kind": kind, "data": data, "fits": records}


def _words(settings: dict[str, Any]) -> str:
    return ", ".join(f"{k}={v!r}" for k, v in settings.items()) or "as they come"


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
