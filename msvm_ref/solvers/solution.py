"""Solution: a problem, the candidate somebody found, and the certificate the judge gave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError
from msvm_ref.exact.bias_range import certified_interval
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.model.arrays import Array, frozen, lengths_above
from msvm_ref.model.loss import expansion
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.bias import estimated_interval

EPSILON, SQRT_2 = 2.0**-52, 1.4142135623730952
SUPPORT = 1e-7
"""An example supports the solution when one of its alpha exceeds SUPPORT x its C_i, or x the largest alpha if that is less."""


@dataclass(frozen=True)
class Attempt:
    """One backend's try: what it said of itself, and the relative gap the judge measured."""

    backend: str
    status: str
    relative_gap: float
    seconds: float
    note: str = ""

    def __str__(self) -> str:
        note = f", {self.note}" if self.note else ""
        return f"{self.backend}: said {self.status!r}, certified gap {self.relative_gap:.1e}{note} [{self.seconds:.3f} s]"


@dataclass(frozen=True, eq=False)
class Solution:
    """What ``solve`` returns. Nothing in it is uncertified."""

    problem: Problem
    """The problem it solves."""
    candidate: Candidate
    """What was judged: weights (W, or coef for a non-linear kernel), b and alpha."""
    certificate: Certificate
    """What that is worth."""
    method: str
    """Which of ``solvers.METHODS``."""
    backend: str
    """Who answered: a cvxpy backend, or numba."""
    tolerance: float
    """The certified relative gap that was asked for."""
    attempts: tuple[Attempt, ...]
    """Who was tried, what it said of itself, what that was worth, and so why it moved on or stopped."""
    work: Mapping[str, float] = field(default_factory=dict)
    """What it took (iterations, kernel evaluations, ...), as far as the method counts it."""

    @property
    def converged(self) -> bool:
        """Is the certified relative gap at most the tolerance that was asked for? No other rule makes it so."""
        return self.certificate.relative_gap <= self.tolerance

    @property
    def stopped_by(self) -> str:
        """The rule, or the words, that ended it."""
        return self.attempts[-1].status if self.attempts else ""

    @property
    def objective(self) -> float:
        """The candidate's primal value: an upper bound of the optimum, ``certificate.gap`` above it at most."""
        value = self.certificate.primal_value
        assert value is not None
        return value

    @property
    def W(self) -> Array:
        """(p x d) weights, columns are classes; linear kernel only."""
        if not self.problem.is_linear:
            raise DataError(
                "W", "be asked of a linear kernel", f"kernel {self.problem.kernel}", "use coef"
            )
        return self.candidate.primal[0]

    @property
    def b(self) -> Array:
        """(d,) bias, zeros for bias='none'."""
        assert self.candidate.b is not None
        return self.candidate.b

    @property
    def alpha(self) -> Array:
        """(n x d) dual multipliers, 0 on components that do not count; not unique in general."""
        return self.candidate.dual

    @cached_property
    def coef(self) -> Array:
        """(n x d) expansion coefficients: f(x) = sum_i k(x, x_i) coef_i + b."""
        judged = self.candidate.coef
        return frozen(expansion(self.problem, self.alpha)) if judged is None else judged

    @cached_property
    def b_interval(self) -> Array:
        """(d x 2) a range that contains b_c of every optimal bias, certified: W's own uncertainty is in it.

        It is about sqrt(gap) wide where b is unique; +-inf where nothing holds b_c or nothing could be proved. With a relative
        machine and a free bias, b is taken with sum_c b_c = 0 (a common shift changes nothing). ``exact_optimum`` has the
        exact range.
        """
        if (
            self.problem.bias == "penalized"
        ):  # unique, and as close as W: 1/2 ||b||^2 is in the objective
            off = abs(self.b.mean()) + self.problem.d * 1e-15 * float(abs(self.b).max())
            reach = (self.certificate.distance_bound + off) * (1 + 1e-15)
            ends = np.nextafter([self.b - reach, self.b + reach], [[-np.inf], [np.inf]])
            return frozen(ends.T)
        if self.problem.bias == "none":
            return frozen(np.zeros((self.problem.d, 2)))
        return certified_interval(self.problem, self.alpha, self.certificate.upper)

    @cached_property
    def b_interval_estimate(self) -> Array:
        """(d x 2) the range of each b_c over the biases that are optimal to about 1e-9 for *these* weights: no bound."""
        if self.problem.bias != "free":
            return frozen(np.column_stack([self.b, self.b]))
        f = self._training_scores() - self.b
        return frozen(estimated_interval(self.problem, f, self.b, self.alpha))

    def _training_scores(self) -> Array:
        problem, judged = self.problem, self.candidate
        if judged.W is not None:
            return np.asarray(problem.features @ judged.W + self.b)
        return np.asarray(problem.gram @ self.coef + self.b)

    @cached_property
    def support(self) -> NDArray[np.int64]:
        """Indices of the examples with a multiplier that matters (see SUPPORT)."""
        largest = self.alpha.max(initial=0.0)
        scale = np.minimum(self.problem.costs, largest) if self.problem.spec.capped else largest
        return np.flatnonzero(
            (self.alpha.max(axis=1) > SUPPORT * scale) & (self.alpha.max(axis=1) > 0)
        )

    def decision_function(self, X: Any) -> Array:
        """(n_new x d) scores f_c(x); for a precomputed kernel X holds k(x_new, x_i)."""
        new = self.problem.new_points(X)
        if self.problem.is_linear:
            return np.asarray(new @ self.W + self.b)
        return np.asarray(self.problem.cross_kernel(new) @ self.coef + self.b)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of the largest score, ties to the class that comes first."""
        return labelled(self.problem.classes, self.decision_function(X).argmax(axis=1))

    def lead_interval(self, X: Any) -> Array:
        """(n_new x 2) how far the first class leads, at any (W, b) that the certificate allows.

        Above 0 the prediction is the machine's, whoever solves it; where both ends are small the optimum has a tie there. By
        |<w_a - w_c, x> - <w*_a - w*_c, x>| <= sqrt(2) ||W - W*|| ||x||, rounding included; linear kernel only.
        """
        new, W = self.problem.new_points(X), self.W
        low, high = self.b_interval.T if self.problem.bias == "free" else (self.b, self.b)
        length = np.hypot(lengths_above(new), self.problem.bias == "penalized")
        size = sum(np.where(np.isfinite(b), abs(b), 0.0) for b in (low, high))
        rounding = (len(W) + 3) * EPSILON * (abs(new) @ abs(W) + size).max(axis=1)
        near = SQRT_2 * self.certificate.distance_bound * length * (1 + 1e-12) + 2 * rounding
        scores, everyone = new @ W, np.arange(new.shape[0])
        first = (scores + self.b).argmax(axis=1)
        mine, highest, lowest = scores[everyone, first], scores + high, scores + low
        highest[everyone, first] = lowest[everyone, first] = -np.inf
        least = mine + low[first] - highest.max(axis=1)
        most = mine + high[first] - lowest.max(axis=1)
        return np.column_stack([least - near, most + near])

    def to_dict(self) -> dict[str, Any]:
        """Everything a program needs, JSON-ready: the problem's settings, the solution, and its certificate."""
        problem = self.problem
        return {
            "machine": problem.machine.name,
            "cost": problem.machine.cost,
            "C": problem.C,
            "bias": problem.bias,
            "kernel": str(problem.kernel),
            "n": problem.n,
            "d": problem.d,
            "p": problem.X.shape[1],
            "classes": [
                c if isinstance(c, (int, float, str, bool)) else repr(c) for c in problem.classes
            ],
            "method": self.method,
            "backend": self.backend,
            "converged": self.converged,
            "objective": self.objective if np.isfinite(self.objective) else str(self.objective),
            "W": self.W.tolist() if problem.is_linear else None,
            "coef": None if problem.is_linear else self.coef.tolist(),
            "b": self.b.tolist(),
            "alpha": self.alpha.tolist(),
            "support": self.support.tolist(),
            "certificate": self.certificate.to_dict(),
            "work": dict(self.work),
            "attempts": [
                {
                    k: v if not isinstance(v, float) or np.isfinite(v) else str(v)
                    for k, v in asdict(a).items()
                }
                for a in self.attempts
            ],
        }

    def __str__(self) -> str:
        tried = "\n".join(f"  {a}" for a in self.attempts)
        return f"{self.certificate}\nmethod {self.method}, backend {self.backend}\n{tried}"


def labelled(classes: tuple[Any, ...], codes: NDArray[np.int64]) -> NDArray[Any]:
    """The labels of some class indices: of one plain type where numpy keeps them as they are, else as objects."""
    if len({type(c) for c in classes}) == 1 and type(classes[0]) in (int, float, str, bool):
        typed = np.array(classes)
        if typed.dtype != object and typed.tolist() == list(classes):
            return np.asarray(typed[codes])
    labels = np.empty(len(classes), dtype=object)
    labels[:] = classes
    return np.asarray(labels[codes])
