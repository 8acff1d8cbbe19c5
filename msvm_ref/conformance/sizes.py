"""Three sizes of the suite. quick: what a wrong optimum cannot pass; standard: every check; thorough: real, awkward data too.

Small cases have few bound multipliers and no long tail of iterations; a solver may pass them all and be a per cent off on
glass. The cases of ``thorough`` were taken to hurt: columns in their own units, rows many times over with different labels,
ten classes, most multipliers at their bound.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from msvm_ref.conformance.cases import Case
from msvm_ref.model.arrays import frozen

Size = Literal["quick", "standard", "thorough"]
SIZES: tuple[Size, ...] = ("quick", "standard", "thorough")
QUICK = (
    "check_optimality",
    "check_machine",
    "check_convention",
    "check_C",
    "check_bias_treatment",
    "check_more_classes",
    "check_predict_is_argmax",
    "check_refuses_nonfinite",
    "check_refuses_nonpositive_C",
)


def checks_of(size: Size) -> tuple[str, ...]:
    """The names of its checks; empty for all of them."""
    return QUICK if size == "quick" else ()


def cases_of(size: Size) -> tuple[Case, ...]:
    """Cases for the optimality checks beside the small ones."""
    return _hard() if size == "thorough" else ()


def _hard() -> tuple[Case, ...]:
    from msvm_ref.datasets import load

    glass, wine, digits = load("glass"), load("wine"), load("digits").head(300)
    pixels = digits.X[:, digits.X.any(axis=0)] / 16
    return (
        Case("glass", frozen(glass.standardized().X), np.asarray(glass.y), 16.0),
        Case("glass as published", glass.X, np.asarray(glass.y), 1.0),
        Case("wine as published", wine.X, np.asarray(wine.y), 0.25),
        Case("digits", frozen(pixels), np.asarray(digits.y), 1.0),
        _repeated(),
    )


def _repeated() -> Case:
    """500 rows on a grid of 4 x 4 x 4 points: every point many times, with several of ten labels."""
    i = np.arange(500)
    X = np.column_stack([(7 * i) % 4, (i // 3) % 4, (5 * i * i) % 7 % 4]).astype(float)
    y = (X @ [3, 1, 2] + (i * i) % 5).astype(int) % 10
    return Case("500 rows of few points", frozen(X - 1.5), y, 0.5)
