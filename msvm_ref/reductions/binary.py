"""The certified binary SVM that every reduction is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.judge.certificate import Certificate
from msvm_ref.model.arrays import Array
from msvm_ref.model.kernels import precomputed
from msvm_ref.model.problem import Problem
from msvm_ref.reductions.samples import WW_PER_BINARY, Samples
from msvm_ref.solvers.solution import Solution

Solve = Callable[[Problem], Solution]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BinarySVM:
    """h > 0 speaks for ``first``, h < 0 for ``second``."""

    first: tuple[int, ...]
    """Class indices of the one side."""
    second: tuple[int, ...]
    """Class indices of the other."""
    rows: NDArray[np.int64]
    """Its training examples."""
    solution: Solution
    """The certified solution."""

    @property
    def certificate(self) -> Certificate:
        """Of the WW problem it is posed as: its values are twice the binary machine's."""
        return self.solution.certificate

    @property
    def lower(self) -> float:
        """Certified lower bound of min 1/2 ||w||^2 [+ 1/2 b^2] + C sum xi."""
        return self.certificate.lower / WW_PER_BINARY

    @property
    def upper(self) -> float:
        """Certified upper bound of the same."""
        return self.certificate.upper / WW_PER_BINARY

    @property
    def support(self) -> NDArray[np.int64]:
        """Its support vectors, as rows of the whole training data."""
        return self.rows[self.solution.support]

    def score(self, new: Any) -> Array:
        """h(x) = 1/2 (f_0(x) - f_1(x)); for a precomputed kernel the new points hold k(x, x_i) for *all* training x_i."""
        own = new[:, self.rows] if self.solution.problem.kernel == precomputed else new
        scores = self.solution.decision_function(own)
        return np.asarray((scores[:, 0] - scores[:, 1]) / 2)


def train(
    samples: Samples,
    first: tuple[int, ...],
    second: tuple[int, ...],
    solve: Solve,
    C: float | None = None,
) -> BinarySVM:
    return BinarySVM(
        first, second, samples.rows(first, second), solve(samples.binary(first, second, C))
    )


def unique_support(machines: Any) -> NDArray[np.int64]:
    """Examples that support at least one of the machines: HL's count of unique support vectors."""
    return np.unique(np.concatenate([m.support for m in machines])).astype(np.int64)
