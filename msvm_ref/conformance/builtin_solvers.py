"""The built-in lists: ``validate sklearn`` and ``validate kernlab``, the convention of each solver and what is known of it."""

from __future__ import annotations

import numpy as np

from msvm_ref.conformance.adapters import OneVsOnePair
from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.command import kernlab, kernlab_version
from msvm_ref.conformance.outcomes import Entry
from msvm_ref.conformance.stopping import largest_violation, relative_gradient
from msvm_ref.model.arrays import frozen
from msvm_ref.model.conventions import literals as cv


def iris() -> Case:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return Case("iris", frozen(X), np.asarray(y), 4.0)


LIBSVM_RULE = largest_violation(
    1e-3, "LIBSVM stops at m(alpha) - M(alpha) <= tol = 1e-3, so gap <= 1e-3 sum C_i"
)
LIBSVM_OVR_RULE = largest_violation(1e-3, f"{LIBSVM_RULE.words}, d times", one_vs_rest=True)
CS_RULE = largest_violation(
    1e-4, "LIBLINEAR -s 4 stops at a largest violation <= tol = 1e-4, so gap <= 1e-4 sum C_i"
)
HINGE_RULE = largest_violation(
    1e-4,
    "LIBLINEAR -s 3 stops at PG_max - PG_min <= tol = 1e-4, so gap <= 1e-4 sum C_i, d times",
    one_vs_rest=True,
)
NEWTON_RULE = relative_gradient(
    1e-4,
    "LIBLINEAR -s 2 stops at |grad| <= 1e-4 min(n+, n-)/n |grad at 0|, so gap <= |grad|^2 / 2 (1e-3 where n < p)",
)
NO_RULE = 0.1
"""SGDClassifier stops when the training loss has not fallen by tol for five epochs, which bounds no gap. 0.1 is a choice: above
its ordinary error on these problems, below what a swapped convention costs on most of them."""


def scikit_learn() -> list[Entry]:
    """LinearSVC (CS, OVR, squared), SVC (two classes, and one pair of three), OneVsRestClassifier, SGDClassifier."""
    from sklearn.linear_model import SGDClassifier
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC, LinearSVC

    flower = (iris(),)
    early = "stops early, and says so: far from its optimum with a large intercept_scaling"
    about_it = (
        "check_optimality",
        "check_converged_flag",
        "check_scores_match_weights",
        "check_predict_is_argmax",
    )
    own_only = {
        "check_class_weights": "own class only: one-vs-rest weights a class's own examples by C w_c, the rest by C"
    }
    stochastic = dict.fromkeys(
        (
            "check_optimality",
            "check_C",
            "check_bias_treatment",
            "check_converged_flag",
            "check_scaled_data",
        ),
        "stops early, says converged: its rule watches the training loss, not optimality",
    )
    return [
        Entry(
            LinearSVC(multi_class="crammer_singer", random_state=0),
            cv.LIBLINEAR_CS,
            {"cases": flower, "tolerance": CS_RULE},
            label="LinearSVC crammer_singer",
        ),
        Entry(
            LinearSVC(multi_class="crammer_singer", intercept_scaling=1000, random_state=0),
            cv.LIBLINEAR_CS,
            {"cases": flower, "tolerance": CS_RULE},
            {"check_optimality": early},
            about_it,
            label="… intercept_scaling=1000",
        ),
        Entry(
            LinearSVC(loss="hinge", random_state=0),
            cv.LIBLINEAR_OVR,
            {"tolerance": HINGE_RULE},
            own_only,
            label="LinearSVC hinge",
        ),
        Entry(
            LinearSVC(random_state=0),
            cv.LIBLINEAR_OVR2,
            {"tolerance": NEWTON_RULE},
            own_only,
            label="LinearSVC (squared hinge)",
        ),
        Entry(
            SVC(kernel="linear", random_state=0),
            cv.LIBSVM,
            {"tolerance": LIBSVM_RULE},
            label="SVC linear",
        ),
        Entry(
            OneVsOnePair(SVC(kernel="linear", random_state=0)),
            cv.LIBSVM,
            {"tolerance": LIBSVM_RULE},
            label="SVC linear, one pair of 3",
        ),
        Entry(
            OneVsRestClassifier(SVC(kernel="linear", random_state=0)),
            cv.LIBSVM_OVR,
            {"tolerance": LIBSVM_OVR_RULE},
            label="OneVsRest(SVC linear)",
        ),
        Entry(
            SGDClassifier(loss="hinge", random_state=0),
            cv.SGD_OVA,
            {"tolerance": NO_RULE},
            {**stochastic, **own_only},
            label="SGDClassifier",
        ),
    ]


def kernlab_list() -> list[Entry]:
    """kbb-svc and spoc-svc as they are, and with the multiplier that they lose put back: only class weights are off then."""
    lost = "loses one multiplier: it is overwritten by an objective that was never computed"
    index = "label's index instead: class weights are replaced by it"
    usual = (
        "check_optimality",
        "check_machine",
        "check_convention",
        "check_C",
        "check_bias_treatment",
        "check_more_classes",
        "check_shapes_of_data",
        "check_degenerate_data",
        "check_contradictory_duplicates",
    )
    kbb = dict.fromkeys((*usual, "check_sample_order", "check_class_permutation"), lost)
    spoc = dict.fromkeys(
        (*usual, "check_sum_to_zero", "check_label_order", "check_duplicates"), lost
    )
    settings = {"tolerance": 1e-6}
    return [
        Entry(kernlab("kbb-svc"), cv.KERNLAB_KBB, settings, {**kbb, "check_class_weights": index}),
        Entry(
            kernlab("kbb-svc", restored=True),
            cv.KERNLAB_KBB,
            settings,
            {"check_class_weights": index},
            label="kbb-svc, one put back",
        ),
        Entry(kernlab("spoc-svc"), cv.KERNLAB_SPOC, settings, spoc),
        Entry(
            kernlab("spoc-svc", restored=True),
            cv.KERNLAB_SPOC,
            settings,
            label="spoc-svc, one put back",
        ),
    ]


BUILT_IN = {"sklearn": ("scikit-learn", scikit_learn), "kernlab": ("kernlab", kernlab_list)}


def version_of(name: str) -> str:
    """The version of the library behind a built-in list; DataError with the remedy where it is not installed."""
    if name == "kernlab":
        return kernlab_version()
    import sklearn

    return str(sklearn.__version__)
