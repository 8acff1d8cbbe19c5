"""One Ctrl-C ends a command within two seconds, even inside a solver's C code, which Python cannot interrupt.

The command runs in a child process, forked before anything heavy is loaded. The parent waits; on SIGINT it lets the child
clean up for GRACE seconds, then ends it. When the parent dies the child ends too: it watches a pipe that only the parent
holds open.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from msvm_ref.commands.parser import INTERRUPTED

GRACE = 1.2
AGAIN = 0.02
"""Seconds for the child to end after Ctrl-C; and after which one that was dropped is raised again."""
FORWARDED = ("SIGTERM", "SIGHUP", "SIGQUIT")


def supervised(main: Callable[[], int]) -> int:
    """The exit status of ``main()``, run in a child where there is fork, else here."""
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return main()
    read, write = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(write)
        _child(main, read)
    os.close(read)
    return _watched(child)


def _child(main: Callable[[], int], pipe: int) -> NoReturn:
    try:
        signal.signal(signal.SIGINT, _once)
        sys.unraisablehook = _raised_where_nothing_can_be
        threading.Thread(target=_end_with_parent, args=(pipe,), daemon=True).start()
        status = main()
    except KeyboardInterrupt:  # before main was there to tell it
        print("interrupted", file=sys.stderr, flush=True)
        status = INTERRUPTED
    if status == INTERRUPTED:
        os._exit(status)  # whatever threads and workers are still at
    sys.exit(status)


def _once(number: int, frame: FrameType | None) -> None:
    """The first SIGINT raises; a terminal sends one to parent and child alike, and the second must not hurt the cleanup."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _asked.set()
    raise KeyboardInterrupt


def _raised_where_nothing_can_be(unraisable: sys.UnraisableHookArgs) -> None:
    """Python drops what a callback of its own imports or a finaliser raises: Ctrl-C is raised again when that is over."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        signal.signal(signal.SIGINT, _once)
        threading.Timer(AGAIN, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(unraisable)


_asked = threading.Event()


def was_interrupted() -> bool:
    """Has Ctrl-C come? A library may have turned the KeyboardInterrupt into an error of its own."""
    return _asked.is_set()


def _end_with_parent(pipe: int) -> None:
    os.read(pipe, 1)
    os.kill(os.getpid(), signal.SIGKILL)


def _watched(child: int) -> int:
    asked: list[float] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not asked:
            asked.append(time.monotonic())
            _send(child, signal.SIGINT)

    def forward(number: int, frame: FrameType | None) -> None:
        _send(child, number)

    wake, byte = os.pipe()
    os.set_blocking(byte, False)
    signal.set_wakeup_fd(byte, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, interrupt)
    for name in FORWARDED:
        signal.signal(getattr(signal, name), forward)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended == child:
            return _status(status, bool(asked))
        left = asked[0] + GRACE - time.monotonic() if asked else None
        if left is not None and left <= 0:
            _send(child, signal.SIGKILL)
            left = None
        if select.select([wake], [], [], left)[0]:  # a signal came: Ctrl-C, or the child has ended
            os.read(wake, 4096)


def _status(status: int, asked: bool) -> int:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return code
    if asked:
        print("interrupted", file=sys.stderr, flush=True)
        return INTERRUPTED
    print(f"ended by {signal.Signals(-code).name}", file=sys.stderr, flush=True)
    return 128 - code


def _send(child: int, number: int) -> None:
    try:
        os.kill(child, number)
    except ProcessLookupError:
        return
