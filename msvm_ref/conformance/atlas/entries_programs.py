"""Entries of R and node libraries: shipped programs that speak JSON."""

from __future__ import annotations

from msvm_ref.conformance.atlas import conventions as own
from msvm_ref.conformance.atlas.entry import Entry, Finding
from msvm_ref.conformance.atlas.probes import Probe
from msvm_ref.model.conventions import literals as cv

JSON = (Probe("jsonlite", "r"),)
KERNLAB = Probe("kernlab", "r", JSON)
INSTALL_KERNLAB = "apt-get install r-cran-kernlab r-cran-jsonlite"
R = {"program": "svm.R"}
NODE = {"program": "svm.js"}
SCALES = (
    "called with scaled=FALSE; by default it standardises the columns and solves another problem"
)
SIMPLIFIED = "the simplified SMO draws its second multiplier at random"

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "kernlab-kbb", "kernlab", "ksvm(type='kbb-svc')",
        "R", KERNLAB, INSTALL_KERNLAB, cv.KERNLAB_KBB, "programs:r",
        {**R, "package": "kernlab", "type": "kbb-svc", "tol": 1e-3}, {"tol": 1e-8}, note=SCALES,
        findings=(
            Finding(
                "kernlab kbb-svc returns multipliers that are worth several times a point given by hand",
                "kernlab_kbb.R",
            ),
        ),
    ),
    Entry(
        "kernlab-spoc", "kernlab", "ksvm(type='spoc-svc')",
        "R", KERNLAB, INSTALL_KERNLAB, cv.KERNLAB_SPOC, "programs:r",
        {**R, "package": "kernlab", "type": "spoc-svc", "tol": 1e-3}, {"tol": 1e-8}, note=SCALES,
        findings=(
            Finding(
                "kernlab spoc-svc returns multipliers that are worse than W = 0",
                "kernlab_spoc.R",
            ),
        ),
    ),
    Entry(
        "kernlab-csvc", "kernlab", "ksvm(type='C-svc')",
        "R", KERNLAB, INSTALL_KERNLAB, own.LIBSVM_PAIRS, "programs:r",
        {**R, "package": "kernlab", "type": "C-svc", "tol": 1e-3}, {"tol": 1e-8}, pairs=True, note=SCALES,
    ),
    Entry(
        "kernlab-cbsvc", "kernlab", "ksvm(type='C-bsvc')",
        "R", KERNLAB, INSTALL_KERNLAB, own.BSVM_PAIRS, "programs:r",
        {**R, "package": "kernlab", "type": "C-bsvc", "tol": 1e-3}, {"tol": 1e-8}, pairs=True, note=SCALES,
        findings=(
            Finding(
                "kernlab C-bsvc with vanilladot ends at many times the objective of C-svc's weights",
                "kernlab_cbsvc.R",
            ),
        ),
    ),
    Entry(
        "e1071", "e1071", "svm(kernel='linear')",
        "R", Probe("e1071", "r", JSON), "apt-get install r-cran-e1071 r-cran-jsonlite",
        own.LIBSVM_PAIRS, "programs:r",
        {**R, "package": "e1071", "tol": 1e-3}, {"tol": 1e-6}, pairs=True, note=SCALES,
    ),
    Entry(
        "libsvm-js", "libsvm-js", "SVM({kernel: LINEAR})",
        "JavaScript", Probe("libsvm-js", "npm"), "npm install libsvm-js",
        own.LIBSVM_PAIRS, "programs:node",
        {**NODE, "package": "libsvm-js", "tol": 1e-3}, {"tol": 1e-6}, pairs=True,
    ),
    Entry(
        "ml-svm", "ml-svm", "SVM({kernel: 'linear'}), one class against the rest",
        "JavaScript", Probe("ml-svm", "npm"), "npm install ml-svm",
        cv.LIBSVM_OVR, "programs:node",
        {**NODE, "package": "ml-svm", "options": {}},
        {"options": {"tol": 1e-8, "maxPasses": 20, "maxIterations": 10_000, "alphaTol": 0}},
        seeded=False, note=f"called with whitening: false; {SIMPLIFIED}",
        findings=(
            Finding(
                "ml-svm with its default whitening is NaN where a feature is constant",
                "mlsvm_constant.js", "input",
            ),
        ),
    ),
    Entry(
        "svmjs", "svm", "SVM({kernel: 'linear'}), one class against the rest",
        "JavaScript", Probe("svm", "npm"), "npm install svm",
        cv.LIBSVM_OVR, "programs:node",
        {**NODE, "package": "svm", "options": {}},
        {"options": {"tol": 1e-8, "numpasses": 20, "maxiter": 10_000, "alphatol": 0}},
        seeded=False, note=SIMPLIFIED,
    ),
)  # fmt: skip
