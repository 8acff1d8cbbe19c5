"""What a solver's own stopping rule promises, as a duality gap: a tolerance that follows from the solver instead of from taste.

A rule gives an absolute gap in the convention's units; a problem's tolerance is that gap over the certified optimum. With
C_i = C weight_i and one (or, one-vs-rest, d) binary or Crammer-Singer duals with a box or a simplex of size C_i:

    largest violation <= eps  =>  P - D = sum_i (C_i - alpha_i) [v_i]_+ + alpha_i [-v_i]_+ <= eps sum_i C_i

(HL section 3: gap <= C sum violation); and of a 1-strongly convex P, ||grad P(w)|| <= g  =>  P(w) - P* <= g^2 / 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from msvm_ref.model.conventions.convention import Posed


@dataclass(frozen=True)
class StoppingRule:
    """``gap(posed)``: what the rule promises, or None where it promises nothing. ``words`` say it in the solver's terms."""

    words: str
    gap: Callable[[Posed], float | None]

    def relative(self, posed: Posed, lower: float) -> float | None:
        """The promised gap over the optimum (``lower`` is in our units)."""
        gap, optimum = self.gap(posed), posed.objective(lower)
        return gap / optimum if gap is not None and optimum > 0 else None


def largest_violation(epsilon: float, words: str, one_vs_rest: bool = False) -> StoppingRule:
    """eps sum_i C_i, for each of the d binary problems of a one-vs-rest."""

    def gap(posed: Posed) -> float:
        costs = posed.constant * float(posed.problem.costs.sum() / posed.problem.C)
        return epsilon * costs * (posed.problem.d if one_vs_rest else 1)

    return StoppingRule(words, gap)


def relative_gradient(epsilon: float, words: str) -> StoppingRule:
    """LIBLINEAR's primal Newton, one-vs-rest, squared hinge: ||grad|| <= eps min(n+, n-)/n ||grad at 0|| for each class.

    grad at 0 is -2 sum_i C_i y_i [x_i, 1]. Where there are more features than examples scikit-learn takes the dual instead.
    """

    def gap(posed: Posed) -> float | None:
        problem = posed.problem
        if problem.n < problem.X.shape[1]:
            return None
        rows = (
            np.column_stack([problem.X, np.ones(problem.n)])
            * (posed.constant * problem.costs / problem.C)[:, None]
        )
        total = 0.0
        for c in range(problem.d):
            sign = np.where(problem.y == c, 1.0, -1.0)
            few = max(min(int((sign > 0).sum()), int((sign < 0).sum())), 1)
            total += (epsilon * few / problem.n * 2 * float(np.linalg.norm(sign @ rows))) ** 2 / 2
        return total

    return StoppingRule(words, gap)
