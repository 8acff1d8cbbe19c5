"""Re-verify a verdict about a target with nothing but rational arithmetic: none of the finder's code.

No: scores f minimise the risk at two P (weak duality), and no report of the target is optimal at both. A link would have to
send f to one report; it is wrong at one of the two.

Yes: the embedded loss is re-proved (check_embedded.py), the report of each row is optimal at every corner of its cell, and the
claimed constant is k max g_r(Q) / e_Q(v) over rows v with report r and corners Q (the argument is link.py's). The claim
about k, the size of mixtures, is settled by going through the faces of all pieces: at an inner P of a face the optimal
rows are the sorted ones, moved about by the permutations that leave P as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

from msvm_ref.fisher.check_data import RawLoss, Vector, dot, field, number, vector
from msvm_ref.fisher.check_embedded import (
    Pieces,
    Points,
    dual_value,
    independent,
    read_embedded,
    require,
    verify_embedded,
)
from msvm_ref.model.machine import Machine

WHAT = "target verdict"
MOST_REPORTS = 60_000
Row = tuple[Fraction, ...]


def verify_target(machine: Machine, result: Any) -> None:
    """Check a TargetResult (or its JSON form)."""
    data = result if isinstance(result, dict) else result.to_dict()
    d = field(data, "d", int, WHAT)
    raw = field(field(data, "target", dict, WHAT), "losses", list, WHAT)
    require(0 < len(raw) <= MOST_REPORTS, f"have 1 to {MOST_REPORTS} reports", len(raw), WHAT)
    target = [tuple(vector(row, d, WHAT)) for row in raw]
    consistent = field(data, "consistent", bool, WHAT)
    link, clash = data.get("link"), data.get("clash")
    require(
        (link is None) != (clash is None) and consistent == (clash is None),
        "have a link if consistent and a clash if not",
        consistent,
        WHAT,
    )
    if clash is not None:
        _check_clash(RawLoss(machine, d), target, field(data, "clash", dict, WHAT))
    else:
        embedded = field(data, "embedded", dict, WHAT)
        verify_embedded(machine, embedded)
        _check_link(machine, d, target, embedded, field(data, "link", dict, WHAT))


def _check_clash(loss: RawLoss, target: list[Row], clash: Any) -> None:
    d = loss.d
    losses, f = vector(clash.get("losses"), d, WHAT), vector(clash.get("scores"), d, WHAT)
    require(not loss.sum_to_zero or sum(f) == 0, "have scores that sum to 0", f, WHAT)
    require(loss.losses(f) == losses, "state the losses of its scores", losses, WHAT)
    parts = [field(clash, name, list, WHAT) for name in ("P", "multipliers", "optimal")]
    require(all(len(part) == 2 for part in parts), "have two P", "another number", WHAT)
    sets = []
    for raw, table, claimed in zip(*parts, strict=True):
        P = vector(raw, d, WHAT)
        require(min(P) >= 0 and sum(P) == 1, "have P on the simplex", P, WHAT)
        require(isinstance(table, list) and len(table) == d, "have multipliers", "none", WHAT)
        rows = [vector(row, d, WHAT) for row in table]
        value = dual_value(loss, P, rows, None, WHAT)
        require(value == dot(P, losses), "have scores that minimise the risk", P, WHAT)
        best = _optimal(target, P)
        require(claimed == sorted(best), "name the optimal reports", claimed, WHAT)
        sets.append(best)
    require(not sets[0] & sets[1], "have no report optimal at both P", "one that is", WHAT)


def _optimal(target: list[Row], P: Vector) -> set[int]:
    values = [dot(P, row) for row in target]
    return {r for r, v in enumerate(values) if v == min(values)}


def _check_link(machine: Machine, d: int, target: list[Row], embedded: Any, link: Any) -> None:
    size, symmetric, points, pieces = read_embedded(embedded)
    require(size == d, f"embed a loss at {d} classes", size, WHAT)
    table = _table(link, d, len(target))
    moved = _closed(target)
    loss = RawLoss(machine, d)
    least = [min(dot(P, v) for v, _, _, _ in pieces) for P, _ in points]
    everywhere = cell_corners(points, least, pieces, symmetric, d)
    floor = _Floor(target, moved)
    worst, smallest = Fraction(0), None
    for v, report, corners in _rows(points, pieces, symmetric, moved, table, d):
        mine = target[report]
        for P in corners:
            require(dot(P, mine) == floor[P], "be optimal on the whole cell", P, WHAT)
        for P, value in everywhere:
            gain = dot(P, mine) - floor[P]
            if gain:
                worst = max(worst, gain / (dot(P, v) - value))
    for P, _ in everywhere:
        for row in target if not (symmetric and moved) or list(P) == sorted(P) else ():
            gain = dot(P, row) - floor[P]
            if gain and (smallest is None or gain < smallest):
                smallest = gain
    k = field(link, "mixture", int, WHAT)
    require(k == d or k == mixture(points, pieces, symmetric, d), "state the mixture", k, WHAT)
    constant = number(link.get("constant"), WHAT)
    require(constant == k * worst, f"state the constant {k * worst}", constant, WHAT)
    _check_epsilon(loss, link.get("epsilon"), smallest, constant)


class _Floor(dict[Row, Fraction]):
    """min <P, l> over the target's reports, remembered; the order of P does not matter to a target closed under it."""

    def __init__(self, target: list[Row], closed: bool) -> None:
        super().__init__()
        self.target, self.closed = target, closed

    def __missing__(self, P: Row) -> Fraction:
        ordered = tuple(sorted(P))
        if self.closed and ordered != P:
            self[P] = self[ordered]
        else:
            self[P] = min(dot(P, row) for row in self.target)
        return self[P]


def _check_epsilon(
    loss: RawLoss, claimed: Any, smallest: Fraction | None, constant: Fraction
) -> None:
    if smallest is None or not constant:
        require(claimed is None, "claim no epsilon where every report is optimal", claimed, WHAT)
        return
    slopes = [
        sum(max(sum(map(abs, loss.nu[y][c])) for c in group) for group in loss.groups[y])
        for y in range(loss.d)
    ]
    epsilon = smallest / constant / max(slopes)
    require(number(claimed, WHAT) == epsilon, f"state the epsilon {epsilon}", claimed, WHAT)


def _table(link: Any, d: int, count: int) -> dict[Row, int]:
    table = {}
    for entry in field(link, "table", list, WHAT):
        report = field(entry, "report", int, WHAT)
        require(0 <= report < count, "link to reports of the target", report, WHAT)
        table[tuple(vector(entry.get("losses"), d, WHAT))] = report
    return table


def _closed(target: list[Row]) -> bool:
    """Do the rows of the target stay the same under every exchange of two neighbouring classes?"""
    rows = set(target)
    for i in range(len(target[0]) - 1):
        for row in rows:
            if (*row[:i], row[i + 1], row[i], *row[i + 2 :]) not in rows:
                return False
    return True


def cell_corners(
    points: Points, least: list[Fraction], pieces: Pieces, symmetric: bool, d: int
) -> list[tuple[Row, Fraction]]:
    """All vertices of all cells, with the least risk there.

    P is one iff the equalities that hold there, between optimal rows and P_c = 0, leave no direction free.
    """
    rows = [v for v, _, _, _ in pieces]
    corners: dict[Row, Fraction] = {}
    for (P, _), value in zip(points, least, strict=True):
        zeros = [[Fraction(int(c == e)) for c in range(d)] for e in range(d) if not P[e]]
        if independent([*_steps(P, rows, symmetric), *zeros, [Fraction(0)] * d]) == d - 1:
            for order in permutations(range(d)) if symmetric else [tuple(range(d))]:
                corners[tuple(P[c] for c in order)] = value
    return list(corners.items())


def _rows(
    points: Points, pieces: Pieces, symmetric: bool, moved: bool, table: dict[Row, int], d: int
) -> Iterator[tuple[Row, int, list[Row]]]:
    """Rows with their reports and corners: one of each orbit where both sides are symmetric, all of them otherwise."""
    orders = list(permutations(range(d))) if symmetric and not moved else [tuple(range(d))]
    for v, _, held, _ in pieces:
        for order in orders:
            row = tuple(v[c] for c in order)
            require(row in table, "link every row", row, WHAT)
            yield row, table[row], [tuple(points[q][0][c] for c in order) for q in held]


def mixture(points: Points, pieces: Pieces, symmetric: bool, d: int) -> int:
    """1 + the largest dimension of a bounded face of U."""
    rows, best = [v for v, _, _, _ in pieces], 1
    for P in inner_points(points, pieces, d):
        steps = _steps(P, rows, symmetric)
        best = max(best, 1 + (independent(steps) if steps else 0))
    return best


def inner_points(points: Points, pieces: Pieces, d: int) -> Iterator[Vector]:
    """A P inside every face of every piece, as far as it has no class of probability 0."""
    for _, _, held, walls in pieces:
        corners = [points[q][0] for q in held]
        on_wall = [frozenset(i for i, P in enumerate(corners) if dot(w, P) == 0) for w in walls]
        waiting, known = [frozenset(range(len(corners)))], set()
        while waiting:
            face = waiting.pop()
            if face in known or not face:
                continue
            known.add(face)
            waiting += [face & wall for wall in on_wall]
            centre = [sum(corners[i][c] for i in face) / Fraction(len(face)) for c in range(d)]
            if min(centre) > 0:
                yield centre


def _steps(P: Vector, rows: list[Vector], symmetric: bool) -> list[Vector]:
    """Differences of rows optimal at P that span all such differences."""
    least = min(dot(P, v) for v in rows)
    tight = [v for v in rows if dot(P, v) == least]
    steps = [[a - b for a, b in zip(v, tight[0], strict=True)] for v in tight[1:]]
    if symmetric:
        for i in range(len(P) - 1):
            block = [c for c in range(len(P)) if P[c] == P[i]]
            if i + 1 in block and any(len({v[c] for c in block}) > 1 for v in tight):
                steps.append([Fraction((c == i) - (c == i + 1)) for c in range(len(P))])
    return steps
