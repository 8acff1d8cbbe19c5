"""Many attacks on all cores, resumable: the counts are kept in a file that is replaced, never half written.

The file belongs to one judge and one attacker: their sources' digests are kept in it, and it is not continued for others.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import msvm_ref
from tests.adversary.attack import Outcome, attack

HERE = Path(__file__).parent
COUNTS = HERE / "counts.json"
PART = 10
"""Problems attacked between two looks at the file."""
KEPT = 20
"""Failures kept in full for each claim, kernel, form and mode; all are counted."""


def digest(folder: Path, parts: tuple[str, ...] = ("",)) -> str:
    """A digest of the Python files under some parts of a folder, tests left out."""
    sums = hashlib.sha256()
    for part in parts:
        for path in sorted((folder / part).rglob("*.py")):
            if path.name.startswith("test_"):
                continue
            sums.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return sums.hexdigest()[:16]


def fresh(seed: int) -> dict[str, Any]:
    package = Path(msvm_ref.__file__).parent
    return {
        "seed": seed,
        "judge": digest(package, ("judge", "model", "exact", "solvers")),
        "attacker": digest(HERE),
        "next": 0,
        "counts": {},
        "failed": 0,
        "failures": [],
    }


def load(path: Path, seed: int) -> dict[str, Any]:
    """The campaign in the file, or a new one; a SystemExit where the file is another judge's."""
    start = fresh(seed)
    if not path.exists():
        return start
    state: dict[str, Any] = json.loads(path.read_text())
    different = [name for name in ("seed", "judge", "attacker") if state[name] != start[name]]
    if different:
        raise SystemExit(
            f"{path} counts attacks with another {' and '.join(different)}: --restart discards them"
        )
    return state


def save(path: Path, state: dict[str, Any]) -> None:
    """Written beside and moved into place, so that a reader never sees half of it."""
    beside = path.with_suffix(f".{os.getpid()}.tmp")
    beside.write_text(json.dumps(state, indent=1, sort_keys=True) + "\n")
    beside.replace(path)


def certificates(state: dict[str, Any]) -> int:
    return int(state["counts"].get("certificates", {}).get("all", 0))


def add(state: dict[str, Any], outcome: Outcome) -> None:
    for (what, name), times in outcome.counts.items():
        table = state["counts"].setdefault(what, {})
        table[name] = table.get(name, 0) + times
    state["failed"] += len(outcome.failures)
    kept = Counter(map(_kind, state["failures"]))
    claims = state["counts"].setdefault("broken claims", {}) if outcome.failures else {}
    for failure in outcome.failures:
        claims[failure["claim"]] = claims.get(failure["claim"], 0) + 1
        kept[_kind(failure)] += 1
        if kept[_kind(failure)] <= KEPT:
            state["failures"].append(failure)


def _kind(failure: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(failure.get(name) for name in ("claim", "kernel", "form", "mode"))


def part(seed: int, first: int) -> Outcome:
    """PART problems, their counts added up."""
    total = Outcome()
    for index in range(first, first + PART):
        try:
            one = attack(seed, index)
        except Exception as error:  # counted against the campaign, which goes on
            one = Outcome(failures=[{"index": index, "claim": "the attacker broke down"}])
            one.failures[0]["detail"] = f"{type(error).__name__}: {error}"[:200]
        total.counts += one.counts
        total.failures += one.failures
    return total


def run(state: dict[str, Any], count: int, jobs: int) -> Iterator[None]:
    """Attack until ``count`` certificates are in; a look at the state after every part, in order."""
    if jobs == 1:
        while certificates(state) < count:
            _take(state, part(state["seed"], state["next"]))
            yield
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as workers:
        ahead: list[Future[Outcome]] = []
        start = state["next"]
        while certificates(state) < count:
            while len(ahead) < 4 * jobs:
                ahead.append(workers.submit(part, state["seed"], start))
                start += PART
            _take(state, ahead.pop(0).result())
            yield
        workers.shutdown(wait=True, cancel_futures=True)


def _take(state: dict[str, Any], outcome: Outcome) -> None:
    add(state, outcome)
    state["next"] += PART


def table(state: dict[str, Any]) -> str:
    """What was drawn, as Markdown."""
    counts = state["counts"]
    verdict = "nothing wrong" if not state["failed"] else f"{state['failed']} claims broken"
    lines = [
        f"{certificates(state):,} certificates of {state['next']:,} problems "
        f"(seed {state['seed']}, judge {state['judge']}): {verdict}.",
        "",
        "| drawn | how often |",
        "|---|---|",
    ]
    for what in sorted(counts):
        parts = sorted(counts[what].items(), key=lambda item: -item[1])
        lines.append(f"| {what} | " + ", ".join(f"{name} {k:,}" for name, k in parts) + " |")
    return "\n".join(lines)
