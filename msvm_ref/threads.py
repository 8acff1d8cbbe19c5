"""One BLAS thread where that is faster: our matrices are small, and threads that wait for each other cost more than they do.

Where there is work in pieces that do not depend on each other (blocks of kernel values) several threads may make them; each
piece is made as one thread makes it and taken in its turn, so that the numbers are the same, bit for bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from numbers import Integral
from typing import Any, TypeVar

from msvm_ref.errors import DataError

Item = TypeVar("Item")
Made = TypeVar("Made")
_workers: ContextVar[int] = ContextVar("workers", default=1)


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS keeps to one thread inside. OpenMP of others (scikit-learn, a solver under test) is left as it is.

    Four hundred digits, CS: 0.05 s of CPU time with one thread, 0.31 s with as many as there are cores (two).
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


@contextmanager
def workers(n_jobs: int) -> Iterator[None]:
    """Inside, ``each`` has so many threads; -1 stands for one a core."""
    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if not whole or n_jobs == 0 or n_jobs < -1:
        raise DataError("n_jobs", "be a number of threads, or -1 for one a core", repr(n_jobs))
    before = _workers.set(_cores() if n_jobs == -1 else int(n_jobs))
    try:
        yield
    finally:
        _workers.reset(before)


def each(function: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
    """function(item) for every item, in their order."""
    many = _workers.get()
    if many == 1:
        yield from map(function, items)
        return
    waiting: deque[Future[Made]] = deque()
    pool = ThreadPoolExecutor(many)
    try:
        for item in items:
            waiting.append(pool.submit(copy_context().run, function, item))
            if len(waiting) > many:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _cores() -> int:
    from joblib import cpu_count

    return int(cpu_count())


@cache
def _controller() -> Any:
    """Looking for the libraries takes milliseconds, so it is done once, when numpy's and scipy's are loaded."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
