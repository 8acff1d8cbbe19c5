"""diagnose(): when a candidate is not optimal for what it claims, say which problem it is optimal for, and prove it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from msvm_ref.conformance.hypotheses import Hypothesis, edited, edits_of, moved, neighbours
from msvm_ref.conformance.repairs import another_C, lost_bias, one_multiplier, preprocessed
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.certify import judge, worth
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.certifying import completed, handed_in, zero_weights
from msvm_ref.solvers.methods import solve
from msvm_ref.solvers.solution import Solution

NEAR = 1e-3
"""An answer this close to another problem's optimum, and FAR times closer than to its own, is told as "close to"."""
FAR = 20.0
SURE = 1e-8
"""An explanation this good needs no better one with more edits."""
FLAT = 1e-7
"""Where w = 0 is optimal to this, a share of the gain is a share of rounding."""


@dataclass(frozen=True)
class Finding:
    """A problem the candidate does solve: how it differs from the claim, and the certificate that proves it."""

    words: tuple[str, ...]
    """The edits of the claim, in words; none where the claim itself is solved."""
    problem: Problem
    """The problem that is solved."""
    certificate: Certificate
    """The candidate's certificate for that problem."""
    C: float
    """That problem's constant."""
    hypothesis: Hypothesis | None = None
    """The edits as numbers; None for a repair, which edits something else."""

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

    @property
    def as_claimed(self) -> bool:
        return self.found is not None and not self.found.words

    @property
    def sentence(self) -> str:
        above = f"{100 * self.claimed.primal_error / max(1 - self.claimed.primal_error, 1e-300):.3g} % above the optimum"
        if (off := self.claimed.infeasibility.get("sum_to_zero", 0.0)) > self.claimed.primal_error:
            above = f"its classes sum to {off:.2g} of their size instead of zero, {above}"
        if self.found is None:
            return f"optimal for nothing we know; {above} of what it claims"
        if self.as_claimed:
            return f"optimal as claimed, to {self.found.error:.1e}"
        how = "the optimum" if self.found.error <= self.tolerance else "close to the optimum"
        return f"this is {how} of {self.found.text} (to {self.found.error:.1e}); {above} of what it claims"

    def to_dict(self) -> dict[str, Any]:
        def told(f: Finding | None) -> Any:
            return f and {
                "problem": f.text,
                "edits": list(f.words),
                "machine": f.problem.machine.name,
                "C": f.C,
                "bias": f.problem.bias,
                "certificate": f.certificate.to_dict(),
            }

        return {
            "sentence": self.sentence,
            "as_claimed": self.as_claimed,
            "claimed": self.claimed.to_dict(),
            "found": told(self.found),
            "also": [told(f) for f in self.also],
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


def diagnose(
    problem: Problem,
    W: Any = None,
    b: Any = None,
    alpha: Any = None,
    coef: Any = None,
    scores: Any = None,
    *,
    tolerance: float = 1e-6,
    most: int = 40,
) -> Diagnosis:
    """Search the neighbourhood of ``problem`` for one the candidate is optimal for, to ``tolerance`` (relative gap).

    At most ``most`` problems are solved and certified, fewest edits first; the others are ruled out by the ray test.
    A candidate of multipliers only is read through the claimed machine's W_alpha; one of a kernel in its Gram's features.
    """
    handed = handed_in(problem, W, b, alpha, coef, scores)
    primal = _primal(problem, handed)
    linear, problem = problem.is_linear, problem.on_factor()
    reference = solve(problem)
    claimed = _judged(problem, primal, reference)
    if _error(claimed) <= tolerance:
        return Diagnosis(claimed, Finding((), problem, claimed, problem.C), (), tolerance, 1)
    best: list[tuple[Hypothesis, Finding]] = []
    close: Finding | None = None
    tried = 1
    for h in neighbours(problem, *primal):
        if tried >= most or any(_share_missed(f) <= SURE and h.edits > b.edits for b, f in best):
            break
        if not h.words:
            continue
        tried += 1
        finding = _certified(edited(problem, h), moved(h, *primal), h)
        error = _share_missed(finding)
        if error <= tolerance:
            best.append((h, finding))
        elif (
            error <= NEAR
            and error * FAR <= _error(claimed)
            and (close is None or error < _share_missed(close))
        ):
            close = finding
    findings = _nearest(best)
    if not findings:
        repaired = itertools.chain(
            one_multiplier(problem, primal, reference),
            preprocessed(problem, primal) if linear else (),
            lost_bias(problem, primal),
            another_C(problem, primal),
        )
        mended = (
            Finding((words,), p, _judged(p, other, truth), p.C)
            for words, p, other, truth in repaired
        )
        nearly = next((f for f in mended if _share_missed(f) <= tolerance), None)
        findings = [nearly] if nearly else [close] if close else []
    return Diagnosis(
        claimed, findings[0] if findings else None, tuple(findings[1:]), tolerance, tried
    )


def diagnose_edit(
    problem: Problem, given: dict[str, Any], known: Hypothesis, tolerance: float
) -> bool | None:
    """Is a candidate the optimum of ``problem`` edited as ``known`` says? None where it is the optimum of ``problem``
    itself, or where this problem has no such edit."""
    primal = _primal(problem, handed_in(problem, **given))
    problem = problem.on_factor()
    if _error(_judged(problem, primal, solve(problem))) <= tolerance:
        return None
    same = (
        h
        for h in edits_of(problem, *primal)
        if (h.words, h.machine.name) == (known.words, known.machine.name)
    )
    h = next(same, None)
    if h is None:
        return None
    return _share_missed(_certified(edited(problem, h), moved(h, *primal), h)) <= tolerance


def _nearest(best: list[tuple[Hypothesis, Finding]]) -> list[Finding]:
    """The fewest edits among the explanations that are about as good as the best; then the smallest error."""
    if not best:
        return []
    bar = max(SURE, FAR * min(_share_missed(f) for _, f in best))
    good = [(h, f) for h, f in best if _share_missed(f) <= bar]
    edits = min(h.edits for h, _ in good)
    return sorted((f for h, f in good if h.edits == edits), key=lambda f: f.error)


def _primal(problem: Problem, handed: Candidate) -> tuple[Array, Array]:
    """(W, b) in ``problem.features``; of multipliers alone, W_alpha and the bias that goes with it."""
    at = handed if handed.has_primal else completed(problem, handed)
    assert at.b is not None
    if at.W is not None:
        return at.W, at.b
    assert at.coef is not None
    return np.asarray(problem.features.T @ at.coef), at.b


def _error(certificate: Certificate) -> float:
    """Distance from optimal, and from sum-to-zero where that is required as handed in."""
    return max(certificate.primal_error, certificate.infeasibility.get("sum_to_zero", 0.0))


def _share_missed(finding: Finding) -> float:
    """(P - P*) / (P(0) - P*), where that is more than the relative error.

    Where C is small next to the data P is nearly flat, and every candidate within a small relative error of the optimum;
    then only the part of P(0) that the candidate fails to gain tells anything.
    """
    c, problem = finding.certificate, finding.problem
    upper = worth(problem, zero_weights(problem, np.zeros(problem.d))).upper
    assert upper is not None
    gain = upper.low - c.lower
    missed = max((c.primal_value or 0.0) - c.lower, 0.0)
    return max(_error(c), missed / gain if gain > FLAT * c.lower else 0.0)


def _certified(problem: Problem, primal: tuple[Array, Array], h: Hypothesis) -> Finding:
    return Finding(h.words, problem, _judged(problem, primal, solve(problem)), problem.C, h)


def _judged(problem: Problem, primal: tuple[Array, Array], truth: Solution) -> Certificate:
    return judge(problem, Candidate(*primal), [(truth.candidate, "the ground truth")])
