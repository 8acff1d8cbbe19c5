"""LossConvention: how somebody's loss function is called, and which multiple of which machine's loss it says it is.

    theirs(f, y) = factor(d) w L(f, y),      L the loss of ``machine`` (margin, target and all), q its power,
    sum = sum_i theirs_i,    mean = sum / n  ("examples")  or  sum / sum_i weight_i  ("weights")

``w`` is the class weight w[y] times the sample weight; ``inside=True`` puts the class weight under the power, w[y]^q. A margin
parameter m multiplies every target by m; p = 1, 2 chooses the power. One literal per function of a framework; see ``literals``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from msvm_ref.errors import SpecError
from msvm_ref.model.conventions.convention import ONE, Factor
from msvm_ref.model.entries import Tensor
from msvm_ref.model.machine import Machine, Target

Encoding = Literal["index", "one-hot", "signed"]
Reduction = Literal["mean", "sum", "none"]
ENCODINGS: tuple[Encoding, ...] = ("index", "one-hot", "signed")


@dataclass(frozen=True)
class LossConvention:
    """``machine=None``: any machine, written as we do. ``encodings``: how labels may be given, the usual way first:
    class indices, one-hot rows, or rows of -1 and one +1. ``reduction``: what a function without such a parameter does.
    ``reduction_names``: its words for ours. ``scores``: "free", or "centred" where it relies on scores that sum to zero.
    ``single_score``: two classes are given as one score f_1 - f_0. ``no_label``: what it takes for "unlabelled".
    ``documented``: the formula its documentation prints.
    """

    name: str
    machine: Machine | None = None
    factor: Factor = ONE
    encodings: tuple[Encoding, ...] = ("index",)
    reduction: Reduction | None = None
    reduction_names: Mapping[str, str] = field(default_factory=dict)
    mean_over: Literal["examples", "weights"] = "examples"
    inside: bool = False
    scores: Literal["free", "centred"] = "free"
    single_score: bool = False
    no_label: int | None = None
    framework: str | None = None
    documented: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        unknown = [e for e in self.encodings if e not in ENCODINGS]
        if unknown or not self.encodings:
            raise SpecError(
                "encodings", f"be among {', '.join(ENCODINGS)}", ", ".join(unknown) or "none"
            )
        if self.reduction not in (None, "mean", "sum", "none"):
            raise SpecError("reduction", "be 'mean', 'sum' or 'none'", repr(self.reduction))
        if self.scores not in ("free", "centred"):
            raise SpecError("scores", "be 'free' or 'centred'", repr(self.scores))
        if self.mean_over not in ("examples", "weights"):
            raise SpecError("mean_over", "be 'examples' or 'weights'", repr(self.mean_over))
        if not self.factor.number > 0:
            raise SpecError("factor", "be positive", str(self.factor.number))

    def of(self, machine: Machine | None) -> LossConvention:
        """Tied to its machine: its own, or the given one where it leaves it open."""
        if machine is None and self.machine is None:
            raise SpecError(
                "machine",
                f"be given with convention {self.name}",
                "nothing",
                "pass machine=WW, say",
            )
        if None not in (machine, self.machine) and machine != self.machine:
            raise SpecError(
                "machine",
                f"be {self.machine and self.machine.name} in convention {self.name}",
                str(machine and machine.name),
                "leave machine out, or choose another convention",
            )
        return replace(self, machine=self.machine or machine)

    def machine_at(self, margin: float | None, p: int | None) -> Machine:
        """The machine with every target times ``margin``, at power ``p``."""
        assert self.machine is not None, "of() ties a convention to a machine"
        machine = self.machine
        if margin is not None:
            machine = replace(machine, target=_scaled(machine.target, Fraction(margin)))
        if p is not None:
            machine = machine.with_cost("quadratic" if p == 2 else "linear")
        return machine


OURS = LossConvention("ours", source="the machine's own loss, as msvm_ref.losses computes it")


def _scaled(target: Target | Tensor, by: Fraction) -> Target | Tensor:
    if isinstance(target, Target):
        return Target(by * target.own, by * target.other, by * target.own_per_rival)
    return tuple(tuple(by * v for v in row) for row in target)
