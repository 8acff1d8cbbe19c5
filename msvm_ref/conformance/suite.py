"""check_solver and parametrize: every check over one solver, as records or as pytest parameters.

    passed record   the property holds on every case the check tries, by certificate
    failed record   a case on which it does not, with numbers, enclosure and (for optimality) a diagnosis
    skipped record  the solver does not offer what the check needs, or the check cannot tell; never counted as passed

``expected_failures={check: reason}`` is strict: an expected failure that passes, or names no check, is a failure.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from msvm_ref.conformance.adapters import as_solver
from msvm_ref.conformance.asked import PATIENCE
from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.command import CommandSolver
from msvm_ref.conformance.isolated import IsolatedSolver
from msvm_ref.conformance.stopping import StoppingRule
from msvm_ref.conformance.trial import Trial
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped, TruthTooWide
from msvm_ref.conformance.without import declared
from msvm_ref.errors import DataError, MsvmError
from msvm_ref.model.conventions.convention import Convention
from msvm_ref.model.conventions.literals import UV, convention_named
from msvm_ref.model.kernels import Kernel, linear
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Bias
from msvm_ref.solvers.solution import Solution

Status = Literal["passed", "failed", "skipped", "expected failure"]
__all__ = ["Record", "Trial", "check_solver", "make_trial", "parametrize", "run_check"]


@dataclass(frozen=True)
class Record:
    """One check's outcome. ``passed`` is True for passed, for skipped and for a failure that was expected."""

    name: str
    """The check's name."""
    status: Status
    """What became of it; only "failed" is held against the solver."""
    message: str = ""
    """Why it failed or was skipped, in words."""
    seconds: float = 0.0
    """What it took."""
    details: dict[str, Any] = field(default_factory=dict, repr=False)
    """Numbers behind a failure: the case, the enclosure, the diagnosis, the smallest example."""

    @property
    def passed(self) -> bool:
        return self.status != "failed"

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "status": self.status,
            "passed": self.passed,
            "message": self.message,
            "seconds": round(self.seconds, 4),
            **self.details,
        }

    def __str__(self) -> str:
        return f"{self.status.upper():<8} {self.name}" + (
            f": {self.message}" if self.message else ""
        )


def make_trial(
    solver: Any,
    machine: Machine | None = None,
    convention: Convention | str | None = None,
    *,
    bias: Bias | None = None,
    tolerance: float | StoppingRule = 1e-3,
    tie: Literal["first", "last"] | None = "first",
    kernel: Kernel = linear,
    parameter: str | None = None,
    cases: Sequence[Case] = (),
    truths: dict[Any, Solution] | None = None,
    isolate: bool = False,
    timeout: float = 60.0,
    without: Iterable[str] = (),
    patience: float = PATIENCE,
) -> Trial:
    """The solver with what it claims to solve; see ``check_solver`` for the arguments. ``truths`` may be shared by trials."""
    rule = tolerance if isinstance(tolerance, StoppingRule) else None
    number = 1e-3 if isinstance(tolerance, StoppingRule) else tolerance
    if not 0 < number < 1:
        raise DataError(
            "tolerance",
            "lie strictly between 0 and 1",
            repr(tolerance),
            "it is a certified relative gap",
        )
    named = (
        convention_named(convention, machine) if isinstance(convention, str) else convention or UV
    )
    judged = as_solver(solver, parameter)
    if isolate and not isinstance(judged, CommandSolver):  # a program has its own process already
        judged = IsolatedSolver(judged, timeout)
    judged = declared(judged, without)
    return Trial.of(
        judged,
        named.for_machine(machine),
        bias,
        number,
        tie,
        kernel,
        tuple(cases),
        rule,
        {} if truths is None else truths,
        patience,
    )


def check_solver(
    solver: Any,
    machine: Machine | None = None,
    convention: Convention | str | None = None,
    *,
    expected_failures: Mapping[str, str] | None = None,
    checks: Iterable[str] | None = None,
    diagnose: bool = True,
    progress: Callable[[str], None] | None = None,
    **settings: Any,
) -> list[Record]:
    """Every check (or those named) over ``solver``: an estimator, a callable (X, y, C, ...), or a Solver.

    ``tolerance``: the certified relative gap the solver must reach, or the StoppingRule from which it follows. ``bias``,
    ``machine``: where the convention leaves them open. ``tie``: "first", "last" or None (unstated). ``cases``: further Cases
    for the optimality checks. ``isolate``: run the solver in a process of its own, with ``timeout`` seconds for each call, so
    that one which hangs or crashes is a failed record and not the end of the suite. ``without``: what it is declared not to
    take ("sample_weight", "absent_class", "class_weight"); the checks that need it are skipped, which is not passing.
    ``patience``: the seconds of fits after which a program that has failed a check is asked no more.
    """
    trial = make_trial(solver, machine, convention, **settings)
    expected, chosen = _chosen(expected_failures, checks)
    tries = []
    for name in chosen:
        tries.append(attempt(trial, name))
        if tries[-1].status == "failed" and name not in expected:
            trial.asked.failed()
        if progress is not None:
            progress(name)
    failed = [t for t in tries if t.failure is not None and t.name not in expected]
    notes = explained(trial, failed) if diagnose else {}
    records = []
    for tried in tries:
        text, more = notes.get(tried.name, ("", {}))
        details = {**tried.details, **more}
        records.append(record_of(replace(tried, details=details), expected.get(tried.name), text))
    return records


def parametrize(
    solver: Any,
    machine: Machine | None = None,
    convention: Convention | str | None = None,
    *,
    expected_failures: Mapping[str, str] | None = None,
    checks: Iterable[str] | None = None,
    **settings: Any,
) -> Any:
    """``@parametrize(MySvm(), machine=WW)`` over ``def test_my_svm(check): check()``: one test per check.

    Expected failures become strict xfails; what a check cannot tell is skipped with its reason.
    """
    import pytest

    from msvm_ref.conformance.failure_text import FailureText

    trial = make_trial(solver, machine, convention, **settings)
    expected, chosen = _chosen(expected_failures, checks)
    text = FailureText(trial)

    def bound(name: str) -> Callable[[], None]:
        def check() -> None:
            __tracebackhide__ = True
            tried = attempt(trial, name)
            if tried.status == "skipped":
                pytest.skip(tried.message)
            if tried.status == "failed":
                raise CheckFailed(tried.message if name in expected else text.of(tried))

        check.__name__ = name
        setattr(check, "solver_name", trial.solver.name)  # noqa: B010 (functions have no declared attributes)
        return check

    marks = {
        name: [pytest.mark.xfail(reason=reason, strict=True, raises=CheckFailed)]
        for name, reason in expected.items()
    }
    return pytest.mark.parametrize(
        "check",
        [
            pytest.param(bound(name), id=name, marks=[pytest.mark.msvm, *marks.get(name, [])])
            for name in chosen
        ],
    )


@dataclass(frozen=True)
class Try:
    """One check as it ended; ``failure`` is what there is to explain."""

    name: str
    status: Status
    message: str
    seconds: float
    details: dict[str, Any]
    failure: CheckFailed | None = None


def attempt(trial: Trial, name: str) -> Try:
    """Run a check. What the solver raises is its failure; an error of our own is raised, not blamed on it."""
    from msvm_ref.conformance.checks import CHECKS

    start = time.perf_counter()
    try:
        note = CHECKS[name](trial)
    except TruthTooWide as reason:
        spent = time.perf_counter() - start
        return Try(name, "skipped", str(reason), spent, {"truth_gap": reason.gap})
    except CheckSkipped as reason:
        return Try(name, "skipped", str(reason), time.perf_counter() - start, {})
    except CheckFailed as failure:
        details = {**failure.details, **_claim(failure)}
        spent = time.perf_counter() - start
        return Try(name, "failed", str(failure), spent, details, failure)
    except MsvmError:
        raise
    except Exception as error:
        message = (
            f"the check stopped on {type(error).__name__}: {error}. Should what the solver returned be in order, "
            "then this is a bug of msvm_ref: report it with the traceback in this record's details"
        )
        details = {"traceback": traceback.format_exc()[-2000:]}
        return Try(name, "failed", message, time.perf_counter() - start, details)
    return Try(name, "passed", note or "", time.perf_counter() - start, {})


def record_of(tried: Try, expected: str | None = None, explanation: str = "") -> Record:
    """The record of a check; an expected failure is strict."""
    status, message, details = tried.status, tried.message + explanation, tried.details
    if expected is not None:
        if status == "failed":
            first, *rest = message.splitlines()
            status, message = "expected failure", "\n".join([f"{expected} ({first})", *rest])
            details = {**details, "reason": expected}
        else:
            message = (
                f"was expected to fail ({expected}) but {status}: take it off expected_failures"
            )
            status = "failed"
    return Record(tried.name, status, message, tried.seconds, details)


def run_check(
    trial: Trial,
    name: str,
    expected: str | None = None,
    diagnose: bool = True,
    explain_known: bool = False,
) -> Record:
    """One check as a Record, its failure explained on its own."""
    tried = attempt(trial, name)
    text = ""
    if tried.failure is not None and diagnose and (expected is None or explain_known):
        text, more = explained(trial, [tried])[name]
        tried = replace(tried, details={**tried.details, **more})
    return record_of(tried, expected, text)


def explained(trial: Trial, tries: Sequence[Try]) -> dict[str, tuple[str, dict[str, Any]]]:
    """By check: the lines after its message, and details; a cause is told in full at the first check that has it."""
    from msvm_ref.conformance.causes import causes_of

    notes = {}
    for cause in causes_of(trial, tries):
        lines, many = "", len(cause.checks)
        if "diagnosis" in cause.details or cause.trial is not None:
            more = f" (one cause, {many} checks)" if many > 1 and cause.explains else ""
            lines += f"\ndiagnosis: {cause.sentence}{more}"
        if "example" in cause.details:
            lines += f"\nsmallest example found: {cause.details['example']}"
        kept = {k: v for k, v in cause.details.items() if k in ("diagnosis", "smallest")}
        first, *others = cause.checks
        notes[first] = lines, kept
        for name in others:
            same = f"\ndiagnosis: as {first}: {cause.sentence}" if cause.explains else lines
            notes[name] = same, {k: v for k, v in kept.items() if k == "diagnosis"}
    return notes


def example_text(case: Case) -> str:
    return f"X = {case.X.tolist()}, y = {np.asarray(case.y).tolist()}, our C = {case.C:g}"


def _claim(failure: CheckFailed) -> dict[str, Any]:
    """The failed candidate as ``msvm-ref diagnose`` and ``certify`` read it."""
    if failure.candidate is None:
        return {}
    problem, given = failure.candidate
    if problem.kernel != linear:
        return {}
    weight = problem.sample_weight
    return {
        "claim": {
            "machine": problem.machine.name,
            "cost": problem.machine.cost,
            "C": problem.C,
            "bias": problem.bias,
            "X": problem.dense_features.tolist() if problem.is_sparse else problem.X.tolist(),
            "y": problem.y.tolist(),
            "classes": list(range(problem.d)),
            **({} if weight is None else {"sample_weight": weight.tolist()}),
            **{name: np.asarray(value).tolist() for name, value in given.items()},
        }
    }


def _chosen(
    expected: Mapping[str, str] | None, checks: Iterable[str] | None
) -> tuple[dict[str, str], list[str]]:
    from msvm_ref.conformance.checks import CHECKS

    chosen = list(CHECKS) if checks is None else list(checks)
    for source, names in (("checks", chosen), ("expected_failures", list(expected or {}))):
        unknown = [n for n in names if n not in CHECKS]
        if unknown:
            raise DataError(source, f"name checks among {', '.join(CHECKS)}", ", ".join(unknown))
    return dict(expected or {}), chosen
