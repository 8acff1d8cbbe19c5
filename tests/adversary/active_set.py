"""A proposal for the exact optimum: the linear KKT system of the active set a float solution shows, solved in rationals.

    tight (i,p):  gamma - <Pi nu_p, sum_j K_ij A_j + b> = 0            (linear cost, group below C_i)
                                                       = level_i       (linear cost, shared slack, group sum = C_i)
    and h mass / C_i more on the right for a cost of width h (1/2 for the quadratic, which has no bound), mass the group's sum
    free bias:    sum alpha Pi nu = 0, and sum_c b_c = 0 where a common shift changes no margin

Nothing here proves anything: a wrong active set gives a point that the evaluator refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from tests.adversary.evaluator import Exact
from tests.adversary.scaled import Scaled, scaled

THRESHOLDS = (1e-6, 1e-4, 1e-8)
Pair = tuple[int, int]


@dataclass(frozen=True)
class _Sets:
    tight: list[Pair]
    bound: list[Pair]
    full: list[int]
    """Examples whose shared slack group is at C_i."""


def proposal(exact: Exact, alpha: Any, b: Any, threshold: float) -> tuple[Scaled, Scaled] | None:
    """(alpha, b) that solve the KKT system of the active set at this threshold; None where it has no solution."""
    sets = _sets(exact, np.asarray(alpha), threshold)
    guess = [Fraction(alpha[pair]) for pair in sets.tight] + [Fraction(0)] * len(sets.full)
    free = exact.bias == "free"
    guess += [Fraction(v) for v in np.asarray(b).tolist()] if free else []
    rows = _equations(exact, sets)
    if not rows:
        solved: list[Fraction] = []
    else:
        solution = _solved(rows, guess)
        if solution is None:
            return None
        solved = solution
    out = np.full((exact.n, exact.d), Fraction(0), dtype=object)
    for pair in sets.bound:
        out[pair] = exact.costs[pair[0]]
    for pair, value in zip(sets.tight, solved, strict=False):
        out[pair] = value
    multipliers = scaled(out)
    if free:
        return multipliers, scaled(solved[-exact.d :] if solved else [Fraction(0)] * exact.d)
    A = exact.expansion(multipliers)
    zero = Scaled(np.zeros(exact.d, dtype=object), 1)
    return multipliers, Scaled(A.num.sum(axis=0), A.den) if exact.bias == "penalized" else zero


def _sets(exact: Exact, alpha: Any, threshold: float) -> _Sets:
    tight, bound, full = [], [], []
    largest = float(alpha.max(initial=0.0))
    for i, cost in enumerate(exact.costs):
        if not cost:
            continue
        size = largest if exact.quadratic else float(cost)
        for group in exact.groups[exact.y[i]]:
            least = threshold * (min(largest, size) if exact.width else size)
            active = [p for p in group if alpha[i, p] > least]
            mass = float(sum(alpha[i, p] for p in active))
            if exact.quadratic or mass < (1 - threshold) * size:
                tight += [(i, p) for p in active]
            elif len(active) == 1:
                bound += [(i, active[0])]
            else:
                tight += [(i, p) for p in active]
                full.append(i)
    return _Sets(tight, bound, full)


def _equations(exact: Exact, sets: _Sets) -> list[list[Fraction]]:
    """Rows [coefficients of alpha_tight, levels, b | right-hand side]."""
    nu, gamma = exact.projected.fractions(), exact.gamma.fractions()
    K, index = exact.gram.values, exact.gram.index
    d, free = exact.d, exact.bias == "free"
    plus = int(exact.bias == "penalized")
    inner: dict[tuple[int, int, int, int], Fraction] = {}

    def hessian(a: Pair, c: Pair) -> Fraction:
        key = (int(exact.y[a[0]]), a[1], int(exact.y[c[0]]), c[1])
        if key not in inner:
            pairs = zip(nu[key[0]][key[1]], nu[key[2]][key[3]], strict=True)
            inner[key] = sum((u * v for u, v in pairs), Fraction(0))
        return (Fraction(int(K.num[index[a[0]], index[c[0]]]), K.den) + plus) * inner[key]

    level = {i: k for k, i in enumerate(sets.full)}
    rows = []
    for i, p in sets.tight:
        row = [hessian((i, p), other) for other in sets.tight]
        if exact.width:
            group = next(g for g in exact.groups[exact.y[i]] if p in g)
            for k, (j, q) in enumerate(sets.tight):
                row[k] += exact.width / exact.costs[i] if j == i and q in group else 0
        row += [Fraction(int(j == i)) for j in level]
        row += nu[exact.y[i]][p] if free else []
        known = sum((exact.costs[o[0]] * hessian((i, p), o) for o in sets.bound), Fraction(0))
        rows.append([*row, gamma[exact.y[i]][p] - known])
    for i in level:
        row = [Fraction(int(j == i)) for j, _ in sets.tight] + [Fraction(0)] * len(level)
        rows.append([*row, *[Fraction(0)] * (d * free), exact.costs[i]])
    if free:
        rows += _equality(exact, sets, nu)
    return rows


def _equality(exact: Exact, sets: _Sets, nu: Any) -> list[list[Fraction]]:
    d, rows = exact.d, []
    for m in range(d):
        row = [nu[exact.y[i]][p][m] for i, p in sets.tight] + [Fraction(0)] * (len(sets.full) + d)
        held = sum((exact.costs[i] * nu[exact.y[i]][p][m] for i, p in sets.bound), Fraction(0))
        rows.append([*row, -held])
    counted = [nu[y][p] for y in range(d) for group in exact.groups[y] for p in group]
    if all(sum(row) == 0 for row in counted):
        zeros = [Fraction(0)] * (len(sets.tight) + len(sets.full))
        rows.append([*zeros, *[Fraction(1)] * d, Fraction(0)])
    return rows


def _solved(rows: list[list[Fraction]], guess: list[Fraction]) -> list[Fraction] | None:
    """A solution whose free unknowns have the guess's values; None where the system is contradictory."""
    matrix = fmpq_mat([[fmpq(v.numerator, v.denominator) for v in row] for row in rows])
    reduced, rank = matrix.rref()
    width = len(guess)
    solution = list(guess)
    for r in range(rank):
        pivot = next(k for k in range(width + 1) if reduced[r, k] != 0)
        if pivot == width:
            return None
        value = reduced[r, width]
        for k in range(pivot + 1, width):
            if reduced[r, k] != 0:
                value -= reduced[r, k] * fmpq(guess[k].numerator, guess[k].denominator)
        solution[pivot] = Fraction(int(value.p), int(value.q))
    return solution


def repaired(exact: Exact, alpha: Any) -> Scaled:
    """A dual feasible rational point near a float alpha: clipped, scaled, and the free bias's equality solved exactly.

    The multipliers with most room are moved, so that a small move stays inside the box; the caller checks feasibility.
    """
    out = np.full((exact.n, exact.d), Fraction(0), dtype=object)
    room: dict[Pair, Fraction] = {}
    for i, cost in enumerate(exact.costs):
        for group in exact.groups[exact.y[i]] if cost else []:
            part = {p: max(Fraction(float(alpha[i, p])), Fraction(0)) for p in group}
            mass = sum(part.values(), Fraction(0))
            over = not exact.quadratic and mass > cost
            for p in group:
                out[i, p] = part[p] * cost / mass if over else part[p]
                left = out[i, p] if exact.quadratic or over else (cost - mass) / len(group)
                room[i, p] = min(out[i, p], left) if not over else Fraction(0)
    if exact.bias == "free":
        moved = sorted((pair for pair in room if room[pair]), key=lambda pair: -room[pair])
        nu, A = exact.projected.fractions(), exact.expansion(scaled(out))
        residual = Scaled(A.num.sum(axis=0), A.den).fractions()
        rows = [[*(nu[exact.y[i]][p][m] for i, p in moved), -r] for m, r in enumerate(residual)]
        step = _solved(rows, [Fraction(0)] * len(moved))
        for pair, value in zip(moved, step or [], strict=False):
            out[pair] += value
    return scaled(out)
