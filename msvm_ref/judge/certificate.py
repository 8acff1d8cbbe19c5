"""Certificate: what a candidate is worth, in numbers a person can read and a program can use."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Certificate:
    """lower <= optimum <= upper by the best points known; the rest says how good the candidate is and what is wrong.

    Faults are those of the candidate *as handed in*, each relative: 0 is perfect, None where it does not apply.
    """

    title: str
    """The problem in a line."""
    lower: float
    """At most the optimum: the best dual value at hand, 0 where none is better (alpha = 0 is feasible)."""
    upper: float
    """At least the optimum: the best primal value at hand, inf where none is finite."""
    primal_value: float | None
    """The candidate's own P, rounded up, at its projection under sum-to-zero; None where it has no primal half."""
    dual_value: float | None
    """The candidate's own D after repair to feasibility, rounded down; None where it has no dual half."""
    distance_bound: float
    """At least ||W - W*||, by strong convexity: what centring moves W by, plus sqrt(2 (P - lower)); b and alpha have none."""
    rounding: float
    """What rounding and the repair of a free bias's equality may account for in ``primal_value`` and ``dual_value``."""
    sum_to_zero: float | None
    """||sum_c w_c|| and |sum_c b_c|, beyond their own rounding."""
    sum_to_zero_required: bool
    """Does the machine require it? Else it is only reported."""
    dual_sign: float | None
    """The most negative alpha, relative to its C_i."""
    dual_bound: float | None
    """The largest excess of a slack group over its C_i, relative to it."""
    dual_support: float | None
    """The largest alpha on a component that does not count, relative to its C_i."""
    dual_equality: float | None
    """sum alpha Pi nu, class by class relative to its terms; free bias only."""
    stationarity: float | None
    """||(W, b) - (W, b)_alpha|| relative to the larger norm; alpha the candidate's, or another's (``alpha_built``)."""
    worst_class: int | None
    """The class that is farthest from stationary."""
    complementarity: float | None
    """alpha's products with the slacks it should not meet, relative to ``primal_value``."""
    scores_residual: float | None
    """How far given scores are from any the problem can produce; None where none were given."""
    alpha_built: bool
    """Were the multipliers built for the candidate, or a reference's, since it brought none?"""
    gram_residual: float
    """Where only a Gram defines the problem: the largest distance of its factor's from the given entries, else 0."""
    lower_from: str
    """Whose multipliers ``lower`` comes from."""

    @property
    def gap(self) -> float:
        """upper - lower, rounded up."""
        return _relative(self.upper, self.lower, 1.0)

    @property
    def relative_gap(self) -> float:
        """gap / upper; 0 where both are 0, inf where there is no upper bound."""
        return _relative(self.upper, self.lower, self.upper)

    @property
    def primal_error(self) -> float:
        """How far above the optimum the candidate may be, relative to it at worst; 0 where it has no primal half."""
        return (
            0.0
            if self.primal_value is None
            else _relative(self.primal_value, self.lower, self.primal_value)
        )

    @property
    def dual_error(self) -> float:
        """How far below the optimum the candidate's multipliers may be; 0 where it has no dual half."""
        return (
            0.0 if self.dual_value is None else _relative(self.upper, self.dual_value, self.upper)
        )

    @property
    def infeasibility(self) -> dict[str, float]:
        """The faults that make the candidate inadmissible as handed in, by name."""
        faults = {
            "sum_to_zero": self.sum_to_zero if self.sum_to_zero_required else None,
            "dual_sign": self.dual_sign,
            "dual_bound": self.dual_bound,
            "dual_support": self.dual_support,
            "dual_equality": self.dual_equality,
            "scores_residual": self.scores_residual,
        }
        return {name: value for name, value in faults.items() if value is not None}

    def optimal(self, tol: float = 1e-9) -> bool:
        """Is everything that was handed in within ``tol`` (relative) of optimal and of feasible?"""
        errors = (self.primal_error, self.dual_error, *self.infeasibility.values())
        return all(error <= tol for error in errors)

    @property
    def sure_error(self) -> float:
        """The relative error the candidate has wherever in [lower, upper] the optimum lies, rounded down."""
        pairs = [(self.primal_value, self.upper, self.primal_value)]
        pairs += [(self.lower, self.dual_value, self.upper)] if self.dual_value is not None else []
        return max(_surely(above, below, scale) for above, below, scale in pairs)

    def verdict(self, tol: float = 1e-9) -> str:
        """OPTIMAL, NOT OPTIMAL, or UNDECIDED where the enclosure is too wide to tell."""
        if self.optimal(tol):
            return "OPTIMAL"
        worst = max(self.sure_error, *self.infeasibility.values(), 0.0)
        return "NOT OPTIMAL" if worst > tol else "UNDECIDED"

    def to_dict(self) -> dict[str, Any]:
        """Every field and derived number; infinities as the strings 'inf' and '-inf' so that JSON stays JSON."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values |= {
            name: getattr(self, name)
            for name in ("gap", "relative_gap", "primal_error", "dual_error")
        }
        values["optimal"] = {f"{tol:g}": self.optimal(tol) for tol in (1e-3, 1e-6, 1e-9)}
        return {
            k: str(v) if isinstance(v, float) and not math.isfinite(v) else v
            for k, v in values.items()
        }

    def __str__(self) -> str:
        from msvm_ref.judge.report import report

        return report(self)


def _surely(above: float | None, below: float, scale: float | None) -> float:
    """(above - below) / scale, rounded down; 0 where it is not known to be positive."""
    if above is None or scale is None or not (below < above < math.inf and 0 < scale < math.inf):
        return 0.0
    if not math.isfinite(below):
        return 0.0
    exact = (Fraction(above) - Fraction(below)) / Fraction(scale)
    near = float(exact)
    return near if near <= exact else math.nextafter(near, 0.0)


def _relative(above: float, below: float, scale: float) -> float:
    """(above - below) / scale, rounded up; inf where there is no such number."""
    if above <= below:
        return 0.0
    if not (0 < scale < math.inf and math.isfinite(above) and math.isfinite(below)):
        return math.inf
    exact = (Fraction(above) - Fraction(below)) / Fraction(scale)
    near = float(exact) if exact < 1e300 else math.inf
    return near if near >= exact else math.nextafter(near, math.inf)
