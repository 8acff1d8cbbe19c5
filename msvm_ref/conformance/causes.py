"""One cause told once: which failed checks have the same explanation, and in which convention the solver is right as it is.

A diagnosis says what one answer is the optimum of. Where that is the same machine written otherwise (another margin, another
meaning of C, another treatment of the bias), the failed checks are run again in that convention: those that pass there are
explained by it, which is a proof and no guess, whether or not they had an answer to diagnose.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from msvm_ref.conformance.accuracy import Inaccurate, float32_kernel, inaccurate
from msvm_ref.conformance.confirm import SecondProblems
from msvm_ref.conformance.diagnosis import NEAR, holds_again
from msvm_ref.conformance.finding import Diagnosis, Finding
from msvm_ref.conformance.other_convention import other_convention, told
from msvm_ref.conformance.shrink import smallest
from msvm_ref.conformance.suite import Record, Try, attempt, example_text
from msvm_ref.conformance.trial import Trial
from msvm_ref.conformance.verdicts import CheckFailed

NO_BIAS = "where the convention has no bias"
NOTHING = "nothing we know"
LATE = "not looked into: the time for a diagnosis was over"
TRIED = 3
"""So many answers that are the optimum of nothing we know are looked into; those after them are told with them."""
SECONDS = 40.0
"""After so long no further cause is searched for; what is known is still certified elsewhere."""


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
    """The trial in which the solver is right: another convention, or its own knobs turned."""
    finding: Finding | None = field(default=None, repr=False, compare=False)
    """What it is the optimum of, to be certified on other answers."""

    @property
    def explains(self) -> bool:
        """Is this an explanation, and not only what the checks said?"""
        return self.known or self.trial is not None or bool(self.details.get("confirmed"))

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
    explanations = Explanations(trial)
    trial.asked.explain()
    left = [tried for tried in tries if tried.status == "failed"]
    for tried in sorted(left, key=lambda t: t.failure is None or t.failure.candidate is None):
        explanations.explain(tried)
    return tuple(explanations.causes.values())


@dataclass
class Explanations:
    """Of one solver: a cause found once is certified again for the next failure before another is looked for."""

    trial: Trial
    causes: dict[Any, Cause] = field(default_factory=dict)
    second: dict[Any, SecondProblems] = field(default_factory=dict)
    spent: float = 0.0
    """Seconds of search."""

    def explain(self, tried: Try) -> Cause:
        """The cause of a failed check; the check is added to it."""
        for key, cause in list(self.causes.items()):
            if cause.trial is not None and self._right_there(cause.trial, tried.name):
                return self._add(key, cause, tried.name)
        judge, again = _with_a_bias(self.trial, tried)
        if again.failure is None or again.failure.candidate is None:
            key = _message_key(tried.message)
            said = Cause(tried.message.partition(": ")[0], tried.message, ())
            return self._add(key, self.causes.get(key) or said, tried.name)
        for key, cause in list(self.causes.items()):
            if cause.finding is not None and self._holds(cause, judge, again):
                return self._add(key, cause, tried.name)
        unknown = self.causes.get(NOTHING)
        if unknown is not None and len(unknown.checks) >= TRIED:
            return self._add(NOTHING, unknown, tried.name)
        if self.causes and (self.spent > SECONDS or self.trial.asked.over):
            return self._add(LATE, self.causes.get(LATE) or Cause(LATE, LATE, ()), tried.name)
        return self._new(judge, again)

    def _right_there(self, other: Trial, name: str) -> bool:
        """Does the check pass, or not apply, in another convention? A check that ran out of time tells nothing."""
        return attempt(other, name).status != "failed" and not self.trial.asked.over

    def _add(self, key: Any, cause: Cause, name: str) -> Cause:
        self.causes[key] = replace(cause, checks=(*cause.checks, name))
        return self.causes[key]

    def _holds(self, cause: Cause, judge: Trial, tried: Try) -> bool:
        assert cause.finding is not None
        assert tried.failure is not None
        assert tried.failure.candidate is not None
        problem, given = tried.failure.candidate
        again = holds_again(problem, given, cause.finding, judge.diagnosis_tolerance)
        return bool(again)

    def _new(self, judge: Trial, tried: Try) -> Cause:
        start = time.monotonic()
        assert tried.failure is not None
        case = tried.failure.case
        turned = inaccurate(judge, case)
        if turned is not None and turned.trial is not None:
            cause = Cause(turned.words, turned.words, (), trial=turned.trial)
            key: Any = turned.words
        else:
            diagnosis = judge.diagnosis(tried.failure)
            key, cause = self._diagnosed(judge, tried, diagnosis, turned)
        self.spent += time.monotonic() - start
        return self._add(key, self.causes.get(key, cause), tried.name)

    def _diagnosed(
        self, judge: Trial, tried: Try, diagnosis: Diagnosis, turned: Inaccurate | None
    ) -> tuple[Any, Cause]:
        """A diagnosis as a cause: certified on a second problem, or called what it is."""
        failure = tried.failure
        assert failure is not None
        other = other_convention(judge, failure, diagnosis)
        agrees: bool | None = True if other is not None else None
        if other is None and diagnosis.found is not None:
            diagnosis, agrees = self._confirmed(judge, diagnosis, failure.case)
            if agrees is False and (better := self._instead(judge, failure, diagnosis)) is not None:
                diagnosis, agrees = better, True
        found = diagnosis.found
        title, sentence = _titled(diagnosis, agrees)
        if found is None and (words := float32_kernel(judge, failure.case, _off(diagnosis))):
            title, sentence, agrees = words, words, True
        if found is None and turned is not None:
            sentence = f"{sentence}; {turned.words}"
        if judge is not self.trial:
            sentence = f"it returns a b where no bias is claimed; with a free one {sentence}"
        details: dict[str, Any] = {"diagnosis": diagnosis.to_dict(), "confirmed": agrees}
        details |= {k: tried.details[k] for k in ("case", "lower", "upper") if k in tried.details}
        if failure.case is not None and (part := smallest(judge, failure.case)) is not None:
            details["smallest"], details["example"] = part.literal(), example_text(part)
        right = {} if other is None else told(self.trial, other.convention)
        known = found if agrees else None
        return _key(diagnosis), Cause(title, sentence, (), False, right, details, other, known)

    def _confirmed(
        self, judge: Trial, diagnosis: Diagnosis, like: Any
    ) -> tuple[Diagnosis, bool | None]:
        """The first explanation that holds on the second problems, before the others; what they say of it."""
        second = self.second.setdefault(judge.convention.bias, SecondProblems(judge))
        said: list[bool | None] = []
        for finding in diagnosis.findings:
            close = NEAR if not finding.explains(diagnosis.tolerance) else 0.0
            said.append(second.holds(finding, like, max(diagnosis.tolerance, close)))
            if said[-1]:
                others = tuple(f for f in diagnosis.findings if f is not finding)
                return replace(diagnosis, found=finding, also=others), True
        return diagnosis, None if None in said else False

    def _instead(
        self, judge: Trial, failure: CheckFailed, diagnosis: Diagnosis
    ) -> Diagnosis | None:
        """Past a coincidence: the next explanation that holds on the second problems, of a few."""
        number = _as_a_number(diagnosis)
        if number is not None and (known := self._confirmed(judge, number, failure.case))[1]:
            return known[0]
        refuted = {f.text for f in diagnosis.findings}
        for _ in range(TRIED):
            later = judge.diagnosis(failure, refuted)
            if later.found is None or not later.found.explains(later.tolerance):
                return None
            confirmed, agrees = self._confirmed(judge, later, failure.case)
            if agrees:
                return confirmed
            refuted |= {f.text for f in later.findings}
        return None


def _titled(diagnosis: Diagnosis, agrees: bool | None) -> tuple[str, str]:
    """(title, sentence): asserted where it was certified twice."""
    found, sentence = diagnosis.found, diagnosis.sentence
    if found is None:
        return f"the optimum of {NOTHING}", sentence
    if agrees:
        return f"this is {found.text}", sentence
    why = (
        "On a second, generic problem it is not: no explanation, a coincidence"
        if agrees is False
        else "Second problems could not tell: the solver is right there, or does not answer"
    )
    return f"on this case it coincides with {found.text}", f"on this case {sentence}. {why}"


def _as_a_number(diagnosis: Diagnosis) -> Diagnosis | None:
    """A factor of C that was told by a formula, C/d, say, as the number it is, C·0.333333."""
    found = diagnosis.found
    if found is None or found.hypothesis is None:
        return None
    h = found.hypothesis
    plain = (h.scale, h.sigma, h.weights, h.shape) == (1.0, 1.0, "as given", "as given")
    if not plain or h.edits != 1 or h.factor == 1:
        return None
    words = (f"C·{h.factor:.6g}",)
    number = replace(found, words=words, hypothesis=None, kind=f"C: {h.factor:.3g}")
    return replace(diagnosis, found=number, also=())


def _off(diagnosis: Diagnosis) -> float:
    return diagnosis.claimed.primal_error


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
    if found is None or not found.explains(diagnosis.tolerance):
        return NOTHING
    words = tuple(re.sub(r"[-+]?\d+\.\d+(e[-+]\d+)?", "#", word) for word in found.words)
    return found.problem.machine.name, found.problem.machine.cost, words


def _message_key(message: str) -> str:
    """What a check without a candidate said, but for its numbers and the case it names first."""
    line = message.splitlines()[0]
    start = line.find("the solver raised")
    line = line[start:] if start >= 0 else line.partition(": ")[2] or line
    return re.sub(r"\[[^\]]*\]|[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "#", line)
