"""A loss is a function: the same call gives the same value, its arguments stay as they were, their layout does not matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from msvm_ref.conformance.losses.check_values import ordinary
from msvm_ref.conformance.losses.trial import LossTrial
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped


def check_repeatable(trial: LossTrial) -> None:
    """The same question three times, another one between."""
    question = ordinary(trial, "repeated")
    first = trial.ask(question).value
    again = trial.ask(question).value
    trial.ask(ordinary(trial, "another"))
    third = trial.ask(question).value
    for value in (again, third):
        if not np.array_equal(first, value, equal_nan=True):
            raise CheckFailed(
                f"{question}: returned {np.ravel(first)[0]:.10g}, then {np.ravel(value)[0]:.10g}",
                {"question": question.literal()},
            )


def check_arguments_untouched(trial: LossTrial) -> None:
    """Neither scores nor labels are written to."""
    question = ordinary(trial, "untouched")
    for gradient in (False, True) if "gradient" in trial.takes else (False,):
        wrote = trial.ask(question, gradient).wrote
        if wrote:
            raise CheckFailed(f"it writes to {wrote} it is given", {"question": question.literal()})


def check_memory_layout(trial: LossTrial) -> None:
    """Scores by columns, and every second entry of a larger array."""
    if not trial.function.has_strides:
        raise CheckSkipped("its arrays have one memory layout")
    question = ordinary(trial, "layout")
    for layout in ("columns", "strided"):
        try:
            trial.compare(replace(question, layout=layout))
        except CheckFailed as failure:
            raise CheckFailed(f"scores laid out {layout}: {failure}", failure.details) from failure
