"""Run a study: a queue of tasks for any number of processes, each finished task one transaction of the store.

Every course runs on its own: as soon as all it asked for is there it asks for the next, so that nobody waits for the slowest
task of another course. Order and number of processes change no number, since a cell depends on its key and path alone.
Processes are loky's through joblib; with a dask scheduler the same calls go to a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.studies.experiments.cell import CellRecord, Task
from msvm_ref.studies.experiments.exported import choice
from msvm_ref.studies.experiments.plan import Course, Ending, Planner
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.study import Contender, Source, Study
from msvm_ref.studies.experiments.training import train

Report = Callable[[int, int, str], None]
"""Told of so many more cells that are done, of how many there will be in all as far as one knows, and of what they are."""

AHEAD = 2
"""Tasks a worker has in hand, the one it trains included."""


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
    queue = _Queue(planners_of(study, store, protocol, sources, contenders))
    with _executor(jobs, dask) as (executor, most):
        for batch in queue.trained(executor, most, folder):
            store.add(batch)
            queue.done += len(batch)
            if progress is not None:
                progress(len(batch), queue.total, f"{batch[0].table} {batch[0].machine}")
    return [queue.outcomes[k] for k in range(len(queue.planners))]


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
        Planner(
            study,
            source,
            contender,
            study.protocol(protocol),
            store.records,
            choice(study, source, contender, protocol),
        )
        for source in (study.sources if sources is None else sources)
        for contender in (study.contenders if contenders is None else contenders)
    ]


class _Queue:
    """What the courses wait for. A task that several of them want is trained once."""

    def __init__(self, planners: list[Planner]) -> None:
        self.planners = planners
        self.courses: dict[int, Course] = {k: p.course() for k, p in enumerate(planners)}
        self.outcomes: dict[int, Ending] = {}
        self.waiting: dict[int, set[Task]] = {}
        self.asked: dict[Task, None] = {}
        """Wanted and not yet begun, in the order in which they were asked for."""
        self.begun: set[Task] = set()
        self.done = 0

    @property
    def total(self) -> int:
        """Cells, as far as one knows: those done, asked for, begun, and likely to be asked for."""
        known = sum(t.size for t in (*self.asked, *self.begun))
        return self.done + known + sum(self.planners[k].rest for k in self.courses)

    def trained(
        self, executor: Executor | None, most: int, folder: str | None
    ) -> Iterator[list[CellRecord]]:
        """Batches as they come, ``most`` under way at a time; the store must have one before the next is asked for."""
        for k in list(self.courses):
            self._advance(k)
        if executor is None:
            while self.asked:
                task = self._next()
                yield train(task, folder)
                self._finished(task)
            return
        running: dict[Future[list[CellRecord]], Task] = {}
        while self.asked or running:
            while self.asked and len(running) < most:
                task = self._next()
                running[executor.submit(train, task, folder)] = task
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running.pop(future)
                yield future.result()
                self._finished(task)

    def _next(self) -> Task:
        task = next(iter(self.asked))
        del self.asked[task]
        self.begun.add(task)
        return task

    def _finished(self, task: Task) -> None:
        self.begun.remove(task)
        for k, tasks in list(self.waiting.items()):
            tasks.discard(task)
            if not tasks:
                del self.waiting[k]
                self._advance(k)

    def _advance(self, k: int) -> None:
        """A course up to what it lacks; one that lacks nothing is over."""
        try:
            tasks = next(self.courses[k])
        except StopIteration as ended:
            self.outcomes[k] = ended.value
            del self.courses[k]
            return
        self.waiting[k] = set(tasks)
        self.asked |= dict.fromkeys(t for t in tasks if t not in self.begun)


@contextmanager
def _executor(jobs: int, dask: str | None) -> Iterator[tuple[Any, int]]:
    """Who trains (None: this process), and how many tasks he is handed at a time."""
    if dask is not None:
        with _client(dask) as client:
            yield client.get_executor(), AHEAD * max(sum(client.ncores().values()), 1)
    elif jobs == 1:
        yield None, 1
    else:
        from joblib import effective_n_jobs
        from joblib.externals.loky import get_reusable_executor

        workers = effective_n_jobs(jobs)
        executor = get_reusable_executor(workers, timeout=300)
        try:
            yield executor, AHEAD * workers
        except BaseException:
            executor.shutdown(wait=True, kill_workers=True)
            raise
        executor.shutdown(wait=True)


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
