"""The one way to write a kernel: ``linear``, ``rbf``, ``rbf:0.5``, ``poly:3``, ``poly:3:GAMMA:COEF0``. Without GAMMA it is
"scale", 1 / (features x variance of all cells), as in scikit-learn.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msvm_ref.model.kernels import Kernel

FORMS = "linear, rbf[:GAMMA] or poly:DEGREE[:GAMMA[:COEF0]]"
SCALE = "scale"


@dataclass(frozen=True)
class KernelOption:
    """``gammas`` are several only where a command compares them."""

    name: str
    gammas: tuple[float | str, ...] = (SCALE,)
    degree: int = 3
    coef0: float = 1.0

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters of an estimator."""
        return {
            "kernel": self.name,
            "gamma": self.gammas[0],
            "degree": self.degree,
            "coef0": self.coef0,
        }

    def of(self, X: Any) -> Kernel:
        """The kernel for the data X."""
        from msvm_ref.model.kernels import linear, polynomial, rbf

        if self.name == "linear":
            return linear
        gamma = self.gammas[0]
        if gamma == SCALE:
            variance = float(X.var())
            gamma = 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
        value = float(gamma)
        return rbf(value) if self.name == "rbf" else polynomial(self.degree, value, self.coef0)


def kernel(text: str) -> KernelOption:
    """A type for argparse."""
    option = kernels(text)
    if len(option.gammas) > 1:
        raise argparse.ArgumentTypeError(f"must have one gamma, got {text!r}")
    return option


def kernels(text: str) -> KernelOption:
    """``kernel`` with several gammas: ``rbf:scale,0.1,1``."""
    name, *parts = text.split(":")
    name = {"polynomial": "poly"}.get(name, name)
    most = {"linear": 0, "rbf": 1, "poly": 3}.get(name)
    if most is None or len(parts) > most:
        raise argparse.ArgumentTypeError(f"must be {FORMS}, got {text!r}")
    if name == "rbf":
        return KernelOption(name, _gammas(parts[0], text) if parts else (SCALE,))
    if name == "poly":
        degree = _number(parts[0], "degree", text) if parts else 3.0
        if degree < 1 or degree != int(degree) or degree > 1000:
            raise argparse.ArgumentTypeError(
                f"must have a whole degree of at least 1, got {text!r}"
            )
        coef0 = _number(parts[2], "coef0", text) if len(parts) > 2 else 1.0
        if coef0 < 0:
            raise argparse.ArgumentTypeError(
                f"must have a coef0 of at least 0 (else the kernel is not positive), got {text!r}"
            )
        return KernelOption(
            name, _gammas(parts[1], text) if len(parts) > 1 else (SCALE,), int(degree), coef0
        )
    return KernelOption(name)


def kernel_text(kernel: Kernel) -> str:
    """A kernel in this syntax, to the last bit; its own name where it is none of ours."""
    name, function = kernel.name.partition("(")[0], kernel.function
    if name == "rbf":
        return f"rbf:{function.gamma!r}"
    if name == "polynomial":
        return f"poly:{function.degree}:{function.gamma!r}:{function.coef0!r}"
    return kernel.name


def _gammas(text: str, whole: str) -> tuple[float | str, ...]:
    return tuple(SCALE if part == SCALE else _positive(part, whole) for part in text.split(","))


def _positive(text: str, whole: str) -> float:
    value = _number(text, "gamma", whole)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must have a positive gamma, got {whole!r}")
    return value


def _number(text: str, what: str, whole: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"must have a number for {what}, got {whole!r}")
    return value
