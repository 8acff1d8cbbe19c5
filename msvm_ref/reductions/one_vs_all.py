"""One-against-all (HL section II, (1) and (2)): class c against the rest, and the largest score wins.

    h_c = the binary machine with t_i = +1 where y_i = c;   predict argmax_c h_c(x), ties to the smaller index.

The d objectives are independent, so their sum is the OVA machine of the catalogue at the same C: equal values, equal W.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.cost import Cost
from msvm_ref.model.kernels import Kernel, KernelFunction, linear
from msvm_ref.model.problem import Bias
from msvm_ref.reductions.binary import BinarySVM, Codes, Solve, train
from msvm_ref.reductions.samples import Samples
from msvm_ref.solvers.methods import solve as by_default


@dataclass(frozen=True, eq=False)
class OneVsAll:
    """d binary machines."""

    samples: Samples
    """The data."""
    machines: tuple[BinarySVM, ...]
    """[c] separates class c from the others."""

    @property
    def parts(self) -> tuple[BinarySVM, ...]:
        return self.machines

    @property
    def lower(self) -> float:
        """Certified lower bound of the sum of the d objectives, the OVA machine's optimum."""
        return sum(m.lower for m in self.machines)

    @property
    def upper(self) -> float:
        return sum(m.upper for m in self.machines)

    def scores(self, X: Any) -> Array:
        """(n x d) the h_c(x)."""
        new = self.samples.new_points(X)
        return np.column_stack([m.score(new) for m in self.machines])

    def predict_codes(self, X: Any) -> Codes:
        return np.asarray(self.scores(X).argmax(axis=1))


def one_vs_all(
    X: Any,
    y: Any,
    C: float = 1.0,
    kernel: Kernel | KernelFunction = linear,
    bias: Bias = "free",
    cost: Cost = "linear",
    sample_weight: Any = None,
    classes: Sequence[Hashable] | None = None,
    solve: Solve = by_default,
) -> OneVsAll:
    """Train d certified binary machines; ``solve`` takes a Problem and returns a certified Solution."""
    samples = Samples.of(X, y, C, kernel, bias, cost, sample_weight, classes)
    everyone = range(samples.n_classes)
    return OneVsAll(
        samples,
        tuple(train(samples, (c,), tuple(k for k in everyone if k != c), solve) for c in everyone),
    )
