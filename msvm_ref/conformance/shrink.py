"""The smallest example found: drop examples one by one while a plain fit of the rest is still certified to be off."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.trial import Trial, error_of
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped
from msvm_ref.model.arrays import frozen

SECONDS = 2.0
"""Enough for a dozen examples of an ordinary solver; a slow one keeps the case it failed on."""


def smallest(trial: Trial, case: Case) -> Case | None:
    """A part of ``case`` from which no example can go (every class keeps one), or None where a plain fit is not off."""
    apart = replace(trial, gaps=[])  # these fits are no part of the report's plot
    end = time.monotonic() + SECONDS

    def off(part: Case) -> bool:
        try:
            certificate, posed, _ = apart.judge(part, apart.fit(part))
            return not error_of(certificate) <= trial.allowed(posed)
        except (CheckFailed, CheckSkipped):
            return False

    if not off(case):
        return None
    current, at = case, 0
    while at < len(current.y) and time.monotonic() < end:
        keep = np.arange(len(current.y)) != at
        weight = None if current.sample_weight is None else np.asarray(current.sample_weight)[keep]
        part = current.with_(
            f"{case.name}, shrunk",
            X=frozen(current.X[keep]),
            y=np.asarray(current.y)[keep],
            sample_weight=weight,
        )
        if set(part.y.tolist()) == set(np.asarray(case.y).tolist()) and off(part):
            current = part
        else:
            at += 1
    return current
