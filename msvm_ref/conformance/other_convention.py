"""The convention in which a solver is right as it is, where the problem it solves is the same machine written otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from msvm_ref.conformance.confirm import SECOND
from msvm_ref.conformance.finding import Diagnosis, Finding
from msvm_ref.conformance.trial import Trial
from msvm_ref.conformance.verdicts import CheckFailed
from msvm_ref.errors import MsvmError, SpecError
from msvm_ref.model.conventions.convention import PARAMETERS, Convention, Factor
from msvm_ref.model.conventions.literals import CONVENTIONS, UV, margin, with_parameter

SAME = 1e-9
MARGINS = (1, 2, 100)


def told(trial: Trial, convention: Convention) -> dict[str, str]:
    """What to pass so that this convention is meant; empty where it has no name."""
    if not convention.name or convention.machine is None:
        return {}
    said = {"convention": convention.name}
    if convention.machine.name != trial.machine.name:
        said["machine"] = convention.machine.name
    if convention.machine.cost != trial.machine.cost:
        said["cost"] = convention.machine.cost
    if _literal(convention).bias is None and convention.bias != "none":
        said["bias"] = str(convention.bias)
    return said


def _literal(convention: Convention) -> Convention:
    """The convention as its name has it: what that leaves open is open."""
    base = convention.name.partition(",")[0]
    return next(
        (c for c in CONVENTIONS if c.name == base), replace(convention, machine=None, bias=None)
    )


def other_convention(trial: Trial, failure: CheckFailed, diagnosis: Diagnosis) -> Trial | None:
    """The trial in a convention where the answer is the optimum found, named where it has a name; None where there is none."""
    tries = (_written_as(trial, failure, finding) for finding in diagnosis.findings)
    return next((other for other in tries if other is not None), None)


def _written_as(trial: Trial, failure: CheckFailed, finding: Finding) -> Trial | None:
    if finding.hypothesis is None or not finding.words:
        return None
    h, problem = finding.hypothesis, finding.problem
    plain = (h.weights, h.shape, h.sigma) == ("as given", "as given", 1.0)
    if not plain or list(h.order) != sorted(h.order) or h.scale <= 0:
        return None
    assert failure.candidate is not None
    claimed = failure.candidate[0]
    for convention in _candidates(trial, h.machine):
        literal = _literal(convention)
        if literal.machine not in (None, h.machine) or literal.bias not in (None, h.bias):
            continue
        candidate = replace(convention, machine=h.machine, bias=h.bias)
        constant = trial.convention.from_C(claimed.C, claimed.n, claimed.d)
        C = candidate.to_C(constant, problem.n, problem.d)
        scale = candidate.scale.at(problem.d) / trial.convention.scale.at(problem.d)
        if math.isclose(C, problem.C, rel_tol=SAME) and math.isclose(scale, h.scale, rel_tol=SAME):
            other = replace(trial, convention=candidate, gaps=[])
            if _right(other, failure):
                return other
    return None


def _right(trial: Trial, failure: CheckFailed) -> bool:
    """Are plain fits optimal in this trial's convention: of the failed case, and of the second problems at two values of C?"""
    again = [trial.shaped(case) for case in SECOND]
    for case in ([failure.case] if failure.case is not None else []) + again:
        try:
            fitted = trial.fit(case)
        except Exception:  # whatever the solver does there, it is not right
            return False
        try:
            trial.require_optimal(case, fitted)
        except (CheckFailed, MsvmError):  # anything else would be a fault of ours
            return False
    return True


def _candidates(trial: Trial, machine: Any) -> Iterator[Convention]:
    """Conventions that have a name first, the nearest to the claim first; then the claim with C times a factor, unnamed."""
    own = trial.convention
    families = [own] if own.name else []
    families += [UV] if own.name != "UV" else []
    for m in MARGINS:
        try:
            families.append(margin(m, machine))
        except SpecError:
            break
    for family in families:
        yield from (with_parameter(family, parameter) for parameter in PARAMETERS)
    for convention in CONVENTIONS:
        if convention.machine == machine and convention.binary == own.binary:
            yield convention
    ridge = own.ridge
    for number in (Fraction(2), Fraction(4), Fraction(10)):
        for factor in (number, 1 / number):
            yield replace(own, name="", ridge=replace(ridge, number=ridge.number / factor))
    for power in (1, -1):
        yield replace(own, name="", ridge=Factor(ridge.number, ridge.power - power, ridge.classes))
        yield replace(own, name="", ridge=Factor(ridge.number, ridge.power, ridge.classes - power))
