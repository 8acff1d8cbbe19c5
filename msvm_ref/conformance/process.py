"""A program under test as a process group of its own: held to its time and to the length of its output, and ended whole.

The limits do not depend on the program's good will. It may never read what it is sent, print without end, or leave
children behind that hold its pipes open: every wait ends at the deadline, no more is kept than ``most`` bytes, and the
whole group is killed in the end. (A child that leaves the group by setsid is not followed; it cannot hold anything up.)
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Callable, Sequence

from msvm_ref.errors import DataError, MsvmError
from msvm_ref.foreign import shown
from msvm_ref.model.arrays import real_number

OUTPUT_LIMIT = 16 * 2**20
"""Bytes of the longest answer that is read."""
KEPT = 2**16
"""Bytes kept of the end of what a program writes to standard error."""
PAUSE = 0.01
"""Seconds until an ended program is noticed whose children hold its pipes open."""

UNFINISHED = re.compile(
    r"(not|n't|without|fail\w* to|no)\s+(yet\s+)?conver|"
    r"(reach|hit|exceed)\w*\s+(the\s+)?(max\w*|iteration)|max\w*\W+(number\W+of\W+)?iter\w*\W+(was\s+)?reach",
    re.IGNORECASE,
)
"""How programs and libraries say that they stopped before they were done."""


def unfinished(text: str) -> str:
    """The line in which it is said, or ""."""
    return next((line.strip() for line in text.splitlines() if UNFINISHED.search(line)), "")


Message = Callable[[bytearray], int | None]
"""How long the first complete message in what was read is; None while there is none."""


class CommandError(MsvmError, RuntimeError):
    """A program that refused, or did not answer as it must."""


class NoAnswerError(CommandError):
    """A program that neither answered nor refused: too slow, too long, or ended by a signal."""


def seconds_of(timeout: float) -> float:
    seconds = real_number(timeout)
    if seconds is None or seconds <= 0:
        raise DataError("timeout", "be a positive, finite number of seconds", shown(timeout))
    return seconds


def line(buffer: bytearray) -> int | None:
    return buffer.find(b"\n") + 1 or None


def nothing(buffer: bytearray) -> int | None:
    return None


class RunningProgram:
    """A started program; ``ask`` sends and reads a message, ``whole`` sends, closes and reads to the end."""

    def __init__(self, command: Sequence[str], name: str, most: int = OUTPUT_LIMIT) -> None:
        self.name, self.most = name, most
        try:
            self.process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise CommandError(name, "be a program that can be started", str(error)) from error
        self.output, self.errors = bytearray(), bytearray()
        self.selector = selectors.DefaultSelector()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream.fileno(), selectors.EVENT_READ)
        assert self.process.stdin is not None
        os.set_blocking(self.process.stdin.fileno(), False)
        self.end = weakref.finalize(self, _end, self.process, self.selector)
        """Kills the group; called at the latest when this object goes."""

    @property
    def said(self) -> str:
        """The end of what it wrote to standard error."""
        return self.all_said.strip()[-300:]

    @property
    def all_said(self) -> str:
        """What is kept of it."""
        return self.errors.decode("utf-8", "replace")

    def ask(self, content: bytes, seconds: float, message: Message = line) -> bytes:
        """The message that answers ``content``; NoAnswerError where none comes, after which the program is ended."""
        self._read()
        if self.output.strip():
            self.end()
            raise CommandError(
                self.name, "print one answer to each question", shown(bytes(self.output))
            )
        self.output.clear()
        self.errors.clear()
        length = self._pump(content, seconds, message, close=False)
        if length is None:
            self.end()
            refused = (self.process.returncode or 0) > 0
            raise (CommandError if refused else NoAnswerError)(
                self.name, "answer every question", f"its end: {self.said}"
            )
        answer = bytes(self.output[:length])
        del self.output[:length]
        return answer

    def whole(self, content: bytes, seconds: float) -> bytes:
        """All that it prints; CommandError where its exit status is not 0, NoAnswerError where it does not answer."""
        self._pump(content, seconds, nothing, close=True)
        self.end()
        status = self.process.returncode
        if status is None or status < 0:
            raise NoAnswerError(
                self.name, "exit with status 0", f"its end by signal {-(status or 0)}"
            )
        if status:
            raise CommandError(self.name, "exit with status 0", f"{status}: {self.said}")
        return bytes(self.output)

    def _pump(self, content: bytes, seconds: float, message: Message, close: bool) -> int | None:
        """Write and read until a message is there (its length) or the program has ended (None)."""
        deadline = time.monotonic() + seconds
        unsent = memoryview(content)
        stdin = self.process.stdin
        assert stdin is not None
        self.selector.register(stdin.fileno(), selectors.EVENT_WRITE)
        writing = True
        while True:
            ended = self._ended()
            pipes = len(self.selector.get_map())
            self.selector.select(0 if ended else PAUSE if pipes else PAUSE / 10)
            progress = self._read()
            if writing:
                unsent, progress = self._write(unsent, progress)
                if not unsent:
                    self.selector.unregister(stdin.fileno())
                    writing = False
                    if close:
                        with contextlib.suppress(OSError):
                            stdin.close()
            if not writing and (length := message(self.output)) is not None:
                return length
            if ended and not progress:
                return None
            if time.monotonic() > deadline:
                self.end()
                raise NoAnswerError(
                    self.name, f"answer within {seconds:g} s", "no answer", "raise timeout="
                )

    def _write(self, unsent: memoryview, progress: bool) -> tuple[memoryview, bool]:
        assert self.process.stdin is not None
        try:
            return unsent[os.write(self.process.stdin.fileno(), unsent[:KEPT]) :], True
        except BlockingIOError:
            return unsent, progress
        except OSError:  # it closed its standard input; it may still answer
            return unsent[len(unsent) :], progress

    def _read(self) -> bool:
        """Take what is there; False where nothing was."""
        progress = False
        for stream, buffer in (
            (self.process.stdout, self.output),
            (self.process.stderr, self.errors),
        ):
            assert stream is not None
            if stream.closed or stream.fileno() not in self.selector.get_map():
                continue
            try:
                part = os.read(stream.fileno(), KEPT)
            except BlockingIOError:
                continue
            if not part:
                self.selector.unregister(stream.fileno())
            buffer += part
            progress = progress or bool(part)
        del self.errors[:-KEPT]
        if len(self.output) > self.most:
            self.end()
            raise NoAnswerError(self.name, f"print at most {self.most} bytes", "more")
        return progress

    def _ended(self) -> bool:
        """Has the program ended? It is not reaped before its group is killed, lest the group's number name another one."""
        if self.process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return self.process.poll() is not None
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, flags) is not None


def _end(process: subprocess.Popen[bytes], selector: selectors.BaseSelector) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=5)
    selector.close()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
