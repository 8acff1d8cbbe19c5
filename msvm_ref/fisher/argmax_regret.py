"""The regret constant of argmax, and the calibration function, of a machine consistent for the 0-1 loss.

    kappa     = sup over P, f, k in argmax f of  (max P - P_k) / (R_P(f) - R*(P)),       0/0 = 0
    delta(e)  = inf { R_P(f) - R*(P) : k in argmax f, max P - P_k >= e }                 (Steinwart 2007)

With R*_k(P) the least risk over the f that rank k first, ties in the argmax being broken against us, f disappears:
kappa = sup (max P - P_k) / (R*_k(P) - R*(P)), delta(e) = inf { R*_k(P) - R*(P) : max P - P_k >= e }. Where R*, R*_k and
max P are all linear, a ratio of linear functions is largest at a corner, and the pairs (max P - P_k, R*_k - R*) fill the
convex hull of those at the corners. So kappa is a maximum over corners, and delta the non-decreasing lower envelope of
lower convex hulls, part by part; the parts come from the cell search on R* + R*_k + (1 - max P).
Classes alike: P_1 >= ... >= P_d and k = 2, ..., d are enough. A corner with max P > P_k and R*_k = R* is a P at which
argmax fails, and without one kappa is finite: consistency decided once more, by other means than prover.py's.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from msvm_ref.fisher.calibration import Segment, lower_envelope, lower_hull, non_decreasing
from msvm_ref.fisher.cell_search import CellSearch
from msvm_ref.fisher.embedded import EmbeddedLoss, Rationals, Table
from msvm_ref.fisher.embedding import Risk, RiskOracle
from msvm_ref.fisher.loss import dot, point_loss


@dataclass(frozen=True)
class Gap:
    """R*, R*_k and the Bayes class at one P; value and row are those of R* + R*_k + (1 - max P)."""

    value: Fraction
    row: Rationals
    least: Risk
    ranked: Risk
    best: int


@dataclass(frozen=True)
class RankedPoint:
    """A corner P, with multipliers and order multipliers that prove R*_k(P), and those of ``least`` that prove R*(P)."""

    P: Rationals
    multipliers: Table
    order: Rationals
    least: Table


@dataclass(frozen=True)
class RankedPart:
    """Where class ``best`` is the most likely, ``losses`` = L(scores) attains R*, and L(ranked) attains R*_k."""

    losses: Rationals
    scores: Rationals
    ranked: Rationals
    best: int
    points: tuple[int, ...]
    walls: tuple[Rationals, ...]


@dataclass(frozen=True)
class Ranking:
    """Everything about the scores that rank k first."""

    k: int
    points: tuple[RankedPoint, ...]
    parts: tuple[RankedPart, ...]


@dataclass(frozen=True)
class Witness:
    """Scores that rank k first where j is likelier; ``multipliers`` prove R*(P)."""

    P: Rationals
    scores: Rationals
    k: int
    j: int
    multipliers: Table


@dataclass(frozen=True)
class Stretch:
    """delta between two break points, attained by the same scores from one P to another."""

    left: tuple[Fraction, Fraction]
    right: tuple[Fraction, Fraction]
    witnesses: tuple[Witness, Witness]


class _GapOracle:
    def __init__(self, embedded: EmbeddedLoss, k: int) -> None:
        loss = point_loss(embedded.machine, embedded.d)
        self.symmetric = embedded.symmetric
        self.least, self.ranked = RiskOracle(loss), RiskOracle(loss, k)

    def __call__(self, P: Rationals, beside: Rationals) -> Gap:
        least, ranked = self.least(P, beside), self.ranked(P, beside)
        best = max(range(len(P)), key=lambda c: (P[c], beside[c]))
        error = tuple(Fraction(int(c != best and not self.symmetric)) for c in range(len(P)))
        row = tuple(a + b + c for a, b, c in zip(least.row, ranked.row, error, strict=True))
        return Gap(least.value + ranked.value + dot(P, error), row, least, ranked, best)


def rankings(embedded: EmbeddedLoss) -> tuple[Ranking, ...] | None:
    """The evidence for every k that needs looking at; None where argmax fails."""
    d, symmetric = embedded.d, embedded.symmetric
    tops = range(1, d) if symmetric else range(d)
    if any(_fails_at_a_corner(embedded, k) for k in tops):
        return None
    ranked = []
    for k in tops:
        search = CellSearch(d, symmetric, _GapOracle(embedded, k))
        search.run()
        corners, parts = search.outcome()
        if any(max(P) > P[k] and gap.ranked.value == gap.least.value for P, gap in corners):
            return None
        ranked.append(
            Ranking(
                k,
                tuple(
                    RankedPoint(P, g.ranked.multipliers, g.ranked.order, g.least.multipliers)
                    for P, g in corners
                ),
                tuple(
                    RankedPart(
                        p.answer.least.row,
                        p.answer.least.scores,
                        p.answer.ranked.scores,
                        p.answer.best,
                        p.points,
                        p.walls,
                    )
                    for p in parts
                ),
            )
        )
    return tuple(ranked)


def _fails_at_a_corner(embedded: EmbeddedLoss, k: int) -> bool:
    """A quick look at the corners that are known already: enough for most machines that fail."""
    ranked = RiskOracle(point_loss(embedded.machine, embedded.d), k)
    return any(
        max(q.P) > q.P[k] and ranked(q.P).value == embedded.least_risk(q.P) for q in embedded.points
    )


class ArgmaxRegret:
    """kappa, who attains it, and delta, from the rankings."""

    def __init__(self, embedded: EmbeddedLoss, found: tuple[Ranking, ...]) -> None:
        self.embedded, self.rankings = embedded, found
        self.least = RiskOracle(point_loss(embedded.machine, embedded.d))
        loss = point_loss(embedded.machine, embedded.d)
        self.ranked = {r.k: RiskOracle(loss, r.k) for r in found}

    def _image(self, ranking: Ranking, part: RankedPart, q: int) -> tuple[Fraction, Fraction]:
        """(max P - P_k, R*_k - R*) at a corner of a part."""
        P = ranking.points[q].P
        return P[part.best] - P[ranking.k], self.ranked_value[ranking.k, q] - dot(P, part.losses)

    @cached_property
    def ranked_value(self) -> dict[tuple[int, int], Fraction]:
        gamma = self.embedded.machine.gamma(self.embedded.d)
        return {
            (r.k, q): sum(
                (dot(g, row) for g, row in zip(gamma, point.multipliers, strict=True)), Fraction(0)
            )
            for r in self.rankings
            for q, point in enumerate(r.points)
        }

    @cached_property
    def worst(self) -> tuple[Fraction, Witness]:
        """kappa and the first corner that attains it."""
        best, at = Fraction(0), None
        for ranking in self.rankings:
            for part in ranking.parts:
                for q in part.points:
                    level, gap = self._image(ranking, part, q)
                    if level > 0 and level > best * gap:
                        best, at = level / gap, (ranking, part, q)
        assert at is not None  # at P = e_j some class is less likely than j
        ranking, part, q = at
        return best, self._witness(ranking.k, part, ranking.points[q].P)

    def _witness(self, k: int, part: RankedPart, P: Rationals) -> Witness:
        return Witness(P, part.ranked, k, part.best, self.least(P).multipliers)

    @cached_property
    def calibration(self) -> tuple[Stretch, ...]:
        """delta from 0 to 1, stretch by stretch."""
        segments: dict[tuple[object, object], Segment] = {}
        for ranking in self.rankings:
            for part in ranking.parts:
                if part.best != ranking.k:
                    images = [(*self._image(ranking, part, q), q) for q in part.points]
                    for s in lower_hull(images):
                        tagged = Segment(s.left, s.right, (ranking, part, s))
                        segments.setdefault((s.left, s.right), tagged)
        bends = []
        for segment, where in non_decreasing(lower_envelope(list(segments.values()))):
            ranking, part, hull = segment.tag
            level = segment.left[1] == segment.right[1]
            ends = (where, where) if level else (segment.left[0], segment.right[0])
            left, right = (self._witness(ranking.k, part, self._at(ranking, hull, x)) for x in ends)
            bends.append(Stretch(segment.left, segment.right, (left, right)))
        return _merged(bends)

    def _at(self, ranking: Ranking, hull: Segment, x: Fraction) -> Rationals:
        """The P between the two corners of a hull segment at which max P - P_k = x."""
        (a, _), (b, _) = hull.left, hull.right
        P, Q = (ranking.points[q].P for q in hull.tag)
        share = Fraction(0) if a == b else (x - a) / (b - a)
        return tuple(u + share * (v - u) for u, v in zip(P, Q, strict=True))


def _merged(stretches: list[Stretch]) -> tuple[Stretch, ...]:
    """Level stretches that continue each other as one, held by the witness furthest right."""
    out: list[Stretch] = []
    for s in stretches:
        if s.left == s.right:
            continue
        flat = s.left[1] == s.right[1]
        if out and flat and out[-1].left[1] == out[-1].right[1] == s.left[1]:
            out[-1] = Stretch(out[-1].left, s.right, s.witnesses)
        else:
            out.append(s)
    return tuple(out)
