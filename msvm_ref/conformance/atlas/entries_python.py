"""Entries of scikit-learn and of what follows its manners."""

from __future__ import annotations

from msvm_ref.conformance.atlas.conventions import LIBSVM_PAIRS
from msvm_ref.conformance.atlas.entry import Entry, Finding
from msvm_ref.conformance.atlas.probes import Probe
from msvm_ref.model.conventions import literals as cv

SKLEARN = Probe("scikit-learn")
INSTALL_SKLEARN = "pip install scikit-learn"
LONG = 1_000_000

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "sklearn-linearsvc-cs", "scikit-learn", "LinearSVC(multi_class='crammer_singer')",
        "Python", SKLEARN, INSTALL_SKLEARN, cv.LIBLINEAR_CS, "scikit_learn:linear_svc",
        {"multi_class": "crammer_singer"}, {"tol": 1e-12, "max_iter": LONG},
    ),
    Entry(
        "sklearn-linearsvc-hinge", "scikit-learn", "LinearSVC(loss='hinge')",
        "Python", SKLEARN, INSTALL_SKLEARN, cv.LIBLINEAR_OVR, "scikit_learn:linear_svc",
        {"loss": "hinge"}, {"tol": 1e-12, "max_iter": LONG},
        findings=(
            Finding(
                "LinearSVC(loss='hinge') is further from its optimum at tol=1e-12, max_iter=100000 than at the default tol",
                "sklearn_linearsvc_hinge.py", "wrong",
            ),
        ),
    ),
    Entry(
        "sklearn-linearsvc", "scikit-learn", "LinearSVC()",
        "Python", SKLEARN, INSTALL_SKLEARN, cv.LIBLINEAR_OVR2, "scikit_learn:linear_svc",
        {}, {"tol": 1e-12, "max_iter": LONG},
    ),
    Entry(
        "sklearn-linearsvc-primal", "scikit-learn", "LinearSVC(dual=False)",
        "Python", SKLEARN, INSTALL_SKLEARN, cv.LIBLINEAR_OVR2, "scikit_learn:linear_svc",
        {"dual": False}, {"tol": 1e-12, "max_iter": LONG},
    ),
    Entry(
        "sklearn-svc", "scikit-learn", "SVC(kernel='linear')",
        "Python", SKLEARN, INSTALL_SKLEARN, LIBSVM_PAIRS, "scikit_learn:svc",
        {}, {"tol": 1e-6}, pairs=True,
    ),
    Entry(
        "sklearn-ovr-svc", "scikit-learn", "OneVsRestClassifier(SVC(kernel='linear'))",
        "Python", SKLEARN, INSTALL_SKLEARN, cv.LIBSVM_OVR, "scikit_learn:svc_one_vs_rest",
        {}, {"tol": 1e-6},
    ),
    Entry(
        "sklearn-sgd", "scikit-learn", "SGDClassifier(loss='hinge')",
        "Python", SKLEARN, INSTALL_SKLEARN, cv.SGD_OVA, "scikit_learn:sgd",
        {}, {"tol": 1e-9, "max_iter": 10_000},
        note="its rule watches the training loss, which bounds no distance from the optimum",
        findings=(
            Finding(
                "SGDClassifier(loss='hinge', tol=1e-9) stops more than 5 % above a known point without a warning",
                "sklearn_sgd.py", "silent",
            ),
        ),
    ),
)  # fmt: skip
