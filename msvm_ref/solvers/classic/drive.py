"""From a stopping rule of a paper to a certified gap: run, judge, and ask for a finer answer until the gap is small enough.

An algorithm stops by its own rule at a given precision (a KKT violation, an epsilon). What that is worth is for the judge to
say: the multipliers become a candidate, the candidate is certified, and where the certified relative gap is above the
tolerance the algorithm goes on from where it stands with a tenth of the precision. A limit in seconds cuts the iterations into
slices, between which the clock is looked at. Where the paper's own precision is asked for (``only``) it runs once, and the
certificate tells what its rule is worth.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from msvm_ref.errors import DataError
from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array, real_number
from msvm_ref.model.loss import weights
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.finish import finish
from msvm_ref.solvers.solution import Attempt, Solution

SLICE = 0.2
"""Seconds between two looks at the clock."""
FIRST, LAST = 1e-2, 1e-15
"""The first precision asked for, and the one below which float64 has nothing more to give (relative to the target)."""
FALLING = 0.5
"""While a finer precision leaves at most this of the gap, the multipliers' own weights are judged and no others tried."""


@dataclass(frozen=True, eq=False)
class Run:
    """Where an algorithm stands: its multipliers (n x d, in the problem's own units), what it took so far, and whether its own
    stopping rule was met, or, where it was not, whether float64 had no better step (else the budget was spent).
    ``bounds`` are the paper's own, of these very multipliers; ``b`` is a free bias, which they do not determine; ``words`` say
    why it stopped where none of the above does; ``backend`` is who solved its sub-problems.
    """

    alpha: Array
    work: Mapping[str, float]
    met: bool
    stalled: bool = False
    bounds: Mapping[str, float] = field(default_factory=dict)
    b: Array | None = None
    words: str = ""
    backend: str = "numba"


def sliced(
    step: Callable[[int], tuple[int, bool]], budget: int, deadline: Deadline
) -> tuple[int, bool]:
    """``step(most)`` takes at most so many iterations: repeat until it met its rule, found no step, or the time is over.

    (iterations, rule met); without a limit in one go.
    """
    if not deadline.limited:
        return step(budget)
    total, size = 0, 8
    while True:
        start, most = time.perf_counter(), min(size, budget - total)
        spent, met = step(most)
        total += spent
        if met or spent < most or total >= budget or deadline.passed:
            return total, met
        seconds = time.perf_counter() - start
        size = 2 * size if seconds < SLICE / 2 else max(size // 2, 1) if seconds > SLICE else size


def until_certified(
    problem: Problem,
    method: str,
    tolerance: float,
    deadline: Deadline,
    advance: Callable[[float], Run],
    only: float | None = None,
) -> Solution:
    """The best certified answer of ``advance(precision)`` at ever finer precisions, within the time; or that of ``only`` one.

    ``work`` has ``kernel_evaluations``, values k(x_i, x_j) computed: the whole Gram where the algorithm does not count its own.
    """
    precision = FIRST if only is None else only
    attempts: list[Attempt] = []
    best: Solution | None = None
    bounds: Mapping[str, float] = {}
    while True:
        start = time.perf_counter()
        run = advance(precision)
        W, b = weights(problem, run.alpha)
        raw = Candidate(W, b if run.b is None else run.b, run.alpha)
        goes_on = only is None and run.met and precision > LAST and not deadline.passed
        candidate, certificate = finish(problem, raw, math.inf, deadline)
        falls = best is None or certificate.relative_gap < FALLING * best.certificate.relative_gap
        if only is None and certificate.relative_gap > tolerance and not (goes_on and falls):
            candidate, certificate = finish(problem, raw, tolerance, deadline)
        gap = certificate.relative_gap
        said = (
            f"precision {precision:.0e}"
            if run.met
            else "max_seconds"
            if deadline.passed
            else run.words
            if run.words
            else "stalled at rounding level"
            if run.stalled
            else "budget spent"
        )
        attempts.append(Attempt(method, said, gap, time.perf_counter() - start))
        worth = gap, certificate.upper
        if best is None or worth < (best.certificate.relative_gap, best.certificate.upper):
            best, bounds = (
                Solution(problem, candidate, certificate, method, run.backend, tolerance, ()),
                run.bounds,
            )
        if best.converged or not goes_on:
            work = {"kernel_evaluations": problem.n**2, **run.work, **bounds}
            return replace(best, attempts=tuple(attempts), work=work)
        precision /= 10


def own_rule(epsilon: float | None, unit: float = 1.0) -> float | None:
    """An option ``epsilon``, the paper's bound on the violation, as the precision that ``unit`` makes of it."""
    if epsilon is None:
        return None
    number = real_number(epsilon)
    if number is None or not 0 < number < math.inf:
        raise DataError("epsilon", "be positive, or None to reach the tolerance", repr(epsilon))
    return number / unit


def positive_integer(name: str, value: int) -> int:
    """``value`` as a positive integer, or a DataError."""
    number = real_number(value)
    if number is None or number != int(number) or number < 1:
        raise DataError(name, "be a positive integer", repr(value))
    return int(number)


def natural_number(name: str, value: int) -> int:
    """``value`` as an integer from 0 on, or a DataError."""
    number = real_number(value)
    if number is None or number != int(number) or number < 0:
        raise DataError(name, "be a non-negative integer", repr(value))
    return int(number)
