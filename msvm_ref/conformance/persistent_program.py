"""A program that stays up: one JSON object a line in, one a line out, for programs whose start costs more than a fit."""

from __future__ import annotations

import json
import queue
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Sequence
from typing import Any


class Silence(Exception):  # noqa: N818 (what came instead of an answer, told by whoever asked)
    """The program ended, or did not answer in time; the text is the end of what it wrote to standard error."""


class Conversation:
    """Started at the first question, started again after it died, ended with this object."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = list(command)
        self.process: subprocess.Popen[str] | None = None

    def ask(self, task: dict[str, Any], timeout: float) -> str:
        """The line that answers ``task``; raises Silence, or TimeoutError."""
        if self.process is None:
            self._start()
        assert self.process is not None
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(task) + "\n")
            self.process.stdin.flush()
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            self._stop()
            raise TimeoutError from None
        except OSError:
            line = None
        if line is None:
            raise Silence(self._stop())
        return line

    def _start(self) -> None:
        self.errors = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115 (lives as long as the process)
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_pump, args=(self.process.stdout, self.lines), daemon=True).start()
        weakref.finalize(self, _end, self.process)

    def _stop(self) -> str:
        """End the process; what it wrote to standard error."""
        assert self.process is not None
        _end(self.process)
        self.process = None
        self.errors.seek(0)
        said = self.errors.read()
        self.errors.close()
        return said


def _pump(stream: Any, lines: queue.Queue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
