"""Kernels k(x, x'): linear, rbf, polynomial, precomputed, or any callable (A, B) -> matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import LARGEST, Array, real_number, refuse_masked

UNIT, EXTENDED = (float(np.finfo(t).eps) / 2 for t in (np.float64, np.longdouble))
SUBNORMAL = 5e-324
NORMAL = SUBNORMAL / UNIT
"""What a product that underflows loses, SUBNORMAL / 2, is less than a rounding of this."""
KernelFunction = Callable[[Array, Array], Any]


@dataclass(frozen=True)
class Kernel:
    """A kernel and how to call it; ``positive`` says whether theory promises a PSD Gram (else it is checked)."""

    name: str
    function: Any
    positive: bool = True

    def __call__(self, a: Array, b: Array) -> Array:
        """The matrix k(a_i, b_j)."""
        try:
            with np.errstate(over="ignore"):  # what overflows is refused below
                returned = self.function(a, b)
            raw = np.asarray(returned)
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
        refuse_masked(f"kernel {self.name}", returned)
        if raw.dtype.kind == "c":
            raise DataError(f"kernel {self.name}", "be real", "complex values")
        shape = (a.shape[0], b.shape[0])
        if values.shape != shape:
            raise DataError(f"kernel {self.name}", f"return shape {shape}", f"shape {values.shape}")
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
        """Does it come with ``lengths`` and ``bounded``? rbf and polynomial do, nothing that only looks like them."""
        return type(self.function) in (Rbf, Polynomial)

    def lengths(self, a: Array) -> Array:
        """s_i >= sqrt k(a_i, a_i), rounded upwards."""
        with np.errstate(over="ignore"):
            lengths = np.asarray(self.function.lengths(a))
        self._refuse_beyond(LARGEST**0.5, lengths)
        return lengths

    def bounded(self, a: Array, b: Array, care: int) -> tuple[NDArray[Any], float]:
        """k(a_i, b_j) and eta with |error| <= eta s_i s_j.

        ``care`` 0 is quick, 1 avoids cancellation, 2 does so in extended precision (the values are then longdouble).
        """
        with np.errstate(over="ignore"):  # gamma ||.||^2 beyond floats: exp(-inf) = 0
            values, eta = self.function.bounded(a, b, care)
        return values, float(eta)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Rbf:
    """exp(-gamma ||a - b||^2)"""

    gamma: float

    def __call__(self, a: Array, b: Array) -> Array:
        """The square is summed from differences: no cancellation, exact zeros on duplicates."""
        return np.asarray(np.exp(-self.gamma * squared_distances(a, b)))

    def lengths(self, a: Array) -> Array:
        return np.ones(len(a))

    def bounded(self, a: Array, b: Array, care: int) -> tuple[NDArray[Any], float]:
        """exp errs by a factor 1 + 4u, its argument x = gamma ||a - b||^2 by dx, and |exp(-x - dx) - exp(-x)| is at most

            dx exp(|dx|) <= 1.01 dx                     quick: |dx| <= (4 p + 24) u gamma R^2, R the largest norm about
                                                        the centre (||x||^2 + ||y||^2 - 2 <x, y>), used while it is < 1/100
            1.01 eps x exp(-x) <= 1.01 eps / e          by differences: dx = eps x with eps <= (p + 4) u

        beside 2 p gamma 2^-1074, what can be lost where squares and products (at most 4 p of half that) underflow.
        """
        p = a.shape[1]
        lost = 2 * p * self.gamma * SUBNORMAL
        if care == 0:
            centre = b.mean(axis=0)
            near, at = a - centre, b - centre
            norm_a, norm_b = (near * near).sum(axis=1), (at * at).sum(axis=1)
            off = (4 * p + 24) * self.gamma * float(max(norm_a.max(), norm_b.max())) * UNIT
            if off < 0.01:
                square = near @ at.T
                square *= -2.0
                square += norm_a[:, None]
                square += norm_b
                np.maximum(square, 0.0, out=square)
                np.multiply(square, -self.gamma, out=square)
                return np.exp(square, out=square), 1.01 * off + 12 * UNIT + lost
        if care < 2:
            square = cdist(a, b, "sqeuclidean")
            return np.exp(-self.gamma * square), (p + 12) * UNIT + lost
        square = squared_distances(a.astype(np.longdouble), b.astype(np.longdouble))
        return np.exp(-np.longdouble(self.gamma) * square), (p + 12) * EXTENDED + lost


def squared_distances(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """||a_i - b_j||^2 summed from differences, in the arrays' own precision."""
    square = np.zeros((len(a), len(b)), dtype=a.dtype)
    for u, v in zip(a.T, b.T, strict=True):
        difference = u[:, None] - v
        square += difference * difference
    return square


@dataclass(frozen=True)
class Polynomial:
    """(gamma <a, b> + coef0)^degree"""

    degree: int
    gamma: float
    coef0: float

    def __call__(self, a: Array, b: Array) -> Array:
        return np.asarray((self.gamma * (a @ b.T) + self.coef0) ** self.degree)

    def lengths(self, a: Array) -> Array:
        """sqrt k(a, a), with NORMAL for every product that may underflow, in the power as well."""
        p = a.shape[1]
        square = self.gamma * ((a * a).sum(axis=1) + p * NORMAL) + (self.coef0 + NORMAL)
        lengths = square ** (self.degree / 2) * (1 + self._error(p, UNIT))
        return np.asarray(np.maximum(lengths, NORMAL))

    def bounded(self, a: Array, b: Array, care: int) -> tuple[NDArray[Any], float]:
        """The base errs by (p + 3) u B with B = gamma |a||b| + coef0 <= (s_a s_b)^(1/degree), by Cauchy's inequality, and what
        underflows in it by (gamma p + 1) SUBNORMAL <= 2 u (s_a s_b)^(1/degree), as ``lengths`` holds NORMAL for it; its power
        therefore by ((1 + (p + 5) u)^degree - 1) s_a s_b, and pow itself by a factor 1 + 4u.
        """
        if care < 2:
            return self(a, b), self._error(a.shape[1], UNIT)
        inner = a.astype(np.longdouble) @ b.T.astype(np.longdouble)
        base = np.longdouble(self.gamma) * inner + np.longdouble(self.coef0)
        return base**self.degree, self._error(a.shape[1], EXTENDED)

    def _error(self, p: int, unit: float) -> float:
        """(1 + (p + 5) u)^degree - 1 and the power's own rounding; inf where that says nothing any more."""
        exponent = self.degree * (p + 5) * unit * 1.01
        return math.expm1(exponent) * (1 + 8 * unit) + 8 * unit if exponent < 1 else math.inf


def _inner(a: Array, b: Array) -> Array:
    product: Any = a @ b.T
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product)


def _given(a: Array, b: Array) -> Array:
    return a


linear = Kernel("linear", _inner)
precomputed = Kernel("precomputed", _given, positive=False)


def rbf(gamma: float) -> Kernel:
    """exp(-gamma ||x - x'||^2), gamma > 0."""
    return Kernel(f"rbf({_positive('gamma', gamma):g})", Rbf(float(gamma)))


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
        Polynomial(int(degree), float(gamma), float(coef0)),
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
