"""diagnose(): when a candidate is not optimal for what it claims, say which problem it is optimal for, and prove it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from msvm_ref.conformance.finding import Diagnosis, Finding, distance, judged, share_missed
from msvm_ref.conformance.hypotheses import Hypothesis, edited, edits_of, moved, neighbours
from msvm_ref.conformance.other_objectives import huber, one_step, own_bias, own_class_weights
from msvm_ref.conformance.repairs import (
    absent_dropped,
    another_C,
    lost_bias,
    one_multiplier,
    preprocessed,
    row_left_out,
    single_precision,
)
from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.certifying import completed, handed_in
from msvm_ref.solvers.methods import solve
from msvm_ref.solvers.solution import Solution

NEAR = 1e-3
"""An answer this close to another problem's optimum, and FAR times closer than to its own, is told as "close to"."""
FAR = 20.0
SURE = 1e-8
"""An explanation this good needs no better one with more edits."""
EMPTY = 1e-9
"""Weights this small next to the optimal ones are 0."""

__all__ = ["Diagnosis", "Finding", "diagnose", "holds_again"]


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
    besides: Collection[str] = (),
) -> Diagnosis:
    """Search the neighbourhood of ``problem`` for one the candidate is optimal for, to ``tolerance`` (relative gap).

    At most ``most`` problems are solved and certified, fewest edits first; the others are ruled out by the ray test.
    A candidate of multipliers only is read through the claimed machine's W_alpha; one of a kernel in its Gram's features.
    ``besides``: explanations (``Finding.text``) that are known to be none.
    """
    handed = handed_in(problem, W, b, alpha, coef, scores)
    primal = _primal(problem, handed)
    linear, problem = problem.is_linear, problem.on_factor()
    reference = solve(problem)
    claimed = judged(problem, primal, reference)
    if distance(claimed) <= tolerance:
        return Diagnosis(claimed, Finding((), problem, claimed, problem.C), (), tolerance, 1)
    if abs(primal[0]).max(initial=0.0) <= EMPTY * abs(reference.W).max(initial=0.0):
        return Diagnosis(claimed, None, (), tolerance, 1, empty=True)
    best, near, tried = _edits(problem, primal, tolerance, most, besides)
    findings = _nearest(best)
    if not findings:
        for finding in repairs_of(problem, primal, reference, linear):
            if finding.explains(tolerance) and finding.text not in besides:
                findings = [finding]
                break
            near.append((share_missed(finding), finding))
    nearest = min(near, key=lambda pair: pair[0], default=(np.inf, None))
    if not findings and nearest[0] <= NEAR and nearest[0] * FAR <= distance(claimed):
        findings = [f for _, f in near if f is nearest[1]]
    return Diagnosis(
        claimed,
        findings[0] if findings else None,
        tuple(findings[1:]),
        tolerance,
        tried,
        nearest=nearest[1] if 2 * nearest[0] <= distance(claimed) else None,
    )


def _edits(
    problem: Problem,
    primal: tuple[Array, Array],
    tolerance: float,
    most: int,
    besides: Collection[str],
) -> tuple[list[tuple[Hypothesis, Finding]], list[tuple[float, Finding]], int]:
    """(edits that explain, others with the share they miss, how many problems were certified)."""
    best: list[tuple[Hypothesis, Finding]] = []
    near: list[tuple[float, Finding]] = []
    certified: dict[Any, Finding] = {}
    for h in neighbours(problem, *primal):
        if len(certified) + 1 >= most or any(
            share_missed(f) <= SURE and h.edits > simpler.edits for simpler, f in best
        ):
            break
        if not h.words:
            continue
        # C/4 and 1/C^2 are one problem at C = 2
        same = replace(h, words=(), edits=0.0, factor=round(h.factor, 14))
        if same not in certified:
            certified[same] = _certified(edited(problem, h), moved(h, *primal), h)
        finding = replace(certified[same], words=h.words, hypothesis=h)
        missed = share_missed(finding)
        if finding.text in besides:
            continue
        if missed <= tolerance:
            best.append((h, finding))
        else:
            near.append((missed, finding))
    return best, near, len(certified) + 1


def repairs_of(
    problem: Problem,
    primal: tuple[Array, Array],
    truth: Solution,
    linear: bool,
    only: str | None = None,
) -> Iterator[Finding]:
    """What is no edit of the problem, the fewest free numbers first; each is made only when it is asked for.

    ``only``: those of this family, which is what ``Finding.kind`` has before its colon.
    """
    families: dict[str, Callable[[], Iterator[Finding]]] = {
        "absent class": lambda: absent_dropped(problem, primal),
        "own class": lambda: own_class_weights(problem, primal),
        "scaled": lambda: preprocessed(problem, primal) if linear else iter(()),
        "lost bias": lambda: lost_bias(problem, primal),
        "float32": lambda: single_precision(problem, primal, truth),
        "own b": lambda: own_bias(problem, primal),
        "huber": lambda: huber(problem, primal),
        "C": lambda: another_C(problem, primal),
        "one step": lambda: one_step(problem, primal),
        "row left out": lambda: row_left_out(problem, primal) if linear else iter(()),
        "one multiplier": lambda: one_multiplier(problem, primal, truth),
    }
    for name, make in families.items():
        if only in (None, name):
            yield from make()


def holds_again(
    problem: Problem, given: dict[str, Any], known: Finding, tolerance: float
) -> bool | None:
    """Does what explains one candidate explain this one too? None where it is the optimum of ``problem`` itself, or where
    this problem has no such edit."""
    primal = _primal(problem, handed_in(problem, **given))
    linear, problem = problem.is_linear, problem.on_factor()
    truth = solve(problem)
    if distance(judged(problem, primal, truth)) <= tolerance:
        return None
    if known.hypothesis is None:
        family = known.kind.partition(":")[0]
        again = repairs_of(problem, primal, truth, linear, family)
        return any(f.explains(tolerance) for f in again if f.kind == known.kind)
    words, name = known.words, known.hypothesis.machine.name
    same = (h for h in edits_of(problem, *primal) if (h.words, h.machine.name) == (words, name))
    h = next(same, None)
    if h is None:
        return None
    return share_missed(_certified(edited(problem, h), moved(h, *primal), h)) <= tolerance


def _nearest(best: list[tuple[Hypothesis, Finding]]) -> list[Finding]:
    """The fewest edits among the explanations that are about as good as the best; then the smallest error."""
    if not best:
        return []
    bar = max(SURE, FAR * min(share_missed(f) for _, f in best))
    good = [(h, f) for h, f in best if share_missed(f) <= bar]
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


def _certified(problem: Problem, primal: tuple[Array, Array], h: Hypothesis) -> Finding:
    return Finding(h.words, problem, judged(problem, primal, solve(problem)), problem.C, h)
