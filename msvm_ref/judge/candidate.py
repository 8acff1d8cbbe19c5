"""A candidate: what a solver hands in, as weights, bias and multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array, frozen, real_array
from msvm_ref.model.problem import Problem


@dataclass(frozen=True, eq=False)
class Candidate:
    """Weights with ``b``, and/or ``alpha`` (n x d); read-only.

    Weights are ``W`` (p x d) where the kernel is linear, or ``coef`` (n x d): W = sum_i coef_i phi(x_i).
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
    def has_primal(self) -> bool:
        return self.W is not None or self.coef is not None

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
    problem: Problem, W: Any = None, b: Any = None, alpha: Any = None, coef: Any = None
) -> Candidate:
    """A validated Candidate from W or coef (W = Phi' coef), b and alpha."""
    given = [name for name, value in (("W", W), ("coef", coef)) if value is not None]
    if len(given) > 1:
        raise DataError("candidate", "have one of W and coef", "both")
    if not given and alpha is None:
        raise DataError("candidate", "have W, coef, scores or alpha", "none of them")
    if not given and b is not None:
        raise DataError("candidate", "have W, coef or scores beside b", "b alone")
    n, d = problem.n, problem.d
    if W is not None and not problem.is_linear:
        raise DataError(
            "W",
            "be left out for a non-linear kernel",
            "W",
            "pass coef (n x d, f(x) = sum_i k(x, x_i) coef_i) or scores",
        )
    bias = None if b is None else shaped("b", b, (d,))
    if problem.bias == "none" and bias is not None and bias.any():
        raise DataError(
            "b",
            "be zero or left out for bias='none'",
            repr(bias.tolist()),
            "declare the problem with bias='free' or 'penalized'",
        )
    if problem.bias != "none" and b is None and given:
        raise DataError(
            "b", f"be given beside {given[0]} for bias={problem.bias!r}", "nothing", "pass b="
        )
    return Candidate(
        None if W is None else shaped("W", W, (problem.X.shape[1], d)),
        np.zeros(d) if bias is None and given else bias,
        None if alpha is None else shaped("alpha", alpha, (n, d)),
        None if coef is None else shaped("coef", coef, (n, d)),
    )


def shaped(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    axes = {"b": "(classes,)", "W": "(features, classes)"}.get(name, "(examples, classes)")
    array = real_array(name, value, len(shape), axes)
    if array.shape != shape:
        hint = "columns are classes; pass W.T" if name == "W" and array.shape == shape[::-1] else ""
        raise DataError(name, f"have shape {shape} {axes}", f"shape {array.shape}", hint)
    return array
