"""How many rows does a loss vector mix? The Carathéodory number of the bounded faces of U.

Every loss vector L(f) lies above a point of a bounded face of U, a mixture of rows that are optimal together at some P > 0.
An affinely independent set of them is enough, so k, the size of the largest such set, bounds the mixture; k <= d always.
Rows are optimal together at some P > 0 iff the corners they share have no class of probability 0 in common.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flint import fmpq_mat

from msvm_ref.fisher.loss import dot, rational

if TYPE_CHECKING:
    from msvm_ref.fisher.embedded import EmbeddedLoss

Rationals = tuple[Fraction, ...]


def mixture_size(embedded: EmbeddedLoss) -> int:
    """k: the size of a largest mixture."""
    return len(largest_mixture(embedded))


def largest_mixture(embedded: EmbeddedLoss) -> tuple[Rationals, ...]:
    """A largest affinely independent set of rows that are optimal together at some P > 0."""
    inner = next((Q for Q in embedded.corners if all(Q)), None)
    if inner is not None:  # the rows optimal at a vertex of a cell have full rank
        return _independent(sorted(_optimal(embedded, inner)))
    optimal = {Q: _optimal(embedded, Q) for Q in embedded.corners}
    best: tuple[Rationals, ...] = ()
    seen: set[frozenset[Rationals]] = set()
    for piece in embedded.pieces:
        mine = frozenset(Q for Q, rows in optimal.items() if piece.losses in rows)
        best = max(best, _deepest(mine, optimal, embedded.d, seen), key=len)
        if len(best) == embedded.d:
            break
    return best


def _optimal(embedded: EmbeddedLoss, Q: Rationals) -> frozenset[Rationals]:
    least = embedded.least_risk(Q)
    return frozenset(v for v in embedded.losses if dot(Q, v) == least)


def _deepest(
    corners: frozenset[Rationals],
    optimal: dict[Rationals, frozenset[Rationals]],
    d: int,
    seen: set[frozenset[Rationals]],
) -> tuple[Rationals, ...]:
    """The largest independent set among the rows optimal at all these corners, or at fewer of them with inner P left."""
    seen.add(corners)
    together = frozenset.intersection(*(optimal[Q] for Q in corners))
    best = _independent(sorted(together))
    for v in sorted(frozenset().union(*(optimal[Q] for Q in corners)) - together):
        fewer = frozenset(Q for Q in corners if v in optimal[Q])
        if len(best) < d and fewer not in seen and _inner(fewer, d):
            best = max(best, _deepest(fewer, optimal, d, seen), key=len)
    return best


def _inner(corners: frozenset[Rationals], d: int) -> bool:
    return all(any(Q[c] for Q in corners) for c in range(d))


def _independent(rows: list[Rationals]) -> tuple[Rationals, ...]:
    """An affinely independent subset of full size, the first rows preferred."""
    kept: list[Rationals] = []
    for row in rows:
        lifted = [[rational(v) for v in (Fraction(1), *r)] for r in (*kept, row)]
        if int(fmpq_mat(lifted).rank()) == len(lifted):
            kept.append(row)
    return tuple(kept)
