"""When the ascent ends short of its goal, and in which words.

interrupted     asked to by the user
max_iter        that many passes are done
max_seconds     the time is over, less what the judge will take
rounding        the gap of the loop's own floats no longer falls: nothing they can see is left to gain
overflow        the floats left their range
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from msvm_ref.solvers.deadline import Deadline

LEAST_GOAL = 1e-17
STALL, WINDOW, TRIES = 0.9, 400, 3
"""Stalled: STALL times the best gap was not undercut in the last WINDOW passes, nor in the last third of them all, with TRIES
Newton steps or barriers among them."""


@dataclass
class Stopping:
    deadline: Deadline
    max_iter: int
    judging: float = 0.0
    """Seconds the last certificate took: kept in reserve."""
    best: float = math.inf
    since: int = 0
    tries: int = 0

    def note(self, gap: float, passes: int, was_pass: bool) -> None:
        self.tries += not was_pass
        if gap < STALL * self.best:
            self.best, self.since, self.tries = gap, passes, 0

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
        window = max(WINDOW, passes // 3)
        stalled = passes - self.since >= window and (self.tries >= TRIES or not polished)
        return "rounding" if goal < LEAST_GOAL or (polished and stalled) else ""
