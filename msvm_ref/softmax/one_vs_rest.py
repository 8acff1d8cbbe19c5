"""One-vs-rest with the same loss, the same algorithm and the same representation (ZDO section 1.3.1).

Each class against the rest is a SoftmaxProblem of two classes (one rival: smax is its argument whatever gamma is), and the
score of the class is f_1 - f_0 there. It differs from the multi-class problem in nothing but being m problems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.softmax.problem import SoftmaxProblem, is_softmax
from msvm_ref.softmax.solve import Method, SoftmaxSolution, solve_softmax
from msvm_ref.solvers.solution import labelled


@dataclass(frozen=True, eq=False)
class SoftmaxOneVsRest:
    """The m binary solutions, each with its own certificate."""

    problem: SoftmaxProblem
    """The multi-class problem that was split."""
    parts: tuple[SoftmaxSolution, ...]
    """[c]: class c against the rest."""

    @property
    def converged(self) -> bool:
        return all(part.converged for part in self.parts)

    @property
    def iterations(self) -> int:
        return sum(part.iterations for part in self.parts)

    def decision_function(self, X: Any) -> Array:
        """(n_new x d): f_1 - f_0 of each class against the rest."""
        features = self.problem.represent(X)
        pairs = [part.problem.scores(part.V, part.b, features) for part in self.parts]
        return np.column_stack([f[:, 1] - f[:, 0] for f in pairs])

    def predict(self, X: Any) -> NDArray[Any]:
        return labelled(self.problem.data.classes, self.decision_function(X).argmax(axis=1))


def softmax_one_vs_rest(
    problem: SoftmaxProblem, method: Method | None = None, tolerance: float = 1e-6
) -> SoftmaxOneVsRest:
    """Solve the m binary problems of ``problem``; its label kernel must be the identity."""
    is_softmax(problem)
    if not (problem.label_kernel == np.eye(problem.d)).all():
        raise DataError(
            "label_kernel",
            "be the identity for one-vs-rest",
            "another",
            "two classes have no structure to share",
        )
    p = problem.data
    parts = []
    for c in range(problem.d):
        binary = SoftmaxProblem(
            p.X,
            (p.y == c).astype(int),
            p.C,
            problem.gamma,
            problem.loss,
            p.kernel,
            None,
            problem.representation,
            p.bias,
            problem.printed,
            p.sample_weight,
            classes=(0, 1),
        )
        if "basis" in problem.__dict__:
            binary.__dict__["basis"] = problem.__dict__["basis"]
        parts.append(solve_softmax(binary, method, tolerance))
    return SoftmaxOneVsRest(problem, tuple(parts))
