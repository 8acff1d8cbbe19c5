"""What a diagnosis says: the problem a candidate does solve (Finding), what proves it, and a sentence (Diagnosis)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from msvm_ref.conformance.hypotheses import Hypothesis
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.certify import judge, worth
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.certifying import zero_weights
from msvm_ref.solvers.solution import Solution

FLAT = 1e-7
"""Where w = 0 is optimal to this, a share of the gain is a share of rounding."""


@dataclass(frozen=True)
class Enclosure:
    """lower <= optimum <= primal_value of an objective that is none of our problems (a fixed b, a smoothed hinge, …)."""

    title: str
    """The objective in a line."""
    lower: float
    """A dual value of it, rounded in float64."""
    primal_value: float
    """The candidate's own value."""
    at_zero: float
    """The value at W = 0: what there is to gain."""
    infeasibility: dict[str, float] = field(default_factory=dict)
    """Nothing is required of such a candidate."""

    @property
    def upper(self) -> float:
        return self.primal_value

    @property
    def primal_error(self) -> float:
        return max(self.primal_value - self.lower, 0.0) / self.primal_value

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "upper": self.upper, "primal_error": self.primal_error}


@dataclass(frozen=True)
class Finding:
    """A problem the candidate does solve: how it differs from the claim, and the certificate that proves it."""

    words: tuple[str, ...]
    """The edits of the claim, in words; none where the claim itself is solved."""
    problem: Problem
    """The problem that is solved; of an Enclosure the one it departs from."""
    certificate: Certificate | Enclosure
    """The candidate's certificate for that problem."""
    C: float
    """That problem's constant."""
    hypothesis: Hypothesis | None = None
    """The edits as numbers; None for a repair, which edits something else."""
    kind: str = ""
    """Which repair it is, without the numbers that differ from problem to problem; "" for an edit."""
    allowed: float = 0.0
    """The error up to which this explains, where that is more than the tolerance: what float32 costs."""

    optimum: bool = True
    """False for what explains an answer without being the optimum of anything."""

    @property
    def error(self) -> float:
        return self.certificate.primal_error

    @property
    def text(self) -> str:
        return (
            f"{self.problem.machine.name}, {'; '.join(self.words)}"
            if self.words
            else self.problem.machine.name
        )

    def explains(self, tolerance: float) -> bool:
        return share_missed(self) <= max(tolerance, self.allowed)


@dataclass(frozen=True)
class Diagnosis:
    """Which problem a candidate solves, if not the one it claims."""

    claimed: Certificate
    """The certificate for the problem as claimed."""
    found: Finding | None
    """The nearest explanation (fewest edits, then smallest gap); None where there is none."""
    also: tuple[Finding, ...]
    """Other explanations at the same distance."""
    tolerance: float
    """The relative error up to which a candidate counts as optimal."""
    tried: int
    """How many hypotheses were judged."""
    empty: bool = False
    """Are its weights nothing but rounding? Then every constant that is small enough explains it, and none is named."""
    nearest: Finding | None = None
    """Of what was judged and does not explain: the nearest, where it is much nearer than the claim."""

    @property
    def as_claimed(self) -> bool:
        return self.found is not None and not self.found.words

    @property
    def findings(self) -> tuple[Finding, ...]:
        return () if self.found is None else (self.found, *self.also)

    @property
    def sentence(self) -> str:
        above = f"{100 * self.claimed.primal_error / max(1 - self.claimed.primal_error, 1e-300):.3g} % above the optimum"
        if (off := self.claimed.infeasibility.get("sum_to_zero", 0.0)) > self.claimed.primal_error:
            above = f"its classes sum to {off:.2g} of their size instead of zero, {above}"
        if self.found is None and self.empty:
            return f"its weights are 0, which is the optimum of too many problems to name one; {above} of what it claims"
        if self.found is None:
            near = self.nearest
            told = "" if near is None else f", nearest is {near.text} (off by {near.error:.2g})"
            return f"optimal for nothing we know{told}; {above} of what it claims"
        if self.as_claimed:
            return f"optimal as claimed, to {self.found.error:.1e}"
        if not self.found.optimum:
            return f"this is {self.found.words[0]}; {above} of what it claims"
        how = "the optimum" if self.found.explains(self.tolerance) else "close to the optimum"
        return f"this is {how} of {self.found.text} (to {self.found.error:.1e}); {above} of what it claims"

    def to_dict(self) -> dict[str, Any]:
        return {
            "sentence": self.sentence,
            "as_claimed": self.as_claimed,
            "claimed": self.claimed.to_dict(),
            "found": _told(self.found),
            "also": [_told(f) for f in self.also],
            "nearest": _told(self.nearest),
            "problems_certified": self.tried,
        }

    def __str__(self) -> str:
        lines = [
            f"claimed:  {self.claimed.title}",
            f"          optimum in [{self.claimed.lower:.10g}, {self.claimed.upper:.10g}], "
            f"candidate {self.claimed.primal_value:.10g}",
            f"verdict:  {self.sentence}",
        ]
        if self.found is not None and not self.as_claimed:
            c = self.found.certificate
            lines += [
                f"found:    {c.title}",
                f"          optimum in [{c.lower:.10g}, {c.upper:.10g}], candidate {c.primal_value:.10g}",
            ]
            lines += [f"also:     {f.text} (to {f.error:.1e})" for f in self.also]
        return "\n".join(lines)


def _told(finding: Finding | None) -> dict[str, Any] | None:
    if finding is None:
        return None
    return {
        "problem": finding.text,
        "edits": list(finding.words),
        "machine": finding.problem.machine.name,
        "C": finding.C,
        "bias": finding.problem.bias,
        "certificate": finding.certificate.to_dict(),
    }


def judged(problem: Problem, primal: tuple[Array, Array], truth: Solution) -> Certificate:
    return judge(problem, Candidate(*primal), [(truth.candidate, "the ground truth")])


def distance(certificate: Certificate | Enclosure) -> float:
    """Distance from optimal, and from sum-to-zero where that is required as handed in."""
    return max(certificate.primal_error, certificate.infeasibility.get("sum_to_zero", 0.0))


def share_missed(finding: Finding) -> float:
    """(P - P*) / (P(0) - P*), where that is more than the relative error.

    Where C is small next to the data P is nearly flat, and every candidate within a small relative error of the optimum;
    then only the part of P(0) that the candidate fails to gain tells anything.
    """
    c, problem = finding.certificate, finding.problem
    if isinstance(c, Enclosure):
        at_zero = c.at_zero
    else:
        upper = worth(problem, zero_weights(problem, np.zeros(problem.d))).upper
        assert upper is not None
        at_zero = upper.low
    gain = at_zero - c.lower
    missed = max((c.primal_value or 0.0) - c.lower, 0.0)
    return max(distance(c), missed / gain if gain > FLAT * c.lower else 0.0)
