"""A progress bar on a terminal's stderr, and silence in a pipe."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WIDTH = 30


class Progress:
    """``with Progress("circle", total) as bar: bar.step("WW")``; draws at most ten times a second, then erases itself."""

    def __init__(self, label: str, total: int, stream: TextIO | None = None) -> None:
        self.label, self.total, self.done = label, max(total, 1), 0
        self.stream = sys.stderr if stream is None else stream
        self.shown = self.stream.isatty()
        self.start = self.last = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self.shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()

    def at(self, done: int, total: int) -> None:
        """Stand at done of total, whatever was announced."""
        self.done, self.total = 0, max(total, 1)
        self.step(by=done)

    def step(self, what: str = "", by: int = 1) -> None:
        self.done = min(self.done + by, self.total)
        now = time.monotonic()
        if self.shown and (now - self.last > 0.1 or self.done == self.total):
            self.last = now
            filled = WIDTH * self.done // self.total
            left = (now - self.start) / max(self.done, 1) * (self.total - self.done)
            self.stream.write(
                f"\r\x1b[K{self.label} [{'#' * filled}{'.' * (WIDTH - filled)}] "
                f"{self.done}/{self.total} {left:.0f} s left {what}"
            )
            self.stream.flush()
