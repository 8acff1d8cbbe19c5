"""Run a study: rounds of tasks through joblib, each finished task one transaction of the store.

All courses advance together: what they lack is trained in one round, in any order and on any number of processes, since a cell
depends on its key and path alone. With a dask scheduler the same calls go to a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.studies.experiments.cell import CellRecord, Task
from msvm_ref.studies.experiments.plan import Course, Ending, Planner
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.study import Contender, Source, Study
from msvm_ref.studies.experiments.training import train

Report = Callable[[int, int, str], None]
"""Told of so many more cells that are done, of how many there will be in all as far as one knows, and of what they are."""


def run(
    study: Study,
    store: Store,
    protocol: str = "quick",
    sources: Sequence[Source] | None = None,
    contenders: Sequence[Contender] | None = None,
    jobs: int = 1,
    dask: str | None = None,
    folder: str | None = None,
    progress: Report | None = None,
) -> list[Ending]:
    """Train what the store lacks, and read the outcomes."""
    planners = planners_of(study, store, protocol, sources, contenders)
    courses: dict[int, Course] = {k: p.course() for k, p in enumerate(planners)}
    outcomes: dict[int, Ending] = {}
    done = 0
    with _pool(jobs, dask) as pool:
        while courses:
            wanted = _advance(courses, outcomes)
            total = done + sum(t.size for t in wanted)
            total += sum(planners[k].rest for k in courses)
            for batch in pool(wanted, folder):
                store.add(batch)
                done += len(batch)
                if progress is not None:
                    progress(len(batch), total, f"{batch[0].table} {batch[0].machine}")
    return [outcomes[k] for k in range(len(planners))]


def read(
    study: Study,
    store: Store,
    protocol: str,
    sources: Sequence[Source] | None = None,
    contenders: Sequence[Contender] | None = None,
) -> list[Ending]:
    """The outcomes for which the store has every cell."""
    complete = []
    for planner in planners_of(study, store, protocol, sources, contenders):
        if not planner.begun:
            continue
        try:
            next(planner.course())
        except StopIteration as ended:
            complete.append(ended.value)
    return complete


def planners_of(
    study: Study,
    store: Store,
    protocol: str,
    sources: Sequence[Source] | None,
    contenders: Sequence[Contender] | None,
) -> list[Planner]:
    return [
        Planner(study, source, contender, study.protocol(protocol), store.records)
        for source in (study.sources if sources is None else sources)
        for contender in (study.contenders if contenders is None else contenders)
    ]


def _advance(courses: dict[int, Course], outcomes: dict[int, Ending]) -> list[Task]:
    """Every course up to what it lacks; those that lack nothing are done."""
    wanted: dict[Task, None] = {}
    for k, course in list(courses.items()):
        try:
            wanted |= dict.fromkeys(next(course))
        except StopIteration as ended:
            outcomes[k] = ended.value
            del courses[k]
    return list(wanted)


Pool = Callable[[list[Task], str | None], Iterator[list[CellRecord]]]


@contextmanager
def _pool(jobs: int, dask: str | None) -> Iterator[Pool]:
    if dask is None and jobs == 1:
        yield lambda tasks, folder: (train(task, folder) for task in tasks)
        return
    import joblib

    def pool(tasks: list[Task], folder: str | None) -> Iterator[list[CellRecord]]:
        if not tasks:
            return iter(())
        work = joblib.Parallel(
            n_jobs=jobs if dask is None else -1, return_as="generator_unordered", batch_size=1
        )
        done: Iterator[list[CellRecord]] = work(joblib.delayed(train)(t, folder) for t in tasks)
        return done

    if dask is None:
        yield pool
        return
    with _client(dask), joblib.parallel_config(backend="dask"):
        yield pool


def _client(scheduler: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise DataError(
            "--dask", "have distributed installed", str(error), "pip install 'msvm-ref[dask]'"
        ) from error
    try:
        return Client(scheduler, timeout="10s")
    except (OSError, ValueError, TypeError) as error:
        raise DataError(
            "--dask", "be the address of a scheduler that answers", f"{scheduler}: {error}"
        ) from error
