"""For other people's code: checks, adapters, diagnosis, fixtures; names load on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOME = {
    "msvm_ref.conformance.suite": ("check_solver", "parametrize", "Record", "Trial"),
    "msvm_ref.conformance.adapters": ("Fitted", "Solver", "FunctionSolver", "EstimatorSolver", "OneVsOnePair", "as_solver"),
    "msvm_ref.conformance.command": ("CommandSolver", "kernlab"),
    "msvm_ref.conformance.diagnosis": ("diagnose", "Diagnosis"),
    "msvm_ref.conformance.fixtures": ("MACHINE_FIXTURES", "BIAS_FIXTURES", "Fixture"),
    "msvm_ref.conformance.convention_pairs": ("relation", "Relation"),
    "msvm_ref.conformance.checks": ("CHECKS",),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}
__all__ = sorted(_WHERE)

if TYPE_CHECKING:
    from msvm_ref.conformance.adapters import EstimatorSolver, Fitted, FunctionSolver, OneVsOnePair, Solver, as_solver  # noqa: F401
    from msvm_ref.conformance.checks import CHECKS  # noqa: F401
    from msvm_ref.conformance.command import CommandSolver, kernlab  # noqa: F401
    from msvm_ref.conformance.convention_pairs import Relation, relation  # noqa: F401
    from msvm_ref.conformance.diagnosis import Diagnosis, diagnose  # noqa: F401
    from msvm_ref.conformance.fixtures import BIAS_FIXTURES, MACHINE_FIXTURES, Fixture  # noqa: F401
    from msvm_ref.conformance.suite import Record, Trial, check_solver, parametrize  # noqa: F401


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value
