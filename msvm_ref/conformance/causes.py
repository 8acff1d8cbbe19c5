"""One cause told once: which failed checks have the same explanation, and in which convention the solver is right as it is.

A diagnosis says what one answer is the optimum of. Where that is the same machine written otherwise (another margin, another
meaning of C, another treatment of the bias), the failed checks are run again in that convention: those that pass there are
explained by it, which is a proof and no guess, whether or not they had an answer to diagnose.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from msvm_ref.conformance.confirm import confirmed
from msvm_ref.conformance.diagnosis import Diagnosis
from msvm_ref.conformance.shrink import smallest
from msvm_ref.conformance.suite import Record, Try, attempt, example_text
from msvm_ref.conformance.trial import Trial
from msvm_ref.conformance.verdicts import CheckFailed
from msvm_ref.errors import SpecError
from msvm_ref.model.conventions.convention import PARAMETERS, Convention, Factor
from msvm_ref.model.conventions.literals import CONVENTIONS, UV, margin, with_parameter

SAME = 1e-9
NO_BIAS = "where the convention has no bias"
MARGINS = (1, 2, 100)


@dataclass(frozen=True)
class Cause:
    """What explains some failed checks. ``right``: the convention in which the solver is right as it is, or empty."""

    title: str
    """A few words, for one line of a terminal."""
    sentence: str
    checks: tuple[str, ...]
    known: bool = False
    right: Mapping[str, str] = field(default_factory=dict)
    """convention, and machine, cost and bias where they have to be said."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Of the first check: ``diagnosis`` with its certificates, ``smallest`` (the smallest example), ``case``."""
    trial: Trial | None = field(default=None, repr=False, compare=False)
    """The solver's trial in that convention."""

    @property
    def explains(self) -> bool:
        """Is this an explanation, and not only what the checks said?"""
        diagnosis = self.details.get("diagnosis")
        refuted = self.details.get("confirmed") is False
        return self.known or bool(diagnosis and diagnosis["found"] and not refuted)

    @property
    def options(self) -> str:
        """``--convention "margin1, C/n" --bias free``, or nothing."""
        said = (f'"{v}"' if not v.isalnum() else v for v in self.right.values())
        return " ".join(f"--{k} {v}" for k, v in zip(self.right, said, strict=True))

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "sentence": self.sentence,
            "checks": list(self.checks),
            "known": self.known,
            "right": dict(self.right) or None,
            **self.details,
        }


def known_causes(records: Sequence[Record]) -> tuple[Cause, ...]:
    """Expected failures by their reason."""
    by_reason: dict[str, list[Record]] = {}
    for record in records:
        if record.status == "expected failure":
            by_reason.setdefault(str(record.details["reason"]), []).append(record)
    return tuple(
        Cause(
            title=reason.partition(": ")[0],
            sentence=reason,
            checks=tuple(r.name for r in group),
            known=True,
            details={k: v for k, v in group[0].details.items() if k in ("diagnosis", "smallest")},
        )
        for reason, group in by_reason.items()
    )


def causes_of(trial: Trial, tries: Sequence[Try]) -> tuple[Cause, ...]:
    """The explanations of failed checks, each with the checks it explains; every failed check is in one."""
    left = {tried.name: tried for tried in tries if tried.status == "failed"}
    causes: dict[Any, Cause] = {}
    for name in list(left):
        if name not in left:
            continue
        judge, tried = _with_a_bias(trial, left[name])
        if tried.failure is None or tried.failure.candidate is None:
            continue
        del left[name]
        if len(causes[NOTHING].checks if NOTHING in causes else ()) >= TRIED:
            causes[NOTHING] = _with_check(causes[NOTHING], name)
            continue
        diagnosis = judge.diagnosis(tried.failure)
        key = _key(diagnosis)
        if key in causes:
            causes[key] = _with_check(causes[key], name)
            continue
        other = _other_convention(judge, tried.failure, diagnosis)
        explained = (
            [] if other is None else [n for n in left if attempt(other, n).status != "failed"]
        )
        for also in explained:
            del left[also]
        cause = _cause(trial, judge, tried, diagnosis, other)
        causes[key] = replace(cause, checks=(name, *explained))
    for name, tried in left.items():
        key = _message_key(tried.message)
        known = causes.get(key) or Cause(tried.message.partition(": ")[0], tried.message, ())
        causes[key] = _with_check(known, name)
    return tuple(causes.values())


NOTHING = "nothing we know"
TRIED = 3
"""So many answers that are the optimum of nothing we know are looked into; those after them are told with them."""


def _with_check(cause: Cause, name: str) -> Cause:
    return replace(cause, checks=(*cause.checks, name))


def _with_a_bias(trial: Trial, tried: Try) -> tuple[Trial, Try]:
    """Where a solver returns a b and claims none: the trial with a free bias instead, and the check tried there."""
    if trial.convention.bias != "none" or NO_BIAS not in tried.message:
        return trial, tried
    free = replace(trial, convention=replace(trial.convention, bias="free"), gaps=[])
    again = attempt(free, tried.name)
    if again.status == "failed" and again.failure is not None:
        return free, again
    return trial, tried


def _key(diagnosis: Diagnosis) -> Any:
    """Equal for diagnoses that name the same cause; how far off an answer is may differ."""
    found = diagnosis.found
    if found is None or found.error > diagnosis.tolerance:
        return NOTHING
    words = tuple(re.sub(r"[-+]?\d+\.\d+(e[-+]\d+)?", "#", word) for word in found.words)
    return found.problem.machine.name, found.problem.machine.cost, words


def _message_key(message: str) -> str:
    """What a check without a candidate said, but for its numbers and the case it names first."""
    line = message.splitlines()[0]
    start = line.find("the solver raised")
    line = line[start:] if start >= 0 else line.partition(": ")[2] or line
    return re.sub(r"\[[^\]]*\]|[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "#", line)


def _cause(
    trial: Trial, judge: Trial, tried: Try, diagnosis: Diagnosis, other: Trial | None
) -> Cause:
    assert tried.failure is not None
    details: dict[str, Any] = {"diagnosis": diagnosis.to_dict()}
    details |= {k: tried.details[k] for k in ("case", "lower", "upper") if k in tried.details}
    if tried.failure.case is not None and (part := smallest(judge, tried.failure.case)) is not None:
        details["smallest"], details["example"] = part.literal(), example_text(part)
    found = diagnosis.found
    title = f"this is {found.text}" if found is not None else f"the optimum of {NOTHING}"
    sentence = diagnosis.sentence
    agrees = None if other is not None else confirmed(judge, diagnosis, tried.failure.case)
    details["confirmed"] = True if other is not None else agrees
    if agrees is False and found is not None:
        title = f"on this case it coincides with {found.text}"
        sentence = (
            f"{sentence}. On a second, generic problem it is not: no explanation, a coincidence"
        )
    if judge is not trial:
        sentence = f"it returns a b where no bias is claimed; with a free one {sentence}"
    right = {} if other is None else _told(trial, other.convention)
    return Cause(title, sentence, (), False, right, details, other)


def _told(trial: Trial, convention: Convention) -> dict[str, str]:
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


def _other_convention(trial: Trial, failure: CheckFailed, diagnosis: Diagnosis) -> Trial | None:
    """The trial in a convention where the answer is the optimum found, named where it has a name; None where there is none."""
    found = diagnosis.found
    if found is None or diagnosis.as_claimed or found.hypothesis is None:
        return None
    h, problem = found.hypothesis, found.problem
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
            if failure.case is None or _right(other, failure):
                return other
    return None


def _right(trial: Trial, failure: CheckFailed) -> bool:
    """Is a plain fit of the failed case optimal in this trial's convention?"""
    assert failure.case is not None
    try:
        trial.require_optimal(failure.case, trial.fit(failure.case))
    except Exception:  # whatever the solver does there, it is not right
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
