"""Test points with exact coordinates: scores on a dyadic grid, away from every kink or exactly on one.

A point is (f, y). Away: every |t_c|, and every gap below the largest violation of a shared slack, is at least CLEAR, so that a
function computed in floating point is on the same side. On: one to three of the equations t_c = 0 or t_c = t_c' hold exactly,
solved for some of the scores, and kept where these are short binary fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from msvm_ref.conformance.losses.exact import ExactLoss, Vector

CLEAR = Fraction(1, 1024)
LONGEST = 2**12
"""The largest denominator of a score at a kink: few bits, so that differences of scores are exact."""
WIDEST = 64
Point = tuple[Vector, int]


def grid_point(
    rng: np.random.Generator, d: int, span: int, bits: int, sum_to_zero: bool = False
) -> Vector:
    """Integers of size up to span 2^bits over 2^bits; the last one makes the sum zero where that is asked for."""
    unit = Fraction(1, 2**bits)
    f = [int(v) * unit for v in rng.integers(-span * 2**bits, span * 2**bits + 1, d)]
    if sum_to_zero:
        f[-1] = -sum(f[:-1], Fraction(0))
    return tuple(f)


def smooth_points(
    rng: np.random.Generator,
    loss: ExactLoss,
    labels: Sequence[int],
    *,
    span: int = 4,
    bits: int = 4,
    sum_to_zero: bool = False,
) -> list[Point]:
    """One point for each label, away from every kink, with d different scores."""
    points: list[Point] = []
    for y in labels:
        for _ in range(1000):
            f = grid_point(rng, loss.d, span, bits, sum_to_zero)
            gap = loss.clearance(f, y)
            away = gap is None or gap >= CLEAR
            if len(set(f)) == loss.d and away and loss.subdifferential(f, y).smooth:
                points.append((f, y))
                break
    return points


def kink_points(
    rng: np.random.Generator,
    loss: ExactLoss,
    labels: Sequence[int],
    count: int,
    sum_to_zero: bool = False,
) -> list[Point]:
    """Up to ``count`` points on one to three kinks or ties at once; fewer where short binary fractions solve fewer."""
    points: list[Point] = []
    for attempt in range(60 * count):
        if len(points) == count:
            break
        y = labels[attempt % len(labels)]
        f = _on_a_kink(rng, loss, y, 1 + attempt % 3, sum_to_zero)
        if f is None or len(set(f)) == 1:
            continue
        gap = loss.clearance(f, y)
        kept = gap is None or gap >= CLEAR
        if kept and _matters(loss, f, y) and (f, y) not in points:
            points.append((f, y))
    return points


def _matters(loss: ExactLoss, f: Vector, y: int) -> bool:
    """Is some t_c zero, or does a shared slack have several largest components?"""
    for group in loss.groups[y]:
        t = [p.at(f) for p in group]
        top = max(t)
        if top == 0 or (top > 0 and t.count(top) > 1):
            return True
    return False


def _on_a_kink(
    rng: np.random.Generator, loss: ExactLoss, y: int, count: int, sum_to_zero: bool
) -> Vector | None:
    equations = _equations(rng, loss, y)[:count]
    if sum_to_zero:
        equations.append(((Fraction(1),) * loss.d, Fraction(0)))
    f = list(grid_point(rng, loss.d, 4, 1))
    unknown = [int(k) for k in rng.permutation(loss.d)[: len(equations)]]
    if len(unknown) < len(equations):
        return None
    rows = [
        [
            *(row[m] for m in unknown),
            -constant
            - sum((row[m] * f[m] for m in range(loss.d) if m not in unknown), Fraction(0)),
        ]
        for row, constant in equations
    ]
    solution = _solved(rows)
    if solution is None:
        return None
    for m, value in zip(unknown, solution, strict=True):
        f[m] = value
    short = all(_dyadic(v) and v.denominator <= LONGEST and abs(v) <= WIDEST for v in f)
    return tuple(f) if short else None


def _equations(rng: np.random.Generator, loss: ExactLoss, y: int) -> list[tuple[Vector, Fraction]]:
    """<row, f> + constant = 0 for each kink and each tie, in random order."""
    equations = []
    for group in loss.groups[y]:
        equations += [(p.slope, p.gamma) for p in group]
        equations += [
            (tuple(a - b for a, b in zip(p.slope, q.slope, strict=True)), p.gamma - q.gamma)
            for k, p in enumerate(group)
            for q in group[:k]
        ]
    return [equations[int(k)] for k in rng.permutation(len(equations))]


def _solved(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """The unique solution of a square system [A | b], by elimination; None where it is singular."""
    k = len(rows)
    for j in range(k):
        pivot = next((i for i in range(j, k) if rows[i][j]), None)
        if pivot is None:
            return None
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [v / rows[j][j] for v in rows[j]]
        for i in range(k):
            if i != j and rows[i][j]:
                rows[i] = [a - rows[i][j] * b for a, b in zip(rows[i], rows[j], strict=True)]
    return [row[-1] for row in rows]


def _dyadic(value: Fraction) -> bool:
    return value.denominator & (value.denominator - 1) == 0


def scores_of(
    points: Sequence[Point], dtype: str = "float64"
) -> np.ndarray[tuple[int, ...], np.dtype[np.floating]]:
    """The points' scores as an array; the coordinates must fit the dtype."""
    return np.array([[float(v) for v in f] for f, _ in points], dtype=dtype)


def labels_of(points: Sequence[Point]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array([y for _, y in points], dtype=np.int64)
