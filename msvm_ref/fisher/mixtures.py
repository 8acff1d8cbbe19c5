"""How many rows does a loss vector mix? The Carathéodory number of the bounded faces of U.

Every loss vector L(f) lies above a point of a bounded face of U, a mixture of rows that are optimal together at some P > 0.
An affinely independent set of them is enough, so k, the size of the largest such set, bounds the mixture; k <= d always.
Rows are optimal together at some P > 0 iff the corners they share have no class of probability 0 in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import fmpq_mat

from msvm_ref.exact.numbers import rational
from msvm_ref.fisher.loss import dot

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


@dataclass(frozen=True)
class Simplex:
    """Affinely independent rows, all that are optimal at ``P`` > 0; ``without[i]``: a P at which all but row i are."""

    rows: tuple[Rationals, ...]
    P: Rationals
    without: tuple[Rationals, ...]


def largest_simplex(embedded: EmbeddedLoss) -> Simplex:
    """A bounded face of U that is a simplex, as large as there is one."""
    full = _full_simplex(embedded)
    rows = full if full is not None else _search_simplex(embedded)
    tight = {
        Q: frozenset(v for v in rows if dot(Q, v) == least)
        for Q, least in embedded.corner_risks.items()
    }
    return Simplex(
        rows,
        _centre([Q for Q, there in tight.items() if len(there) == len(rows)]),
        tuple(
            _centre([Q for Q, there in tight.items() if there == frozenset(rows) - {v}])
            for v in rows
        )
        if len(rows) > 1
        else (),
    )


def _full_simplex(embedded: EmbeddedLoss) -> tuple[Rationals, ...] | None:
    """The rows optimal at an inner corner where they are d: a facet that is a simplex, the largest there can be."""
    for Q in embedded.corners:
        if all(Q) and (not embedded.symmetric or list(Q) == sorted(Q)):
            rows = _optimal(embedded, Q)
            if len(rows) == embedded.d:
                return tuple(sorted(rows))
    return None


def _search_simplex(embedded: EmbeddedLoss) -> tuple[Rationals, ...]:
    optimal = {Q: _optimal(embedded, Q) for Q in embedded.corners}
    best: frozenset[Rationals] = frozenset()
    seen: set[frozenset[Rationals]] = set()
    waiting = [
        frozenset(Q for Q, rows in optimal.items() if piece.losses in rows)
        for piece in embedded.pieces
    ]
    while waiting:
        corners = waiting.pop()
        if corners in seen:
            continue
        seen.add(corners)
        together = frozenset.intersection(*(optimal[Q] for Q in corners))
        if len(together) > len(best) and len(_independent(sorted(together))) == len(together):
            best = together
        for v in frozenset().union(*(optimal[Q] for Q in corners)) - together:
            fewer = frozenset(Q for Q in corners if v in optimal[Q])
            if _inner(fewer, embedded.d):
                waiting.append(fewer)
    return tuple(sorted(best))


def bounded_faces(embedded: EmbeddedLoss) -> list[tuple[Rationals, tuple[Rationals, ...]]]:
    """The largest bounded faces of U: a P > 0 and all rows optimal there; of those that permutations exchange, one.

    A face is turned so that P_1 >= ... >= P_d where classes are alike: which P of its cone is sorted does not matter, because
    the cone crosses P_i = P_j only where exchanging i and j leaves the face as it is.
    """
    optimal = {Q: _optimal(embedded, Q) for Q in embedded.corners}
    faces: dict[frozenset[Rationals], Rationals] = {}
    seen: set[frozenset[Rationals]] = set()
    waiting = [
        frozenset(Q for Q, rows in optimal.items() if piece.losses in rows)
        for piece in embedded.pieces
    ]
    while waiting:
        corners = waiting.pop()
        if corners in seen:
            continue
        seen.add(corners)
        together = frozenset.intersection(*(optimal[Q] for Q in corners))
        fewer = [
            frozenset(Q for Q in corners if v in optimal[Q])
            for v in frozenset().union(*(optimal[Q] for Q in corners)) - together
        ]
        inner = [part for part in fewer if _inner(part, embedded.d)]
        waiting += inner
        if not inner:
            P, rows = _centre(sorted(corners)), together
            if embedded.symmetric:
                order = sorted(range(embedded.d), key=lambda c: -P[c])
                P = tuple(P[c] for c in order)
                rows = frozenset(tuple(v[c] for c in order) for v in together)
            faces.setdefault(rows, P)
    return sorted((P, tuple(sorted(rows))) for rows, P in faces.items())


def _centre(corners: list[Rationals]) -> Rationals:
    return tuple(sum(column, Fraction(0)) / len(corners) for column in zip(*corners, strict=True))
