"""A diagnosis tried again: what explains one small answer may do so by accident, so the solver is asked once more.

The second problem is generic: three features, classes of 8, 6 and 4 examples, no symmetry; and the same rows in four classes at
another C, neither of them 1. The hypothesis is made for each anew (1/n, d and C are others there) and certified. Where the
solver is right there, its fault needs something the failed case has, and a twin of that case is tried: other units and
another C, the same rows twice, zeros, constants and classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from msvm_ref.conformance.cases import GENERIC, Case
from msvm_ref.conformance.diagnosis import holds_again
from msvm_ref.conformance.finding import Finding
from msvm_ref.conformance.trial import Trial
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped
from msvm_ref.errors import MsvmError
from msvm_ref.model.arrays import frozen
from msvm_ref.model.conventions.convention import Posed

FOUR = GENERIC.with_(
    "generic, four classes", y=np.where(np.arange(len(GENERIC.y)) < 5, 3, GENERIC.y), C=2.5
)
SECOND = (GENERIC, FOUR)
"""More than one C and more than one d: a factor of C must be the same at both, C/d is not C/3."""


@dataclass
class SecondProblems:
    """The solver's answers to the second problems, each asked for once."""

    trial: Trial
    answers: dict[Any, tuple[Posed, dict[str, Any]] | None] = field(default_factory=dict)

    def holds(self, finding: Finding, like: Case | None, tolerance: float) -> bool | None:
        """Does it explain the answers to the second problems too? None where they cannot tell.

        They cannot where the solver is right there as it claims, where it does not answer, or where there is no such edit.
        """
        if not finding.words:
            return None
        told = [self._holds(finding, case, tolerance) for case in self._generic(like)]
        if like is not None and all(t is None for t in told):
            told = [self._holds(finding, _twin(like), tolerance)]
        if any(t is False for t in told):
            return False
        return True if any(told) else None

    def _generic(self, like: Case | None) -> Iterator[Case]:
        for case in SECOND:
            d = len(np.unique(case.y))
            if like is not None and like.sample_weight is not None:
                weights = np.resize([1.0, 0.5, 2.0], len(case.y))
                case = case.with_(f"{case.name}, weighted", sample_weight=weights)
            if like is not None and like.class_weight is not None:
                case = case.with_(
                    f"{case.name}, classes weighted", class_weight=(2.0, 0.5, 3.0, 1.5)[:d]
                )
            if like is not None and like.classes is not None:
                declared = tuple(range(3))
                case = case.first(2).with_(f"{case.name}, a class absent", classes=declared)
            yield self.trial.shaped(case)

    def _holds(self, finding: Finding, case: Case, tolerance: float) -> bool | None:
        if case.name not in self.answers:
            try:
                posed = self.trial.pose(case)
                given = self.trial.candidate(posed, self.trial.fit(case))
                self.answers[case.name] = posed, given
            except (CheckFailed, CheckSkipped, MsvmError):
                self.answers[case.name] = None
        answer = self.answers[case.name]
        if answer is None:
            return None
        try:
            return holds_again(answer[0].problem, answer[1], finding, tolerance)
        except MsvmError:
            return None


def _twin(case: Case) -> Case:
    """The case in other units, column by column, at another C."""
    units = np.resize([1.25, 0.875, 1.125], case.X.shape[1])
    return case.with_(f"a twin of {case.name}", X=frozen(case.X * units), C=0.75 * case.C)
