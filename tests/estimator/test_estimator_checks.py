"""scikit-learn's own checks, none expected to fail.

The checks fit the same few data sets hundreds of times, in every container and dtype: a problem that was solved before is
remembered here. What is checked is the estimators' conduct; solving is checked elsewhere.
"""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import msvm_ref as mr
from msvm_ref.estimator import base

ESTIMATORS = [
    mr.MulticlassSVC(),
    mr.OneVsAllSVC(kernel="linear"),
    mr.OneVsOneSVC(kernel="linear"),
    mr.DAGSVC(kernel="linear"),
    mr.MarginTreeClassifier(),
]
SOLVED: dict[tuple, mr.Solution] = {}


def remembered(problem, method, **options):
    weight = None if problem.sample_weight is None else problem.sample_weight.tobytes()
    key = (
        problem.machine,
        problem.X.tobytes(),
        problem.X.shape,
        problem.y.tobytes(),
        problem.d,
        problem.C,
        problem.kernel,
        problem.bias,
        weight,
        method,
        tuple(options.items()),
    )
    if key not in SOLVED:
        SOLVED[key] = mr.solve(problem, method, **options)
    return SOLVED[key]


@parametrize_with_checks(ESTIMATORS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning", "ignore::FutureWarning")
def test_scikit_learn_is_satisfied(estimator, check, monkeypatch):
    monkeypatch.setattr(base, "solve", remembered)
    check(estimator)
