"""Kernels k(x, x'): linear, rbf, polynomial, precomputed, or any callable (A, B) -> matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import LARGEST, Array, real_number

UNIT = float(np.finfo(np.float64).eps) / 2
KernelFunction = Callable[[Array, Array], Any]


@dataclass(frozen=True)
class Kernel:
    """A kernel and how to call it; ``positive`` says whether theory promises a PSD Gram (else it is checked)."""

    name: str
    function: KernelFunction
    positive: bool = True

    def __call__(self, a: Array, b: Array) -> Array:
        """The matrix k(a_i, b_j)."""
        try:
            with np.errstate(over="ignore"):  # what overflows is refused below
                raw = np.asarray(self.function(a, b))
            values: Array = (
                np.asarray(raw, dtype=np.float64) if raw.dtype.kind != "c" else np.zeros(0)
            )
        except (TypeError, ValueError) as error:
            raise DataError(
                f"kernel {self.name}",
                "take (A, B) and return a real matrix",
                str(error),
                "rbf and polynomial want their parameters first: rbf(0.5)",
            ) from error
        if raw.dtype.kind == "c":
            raise DataError(f"kernel {self.name}", "be real", "complex values")
        wanted = (a.shape[0], b.shape[0])
        if values.shape != wanted:
            raise DataError(
                f"kernel {self.name}", f"return shape {wanted}", f"shape {values.shape}"
            )
        self._refuse_beyond(LARGEST, values)
        return values

    def _refuse_beyond(self, largest: float, values: Array) -> None:
        if not (abs(values) <= largest).all():  # also False for NaN
            raise DataError(
                f"kernel {self.name}",
                f"return finite values up to {LARGEST:g}",
                "NaN or larger",
                "rescale the features",
            )

    @property
    def has_bounds(self) -> bool:
        """Does it come with ``lengths`` and ``bounded``? rbf and polynomial do."""
        return hasattr(self.function, "bounded")

    def lengths(self, a: Array) -> Array:
        """s_i >= sqrt k(a_i, a_i), rounded upwards."""
        with np.errstate(over="ignore"):
            lengths = np.asarray(self.function.lengths(a) * (1 + 1e-12))  # type: ignore[attr-defined]
        self._refuse_beyond(LARGEST**0.5, lengths)
        return lengths

    def bounded(self, a: Array, b: Array, careful: bool) -> tuple[Array, float]:
        """k(a_i, b_j) and eta with |error| <= eta s_i s_j; ``careful`` costs more and errs less."""
        with np.errstate(
            over="ignore"
        ):  # gamma ||.||^2 beyond floats: exp(-inf) = 0, or no bound from the quick way
            values, eta = self.function.bounded(a, b, careful)  # type: ignore[attr-defined]
        return values, float(eta)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class _Rbf:
    gamma: float

    def __call__(self, a: Array, b: Array) -> Array:
        """exp(-gamma ||a - b||^2), the square summed from differences: no cancellation, exact zeros on duplicates."""
        square = np.zeros((len(a), len(b)))
        for u, v in zip(a.T, b.T, strict=True):
            difference = u[:, None] - v
            square += difference * difference
        return np.asarray(np.exp(-self.gamma * square))

    def lengths(self, a: Array) -> Array:
        return np.ones(len(a))

    def bounded(self, a: Array, b: Array, careful: bool) -> tuple[Array, float]:
        """Squares by differences (each term good to a factor 1 + (p + 2) u, and k gamma ||.||^2 <= 1/e) or, about the first
        point's centre, as ||x||^2 + ||y||^2 - 2 <x, y> (good to (4 p + 24) u R^2 with R the largest norm); exp to 4 u.
        """
        p, centre = a.shape[1], b.mean(axis=0)
        near, at = a - centre, b - centre
        norm_a, norm_b = (near * near).sum(axis=1), (at * at).sum(axis=1)
        eta = (
            (4 * p + 24) * self.gamma * float(max(norm_a.max(), norm_b.max())) * 1.01 + 12
        ) * UNIT
        if careful or not eta < 1:  # the quick way may say nothing at all
            square = cdist(a, b, "sqeuclidean")
            eta = (p + 12) * UNIT
        else:
            square = near @ at.T
            square *= -2.0
            square += norm_a[:, None]
            square += norm_b
            np.maximum(square, 0.0, out=square)
        np.multiply(square, -self.gamma, out=square)
        return np.exp(square, out=square), eta


@dataclass(frozen=True)
class _Polynomial:
    degree: int
    gamma: float
    coef0: float

    def __call__(self, a: Array, b: Array) -> Array:
        """(gamma <a, b> + coef0)^degree"""
        return np.asarray((self.gamma * (a @ b.T) + self.coef0) ** self.degree)

    def lengths(self, a: Array) -> Array:
        return np.asarray((self.gamma * (a * a).sum(axis=1) + self.coef0) ** (self.degree / 2))

    def bounded(self, a: Array, b: Array, careful: bool) -> tuple[Array, float]:
        """The base errs by (p + 3) u (gamma |a||b| + coef0), which is at most (p + 3) u (s_a s_b)^(1/degree)."""
        return self(a, b), (self.degree * (a.shape[1] + 3) + 8) * 1.01 * UNIT


def _inner(a: Array, b: Array) -> Array:
    product: Any = a @ b.T
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product)


def _given(a: Array, b: Array) -> Array:
    return a


linear = Kernel("linear", _inner)
precomputed = Kernel("precomputed", _given, positive=False)


def rbf(gamma: float) -> Kernel:
    """exp(-gamma ||x - x'||^2), gamma > 0."""
    return Kernel(f"rbf({_positive('gamma', gamma):g})", _Rbf(float(gamma)))


def polynomial(degree: int, gamma: float = 1.0, coef0: float = 1.0) -> Kernel:
    """(gamma <x, x'> + coef0)^degree, gamma > 0, coef0 >= 0: the conditions for a PSD kernel."""
    power, shift = real_number(degree), real_number(coef0)
    if power is None or power < 1 or power != int(power):
        raise DataError("degree", "be a positive integer", repr(degree))
    if shift is None or shift < 0:
        raise DataError(
            "coef0", "be finite and non-negative", repr(coef0), "otherwise the kernel is not PSD"
        )
    return Kernel(
        f"polynomial({int(degree)}, {_positive('gamma', gamma):g}, {coef0:g})",
        _Polynomial(int(degree), float(gamma), float(coef0)),
    )


def as_kernel(kernel: Any) -> Kernel:
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return Kernel(getattr(kernel, "__name__", type(kernel).__name__), kernel, positive=False)
    raise DataError(
        "kernel",
        "be linear, rbf(gamma), polynomial(degree), precomputed or a callable",
        repr(kernel),
    )


def _positive(name: str, value: float) -> float:
    number = real_number(value)
    if number is None or number <= 0:
        raise DataError(name, "be positive and finite", repr(value))
    return number
