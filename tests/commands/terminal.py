"""A terminal of 80 x 24 around a command, replayed: what a person sees, and whether anything wrapped or scrolled."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pyte

import msvm_ref as mr

COLUMNS, LINES = 80, 24


@dataclass(frozen=True)
class Replay:
    """``screen``: the last screen without empty lines; ``above``: lines that scrolled away; ``frames``: screens on the way."""

    status: int
    screen: list[str]
    above: list[str]
    frames: list[list[str]]
    raw: str

    @property
    def lines(self) -> list[str]:
        return [*self.above, *self.screen]


def environment() -> dict[str, str]:
    """The package under test, installed or not, on a terminal that can do what xterm can."""
    path = str(Path(mr.__file__).parents[1])
    rest = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
    return {**rest, "PYTHONPATH": path, "TERM": "xterm-256color", "OMP_NUM_THREADS": "1"}


def replay(*arguments: str, cwd: str | Path | None = None, timeout: float = 120.0) -> Replay:
    """Run ``python -m msvm_ref ...`` on such a terminal to its end."""
    master, slave = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "msvm_ref", *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment(),
        cwd=cwd,
        close_fds=True,
        start_new_session=True,
    )
    os.close(slave)
    screen = pyte.HistoryScreen(COLUMNS, LINES, history=10_000, ratio=0.5)
    stream = pyte.ByteStream(screen)
    raw, frames, end = b"", [], time.monotonic() + timeout
    while time.monotonic() < end:
        if select.select([master], [], [], 0.2)[0]:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            raw += data
            stream.feed(data)
            frames.append([line.rstrip() for line in screen.display if line.strip()])
        elif process.poll() is not None:
            break
    process.wait(timeout=5)
    os.close(master)
    above = ["".join(row[k].data for k in range(COLUMNS)).rstrip() for row in screen.history.top]
    shown = [line.rstrip() for line in screen.display if line.strip()]
    return Replay(process.returncode, shown, above, frames, raw.decode("utf-8", "replace"))
