"""A diagnosis tried again: what explains one small answer may do so by accident, so the solver is asked once more.

The second problem is generic: three features, classes of 8, 6 and 4 examples, no symmetry, another C. The hypothesis is
made for it anew (1/n and C are others there) and certified.
"""

from __future__ import annotations

import numpy as np

from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.diagnosis import Diagnosis, diagnose_edit
from msvm_ref.conformance.trial import Trial
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped
from msvm_ref.errors import MsvmError
from msvm_ref.model.arrays import frozen


def _generic() -> Case:
    sizes, count = (8, 6, 4), 18
    i, j = np.arange(count)[:, None], np.arange(3)
    y = np.repeat(np.arange(3), sizes)
    spread = np.round(2 * np.sin(12.9898 * (i + 1) + 78.233 * (j + 1)), 2)
    return Case("generic", frozen(spread + 0.75 * (y[:, None] == j) + 0.3), y, 0.7)


GENERIC = _generic()


def confirmed(trial: Trial, diagnosis: Diagnosis, like: Case | None) -> bool | None:
    """Does the diagnosis hold on the generic problem too? None where that problem cannot tell.

    It cannot where the solver is right there as it claims (it fails under conditions this problem does not have), where it
    does not answer, or where the explanation is no edit of the problem.
    """
    found = diagnosis.found
    if found is None or found.hypothesis is None or not found.words:
        return None
    case = GENERIC
    if like is not None and like.sample_weight is not None:
        case = case.with_("generic", sample_weight=np.resize([1.0, 0.5, 2.0], len(case.y)))
    case = trial.shaped(case)
    try:
        posed = trial.pose(case)
        given = trial.candidate(posed, trial.fit(case))
        edit = diagnose_edit(posed.problem, given, found.hypothesis, diagnosis.tolerance)
    except (CheckFailed, CheckSkipped, MsvmError):
        return None
    return edit
