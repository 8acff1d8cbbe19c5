"""certify(): the door through which anybody's answer comes before the judge.

The candidate is validated; what it lacks is proposed here (multipliers for weights, a bias for multipliers); a reference is
admitted after it has been checked against *this* problem; then the judge evaluates them all, and believes none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.judge.candidate import Candidate, candidate, shaped
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.certify import Worth, judge, worth
from msvm_ref.model.arrays import Array, frozen
from msvm_ref.model.loss import expansion
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.bias import optimal_bias
from msvm_ref.solvers.lower_bound import best_dual
from msvm_ref.solvers.partner import is_large, partner

Reference = Callable[[Problem], Any] | Any
Helpers = list[tuple[Candidate, str]]


def certify(
    problem: Problem,
    W: Any = None,
    b: Any = None,
    alpha: Any = None,
    coef: Any = None,
    scores: Any = None,
    *,
    reference: Reference = None,
    rigorous: bool = False,
) -> Certificate:
    """What a candidate is worth: primal (W or coef or scores, with b), dual (alpha, n x d), or both.

    A primal-only candidate gets its lower bound from the best dual point that can be built for it: where the problem is
    large, by the fast solver, until the enclosure is at most twice as wide as the candidate is wrong. ``reference`` allows a
    ground truth to help: a Solution of this problem, or a callable such as ``msvm_ref.solve`` that makes one; only
    its multipliers and weights are used, and they are re-evaluated like anyone's. ``rigorous`` re-evaluates lower
    and upper in exact and outward-rounded arithmetic (``exact.rigorous``), so that they are a theorem about the data.
    """
    if not isinstance(problem, Problem):
        raise DataError("problem", "be a Problem", repr(problem)[:80])
    handed = handed_in(problem, W, b, alpha, coef, scores)
    residual = None if scores is None else _residual(problem, handed, scores)
    begun = worth(problem, handed, floor=0.0) if handed.alpha is None else None
    helpers = [*_admitted(problem, reference), *_completed(problem, handed, reference, begun)]
    certificate = replace(judge(problem, handed, helpers, begun), scores_residual=residual)
    if not rigorous:
        return certificate
    from msvm_ref.exact.rigorous import made_rigorous

    return made_rigorous(problem, certificate, handed, [helper for helper, _ in helpers])


def handed_in(
    problem: Problem,
    W: Any = None,
    b: Any = None,
    alpha: Any = None,
    coef: Any = None,
    scores: Any = None,
) -> Candidate:
    """The candidate, validated; scores become the weights (and bias) whose training scores are closest."""
    if scores is None:
        return candidate(problem, W, b, alpha, coef)
    if W is not None or coef is not None:
        raise DataError("candidate", "have one of W, coef and scores", "more than one")
    return _from_scores(problem, shaped("scores", scores, (problem.n, problem.d)), b, alpha)


def _completed(
    problem: Problem, handed: Candidate, reference: Reference, begun: Worth | None
) -> Helpers:
    """The half the candidate lacks, unless a reference brings it."""
    if handed.alpha is None:
        if reference is not None:
            return []
        return [(completed(problem, handed, begun), "the dual point built for it")]
    return (
        []
        if handed.has_primal
        else [(completed(problem, handed), "the candidate's alpha, repaired")]
    )


def completed(problem: Problem, handed: Candidate, begun: Worth | None = None) -> Candidate:
    """Multipliers built for weights, with their own weights; or the weights of multipliers."""
    if handed.alpha is not None:
        return with_weights(problem, handed.alpha)
    own, b = begun or worth(problem, handed, floor=0.0), handed.b
    assert own.image is not None
    assert b is not None
    f = np.asarray(own.image.scores, dtype=float)
    if not math.isfinite(own.high):
        f, b = np.zeros_like(f), np.zeros_like(b)
    if is_large(problem):
        return partner(problem, f, b, own.high)
    return with_weights(problem, best_dual(problem, f, b, own.high), b)


def with_weights(problem: Problem, alpha: Array, b: Array | None = None) -> Candidate:
    """W_alpha as coefficients with the bias that goes with it: penalized from alpha, free the best one for these scores.

    alpha is repaired first; a free b that is already at hand may be passed.
    """
    repaired = worth(problem, Candidate(alpha=alpha))
    assert repaired.dual is not None
    assert repaired.alpha_image is not None
    alpha = repaired.dual.alpha
    coef = expansion(problem, alpha)
    if problem.bias == "penalized":
        b = coef.sum(axis=0)
    elif problem.bias == "none":
        b = np.zeros(problem.d)
    elif b is None:
        b = optimal_bias(problem, np.asarray(repaired.alpha_image.scores, dtype=float), alpha)
        options = [
            Candidate(b=v, coef=coef) for v in (b, b * (1 + 1e-12))
        ]  # a vertex sits on its kink
        return replace(min(options, key=lambda c: worth(problem, c).high), alpha=alpha)
    return Candidate(b=b, alpha=alpha, coef=coef)


def _scores(problem: Problem, handed: Candidate) -> Array:
    """Training scores without bias, in plain floats."""
    if handed.W is not None:
        return np.asarray(problem.features @ handed.W)
    assert handed.coef is not None
    if problem.is_linear:
        return np.asarray(problem.features @ (problem.features.T @ handed.coef))
    return np.asarray(problem.gram @ handed.coef)


def _from_scores(problem: Problem, f: Array, b: Any, alpha: Any) -> Candidate:
    """The least-norm weights (and bias, where none is given) whose training scores are closest."""
    phi = problem.dense_features
    if b is None and problem.bias == "penalized":
        solved = np.linalg.lstsq(np.column_stack([phi, np.ones(len(phi))]), f, rcond=None)[0]
        W, bias = solved[:-1], solved[-1]
    elif b is None and problem.bias == "free":
        W = np.linalg.pinv(phi - phi.mean(axis=0)) @ (f - f.mean(axis=0))
        bias = (f - phi @ W).mean(axis=0)
    else:
        bias = np.zeros(problem.d) if b is None else shaped("b", b, (problem.d,))
        W = np.linalg.lstsq(phi, f - bias, rcond=None)[0]
    if problem.is_linear:
        return candidate(problem, W=W, b=bias, alpha=alpha)
    return candidate(problem, coef=np.linalg.lstsq(phi.T, W, rcond=None)[0], b=bias, alpha=alpha)


def _residual(problem: Problem, handed: Candidate, scores: Any) -> float:
    """How far the candidate's training scores are from those given, relative to them and to the targets."""
    assert handed.b is not None
    f = np.asarray(scores, dtype=float)
    miss = abs(f - (_scores(problem, handed) + handed.b)).max(axis=1)
    natural = float(abs(problem.spec.gamma).max()) or 1.0
    return float((miss / np.maximum(abs(f).max(axis=1), natural)).max())


def _admitted(problem: Problem, reference: Reference) -> Helpers:
    """The reference's candidate, once it is known to be one of this very problem."""
    if reference is None:
        return []
    made = reference(problem) if callable(reference) else reference
    helper, of = getattr(made, "candidate", made), getattr(made, "problem", problem)
    if not isinstance(helper, Candidate) or not isinstance(of, Problem):
        raise DataError(
            "reference",
            "be a Solution of this problem, or a callable that makes one",
            repr(made)[:80],
        )
    if difference := _difference(problem, of):
        raise DataError(
            "reference", "be a Solution of this problem", f"one with another {difference}"
        )
    admitted = candidate(problem, helper.W, helper.b, helper.alpha, helper.coef)
    return [(admitted, "the reference solution's alpha, re-evaluated")]


def _difference(problem: Problem, other: Problem) -> str | None:
    """The first respect in which two problems differ."""
    if problem is other:
        return None
    for name in ("machine", "C", "kernel", "bias"):
        if getattr(problem, name) != getattr(other, name):
            return name
    if problem.n != other.n or problem.d != other.d or not np.array_equal(problem.y, other.y):
        return "y"
    weights = [
        np.ones(p.n) if p.sample_weight is None else p.sample_weight for p in (problem, other)
    ]
    if not np.array_equal(weights[0], weights[1]):
        return "sample_weight"
    if problem.X.shape != other.X.shape or problem.is_sparse != other.is_sparse:
        return "X"
    same = (
        abs(problem.X - other.X).max() == 0
        if problem.is_sparse
        else np.array_equal(problem.X, other.X)
    )
    return None if same else "X"


def zero_weights(problem: Problem, b: Array, alpha: Array | None = None) -> Candidate:
    """W = 0 with a bias, in the form the problem's kernel asks for."""
    if problem.is_linear:
        return Candidate(np.zeros((problem.X.shape[1], problem.d)), b, alpha)
    return Candidate(b=b, alpha=alpha, coef=frozen(np.zeros((problem.n, problem.d))))
