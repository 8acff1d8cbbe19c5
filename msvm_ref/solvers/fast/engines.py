"""Which engine a problem is solved by, and the kernel rows it shares with others."""

from __future__ import annotations

from functools import partial

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.kernel_cache import Rows, rows, suits_single
from msvm_ref.solvers.fast.kernel_engine import KernelEngine
from msvm_ref.solvers.fast.linear_engine import SINGLE_GAP, LinearEngine, bears_rounding
from msvm_ref.solvers.workspace import Workspace


def engine_for(
    problem: Problem, machine: Blocks, cache_mb: float, workspace: Workspace, tolerance: float
) -> Engine:
    """One that may round while the gap is wide, or ``tolerance``."""
    if problem.is_linear:
        gap = max(tolerance, SINGLE_GAP)
        linear = LinearEngine(problem, machine, 0.0, bears_rounding(problem, machine, gap))
        linear.exact_from = gap if gap > tolerance else 0.0
        linear.rho = _penalty(problem, linear.squares)
        return linear
    made = partial(_rows_of, problem, cache_mb, workspace)
    kept = made(suits_single(problem, tolerance))
    exact = partial(made, False)
    return KernelEngine(problem, machine, kept, _penalty(problem, kept.diagonal), exact)


def _rows_of(problem: Problem, cache_mb: float, workspace: Workspace, single: bool) -> Rows:
    """Those of the workspace, made if need be; ``single``: of either precision."""
    kept = workspace.rows.get(cache_mb)
    if kept is None or (kept.single and not single):
        kept = workspace.rows[cache_mb] = rows(problem, cache_mb, single)
    return kept


def _penalty(problem: Problem, diagonal: Array) -> float:
    """rho: 0 without a bias, 1 with a penalized one; with a free one enough for sum A, at most sum C, to move b by 1."""
    total = float(problem.costs.sum()) or 1.0
    return {"none": 0.0, "penalized": 1.0, "free": float(diagonal.mean()) + 10.0 / total}[
        problem.bias
    ]
