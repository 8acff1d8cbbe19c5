"""The solvers behind cvxpy: one tolerance translated for each, their statuses mapped to ours.

A status is hearsay. It is recorded, and the certificate decides.
"""

from __future__ import annotations

import contextlib
import io
import math
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cvxpy as cp
import numpy as np
from scipy import sparse

from msvm_ref.errors import BackendError
from msvm_ref.model.arrays import Array
from msvm_ref.solvers.presolve import Presolved


@lru_cache(maxsize=1)
def installed_solvers() -> frozenset[str]:
    """What cvxpy finds; asked once, since the answer takes 8 ms and does not change."""
    return frozenset(cp.installed_solvers())


_OURS = {cp.OPTIMAL: "solved", cp.OPTIMAL_INACCURATE: "inaccurate", "user_limit": "inaccurate"}
Options = Callable[[float], dict[str, Any]]


@dataclass(frozen=True)
class BackendReport:
    """What a backend said: "solved", "inaccurate" or "failed" (with its own words), and how long it took."""

    status: str
    words: str
    seconds: float


@dataclass(frozen=True)
class Backend:
    """A solver cvxpy can call; ``options`` translates the relative accuracy asked of it."""

    name: str
    options: Options
    package: str
    clock: str | None = None  # its option for a limit in seconds
    again: bool = True  # ask a second time, for more digits, where the first answer fell short?

    @property
    def installed(self) -> bool:
        return self.name in installed_solvers()

    def run(self, problem: cp.Problem, accuracy: float, seconds: float = math.inf) -> BackendReport:
        """Solve in place, within the seconds where it has a clock; what a solver does wrong is reported, never raised."""
        start, options = time.perf_counter(), self.options(accuracy)
        if self.clock and seconds < math.inf:
            options[self.clock] = max(seconds, 1e-3)
        try:
            with (
                interrupt_kept(),
                warnings.catch_warnings(),
                contextlib.redirect_stdout(io.StringIO()),
            ):  # OSQP prints whatever it is told
                warnings.simplefilter("ignore")
                problem.solve(solver=self.name, **options)
        except (cp.error.SolverError, ValueError, ArithmeticError, RuntimeError) as error:
            words = f"{type(error).__name__}: {error}".splitlines()[0][:120]
            return BackendReport("failed", words, time.perf_counter() - start)
        words = str(problem.status)
        return BackendReport(_OURS.get(words, "failed"), words, time.perf_counter() - start)


@contextlib.contextmanager
def interrupt_kept() -> Iterator[None]:
    """Ctrl-C while a backend runs is KeyboardInterrupt when it returns: OSQP and ECOS catch the signal themselves, call it a
    failure, and the next backend would be asked as if nothing had happened.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


KNOWN: dict[str, Backend] = {
    backend.name: backend
    for backend in (
        Backend(
            "PIQP",
            lambda tol: {
                "eps_abs": tol / 10,
                "eps_rel": tol / 10,
                "eps_duality_gap_abs": tol / 10,
                "eps_duality_gap_rel": tol / 10,
                "max_iter": 250,
            },
            "piqp",
        ),
        Backend(
            "CLARABEL",
            lambda tol: {
                "tol_gap_abs": tol / 10,
                "tol_gap_rel": tol / 10,
                "tol_feas": tol / 10,
                "max_iter": 200,
                "max_threads": 1,
            },
            "clarabel",
            "time_limit",
        ),
        Backend(
            "ECOS",
            lambda tol: {
                "abstol": tol / 10,
                "reltol": tol / 10,
                "feastol": tol / 10,
                "max_iters": 300,
            },
            "ecos",
        ),
        Backend(
            "QOCO", lambda tol: {"abstol": tol / 10, "reltol": tol / 10, "max_iters": 300}, "qoco"
        ),
        Backend(
            "OSQP",
            lambda tol: {
                "eps_abs": tol,
                "eps_rel": tol,
                "max_iter": 20_000,
                "polishing": True,
                "adaptive_rho_interval": 50,
            },
            "osqp",
            "time_limit",
        ),
    )
}


def quick(rho: float | None = None) -> Backend:
    """A first try for wide problems: one factorisation, and the polish supplies the digits where it finds the active set."""
    settings = {"eps_abs": 1e-6, "eps_rel": 1e-6, "max_iter": 1000, "polishing": True}
    settings |= {} if rho is None else {"rho": rho}
    return Backend("OSQP", lambda tol: dict(settings), "osqp", "time_limit", again=False)


WIDE, VAST = 180, 600
"""Orders of the matrix from which ``quick`` beats interior points, and CLARABEL, which factorises by dense blocks, both."""

CHAIN = ("PIQP", "CLARABEL", "ECOS", "QOCO", "OSQP")
"""The default order; those not installed are left out (PIQP is the fastest, CLARABEL the most robust, QOCO optional)."""


def weighted_square(x: Any, h: Array) -> Any:
    """sum_j h_j x_j^2 (0 for no x), in the form cvxpy hands on without further variables."""
    if x is None:
        return 0
    if (h == h[0]).all():
        return float(h[0]) * cp.sum_squares(x)
    return cp.quad_form(x, sparse.diags_array(h, format="csc"), assume_PSD=True)


def shift_of(given: Presolved, V: Any) -> tuple[Any, list[Any]]:
    """u of ``presolve`` for the stacked weights V of the classes, with what ties it to them; None where there is none."""
    if given.shift == "none" or V is None:
        return (None, []) if given.shift != "free" else (cp.Variable(given.problem.d), [])
    u = cp.Variable(given.problem.d)
    if given.shift == "free":
        return u, []
    unit = 2.0 ** np.frexp(abs(given.t).max())[1]
    tie = sparse.kron(sparse.eye_array(given.problem.d), given.t[None, :] / unit, format="csr")
    return u, [tie @ V == u / unit]


def chain(name: str | None, order: int, rho: float | None = None) -> list[Backend]:
    """The backends to try: the named one alone, or the installed ones, as suits the ``order`` of the matrix they factorise.

    ``rho`` is OSQP's first step (its own: 0.1), for ``quick``.
    """
    if name is not None:
        return [find(name)]
    names = CHAIN if order < WIDE else ("CLARABEL", *(n for n in CHAIN if n != "CLARABEL"))
    first = [quick(rho)] if WIDE <= order < VAST else []
    return [backend for backend in (*first, *map(KNOWN.__getitem__, names)) if backend.installed]


def clocked(backends: list[Backend], short: bool, named: bool) -> list[Backend]:
    """Those that can keep a limit in seconds: with a clock of their own, or any where the problem is ``short``."""
    keep = [b for b in backends if b.clock or short]
    if not keep or (named and len(keep) < len(backends)):
        raise BackendError(
            "backend",
            "have a time limit of its own for max_seconds on a problem of this size",
            ", ".join(b.name for b in backends if not b.clock) or "none",
            "CLARABEL and OSQP have one; or method='fast'",
        )
    return keep


def find(name: str) -> Backend:
    """The backend of that name (any case), ours or another one cvxpy finds; BackendError names the remedy."""
    if not isinstance(name, str):
        raise BackendError("backend", "be a solver's name", repr(name))
    upper = name.upper()
    backend = KNOWN.get(upper, Backend(upper, lambda tol: {}, upper.lower()))
    if backend.installed:
        return backend
    if upper in KNOWN:
        raise BackendError(
            f"backend {upper}",
            "be installed",
            "no such solver in cvxpy",
            f"install it with: pip install {backend.package}",
        )
    raise BackendError(
        "backend", f"be one of {', '.join(sorted({*KNOWN, *installed_solvers()}))}", repr(name)
    )
