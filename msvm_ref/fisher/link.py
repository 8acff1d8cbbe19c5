"""From scores to reports: a link that is calibrated, with the constant at which it transfers regret.

Let Q run over the corners of the embedded cells, and

    e_Q(f) = <Q, L(f)> - R*(Q)            the surrogate's regret at Q
    g_r(Q) = <Q, l_r> - min <Q, l>        the target's regret at Q of report r

**Rule.** Send f to a report r with  g_r(Q) <= c e_Q(f)  at every corner Q.

*It can be followed.* L(f) lies above a mixture of at most k rows of the embedded loss, k the most rows of full rank that
are optimal together at some P > 0 (Carathéodory on the bounded faces of U; k <= d). One row v weighs at least 1/k, so
e_Q(f) >= e_Q(v) / k at every Q, and with r the report the table has for v, c = k max g_r(Q) / e_Q(v) will do: g_r(Q) > 0
implies e_Q(v) > 0, because r is optimal on the cell of v.

*It is calibrated.* On each cell R* and min <., l> are both linear, and P there is a mixture of the cell's corners: so
g_r(P) <= c e_P(f) at every P, too. That is regret transfer at rate c, and more than calibration.

*It is thickened* (Finocchiaro, Frongillo, Waggoner 2022). Where f is closer than epsilon, in the largest score difference, to
a minimiser of R_P, the report is optimal at P: there e_Q(f) < (least positive g) / c at the corners Q around P.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.exact.numbers import rational
from msvm_ref.fisher.embedded import EmbeddedLoss
from msvm_ref.fisher.loss import point_loss
from msvm_ref.fisher.mixtures import mixture_size
from msvm_ref.fisher.targets import DiscreteTarget

Rationals = tuple[Fraction, ...]


@dataclass(frozen=True)
class Link:
    """``table[i]``: the target's report for row i of ``embedded.losses``; the rule for other scores is ``choose``."""

    embedded: EmbeddedLoss
    target: DiscreteTarget
    table: tuple[int, ...]

    @cached_property
    def _regrets(self) -> Regrets:
        return Regrets(self.target)

    @cached_property
    def mixture(self) -> int:
        """k: how many rows a loss vector is a mixture of, at most."""
        return mixture_size(self.embedded)

    @cached_property
    def constant(self) -> Fraction:
        """c: target regret <= c x surrogate regret, at every P and f."""
        if self.target.symmetric and self.embedded.symmetric:
            first = {row: i for i, row in reversed(list(enumerate(self.embedded.losses)))}
            rows = [first[p.losses] for p in self.embedded.pieces]
        else:
            rows = list(range(len(self.embedded.losses)))
        worst = Fraction(0)
        for i in rows:
            v, r = self.embedded.losses[i], self.table[i]
            for Q, least in self.embedded.corner_risks.items():
                g = self._regrets.at(Q, r)
                if g:
                    worst = max(worst, g / (_dot(Q, v) - least))
        return self.mixture * worst

    @cached_property
    def epsilon(self) -> Fraction | None:
        """How far from a minimiser, in the largest score difference, the report is still right; None: everywhere."""
        both = self.target.symmetric and self.embedded.symmetric
        positive = [
            g
            for Q in self.embedded.corners
            if not both or list(Q) == sorted(Q)
            for r in range(len(self.target.losses))
            if (g := self._regrets.at(Q, r))
        ]
        if not positive or not self.constant:
            return None
        return min(positive) / self.constant / steepness(self.embedded)

    def choose(self, scores: Sequence[Any]) -> int:
        """The report for any scores: the one whose worst ratio g_r(Q) / e_Q(f) is least (never more than ``constant``)."""
        return min(self.ratios(scores))[1]

    def ratios(self, scores: Sequence[Any]) -> list[tuple[Fraction, int]]:
        """(the worst ratio, r) for every report with a finite one."""
        f = self._scores(scores)
        loss = point_loss(self.embedded.machine, self.embedded.d)
        at = [Fraction(int(v.p), int(v.q)) for v in loss.losses([rational(v) for v in f])]
        excess = [(Q, _dot(Q, at) - least) for Q, least in self.embedded.corner_risks.items()]
        values = []
        for r in range(len(self.target.losses)):
            worst: Fraction | None = Fraction(0)
            for Q, e in excess:
                g = self._regrets.at(Q, r)
                if g and not e:
                    worst = None
                    break
                if g and worst is not None:
                    worst = max(worst, g / e)
            if worst is not None:
                values.append((worst, r))
        return values

    def _scores(self, scores: Sequence[Any]) -> Rationals:
        d, machine = self.embedded.d, self.embedded.machine
        try:
            f = tuple(Fraction(v) for v in scores)
        except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
            raise DataError("scores", "be finite numbers", repr(scores)[:80]) from error
        if len(f) != d:
            raise DataError("scores", f"have one entry for each of the {d} classes", f"{len(f)}")
        if machine.sum_to_zero and sum(f) != 0:
            raise DataError(
                "scores",
                f"sum to 0, as {machine.name} demands",
                f"sum {float(sum(f)):.3g}",
                "subtract the mean, in Fractions",
            )
        return f


class Regrets:
    """The target's regret at P of report r, remembered in integers."""

    def __init__(self, target: DiscreteTarget) -> None:
        self.scale = lcm(*(v.denominator for row in target.losses for v in row))
        self.rows = [[int(v * self.scale) for v in row] for row in target.losses]
        self.known: dict[Rationals, tuple[list[int], int, int]] = {}

    def _values(self, P: Rationals) -> tuple[list[int], int, int]:
        if P not in self.known:
            scale = lcm(*(v.denominator for v in P))
            weights = [int(v * scale) for v in P]
            values = [sum(a * b for a, b in zip(weights, row, strict=True)) for row in self.rows]
            self.known[P] = values, min(values), scale
        return self.known[P]

    def at(self, P: Rationals, r: int) -> Fraction:
        values, least, scale = self._values(P)
        return Fraction(values[r] - least, scale * self.scale)

    def optimal(self, P: Rationals) -> frozenset[int]:
        """The reports of least expected target loss at P."""
        values, least, _ = self._values(P)
        return frozenset(r for r, v in enumerate(values) if v == least)


def steepness(embedded: EmbeddedLoss) -> Fraction:
    """max over y of sum over groups of max_p sum_m |nu_pm|: how fast a loss can change with the largest score difference."""
    loss = point_loss(embedded.machine, embedded.d)
    steepest = max(
        sum((max(sum(map(abs, p.nu)) for p in group) for group in groups), loss.zero)
        for groups in loss.groups
    )
    return Fraction(int(steepest.p), int(steepest.q))


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((u * v for u, v in zip(a, b, strict=True) if u and v), Fraction(0))
