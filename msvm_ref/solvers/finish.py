"""From what a solver left behind to the candidate worth judging.

Its alpha is repaired to dual feasibility. For the primal half there is a choice: with a linear kernel the solver's own (W, b),
with every kernel W_alpha and the solver's b; each also scaled up a hair, which trades a little norm for violations that a
large C makes expensive. The cheapest by primal value goes to the judge.

A loss L is convex and at least 0, so that L((1 + s) f) >= (1 + s) L(f) - s L(0) >= L(f) - s L(0): what stretching can gain is
known before it is tried.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.certify import judge, repaired, worth
from msvm_ref.model.arrays import Array, frozen
from msvm_ref.model.loss import centred, expansion, weights
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.certifying import zero_weights
from msvm_ref.solvers.deadline import Deadline

LEAST_SQUARES = 1000
"""Examples up to which a kernel's weights are turned into coefficients by least squares."""
STRETCH = (1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8)


def finish(
    problem: Problem,
    raw: Candidate,
    tolerance: float,
    deadline: Deadline | None = None,
    hopeless: float = np.inf,
) -> tuple[Candidate, Certificate]:
    """The best candidate that can be read off ``raw``, and its certificate; more options are tried where the first falls short.

    That stops at the ``deadline``, and is not begun where the gap is ``hopeless``. ``raw`` has alpha and b, and W in
    ``problem.features`` where the solver has its own.
    """
    dual = repaired(problem, raw.dual)
    best = proposed(problem, raw, dual.alpha)
    seen = [worth(problem, best, begun=dual, enough=tolerance)]
    certificate = judge(problem, best, begun=seen[0], enough=tolerance)
    for stretched in (False, True):
        if certificate.relative_gap <= tolerance or (deadline is not None and deadline.passed):
            break
        if certificate.relative_gap > hopeless:
            break
        low = certificate.lower
        if stretched:
            gain = STRETCH[-1] * worth(problem, zero_weights(problem, np.zeros(problem.d))).high
            if certificate.upper - gain - low > tolerance * certificate.upper:
                break
            ways = [(at, by) for at in seen for by in STRETCH]
        else:
            options = _others(problem, raw, replace(best, alpha=None))
            ways = [(worth(problem, option, low, enough=tolerance), 0.0) for option in options]
            seen += [at for at, _ in ways]
        at, by = min(ways, key=lambda way: way[0].high_if_longer(way[1]))
        other = replace(_stretched(at.candidate, by), alpha=dual.alpha)
        again = judge(problem, other, begun=seen[0], enough=tolerance)
        if (again.relative_gap, again.upper) < (certificate.relative_gap, certificate.upper):
            best, certificate = other, again
    if (
        certificate.upper == 0.0
    ):  # the optimum: alpha = 0 attains it exactly, what floats make of another one may not
        best = replace(best, alpha=0 * dual.alpha)
        certificate = judge(problem, best)
    return best, certificate


def proposed(problem: Problem, raw: Candidate, alpha: Array | None = None) -> Candidate:
    """alpha, repaired (as given, where that is known), and W_alpha with the bias that goes with it."""
    at = expanded(problem, raw, alpha)
    if not problem.is_linear:
        return at
    assert at.alpha is not None
    assert at.b is not None
    return Candidate(*centred(problem, weights(problem, at.alpha)[0], at.b), alpha=at.alpha)


def expanded(problem: Problem, raw: Candidate, alpha: Array | None = None) -> Candidate:
    """The same with W_alpha by its coefficients, for whoever only judges it."""
    assert raw.b is not None
    alpha = repaired(problem, raw.dual).alpha if alpha is None else alpha
    coef = expansion(problem, alpha)
    b = coef.sum(axis=0) if problem.bias == "penalized" else raw.b
    return Candidate(b=centred(problem, coef, b)[1], coef=coef, alpha=alpha)


def _others(problem: Problem, raw: Candidate, first: Candidate) -> list[Candidate]:
    """The solver's own W, and W = 0 (which happens, and exactly) without and with the bias."""
    assert first.b is not None
    own = _short(problem, raw)
    if problem.is_linear and raw.W is not None and raw.b is not None:
        own = [Candidate(*centred(problem, raw.W, raw.b))]
    return [*own, zero_weights(problem, np.zeros(problem.d)), zero_weights(problem, first.b)]


def _short(problem: Problem, raw: Candidate) -> list[Candidate]:
    """The solver's W by its shortest coefficients: those of alpha are of C's size, cancel, and lose that many digits."""
    if problem.is_linear or raw.W is None or problem.n > LEAST_SQUARES:
        return []
    W, b = centred(problem, raw.W, raw.b if raw.b is not None else np.zeros(problem.d))
    return [Candidate(b=b, coef=frozen(np.linalg.lstsq(problem.features.T, W, rcond=None)[0]))]


def _stretched(option: Candidate, by: float) -> Candidate:
    parts = {
        name: getattr(option, name) * (1 + by)
        for name in ("W", "b", "coef")
        if getattr(option, name) is not None
    }
    return replace(option, **parts)
