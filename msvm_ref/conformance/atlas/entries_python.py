"""Entries of scikit-learn and of what follows its manners."""

from __future__ import annotations

from msvm_ref.conformance.atlas.entry import AtlasEntry, Fault
from msvm_ref.conformance.atlas.probes import Installed

SKLEARN = Installed("scikit-learn")
INSTALL_SKLEARN = "pip install scikit-learn"
LONG = 1_000_000

ENTRIES: tuple[AtlasEntry, ...] = (
    AtlasEntry(
        "sklearn-linearsvc-cs", "scikit-learn", "LinearSVC(multi_class='crammer_singer')",
        "Python", SKLEARN, INSTALL_SKLEARN, "CS", "liblinear-cs", "scikit_learn:linear_svc",
        {"multi_class": "crammer_singer"}, {"tol": 1e-12, "max_iter": LONG},
        findings=(
            Fault(
                "LinearSVC(multi_class='crammer_singer', max_iter=10**6) stops after 100000 iterations on wine as published, "
                "more than 1 % above a point given by hand, without a warning",
                "sklearn_linearsvc_cs.py", "silent",
            ),
        ),
    ),
    AtlasEntry(
        "sklearn-linearsvc-hinge", "scikit-learn", "LinearSVC(loss='hinge')",
        "Python", SKLEARN, INSTALL_SKLEARN, "OVA", "liblinear-ovr", "scikit_learn:linear_svc",
        {"loss": "hinge"}, {"tol": 1e-12, "max_iter": LONG},
        findings=(
            Fault(
                "LinearSVC(loss='hinge', tol=1e-12) stays above the point it finds at its default tol, however many "
                "iterations it is given; it warns and advises more iterations",
                "sklearn_linearsvc_hinge.py", "wrong",
            ),
        ),
    ),
    AtlasEntry(
        "sklearn-linearsvc", "scikit-learn", "LinearSVC()",
        "Python", SKLEARN, INSTALL_SKLEARN, "OVA²", "liblinear-ovr-squared", "scikit_learn:linear_svc",
        {}, {"tol": 1e-12, "max_iter": LONG},
    ),
    AtlasEntry(
        "sklearn-linearsvc-primal", "scikit-learn", "LinearSVC(dual=False)",
        "Python", SKLEARN, INSTALL_SKLEARN, "OVA²", "liblinear-ovr-squared", "scikit_learn:linear_svc",
        {"dual": False}, {"tol": 1e-12, "max_iter": LONG},
    ),
    AtlasEntry(
        "sklearn-svc", "scikit-learn", "SVC(kernel='linear')",
        "Python", SKLEARN, INSTALL_SKLEARN, "OVO", "libsvm-ovo", "scikit_learn:svc",
        {}, {"tol": 1e-6}, pairs=True,
    ),
    AtlasEntry(
        "sklearnex-svc", "sklearnex", "SVC(kernel='linear')",
        "Python", Installed("scikit-learn-intelex"), "pip install scikit-learn-intelex",
        "OVO", "libsvm-ovo", "scikit_learn:svc", {"package": "sklearnex"}, {"tol": 1e-6}, pairs=True,
    ),
    AtlasEntry(
        "sklearn-ovr-svc", "scikit-learn", "OneVsRestClassifier(SVC(kernel='linear'))",
        "Python", SKLEARN, INSTALL_SKLEARN, "OVA", "libsvm-ovr", "scikit_learn:svc_one_vs_rest",
        {}, {"tol": 1e-6},
    ),
    AtlasEntry(
        "sklearn-sgd", "scikit-learn", "SGDClassifier(loss='hinge')",
        "Python", SKLEARN, INSTALL_SKLEARN, "OVA", "sgd-ova", "scikit_learn:sgd",
        {}, {"tol": 1e-9, "max_iter": 10_000},
        note="its rule watches the training loss, which bounds no distance from the optimum",
        findings=(
            Fault(
                "SGDClassifier(loss='hinge', tol=1e-9) stops more than 5 % above a known point without a warning",
                "sklearn_sgd.py", "silent",
            ),
        ),
    ),
)  # fmt: skip
