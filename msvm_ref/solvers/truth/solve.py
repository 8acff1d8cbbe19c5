"""A route makes a cvxpy problem, a chain of backends answers, the judge decides.

A backend is asked, its answer certified; when the certified gap is too wide it is asked again (contradicted pieces
released, or more digits asked for), then the next backend is. What each said and what it was worth stays in ``attempts``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from msvm_ref.errors import BackendError, DataError
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certify import judge
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.certifying import zero_weights
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.finish import finish
from msvm_ref.solvers.presolve import Pieces, is_stiff, presolve
from msvm_ref.solvers.solution import Attempt, Solution
from msvm_ref.solvers.truth.backends import Backend, chain, clocked, find
from msvm_ref.solvers.truth.dual import DualModel
from msvm_ref.solvers.truth.guess import exact_penalty, guess_pieces, released, sharpened
from msvm_ref.solvers.truth.kesler import KeslerModel
from msvm_ref.solvers.truth.origin import balancing
from msvm_ref.solvers.truth.primal import PrimalModel
from msvm_ref.solvers.workspace import Workspace

SHORT_WEIGHTS, SHORT_PAIRS = 300, 3000
"""Sizes up to which any backend answers in a fraction of a second."""
FLOPS, ENTRIES = 5e8, 5e6
"""Operations of a sparse factorisation, and coefficients cvxpy compiles, in a second."""
RHO_KERNEL, RHO_SUM_TO_ZERO = 4.0, 0.4
"""OSQP's first step with a kernel, and with a linear one under sum-to-zero: on the benchmark half the iterations of its own."""
ROUNDS = 8
"""How often one backend may be asked again because the pieces it was given were contradicted."""


class Model(Protocol):
    """What a route offers: a compiled cvxpy problem, its costs to change, and what a backend left in it."""

    model: Any

    def set_costs(self, problem: Problem) -> None: ...
    def candidate(self) -> Candidate | None: ...


ROUTES: dict[str, Any] = {"primal": PrimalModel, "dual": DualModel, "kesler": KeslerModel}


Backends = str | Sequence[str | Backend] | None


def solve_primal(
    problem: Problem,
    *,
    tolerance: float,
    backend: Backends = None,
    max_seconds: float = math.inf,
    workspace: Workspace | None = None,
) -> Solution:
    """By the loss composition, min 1/2 ||W||^2 + sum_i C_i L(f(x_i), y_i)."""
    return _solve(problem, "primal", backend, tolerance, max_seconds, workspace)


def solve_dual(
    problem: Problem,
    *,
    tolerance: float,
    backend: Backends = None,
    max_seconds: float = math.inf,
    workspace: Workspace | None = None,
) -> Solution:
    """By the unified dual with its kernel modifiers M."""
    return _solve(problem, "dual", backend, tolerance, max_seconds, workspace)


def solve_kesler(
    problem: Problem,
    *,
    tolerance: float,
    backend: Backends = None,
    max_seconds: float = math.inf,
    workspace: Workspace | None = None,
) -> Solution:
    """By Kesler's construction, a single-class SVM."""
    return _solve(problem, "kesler", backend, tolerance, max_seconds, workspace)


def _solve(
    problem: Problem,
    method: str,
    backend: Backends,
    tolerance: float,
    max_seconds: float,
    workspace: Workspace | None,
) -> Solution:
    deadline = Deadline.of("max_seconds", max_seconds)
    search = _BackendSearch(problem, method, tolerance, deadline, workspace, [])
    asked = search.backends(backend)
    if backend is None and search.is_zero():
        asked = []
    for solver in asked:
        if search.ask(solver):
            break
    return search.outcome()


def setup_seconds(problem: Problem) -> float:
    """What building the model and factorising it takes at most, roughly: neither can be stopped half-way."""
    width, rows = problem.features.shape[1] * problem.d, problem.n * problem.d
    return float(width * width * min(width, rows) / (3 * FLOPS) + rows * width / ENTRIES)


@dataclass
class _BackendSearch:
    """The state of one solve: what was tried, and the best certified answer so far."""

    problem: Problem
    method: str
    tolerance: float
    deadline: Deadline
    workspace: Workspace | None
    attempts: list[Attempt]
    best: Solution | None = None
    pieces: Pieces | None = field(default=None)

    def backends(self, backend: Backends) -> list[Backend]:
        """Who is asked, in that order."""
        if backend is None or isinstance(backend, str):
            zero = RHO_SUM_TO_ZERO if self.problem.spec.sum_to_zero else None
            rho = zero if self.problem.is_linear else RHO_KERNEL
            asked = chain(backend, self._order(), rho)
        elif isinstance(backend, Sequence):
            asked = [b if isinstance(b, Backend) else find(b) for b in backend]
        else:
            raise DataError("backend", "be a solver's name or a sequence of them", repr(backend))
        weights, pairs = (
            self.problem.features.shape[1] * self.problem.d,
            self.problem.n * self.problem.d,
        )
        short = weights <= SHORT_WEIGHTS and pairs <= SHORT_PAIRS
        return clocked(asked, short, backend is not None) if self.deadline.limited else asked

    def _order(self) -> int:
        """Of the matrix a backend factorises: as many as there are unknowns or hinges, whichever are fewer."""
        if self.method == "primal" and not self.deadline.limited:
            self.pieces = guess_pieces(self.problem)
        hinge = (self.pieces or Pieces.unknown(self.problem)).hinge
        examples, d = int(hinge.any(axis=1).sum()), self.problem.d
        columns = min(int(self.problem.features.shape[1]), examples + d)
        return min(int(hinge.sum()), d * columns)

    def ask(self, backend: Backend) -> bool:
        """Let one backend try; True when the judge is satisfied, or nobody else need try."""
        if self.deadline.passed:
            return True
        if self.deadline.limited and setup_seconds(self.problem) > self.deadline.left:
            self._note(backend, "max_seconds", math.inf, time.perf_counter(), "not asked")
            return False
        models = {} if self.workspace is None else self.workspace.models
        kept = models.pop(self.method, None)  # taken while in use: no two solves share it
        if (
            kept is not None and 1e-3 <= self.problem.C / kept[1] <= 1e3
        ):  # beyond, its scaling would no longer suit
            kept[0].set_costs(self.problem)
            done = self._rounds(kept[0], backend)
            models[self.method] = kept
            if done:
                return True
        model, whole = self._model()
        try:
            if self._rounds(model, backend):
                return True
        finally:
            if whole:
                models[self.method] = (model, self.problem.C)
        if backend.again and is_stiff(self.problem):
            self.pieces = Pieces.unknown(self.problem)
            return self._rounds(ROUTES[self.method](presolve(self.problem, stiff=True)), backend)
        return False

    def _model(self) -> tuple[Model, bool]:
        if self.method != "primal":
            return ROUTES[self.method](presolve(self.problem)), True
        if self.pieces is None:
            self.pieces = guess_pieces(self.problem)
        whole = bool(self.pieces.hinge.sum() == Pieces.unknown(self.problem).hinge.sum())
        kept = whole and self.workspace is not None
        return PrimalModel(presolve(self.problem, self.pieces), kept), whole

    def _rounds(self, model: Model, backend: Backend) -> bool:
        accuracy, exact = self.tolerance, False
        for _ in range(ROUNDS):
            raw, revised = self._attempt(model, backend, accuracy)
            if self.best is not None and self.best.converged:
                return True
            if raw is None:
                return False
            if revised is None and exact:
                return False
            if revised is None:
                accuracy, exact = self.tolerance * 1e-3, True
                if isinstance(model, PrimalModel):
                    revised = sharpened(self.problem, raw)
                if not backend.again:
                    self.pieces = revised
                    return False
            if revised is not None:
                self.pieces = revised
                ceiling = exact_penalty(self.problem, raw) if exact else np.inf
                model = PrimalModel(presolve(self.problem, revised, ceiling))
        return False

    def _attempt(
        self, model: Model, backend: Backend, accuracy: float
    ) -> tuple[Candidate | None, Pieces | None]:
        """What the backend left, and the pieces as that revises them (None: it contradicts none)."""
        start = time.perf_counter()
        if self.deadline.passed:
            self._note(backend, "max_seconds", math.inf, start, "not asked")
            return None, None
        limit = (self.deadline.left,) if self.deadline.limited else ()
        report = backend.run(model.model, accuracy, *limit)
        raw = model.candidate() if report.status != "failed" else None
        if raw is None:
            self._note(backend, report.words, float("inf"), start, "no answer")
            return None, None
        pieces = self.pieces if isinstance(model, PrimalModel) else None
        revised = None if pieces is None else released(self.problem, pieces, raw)
        last = backend.again and revised is None  # otherwise somebody is asked again, whatever
        hopeless = math.inf if last else 100 * self.tolerance
        candidate, certificate = finish(self.problem, raw, self.tolerance, self.deadline, hopeless)
        gap = certificate.relative_gap
        lied = report.status == "solved" and gap > 1e-3
        self._note(backend, report.words, gap, start, "its status is not borne out" if lied else "")
        if self.best is None or gap < self.best.certificate.relative_gap:
            self.best = Solution(
                self.problem, candidate, certificate, self.method, backend.name, self.tolerance, ()
            )
        return raw, revised

    def _note(self, backend: Backend, words: str, gap: float, start: float, note: str) -> None:
        self.attempts.append(Attempt(backend.name, words, gap, time.perf_counter() - start, note))

    def is_zero(self) -> bool:
        """Do the guess's multipliers, balanced, show W = 0 to be the solution? Then nobody need be asked."""
        if self.pieces is None or self.pieces.tied is None:
            return False
        alpha = balancing(self.problem, self.pieces.tied)
        if alpha is not None:
            self._origin(alpha, "balanced")
        return self.best is not None and self.best.converged

    def _origin(self, alpha: Array, words: str) -> None:
        """W = 0, judged with these multipliers."""
        start = time.perf_counter()
        origin = zero_weights(self.problem, np.zeros(self.problem.d), alpha)
        certificate = judge(self.problem, origin)
        self.best = Solution(
            self.problem, origin, certificate, self.method, "none", self.tolerance, ()
        )
        gap, spent = certificate.relative_gap, time.perf_counter() - start
        self.attempts.append(Attempt("none", words, gap, spent, "the origin"))

    def outcome(self) -> Solution:
        unasked = self.deadline.passed or any(a.status == "max_seconds" for a in self.attempts)
        if self.best is None and unasked:
            self._origin(np.zeros((self.problem.n, self.problem.d)), "max_seconds")  # no time
        if self.best is None:
            tried = "; ".join(map(str, self.attempts)) or "no backend to try"
            raise BackendError("backend", "answer", tried, "pip install clarabel osqp ecos")
        return replace(self.best, attempts=tuple(self.attempts))
