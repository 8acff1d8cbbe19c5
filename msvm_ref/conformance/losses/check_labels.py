"""Labels: their dtypes, their range, other encodings, ignored ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from msvm_ref.conformance.losses.check_parameters import modes, needs
from msvm_ref.conformance.losses.check_values import all_points, ordinary
from msvm_ref.conformance.losses.question import Question
from msvm_ref.conformance.losses.trial import LossBroke, LossTrial
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped

DTYPES = ("int8", "uint8", "int16", "int32", "uint64")
MANY = 64
"""Examples in a batch of small labels: n d does not fit int8."""
IGNORED = 1


def check_label_dtypes(trial: LossTrial) -> str:
    """Any integer dtype gives the same loss, or is refused."""
    if trial.convention.encodings[0] != "index":
        raise CheckSkipped("its labels are rows")
    question, refused = all_points(trial, "label dtypes", MANY), []
    for dtype in DTYPES:
        asked = replace(question, label_dtype=dtype)
        try:
            reply = trial.ask(asked)
        except LossBroke as refusal:
            if not refusal.refused:
                raise
            refused.append(dtype)
            continue
        try:
            trial.compare(asked, reply)
        except CheckFailed as failure:
            raise CheckFailed(f"labels of dtype {dtype}: {failure}", failure.details) from failure
    return f"refused: {', '.join(refused)}" if refused else ""


def check_label_range(trial: LossTrial) -> None:
    """A label outside 0 ... d-1 is refused, or its loss is NaN: a finite number is memory or a class that was not meant."""
    if trial.convention.encodings[0] != "index":
        raise CheckSkipped("its labels are rows, which have no range")
    question = ordinary(trial, "label range")
    for bad in (trial.d, -1, -trial.d, 10**6):
        if bad == trial.convention.no_label:
            continue
        labels = question.y.copy()
        labels[-1] = bad
        asked = replace(question, y=labels)
        try:
            value = np.ravel(trial.ask(asked).value)
        except LossBroke as refusal:
            if not refusal.refused:
                raise
            continue
        if not np.isnan(value[-1]):
            raise CheckFailed(
                f"the label {bad} among {trial.d} classes: returned {value[-1]:g} where it must raise (or be NaN)",
                {"question": asked.literal(), "returned": float(value[-1])},
            )


def check_label_encodings(trial: LossTrial) -> None:
    """Every encoding that it says it takes (class indices, one-hot rows, rows of -1 and +1) gives the same loss."""
    if len(trial.convention.encodings) == 1:
        raise CheckSkipped(f"it takes {trial.convention.encodings[0]} labels only")
    question = all_points(trial, "encodings", 4)
    for encoding in trial.convention.encodings[1:]:
        try:
            trial.compare(replace(question, encoding=encoding))
        except CheckFailed as failure:
            raise CheckFailed(f"{encoding} labels: {failure}", failure.details) from failure


def check_ignore_index(trial: LossTrial) -> None:
    """An ignored label adds nothing, and the mean is over the others."""
    needs(trial, "ignore_index")
    question = all_points(trial, "ignored", 4)
    for ignored in (-100, IGNORED):
        y = question.y.copy()
        y[[1, 3]] = ignored
        asked = replace(question, y=y, ignore_index=ignored)
        for mode in modes(trial):
            try:
                trial.compare(replace(asked, reduction=mode))
            except LossBroke:
                raise
            except CheckFailed as failure:
                words = _counted(trial, replace(asked, reduction=mode))
                raise CheckFailed(
                    f"labels {ignored} ignored: {failure}{words}", failure.details
                ) from failure


def _counted(trial: LossTrial, question: Question) -> str:
    if trial.reduction_of(question) != "mean":
        return ""
    kept = sum(int(y) != question.ignore_index for y in question.y)
    value = float(trial.expected(question).values[0]) * kept / question.n
    got = float(np.ravel(trial.ask(question).value)[0])
    return "; the mean is over all examples" if trial.close(got, value) else ""
