"""check_loss and parametrize_loss: every check over one loss function, as records or as pytest parameters.

    passed record   every value (or gradient) that was asked for is the exact one, to the rounding of its dtype
    failed record   a question whose answer is not, with the answer, the exact value, and what the function computes instead
    skipped record  the function does not offer what the check needs; never counted as passed

A function that hangs, raises, or returns what is no loss fails the check that met it; nothing it does ends the run.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from msvm_ref.conformance.losses.convention import OURS, LossConvention, Reduction
from msvm_ref.conformance.losses.functions import LossFunction, PythonLoss
from msvm_ref.conformance.losses.literals import known_loss, loss_convention
from msvm_ref.conformance.losses.trial import LossTrial
from msvm_ref.conformance.suite import Record, Status
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped
from msvm_ref.errors import DataError, MsvmError
from msvm_ref.model.machine import Machine


def make_loss_trial(
    function: Any,
    machine: Machine | None = None,
    convention: LossConvention | str | None = None,
    framework: str | None = None,
    gradient: Callable[..., Any] | bool | None = None,
    *,
    reduction: Reduction | None = None,
    seconds: float = 10.0,
    seed: int = 0,
    isolate: bool = False,
) -> LossTrial:
    """The function with what it says it is; see ``check_loss`` for the arguments. ``isolate``: in a process of its own."""
    if not seconds > 0:
        raise DataError("seconds", "be positive", repr(seconds))
    if isinstance(convention, str):
        convention = loss_convention(convention)
    known = known_loss(function) if convention is None and machine is None else None
    said = (convention or (known and known.convention) or OURS).of(machine)
    asked: LossFunction
    if hasattr(function, "ask") and hasattr(function, "takes"):
        asked = function
    else:
        known = known_loss(function)
        chosen = known.function if known is not None else function
        asked = PythonLoss(chosen, said, framework, gradient, known.name if known else None)
        if isolate:
            from msvm_ref.conformance.losses.isolated import IsolatedLoss

            asked = IsolatedLoss(asked, seconds)
    trial = LossTrial(asked, said, seconds, seed)
    trial.reduction = reduction or said.reduction or _seen(trial)
    return trial


def _seen(trial: LossTrial) -> Reduction:
    """What a function without a parameter for it does: one number for two examples is a mean, two are none."""
    if "reduction" in trial.takes:
        return "mean"
    question = trial.rows(np.eye(trial.d)[:2] / 2, [1, 0])
    try:
        value = trial.call(lambda: trial.function.ask(question, None)).value
    except (Exception, SystemExit):
        return "mean"  # the checks will meet it again, and say so
    return "none" if value.shape == (2,) else "mean"


def check_loss(
    function: Any,
    machine: Machine | None = None,
    convention: LossConvention | str | None = None,
    framework: str | None = None,
    gradient: Callable[..., Any] | bool | None = None,
    *,
    expected_failures: Mapping[str, str] | None = None,
    checks: Iterable[str] | None = None,
    diagnose: bool = True,
    progress: Callable[[str], None] | None = None,
    **settings: Any,
) -> list[Record]:
    """Every check (or those named) over a loss: a function of (scores, labels), a class of losses, or a LossFunction.

    ``machine``: whose loss it is to be; ``convention``: in whose way of writing ("torch", "keras", or a LossConvention); both
    may be left out for functions of frameworks that we know. ``framework``: whose arrays it takes, by default as its module
    says. ``gradient``: a function of the same arguments, or True where it returns (loss, gradient); torch, jax, keras,
    tensorflow and paddle differentiate theirs. ``reduction``: what it does, where no parameter says so. ``seconds``: of a call.
    ``isolate``: call it in a process of its own, which may crash and hang as it likes.
    """
    trial = make_loss_trial(function, machine, convention, framework, gradient, **settings)
    expected, chosen = _chosen(expected_failures, checks)
    records = []
    try:
        for name in chosen:
            records.append(run_loss_check(trial, name, expected.get(name), diagnose))
            if progress is not None:
                progress(name)
    finally:
        trial.limited.close()
    return records


def parametrize_loss(
    function: Any,
    machine: Machine | None = None,
    convention: LossConvention | str | None = None,
    framework: str | None = None,
    gradient: Callable[..., Any] | bool | None = None,
    *,
    expected_failures: Mapping[str, str] | None = None,
    checks: Iterable[str] | None = None,
    **settings: Any,
) -> Any:
    """``@parametrize_loss(my_loss, machine=WW)`` over ``def test_my_loss(check): check()``: one test per check.

    The tests carry the markers ``msvm`` and ``msvm_loss``. Expected failures become strict xfails.
    """
    import pytest

    trial = make_loss_trial(function, machine, convention, framework, gradient, **settings)
    expected, chosen = _chosen(expected_failures, checks)

    def bound(name: str) -> Callable[[], None]:
        def check() -> None:
            record = run_loss_check(trial, name)
            if record.status == "skipped":
                pytest.skip(record.message)
            if record.status == "failed":
                raise CheckFailed(record.message, record.details)

        check.__name__ = name
        return check

    marks = {
        name: [pytest.mark.xfail(reason=reason, strict=True, raises=CheckFailed)]
        for name, reason in expected.items()
    }
    both = [pytest.mark.msvm, pytest.mark.msvm_loss]
    return pytest.mark.parametrize(
        "check",
        [
            pytest.param(bound(name), id=name, marks=[*both, *marks.get(name, [])])
            for name in chosen
        ],
    )


def run_loss_check(
    trial: LossTrial, name: str, expected: str | None = None, diagnose: bool = True
) -> Record:
    """One check as a Record. What the function does wrong is its failure; an error of our own is raised."""
    from msvm_ref.conformance.losses.checks import LOSS_CHECKS
    from msvm_ref.conformance.losses.diagnosis import explain

    start = time.perf_counter()
    status: Status = "passed"
    details: dict[str, Any] = {}
    try:
        message = LOSS_CHECKS[name](trial) or ""
    except CheckSkipped as reason:
        status, message = "skipped", str(reason)
    except CheckFailed as failure:
        status, message, details = "failed", str(failure), failure.details
        if diagnose and expected is None:
            message += explain(trial, failure)
    except MsvmError:
        raise
    except Exception as error:
        status, details = "failed", {"traceback": traceback.format_exc()[-2000:]}
        message = (
            f"the check stopped on {type(error).__name__}: {error}. Should what the function returned be in order, "
            "then this is a bug of msvm_ref: report it with the traceback in this record's details"
        )
    if expected is not None:
        if status == "failed":
            first, *rest = message.splitlines()
            status, message = "expected failure", "\n".join([f"{expected} ({first})", *rest])
        else:
            status, message = (
                "failed",
                f"was expected to fail ({expected}) but {status}: take it off expected_failures",
            )
    return Record(name, status, message, time.perf_counter() - start, details)


def _chosen(
    expected: Mapping[str, str] | None, checks: Iterable[str] | None
) -> tuple[dict[str, str], list[str]]:
    from msvm_ref.conformance.losses.checks import LOSS_CHECKS

    asked = list(LOSS_CHECKS) if checks is None else list(checks)
    for source, names in (("checks", asked), ("expected_failures", list(expected or {}))):
        unknown = [n for n in names if n not in LOSS_CHECKS]
        if unknown:
            raise DataError(
                source, f"name checks among {', '.join(LOSS_CHECKS)}", ", ".join(unknown)
            )
    return dict(expected or {}), asked
