"""msvm_ref: the reference for multi-class SVMs.

Declare a machine as data, pose a ``Problem``, ``solve`` it with a certificate, and ``certify`` anybody's answer.
Names load on first use, so importing the package loads neither cvxpy nor numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "msvm_ref.errors": ("MsvmError", "SpecError", "DataError", "BackendError"),
    "msvm_ref.model.machine": (
        "Machine", "Margin", "Target", "Aggregation", "RELATIVE", "ABSOLUTE", "reinforced", "reinforced_target",
        "SELF", "TOTAL_SUM", "TOTAL_MAX", "OTHERS_SUM", "OTHERS_MAX"),
    "msvm_ref.model.catalogue": (
        "WW", "CS", "LLW", "MMR", "MMR_ORTHO", "RM", "OVA", "AMO", "ATM", "ATS", "CATALOGUE", "machine_named"),
    "msvm_ref.model.kernels": ("Kernel", "linear", "rbf", "polynomial", "precomputed"),
    "msvm_ref.model.problem": ("Problem",),
    "msvm_ref.model.basis": ("Representation", "kpca", "cholesky", "incomplete_cholesky", "leading_subset"),
    "msvm_ref.judge.certify": ("certify",),
    "msvm_ref.judge.certificate": ("Certificate",),
    "msvm_ref.judge.solution": ("Solution",),
    "msvm_ref.methods": ("solve", "solve_path"),
    "msvm_ref.classic.kesler": ("KeslerKernel",),
    "msvm_ref.softmax.problem": ("SoftmaxProblem",),
    "msvm_ref.softmax.certificate": ("certify_softmax",),
    "msvm_ref.softmax.solve": ("solve_softmax", "softmax_path", "NotConvexWarning"),
    "msvm_ref.softmax.one_vs_rest": ("one_vs_rest",),
    "msvm_ref.exact": ("exact_optimum", "ExactOptimum", "ExactnessError"),
    "msvm_ref.theory.risk": ("minimize_risk", "RiskMinimum"),
    "msvm_ref.theory.fisher": ("fisher_consistency", "ConsistencyResult"),
    "msvm_ref.theory.check_proof": ("verify_proof",),
    "msvm_ref.theory.check_counterexample": ("verify_counterexample",),
    "msvm_ref.theory.threshold": ("consistency_threshold",),
    "msvm_ref.theory.theorems": ("check_theorems",),
    "msvm_ref.theory.regimes": ("kde_regime", "one_point"),
    "msvm_ref.theory.circle": ("circle_study",),
    "msvm_ref.reductions.one_vs_all": ("one_vs_all",),
    "msvm_ref.reductions.one_vs_one": ("one_vs_one",),
    "msvm_ref.reductions.dag": ("dag",),
    "msvm_ref.reductions.margin_tree": ("margin_tree",),
    "msvm_ref.estimator": ("MulticlassSVC", "OneVsAllSVC", "OneVsOneSVC", "DAGSVC", "MarginTreeClassifier"),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}

_MODULES = ("conformance", "conventions")

__all__ = ["__version__", *sorted([*_WHERE, *_MODULES])]

if TYPE_CHECKING:
    from msvm_ref import conformance, conventions
    from msvm_ref.classic.kesler import KeslerKernel
    from msvm_ref.errors import BackendError, DataError, MsvmError, SpecError
    from msvm_ref.estimator import DAGSVC, MarginTreeClassifier, MulticlassSVC, OneVsAllSVC, OneVsOneSVC
    from msvm_ref.exact import ExactnessError, ExactOptimum, exact_optimum
    from msvm_ref.judge.certificate import Certificate
    from msvm_ref.judge.certify import certify
    from msvm_ref.judge.solution import Solution
    from msvm_ref.methods import solve, solve_path
    from msvm_ref.model.basis import Representation, cholesky, incomplete_cholesky, kpca, leading_subset
    from msvm_ref.model.catalogue import (
        AMO,
        ATM,
        ATS,
        CATALOGUE,
        CS,
        LLW,
        MMR,
        MMR_ORTHO,
        OVA,
        RM,
        WW,
        machine_named,
    )
    from msvm_ref.model.kernels import Kernel, linear, polynomial, precomputed, rbf
    from msvm_ref.model.machine import (
        ABSOLUTE,
        OTHERS_MAX,
        OTHERS_SUM,
        RELATIVE,
        SELF,
        TOTAL_MAX,
        TOTAL_SUM,
        Aggregation,
        Machine,
        Margin,
        Target,
        reinforced,
        reinforced_target,
    )
    from msvm_ref.model.problem import Problem
    from msvm_ref.reductions.dag import dag
    from msvm_ref.reductions.margin_tree import margin_tree
    from msvm_ref.reductions.one_vs_all import one_vs_all
    from msvm_ref.reductions.one_vs_one import one_vs_one
    from msvm_ref.softmax.certificate import certify_softmax
    from msvm_ref.softmax.one_vs_rest import one_vs_rest
    from msvm_ref.softmax.problem import SoftmaxProblem
    from msvm_ref.softmax.solve import NotConvexWarning, softmax_path, solve_softmax
    from msvm_ref.theory.check_counterexample import verify_counterexample
    from msvm_ref.theory.check_proof import verify_proof
    from msvm_ref.theory.circle import circle_study
    from msvm_ref.theory.fisher import ConsistencyResult, fisher_consistency
    from msvm_ref.theory.regimes import kde_regime, one_point
    from msvm_ref.theory.risk import RiskMinimum, minimize_risk
    from msvm_ref.theory.theorems import check_theorems
    from msvm_ref.theory.threshold import consistency_threshold


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"msvm_ref.{name}")
    if name not in _WHERE:
        raise AttributeError(f"module 'msvm_ref' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
