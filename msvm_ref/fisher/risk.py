"""minimize_risk: the minimiser set of the pointwise risk R_P(f) = sum_y P_y L(f, y) at one P, in exact rationals.

A loss is Fisher consistent at P when every minimiser f has argmax f within argmax P (UV section 3.1, after Liu 2007):
ties count against it, and one wrong minimiser among many is enough to break it. ``some_right`` tells the other story.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.exact.numbers import fraction, fractions, rational
from msvm_ref.fisher.face import minimum
from msvm_ref.fisher.loss import Number, PointLoss, Vector, point_loss
from msvm_ref.fisher.probability import bayes_classes, probabilities
from msvm_ref.fisher.region import Constraint, Nothing, above, corners, extent, inside
from msvm_ref.model.machine import Machine

Rationals = tuple[Fraction, ...]


@dataclass(frozen=True)
class RiskMinimum:
    """Everything about the minimisers at one P; classes are 0 ... d-1 (1 ... d in print, as in the papers)."""

    machine: str
    """The machine's name."""
    d: int
    """How many classes."""
    P: Rationals
    """The class probabilities."""
    value: Fraction
    """min R_P."""
    minimiser: Rationals
    """One minimiser, a wrong one where there is one."""
    unique: bool
    """Is it the only one, up to adding a constant where constants change nothing?"""
    bounded: bool
    """Is the set of minimisers bounded? If not it reaches beyond ``vertices``."""
    up_to_constant: bool
    """Does adding a constant to the scores change nothing? Scores are then shown with sum 0."""
    vertices: tuple[Rationals, ...] | None
    """The corners of the minimiser set; None where they are too many to list."""
    argmax_classes: tuple[int, ...]
    """Every class that some minimiser ranks first, ties included."""
    bayes_classes: tuple[int, ...]
    """The classes of largest probability."""
    some_right: bool
    """Does some minimiser have its argmax within ``bayes_classes``?"""

    @property
    def consistent(self) -> bool:
        return set(self.argmax_classes) <= set(self.bayes_classes)

    def to_dict(self) -> dict[str, Any]:
        def text(values: Rationals) -> list[str]:
            return [str(v) for v in values]

        return {
            "machine": self.machine,
            "d": self.d,
            "P": text(self.P),
            "value": str(self.value),
            "minimiser": text(self.minimiser),
            "unique": self.unique,
            "bounded": self.bounded,
            "up_to_constant": self.up_to_constant,
            "vertices": None if self.vertices is None else [text(v) for v in self.vertices],
            "argmax_classes": list(self.argmax_classes),
            "bayes_classes": list(self.bayes_classes),
            "some_right": self.some_right,
            "consistent": self.consistent,
        }

    def __str__(self) -> str:
        only = (
            "unique" if self.unique else "one of many" + ("" if self.bounded else ", unboundedly")
        )
        shift = " up to a constant" if self.up_to_constant else ""
        verdict = (
            "right"
            if self.consistent
            else "WRONG" + (", though some minimiser is right" if self.some_right else "")
        )
        lines = [
            f"{self.machine}, d = {self.d}, P = {show(self.P)}: least risk {self.value}",
            f"  f* = {show(self.minimiser)}  {only}{shift}",
            f"  predicts {classes(self.argmax_classes)}, Bayes {classes(self.bayes_classes)}: {verdict}",
        ]
        if self.vertices is not None and len(self.vertices) > 1:
            lines.append("  corners " + "  ".join(show(v) for v in self.vertices))
        return "\n".join(lines)


def show(values: Rationals) -> str:
    return "(" + ", ".join(str(v).replace("-", "−") for v in values) + ")"


def classes(numbers: tuple[int, ...]) -> str:
    """{1, 2}: classes as the papers count them."""
    return "{" + ", ".join(str(c + 1) for c in numbers) + "}"


def minimize_risk(machine: Machine, P: Any, d: int | None = None) -> RiskMinimum:
    """All about the minimisers of R_P for ``machine``, exactly.

    P: Fractions, ints or strings such as "2/5" that sum to 1; floats are read as the decimals they print as (see
    probability.py). The smooth costs are solved by cvxpy and then confirmed in rationals, or refused (quadratic.py).
    """
    if not isinstance(machine, Machine):
        raise DataError("machine", "be a Machine such as WW or RM(0.5)", repr(machine))
    exact = probabilities(P, d or machine.fixed_d)
    prob = [rational(v) for v in exact]
    if machine.slack_cost.width:
        from msvm_ref.fisher.quadratic import quadratic_minimum

        loss = point_loss(machine.with_cost("linear"), len(exact))
        value, face = quadratic_minimum(loss, prob, machine.slack_cost)
    else:
        loss = point_loss(machine, len(exact))
        least = minimum(loss, prob)
        value, face = least.value, least.face
    return _describe(machine, loss, exact, value, face)


def _describe(
    machine: Machine, loss: PointLoss, P: Rationals, value: Number, face: tuple[Constraint, ...]
) -> RiskMinimum:
    d, bayes = loss.d, bayes_classes(P)
    ranked = {k: f for k in range(d) if not isinstance(f := first_ranked(loss, face, k), Nothing)}
    chosen = next((f for k, f in ranked.items() if k not in bayes), next(iter(ranked.values())))
    point, bounded = extent(face, d, loss.zero)
    vertices = corners(face, d)
    right = any(
        not isinstance(
            inside(
                [*face, *(above(b, c, d, loss.zero, ">") for c in range(d) if c not in bayes)],
                d,
                loss.zero,
            ),
            Nothing,
        )
        for b in bayes
    )
    return RiskMinimum(
        machine.name,
        d,
        P,
        fraction(value),
        fractions(chosen),
        point,
        bounded,
        loss.pinned and not loss.sum_to_zero,
        None if vertices is None else tuple(fractions(v) for v in vertices),
        tuple(ranked),
        bayes,
        right,
    )


def first_ranked(loss: PointLoss, face: tuple[Constraint, ...], k: int) -> Vector | Nothing:
    """A minimiser with class k among its largest scores."""
    return inside(
        [*face, *(above(k, c, loss.d, loss.zero) for c in range(loss.d) if c != k)],
        loss.d,
        loss.zero,
    )
