"""The embedded loss by brute force: every vertex of the arrangement of kinks, then one linear program per loss vector."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from msvm_ref.exact.linear_algebra import maximize
from msvm_ref.fisher.check_data import RawLoss

F = Fraction


def brute_rows(machine, d):
    """Vertices of U among the loss vectors at intersections of kinks t_p = 0, t_p = t_q (q in the same group).

    Kinks are intersected within a complement of their lineality: directions along which no violation changes.
    """
    loss = RawLoss(machine, d)
    kinks = set()
    for y in range(d):
        for group in loss.groups[y]:
            for c in group:
                kinks.add(loss.affine(y, c, None))
                kinks |= {loss.affine(y, c, e) for e in group if e < c}
    kinks = [k for k in kinks if any(k[:-1])]
    fixed = [(*(F(1),) * d, F(0))] if loss.sum_to_zero else []
    fixed += [(*u, F(0)) for u in null_space([k[:-1] for k in kinks] + [r[:-1] for r in fixed], d)]
    vectors = set()
    for chosen in combinations(kinks, d - len(fixed)):
        f = solve([*fixed, *chosen], d)
        if f is not None:
            vectors.add(tuple(loss.losses(f)))
    return sorted(v for v in vectors if is_vertex(v, vectors, d))


def is_vertex(v, vectors, d):
    """max s: P in the simplex, <P, w - v> >= s for every other w."""
    others = [w for w in vectors if w != v]
    rows = [[*(a - b for a, b in zip(v, w, strict=True)), F(1)] for w in others]
    rows += [[F(-int(c == i)) for c in range(d)] + [F(0)] for i in range(d)]
    rows.append([F(0)] * d + [F(1)])
    bounds = [F(0)] * (len(others) + d) + [F(1)]
    best = maximize([F(0)] * d + [F(1)], rows, bounds, [[F(1)] * d + [F(0)]], [F(1)])
    return best is not None and best.value > 0


def reduce(rows, width):
    work, pivots = [list(r) for r in rows], []
    for column in range(width):
        at = next((i for i in range(len(pivots), len(work)) if work[i][column]), None)
        if at is None:
            continue
        k = len(pivots)
        work[k], work[at] = work[at], work[k]
        work[k] = [v / work[k][column] for v in work[k]]
        for i in range(len(work)):
            if i != k and work[i][column]:
                work[i] = [a - work[i][column] * b for a, b in zip(work[i], work[k], strict=True)]
        pivots.append(column)
    return work, pivots


def solve(rows, d):
    """The f with <normal, f> + constant = 0 for d rows, or None where there is not exactly one."""
    work, pivots = reduce(rows, d)
    return [-work[i][d] for i in range(d)] if len(pivots) == d else None


def null_space(rows, d):
    work, pivots = reduce(rows, d)
    found = []
    for free in (c for c in range(d) if c not in pivots):
        u = [F(0)] * d
        u[free] = F(1)
        for i, column in enumerate(pivots):
            u[column] = -work[i][free]
        found.append(u)
    return found
