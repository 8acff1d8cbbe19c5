"""Re-verify a regret constant with nothing but rational arithmetic: none of the finder's code, no linear program.

By argmax. For each k (k = 2 ... d where classes are alike and P_1 >= ... >= P_d) the parts fill the simplex: a part has one
class j, the most likely one throughout, one row v = L(f) and one row v' = L(f') with f'_k the largest score, and at its corners
multipliers prove R* = <., v> and R*_k = <., v'>. Parts that differ in (j, v, v') meet in no open set, so volumes add up as in
check_embedded.py. On a part everything is linear, and

    (P_j - P_k, R*_k(P) - R*(P))   fills the convex hull of these pairs at its corners.

Hence kappa is large enough if Q_j - Q_k <= kappa <Q, v' - v> at every corner, and delta is small enough if no hull dips below
it. That neither can be improved is shown by scores that attain them: at one P for kappa, and from one P
to another along every stretch of delta (the risk of fixed scores is linear in P, and R* is concave).

Through a link: check_link_regret.py.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import factorial
from typing import Any

from msvm_ref.fisher.check_data import (
    RawLoss,
    Vector,
    dot,
    field,
    number,
    treats_classes_alike,
    vector,
)
from msvm_ref.fisher.check_embedded import LARGEST, MOST, dual_value, measure, read_table, require
from msvm_ref.fisher.check_link_regret import WHAT, check_link
from msvm_ref.model.machine import Machine

Pair = tuple[Fraction, Fraction]
KEPT = (("k", int), ("j", int), ("scores", list))
"""What the two witnesses of a stretch have in common."""


def verify_regret(machine: Machine, result: Any) -> None:
    """Check a RegretConstant (or its JSON form)."""
    data = result if isinstance(result, dict) else result.to_dict()
    d, by = field(data, "d", int, WHAT), field(data, "by", str, WHAT)
    require(type(d) is int and 2 <= d <= LARGEST, f"have 2 to {LARGEST} classes", d, WHAT)
    lower, upper = number(data.get("lower"), WHAT), number(data.get("upper"), WHAT)
    kappa = data.get("kappa")
    require(
        (lower == upper) == (kappa is not None) and lower <= upper,
        "state kappa where both ends agree",
        kappa,
        WHAT,
    )
    require(kappa is None or number(kappa, WHAT) == lower, "state one kappa", kappa, WHAT)
    loss = RawLoss(machine, d)
    if by == "argmax":
        require(lower == upper, "give one constant by argmax", (lower, upper), WHAT)
        delta = _read_delta(loss, data)
        _check_parts(loss, data, lower, delta)
        _check_attained(loss, field(data, "extremal", dict, WHAT), lower)
    else:
        require(by == "link", "be by argmax or by link", by, WHAT)
        check_link(machine, loss, data, lower, upper)


def _check_parts(loss: RawLoss, data: Any, kappa: Fraction, delta: list[Pair]) -> None:
    d, symmetric = loss.d, field(data, "symmetric", bool, WHAT)
    require(
        not symmetric or treats_classes_alike(loss), "be symmetric", "a machine that is not", WHAT
    )
    rankings = field(data, "rankings", list, WHAT)
    classes = list(range(1, d)) if symmetric else list(range(d))
    named = [field(r, "k", int, WHAT) for r in rankings]
    require(named == classes, f"treat every class {classes}", named, WHAT)
    for ranking in rankings:
        _check_ranking(loss, ranking, symmetric, kappa, delta)


def _check_ranking(
    loss: RawLoss, ranking: Any, symmetric: bool, kappa: Fraction, delta: list[Pair]
) -> None:
    d, k = loss.d, ranking["k"]
    raw_points, raw_parts = (
        field(ranking, "points", list, WHAT),
        field(ranking, "parts", list, WHAT),
    )
    require(
        max(len(raw_points), len(raw_parts)) <= MOST, f"have at most {MOST} parts", "more", WHAT
    )
    points = [_read_point(loss, raw, k) for raw in raw_points]
    require(
        len({tuple(P) for P, _, _ in points}) == len(points), "list each corner once", "twice", WHAT
    )
    seen, total = set(), Fraction(0)
    for raw in raw_parts:
        v, j = _scored(loss, raw, "scores"), field(raw, "best", int, WHAT)
        ranked, f = _scored(loss, raw, "ranked"), vector(raw.get("ranked"), d, WHAT)
        require(vector(raw.get("losses"), d, WHAT) == v, "attain each row by its scores", v, WHAT)
        require(f[k] == max(f), "rank class k first", f, WHAT)
        held = field(raw, "points", list, WHAT)
        require(
            all(type(q) is int and 0 <= q < len(points) for q in held) and 0 <= j < d,
            "number its corners and its best class",
            held,
            WHAT,
        )
        for P, least, least_ranked in (points[q] for q in held):
            require(P[j] == max(P), "have its best class the most likely", P, WHAT)
            require(not symmetric or sorted(P, reverse=True) == P, "sort its corners", P, WHAT)
            require(dot(P, v) == least, "have rows that are optimal", P, WHAT)
            require(dot(P, ranked) == least_ranked, "have ranked rows that are optimal", P, WHAT)
        walls = [vector(w, d, WHAT) for w in field(raw, "walls", list, WHAT)]
        total += measure([points[q][0] for q in held], walls)[0]
        seen.add((0 if symmetric else j, tuple(v), tuple(ranked)))
        if j != k:
            images = [(P[j] - P[k], high - low) for P, low, high in (points[q] for q in held)]
            _check_images(images, kappa, delta)
    require(len(seen) == len(raw_parts), "list each part once", "a part twice", WHAT)
    whole = Fraction(1, factorial(d)) if symmetric else Fraction(1)
    require(total == whole, f"have parts that fill the simplex, volume {whole}", total, WHAT)


def _read_point(loss: RawLoss, raw: Any, k: int) -> tuple[Vector, Fraction, Fraction]:
    """P, a lower bound on R*(P), and one on R*_k(P), each once its multipliers are seen to be feasible."""
    d = loss.d
    P = vector(field(raw, "P", list, WHAT), d, WHAT)
    order = vector(raw.get("order"), d, WHAT)
    require(min(P) >= 0 and sum(P) == 1, "have corners on the simplex", P, WHAT)
    require(min(order) >= 0 and order[k] == 0, "weigh f_k >= f_m with order >= 0", order, WHAT)
    pull = [w if m != k else -sum(order, Fraction(0)) for m, w in enumerate(order)]
    least = read_table({"multipliers": raw.get("least")}, d, WHAT)
    return (
        P,
        dual_value(loss, P, least, None, WHAT),
        dual_value(loss, P, read_table(raw, d, WHAT), pull, WHAT),
    )


def _scored(loss: RawLoss, raw: Any, name: str) -> Vector:
    """The losses of the scores of that name."""
    f = vector(field(raw, name, list, WHAT), loss.d, WHAT)
    require(not loss.sum_to_zero or sum(f) == 0, "have scores that sum to 0", f, WHAT)
    return loss.losses(f)


def _check_images(images: list[Pair], kappa: Fraction, delta: list[Pair]) -> None:
    """No corner beats kappa, and the lower convex hull of the corners stays above delta.

    The hull is convex, delta linear between its break points: it is enough to look at both's bends.
    """
    for level, gap in images:
        require(level <= kappa * gap, "have a kappa that no corner beats", (level, gap), WHAT)
        require(gap >= _value(delta, level), "have a delta below every corner", (level, gap), WHAT)
    for x, y in delta:
        left = [p for p in images if p[0] < x]
        right = [p for p in images if p[0] > x]
        for a, ya in left:
            for b, yb in right:
                across = ya + (yb - ya) * (x - a) / (b - a)
                require(across >= y, "have a delta below every hull", (x, y), WHAT)


def _value(delta: list[Pair], x: Fraction) -> Fraction:
    for (a, ya), (b, yb) in pairwise(delta):
        if a <= x <= b:
            return ya + (yb - ya) * (x - a) / (b - a)
    return delta[-1][1] if x > delta[-1][0] else delta[0][1]


def _read_delta(loss: RawLoss, data: Any) -> list[Pair]:
    """The break points of delta, non-decreasing from 0 to 1, once every stretch is seen to be attained."""
    points: list[Pair] = []
    for stretch in field(data, "calibration", list, WHAT):
        ends = [vector(field(stretch, name, list, WHAT), 2, WHAT) for name in ("left", "right")]
        left, right = ((e[0], e[1]) for e in ends)
        require(left[0] < right[0] and left[1] <= right[1], "rise from left to right", left, WHAT)
        require(not points or points[-1] == left, "continue where it stopped", left, WHAT)
        points = [*(points or [left]), right]
        witnesses = field(stretch, "witnesses", list, WHAT)
        require(len(witnesses) == 2, "have two witnesses a stretch", len(witnesses), WHAT)
        kept = [[field(w, name, kind, WHAT) for name, kind in KEPT] for w in witnesses]
        require(kept[0] == kept[1], "keep scores and classes along a stretch", "others", WHAT)
        for end, witness in zip((left, right), witnesses, strict=True):
            level, regret = _witness(loss, witness)
            require(level >= end[0] and regret <= end[1], "attain delta", end, WHAT)
    require(
        bool(points) and not any(points[0]) and points[-1][0] == 1, "reach from 0 to 1", "not", WHAT
    )
    return points


def _check_attained(loss: RawLoss, witness: Any, kappa: Fraction) -> None:
    level, regret = _witness(loss, witness)
    require(level > 0 and level >= kappa * regret, "attain kappa", (level, regret), WHAT)


def _witness(loss: RawLoss, data: Any) -> Pair:
    """(P_j - P_k, at most this surrogate regret) of scores that rank k first."""
    d = loss.d
    P, f = vector(field(data, "P", list, WHAT), d, WHAT), vector(data.get("scores"), d, WHAT)
    k, j = field(data, "k", int, WHAT), field(data, "j", int, WHAT)
    require(0 <= k < d and 0 <= j < d, "name two classes", (k, j), WHAT)
    require(min(P) >= 0 and sum(P) == 1, "have P on the simplex", P, WHAT)
    require(not loss.sum_to_zero or sum(f) == 0, "have scores that sum to 0", f, WHAT)
    require(f[k] == max(f), "rank class k first", f, WHAT)
    least = dual_value(loss, P, read_table(data, d, WHAT), None, WHAT)
    return P[j] - P[k], dot(P, loss.losses(f)) - least
