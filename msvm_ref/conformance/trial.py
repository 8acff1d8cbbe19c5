"""Trial: one solver with what it claims to solve. Poses cases in its convention, fits them, and has them certified."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from msvm_ref.conformance.adapters import Fitted, Solver
from msvm_ref.conformance.asked import PATIENCE, Asked
from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.fitted import read
from msvm_ref.conformance.stopping import StoppingRule
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped, TruthTooWide, ask
from msvm_ref.errors import DataError
from msvm_ref.judge.certificate import Certificate
from msvm_ref.model.conventions.convention import Convention, Posed
from msvm_ref.model.kernels import Kernel
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Bias, Problem
from msvm_ref.solvers.certifying import certify
from msvm_ref.solvers.solution import Solution

if TYPE_CHECKING:
    from msvm_ref.conformance.finding import Diagnosis


LARGE = 150
"""Above so many examples the fast method makes the ground truth; what it is worth is certified as ever."""


@dataclass(frozen=True, eq=False)
class Trial:
    """The unit every check works on. Ground truths are kept, so a case is solved once however many checks use it."""

    solver: Solver
    """What is on trial."""
    convention: Convention
    """The problem it claims to solve, as it writes it."""
    tolerance: float
    """The certified relative error it is allowed."""
    tie: Literal["first", "last"] | None
    """Which of equal scores wins, or None where that is not checked."""
    kernel: Kernel
    """The kernel of every problem."""
    cases: tuple[Case, ...]
    """The user's own data, beside the suite's."""
    rule: StoppingRule | None = None
    """Where given, each problem's tolerance is what the solver's own stopping rule promises there."""
    truths: dict[Any, Solution] = field(default_factory=dict, repr=False)
    """Certified ground truths by problem."""
    gaps: list[dict[str, Any]] = field(default_factory=list, repr=False)
    """Every certificate asked for: case, n, d, relative error, ... in the convention's units. The report plots it."""
    asked: Asked = field(default_factory=Asked, repr=False)
    """What a program has answered, and how long it took."""

    @staticmethod
    def of(
        solver: Solver,
        convention: Convention,
        bias: Bias | None,
        tolerance: float,
        tie: Any,
        kernel: Kernel,
        cases: tuple[Case, ...],
        rule: StoppingRule | None,
        truths: dict[Any, Solution],
        patience: float = PATIENCE,
    ) -> Trial:
        treatment = convention.bias_of(bias)
        if getattr(solver, "without_intercept", False):
            treatment = "none"
        scaling = getattr(solver, "intercept_scaling", None)
        if scaling is None or treatment != "penalized":
            scaling = convention.intercept_scaling
        known = replace(convention, bias=treatment, intercept_scaling=float(scaling))
        asked = Asked(patience)
        return Trial(solver, known, tolerance, tie, kernel, cases, rule, truths, asked=asked)

    @property
    def machine(self) -> Machine:
        assert self.convention.machine is not None, "for_machine() ties a convention to a machine"
        return self.convention.machine

    @property
    def d(self) -> int:
        return 2 if self.convention.binary else 3

    def shaped(self, case: Case) -> Case:
        """The case, cut to two classes where the solver has no more."""
        return case.first(2) if self.d == 2 and case.classes is None else case

    def pose(self, case: Case, machine: Machine | None = None, bias: Bias | None = None) -> Posed:
        """The case as our problem, reached through the solver's own constant."""
        convention = self.convention if bias is None else replace(self.convention, bias=bias)
        if machine is not None:
            convention = replace(convention, machine=machine)
        return convention.pose(
            case.X,
            case.y,
            self.constant(case),
            kernel=self.kernel,
            sample_weight=case.weights,
            classes=case.classes,
        )

    def constant(self, case: Case) -> float:
        d = len(case.classes) if case.classes is not None else len(np.unique(case.y))
        return self.convention.from_C(case.C, len(case.y), d)

    def fit(
        self, case: Case, X: Any = None, solver: Solver | None = None, again: bool = False
    ) -> Fitted:
        """The solver's own fit of a case (X in another memory layout or type where given).

        A program that has answered it before is asked only where ``again`` says so.
        """
        data = np.array(case.X) if X is None else X
        chosen = solver or self.copied()
        more = (
            {}
            if case.class_weight is None
            else {"class_weight": dict(enumerate(case.class_weight))}
        )
        weight = None if case.sample_weight is None else np.array(case.sample_weight)
        y, C = np.array(case.y), self.constant(case)

        def fit() -> Fitted:
            return read(ask(chosen.fit, data, y, C, weight, case.classes, **more))

        same = solver is None and not again and getattr(self.solver, "forgets", False)
        content = (
            np.asarray(v, dtype=float).tobytes()
            for v in (data, y, 1.0 if weight is None else weight)
        )
        return self.timed(
            fit,
            (self.solver, data.shape, C, case.classes, case.class_weight, *content)
            if same
            else None,
        )

    def timed(self, fit: Callable[[], Fitted], key: Hashable | None = None) -> Fitted:
        """A fit; of a program, within the time it has."""
        is_program = getattr(self.solver, "is_program", False)
        return self.asked.fit(fit, key) if is_program else fit()

    def copied(self) -> Solver:
        """A solver of its own for one fit."""
        copy: Solver = ask(self.solver.copy)
        return copy

    def truth(self, problem: Problem) -> Solution:
        from msvm_ref.solvers.methods import solve

        key = key_of(problem)
        if key not in self.truths:
            large = problem.n > LARGE and problem.is_linear
            self.truths[key] = solve(problem, method="fast" if large else "primal")
        return self.truths[key]

    def candidate(self, posed: Posed, fitted: Fitted, primal_only: bool = True) -> dict[str, Any]:
        """Keywords for ``certify``, columns in the problem's order of classes; CheckFailed where they make no candidate."""
        theirs = _ordered(posed.problem, fitted)
        if primal_only and any(theirs[k] is not None for k in ("W", "coef", "scores")):
            theirs["alpha"] = None
        kernel = posed.problem.is_linear
        if theirs["W"] is not None and kernel:
            theirs["coef"] = theirs["scores"] = None
        elif theirs["coef"] is not None:
            theirs["W"] = theirs["scores"] = None
        elif theirs["scores"] is not None:
            theirs["W"] = theirs["b"] = None
        try:
            return posed.ours(**theirs)
        except DataError as error:
            raise CheckFailed(f"what it returned is no candidate: {error}") from error

    def judge(
        self, case: Case, fitted: Fitted, primal_only: bool = True
    ) -> tuple[Certificate, Posed, dict[str, Any]]:
        posed = self.pose(case)
        given = self.candidate(posed, fitted, primal_only)
        truth = self.truth(posed.problem)
        if (
            truth.certificate.relative_gap > self.allowed(posed) / 10
        ):  # never blame a solver for a loose bound of ours
            raise TruthTooWide(case.name, truth.certificate.relative_gap)
        try:
            certificate = certify(posed.problem, **given, reference=truth)
        except DataError as error:
            raise CheckFailed(f"{case.name}: what it returned is no candidate: {error}") from error
        self.gaps.append(
            {
                "case": case.name,
                "n": posed.problem.n,
                "d": posed.problem.d,
                "error": error_of(certificate),
                "allowed": self.allowed(posed),
                "converged": fitted.converged,
                "constant": posed.constant,
                "optimum": posed.objective(certificate.lower),
            }
        )
        return certificate, posed, given

    def allowed(self, posed: Posed) -> float:
        """The relative gap this problem may be solved to."""
        promised = (
            None
            if self.rule is None
            else self.rule.relative(posed, self.truth(posed.problem).certificate.lower)
        )
        return self.tolerance if promised is None else promised

    def require_optimal(self, case: Case, fitted: Fitted, what: str = "") -> Certificate:
        """CheckFailed unless the fit is within ``tolerance`` of the case's certified optimum."""
        certificate, posed, given = self.judge(case, fitted)
        error, allowed = error_of(certificate), self.allowed(posed)
        if not error <= allowed:
            low, high = posed.objective(certificate.lower), posed.objective(certificate.upper)
            value = (
                certificate.primal_value
                if certificate.primal_value is not None
                else certificate.dual_value
            )
            raise CheckFailed(
                f"{case.name}{what}: objective {posed.objective(value or 0.0):.8g} where the optimum lies in "
                f"[{low:.10g}, {high:.10g}] ({self.convention.name} units, constant {posed.constant:.6g}); "
                f"error {error:.2g} > {allowed:.3g}"
                + (
                    ""
                    if fitted.converged is not False
                    else "; it says itself that it did not converge"
                ),
                {
                    "case": case.literal(),
                    "lower": low,
                    "upper": high,
                    "certificate": certificate.to_dict(),
                },
                (posed.problem, given),
                case,
            )
        return certificate

    def require_base(self, case: Case) -> Fitted:
        """A fit of ``case`` that is optimal, or CheckSkipped: a symmetry says nothing about a solver that is off anyway."""
        fitted = self.fit(case)
        certificate, posed, _ = self.judge(case, fitted)
        error = error_of(certificate)
        if not error <= self.allowed(posed):
            raise CheckSkipped(f"{case.name} itself is off by {error:.2g}, see check_optimality")
        return fitted

    def diagnosis(self, failure: CheckFailed, besides: Collection[str] = ()) -> Diagnosis:
        """Which problem the failed candidate solves instead, besides those that are known to be coincidences."""
        from msvm_ref.conformance.diagnosis import diagnose

        assert failure.candidate is not None
        problem, given = failure.candidate
        return diagnose(problem, **given, tolerance=self.diagnosis_tolerance, besides=besides)

    @property
    def diagnosis_tolerance(self) -> float:
        """The relative gap up to which an answer is the optimum of another problem."""
        return min(self.tolerance, 1e-4)


def key_of(problem: Problem) -> tuple[Any, ...]:
    """Equal for equal problems."""
    weight = None if problem.sample_weight is None else problem.sample_weight.tobytes()
    return (
        problem.machine,
        problem.X.tobytes(),
        problem.X.shape,
        problem.y.tobytes(),
        problem.C,
        problem.bias,
        str(problem.kernel),
        problem.classes,
        weight,
    )


def error_of(certificate: Certificate) -> float:
    """Relative distance from the optimum, of the primal where there is one, else of alpha; scores must be attainable."""
    if certificate.primal_value is None:
        return certificate.dual_error
    return max(certificate.primal_error, certificate.scores_residual or 0.0)


def _ordered(problem: Problem, fitted: Fitted) -> dict[str, Any]:
    """The solver's arrays with columns in ``problem.classes`` order."""
    theirs = {k: getattr(fitted, k) for k in ("W", "b", "coef", "scores", "alpha")}
    if all(theirs[k] is None for k in ("W", "coef", "scores", "alpha")):
        raise CheckFailed("it returned none of W, coef, scores and alpha")
    if set(fitted.classes) != set(problem.classes):
        raise CheckFailed(
            f"its classes are {list(fitted.classes)}, the data's {list(problem.classes)}"
        )
    order = [fitted.classes.index(c) for c in problem.classes]
    for name, value in theirs.items():
        if value is None:
            continue
        if value.shape[-1:] != (problem.d,):
            raise CheckFailed(
                f"{name} has shape {value.shape}; its last axis must be the {problem.d} classes"
                + (
                    "; transposed?"
                    if name == "W" and value.shape == (problem.d, problem.X.shape[1])
                    else ""
                )
            )
        theirs[name] = value[..., order]
    return theirs
