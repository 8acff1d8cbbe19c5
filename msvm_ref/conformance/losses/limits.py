"""Calls with a limit on their time: each runs in a thread of its own, which is given up when it does not return.

Python code is then stopped by an exception raised inside it. A C call that never returns goes on in the background until the
process ends, and one that keeps the interpreter's lock stops us too: only a process of its own (``isolated``,
``--loss-command``) is safe from that, and from a crash.
"""

from __future__ import annotations

import ctypes
import queue
import threading
from collections.abc import Callable
from typing import Any

import numpy as np


class TimedOut(Exception):  # noqa: N818 (a verdict on the function that was called)
    """The call did not return in time."""


class _Abandoned(BaseException):
    """Raised inside a call that was given up."""


class Limited:
    """``run(call)`` returns what ``call()`` returns and raises what it raises, or TimedOut after ``seconds``."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._worker: _LossWorker | None = None

    def run(self, call: Callable[[], Any]) -> Any:
        if self._worker is None:
            self._worker = _LossWorker()
        worker = self._worker
        worker.calls.put(call)
        try:
            value, error = worker.results.get(timeout=self.seconds)
        except queue.Empty:
            self._worker = None
            worker.give_up()
            raise TimedOut(f"no answer within {self.seconds:g} s") from None
        if error is not None:
            raise error
        return value

    def close(self) -> None:
        if self._worker is not None:
            self._worker.calls.put(None)
            self._worker = None


class _LossWorker:
    def __init__(self) -> None:
        self.calls: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self.results: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._serve, daemon=True, name="msvm-ref loss")
        self.thread.start()

    def _serve(self) -> None:
        try:
            while (call := self.calls.get()) is not None:
                try:
                    with np.errstate(all="ignore"):
                        self.results.put((call(), None))
                except _Abandoned:
                    return
                except BaseException as error:
                    self.results.put((None, error))
        except _Abandoned:
            return

    def give_up(self) -> None:
        self.calls.put(None)
        if self.thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self.thread.ident), ctypes.py_object(_Abandoned)
            )
