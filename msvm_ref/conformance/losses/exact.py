"""A machine's loss in exact rationals: its value at a point, and the whole subdifferential there.

    t_c(f) = gamma[y,c] - <Pi nu[y,c], f>,     xi_r = max(0, max_{c in r} t_c),     L(f,y) = sum_r xi_r^q

Own slack (r a singleton), q = 1: t_c > 0 adds its slope s_c = -Pi nu[y,c]; t_c = 0 adds the segment [0, 1] s_c.
Shared slack, q = 1: the convex hull of the slopes of the c with t_c = xi, and of 0 as well where xi = 0.
q = 2: 2 xi times that; own slack is then differentiable, and so is shared slack where xi = 0.
All of them are a Minkowski sum  base + sum_j [0, 1] segment_j + hull(points),  and membership in it is a linear program.
Shares no line with ``msvm_ref.losses``, which it judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from msvm_ref.model.machine import Machine

Vector = tuple[Fraction, ...]
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class LossPiece:
    """One violation t(f) = gamma + <slope, f> of component ``c``."""

    c: int
    gamma: Fraction
    slope: Vector

    def at(self, f: Sequence[Fraction]) -> Fraction:
        return self.gamma + dot(self.slope, f)

    def size(self, f: Sequence[Fraction]) -> Fraction:
        """|gamma| + sum |slope_m f_m|: what t may lose to rounding is a few ulps of this."""
        return abs(self.gamma) + sum((abs(s * v) for s, v in zip(self.slope, f, strict=True)), ZERO)


Group = tuple[LossPiece, ...]


@dataclass(frozen=True)
class Subdifferential:
    """base + sum_j [0, 1] segments_j + hull(points)"""

    base: Vector
    segments: tuple[Vector, ...] = ()
    points: tuple[Vector, ...] = ()

    @property
    def smooth(self) -> bool:
        """A single vector: the gradient."""
        return not self.segments and len(self.points) <= 1

    def scaled(self, factor: Fraction) -> Subdifferential:
        def times(v: Vector) -> Vector:
            return tuple(factor * x for x in v)

        return Subdifferential(
            times(self.base), tuple(map(times, self.segments)), tuple(map(times, self.points))
        )

    def centred(self) -> Subdifferential:
        """The projections Pi g of its members."""
        return Subdifferential(
            centred(self.base), tuple(map(centred, self.segments)), tuple(map(centred, self.points))
        )

    def intervals(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The least and the largest value of each component over all members."""
        out = []
        for m, base in enumerate(self.base):
            ends = [s[m] for s in self.segments]
            low = base + sum((v for v in ends if v < 0), ZERO)
            high = base + sum((v for v in ends if v > 0), ZERO)
            corners = [p[m] for p in self.points] or [ZERO]
            out.append((low + min(corners), high + max(corners)))
        return tuple(out)

    def distance(self, g: Sequence[Fraction]) -> Fraction:
        """min over members s of max_m |g_m - s_m|, exactly; 0 for a member and for nothing else."""
        if self.smooth:
            only = plus(self.base, self.points[0]) if self.points else self.base
            return max((abs(a - b) for a, b in zip(g, only, strict=True)), default=ZERO)
        return self.separation(g).distance

    def support(self, direction: Sequence[Fraction]) -> Fraction:
        """max over members s of <direction, s>"""
        total = dot(self.base, direction)
        total += sum((max(ZERO, dot(s, direction)) for s in self.segments), ZERO)
        return total + max((dot(p, direction) for p in self.points), default=ZERO)

    def separation(self, g: Sequence[Fraction]) -> SeparatingDirection:
        """The nearest member and the direction that proves it nearest, by a linear program and its dual.

        Variables: a share of each segment, a weight of each point, and the distance, which is made small.
        """
        from flint import fmpq

        from msvm_ref.exact.lp import Infeasible, Program

        def exact(v: Fraction) -> fmpq:
            return fmpq(v.numerator, v.denominator)

        def fraction(v: fmpq) -> Fraction:
            return Fraction(int(v.p), int(v.q))

        columns, cut = [*self.segments, *self.points], len(self.segments)
        last = len(columns)
        program = Program(fmpq(0), [False] * (last + 1))
        for j in range(cut):
            program.at_most({j: fmpq(1)}, fmpq(1))
        if self.points:
            program.equal({j: fmpq(1) for j in range(cut, last)}, fmpq(1))
        for m, value in enumerate(g):
            row = {j: exact(column[m]) for j, column in enumerate(columns) if column[m]}
            rest = exact(value - self.base[m])
            program.at_most(row | {last: fmpq(-1)}, rest)
            program.at_most({j: -v for j, v in row.items()} | {last: fmpq(-1)}, -rest)
        best = program.maximize({last: fmpq(-1)})
        assert not isinstance(best, Infeasible), "any member is at some distance"
        x, duals = [fraction(v) for v in best.x], [fraction(v) for v in best.y_ub[cut:]]
        return SeparatingDirection(
            -fraction(best.value),
            tuple(x[:cut]),
            tuple(x[cut:last]),
            tuple(below - above for above, below in zip(duals[::2], duals[1::2], strict=True)),
        )


@dataclass(frozen=True)
class SeparatingDirection:
    """``distance`` of g from its nearest member, that member's ``shares`` of the segments and ``weights`` of the points, and
    a ``direction`` h of |h_0| + ... <= 1 with <h, g> - support(h) = distance."""

    distance: Fraction
    shares: Vector
    weights: Vector
    direction: Vector


@dataclass(frozen=True, eq=False)
class ExactLoss:
    """A machine's loss at d classes; ``groups[y]`` are the slack groups of class y."""

    d: int
    groups: tuple[tuple[Group, ...], ...]
    power: int

    def value(self, f: Sequence[Fraction], y: int) -> Fraction:
        return sum((_slack(group, f) ** self.power for group in self.groups[y]), ZERO)

    def size(self, f: Sequence[Fraction], y: int) -> Fraction:
        """What the value may lose to rounding is a few ulps of this: sum over groups of q max_c |t_c|^q in absolute terms."""
        return sum(
            (self.power * max(p.size(f) for p in group) ** self.power for group in self.groups[y]),
            ZERO,
        )

    def slope_size(self, f: Sequence[Fraction], y: int) -> Fraction:
        """The same for a component of a subgradient."""
        return sum(
            (
                max(
                    max(map(abs, p.slope)) * (2 * p.size(f) if self.power == 2 else 1)
                    for p in group
                )
                for group in self.groups[y]
            ),
            ZERO,
        )

    def clearance(self, f: Sequence[Fraction], y: int) -> Fraction | None:
        """The least |t_c|, or gap below the largest violation of a shared slack, that is not 0; None where all are 0.

        A point that is near a kink without lying on it tells nothing about a function computed in floating point.
        """
        gaps = []
        for group in self.groups[y]:
            t = [p.at(f) for p in group]
            top = max(t)
            gaps += [abs(top)] + [top - v for v in t if top > 0]
            if top == 0 or len(group) == 1:
                gaps += [abs(v) for v in t]
        return min((g for g in gaps if g), default=None)

    def at_kink(self, f: Sequence[Fraction], y: int) -> bool:
        return not self.subdifferential(f, y).smooth

    def subdifferential(self, f: Sequence[Fraction], y: int) -> Subdifferential:
        base: list[Fraction] = [ZERO] * self.d
        segments: list[Vector] = []
        points: tuple[Vector, ...] = ()
        for group in self.groups[y]:
            xi = _slack(group, f)
            active = [p.slope for p in group if p.at(f) == xi]
            rate = 2 * xi if self.power == 2 else ONE
            if not active or not rate:
                continue
            if len(active) == 1 and xi > 0:
                base = [b + rate * s for b, s in zip(base, active[0], strict=True)]
            elif len(group) == 1:
                segments.append(active[0])
            else:
                assert not points, "a machine has one shared slack or none"
                corners = {tuple(rate * s for s in slope) for slope in active}
                points = tuple(sorted(corners | ({(ZERO,) * self.d} if xi == 0 else set())))
        return Subdifferential(tuple(base), tuple(s for s in segments if any(s)), points)


def _slack(group: Group, f: Sequence[Fraction]) -> Fraction:
    return max(ZERO, *(p.at(f) for p in group))


@lru_cache(maxsize=512)
def exact_loss(machine: Machine, d: int, centre: bool = True) -> ExactLoss:
    """The machine's loss of free scores; ``centre=False`` leaves the scores of a sum-to-zero machine as they are."""
    nu = machine.projected_nu(d) if centre else machine.nu(d)
    gamma, counts = machine.gamma(d), machine.aggregation.mask(d)
    groups = []
    for y in range(d):
        pieces = [
            LossPiece(c, gamma[y][c], tuple(-v for v in nu[y][c])) for c in range(d) if counts[y, c]
        ]
        groups.append(
            (tuple(pieces),)
            if machine.aggregation.slack == "shared"
            else tuple((p,) for p in pieces)
        )
    return ExactLoss(d, tuple(groups), 2 if machine.cost == "quadratic" else 1)


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((u * v for u, v in zip(a, b, strict=True) if u and v), ZERO)


def plus(a: Vector, b: Vector) -> Vector:
    return tuple(u + v for u, v in zip(a, b, strict=True))


def centred(v: Vector) -> Vector:
    mean = sum(v, ZERO) / len(v)
    return tuple(x - mean for x in v)


def fractions(row: Sequence[float]) -> Vector:
    """Floats of any dtype as the rationals they are; they must be finite."""
    return tuple(Fraction(float(v)) for v in row)
