"""The lower envelope of linear functions over a simplex, corner by corner: the double description method.

    z(mu) = min over rows w of <mu, w>,      mu >= 0, sum mu = 1

Below the graph of z lies a polyhedron {(mu, z) : mu >= 0, z <= <mu, w>}. We keep the extreme rays of its cone as integer
vectors (mu, z), each with the set of constraints that hold with equality, and cut with one row at a time; the only
unbounded direction is (0, -1). A new corner lies between two *neighbouring* rays on either side of the cut, and two
rays are neighbours iff no third satisfies all their common equalities (Motzkin et al. 1953; Fukuda and Prodon 1996).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm

from flint import fmpq_mat

Ray = tuple[int, ...]
"""(mu_1, ..., mu_n, z) up to a positive factor, in lowest terms."""


class Envelope:
    """``rays``: ray -> bit set of its equalities; bit i < n says mu_i = 0, bit n + r says z = <mu, row r>."""

    def __init__(self, row: Sequence[Fraction]) -> None:
        n = len(row)
        self.n, self.rows = n, [tuple(row)]
        every = (1 << n) - 1
        self.rays: dict[Ray, int] = {(*(0,) * n, -1): every}
        for i in range(n):
            corner = [row[i].denominator * int(m == i) for m in range(n)]
            self.rays[_lowest([*corner, row[i].numerator])] = (every ^ (1 << i)) | (1 << n)

    def corners(self) -> Iterator[tuple[Ray, tuple[Fraction, ...], Fraction]]:
        """The corners of the graph: the ray itself, mu with sum 1, and z there."""
        for ray in self.rays:
            total = sum(ray[: self.n])
            if total:
                yield (
                    ray,
                    tuple(Fraction(m, total) for m in ray[: self.n]),
                    Fraction(ray[-1], total),
                )

    def add(self, row: Sequence[Fraction]) -> None:
        n, bit = self.n, 1 << (self.n + len(self.rows))
        self.rows.append(tuple(row))
        scale = lcm(*(v.denominator for v in row))
        plane = [*(int(v * scale) for v in row), -scale]
        rays, equal = list(self.rays), list(self.rays.values())
        height = [sum(a * b for a, b in zip(plane, ray, strict=True)) for ray in rays]
        below = [i for i, h in enumerate(height) if h < 0]
        above = [i for i, h in enumerate(height) if h > 0]
        members = _members(equal, below)
        fresh: dict[Ray, int] = {}
        for i in below:
            for j in above:
                common = equal[i] & equal[j]
                if common.bit_count() >= n - 1 and _only_two(common, members, len(rays)):
                    between = [
                        height[j] * a - height[i] * b for a, b in zip(rays[i], rays[j], strict=True)
                    ]
                    fresh[_lowest(between)] = common | bit
        self.rays = {
            ray: e if h > 0 else e | bit
            for ray, e, h in zip(rays, equal, height, strict=True)
            if h >= 0
        } | fresh

    def cells(self) -> dict[int, list[int]]:
        """For each row that is lowest on a set with inner points: the constraints that bound that set, as bit numbers.

        A set has inner points iff its corners span the space, and a constraint bounds it iff the corners that the two
        share span a hyperplane.
        """
        n = self.n
        held: dict[int, list[tuple[Ray, int]]] = {r: [] for r in range(len(self.rows))}
        for ray, equal in self.rays.items():
            if any(ray[:n]):
                for bit in _bits(equal >> n):
                    held[bit.bit_length() - 1].append((ray[:n], equal))
        essential = [r for r, corners in held.items() if _rank([ray for ray, _ in corners]) == n]
        counting = (1 << n) - 1
        for r in essential:
            counting |= 1 << (n + r)
        members = {}
        for r in essential:
            shared: dict[int, list[Ray]] = {}
            for ray, equal in held[r]:
                for bit in _bits(equal & counting & ~(1 << (n + r))):
                    shared.setdefault(bit.bit_length() - 1, []).append(ray)
            members[r] = sorted(b for b, rays in shared.items() if _rank(rays) == n - 1)
        return members


def _rank(rows: Sequence[Ray]) -> int:
    return int(fmpq_mat([list(row) for row in rows]).rank()) if rows else 0


def _lowest(values: Sequence[int]) -> Ray:
    factor = gcd(*values)
    return tuple(v // factor for v in values)


def _members(equal: Sequence[int], of: Sequence[int]) -> dict[int, int]:
    """For every constraint met with equality by one of the rays ``of``: the bit set of all rays that meet it so."""
    mask = 0
    for i in of:
        mask |= equal[i]
    members = dict.fromkeys(_bits(mask), 0)
    for i, e in enumerate(equal):
        for b in _bits(e & mask):
            members[b] |= 1 << i
    return members


def _only_two(common: int, members: dict[int, int], count: int) -> bool:
    satisfied = (1 << count) - 1
    for b in _bits(common):
        satisfied &= members[b]
    return satisfied.bit_count() == 2


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low
        mask ^= low
