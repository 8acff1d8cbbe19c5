"""When the ascent ends short of its goal, and in which words.

interrupted     asked to by the user
max_iter        that many passes are done
max_seconds     the time is over, less what the judge will take
rounding        the gap of the loop's own floats no longer falls, nor does their dual rise, nor did the barrier help: nothing
                they can see is left to gain
overflow        the floats left their range
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from msvm_ref.solvers.deadline import Deadline

LEAST_GOAL = 1e-17
STALL, RISE, WINDOW, TRIES, BARRIERS = 0.9, 1.01, 150, 3, 8
"""No progress: STALL times the best gap was not undercut, nor RISE times the dual reached, the last WINDOW times they were
taken, nor in the last third of them all. (With a large C the gap of a dual that still climbs is near 1 for long.) Then the
barrier is due whatever it costs; rounding is what is left where TRIES Newton steps or barriers, one barrier among them, were
in vain, or BARRIERS barriers that each took every example."""


@dataclass
class Stopping:
    deadline: Deadline
    max_iter: int
    judging: float = 0.0
    """Seconds the last certificate took: kept in reserve."""
    best: float = math.inf
    dual: float = 0.0
    rounds: int = 0
    """How often the gap was taken, and when it last fell."""
    since: int = 0
    tries: int = 0
    barriers: int = 0
    """Newton steps and barriers, barriers of any size, and barriers over all examples since then."""
    whole_barriers: int = 0

    def note(
        self, gap: float, dual: float, was_pass: bool, barrier: bool, whole_barrier: bool
    ) -> None:
        self.rounds += 1
        self.tries += not was_pass
        self.barriers += barrier
        self.whole_barriers += whole_barrier
        if gap < STALL * self.best or dual > RISE * self.dual:
            self.best, self.dual, self.since = (
                min(gap, self.best),
                max(dual, self.dual),
                self.rounds,
            )
            self.tries = self.barriers = self.whole_barriers = 0

    @property
    def stands_still(self) -> bool:
        return self.rounds - self.since >= max(WINDOW, self.rounds // 3)

    @property
    def wants_a_barrier(self) -> bool:
        return self.stands_still and self.barriers == 0

    @property
    def late(self) -> bool:
        return self.deadline.spent + self.judging >= self.deadline.seconds

    @property
    def wants_a_certificate(self) -> bool:
        """Half the time is over and nobody knows yet how long the judge takes."""
        return self.judging == 0.0 and self.deadline.spent >= self.deadline.seconds / 2

    def reason(
        self, gap: float, passes: int, goal: float, interrupted: bool, polished: bool
    ) -> str:
        """Why to stop, or "" to go on; ``polished`` says whether Newton and barrier take part."""
        if not math.isfinite(gap):
            return "overflow"
        if interrupted:
            return "interrupted"
        if passes >= self.max_iter:
            return "max_iter"
        if self.late:
            return "max_seconds"
        in_vain = self.stands_still and self.tries >= TRIES and self.barriers > 0
        stalled = polished and (in_vain or self.whole_barriers >= BARRIERS)
        return "rounding" if goal < LEAST_GOAL or stalled else ""


def share(first: float, gap: float, tolerance: float) -> float:
    """How much of the way from the first gap to the tolerance, on a logarithmic scale."""
    if gap <= 0 or first <= tolerance:
        return 1.0
    return float(min(max(math.log(first / gap) / math.log(first / tolerance), 0.0), 1.0))
