"""Losses in words and formulas: "WW with margin f_y - f_c >= 1, divided by d, the true class counted"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from msvm_ref.model.conventions.convention import ONE, Factor
from msvm_ref.model.machine import RELATIVE, Machine, Margin, Target, short

if TYPE_CHECKING:
    from msvm_ref.conformance.losses.hypotheses import LossHypothesis
    from msvm_ref.conformance.losses.trial import LossTrial

IN_D: tuple[tuple[str, int, int], ...] = (
    ("", 0, 0),
    ("/d", 0, -1),
    ("/(d-1)", -1, 0),
    (" d", 0, 1),
    (" (d-1)", 1, 0),
    ("/(d (d-1))", -1, -1),
    ("/d^2", 0, -2),
    (" (d-1)/d", 1, -1),
    (" d/(d-1)", -1, 1),
)
"""Factors by their power of d - 1 and of d."""


@dataclass(frozen=True)
class Found:
    """A hypothesis with the factor and offset it was proved with at each number of classes; or a name alone."""

    hypothesis: LossHypothesis | None = None
    sizes: tuple[int, ...] = ()
    factors: tuple[Fraction, ...] = ()
    offsets: tuple[Fraction, ...] = ()
    summed: bool = False
    halved: bool = False
    """Is the claim written with the relative margin (f_y - f_c)/2? Then so is a margin of 2."""
    name: str = ""

    @property
    def machine(self) -> Machine:
        """The hypothesis's machine as it is told: 2 - z as 2 (1 - z/2) where the claim has the half."""
        assert self.hypothesis is not None
        machine = self.hypothesis.machine(self.sizes[0])
        return replace(machine, margin=RELATIVE, target=Target()) if self.as_half else machine

    @property
    def as_half(self) -> bool:
        h = self.hypothesis
        return (
            self.halved
            and h is not None
            and h.shape.machine.margin_name == "difference"
            and h.target == Factor(Fraction(2))
        )

    @property
    def told_factors(self) -> tuple[Fraction, ...]:
        """Before the loss of ``machine``."""
        h = self.hypothesis
        if h is None or not self.as_half:
            return self.factors
        power = h.q * h.outer
        return tuple(
            a * (2**power.numerator if power.denominator == 1 else Fraction(2**0.5))
            for a in self.factors
        )

    @property
    def edits(self) -> float:
        """How odd it is: the hypothesis, an offset, a factor that is no short expression in d."""
        assert self.hypothesis is not None
        odd = 2.0 if any(self.offsets) else 0.0
        odd += 1.0 if factor_words(self.sizes, self.factors) is None else 0.0
        return self.hypothesis.edits + odd + (0.5 if self.factors[0] < 0 else 0.0)


def words(found: Found) -> str:
    h = found.hypothesis
    if h is None:
        return found.name
    parts = [h.shape.name]
    if found.as_half:
        parts.append("with margin (f_y - f_c)/2 >= 1")
    elif h.shape.relative:
        parts.append(f"with margin f_y - f_c >= {target_words(h.target)}")
    elif h.target != ONE:
        parts.append(f"with its targets times {target_words(h.target)}")
    text = " ".join(parts)
    more = [text]
    if h.q == 2 and h.outer == 1:
        more.append("squared")
    if h.outer == 2:
        more.append("the square of the sum")
    elif h.outer == Fraction(1, 2):
        more.append("the root of the sum" + (" of squares" if h.q == 2 else ""))
    more += _scaled(found)
    more += [h.shape.note] * bool(h.shape.note)
    more += ["the sign of the scores flipped"] * (h.sign < 0)
    more += [f"the labels {h.order}"] * (h.order != "as given")
    more += ["summed over the examples, not averaged"] * found.summed
    return f"{', '.join(more)}: {formula(found)}"


def _scaled(found: Found) -> list[str]:
    out = []
    factors = found.told_factors
    if all(a < 0 for a in factors):
        out.append("negated")
        factors = tuple(-a for a in factors)
    said = factor_words(found.sizes, factors)
    if said is None:
        out.append("times " + _each(found.sizes, factors))
    elif said != "1":
        out.append(f"divided by {said[2:]}" if said.startswith("1/") else f"times {said}")
    if any(found.offsets):
        said = factor_words(found.sizes, found.offsets)
        out.append(f"plus {said or _each(found.sizes, found.offsets)}")
    return out


def target_words(target: Factor) -> str:
    return str(factor_words((3, 4), (target.at(3), target.at(4))))


def _each(sizes: tuple[int, ...], values: tuple[Fraction, ...]) -> str:
    return ", ".join(f"{short(v)} at d = {d}" for d, v in zip(sizes, values, strict=True))


def factor_words(sizes: tuple[int, ...], values: tuple[Fraction, ...]) -> str | None:
    """One short expression in d for all values: 1/d, 2 (d-1), ...; None where there is none. One size proves no dependence."""
    if len(sizes) == 1:
        return short(values[0]) if values[0].denominator <= 12 else None
    for text, rivals, classes in IN_D:
        parts = {
            v / (Fraction(d - 1) ** rivals * Fraction(d) ** classes)
            for d, v in zip(sizes, values, strict=True)
        }
        if len(parts) == 1:
            number = parts.pop()
            if not text:
                return short(number)
            if number.denominator > 12:
                continue
            if text.startswith("/"):
                return f"{short(number)}{text}"
            return text.strip() if number == 1 else f"{short(number)}{text}"
    return None


def formula(found: Found) -> str:
    h = found.hypothesis
    assert h is not None
    factors = found.told_factors
    a = factor_words(found.sizes, factors) or _each(found.sizes, factors)
    body = _body(found.machine, "-f" if h.sign < 0 else "f")
    if h.outer != 1:
        body = f"({body})^{short(h.outer)}"
    text = {"1": body, "-1": f"-{body}"}.get(a) or (
        f"({a}) {body}" if "d =" in a else f"{a} {body}"
    )
    if any(found.offsets):
        b = factor_words(found.sizes, found.offsets) or _each(found.sizes, found.offsets)
        text += f" + {b}"
    return text


def _body(machine: Machine, f: str = "f") -> str:
    """sum or max over the counted components of [target - margin]_+"""
    margin, target = machine.margin, machine.target
    power = "^2" if machine.cost == "quadratic" else ""
    if not isinstance(margin, Margin) or not isinstance(target, Target):
        return f"the loss of {machine.name}{power}"
    score = f"({f})" if f != "f" else "f"
    g = f"{score} centred" if machine.sum_to_zero else ""
    other, own_target = short(target.other), _own_target(target)
    z = {
        ("0", "1", "-1"): f"({score}_y - {score}_c)",
        ("0", "1/2", "-1/2"): f"({score}_y - {score}_c)/2",
        ("1", "1", "-1"): f"({score}_y - {score}_c)",
        ("1", "0", "-1"): f"-{score}_c",
    }.get((short(margin.own), short(margin.true), short(margin.rival)))
    rival = (
        f"[-{z}]_+" if z and other == "0" else f"[{other} - {z}]_+" if z else f"[{other} - mu_c]_+"
    )
    if z == f"-{score}_c":
        rival = f"[{other} + {score}_c]_+"
    own = (
        f"[{own_target} - {score}_y]_+" if margin.own == 1 else own_target if not margin.own else ""
    )
    own = own or f"[{own_target} - {short(margin.own)} {score}_y]_+"
    kind = machine.aggregation
    where = f" ({g})" if g else ""
    if kind.components == "self":
        return f"{own}{power}{where}"
    if kind.slack == "shared":
        inner = f"max_(c != y) {rival}"
        text = f"max({own}, {inner})" if kind.components == "all" else inner
        return f"{f'({text})' if power else text}{power}{where}"
    text = f"sum_(c != y) {rival}{power}"
    return (f"({own}{power} + {text})" if kind.components == "all" else text) + where


def _own_target(target: Target) -> str:
    if not target.own_per_rival:
        return short(target.own)
    return f"{short(target.own_per_rival)}(d-1)"


def claim_words(trial: LossTrial) -> str:
    """The claim as a formula."""
    factor = trial.convention.factor
    sizes = (3, 4)
    said = factor_words(sizes, tuple(factor.at(d) for d in sizes))
    body = _body(trial.machine)
    return (
        f"{trial.machine.name}: {body}" if said == "1" else f"{trial.machine.name}: {said} {body}"
    )
