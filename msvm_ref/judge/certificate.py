"""Certificate: what a candidate is worth, in numbers a person can read and a program can use."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Certificate:
    """lower <= optimum <= upper by the best points known; the rest says how good the candidate is and what is wrong.

    ``primal_value``/``dual_value``: the candidate's own values after repair, None for the half that was not given.
    Faults of the candidate *as handed in*, each relative (0 is perfect, None where it does not apply):
    ``sum_to_zero``: ||sum_c w_c||, |sum_c b_c|, required (``sum_to_zero_required``) or only reported;
    ``dual_sign``: most negative alpha; ``dual_bound``: excess of a slack group over C_i; ``dual_support``: alpha on a
    component that does not count; ``dual_equality``: sum alpha Pi nu, free bias only; ``scores_residual``: distance
    of given scores from any scores the problem's features can produce.
    ``stationarity``: ||(W,b) - (W,b)_alpha||; ``complementarity``: alpha's products with the slacks it should not meet;
    against the candidate's own alpha, or the judge's where none was given (``alpha_built``).
    """

    title: str
    lower: float
    upper: float
    primal_value: float | None
    dual_value: float | None
    distance_bound: float
    rounding: float
    sum_to_zero: float | None
    sum_to_zero_required: bool
    dual_sign: float | None
    dual_bound: float | None
    dual_support: float | None
    dual_equality: float | None
    stationarity: float | None
    worst_class: int | None
    complementarity: float | None
    scores_residual: float | None
    alpha_built: bool
    gram_residual: float
    lower_from: str

    @property
    def gap(self) -> float:
        """upper - lower, never negative."""
        return self.upper - self.lower if math.isfinite(self.upper) else math.inf

    @property
    def relative_gap(self) -> float:
        """gap / upper; 0 where both are 0, inf where there is no upper bound."""
        return _relative(self.gap, self.upper)

    @property
    def primal_error(self) -> float:
        """How far above the optimum the candidate may be, relative to it at worst; 0 where it has no primal half."""
        return (
            0.0
            if self.primal_value is None
            else _relative(self.primal_value - self.lower, self.primal_value)
        )

    @property
    def dual_error(self) -> float:
        """How far below the optimum the candidate's multipliers may be; 0 where it has no dual half."""
        return (
            0.0 if self.dual_value is None else _relative(self.upper - self.dual_value, self.upper)
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


def _relative(error: float, scale: float) -> float:
    if error <= 0.0:
        return 0.0
    return error / scale if 0 < scale < math.inf else math.inf
