"""Re-verify a regret constant through a link with nothing but rational arithmetic: none of the finder's code.

The rows are re-proved by check_embedded.py. With e_P(u) = <P, u> - R*(P), a report v is kappa-good at u iff
e_Q(v) <= kappa e_Q(u) at every corner Q of the cells (R* is linear on cells). There are two kinds of evidence.

*A simplex.* Lower end: at P > 0 exactly its s rows are optimal, so scores with losses u = (their mean) minimise there,
and a report outside the simplex is infinitely bad at P; report v of the simplex has, at a P where the others are optimal
and it is not, s times the regret of u. Upper end: the mixture size, from check_target.py.

*Faces.* Lower end: scores at which every row is bad at some corner. Upper end: every loss vector lies above a bounded
face of U, and the bounded faces are found here by going through the faces of all pieces. Each lies in the hull F of the
rows optimal at one of the given P > 0. For u in F, v is kappa-good iff e_Q(u) >= e_Q(v) / kappa for the walls Q of F,
corners whose zeros on F are largest (facets of F are where F meets other facets of U, and those belong to corners).
Follow, from the root of the tree, the wall at which e_Q(u) / e_Q(v) is least for the row v asked about: at the leaf one
gets to, an average of such least ratios is at least 1/kappa on all rows of F, so on F, and one of its v is kappa-good.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import Any

from msvm_ref.fisher.check_data import RawLoss, Vector, dot, field, vector
from msvm_ref.fisher.check_embedded import (
    Pieces,
    Points,
    independent,
    read_embedded,
    require,
    verify_embedded,
)
from msvm_ref.fisher.check_target import Row, cell_corners, inner_points, mixture
from msvm_ref.model.machine import Machine

WHAT = "regret constant"
DEEPEST, MOST_NODES = 64, 200_000
"""How deep trees are followed, and how many of their nodes."""


def check_link(
    machine: Machine, loss: RawLoss, data: Any, lower: Fraction, upper: Fraction
) -> None:
    """Check a constant through a link, from its JSON form."""
    embedded = field(data, "embedded", dict, WHAT)
    verify_embedded(machine, embedded)
    d, symmetric, points, pieces = read_embedded(embedded)
    require(d == loss.d, f"embed a loss at {loss.d} classes", d, WHAT)
    if data.get("faces") is None:
        _check_simplex(loss, data, (symmetric, points, pieces), lower, upper)
    else:
        require(lower == upper >= 1, "give one constant by faces", (lower, upper), WHAT)
        faces = _Faces(d, symmetric, points, pieces)
        faces.check_lower(loss, vector(data.get("scores"), d, WHAT), lower)
        faces.check_upper(field(data, "faces", list, WHAT), lower)


def _check_simplex(
    loss: RawLoss,
    data: Any,
    embedded: tuple[bool, Points, Pieces],
    lower: Fraction,
    upper: Fraction,
) -> None:
    d, (symmetric, points, pieces) = loss.d, embedded
    rows = [v for v, _, _, _ in pieces]
    simplex = field(data, "simplex", dict, WHAT)
    chosen = [vector(v, d, WHAT) for v in field(simplex, "losses", list, WHAT)]
    size = len(chosen)
    require(size >= 1 and len({tuple(v) for v in chosen}) == size, "have distinct rows", size, WHAT)
    lone = len(rows) == 1 and (not symmetric or len(set(rows[0])) == 1)
    if lone:
        require(lower == upper == 0, "be 0 where there is one report", (lower, upper), WHAT)
        return
    P = vector(simplex.get("P"), d, WHAT)
    require(min(P) > 0 and sum(P) == 1, "have an inner P", P, WHAT)
    optimal = _count_optimal(P, rows, symmetric)
    require(
        optimal == size and all(dot(P, v) == _least(P, rows, symmetric) for v in chosen),
        "take all rows optimal at P",
        size,
        WHAT,
    )
    known = {tuple(sorted(v)) if symmetric else tuple(v) for v in rows}
    require(
        all((tuple(sorted(v)) if symmetric else tuple(v)) in known for v in chosen),
        "take rows of the embedded loss",
        "others",
        WHAT,
    )
    require(independent([[Fraction(1), *v] for v in chosen]) == size, "be a simplex", size, WHAT)
    middle = vector(data.get("scores"), d, WHAT)
    mean = [sum(column) / Fraction(size) for column in zip(*chosen, strict=True)]
    require(not loss.sum_to_zero or sum(middle) == 0, "have scores that sum to 0", middle, WHAT)
    require(loss.losses(middle) == mean, "attain the mean of its rows", middle, WHAT)
    without = [vector(Q, d, WHAT) for Q in field(simplex, "without", list, WHAT)]
    require(len(without) == size, "have a P for each row", len(without), WHAT)
    for i, Q in enumerate(without):
        least = _least(Q, rows, symmetric)
        require(min(Q) >= 0 and sum(Q) == 1, "have P on the simplex", Q, WHAT)
        require(
            all((dot(Q, v) == least) == (m != i) for m, v in enumerate(chosen)),
            "have all rows but one optimal",
            Q,
            WHAT,
        )
    require(lower == size, f"have lower end {size}", lower, WHAT)
    most = mixture(points, pieces, symmetric, d)
    require(upper in (d, most) and upper >= most, f"have upper end {most}", upper, WHAT)


def _least(P: Vector, rows: list[Vector], symmetric: bool) -> Fraction:
    order = sorted(P, reverse=True) if symmetric else P
    return min(dot(order, v) for v in rows)


def _count_optimal(P: Vector, rows: list[Vector], symmetric: bool) -> int:
    """How many rows, rearrangements included, are optimal at P.

    A rearrangement of a sorted row is optimal at P iff it is sorted against P: it may only mix classes of equal P.
    """
    least = _least(P, rows, symmetric)
    if not symmetric:
        return sum(dot(P, v) == least for v in rows)
    order = sorted(P, reverse=True)
    count = 0
    for v in rows:
        if dot(order, v) == least:
            ways = 1
            for value in set(order):
                block = [w for w, p in zip(v, order, strict=True) if p == value]
                ways *= factorial(len(block))
                for repeated in set(block):
                    ways //= factorial(block.count(repeated))
            count += ways
    return count


class _Faces:
    """All rows, all corners with R* there, and the bounded faces."""

    def __init__(self, d: int, symmetric: bool, points: Points, pieces: Pieces) -> None:
        self.d, self.symmetric, self.points, self.pieces = d, symmetric, points, pieces
        self.sorted_rows = [v for v, _, _, _ in pieces]
        orders = list(permutations(range(d))) if symmetric else [tuple(range(d))]
        self.rows = sorted(
            {tuple(v[c] for c in order) for v in self.sorted_rows for order in orders}
        )
        least = [_least(P, self.sorted_rows, symmetric) for P, _ in points]
        self.corners = cell_corners(points, least, pieces, symmetric, d)
        self.nodes = 0

    def check_lower(self, loss: RawLoss, f: Vector, kappa: Fraction) -> None:
        require(not loss.sum_to_zero or sum(f) == 0, "have scores that sum to 0", f, WHAT)
        u = loss.losses(f)
        regrets = [(Q, least, kappa * (dot(Q, u) - least)) for Q, least in self.corners]
        for v in self.rows:
            bad = any(0 < dot(Q, v) - least >= most for Q, least, most in regrets)
            require(bad, "have scores at which every report is as bad as kappa", v, WHAT)

    def check_upper(self, given: list[Any], kappa: Fraction) -> None:
        proved = []
        for raw in given:
            P = vector(field(raw, "P", list, WHAT), self.d, WHAT)
            require(min(P) > 0 and sum(P) == 1, "have an inner P", P, WHAT)
            rows = self._optimal(P)
            self._follow(raw.get("tree"), rows, self._walls(rows), [], 1 / kappa)
            proved.append(set(rows))
        for P in inner_points(self.points, self.pieces, self.d):
            face = set(self._optimal(P))
            require(any(face <= known for known in proved), "prove every bounded face", P, WHAT)

    def _optimal(self, P: Vector) -> list[Row]:
        least = _least(P, self.sorted_rows, self.symmetric)
        return [v for v in self.rows if dot(P, v) == least]

    def _walls(self, rows: list[Row]) -> list[list[Fraction]]:
        """Heights of the rows over each wall, walls in the order of the rows that lie on them."""
        planes: dict[frozenset[int], list[Fraction]] = {}
        for Q, least in self.corners:
            heights = [dot(Q, v) - least for v in rows]
            planes[frozenset(i for i, h in enumerate(heights) if h == 0)] = heights
        proper = {z: h for z, h in planes.items() if 0 < len(z) < len(rows)}
        largest = (z for z in proper if not any(z < other for other in proper))
        return [proper[z] for z in sorted(largest, key=sorted)]

    def _follow(
        self,
        tree: Any,
        rows: list[Row],
        walls: list[list[Fraction]],
        way: list[list[Fraction]],
        floor: Fraction,
    ) -> None:
        """``way``: e_Q / e_Q(v) over the rows, for the choices (v, Q) made so far."""
        self.nodes += 1
        require(
            self.nodes <= MOST_NODES and len(way) <= DEEPEST, "have a small tree", "larger", WHAT
        )
        if isinstance(tree, list):
            weights = vector(tree, len(way), WHAT)
            require(bool(way) and min(weights) >= 0 and sum(weights) == 1, "average", tree, WHAT)
            for i in range(len(rows)):
                value = sum((w * h[i] for w, h in zip(weights, way, strict=True)), Fraction(0))
                require(value >= floor, "have a row that is good enough everywhere", value, WHAT)
            return
        i = field(tree, "row", int, WHAT)
        require(0 <= i < len(rows), "ask about a row of its face", i, WHAT)
        off = [heights for heights in walls if heights[i]]
        ways = field(tree, "ways", list, WHAT)
        require(len(ways) == len(off) > 0, "have a way for each wall off the row", len(ways), WHAT)
        for branch, heights in zip(ways, off, strict=True):
            ratios = [h / heights[i] for h in heights]
            self._follow(branch, rows, walls, [*way, ratios], floor)
