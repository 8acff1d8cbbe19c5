"""solve(): one door to every solver. A method is a name and the function behind it, loaded when it is asked for.

    ground truth       primal, dual, kesler                    cvxpy, any backend (truth/)
    fast               block-coordinate ascent and Newton      numba (fast/)
    the papers' own    m1-smo, m1-ksk, sor, nearest-point      numba (classic/): Franc, Hlavac and their follow-ups
                       bsvm, cs-decomposition                  numba (classic/): Hsu, Lin
                       acf                                     numba (classic/): Glasmachers, Dogan
                       larank                                  numba (classic/): Bordes, Bottou, Gallinari, Weston
                       cutting-plane                           cvxpy master (classic/): Tsochantaridis et al., Joachims et al.
                       uv-smo, alternation                     numba (classic/): Dogan, Glasmachers, Igel
    rationals          exact                                   small problems of any scale, rounded once (rational)
    one of these       auto                                    by the problem's size, and another where that falls short

A method takes ``(problem, *, tolerance, **options)`` and returns a certified ``Solution``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import real_number
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.solution import Solution
from msvm_ref.solvers.workspace import Workspace
from msvm_ref.threads import one_thread, workers

METHODS = {
    "primal": "msvm_ref.solvers.truth.solve:solve_primal",
    "dual": "msvm_ref.solvers.truth.solve:solve_dual",
    "kesler": "msvm_ref.solvers.truth.solve:solve_kesler",
    "fast": "msvm_ref.solvers.fast.solve:solve_fast",
    "m1-smo": "msvm_ref.solvers.classic.m1_smo:solve_m1_smo",
    "m1-ksk": "msvm_ref.solvers.classic.m1_ksk:solve_m1_ksk",
    "sor": "msvm_ref.solvers.classic.sor:solve_sor",
    "nearest-point": "msvm_ref.solvers.classic.nearest_point:solve_nearest_point",
    "bsvm": "msvm_ref.solvers.classic.bsvm:solve_bsvm",
    "cs-decomposition": "msvm_ref.solvers.classic.cs_decomposition:solve_cs_decomposition",
    "uv-smo": "msvm_ref.solvers.classic.uv_smo:solve_uv_smo",
    "alternation": "msvm_ref.solvers.classic.alternation:solve_alternation",
    "acf": "msvm_ref.solvers.classic.acf:solve_acf",
    "larank": "msvm_ref.solvers.classic.larank:solve_larank",
    "cutting-plane": "msvm_ref.solvers.classic.cutting_plane:solve_cutting_plane",
    "exact": "msvm_ref.solvers.rational:solve_exact",
    "auto": "msvm_ref.solvers.automatic:solve_auto",
}


def solve(
    problem: Problem,
    method: str = "primal",
    backend: str | Sequence[Any] | None = None,
    tolerance: float = 1e-9,
    *,
    workspace: Workspace | None = None,
    n_jobs: int = 1,
    **options: Any,
) -> Solution:
    """The certified solution of ``problem`` by one of ``METHODS``.

    ``tolerance`` is a certified relative gap. ``backend`` is for the ground truth: one solver's name, or a chain of
    Backends of your own; by default the installed ones of ``backends.CHAIN`` are tried in order. ``options`` are the
    method's own (see its function). ``workspace`` keeps what solves of this problem at other C may share. ``n_jobs``
    threads (-1: one a core) make the values of an rbf or polynomial kernel, for the judge and for "fast"; the numbers are the
    same. When the tolerance is not reached the best answer comes back with ``converged=False`` and its certificate says how
    good it is.
    """
    if not isinstance(problem, Problem):
        raise DataError("problem", "be a Problem", repr(problem)[:80])
    function, number = _method(method), _tolerance(tolerance)
    if backend is not None:
        options["backend"] = backend
    known = options_of(method)
    for name in options:
        if name not in known:
            raise DataError(
                name,
                f"be an option of method {method!r}",
                f"its options are {', '.join(known) or 'none'}",
            )
    if workspace is not None:
        if not isinstance(workspace, Workspace):
            raise DataError("workspace", "be a Workspace", repr(workspace)[:80])
        workspace.claim(problem)
        if "workspace" in inspect.signature(function).parameters:
            options["workspace"] = workspace
    with one_thread(), workers(n_jobs):
        result: Solution = function(problem, tolerance=number, **options)
    return result


def solve_path(
    problem: Problem,
    Cs: Iterable[float],
    method: str = "primal",
    backend: str | None = None,
    tolerance: float = 1e-9,
    **options: Any,
) -> list[Solution]:
    """``solve`` at each C; what does not depend on C (a compiled cvxpy problem, a Gram) is made once.

    A method that can start from another solution starts from the previous one.

    (A primal large enough for guessed pieces is reduced anew at each C instead: compiling the small problem and solving
    it costs a fraction of solving the whole one.)
    """
    _method(method), _tolerance(tolerance)
    if not isinstance(Cs, Iterable):
        raise DataError("Cs", "be a sequence of C", repr(Cs))
    warm = "start" in inspect.signature(_method(method)).parameters
    path: list[Solution] = []
    workspace = Workspace()
    for C in Cs:
        if warm and path:
            options["start"] = path[-1]
        at = problem.with_C(C)
        path.append(solve(at, method, backend, tolerance, workspace=workspace, **options))
    return path


def options_of(method: str) -> tuple[str, ...]:
    """The options a method takes beside the tolerance."""
    names = inspect.signature(_method(method)).parameters
    return tuple(name for name in names if name not in ("problem", "tolerance", "workspace"))


def _method(method: str) -> Callable[..., Solution]:
    if not isinstance(method, str) or method not in METHODS:
        raise DataError("method", f"be one of {', '.join(METHODS)}", repr(method))
    module, name = METHODS[method].split(":")
    function: Callable[..., Solution] = getattr(import_module(module), name)
    return function


def _tolerance(tolerance: float) -> float:
    number = real_number(tolerance)
    if number is None or not 0 < number < 1:
        raise DataError(
            "tolerance", "lie strictly between 0 and 1", repr(tolerance), "it is a relative gap"
        )
    return number
