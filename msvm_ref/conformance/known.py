"""The built-in lists: ``validate sklearn`` and ``validate kernlab``, the convention of each solver and what is known of it."""

from __future__ import annotations

import numpy as np

from msvm_ref.conformance.adapters import OneVsOnePair
from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.command import kernlab, kernlab_version
from msvm_ref.conformance.profiles import Entry
from msvm_ref.model import conventions as cv
from msvm_ref.model.arrays import frozen


def iris() -> Case:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return Case("iris", frozen(X), np.asarray(y), 4.0)


def scikit_learn() -> list[Entry]:
    """LinearSVC (CS, OVR, squared), SVC (two classes, and one pair of three), OneVsRestClassifier, SGDClassifier."""
    from sklearn.linear_model import SGDClassifier
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC, LinearSVC

    flower = (iris(),)
    early = "stops far from its optimum with a large intercept_scaling"
    about_it = ("check_optimality", "check_converged_flag", "check_scores_match_weights", "check_predict_is_argmax")
    stochastic = dict.fromkeys(
        ("check_optimality", "check_C", "check_bias_treatment", "check_converged_flag", "check_scaled_data"),
        "its stopping rule watches the training loss, not optimality")
    return [
        Entry(LinearSVC(multi_class="crammer_singer", random_state=0), cv.LIBLINEAR_CS, {"cases": flower}),
        Entry(LinearSVC(multi_class="crammer_singer", intercept_scaling=1000, random_state=0), cv.LIBLINEAR_CS,
              {"cases": flower}, {"check_optimality": early}, about_it),
        Entry(LinearSVC(loss="hinge", random_state=0), cv.LIBLINEAR_OVR),
        Entry(LinearSVC(random_state=0), cv.LIBLINEAR_OVR2),
        Entry(SVC(kernel="linear", random_state=0), cv.LIBSVM, {"tolerance": 1e-2}),
        Entry(OneVsOnePair(SVC(kernel="linear", random_state=0)), cv.LIBSVM, {"tolerance": 1e-2}),
        Entry(OneVsRestClassifier(SVC(kernel="linear", random_state=0)), cv.LIBSVM_OVR, {"tolerance": 1e-2}),
        Entry(SGDClassifier(loss="hinge", random_state=0), cv.SGD_OVA, {"tolerance": 0.1}, stochastic),
    ]


def kernlab_list() -> list[Entry]:
    """kbb-svc and spoc-svc as they are, and with the multiplier that they lose put back: only class weights are off then."""
    lost = "one multiplier is overwritten by an objective that was never computed"
    index = "class weights are replaced by the label's index"
    usual = ("check_optimality", "check_machine", "check_C", "check_bias_treatment", "check_contradictory_duplicates")
    kbb = dict.fromkeys((*usual, "check_sample_order", "check_class_permutation"), lost)
    spoc = dict.fromkeys((*usual, "check_sum_to_zero", "check_label_order"), lost)
    settings = {"tolerance": 1e-6}
    return [
        Entry(kernlab("kbb-svc"), cv.KERNLAB_KBB, settings, {**kbb, "check_class_weights": index}),
        Entry(kernlab("kbb-svc", restored=True), cv.KERNLAB_KBB, settings, {"check_class_weights": index}),
        Entry(kernlab("spoc-svc"), cv.KERNLAB_SPOC, settings, spoc),
        Entry(kernlab("spoc-svc", restored=True), cv.KERNLAB_SPOC, settings),
    ]


BUILT_IN = {"sklearn": ("scikit-learn", scikit_learn), "kernlab": ("kernlab", kernlab_list)}


def version_of(name: str) -> str:
    """The version of the library behind a built-in list; DataError with the remedy where it is not installed."""
    if name == "kernlab":
        return kernlab_version()
    import sklearn

    return str(sklearn.__version__)
