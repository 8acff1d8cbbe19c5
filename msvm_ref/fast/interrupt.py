"""Ctrl-C as a request: the solve ends at its next pass, with the best certified candidate it has."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class Interruptible:
    """While open, the first SIGINT only sets ``asked``; a second one interrupts as usual. Other threads are left alone."""

    def __init__(self) -> None:
        self.asked = False
        self.previous: object = None

    def __enter__(self) -> Interruptible:
        if threading.current_thread() is threading.main_thread():
            self.previous = signal.getsignal(signal.SIGINT)
            if self.previous is not None:
                signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        if self.previous is not None:
            signal.signal(signal.SIGINT, self.previous)  # type: ignore[arg-type]

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
