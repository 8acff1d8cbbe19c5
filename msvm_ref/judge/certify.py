"""The judge: recompute everything from the data, repair feasibility, and say what a candidate is worth.

It evaluates what it is handed and optimises nothing. ``helpers`` are other people's points of the *same* problem (a dual point
built for a candidate that has none, a reference solution): they can narrow the enclosure, and stand in for the half that the
candidate lacks. The caller vouches for nothing: each is repaired and re-evaluated like the candidate itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from msvm_ref.errors import MsvmError
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.feasible import FeasibleDual, feasible_dual
from msvm_ref.judge.image import (
    Image,
    dtype_of,
    expansion,
    image_of_alpha,
    image_of_coef,
    image_of_weights,
    images_of_both,
    levels,
)
from msvm_ref.judge.kkt import distance_bound, dual_faults, kkt, sum_to_zero_fault, title
from msvm_ref.judge.objective import dual_value, primal_value
from msvm_ref.judge.rounding import Enclosed, blocks
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem


@dataclass(frozen=True, eq=False)
class Worth:
    """What was recomputed of a candidate of a problem: P and its image, the repaired alpha, D and the image of W_alpha."""

    problem: Problem
    candidate: Candidate
    upper: Enclosed | None
    image: Image | None
    dual: FeasibleDual | None
    lower: Enclosed | None
    alpha_image: Image | None
    care: int

    @property
    def high(self) -> float:
        return math.inf if self.upper is None else self.upper.high

    def high_if_longer(self, by: float) -> float:
        """P where W and b are ``by`` longer, by the scores of this one: to choose by, not to believe."""
        if self.image is None or self.candidate.b is None or by == 0:
            return self.high
        longer, b = self.image.longer(1 + by), self.candidate.b * (1 + by)
        return primal_value(self.problem, longer, b).high

    @property
    def low(self) -> float:
        """A value some feasible alpha attains, or less."""
        if self.lower is None or self.dual is None:
            return -math.inf
        return (
            math.nextafter(self.lower.low - self.dual.charge, -math.inf)
            if self.dual.charge
            else self.lower.low
        )

    @property
    def doubt(self) -> float:
        return sum(v.radius for v in (self.upper, self.lower) if v is not None)


def judge(
    problem: Problem,
    handed: Candidate,
    helpers: Sequence[tuple[Candidate, str]] = (),
    begun: Worth | FeasibleDual | None = None,
    enough: float = 0.0,
) -> Certificate:
    """The certificate of a candidate; each helper comes with the words that say whose it is.

    ``begun`` is what ``worth`` said of this very candidate with a floor of 0 or of another with the same alpha, or
    ``repaired`` of that alpha, where it has been asked. A relative gap of ``enough`` is not evaluated again for a narrower one.
    """
    others = [(worth(problem, helper), words) for helper, words in helpers]
    floor = max((w.low for w, _ in others), default=None)
    own = worth(problem, handed, floor, begun, enough)
    everyone = [(own, "the candidate's alpha, repaired"), *others]
    best, lower_from = max(everyone, key=lambda pair: pair[0].low)
    lower, upper = max(best.low, 0.0), min(w.high for w, _ in everyone)
    if lower > upper:
        raise MsvmError(
            "enclosure",
            "not be empty",
            f"[{lower!r}, {upper!r}]",
            "this is a bug in the judge; please report the problem and the candidate",
        )
    primal = next((w for w, _ in everyone if w.upper is not None), own)
    dual = next((w for w, _ in everyone if w.dual is not None), own)
    return Certificate(
        title=title(problem),
        lower=lower,
        upper=upper,
        primal_value=own.high if handed.has_primal else None,
        dual_value=own.low if handed.alpha is not None else None,
        distance_bound=distance_bound(problem, primal.candidate, primal.high, lower)
        if primal.upper is not None
        else math.inf,
        rounding=own.doubt + (own.dual.charge if own.dual else 0.0),
        sum_to_zero_required=problem.spec.sum_to_zero,
        **_blocks(problem, handed, own, primal, dual, lower),
        **dual_faults(problem, handed),
        scores_residual=None,
        alpha_built=handed.alpha is None,
        gram_residual=0.0 if problem.kernel.has_bounds else problem.factor.residual,
        lower_from=lower_from,
    )


def _blocks(
    problem: Problem, handed: Candidate, own: Worth, primal: Worth, dual: Worth, lower: float
) -> dict[str, Any]:
    """The optimality conditions of the candidate, the half it lacks filled in by a helper's."""
    blocks: dict[str, Any] = dict.fromkeys(
        ("sum_to_zero", "stationarity", "worst_class", "complementarity")
    )
    with np.errstate(over="ignore", invalid="ignore"):
        if handed.has_primal and own.image is not None and math.isfinite(own.high):
            gap = max(own.high - lower, 0.0)
            blocks["sum_to_zero"] = sum_to_zero_fault(problem, handed, own.image, gap)
        if primal.image and dual.dual and dual.alpha_image and math.isfinite(primal.high):
            value = primal.high
            blocks |= kkt(
                problem, primal.candidate, primal.image, dual.dual.alpha, dual.alpha_image, value
            )
    return blocks


def repaired(problem: Problem, alpha: Array) -> FeasibleDual:
    """The dual point near alpha that the judge evaluates."""
    return feasible_dual(problem, alpha)


def worth(
    problem: Problem,
    handed: Candidate,
    floor: float | None = None,
    begun: Worth | FeasibleDual | None = None,
    enough: float = 0.0,
) -> Worth:
    """P and D of a candidate, evaluated with as much care as it takes for rounding not to show in the gap.

    ``floor`` is a lower bound of the optimum from elsewhere; without one, and without alpha, no gap hides anything.
    """
    if begun is not None and begun.problem is not problem:
        begun = None
    kept, dual = (begun, begun.dual) if isinstance(begun, Worth) else (None, begun)
    seen = kept if kept is not None and kept.candidate is handed else None
    if seen is None and not (dual is not None and _same(dual, handed.alpha)):
        kept = dual = None
    if dual is None and handed.alpha is not None:
        dual = feasible_dual(problem, handed.alpha)
    alpha = np.zeros((0, 1)) if dual is None else dual.alpha
    support = problem.n if handed.coef is not None else int(alpha.any(axis=1).sum())
    for care in levels(problem, support):
        if seen is not None and care < seen.care:
            continue
        same = kept if kept is not None and care == kept.care else None
        found = (same and seen) or _evaluated(problem, handed, dual, care, same)
        known = dual is not None or floor is not None
        gap = found.high - max(found.low, floor or 0.0, 0.0) if known else 0.0
        if found.doubt <= max(1e-3 * gap, 1e-12 * abs(found.high)):
            break
        if known and gap <= enough * found.high:
            break
    return found


def _same(dual: FeasibleDual, alpha: Array | None) -> bool:
    return alpha is not None and np.array_equal(dual.alpha, alpha)


def _evaluated(
    problem: Problem, handed: Candidate, dual: FeasibleDual | None, care: int, kept: Worth | None
) -> Worth:
    """``kept`` has been evaluated with as much care at the same dual point."""
    lower = alpha_image = upper = image = None
    if kept is not None:
        alpha_image, lower = kept.alpha_image, kept.lower
    elif dual is not None:
        if handed.coef is None or _expands_to(problem, dual.alpha, handed.coef, care):
            alpha_image = image_of_alpha(problem, dual.alpha, care)
            image = None if handed.coef is None else alpha_image
        else:
            alpha_image, image = images_of_both(problem, dual.alpha, handed.coef, care)
        lower = dual_value(problem, dual.alpha, alpha_image, care)
    if handed.W is not None:
        image = image_of_weights(problem, handed.W, care)
    elif handed.coef is not None and image is None:
        image = image_of_coef(problem, handed.coef, care)
    if image is not None and handed.b is not None:
        upper = primal_value(problem, image, handed.b)
    return Worth(problem, handed, upper, image, dual, lower, alpha_image, care)


def _expands_to(problem: Problem, alpha: Array, coef: Array, care: int) -> bool:
    """Are these the coefficients that alpha's image is evaluated with, bit by bit?

    In extended precision those of alpha have more digits than anybody's, and another P.
    """
    dtype, parts = dtype_of(care), blocks(problem.n, problem.d)
    return all(np.array_equal(expansion(problem, alpha, dtype, r)[0], coef[r]) for r in parts)
