"""Train a task: its folds share the Gram of their gamma; the C of a fold are a path, each started from the one before."""

from __future__ import annotations

import json
import sys
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array, frozen
from msvm_ref.model.catalogue import machine_named
from msvm_ref.model.kernels import Kernel, linear, rbf
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.fast.kernel_cache import Rows, rows
from msvm_ref.solvers.methods import solve
from msvm_ref.solvers.solution import Solution
from msvm_ref.solvers.workspace import Workspace
from msvm_ref.studies.experiments.cell import CellRecord, Task
from msvm_ref.studies.experiments.samples import Sample, sample
from msvm_ref.studies.experiments.study import REDUCTIONS

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
    method: str = "fast"


def train(task: Task, folder: str | None) -> list[CellRecord]:
    """The records of the task's cells; a cell that fails is a record with its reason."""
    drawn = sample(task.draw, folder)
    gram = _whole_gram(task, drawn)
    records = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a gap that stayed open is in the record
        for fold in task.folds:
            path = _Path(task, drawn, fold, gram)
            records += [path.record(C) for C in task.Cs]
    return records


class _Path:
    """One fold along its C."""

    def __init__(self, task: Task, drawn: Sample, fold: int, gram: Rows | None) -> None:
        self.task, self.drawn, self.fold = task, drawn, fold
        self.train, self.test = drawn.parts[fold]
        self.X, self.y = frozen(drawn.X[self.train]), drawn.y[self.train]
        self.last: Solution | None = None
        self.base: Problem | None = None
        self.workspace = Workspace()
        if gram is not None:
            self.workspace.rows[GRAM_MB] = _part(gram, self.train)

    def record(self, C: float) -> CellRecord:
        started = None if self.last is None else self.last.problem.C
        error, fit = "", Fit(np.zeros(0), float("nan"), 0, float("nan"))
        try:
            ours = self.task.contender.C_factor * C
            reduced = self.task.contender.machine in REDUCTIONS
            fit = self._estimator(ours) if reduced else self._machine(ours)
        except Exception as reason:  # whatever it is, the study goes on and the record tells it
            error = f"{type(reason).__name__}: {reason}"[:500]
            self.last, started = None, None
        truth = self.drawn.y[self.test]
        return CellRecord(
            key=self.task.key(self.fold, C),
            table=self.task.draw.source.table,
            machine=self.task.contender.machine,
            gamma=self.task.gamma,
            C=self.task.contender.C_factor * C,
            repetition=self.task.draw.repetition,
            fold=self.fold,
            identity=json.dumps(self.task.identity(self.fold, C), sort_keys=True),
            n=len(self.train),
            tested=len(self.test),
            right=0 if error else int((fit.predictions == truth).sum()),
            gap=fit.gap,
            converged=fit.gap <= self.task.tolerance,
            seconds=fit.seconds,
            support=fit.support,
            started=started,
            method=fit.method,
            error=error,
            version=str(sys.modules["msvm_ref"].__version__),
        )

    def _machine(self, C: float) -> Fit:
        start = time.thread_time()
        if self.base is None:
            machine = machine_named(self.task.contender.machine)
            self.base = Problem(
                machine.with_cost(self.task.contender.cost),
                self.X,
                self.y,
                C=C,
                kernel=_kernel(self.task),
                bias=self.task.contender.bias,
                n_classes=self.drawn.classes,
            )
        problem = self.base.with_C(C)
        solution = self._fast(problem, self.last)
        if not solution.converged:
            solution = min(
                solution, self._second(problem), key=lambda s: s.certificate.relative_gap
            )
        seconds = time.thread_time() - start
        self.last = solution
        predictions = np.asarray(solution.predict(self.drawn.X[self.test]))
        gap, support = solution.certificate.relative_gap, _supporting(solution)
        return Fit(predictions, gap, support, seconds, solution.method)

    def _fast(self, problem: Problem, start: Solution | None) -> Solution:
        return solve(
            problem,
            "fast",
            tolerance=self.task.tolerance,
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
        return solve(problem, route, tolerance=self.task.tolerance)

    def _estimator(self, C: float) -> Fit:
        import msvm_ref.estimator as estimator

        name = dict(zip(REDUCTIONS, ("OneVsOneSVC", "DAGSVC", "OneVsAllSVC"), strict=True))
        fitted = getattr(estimator, name[self.task.contender.machine])(
            C=C,
            kernel=self.task.kernel,
            gamma=self.task.gamma or "scale",
            bias=self.task.contender.bias,
            tol=self.task.tolerance,
            method="fast",
        )
        start = time.thread_time()
        fitted.fit(self.X, self.y)
        seconds = time.thread_time() - start
        return Fit(
            np.asarray(fitted.predict(self.drawn.X[self.test])),
            fitted.certificate_.relative_gap,
            len(fitted.support_),
            seconds,
        )


def _supporting(solution: Solution) -> int:
    most = solution.alpha.max(axis=1)
    largest = most.max(initial=0.0)
    capped = solution.problem.spec.capped
    scale = np.minimum(solution.problem.costs, largest) if capped else largest
    return int(((most > SUPPORTS * scale) & (most > 0)).sum())


def _kernel(task: Task) -> Kernel:
    return linear if task.kernel == "linear" else rbf(task.gamma)


def _whole_gram(task: Task, drawn: Sample) -> Rows | None:
    """The kernel rows of all the draw's examples, where several folds will use them."""
    small = 8e-6 * len(drawn.X) ** 2 <= GRAM_MB
    if task.kernel == "linear" or len(task.folds) < 2 or not small:
        return None
    whole = Problem(machine_named("WW"), frozen(drawn.X), drawn.y, kernel=_kernel(task))
    return rows(whole, GRAM_MB)


def _part(gram: Rows, chosen: NDArray[np.int64]) -> Rows:
    table: Array = np.ascontiguousarray(gram.table[np.ix_(chosen, chosen)])
    arguments = tuple(table if part is gram.table else part for part in gram.arguments)
    return Rows(table, True, table.diagonal().copy(), arguments)
