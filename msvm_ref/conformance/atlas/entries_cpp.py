"""Entries of C++ libraries with a Python door, and of libraries that bring a loss and an optimiser."""

from __future__ import annotations

from msvm_ref.conformance.atlas.entry import AtlasEntry, Fault
from msvm_ref.conformance.atlas.probes import Installed

LIBLINEAR, INSTALL_LIBLINEAR = Installed("liblinear-official"), "pip install liblinear-official"
LIBSVM, INSTALL_LIBSVM = Installed("libsvm-official"), "pip install libsvm-official"
SNAPML, INSTALL_SNAPML = Installed("snapml"), "pip install snapml"
MLPACK, INSTALL_MLPACK = Installed("mlpack"), "pip install mlpack"
INFERRED = (
    "the formula was inferred from its fits of small problems, not taken from its documentation"
)
CLIPS = (
    "called with --holdout_off, without which every tenth row is left out. Its loss is taken of predictions clipped to the "
    "labels' range [-1, 1], its gradient is not; --min_prediction and --max_prediction end that. Weights are float32"
)
TORCH, INSTALL_TORCH = Installed("torch"), "pip install torch"

ENTRIES: tuple[AtlasEntry, ...] = (
    AtlasEntry(
        "libsvm", "LIBSVM", "svm-train -s 0 -t 0",
        "C++", LIBSVM, INSTALL_LIBSVM, "OVO", "libsvm-ovo", "chih_jen_lin:libsvm",
        {}, {"options": "-e 1e-6"}, pairs=True,
    ),
    AtlasEntry(
        "liblinear-s1", "LIBLINEAR", "train -s 1 -B 1",
        "C++", LIBLINEAR, INSTALL_LIBLINEAR, "OVA²", "liblinear-ovr-squared", "chih_jen_lin:liblinear",
        {"options": "-s 1 -B 1"}, {"options": "-s 1 -B 1 -e 1e-12"}, seeded=False,
    ),
    AtlasEntry(
        "liblinear-s2", "LIBLINEAR", "train -s 2 -B 1",
        "C++", LIBLINEAR, INSTALL_LIBLINEAR, "OVA²", "liblinear-ovr-squared", "chih_jen_lin:liblinear",
        {"options": "-s 2 -B 1"}, {"options": "-s 2 -B 1 -e 1e-12"}, seeded=False,
        findings=(
            Fault(
                "LIBLINEAR's Python module trains on NaN and with C = nan",
                "liblinear_nan.py", "input",
            ),
        ),
    ),
    AtlasEntry(
        "liblinear-s2-R", "LIBLINEAR", "train -s 2 -B 1 -R",
        "C++", LIBLINEAR, INSTALL_LIBLINEAR, "OVA²", "liblinear-R", "chih_jen_lin:liblinear",
        {"options": "-s 2 -B 1 -R"}, {"options": "-s 2 -B 1 -R -e 1e-12"}, seeded=False,
    ),
    AtlasEntry(
        "liblinear-s3", "LIBLINEAR", "train -s 3 -B 1",
        "C++", LIBLINEAR, INSTALL_LIBLINEAR, "OVA", "liblinear-ovr", "chih_jen_lin:liblinear",
        {"options": "-s 3 -B 1"}, {"options": "-s 3 -B 1 -e 1e-9"}, seeded=False,
        findings=(
            Fault(
                "LIBLINEAR -s 3 -e 1e-9 -q stops more than 1 % above a known point on iris at C = 16, without a word",
                "liblinear_s3.py", "silent",
            ),
        ),
    ),
    AtlasEntry(
        "liblinear-s4", "LIBLINEAR", "train -s 4 -B 1",
        "C++", LIBLINEAR, INSTALL_LIBLINEAR, "CS", "liblinear-cs", "chih_jen_lin:liblinear",
        {"options": "-s 4 -B 1"}, {"options": "-s 4 -B 1 -e 1e-12"}, seeded=False,
    ),
    AtlasEntry(
        "snapml-hinge", "snapml", "SupportVectorMachine()",
        "C++", SNAPML, INSTALL_SNAPML, "OVA", "ovr-sum", "one_vs_rest:snapml",
        {}, {"tol": 1e-12, "max_iter": 100_000},
        findings=(
            Fault(
                "snapml SupportVectorMachine(loss='hinge') stops above a point given by hand, at tol=1e-12 and max_iter=100000",
                "snapml_hinge.py",
            ),
        ),
        note=INFERRED,
    ),
    AtlasEntry(
        "snapml-hinge-bias", "snapml", "SupportVectorMachine(fit_intercept=True)",
        "C++", SNAPML, INSTALL_SNAPML, "OVA", "ovr-sum-bias", "one_vs_rest:snapml",
        {"fit_intercept": True}, {"tol": 1e-12, "max_iter": 100_000},
        findings=(
            Fault(
                "snapml SupportVectorMachine(fit_intercept=True) stops above a point given by hand",
                "snapml_hinge_bias.py",
            ),
        ),
        note=INFERRED,
    ),
    AtlasEntry(
        "snapml-squared", "snapml", "SupportVectorMachine(loss='squared_hinge')",
        "C++", SNAPML, INSTALL_SNAPML, "OVA²", "ovr-squared-sum", "one_vs_rest:snapml",
        {"loss": "squared_hinge"}, {"tol": 1e-12, "max_iter": 100_000},
        note=INFERRED,
    ),
    AtlasEntry(
        "mlpack-lbfgs", "mlpack", "linear_svm(optimizer='lbfgs')",
        "C++", MLPACK, INSTALL_MLPACK, "WW", "mlpack", "gradient:mlpack",
        {}, {"tolerance": 1e-15, "max_iterations": 100_000},
        findings=(
            Fault(
                "mlpack linear_svm with L-BFGS returns weights that are better when doubled",
                "mlpack_lbfgs.py",
            ),
        ),
    ),
    AtlasEntry(
        "mlpack-psgd", "mlpack", "linear_svm(optimizer='psgd')",
        "C++", MLPACK, INSTALL_MLPACK, "WW", "mlpack", "gradient:mlpack",
        {"optimizer": "psgd", "seed": 1}, {"tolerance": 1e-15, "epochs": 100},
    ),
    AtlasEntry(
        "dlib-cs",
        "dlib",
        "svm_multiclass_linear_trainer",
        "C++",
        Installed("dlib", "header"),
        "apt-get install libdlib-dev g++",
        "CS", "dlib-cs",
        "compiled:dlib",
        {},
        {"epsilon": 1e-10},
        note=INFERRED,
    ),
    AtlasEntry(
        "dlib-binary", "dlib", "svm_c_trainer_linear, one class against the rest",
        "C++", Installed("dlib-bin"), "pip install dlib-bin", "OVA", "ovr-mean-bias", "one_vs_rest:dlib",
        {}, {"epsilon": 1e-10, "max_iterations": 1_000_000},
        note=INFERRED,
    ),
    AtlasEntry(
        "skglm", "skglm", "LinearSVC, one class against the rest",
        "Python", Installed("skglm"), "pip install skglm", "OVA", "ovr-none", "one_vs_rest:skglm",
        {}, {"tol": 1e-10, "max_iter": 1000},
        note="fit_intercept has no effect: its solver is called with fit_intercept=False",
        findings=(
            Fault(
                "skglm LinearSVC(fit_intercept=True) fits no intercept",
                "skglm_intercept.py", "wrong",
            ),
        ),
    ),
    AtlasEntry(
        "vowpalwabbit", "Vowpal Wabbit", "vw --bfgs --loss_function hinge --l2, one class against the rest",
        "C++", Installed("vowpalwabbit"), "pip install vowpalwabbit",
        "OVA", "ovr-sum", "one_vs_rest:vowpal_wabbit", {"options": "--passes 100"},
        {"options": "--passes 500 --termination 0 --mem 50 --min_prediction -1e30 --max_prediction 1e30"},
        note=CLIPS,
        findings=(
            Fault(
                "vw --bfgs --loss_function hinge ends above w = 0 where neither --min_prediction nor --max_prediction is given",
                "vowpalwabbit_hinge.py",
            ),
        ),
    ),
    AtlasEntry(
        "jaxopt", "jaxopt", "BlockCoordinateDescent(multiclass_linear_svm_dual)",
        "Python", Installed("jaxopt", needs=(Installed("jax"),)), "pip install jaxopt jax",
        "CS", "jaxopt-cs", "gradient:jaxopt",
        {}, {"tol": 1e-10, "maxiter": 5000},
        findings=(
            Fault(
                "jaxopt multiclass_linear_svm_dual by block coordinate descent ends above W = 0 for l2reg = 0.25",
                "jaxopt_l2reg.py",
            ),
            Fault(
                "jaxopt multiclass_linear_svm_dual by block coordinate descent is NaN where a row of X is 0",
                "jaxopt_zero_row.py",
            ),
        ),
    ),
    AtlasEntry(
        "torch-ww", "torch", "MultiMarginLoss + L-BFGS",
        "Python", TORCH, INSTALL_TORCH, "WW", "torch-ww", "gradient:torch",
        {}, {"rounds": 5}, solver=False,
    ),
    AtlasEntry(
        "torch-ww2", "torch", "MultiMarginLoss(p=2) + L-BFGS",
        "Python", TORCH, INSTALL_TORCH, "WW²", "torch-ww2", "gradient:torch",
        {"power": 2}, {"rounds": 5}, solver=False,
    ),
)  # fmt: skip
