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
STALL, WINDOW, TRIES, BARRIERS = 0.9, 150, 3, 8
"""Stalled: STALL times the best gap was not undercut the last WINDOW times it was taken, nor in the last third of them
all, with TRIES Newton steps or barriers among them; or not by BARRIERS barriers that each took every example."""


@dataclass
class Stopping:
    deadline: Deadline
    max_iter: int
    judging: float = 0.0
    """Seconds the last certificate took: kept in reserve."""
    best: float = math.inf
    rounds: int = 0
    """How often the gap was taken, and when it last fell."""
    since: int = 0
    tries: int = 0
    barriers: int = 0

    def note(self, gap: float, was_pass: bool, whole_barrier: bool) -> None:
        self.rounds += 1
        self.tries += not was_pass
        self.barriers += whole_barrier
        if gap < STALL * self.best:
            self.best, self.since, self.tries, self.barriers = gap, self.rounds, 0, 0

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
        window = max(WINDOW, self.rounds // 3)
        stalled = self.rounds - self.since >= window and self.tries >= TRIES
        stalled = polished and (stalled or self.barriers >= BARRIERS)
        return "rounding" if goal < LEAST_GOAL or stalled else ""
