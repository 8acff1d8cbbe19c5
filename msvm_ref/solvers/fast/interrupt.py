"""Ctrl-C as a request, for a caller who asked for that: the solve ends at its next pass with the best it has."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class Interruptible:
    """While open and ``wanted``, the first SIGINT only sets ``asked``; a second one interrupts as usual.

    Other threads are left alone, and so is a caller who handles or ignores the signal in a way of his own.
    """

    def __init__(self, wanted: bool = True) -> None:
        self.wanted = wanted
        self.asked = False
        self.ours = False

    def __enter__(self) -> Interruptible:
        if self.wanted and threading.current_thread() is threading.main_thread():
            self.ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
            if self.ours:
                signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        if self.ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
