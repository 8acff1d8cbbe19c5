"""The active-set method's step: one constraint changes sides, chosen by the ratio test.

The multipliers walk from the guess towards the exact solution of the present partition and stop at the first bound in
the way; that constraint becomes active. Where nothing is in the way, the most violated primal constraint joins
(Nocedal, Wright, "Numerical Optimization", 2006, section 16.5). Only the *choice* rests on floats; every solve is exact.
"""

from __future__ import annotations

from flint import fmpq

from msvm_ref.exact.active import ExactPoint, Partition, groups
from msvm_ref.exact.data import ExactData, Pair
from msvm_ref.exact.numbers import rational
from msvm_ref.judge.candidate import Candidate

Change = tuple[str, Pair]
"""("drop" a tight pair to zero | "fill" its group to C | "empty" its group below C | "join" a zero pair, pair)"""


class ActiveSetWalk:
    """Where the multipliers stand, in floats, and the partition that follows from one more exact point."""

    def __init__(self, data: ExactData, guess: Candidate) -> None:
        assert guess.alpha is not None
        self.data = data
        self.groups = groups(data)
        self.here = {pair: max(float(guess.alpha[pair]), 0.0) for pair in data.pairs}

    def next_partition(self, parts: Partition, point: ExactPoint) -> Partition | None:
        """The partition after one change; None where the point breaks nothing that a change could mend."""
        change = self._blocking(parts, point) or self._violated(parts, point)
        return None if change is None else self._changed(parts, change)

    def _blocking(self, parts: Partition, point: ExactPoint) -> Change | None:
        """The first bound on the way from here to the point, if it lies beyond one; moves there."""
        best: tuple[fmpq, Change] | None = None
        full = {*parts.full, *(self.data.group(pair) for pair in parts.bound)}
        for members in self.groups:
            cost = self.data.cost[members[0][0]]
            limits = [
                (rational(self.here[m]), point.alpha[m], ("drop", m))
                for m in members
                if point.alpha[m] < 0
            ]
            if self.data.capped and self.data.group(members[0]) not in full:
                mass = sum((point.alpha[m] for m in members), fmpq(0))
                standing = sum((rational(self.here[m]) for m in members), fmpq(0))
                limits += (
                    [(max(cost - standing, fmpq(0)), cost - mass, ("fill", members[0]))]
                    if mass > cost
                    else []
                )
            for room, left, change in limits:  # left < 0 <= room
                ratio = room / (room - left)
                if best is None or ratio < best[0]:
                    best = ratio, change
        length = 1.0 if best is None else _float(best[0])
        for pair, value in point.alpha.items():
            here = self.here[pair]
            self.here[pair] = max(
                _float(rational(here) + rational(length) * (value - rational(here))), 0.0
            )
        if best is not None and best[1][0] == "drop":
            self.here[best[1][1]] = 0.0
        return None if best is None else best[1]

    def _violated(self, parts: Partition, point: ExactPoint) -> Change | None:
        """The primal constraint broken most: a zero pair above its group's slack, or a full group with slack below h."""
        data = self.data
        t = data.violations(data.expansion(point.alpha), point.b)
        active, full = (
            {*parts.tight, *parts.bound},
            {*parts.full, *(data.group(pair) for pair in parts.bound)},
        )
        worst: tuple[fmpq, Change] | None = None
        for members in self.groups:
            old = [m for m in members if m in active]
            saturated = bool(old) and data.group(members[0]) in full
            level = t[old[0]] if old and (saturated or data.width) else fmpq(0)
            changes = [
                (t[m] - level, ("join", m)) for m in members if m not in active and t[m] > level
            ]
            short = data.width - level
            changes += [(short, ("empty", members[0]))] if saturated and short > 0 else []
            for size, change in changes:
                if worst is None or size > worst[0]:
                    worst = size, change
        return None if worst is None else worst[1]

    def _changed(self, parts: Partition, change: Change) -> Partition:
        kind, pair = change
        members = next(m for m in self.groups if pair in m)
        full = {*parts.full, *(self.data.group(p) for p in parts.bound)}
        active = [m for m in members if m in {*parts.tight, *parts.bound}]
        saturated = self.data.group(pair) in full
        if kind == "drop":
            active.remove(pair)
        elif kind == "join":
            active = [m for m in members if m in active or m == pair]
        else:
            saturated = kind == "fill"
        rest = Partition(
            [p for p in parts.tight if p not in members],
            [p for p in parts.bound if p not in members],
            [i for i in parts.full if not (self.data.shared and i == pair[0])],
        )
        if saturated and len(active) == 1:
            rest.bound += active
        else:
            rest.tight += active
            rest.full += [pair[0]] if saturated and active else []
        return rest


def _float(value: fmpq) -> float:
    return int(value.p) / int(value.q)
