"""How a contender is trained on one fold, C after C: a machine to a certified gap or by a paper's own solver and stopping rule,
and the reductions to binary machines.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array, frozen
from msvm_ref.model.catalogue import machine_named
from msvm_ref.model.kernels import Kernel
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.fast.kernel_cache import Rows
from msvm_ref.solvers.methods import solve
from msvm_ref.solvers.solution import Solution
from msvm_ref.solvers.workspace import Workspace
from msvm_ref.studies.experiments.samples import Sample
from msvm_ref.studies.experiments.study import REDUCTIONS, Contender

GRAM_MB = 1000.0
"""Grams up to this size are made once and shared."""
PASSES = 20_000
"""A fit ends after so many passes over the examples, with the gap it has: counted, not timed, so that it can be repeated."""
SUPPORTS = 1e-3
"""An example supports where a multiplier exceeds this share of its C, or of the largest if that is less: what a solution within
the studies' gap leaves on other examples is noise, and an interior point leaves some on all of them."""
TRUTH_UP_TO = 6000
"""Margin components n d up to which the ground truth is asked where the fast solver left a gap, as it may at a huge C."""


@dataclass(frozen=True)
class Fit:
    """What a trained contender says."""

    predictions: NDArray[Any]
    gap: float
    support: int
    seconds: float
    converged: bool
    method: str = "fast"
    iterations: int = -1
    value: float | None = None


class Fold:
    """What a contender is trained and tested on."""

    def __init__(
        self, contender: Contender, drawn: Sample, fold: int, kernel: Kernel, tolerance: float
    ) -> None:
        self.contender, self.kernel, self.tolerance = contender, kernel, tolerance
        self.train, self.test = drawn.parts[fold]
        self.X, self.y = frozen(drawn.X[self.train]), drawn.y[self.train]
        self.new, self.truth = drawn.X[self.test], drawn.y[self.test]
        self.classes = drawn.classes

    def problem(self, C: float) -> Problem:
        machine = machine_named(self.contender.machine).with_cost(self.contender.cost)
        return Problem(
            machine,
            self.X,
            self.y,
            C=C,
            kernel=self.kernel,
            bias=self.contender.bias,
            n_classes=self.classes,
        )


class Trainer(Protocol):
    """One fold along its C."""

    @property
    def started(self) -> float | None:
        """The C whose solution the next fit starts from, as the problem has it."""

    def fit(self, C: float) -> Fit: ...

    def forget(self) -> None:
        """The next fit starts from nothing."""


class MachinePath:
    """A machine to a certified gap, each C started from the one before."""

    def __init__(self, fold: Fold, gram: Rows | None) -> None:
        self.fold = fold
        self.base: Problem | None = None
        self.last: Solution | None = None
        self.workspace = Workspace()
        if gram is not None:
            self.workspace.rows[GRAM_MB] = part(gram, fold.train)

    @property
    def started(self) -> float | None:
        return None if self.last is None or self.fold.contender.alone else self.last.problem.C

    def forget(self) -> None:
        self.last = None

    def fit(self, C: float) -> Fit:
        start = time.thread_time()
        if self.base is None:
            self.base = self.fold.problem(C)
        problem = self.base.with_C(C)
        solution = self._fast(problem, None if self.fold.contender.alone else self.last)
        if not solution.converged:
            solution = min(
                solution, self._second(problem), key=lambda s: s.certificate.relative_gap
            )
        seconds = time.thread_time() - start
        self.last = solution
        return _fit(solution, self.fold, seconds, solution.converged)

    def _fast(self, problem: Problem, start: Solution | None) -> Solution:
        return solve(
            problem,
            "fast",
            tolerance=self.fold.tolerance,
            workspace=self.workspace,
            start=start,
            cache_mb=GRAM_MB,
            max_iter=PASSES,
        )

    def _second(self, problem: Problem) -> Solution:
        """Where the fast solver fell short: the ground truth of a small problem, a start from nothing of a large one."""
        if problem.n * problem.d > TRUTH_UP_TO:
            return self._fast(problem, None)
        route = "primal" if problem.is_linear else "dual"
        return solve(problem, route, tolerance=self.fold.tolerance)


class OwnRule:
    """A paper's solver, ended by its own rule; the certificate says what that is worth."""

    started: float | None = None

    def __init__(self, fold: Fold) -> None:
        self.fold = fold

    def forget(self) -> None:
        pass

    def fit(self, C: float) -> Fit:
        contender = self.fold.contender
        problem = self.fold.problem(C)
        start = time.thread_time()
        solution = solve(
            problem, contender.solver, tolerance=self.fold.tolerance, epsilon=contender.epsilon
        )
        seconds = time.thread_time() - start
        met = solution.attempts[-1].status.startswith("precision")
        return _fit(solution, self.fold, seconds, met or solution.converged)


class Reduction:
    """One-against-one, DAGSVM and one-against-all."""

    started: float | None = None

    def __init__(self, fold: Fold, gamma: float) -> None:
        self.fold, self.gamma = fold, gamma

    def forget(self) -> None:
        pass

    def fit(self, C: float) -> Fit:
        import msvm_ref.estimator as estimator

        fold = self.fold
        name = dict(zip(REDUCTIONS, ("OneVsOneSVC", "DAGSVC", "OneVsAllSVC"), strict=True))
        fitted = getattr(estimator, name[fold.contender.machine])(
            C=C,
            kernel="rbf" if self.gamma else "linear",
            gamma=self.gamma or "scale",
            bias=fold.contender.bias,
            tol=fold.tolerance,
            method="fast",
        )
        start = time.thread_time()
        fitted.fit(fold.X, fold.y)
        seconds = time.thread_time() - start
        gap = fitted.certificate_.relative_gap
        machines = fitted._machines
        support = np.concatenate([m.rows[_supporting(m.solution)] for m in machines])
        return Fit(
            np.asarray(fitted.predict(fold.new)),
            gap,
            len(np.unique(support)),
            seconds,
            gap <= fold.tolerance,
        )


def _fit(solution: Solution, fold: Fold, seconds: float, converged: bool) -> Fit:
    return Fit(
        np.asarray(solution.predict(fold.new)),
        solution.certificate.relative_gap,
        len(_supporting(solution)),
        seconds,
        converged,
        solution.method,
        int(solution.work.get("iterations", solution.work.get("visits", -1))),
    )


def _supporting(solution: Solution) -> NDArray[np.int64]:
    """Examples with a multiplier that matters."""
    most = solution.alpha.max(axis=1)
    largest = most.max(initial=0.0)
    capped = solution.problem.spec.capped
    scale = np.minimum(solution.problem.costs, largest) if capped else largest
    return np.flatnonzero((most > SUPPORTS * scale) & (most > 0))


def part(gram: Rows, chosen: NDArray[np.int64]) -> Rows:
    """The kernel rows of some examples."""
    table: Array = np.ascontiguousarray(gram.table[np.ix_(chosen, chosen)])
    arguments = tuple(table if each is gram.table else each for each in gram.arguments)
    return Rows(table, True, table.diagonal().copy(), arguments)
