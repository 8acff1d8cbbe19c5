"""Convention: how somebody else writes the same machine, and the exact map to our way of writing it.

Theirs, in scores g = V'x + a and with q = 1 (hinge) or 2 (squared hinge):

    J(V, a) = r/2 (||V||^2 [+ ||a / sigma||^2]) + k m sum_i weight_i  L'(g(x_i), y_i),    L' = l^q L(s g)

Ours has r = l = m = s = sigma = 1 and k = C, so with f = s g

    W = s V,   b = s a,   C = k m l^q s^2 / r,   P(W, b) = (s^2 / r) J(V, a),   alpha = (l s^2 / r) alpha'.

``alpha'`` are the multipliers of their margin constraints, one for each of our alpha[i,p]. k and r carry
the parameter: k = C ("C"), k = C/n ("C/n"), k = 1/n and r = lambda r_0 ("lambda", mean loss plus lambda/2 ||w||^2), or
k = 1 and r = lambda r_0 ("1/C", the sum of losses plus lambda/2 ||w||^2). m stands outside the power: 1/2 sum xi^2 is m = 1/2.
All factors are rationals (times a power of d-1), so a conversion of a float rounds once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from msvm_ref.errors import DataError, SpecError
from msvm_ref.foreign import shown
from msvm_ref.model.arrays import Array, real_number, refuse_masked
from msvm_ref.model.kernels import Kernel, linear
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Bias, Problem

Parameter = Literal["C", "C/n", "lambda", "1/C"]
PARAMETERS: tuple[Parameter, ...] = ("C", "C/n", "lambda", "1/C")
INVERSE = ("lambda", "1/C")
"""Those whose constant stands before the penalty."""


@dataclass(frozen=True)
class Factor:
    """number * (d-1)^power * d^classes, exactly."""

    number: Fraction = Fraction(1)
    """The constant."""
    power: int = 0
    """The exponent of d - 1."""
    classes: int = 0
    """The exponent of d."""

    def at(self, d: int) -> Fraction:
        return Fraction(self.number) * Fraction(d - 1) ** self.power * Fraction(d) ** self.classes


ONE = Factor()


def _rounded(constant: Fraction) -> float:
    try:
        return float(constant)
    except OverflowError as error:
        raise DataError("C", "fit float64 after conversion", "a number beyond 1e308") from error


@dataclass(frozen=True)
class Convention:
    """One literal per way of writing the problem."""

    name: str
    """What it is asked for by."""
    machine: Machine | None = None
    """The machine it writes; None for any machine, written as we do."""
    scale: Factor = ONE
    """s: our scores are s times theirs."""
    loss: Factor = ONE
    """l: their loss is l times ours at those scores."""
    ridge: Factor = ONE
    """r: what their objective puts before 1/2 ||V||^2."""
    multiple: Factor = ONE
    """m: what their objective puts before the sum of losses, beside the constant and outside the loss's power."""
    parameter: Parameter = "C"
    """What their constant means."""
    bias: Bias | None = None
    """The bias it has; None leaves it open."""
    intercept_scaling: float = 1.0
    """The constant feature sigma that carries a penalized bias."""
    binary: bool = False
    """One score h for two classes, g = (-h, h)."""
    shift_free: bool = False
    """One vector added to every class's weights changes neither their margins nor their penalty, as in
    1/2 sum_{m<l} ||w_m - w_l||^2; W and b are centred when they are read."""
    source: str = ""
    """Where it is written so."""

    def __post_init__(self) -> None:
        if self.parameter not in PARAMETERS:
            raise SpecError("parameter", f"be one of {', '.join(PARAMETERS)}", repr(self.parameter))
        if self.bias not in (None, "none", "free", "penalized"):
            raise SpecError("bias", "be None, 'none', 'free' or 'penalized'", repr(self.bias))
        if not (np.isfinite(self.intercept_scaling) and self.intercept_scaling > 0):
            raise SpecError(
                "intercept_scaling", "be positive and finite", repr(self.intercept_scaling)
            )
        for name in ("scale", "loss", "ridge", "multiple"):
            if not getattr(self, name).number > 0:
                raise SpecError(name, "be positive", str(getattr(self, name)))

    def cost_factor(self, n: int, d: int) -> Fraction:
        """C_ours / C_theirs ("C", "C/n"), or C_ours * lambda ("lambda", "1/C")."""
        q = 2 if self.machine is not None and self.machine.cost == "quadratic" else 1
        factor = self.loss.at(d) ** q * self.multiple.at(d) * self.scale.at(d) ** 2
        factor /= self.ridge.at(d)
        return factor if self.parameter in ("C", "1/C") else factor / n

    def to_C(self, theirs: float | Fraction, n: int, d: int) -> float:
        """Our C for their C or lambda, rounded once."""
        value, factor = self._constant(theirs), self.cost_factor(n, d)
        return _rounded(factor / value if self.parameter in INVERSE else factor * value)

    def from_C(self, ours: float | Fraction, n: int, d: int) -> float:
        """Their C or lambda for our C, rounded once."""
        value, factor = self._constant(ours), self.cost_factor(n, d)
        return _rounded(factor / value if self.parameter in INVERSE else value / factor)

    def _constant(self, value: Any) -> Fraction:
        if real_number(value) is None or not value > 0:
            name = "lambda" if self.parameter in INVERSE else "C"
            raise DataError(name, "be positive and finite, one number", shown(value))
        return Fraction(value.item() if isinstance(value, np.generic) else value)

    def objective_factor(self, theirs: float | Fraction, d: int) -> Fraction:
        """P_ours / J_theirs = s^2 / r; ``theirs`` is their constant (it matters for "lambda" and "1/C" only)."""
        factor = self.scale.at(d) ** 2 / self.ridge.at(d)
        return factor / Fraction(theirs) if self.parameter in INVERSE else factor

    def alpha_factor(self, theirs: float | Fraction, d: int) -> Fraction:
        """alpha_ours / alpha_theirs = l s^2 / r."""
        return self.loss.at(d) * self.objective_factor(theirs, d)

    def pose(
        self,
        X: Any,
        y: Any,
        C: float,
        *,
        machine: Machine | None = None,
        bias: Bias | None = None,
        kernel: Kernel = linear,
        sample_weight: Any = None,
        classes: Any = None,
        intercept_scaling: float | None = None,
    ) -> Posed:
        """Their training problem at their constant ``C`` (or lambda) as one of ours.

        A penalized bias with sigma != 1 becomes a constant column sigma of X (linear kernel only).
        """
        resolved, treatment = self.for_machine(machine), self.bias_of(bias)
        ours = resolved.of(machine)
        sigma = self.intercept_scaling if intercept_scaling is None else float(intercept_scaling)
        refuse_masked("X", X)
        data = np.asarray(X)
        carried = treatment == "penalized" and sigma != 1.0
        if carried:
            if kernel != linear:
                raise DataError("intercept_scaling", "be 1 for a non-linear kernel", f"{sigma:g}")
            data, treatment = np.column_stack([data, np.full(len(data), sigma)]), "none"
        bare = Problem(
            ours,
            data,
            y,
            kernel=kernel,
            bias=treatment,
            sample_weight=sample_weight,
            classes=classes,
        )
        if self.binary and bare.d != 2:
            raise DataError(
                "y",
                f"have 2 classes for convention {self.name}",
                f"{bare.d}",
                "one binary problem at a time",
            )
        return Posed(
            resolved,
            bare.with_C(resolved.to_C(C, bare.n, bare.d)),
            float(C),
            sigma if carried else None,
        )

    def for_machine(self, machine: Machine | None) -> Convention:
        """This convention tied to its machine (whose cost, hinge or squared hinge, enters the map of C)."""
        return replace(self, machine=self.of(machine))

    def of(self, machine: Machine | None) -> Machine:
        """The machine meant: the convention's own, or the given one where the convention leaves it open."""
        if machine is None and self.machine is None:
            raise SpecError(
                "machine",
                f"be given with convention {self.name}",
                "nothing",
                "pass machine=WW, say",
            )
        if machine is not None and self.machine is not None and machine != self.machine:
            raise SpecError(
                "machine",
                f"be {self.machine.name} in convention {self.name}",
                machine.name,
                "leave machine out, or choose another convention",
            )
        chosen = self.machine or machine
        assert chosen is not None
        return chosen

    def bias_of(self, bias: Bias | None) -> Bias:
        if bias is not None and self.bias is not None and bias != self.bias:
            raise SpecError("bias", f"be {self.bias!r} in convention {self.name}", repr(bias))
        return bias or self.bias or "none"


@dataclass(frozen=True)
class Posed:
    """Our ``problem`` for their constant; maps what they computed to ours (``ours``) and back (``theirs``)."""

    convention: Convention
    """How they write it."""
    problem: Problem
    """How we write it."""
    constant: float
    """Their C, C/n or lambda."""
    column: float | None
    """sigma where the bias is carried by a constant last column of ``problem.X``."""

    @property
    def value_factor(self) -> float:
        return float(self.convention.objective_factor(self.constant, self.problem.d))

    def ours(
        self, W: Any = None, b: Any = None, alpha: Any = None, coef: Any = None, scores: Any = None
    ) -> dict[str, Any]:
        """Keywords for ``certify``: (W, b, alpha, coef, scores) of theirs in our units; what is None is left out."""
        d = self.problem.d
        s, t = (
            float(self.convention.scale.at(d)),
            float(self.convention.alpha_factor(self.constant, d)),
        )
        out: dict[str, Any] = {}
        for name, values in (
            ("W", W),
            ("b", b),
            ("alpha", alpha),
            ("coef", coef),
            ("scores", scores),
        ):
            refuse_masked(name, values)
        if self.convention.shift_free:
            W, b, coef, scores = (None if v is None else _centred(v) for v in (W, b, coef, scores))
        if W is not None:
            out["W"] = s * self._both(W, 2)
        if coef is not None:
            out["coef"] = s * self._both(coef, 2)
        if scores is not None:
            out["scores"] = s * self._both(scores, 2)
        if b is not None and self.column is not None and "W" in out:
            out["W"] = np.vstack([out["W"], s * self._both(b, 1) / self.column])
        elif b is not None and self.problem.bias != "none":
            out["b"] = s * self._both(b, 1)
        elif b is not None and np.any(np.asarray(b, dtype=float)):
            raise DataError(
                "b", "be zero where the convention has no bias", f"{np.asarray(b).tolist()}"
            )
        if alpha is not None:
            out["alpha"] = t * np.asarray(alpha, dtype=float)
        return out

    def theirs(
        self, W: Array, b: Array | None = None, alpha: Array | None = None
    ) -> dict[str, Array]:
        """Our W, b, alpha in their units: the inverse of ``ours``."""
        d = self.problem.d
        s, t = (
            float(self.convention.scale.at(d)),
            float(self.convention.alpha_factor(self.constant, d)),
        )
        out = {"W": W / s}
        if self.column is not None:
            out = {"W": W[:-1] / s, "b": W[-1] * self.column / s}
        elif b is not None:
            out["b"] = b / s
        if self.convention.binary:
            out = {name: (v[..., 1] - v[..., 0]) / 2 for name, v in out.items()}
        if alpha is not None:
            out["alpha"] = alpha / t
        return out

    def objective(self, ours: float) -> float:
        """Their objective for our value."""
        return ours / self.value_factor

    def _both(self, values: Any, ndim: int) -> Array:
        """Scores of both classes from a single one, h -> (-h, h), where the convention keeps one."""
        array: Array = np.asarray(values, dtype=float)
        if not self.convention.binary or (array.ndim == ndim and array.shape[-1] == 2):
            return array
        column = array if array.ndim == ndim else array[..., None]
        return np.concatenate([-column, column], axis=-1)


def _centred(values: Any) -> Array:
    array = np.asarray(values, dtype=float)
    out: Array = array - array.mean(axis=-1, keepdims=True)
    return out
