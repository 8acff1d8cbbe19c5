"""How a contender is trained on one fold, C after C: a machine to a certified gap or by a paper's own solver and stopping rule,
and the reductions to binary machines.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array, frozen
from msvm_ref.model.catalogue import machine_named
from msvm_ref.model.kernels import Kernel
from msvm_ref.model.problem import Problem
from msvm_ref.reductions.binary import BinarySVM
from msvm_ref.reductions.dag import dag
from msvm_ref.reductions.one_vs_all import OneVsAll
from msvm_ref.reductions.one_vs_one import OneVsOne
from msvm_ref.reductions.samples import WW_PER_BINARY, Samples
from msvm_ref.solvers.fast.kernel_cache import Rows
from msvm_ref.solvers.methods import solve
from msvm_ref.solvers.solution import Solution
from msvm_ref.solvers.workspace import Workspace
from msvm_ref.studies.experiments.samples import Sample
from msvm_ref.studies.experiments.study import PAIRWISE, Contender

Sides = tuple[tuple[int, ...], tuple[int, ...]]
"""The classes of one side of a binary machine, and of the other."""
GRAM_MB = 1000.0
"""Grams up to this size are made once and shared."""
PASSES = 20_000
"""A fit ends after so many passes over the examples, with the gap it has: counted, not timed, so that it can be repeated."""
SUPPORTS = 1e-3
"""An example supports where a multiplier exceeds this share of its C, or of the largest if that is less: what a solution within
the studies' gap leaves on other examples is noise, and an interior point leaves some on all of them."""
TIE = 0.1
"""Where a margin asks for 2: the two scores that come first are closer at the optimum, and may be equal."""
TRUTH_UP_TO = {"primal": 6000, "dual": 2500}
"""Margin components n d up to which the ground truth is asked where the fast solver left a gap, as it may at a huge C; the
dual's matrix is dense, and 4500 of them (abalone, 28 classes) took minutes a cell."""


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
    dag: NDArray[Any] | None = None
    """What DAGSVM predicts with the same machines."""


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
        """The C of the fit that the next one starts from."""

    def fit(self, C: float) -> Fit: ...

    def forget(self) -> None:
        """The next fit starts from nothing."""


class Path:
    """One problem along its C, to a certified gap: the kernel rows are kept, and each C is started from the one before."""

    def __init__(self, fold: Fold, problem: Problem, gram: Rows | None) -> None:
        self.fold, self.problem = fold, problem
        self.last: Solution | None = None
        self.workspace = Workspace()
        if gram is not None:
            self.workspace.rows[GRAM_MB] = gram

    def solution(self, C: float) -> Solution:
        problem = self.problem.with_C(C)
        found = self._fast(problem, None if self.fold.contender.alone else self.last)
        if not found.converged:
            found = min(found, self._second(problem), key=lambda s: s.certificate.relative_gap)
        self.last = found
        return found

    def _fast(self, problem: Problem, start: Solution | None) -> Solution:
        return solve(
            problem,
            "fast",
            tolerance=self.fold.tolerance,
            workspace=self.workspace,
            start=start,
            cache_mb=GRAM_MB,
            max_iter=PASSES,
            one_by_one=True,
        )

    def _second(self, problem: Problem) -> Solution:
        """Where the fast solver fell short: the ground truth of a small problem, a start from nothing of a large one."""
        route = "primal" if problem.is_linear else "dual"
        if problem.n * problem.d > TRUTH_UP_TO[route]:
            return self._fast(problem, None)
        return solve(problem, route, tolerance=self.fold.tolerance)


class Certified:
    """What is trained along paths, to a certified gap."""

    def __init__(self, fold: Fold, gram: Rows | None) -> None:
        self.fold, self.gram = fold, gram
        self.previous: float | None = None

    @property
    def started(self) -> float | None:
        return None if self.fold.contender.alone else self.previous

    def forget(self) -> None:
        self.previous = None
        self.__dict__.pop("paths", None)

    def _rows(self, chosen: NDArray[np.int64]) -> Rows | None:
        """Of these examples of the draw."""
        return None if self.gram is None else part(self.gram, chosen)


class MachinePath(Certified):
    """A machine."""

    @cached_property
    def paths(self) -> tuple[Path]:
        return (Path(self.fold, self.fold.problem(1.0), self._rows(self.fold.train)),)

    def fit(self, C: float) -> Fit:
        start = time.thread_time()
        solution = self.paths[0].solution(C)
        seconds = time.thread_time() - start
        self.previous = C
        return _fit(solution, self.fold, seconds, solution.converged)


class Binaries(Certified):
    """Binary machines, pair by pair (one-against-one, and DAGSVM with them) or class by class (one-against-all)."""

    @cached_property
    def samples(self) -> Samples:
        """The classes that are present, from 0 on."""
        codes = np.unique(self.fold.y, return_inverse=True)[1]
        return Samples.of(self.fold.X, codes, 1.0, self.fold.kernel, self.fold.contender.bias)

    @cached_property
    def paths(self) -> dict[Sides, Path]:
        fold, everyone = self.fold, range(self.samples.n_classes)
        if fold.contender.machine in PAIRWISE:
            sides: list[Sides] = [((j,), (k,)) for j, k in combinations(everyone, 2)]
            rows = [self._rows(fold.train[self.samples.rows(*each)]) for each in sides]
        else:
            sides = [((c,), tuple(k for k in everyone if k != c)) for c in everyone]
            rows = [self._rows(fold.train)] * len(sides)
        return {
            each: Path(fold, self.samples.binary(*each), own)
            for each, own in zip(sides, rows, strict=True)
        }

    def fit(self, C: float) -> Fit:
        start = time.thread_time()
        machines = [
            BinarySVM(*sides, self.samples.rows(*sides), path.solution(WW_PER_BINARY * C))
            for sides, path in self.paths.items()
        ]
        seconds = time.thread_time() - start
        self.previous = C
        present, new, along = np.unique(self.fold.y), self.fold.new, None
        if self.fold.contender.machine in PAIRWISE:
            pairs = OneVsOne(self.samples, {(m.first[0], m.second[0]): m for m in machines})
            codes, along = pairs.predict_codes(new), present[dag(pairs).predict_codes(new)]
        else:
            codes = OneVsAll(self.samples, tuple(machines)).predict_codes(new)
        worst = max((m.solution for m in machines), key=lambda s: s.certificate.relative_gap)
        support = np.concatenate([m.rows[supporting(m.solution)] for m in machines])
        return Fit(
            present[codes],
            worst.certificate.relative_gap,
            len(np.unique(support)),
            seconds,
            worst.converged,
            ", ".join(sorted({m.solution.method for m in machines})),
            dag=along,
        )


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


def _fit(solution: Solution, fold: Fold, seconds: float, converged: bool) -> Fit:
    return Fit(
        np.asarray(solution.predict(fold.new)),
        solution.certificate.relative_gap,
        len(supporting(solution)),
        seconds,
        converged,
        solution.method,
        int(solution.work.get("iterations", solution.work.get("visits", -1))),
        _tied(solution, fold.new),
    )


def _tied(solution: Solution, new: Array) -> float | None:
    """The percent of these rows on which the optimum itself has no first class, as far as the certificate sees."""
    if not solution.problem.is_linear or solution.problem.bias == "free":
        return None  # where a free bias may lie is a linear program for each class
    least, most = solution.lead_interval(new).T
    return 100 * float(((least <= 0) & (most <= TIE)).mean())


def supporting(solution: Solution) -> NDArray[np.int64]:
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
