"""One progress bar on a terminal's standard error (tqdm: as wide as the terminal, gone when done), silence in a pipe."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any

DELAY = 0.5
"""Seconds before a bar appears: what is done by then needs none."""
FORMAT = "{desc} {percentage:3.0f}% |{bar}| {n_fmt}/{total_fmt}, {remaining} left{postfix}"
ELAPSED = "{desc}, {elapsed}"
LONGEST = 24
"""Columns of the bar's remark on what is being done."""


class Progress:
    """``with Progress("circle", total) as bar: bar.step("WW")``; a total of 0 shows the time that has passed instead."""

    def __init__(self, label: str, total: int = 0, quiet: bool = False) -> None:
        self.label, self.total = label, total
        self.shown = not quiet and sys.stderr.isatty()
        self.bar: Any = None
        self.ended = threading.Event()

    def __enter__(self) -> Progress:
        if self.shown:
            from tqdm import tqdm

            tqdm.monitor_interval = 0  # no thread of its own
            self.bar = tqdm(
                desc=self.label,
                total=self.total or None,
                bar_format=FORMAT if self.total else ELAPSED,
                delay=DELAY if self.total else 0.0,
                dynamic_ncols=True,
                leave=False,
                file=sys.stderr,
            )
            if not self.total:
                threading.Thread(target=self._tick, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.ended.set()
        if self.bar is not None:
            self.bar.close()

    def at(self, done: float, total: float = 1.0) -> None:
        """Stand at done of total, whatever was announced; shares are shown in percent."""
        if self.bar is not None:
            self.bar.total, self.bar.n = total, done
            self.bar.bar_format = "{desc} {percentage:3.0f}% |{bar}| {elapsed}{postfix}"
            self.bar.refresh() if self.bar.format_dict["elapsed"] > DELAY else None

    def of(self, total: int) -> None:
        """So many steps in all, as far as one knows now."""
        if self.bar is not None:
            self.bar.total = total

    def step(self, what: str = "", by: int = 1) -> None:
        if self.bar is not None:
            if what:
                self.bar.set_postfix_str(what[:LONGEST], refresh=False)
            self.bar.update(by)

    def _tick(self) -> None:
        while not self.ended.wait(1.0):
            self.bar.refresh()
