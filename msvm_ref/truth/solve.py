"""solve(): ask a route for a cvxpy problem, a chain of backends for answers, and the judge for the verdict."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np

from msvm_ref.errors import BackendError, DataError
from msvm_ref.judge.bias import shift_free
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.certify import judge_candidate, weights
from msvm_ref.judge.feasible import feasible_dual
from msvm_ref.judge.solution import Attempt, Solution
from msvm_ref.model.problem import Problem
from msvm_ref.truth.backends import Backend, chain, run
from msvm_ref.truth.dual import DualModel
from msvm_ref.truth.kesler import KeslerModel
from msvm_ref.truth.primal import PrimalModel


class Model(Protocol):
    """What a route offers: a compiled cvxpy problem, its costs to change, and what the backend left in it."""

    model: Any

    def set_costs(self, problem: Problem) -> None: ...
    def candidate(self) -> Candidate | None: ...


ROUTES: dict[str, type[Any]] = {"primal": PrimalModel, "dual": DualModel, "kesler": KeslerModel}


def solve(problem: Problem, method: str = "primal", backend: str | None = None, tolerance: float = 1e-9) -> Solution:
    if method not in ROUTES:
        raise DataError("method", f"be one of {', '.join(ROUTES)}", repr(method))
    if not 0 < tolerance < 1:
        raise DataError("tolerance", "lie strictly between 0 and 1", repr(tolerance))
    return _certified(problem, ROUTES[method](problem), method, chain(backend), tolerance)


def _certified(problem: Problem, model: Model, method: str, backends: list[Backend], tolerance: float) -> Solution:
    attempts: list[Attempt] = []
    best: Solution | None = None
    for backend in backends:
        for accuracy in (tolerance, tolerance * 1e-3):
            start = time.perf_counter()
            report = run(model.model, backend, accuracy)
            raw = model.candidate() if report.status != "failed" else None
            if raw is None:
                attempts.append(Attempt(backend.name, report.words, float("inf"), time.perf_counter() - start, "no answer"))
                break
            candidate, certificate = finish(problem, raw)
            attempts.append(Attempt(backend.name, report.words, certificate.relative_gap, time.perf_counter() - start))
            done = certificate.relative_gap <= tolerance
            if best is None or certificate.relative_gap < best.certificate.relative_gap:
                best = Solution(problem, candidate, certificate, method, backend.name, done, tuple(attempts))
            if done:
                return best
    if best is None:
        raise BackendError("backend", "answer", "; ".join(map(str, attempts)))
    return best


def finish(problem: Problem, raw: Candidate) -> tuple[Candidate, Certificate]:
    alpha = feasible_dual(problem, raw.alpha).alpha
    W, b = weights(problem, alpha)
    if problem.bias == "free":
        b = raw.b
    options = [Candidate(W, b, alpha)]
    if problem.is_linear:
        options.append(Candidate(raw.W, raw.b, alpha))
    cs = [judge_candidate(problem, c) for c in options]
    k = min(range(len(cs)), key=lambda i: cs[i].relative_gap)
    return options[k], cs[k]
