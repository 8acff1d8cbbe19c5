"""One BLAS thread where that is faster: our matrices are small, and threads that wait for each other cost more than they do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS keeps to one thread inside. OpenMP of others (scikit-learn, a solver under test) is left as it is.

    Four hundred digits, CS: 0.05 s of CPU time with one thread, 0.31 s with as many as there are cores (two).
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    """Looking for the libraries takes milliseconds, so it is done once, when numpy's and scipy's are loaded."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
