"""Kernels k(x, x'): linear, rbf, polynomial, precomputed, or any callable (A, B) -> matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import LARGEST, Array, real_number

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
            raw = np.asarray(self.function(a, b))
            values: Array = np.asarray(raw, dtype=np.float64) if raw.dtype.kind != "c" else np.zeros(0)
        except (TypeError, ValueError) as error:
            raise DataError(f"kernel {self.name}", "take (A, B) and return a real matrix", str(error),
                            "rbf and polynomial want their parameters first: rbf(0.5)") from error
        if raw.dtype.kind == "c":
            raise DataError(f"kernel {self.name}", "be real", "complex values")
        if values.shape != (len(a), len(b)):
            raise DataError(f"kernel {self.name}", f"return shape {(len(a), len(b))}", f"shape {values.shape}")
        if not (abs(values) <= LARGEST).all():  # also False for NaN
            raise DataError(f"kernel {self.name}", f"return finite values up to {LARGEST:g}", "NaN or larger",
                            "rescale the features")
        return values

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


@dataclass(frozen=True)
class _Polynomial:
    degree: int
    gamma: float
    coef0: float

    def __call__(self, a: Array, b: Array) -> Array:
        """(gamma <a, b> + coef0)^degree"""
        return np.asarray((self.gamma * (a @ b.T) + self.coef0) ** self.degree)


def _inner(a: Array, b: Array) -> Array:
    return np.asarray(a @ b.T)


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
        raise DataError("coef0", "be finite and non-negative", repr(coef0), "otherwise the kernel is not PSD")
    return Kernel(f"polynomial({int(degree)}, {_positive('gamma', gamma):g}, {coef0:g})",
                  _Polynomial(int(degree), float(gamma), float(coef0)))


def as_kernel(kernel: Any) -> Kernel:
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return Kernel(getattr(kernel, "__name__", type(kernel).__name__), kernel, positive=False)
    raise DataError("kernel", "be linear, rbf(gamma), polynomial(degree), precomputed or a callable", repr(kernel))


def _positive(name: str, value: float) -> float:
    number = real_number(value)
    if number is None or number <= 0:
        raise DataError(name, "be positive and finite", repr(value))
    return number
