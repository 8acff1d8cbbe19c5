"""When a pass, when a Newton step, when the barrier."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.interior import CHEAPEST, Route, route
from msvm_ref.solvers.fast.newton import price

POLISH_BELOW = 1e-3
POLISH_TOLERANCE = 1e-5
"""Newton is tried from the first relative gap on where fewer than the second is wanted; anyway after LONG passes."""
PATIENCE, LONG, SOON = 2, 40, 2
SHARE, HEADSTART = 4.0, 3e7
"""Operations of Newton steps or barriers that no passes have to pay for."""
RARELY = 0.1
"""Where few digits are wanted, passes get there; Newton is for those that did 1 / RARELY times its work in vain."""
FAILURES = 3
"""After so many Newton steps in a row that left a third of the gap, the barrier is called in; later where it can take only
a part of the examples at a time."""
ROUND = 1.5e5
"""Operations of a round beside its visits: the calls, and the gap."""
EVIDENCE = 0.1
"""The share of a barrier's price that passes have spent when their speed is believed; twice as much after each barrier."""
AGAIN = 1.25


@dataclass
class Schedule:
    """What comes after a pass: another, a Newton step once the gap is small, or the barrier where neither gets on.

    Newton and barrier together may work SHARE times as much as the passes did, so that none of them starves the others; but a
    barrier that takes every example is called in as soon as the passes, at the speed of their last half, would take longer.
    Work is counted in operations, not seconds: the same seed takes the same path on any machine.
    """

    tolerance: float
    failures_allowed: int
    barrier: Route
    newton: Callable[[], float] = lambda: 0.0
    """What a Newton step would work: passes have to pay for it first where few digits are wanted, and for one that is dear have
    to be slower where many are."""
    patient: bool = False
    """Through features. With a kernel a large first step is taken at once: those after it go class by class, and are sure."""
    long: int = LONG
    wait: int = PATIENCE
    failures: int = 0
    passing: float = 0.0
    polishing: float = 0.0
    before: float = np.inf
    evidence: float = EVIDENCE
    again: Callable[[], Route] | None = None
    """The barrier as it would be now: asked each time the passes have done AGAIN times as much, once the cheapest would pay."""
    looked: float = 0.0
    work: list[float] = field(default_factory=list)
    """Since the last barrier: what the passes had worked when the gap was taken, and the gap."""
    gaps: list[float] = field(default_factory=list)

    @staticmethod
    def suited(
        engine: Engine, machine: Blocks, tolerance: float, again: Callable[[], Route] | None = None
    ) -> Schedule:
        """What an engine's size allows; where the barrier goes through few features it is cheap and sure, and comes first."""
        barrier = route(engine, machine)
        allowed = FAILURES if barrier.everything else 4 * FAILURES
        newton = partial(price, engine, machine)
        if barrier.system == "features":
            return Schedule(tolerance, allowed, barrier, newton, True, SOON, failures=allowed + 1)
        return Schedule(tolerance, allowed, barrier, newton, engine.width > 0, again=again)

    def note(self, was_pass: bool, operations: float, gap: float) -> None:
        if was_pass:
            self.passing += operations + ROUND
        else:
            self.polishing += operations
        self.work.append(self.passing)
        self.gaps.append(gap)
        due = was_pass and self.passing > AGAIN * self.looked
        if self.again is not None and due and self._slow(gap, CHEAPEST):
            self.barrier, self.looked = self.again(), self.passing

    @property
    def stuck(self) -> bool:
        """Did the last Newton step, with the passes since, leave a third of the gap?"""
        return self.failures > 0

    @property
    def allowance(self) -> float:
        """What Newton steps and barriers may have worked by now."""
        if self.tolerance < POLISH_TOLERANCE:
            return SHARE * self.passing + HEADSTART
        return RARELY * self.passing

    def next(self, gap: float) -> str:
        if self.barrier.everything and self._slow(gap, self.barrier.price):
            return self._barrier(gap)
        self.wait -= 1
        if self.wait > 0 or self.polishing > self.allowance:
            return "pass"
        if (
            not (self.tolerance < POLISH_TOLERANCE and gap <= POLISH_BELOW)
            and self.wait > -self.long
        ):
            return "pass"
        if np.isfinite(self.before):
            self.failures = 0 if gap < 0.3 * self.before else self.failures + 1
        if self.failures > self.failures_allowed:
            if self.polishing + self.barrier.price > self.allowance:
                return "pass"  # saving up
            return self._barrier(gap)
        price = self.newton()
        if self.tolerance >= POLISH_TOLERANCE:
            dear = self.polishing + price > self.allowance
        else:  # passes may be there before a first large step is
            dear = self.patient and self.polishing == 0 and price > HEADSTART
            dear = dear and not self._slow(gap, price, self.tolerance)
        if dear:
            self.wait = PATIENCE
            return "pass"
        self.wait, self.before = PATIENCE, gap
        return "newton"

    def _barrier(self, gap: float) -> str:
        self.failures, self.wait, self.before = 0, PATIENCE, gap
        self.evidence *= 2
        self.work.clear()
        self.gaps.clear()
        return "interior"

    def _slow(self, gap: float, price: float, goal: float | None = None) -> bool:
        """Would passes at the speed of their last half work more than this, to the goal or to where Newton sets in?"""
        if len(self.work) < 2 or not math.isfinite(gap):
            return False
        spent = self.work[-1] - self.work[0]
        if spent < self.evidence * price:
            return False
        if goal is None:
            goal = max(self.tolerance, POLISH_BELOW * (self.tolerance < POLISH_TOLERANCE))
        half = bisect_left(self.work, self.work[-1] - spent / 2, hi=len(self.work) - 1)
        fallen = math.log(max(self.gaps[half], 1e-300) / max(gap, 1e-300))
        left = math.log(max(gap, 1e-300) / goal)
        return left * (self.work[-1] - self.work[half]) > max(fallen, 0.0) * price
