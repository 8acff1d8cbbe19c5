"""What a loss may be instead of what it claims: the shapes, targets, powers and label orders that the diagnosis tries.

    theirs(f, y) = a B(s f, pi(y))^t + b,      B the loss of a shape at target m and power q

with s = 1 or -1, pi a reordering of the labels, and t = 1, 2 (the square of the sum) or 1/2. Relative shapes are written
without the half: B = sum or max over c of [m - (f_y - f_c)]_+^q. The numbers a and b are fitted, then tried exactly elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from msvm_ref.conformance.losses.literals import DIFFERENCE, WITH_ORIGIN
from msvm_ref.conformance.losses.question import Numbers
from msvm_ref.losses.loss import loss
from msvm_ref.losses.softmax import Softmax
from msvm_ref.model.catalogue import RM
from msvm_ref.model.conventions.convention import Factor
from msvm_ref.model.machine import (
    ABSOLUTE,
    OTHERS_MAX,
    OTHERS_SUM,
    SELF,
    TOTAL_MAX,
    TOTAL_SUM,
    Aggregation,
    Machine,
    Margin,
    Target,
    short,
)


@dataclass(frozen=True)
class Shape:
    """A machine up to its target, named for people; ``note``: what is odd about it."""

    name: str
    machine: Machine
    note: str = ""

    def at(self, target: Fraction, q: int) -> Machine:
        """The machine with its targets times ``target``, at power q."""
        assert isinstance(self.machine.target, Target)
        given = self.machine.target
        scaled = Target(target * given.own, target * given.other, target * given.own_per_rival)
        return replace(self.machine, target=scaled, cost="quadratic" if q == 2 else "linear")

    @property
    def relative(self) -> bool:
        return self.machine.margin_name.startswith("difference")


def _shape(
    name: str, margin: Margin, aggregation: Aggregation, centred: bool = False, note: str = ""
) -> Shape:
    return Shape(name, Machine(name, margin, aggregation, sum_to_zero=centred), note)


COUNTED, UNCENTRED = "the true class counted", "the scores not centred"
SHAPES: tuple[Shape, ...] = (
    _shape("WW", DIFFERENCE, OTHERS_SUM),
    _shape("CS", DIFFERENCE, OTHERS_MAX),
    _shape("WW", DIFFERENCE, TOTAL_SUM, note=COUNTED),
    _shape("CS", DIFFERENCE, TOTAL_MAX, note=COUNTED),
    _shape("CS", WITH_ORIGIN, TOTAL_MAX, note="the score 0 counted among the rivals"),
    _shape("OVA", ABSOLUTE, TOTAL_SUM),
    _shape("LLW", ABSOLUTE, OTHERS_SUM, centred=True),
    _shape("ATS", ABSOLUTE, TOTAL_SUM, centred=True),
    _shape("MMR", ABSOLUTE, SELF, centred=True),
    _shape("AMO", ABSOLUTE, OTHERS_MAX, centred=True),
    _shape("ATM", ABSOLUTE, TOTAL_MAX, centred=True),
    _shape("MMR_ORTHO", ABSOLUTE, SELF),
    _shape("LLW", ABSOLUTE, OTHERS_SUM, note=UNCENTRED),
    _shape("AMO", ABSOLUTE, OTHERS_MAX, note=UNCENTRED),
    _shape("ATM", ABSOLUTE, TOTAL_MAX, note=UNCENTRED),
    *(
        Shape(f"RM({short(g)})", machine, "" if centred else UNCENTRED)
        for g in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
        for centred in (True, False)
        for machine in [replace(RM(g), sum_to_zero=centred)]
    ),
)
SMOOTH: dict[str, Softmax] = {
    "the multinomial logistic loss (cross-entropy)": Softmax(1.0),
    "WW with logistic losses for hinges": Softmax(0.0),
    "CS with logistic losses for hinges": Softmax(float("inf")),
}
ORDERS = ("as given", "shifted up by one", "shifted down by one", "reversed")


TARGETS: tuple[Factor, ...] = (
    *(
        Factor(Fraction(text))
        for text in ("1", "2", "0", "1/2", "4", "10", "100", "1/10", "-1", "3", "1/4")
    ),
    Factor(power=1),
    Factor(power=-1),
    Factor(classes=1),
    Factor(classes=-1),
)
"""Margins in use: 1 and 2, their neighbours, and those that depend on d."""
USUAL = TARGETS[:2]


def reordered(y: Numbers, order: str, d: int) -> Numbers:
    if order == "reversed":
        return np.asarray(d - 1 - y)
    step = {"as given": 0, "shifted up by one": 1, "shifted down by one": -1}[order]
    return np.asarray((y + step) % d)


@dataclass(frozen=True)
class LossHypothesis:
    """B, before its factor and offset; ``edits`` counts how far it is from an ordinary loss."""

    shape: Shape
    target: Factor
    q: int
    sign: int = 1
    order: str = "as given"
    outer: Fraction = Fraction(1)
    edits: float = 0.0

    def machine(self, d: int) -> Machine:
        return self.shape.at(self.target.at(d), self.q)

    def values(self, scores: Numbers, y: Numbers) -> Numbers:
        """B of every row in float64: for the search, which a proof in rationals follows."""
        labels = reordered(y, self.order, scores.shape[1])
        each = np.asarray(
            loss(self.machine(scores.shape[1]), self.sign * scores, labels, reduction="none")
        )
        return np.asarray(each ** float(self.outer))


def hypotheses() -> Iterator[LossHypothesis]:
    """Few edits first: shapes, targets and powers; then signs, label orders, squares and roots of the sum."""
    for rank in range(4):
        for shape in SHAPES:
            for target in TARGETS:
                yield from _variants(shape, target, rank)


def _variants(shape: Shape, target: Factor, rank: int) -> Iterator[LossHypothesis]:
    usual = target in USUAL
    base = LossHypothesis(shape, target, 1, edits=float(bool(shape.note)) + (not usual))
    if rank == 0:
        yield base
        yield replace(base, q=2, edits=base.edits + 0.5)
    elif rank == 1:
        for q in (1, 2):
            yield replace(base, q=q, sign=-1, edits=base.edits + 1.5)
    elif rank == 2 and usual:
        for order in ORDERS[1:]:
            for q in (1, 2):
                yield replace(base, q=q, order=order, edits=base.edits + 1.5)
    elif rank == 3 and usual:
        for q, outer in ((1, Fraction(2)), (2, Fraction(1, 2)), (1, Fraction(1, 2))):
            yield replace(base, q=q, outer=outer, edits=base.edits + 1.5)
