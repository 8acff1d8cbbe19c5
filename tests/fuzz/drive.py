"""The driver without coverage: so many mutated inputs, each within its time, all within bounded memory."""

from __future__ import annotations

import contextlib
import random
import resource
import signal
import time
from collections.abc import Callable, Iterator

from tests.fuzz.mutate import mutated
from tests.fuzz.readers import Reader

SECONDS = 20.0
"""An input that takes longer hangs: of the processor's time, so that a busy machine blames no reader."""
ROOM = 3 * 2**30
"""Bytes of address space a reader may take beyond what the process has when it starts."""


class Hang(BaseException):
    """Not an Exception, lest a reader catch it."""


@contextlib.contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    def ring(number: int, frame: object) -> None:
        raise Hang(f"an input took more than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def bound_memory(room: int = ROOM) -> None:
    """From here on an allocation that goes beyond ``room`` is a MemoryError, which no reader turns into a refusal."""
    with open("/proc/self/statm") as statm:
        taken = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + room, resource.RLIM_INFINITY))


def drive(
    reader: Reader, count: int, seed: int = 0, report: Callable[[str], None] = lambda line: None
) -> tuple[bytes, BaseException] | None:
    """The first input that a reader does not survive, with what came out of it; None where all went well."""
    slowest = 0.0
    for k in range(count):
        content = mutated(reader, random.Random(f"{seed}/{k}"))
        start = time.perf_counter()
        try:
            with limited():
                reader.read(content)
        except (Exception, Hang) as error:
            return content, error
        slowest = max(slowest, time.perf_counter() - start)
        if (k + 1) % 1000 == 0:
            report(f"{k + 1} inputs, the slowest {slowest:.2f} s")
    return None
