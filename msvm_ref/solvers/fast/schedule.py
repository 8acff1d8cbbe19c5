"""When a pass, when a Newton step, when the barrier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.interior import by_features, price, takes_all

POLISH_BELOW = 1e-3
POLISH_TOLERANCE = 1e-5
"""Newton is tried from the first relative gap on where fewer than the second is wanted; anyway after LONG passes."""
PATIENCE, LONG, SOON = 2, 40, 2
SHARE, HEADSTART = 4.0, 3e7
"""Operations of Newton steps or barriers that no passes have to pay for."""
RARELY = 0.1
"""Where few digits are wanted, passes get there; the barrier is for those that did 1 / RARELY times its work in vain."""
FAILURES = 3
"""After so many Newton steps in a row that left a third of the gap, the barrier is called in; later where it can take only
a part of the examples at a time."""


@dataclass
class Schedule:
    """What comes after a pass: another, a Newton step once the gap is small, or the barrier where neither gets on.

    Newton and barrier together may work SHARE times as much as the passes did, so that none of them starves the others. Work is
    counted in operations, not seconds: the same seed takes the same path on any machine.
    """

    tolerance: float
    failures_allowed: int
    price: float
    long: int = LONG
    wait: int = PATIENCE
    failures: int = 0
    passing: float = 0.0
    polishing: float = 0.0
    before: float = np.inf

    @staticmethod
    def suited(engine: Engine, machine: Blocks, tolerance: float) -> Schedule:
        """What an engine's size allows; where the barrier goes through few features it is cheap and sure, and comes first."""
        allowed = FAILURES if takes_all(engine, machine) else 4 * FAILURES
        first = {"failures": allowed + 1, "long": SOON} if by_features(engine) else {}
        return Schedule(tolerance, allowed, price(engine, machine), **first)

    def note(self, was_pass: bool, operations: float) -> None:
        if was_pass:
            self.passing += operations
        else:
            self.polishing += operations

    @property
    def allowance(self) -> float:
        """What Newton steps and barriers may have worked by now."""
        if self.tolerance < POLISH_TOLERANCE:
            return SHARE * self.passing + HEADSTART
        return RARELY * self.passing

    def next(self, gap: float) -> str:
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
            if self.polishing + self.price > self.allowance:
                return "pass"  # saving up
            self.failures, self.wait, self.before = 0, PATIENCE, gap
            return "interior"
        self.wait, self.before = PATIENCE, gap
        return "newton"
