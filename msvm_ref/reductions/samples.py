"""Samples: training data that reductions split into binary problems, validated once.

    min_{w,b}  1/2 ||w||^2 [+ 1/2 b^2] + C sum_i weight_i [1 - t_i h(x_i)]_+^q,    h(x) = <w, phi(x)> + b,  t_i = +1 or -1

(HL (1) and (3); q = 2 for the quadratic cost) is the catalogue's WW with two classes: there h = 1/2 (f_0 - f_1), w_1 = -w_0,
1/2 sum_c ||w_c||^2 = ||w||^2, so WW at 2C has twice the objective above, bias and cost alike (docs/mathematics.md,
section 2, d = 2).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.model.catalogue import WW
from msvm_ref.model.cost import Cost
from msvm_ref.model.kernels import Kernel, KernelFunction, linear, precomputed
from msvm_ref.model.problem import Bias, Problem

MOST_HARD = 1000
"""Examples up to which a kernel's hard margin is taken in the features of its Gram."""
WW_PER_BINARY = 2.0
"""C of WW at d = 2 over C of the binary machine, and likewise of their objectives."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Training data that reductions split."""

    whole: Problem
    """The validated data of all classes."""
    C: float
    """The binary machine's; infinite for a hard margin."""

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        C: float = 1.0,
        kernel: Kernel | KernelFunction = linear,
        bias: Bias = "free",
        cost: Cost = "linear",
        sample_weight: Any = None,
        classes: Sequence[Hashable] | None = None,
    ) -> Samples:
        hard = isinstance(C, float) and math.isinf(C) and C > 0
        whole = Problem(
            WW.with_cost(cost),
            X,
            y,
            C=1.0 if hard else C,
            kernel=kernel,
            bias=bias,
            sample_weight=sample_weight,
            classes=classes,
        )
        absent = sorted(set(range(whole.d)) - set(whole.y.tolist()))
        if absent:
            raise DataError(
                "y",
                "have an example of every class",
                f"none of {whole.classes[absent[0]]!r}",
                "a binary machine needs both its classes; leave absent classes out",
            )
        if hard and (sample_weight is not None or cost != "linear"):
            raise DataError(
                "C",
                "be finite with sample_weight or a cost that is not linear",
                "inf",
                "a hard margin has no slack",
            )
        if hard and (whole.is_sparse or not (whole.is_linear or whole.n <= MOST_HARD)):
            raise DataError(
                "C",
                "be finite for sparse rows, or for a kernel with so many examples",
                f"inf and {whole!r}",
            )
        return cls(whole, math.inf if hard else whole.C)

    @property
    def hard(self) -> bool:
        return math.isinf(self.C)

    @property
    def classes(self) -> tuple[Hashable, ...]:
        return self.whole.classes

    @property
    def n_classes(self) -> int:
        return self.whole.d

    def rows(self, first: Sequence[int], second: Sequence[int]) -> NDArray[np.int64]:
        """The examples of the two groups of classes, in the order of the data."""
        return np.flatnonzero(np.isin(self.whole.y, [*first, *second]))

    def binary(
        self, first: Sequence[int], second: Sequence[int], C: float | None = None
    ) -> Problem:
        """The two groups as WW with the classes 0 (``first``) and 1 (``second``); ``C`` overrules the binary machine's."""
        chosen, whole = self.rows(first, second), self.whole
        X = whole.X[np.ix_(chosen, chosen)] if whole.kernel == precomputed else whole.X[chosen]
        weight = None if whole.sample_weight is None else whole.sample_weight[chosen]
        labels = np.isin(whole.y[chosen], second).astype(int)
        return Problem(
            whole.machine,
            X,
            labels,
            C=WW_PER_BINARY * (self.C if C is None else C),
            kernel=whole.kernel,
            bias=whole.bias,
            sample_weight=weight,
            n_classes=2,
        )

    def new_points(self, X: Any) -> Array:
        return self.whole.new_points(X)
