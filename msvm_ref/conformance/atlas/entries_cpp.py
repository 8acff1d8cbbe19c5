"""Entries of C++ libraries with a Python door, and of libraries that bring a loss and an optimiser."""

from __future__ import annotations

from msvm_ref.conformance.atlas import conventions as own
from msvm_ref.conformance.atlas.entry import Entry, Finding
from msvm_ref.conformance.atlas.probes import Probe
from msvm_ref.model.conventions import literals as cv

LIBLINEAR, INSTALL_LIBLINEAR = Probe("liblinear-official"), "pip install liblinear-official"
LIBSVM, INSTALL_LIBSVM = Probe("libsvm-official"), "pip install libsvm-official"
SNAPML, INSTALL_SNAPML = Probe("snapml"), "pip install snapml"
MLPACK, INSTALL_MLPACK = Probe("mlpack"), "pip install mlpack"
TORCH, INSTALL_TORCH = Probe("torch"), "pip install torch"

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "libsvm", "LIBSVM", "svm-train -s 0 -t 0",
        "C++", LIBSVM, INSTALL_LIBSVM, own.LIBSVM_PAIRS, "chih_jen_lin:libsvm",
        {}, {"options": "-e 1e-6"}, pairs=True,
    ),
    Entry(
        "liblinear-s1", "LIBLINEAR", "train -s 1 -B 1",
        "C++", LIBLINEAR, INSTALL_LIBLINEAR, cv.LIBLINEAR_OVR2, "chih_jen_lin:liblinear",
        {"options": "-s 1 -B 1"}, {"options": "-s 1 -B 1 -e 1e-12"}, seeded=False,
    ),
    Entry(
        "liblinear-s2", "LIBLINEAR", "train -s 2 -B 1",
        "C++", LIBLINEAR, INSTALL_LIBLINEAR, cv.LIBLINEAR_OVR2, "chih_jen_lin:liblinear",
        {"options": "-s 2 -B 1"}, {"options": "-s 2 -B 1 -e 1e-12"}, seeded=False,
        findings=(
            Finding(
                "LIBLINEAR's Python module trains on NaN and with C = nan",
                "liblinear_nan.py", "input",
            ),
        ),
    ),
    Entry(
        "liblinear-s2-R", "LIBLINEAR", "train -s 2 -B 1 -R",
        "C++", LIBLINEAR, INSTALL_LIBLINEAR, own.LIBLINEAR_FREE, "chih_jen_lin:liblinear",
        {"options": "-s 2 -B 1 -R"}, {"options": "-s 2 -B 1 -R -e 1e-12"}, seeded=False,
    ),
    Entry(
        "liblinear-s3", "LIBLINEAR", "train -s 3 -B 1",
        "C++", LIBLINEAR, INSTALL_LIBLINEAR, cv.LIBLINEAR_OVR, "chih_jen_lin:liblinear",
        {"options": "-s 3 -B 1"}, {"options": "-s 3 -B 1 -e 1e-9"}, seeded=False,
        findings=(
            Finding(
                "LIBLINEAR -s 3 -e 1e-9 -q stops more than 1 % above a known point on iris at C = 16, without a word",
                "liblinear_s3.py", "silent",
            ),
        ),
    ),
    Entry(
        "liblinear-s4", "LIBLINEAR", "train -s 4 -B 1",
        "C++", LIBLINEAR, INSTALL_LIBLINEAR, cv.LIBLINEAR_CS, "chih_jen_lin:liblinear",
        {"options": "-s 4 -B 1"}, {"options": "-s 4 -B 1 -e 1e-12"}, seeded=False,
    ),
    Entry(
        "snapml-hinge", "snapml", "SupportVectorMachine()",
        "C++", SNAPML, INSTALL_SNAPML, own.OVA_SUM, "one_vs_rest:snapml",
        {}, {"tol": 1e-12, "max_iter": 100_000},
        findings=(
            Finding(
                "snapml SupportVectorMachine(loss='hinge') stops above a point given by hand, at tol=1e-12 and max_iter=100000",
                "snapml_hinge.py",
            ),
        ),
    ),
    Entry(
        "snapml-hinge-bias", "snapml", "SupportVectorMachine(fit_intercept=True)",
        "C++", SNAPML, INSTALL_SNAPML, own.OVA_SUM_BIAS, "one_vs_rest:snapml",
        {"fit_intercept": True}, {"tol": 1e-12, "max_iter": 100_000},
        findings=(
            Finding(
                "snapml SupportVectorMachine(fit_intercept=True) stops above a point given by hand",
                "snapml_hinge_bias.py",
            ),
        ),
    ),
    Entry(
        "snapml-squared", "snapml", "SupportVectorMachine(loss='squared_hinge')",
        "C++", SNAPML, INSTALL_SNAPML, own.OVA2_SUM, "one_vs_rest:snapml",
        {"loss": "squared_hinge"}, {"tol": 1e-12, "max_iter": 100_000},
    ),
    Entry(
        "mlpack-lbfgs", "mlpack", "linear_svm(optimizer='lbfgs')",
        "C++", MLPACK, INSTALL_MLPACK, cv.MLPACK, "gradient:mlpack",
        {}, {"tolerance": 1e-15, "max_iterations": 100_000},
        findings=(
            Finding(
                "mlpack linear_svm with L-BFGS returns weights that are better when doubled",
                "mlpack_lbfgs.py",
            ),
        ),
    ),
    Entry(
        "mlpack-psgd", "mlpack", "linear_svm(optimizer='psgd')",
        "C++", MLPACK, INSTALL_MLPACK, cv.MLPACK, "gradient:mlpack",
        {"optimizer": "psgd", "seed": 1}, {"tolerance": 1e-15, "epochs": 100},
    ),
    Entry(
        "dlib-binary", "dlib", "svm_c_trainer_linear, one class against the rest",
        "C++", Probe("dlib-bin"), "pip install dlib-bin", own.OVA_MEAN_BIAS, "one_vs_rest:dlib",
        {}, {"epsilon": 1e-10, "max_iterations": 1_000_000},
    ),
    Entry(
        "skglm", "skglm", "LinearSVC, one class against the rest",
        "Python", Probe("skglm"), "pip install skglm", own.OVA_NONE, "one_vs_rest:skglm",
        {}, {"tol": 1e-10, "max_iter": 1000},
        note="fit_intercept has no effect: its solver is called with fit_intercept=False",
        findings=(
            Finding(
                "skglm LinearSVC(fit_intercept=True) fits no intercept",
                "skglm_intercept.py", "wrong",
            ),
        ),
    ),
    Entry(
        "jaxopt", "jaxopt", "BlockCoordinateDescent(multiclass_linear_svm_dual)",
        "Python", Probe("jaxopt", needs=(Probe("jax"),)), "pip install jaxopt jax", own.JAXOPT, "gradient:jaxopt",
        {}, {"tol": 1e-10, "maxiter": 5000},
        findings=(
            Finding(
                "jaxopt multiclass_linear_svm_dual by block coordinate descent ends above W = 0 for l2reg = 0.25",
                "jaxopt_l2reg.py",
            ),
            Finding(
                "jaxopt multiclass_linear_svm_dual by block coordinate descent is NaN where a row of X is 0",
                "jaxopt_zero_row.py",
            ),
        ),
    ),
    Entry(
        "torch-ww", "torch", "MultiMarginLoss + L-BFGS",
        "Python", TORCH, INSTALL_TORCH, own.TORCH_WW, "gradient:torch",
        {}, {"rounds": 5}, solver=False,
    ),
    Entry(
        "torch-ww2", "torch", "MultiMarginLoss(p=2) + L-BFGS",
        "Python", TORCH, INSTALL_TORCH, own.TORCH_WW2, "gradient:torch",
        {"power": 2}, {"rounds": 5}, solver=False,
    ),
)  # fmt: skip
