"""One ascent: passes, Newton steps and barriers, watched by the gap of its own floats, until the judge agrees.

A free bias is the multiplier of sum_i A_i = 0: the ascent runs on kernel k + rho about the current b (method of multipliers),
b <- b + rho sum_i A_i.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.certify import judge
from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import clipped
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.bias import lossless_bias
from msvm_ref.solvers.certifying import zero_weights
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.fast.aim import Aim
from msvm_ref.solvers.fast.barriers import FINEST, Barriers
from msvm_ref.solvers.fast.blocks import blocks
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.engines import engine_for
from msvm_ref.solvers.fast.gradient import FEW, FEW_FREE, SWEEPS, Momentum
from msvm_ref.solvers.fast.interrupt import Interruptible
from msvm_ref.solvers.fast.newton import newton
from msvm_ref.solvers.fast.order import Orders
from msvm_ref.solvers.fast.schedule import POLISH_TOLERANCE, Schedule
from msvm_ref.solvers.fast.standing import Reached, dual_value, standing
from msvm_ref.solvers.fast.stopping import Stopping, share
from msvm_ref.solvers.fast.subsets import Climbed
from msvm_ref.solvers.finish import expanded, finish
from msvm_ref.solvers.solution import Attempt, Solution
from msvm_ref.solvers.workspace import Workspace

SLICE = 0.2
"""Seconds after which a pass looks at the clock."""
CLOSER = 0.3
"""The gap is taken once passes met no violation above CLOSER times its last, or above the part of its last that the goal is of
the gap (they fall together), within the engine's ``patience``."""
LAST = 8
"""One more pass before the gap goes to the blocks' optima, not beyond, where it is at most 1 / LAST of the work since the last:
where steps overshoot W swings about its optimum, which the primal pays for. (Chosen on the sets of benchmarks/fast.py.)"""
ENOUGH, ENOUGH_OF_MANY = 0.9, 0.5
"""The part of the goal at which the judge is asked, and where many digits are: what rounding adds there makes the judge take
extended precision, which costs as much as hundreds of passes."""


class BlockAscent:
    """One solve: the engine, the clock, and the best certified answer so far."""

    def __init__(
        self,
        problem: Problem,
        aim: Aim,
        max_iter: int,
        max_seconds: float,
        seed: int,
        cache_mb: float,
        kkt: float | None,
        start: Solution | Candidate | None,
        workspace: Workspace,
        before: dict[str, int] | None = None,
        one_by_one: bool = False,
    ) -> None:
        self.problem, self.aim, self.tolerance, self.kkt = problem, aim, aim.at(1.0, 0.0), kkt
        self.stopping = Stopping(Deadline(max_seconds), max_iter)
        self.orders, self.interrupt = Orders(seed), Interruptible(False)
        self.machine = blocks(problem)
        self.engine = engine_for(problem, self.machine, cache_mb, workspace, aim.tolerance)
        self.free = problem.bias == "free"
        few = problem.n <= (FEW_FREE if self.free else FEW) and not one_by_one
        if few and self.engine.products_are_cheap:
            self.engine.momentum = Momentum()
        self.passes, self.polishes, self.pieces = 0, 0, 1
        self.closer, self.trusting, self.stuck = CLOSER, False, False
        self.strictness = 1.0
        self.barriers = Barriers(self.engine, self.machine, self.free)
        self.before = before or {}
        self.best: tuple[Candidate, Certificate] | None = None
        self.closest: tuple[float, Array, Array] = (np.inf, self.engine.alpha, self.engine.b0)
        self.started = start is not None
        if start is not None:
            self._warm(start)

    def run(
        self, progress: Callable[[float], None] | None, interruptible: Interruptible
    ) -> Solution:
        with interruptible as self.interrupt:
            words = "certified" if self._nothing_to_learn() else self._climb(progress)
        if words not in ("certified", "kkt"):
            self._best_effort()
        assert self.best is not None
        deadline = self.stopping.deadline
        return solution_of(self.problem, self.tolerance, self.best, words, deadline, self.work)

    def propose(self) -> Candidate:
        """The same for somebody who judges what he gets: where the ascent's own floats say enough, nobody is asked before.

        Not with a free bias: what it costs to mend its equality is for the judge to say.
        """
        self.trusting = not self.free
        words = "" if self._nothing_to_learn() else self._climb(None)
        if words == "certified" and self.trusting:
            return expanded(self.problem, self._raw)
        self.trusting = False
        if words not in ("", "certified"):
            self._best_effort()
        assert self.best is not None
        return self.best[0]

    @property
    def work(self) -> dict[str, int]:
        mine = {
            "passes": self.passes,
            "steps": self.engine.steps,
            "newton": self.polishes,
            "interior": self.barriers.count,
            "kernel_evaluations": self.engine.evaluations,
        }
        return {name: count + self.before.get(name, 0) for name, count in mine.items()}

    @property
    def goal(self) -> float:
        """The relative gap of its own floats that the judge will confirm, as far as that is known."""
        return self.strictness * max(self.tolerance, FINEST)

    @property
    def enough(self) -> float:
        return ENOUGH if self.tolerance >= POLISH_TOLERANCE else ENOUGH_OF_MANY

    def _climb(self, progress: Callable[[float], None] | None) -> str:
        again = (lambda: self.barriers.way(self.tolerance)) if self.barriers.movable else None
        schedule = Schedule.suited(self.engine, self.machine, self.tolerance, again)
        first = 0.0
        action = self._interior if self.free and schedule.barrier.cheap else self._passes
        begun = self._state()
        self.tolerance = self.aim.at(begun.primal, begun.dual)
        near = self.started and self.kkt is None and begun.relative <= self.enough * self.tolerance
        if near and self._settled():
            # the optimum of another C where no multiplier is at its bound is the optimum of this one
            return "certified"
        while True:
            spent, was_pass = action(), action == self._passes
            now = self._state()
            schedule.note(was_pass, spent, now.relative)
            if now.relative <= self.engine.exact_from:
                self._refine()
            self.tolerance = schedule.tolerance = self.aim.at(now.primal, now.dual)
            goal = self.goal
            self.closer = min(max(CLOSER, self.enough * goal / max(now.relative, 1e-300)), 1.0)
            barrier = action == self._interior
            whole = barrier and schedule.barrier.everything
            self.stopping.note(now.relative, now.dual, was_pass, barrier, whole)
            first = first or max(now.gap, 1e-300)
            if now.relative < self.closest[0] and not was_pass:
                self.closest = now.relative, self.engine.alpha.copy(), self.engine.b0.copy()
            if progress is not None:
                progress(share(first, now.relative, self.tolerance))
            if self.kkt is not None:
                if now.violation <= self.kkt:
                    self.best = self._certified()
                    return "kkt"
            elif now.relative <= self.enough * goal:
                if self._settled():
                    return "certified"
                # the judge's own rounding and repairs take their part
                goal = 0.25 * min(goal, max(now.relative, 1e-18))
                self.strictness = goal / max(self.tolerance, FINEST)
            reason = self.stopping.reason(
                now.relative, self.passes, goal, self.interrupt.asked, self.kkt is None
            )
            if reason == "rounding" and (self.engine.at_once or self._refine()):
                # what steps together or rounded rows cannot tell any more, visits one by one still may
                self.engine.momentum, self.strictness = None, 1.0
                self.stopping = Stopping(
                    self.stopping.deadline, self.stopping.max_iter, self.stopping.judging
                )
                self._state()
            elif reason:
                return reason
            if self.stopping.wants_a_certificate:
                self._settled()
            if self.free:
                self._update_bias(now)
            action = self._passes
            if self.kkt is None and was_pass:
                due = "interior" if self.stopping.wants_a_barrier else schedule.next(now.relative)
                action = {"pass": action, "newton": self._newton, "interior": self._interior}[due]
                self.stuck = schedule.stuck

    def _nothing_to_learn(self) -> bool:
        """Does a free bias alone meet every target? Then the optimum is 0, to which no relative gap leads."""
        b = lossless_bias(self.problem)
        if b is None:
            return False
        candidate = zero_weights(self.problem, b, np.zeros_like(self.engine.alpha))
        self.best = candidate, judge(self.problem, candidate)
        return self.best[1].upper == 0.0

    def _passes(self) -> float:
        """Passes over the examples that can move, until it pays to take the gap; the work they were."""
        work, violation = 0.0, self.engine.violation
        last_digits = (
            self.tolerance < POLISH_TOLERANCE
        )  # those are for Newton steps, due by the gap
        patience = Engine.patience if last_digits else self.engine.patience
        while not (self.stopping.late or self.interrupt.asked):
            begun, latest = self.passes, self._pass()
            work += latest
            least, most = (times * self.engine.whole_pass for times in patience)
            closer = work >= least and self.engine.violation <= self.closer * violation
            done = work >= most or self.passes >= self.stopping.max_iter
            if done or closer or self.engine.asleep.all():
                cheap = LAST * latest <= work * (self.passes - begun)
                return work + (self._exact_pass() if cheap else 0.0)
        return work

    def _exact_pass(self) -> float:
        engine = self.engine
        if engine.at_once or engine.asleep.all() or self.passes >= self.stopping.max_iter:
            return 0.0
        omega, engine.omega = engine.omega, 1.0
        work = self._pass(most=1)
        engine.omega = omega
        return work

    def _pass(self, most: int = 1 << 30) -> float:
        """One pass over the examples that are awake; where those are few, several in one call, which costs as much as some."""
        if self.engine.at_once and self.engine.momentum is not None:
            sweeps = min(SWEEPS, self.stopping.max_iter - self.passes)
            self.passes += sweeps
            return self.engine.momentum.sweep(self.engine, sweeps)
        awake, work = np.flatnonzero(~self.engine.asleep), 0.0
        several = self.engine.together // max(len(awake), 1)
        times = max(1, min(several, most, self.stopping.max_iter - self.passes))
        order = self.orders.passes(awake, times)
        self.passes += times
        pieces = self.pieces if self.stopping.deadline.limited else 1
        start, violation = time.perf_counter(), 0.0
        for part in np.array_split(order, pieces) if pieces > 1 else (order,):
            work += self.engine.pass_over(part)
            violation = max(violation, self.engine.violation)
            if self.stopping.late:
                break
        self.engine.violation = violation
        seconds = time.perf_counter() - start
        self.pieces = min(max(math.ceil(seconds / SLICE), 1), self.problem.n)
        return work

    def _newton(self) -> float:
        self.polishes += 1
        if not self.engine.rounded_newton:
            self._refine()
        value = partial(dual_value, self.problem, self.engine, self.machine)
        return newton(self.engine, self.machine, self.free, value, self.stuck)

    def _interior(self) -> float:
        self.stuck = True
        self._refine()
        enough = self.enough * self.goal
        return self.barriers.run(enough, self._newton, lambda: self.stopping.late)

    def _settled(self) -> bool:
        if self.trusting:
            return True
        start = time.perf_counter()
        self.best = min(
            filter(None, (self.best, self._certified())), key=lambda pair: pair[1].relative_gap
        )
        self.stopping.judging = time.perf_counter() - start
        settled = self.best[1].relative_gap <= self.tolerance
        if not settled:
            self._refine()
            self.engine.refresh()
        return settled

    def _refine(self) -> bool:
        """Double precision, where it was not."""
        rounded = self.engine.single
        if rounded:
            self.engine.to_double()
        return rounded

    def _best_effort(self) -> None:
        """Certify where the ascent stands, and where it was closest; of floats out of their range, the origin."""
        closest = self.closest[1:]
        if not np.isfinite(self.engine.alpha).all():
            self.engine.restart(np.zeros_like(self.engine.alpha), np.zeros_like(self.engine.b0))
        if not self._settled() and self.closest[0] < np.inf and not self.stopping.late:
            self.engine.restart(*closest)
            self._settled()

    def _certified(self) -> tuple[Candidate, Certificate]:
        return finish(self.problem, self._raw, self.tolerance, self.stopping.deadline)

    @property
    def _raw(self) -> Candidate:
        """Where the ascent stands."""
        problem, engine = self.problem, self.engine
        b = np.zeros(problem.d) if problem.bias == "none" else engine.true_bias
        return Candidate(engine.exact_weights, b, engine.alpha)

    def _state(self) -> Reached:
        return standing(self.engine, self.machine, self.free)

    def _update_bias(self, now: Reached) -> None:
        if now.inner_gap <= max(0.3 * now.cost, 0.05 * self.tolerance * now.primal):
            self.engine.shift_bias(self.engine.rho * self.engine.A.sum(axis=0))
            self.engine.survey()

    def _warm(self, start: Solution | Candidate) -> None:
        """At alpha of another C, as much longer as the dual likes best: bound multipliers grow with C, free ones need not."""
        engine, at = self.engine, scaled(self.problem, start)
        ratio = self.problem.C / start.problem.C if isinstance(start, Solution) else 1.0
        engine.restart(at.dual, engine.b0)
        if ratio > 1.0:
            _, gain, inner, _ = engine.survey()
            part = min(max(gain / max(inner, 1e-300), 1.0 / ratio), 1.0)
            engine.restart(at.dual * part, engine.b0)
        if self.free and at.b is not None:
            engine.shift_bias(at.b - engine.true_bias)


class SubsetAscent(BlockAscent):
    """The ascent on a subset: its own floats end it, the judge is asked about everyone."""

    def climbed(self, interrupt: Interruptible) -> Climbed:
        self.interrupt, self.trusting = interrupt, True
        words = self._climb(None)
        now = self._state()
        return Climbed(
            words, self.engine.alpha, self.engine.true_bias, now.primal, now.gap, self.work
        )


def solution_of(
    problem: Problem,
    tolerance: float,
    best: tuple[Candidate, Certificate],
    words: str,
    deadline: Deadline,
    work: dict[str, int],
) -> Solution:
    attempt = Attempt("numba", words, best[1].relative_gap, deadline.spent)
    return Solution(problem, *best, "fast", "numba", tolerance, (attempt,), work)


def scaled(problem: Problem, start: Solution | Candidate) -> Candidate:
    """alpha of another C (or machine's weights), scaled and made feasible, and its b."""
    C, at = (
        (start.problem.C, start.candidate) if isinstance(start, Solution) else (problem.C, start)
    )
    return Candidate(None, at.b, clipped(problem, at.dual * (problem.C / C)))
