"""method="fast": block-coordinate ascent over examples, a Newton polish for the last digits, and the judge's last word.

The loop watches the duality gap of its own floats; when that is small enough the candidate goes to ``certify``, and only
the certified relative gap ends the solve (or, on request, the papers' KKT rule). Where few examples matter, subsets of them
grow first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import real_number
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.fast.aim import Aim
from msvm_ref.solvers.fast.ascent import BlockAscent, SubsetAscent, scaled, solution_of
from msvm_ref.solvers.fast.interrupt import Interruptible
from msvm_ref.solvers.fast.kernel_cache import fits_whole, suits_single
from msvm_ref.solvers.fast.subsets import Climbed, Grown, grow, suited
from msvm_ref.solvers.finish import finish
from msvm_ref.solvers.solution import Solution
from msvm_ref.solvers.workspace import Workspace
from msvm_ref.threads import one_thread

MOST_PASSES, CACHE_MB = 100_000, 1000.0


def solve_fast(
    problem: Problem,
    *,
    tolerance: float,
    max_iter: int = MOST_PASSES,
    max_seconds: float = np.inf,
    seed: int = 0,
    cache_mb: float = CACHE_MB,
    stop: Literal["gap", "kkt"] = "gap",
    kkt: float = 1e-3,
    start: Solution | Candidate | None = None,
    progress: Callable[[float], None] | None = None,
    on_interrupt: Literal["raise", "best"] = "raise",
    workspace: Workspace | None = None,
    one_by_one: bool = False,
) -> Solution:
    """Certified to ``tolerance``, or the best certified candidate with ``converged=False`` after ``max_iter`` passes over
    the examples or ``max_seconds``. ``cache_mb`` bounds the kernel rows kept, ``start`` (a Solution of the same data, or a
    Candidate with alpha) warm-starts, ``progress`` is told the share of the way to the tolerance that is done. stop="kkt" ends
    at the papers' rule instead: no KKT violation above ``kkt``. Ctrl-C raises
    KeyboardInterrupt; with on_interrupt="best" the first one ends the solve like ``max_seconds`` does. ``one_by_one`` visits
    even a few hundred examples one at a time instead of all together: faster where many such problems share one process, as
    that is compiled code, which takes half a minute to make the first time and a second to load.
    """
    _check(problem, max_iter, max_seconds, seed, cache_mb, stop, kkt, start)
    if not isinstance(one_by_one, bool):
        raise DataError("one_by_one", "be True or False", repr(one_by_one))
    if on_interrupt not in ("raise", "best"):
        raise DataError("on_interrupt", "be 'raise' or 'best'", repr(on_interrupt))
    deadline, before = Deadline(max_seconds), Grown(None)
    workspace = workspace or Workspace()

    def ascend(
        part: Problem, to: float, at: Candidate, passes: int, seconds: float, kept: Workspace
    ) -> Climbed:
        ascent = SubsetAscent(part, Aim(to), passes, seconds, seed, cache_mb, None, at, kept)
        return ascent.climbed(interrupt)

    if stop == "gap" and not workspace.rows and suited(problem):
        at = None if start is None else scaled(problem, start)
        fits = fits_whole(problem.n, cache_mb, suits_single(problem, tolerance))
        with Interruptible(on_interrupt == "best") as interrupt:
            before = grow(problem, tolerance, max_iter, deadline, seed, fits, at, ascend, progress)
        assert before.candidate is not None
        if before.words:
            best = finish(problem, before.candidate, tolerance, deadline)
            if before.words != "certified" or best[1].relative_gap <= tolerance:
                return solution_of(problem, tolerance, best, before.words, deadline, before.work)
        start = before.candidate
    ascent = BlockAscent(
        problem,
        Aim(tolerance),
        max_iter,
        max_seconds,
        seed,
        cache_mb,
        kkt if stop == "kkt" else None,
        start,
        workspace,
        before.work,
        one_by_one,
    )
    ascent.stopping.deadline = deadline  # it began with the subsets
    return ascent.run(progress, Interruptible(on_interrupt == "best"))


def propose(problem: Problem, tolerance: float, start: Candidate, against: float) -> Candidate:
    """A dual point with its weights for somebody's candidate worth ``against``: good to ``tolerance``, or enough for an
    enclosure at most twice as wide as that candidate is wrong (``aim.py``). It is judged by whoever asked.
    """
    workspace, aim = Workspace(), Aim(tolerance, against)
    with one_thread():
        return BlockAscent(
            problem, aim, MOST_PASSES, np.inf, 0, CACHE_MB, None, start, workspace
        ).propose()


def _check(
    problem: Problem,
    max_iter: int,
    max_seconds: float,
    seed: int,
    cache_mb: float,
    stop: str,
    kkt: float,
    start: Solution | Candidate | None,
) -> None:
    if isinstance(max_iter, bool) or not isinstance(max_iter, (int, np.integer)) or max_iter < 1:
        raise DataError("max_iter", "be a positive integer", repr(max_iter))
    for name, value in (("max_seconds", max_seconds), ("cache_mb", cache_mb), ("kkt", kkt)):
        if value != np.inf and not (real_number(value) or 0.0) > 0:
            raise DataError(name, "be a positive number", repr(value))
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise DataError("seed", "be a non-negative integer", repr(seed))
    if stop not in ("gap", "kkt"):
        raise DataError("stop", "be 'gap' or 'kkt'", repr(stop))
    if start is not None and (
        not isinstance(start, (Solution, Candidate))
        or start.alpha is None
        or start.alpha.shape != (problem.n, problem.d)
    ):
        raise DataError(
            "start", "be a Solution with as many examples and classes", repr(start)[:80]
        )
