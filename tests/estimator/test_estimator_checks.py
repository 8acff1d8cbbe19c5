"""scikit-learn's own checks, none expected to fail. Linear kernels keep the pairs quick; the code path is the same."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import msvm_ref as mr

ESTIMATORS = [mr.MulticlassSVC(), mr.OneVsAllSVC(kernel="linear"), mr.OneVsOneSVC(kernel="linear"), mr.DAGSVC(kernel="linear"),
              mr.MarginTreeClassifier()]


@parametrize_with_checks(ESTIMATORS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning", "ignore::FutureWarning")
def test_scikit_learn_is_satisfied(estimator, check):
    check(estimator)
