"""A candidate: what a solver hands in, as weights in feature coordinates, bias and multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array, frozen, real_array
from msvm_ref.model.problem import Problem


@dataclass(frozen=True, eq=False)
class Candidate:
    """``W`` (r x d, in ``problem.features`` coordinates) with ``b``, and/or ``alpha`` (n x d); read-only.

    Where a problem is its kernel, ``coef`` (n x d, W = sum_i coef_i phi(x_i)) stands for W.
    """

    W: Array | None = None
    b: Array | None = None
    alpha: Array | None = None
    coef: Array | None = None

    def __post_init__(self) -> None:
        for name in ("W", "b", "alpha", "coef"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, frozen(value))

    @property
    def kernel_suffices(self) -> bool:
        """Can it be judged through the kernel alone, without feature coordinates or multipliers of the judge's own?"""
        return self.W is None and self.alpha is not None

    def explicit(self, problem: Problem) -> Candidate:
        """The same with W in feature coordinates."""
        return (
            self
            if self.coef is None
            else Candidate(problem.features.T @ self.coef, self.b, self.alpha)
        )

    @property
    def primal(self) -> tuple[Array, Array]:
        """(W, b) of a candidate that has both."""
        assert self.W is not None and self.b is not None, "the candidate has no primal half"  # noqa: PT018
        return self.W, self.b

    @property
    def dual(self) -> Array:
        """alpha of a candidate that has it."""
        assert self.alpha is not None, "the candidate has no dual half"
        return self.alpha


def candidate(
    problem: Problem,
    W: Any = None,
    b: Any = None,
    alpha: Any = None,
    coef: Any = None,
    scores: Any = None,
) -> Candidate:
    """A validated Candidate from any of W, coef (W = Phi' coef) or scores (n x d, bias included), b and alpha."""
    given = [
        name for name, value in (("W", W), ("coef", coef), ("scores", scores)) if value is not None
    ]
    if len(given) > 1:
        raise DataError("candidate", "have one of W, coef and scores", " and ".join(given))
    if not given and alpha is None:
        raise DataError("candidate", "have W, coef, scores or alpha", "none of them")
    if not given and b is not None:
        raise DataError("candidate", "have W, coef or scores beside b", "b alone")
    if b is not None and problem.bias == "none":
        raise DataError(
            "b",
            "be left out for bias='none'",
            repr(np.shape(b)),
            "declare the problem with bias='free' or 'penalized'",
        )
    n, d = problem.n, problem.d
    bias = np.zeros(d) if b is None else _shaped("b", b, (d,))
    if problem.bias != "none" and b is None and given and scores is None:
        raise DataError(
            "b", f"be given beside {given[0]} for bias={problem.bias!r}", "nothing", "pass b="
        )
    multipliers = None if alpha is None else _shaped("alpha", alpha, (n, d))
    if W is not None:
        if not problem.is_linear:
            raise DataError(
                "W",
                "be left out for a non-linear kernel",
                "W",
                "pass coef (n x d, f(x) = sum_i k(x, x_i) coef_i) or scores",
            )
        return Candidate(_shaped("W", W, (problem.X.shape[1], d)), bias, multipliers)
    if coef is not None and multipliers is not None and problem.is_implicit:
        return Candidate(b=bias, alpha=multipliers, coef=_shaped("coef", coef, (n, d)))
    if coef is not None:
        return Candidate(problem.features.T @ _shaped("coef", coef, (n, d)), bias, multipliers)
    if scores is not None:
        return Candidate(
            *_from_scores(problem, _shaped("scores", scores, (n, d)), b is not None, bias),
            multipliers,
        )
    return Candidate(alpha=multipliers)


def _shaped(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    axes = {"b": "(classes,)", "W": "(features, classes)"}.get(name, "(examples, classes)")
    array = real_array(name, value, len(shape), axes)
    if array.shape != shape:
        hint = "columns are classes; pass W.T" if name == "W" and array.shape == shape[::-1] else ""
        raise DataError(name, f"have shape {shape} {axes}", f"shape {array.shape}", hint)
    return array


def _from_scores(problem: Problem, scores: Array, b_given: bool, b: Array) -> tuple[Array, Array]:
    """The least-norm (W, b) whose training scores are closest to ``scores``: P there is at most the candidate's own."""
    phi = problem.dense_features
    if not b_given and problem.bias == "penalized":
        solved = frozen(
            np.linalg.lstsq(np.column_stack([phi, np.ones(len(phi))]), scores, rcond=None)[0]
        )
        return solved[:-1], solved[-1]
    if not b_given and problem.bias == "free":
        inverse = np.linalg.pinv(phi - phi.mean(axis=0))
        W: Array = inverse @ (scores - scores.mean(axis=0))
        return W, (scores - phi @ W).mean(axis=0)
    return frozen(np.linalg.lstsq(phi, scores - b, rcond=None)[0]), b
