"""Kernels k(x, x'): linear, rbf, polynomial, precomputed, or any callable (A, B) -> matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array

KernelFunction = Callable[[Array, Array], Any]


@dataclass(frozen=True)
class Kernel:
    """A kernel and how to call it; ``positive`` says whether theory promises a PSD Gram (else it is checked)."""

    name: str
    function: KernelFunction
    positive: bool = True

    def __call__(self, a: Array, b: Array) -> Array:
        """The matrix k(a_i, b_j)."""
        values: Array = np.asarray(self.function(a, b), dtype=np.float64)
        if values.shape != (len(a), len(b)):
            raise DataError(f"kernel {self.name}", f"return shape {(len(a), len(b))}", f"shape {values.shape}")
        if not np.isfinite(values).all():
            raise DataError(f"kernel {self.name}", "return finite values", "NaN or inf", "rescale the features")
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
    if int(degree) != degree or degree < 1:
        raise DataError("degree", "be a positive integer", repr(degree))
    if not (np.isfinite(coef0) and coef0 >= 0):
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
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise DataError(name, "be a positive number", repr(value))
    if not (np.isfinite(value) and value > 0):
        raise DataError(name, "be positive and finite", repr(value))
    return float(value)
