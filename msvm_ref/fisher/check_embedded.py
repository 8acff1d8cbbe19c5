"""Re-prove an embedded loss with nothing but rational arithmetic: no linear program, none of the finder's code.

What is claimed: the rows are exactly the vertices of U = {v : v >= L(f) for some f}. What is checked:

1. each row is attained: its scores f lie in the score space and L(f) = v. So v is in U, and R*(P) <= <P, v>;
2. at each corner P of the row's piece, multipliers lambda prove R*(P) >= sum gamma lambda = <P, v> (weak duality). R* is
   concave, so R*(P) = <P, v> on the whole convex hull of the corners;
3. the hulls fill the simplex: each is cut into simplices whose volumes, |det of their corners|, add up to 1 (to 1/d!
   where the machine treats classes alike, the pieces lie in P_1 >= ... >= P_d and the rest follows by permutation).

Hulls of different rows meet in no open set, since on it both rows would be optimal at every P. The simplices of one
hull are its pulling triangulation: cones from one corner over the facets that avoid it, facet by facet. A facet is a
set of corners on a wall, <wall, P> >= 0 on the whole piece; forgetting a wall only makes the sum too small. So the sum
reaches 1 only if every P is covered, which makes the list of rows complete; and every piece of positive volume is a
full-dimensional cell, which makes its row a vertex.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial, lcm
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.fisher.check_data import RawLoss, Vector, dot, field, treats_classes_alike, vector
from msvm_ref.model.machine import Machine

WHAT = "embedded loss"
LARGEST, MOST, MOST_SIMPLICES = 8, 20_000, 200_000
"""The most classes, the most points or pieces that are read, and the most simplices one piece is cut into."""
Points = list[tuple[Vector, list[Vector]]]
Pieces = list[tuple[Vector, Vector, list[int], list[Vector]]]


def verify_embedded(machine: Machine, embedded: Any) -> int:
    """Check every claim of an EmbeddedLoss (or its JSON form); returns the number of simplices measured."""
    data = embedded if isinstance(embedded, dict) else embedded.to_dict()
    d, symmetric, points, pieces = read_embedded(data)
    loss = RawLoss(machine, d)
    if symmetric and not treats_classes_alike(loss):
        require(False, "claim symmetry only of a machine that treats classes alike", machine.name)
    values = [dual_value(loss, P, table) for P, table in points]
    for P, _ in points:
        require(min(P) >= 0 and sum(P) == 1, "have corners on the simplex", P)
        require(not symmetric or sorted(P, reverse=True) == P, "have corners sorted down", P)
    rows = [tuple(v) for v, _, _, _ in pieces]
    require(len(set(rows)) == len(rows), "list each row once", "a row twice")
    total, count = Fraction(0), 0
    for v, f, held, walls in pieces:
        require(not loss.sum_to_zero or sum(f) == 0, "have scores that sum to 0", f)
        require(loss.losses(f) == v, "attain each row by its scores", f)
        require(not symmetric or v == sorted(v), "have rows sorted up", v)
        for q in held:
            require(dot(points[q][0], v) == values[q], "have rows that are optimal", points[q][0])
        volume, simplices = measure([points[q][0] for q in held], walls)
        require(volume > 0, "give each row a cell with inner points", v)
        total, count = total + volume, count + simplices
    whole = Fraction(1, factorial(d)) if symmetric else Fraction(1)
    require(total == whole, f"have cells that fill the simplex, volume {whole}", total)
    return count


def require(holds: bool, expected: str, got: Any, what: str = WHAT) -> None:
    if not holds:
        shown = got if isinstance(got, str) else _shown(got)
        raise DataError(what, expected, shown[:200])


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def read_embedded(data: Any) -> tuple[int, bool, Points, Pieces]:
    """The evidence out of its JSON form, with everything of the right shape and size."""
    d, symmetric = field(data, "d", int, WHAT), field(data, "symmetric", bool, WHAT)
    require(not isinstance(d, bool) and 2 <= d <= LARGEST, f"have 2 to {LARGEST} classes", d)
    raw_points, raw_pieces = field(data, "points", list, WHAT), field(data, "pieces", list, WHAT)
    require(max(len(raw_points), len(raw_pieces)) <= MOST, f"have at most {MOST} parts", "more")
    points: Points = []
    for raw in raw_points:
        points.append((vector(field(raw, "P", list, WHAT), d, WHAT), read_table(raw, d)))
    require(len({tuple(P) for P, _ in points}) == len(points), "list each corner once", "twice")
    pieces: Pieces = []
    for raw in raw_pieces:
        held, walls = field(raw, "points", list, WHAT), field(raw, "walls", list, WHAT)
        require(
            all(type(q) is int and 0 <= q < len(points) for q in held)
            and len(set(held)) == len(held),
            "number its corners",
            held,
        )
        pieces.append(
            (
                vector(raw.get("losses"), d, WHAT),
                vector(raw.get("scores"), d, WHAT),
                held,
                [vector(w, d, WHAT) for w in walls],
            )
        )
    return d, symmetric, points, pieces


def read_table(data: Any, d: int, what: str = WHAT) -> list[Vector]:
    table = field(data, "multipliers", list, what)
    require(len(table) == d, f"have a {d} x {d} table of multipliers", f"{len(table)} rows", what)
    return [vector(row, d, what) for row in table]


def dual_value(
    loss: RawLoss, P: Vector, table: list[Vector], pull: Vector | None = None, what: str = WHAT
) -> Fraction:
    """sum gamma lambda, a lower bound on the least risk at P once lambda is seen to be feasible.

    ``pull``: what sum lambda nu must equal on the score space, 0 unless scores are constrained.
    """
    d, total = loss.d, Fraction(0)
    left = [-v for v in pull] if pull else [Fraction(0)] * d
    for y in range(d):
        used = {c for group in loss.groups[y] for c in group}
        require(min(table[y]) >= 0, "have multipliers >= 0", table[y], what)
        require(
            not any(v for c, v in enumerate(table[y]) if c not in used),
            "weigh only components that count",
            table[y],
            what,
        )
        for group in loss.groups[y]:
            weight = sum((table[y][c] for c in group), Fraction(0))
            require(weight <= P[y], "keep each group within P_y", weight, what)
        for c in used:
            if table[y][c]:
                total += table[y][c] * loss.gamma[y][c]
                left = [s + table[y][c] * n for s, n in zip(left, loss.nu[y][c], strict=True)]
    flat = len(set(left)) == 1 if loss.sum_to_zero else not any(left)
    require(flat, "have multipliers in balance: sum lambda nu = 0 on the score space", left, what)
    return total


def measure(corners: list[Vector], walls: list[Vector]) -> tuple[Fraction, int]:
    """The volume, relative to the simplex, of the simplices that the walls cut the hull of the corners into."""
    require(bool(corners), "give each row corners", "none")
    scaled = [_integers(P) for P in corners]
    normals = [_integers(w)[0] for w in walls]
    on_wall = []
    for normal in normals:
        heights = [sum(a * b for a, b in zip(normal, P, strict=True)) for P, _ in scaled]
        require(min(heights) >= 0, "have walls with every corner on one side", normal)
        on_wall.append(frozenset(i for i, h in enumerate(heights) if h == 0))
    ranks: dict[frozenset[int], int] = {}
    simplices = _pulled(frozenset(range(len(corners))), on_wall, [P for P, _ in scaled], ranks)
    volume = Fraction(0)
    for simplex in simplices:
        if len(simplex) == len(corners[0]):
            volume += Fraction(
                abs(_determinant([scaled[i][0] for i in simplex])), _product(simplex, scaled)
            )
    return volume, len(simplices)


def _integers(values: Vector) -> tuple[list[int], int]:
    """(scale * values, scale) in integers."""
    scale = lcm(*(v.denominator for v in values))
    return [int(v * scale) for v in values], scale


def _product(simplex: tuple[int, ...], scaled: list[tuple[list[int], int]]) -> int:
    product = 1
    for i in simplex:
        product *= scaled[i][1]
    return product


def _pulled(
    face: frozenset[int],
    on_wall: list[frozenset[int]],
    corners: list[list[int]],
    ranks: dict[frozenset[int], int],
) -> list[tuple[int, ...]]:
    """Cones from the first corner of a face over its facets that avoid it, each cut up in the same way."""
    rank = _rank(face, corners, ranks)
    apex = min(face)
    if rank == 1:
        return [(apex,)]
    facets = {
        part
        for wall in on_wall
        if apex not in (part := face & wall) and part and _rank(part, corners, ranks) == rank - 1
    }
    simplices: list[tuple[int, ...]] = []
    for part in facets:
        simplices += [(apex, *rest) for rest in _pulled(part, on_wall, corners, ranks)]
        require(
            len(simplices) <= MOST_SIMPLICES, f"need at most {MOST_SIMPLICES} simplices", "more"
        )
    return simplices


def _rank(face: frozenset[int], corners: list[list[int]], ranks: dict[frozenset[int], int]) -> int:
    if face not in ranks:
        ranks[face] = len(_reduced([corners[i] for i in sorted(face)])[0])
    return ranks[face]


def _reduced(rows: list[list[int]]) -> tuple[list[list[int]], int]:
    """Fraction-free elimination (Bareiss 1968): the independent rows, and the sign of the row exchanges."""
    work, kept, sign, previous = [list(row) for row in rows], 0, 1, 1
    for column in range(len(work[0])):
        pivot = next((i for i in range(kept, len(work)) if work[i][column]), None)
        if pivot is None:
            continue
        if pivot != kept:
            work[kept], work[pivot], sign = work[pivot], work[kept], -sign
        top = work[kept]
        for i in range(kept + 1, len(work)):
            head = work[i][column]
            work[i] = [
                (top[column] * v - head * w) // previous for v, w in zip(work[i], top, strict=True)
            ]
        previous = top[column]
        kept += 1
    return work[:kept], sign


def independent(rows: list[Vector]) -> int:
    """How many of the rows are linearly independent."""
    return len(_reduced([_integers(row)[0] for row in rows])[0])


def _determinant(rows: list[list[int]]) -> int:
    reduced, sign = _reduced(rows)
    return sign * reduced[-1][-1] if len(reduced) == len(rows) else 0
