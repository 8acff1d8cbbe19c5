"""From pieces on P_1 >= ... >= P_d back to whole cells, and from one row to all its rearrangements.

A row v sorted upwards is optimal at P only where P is sorted against it: v_i < v_j implies P_i >= P_j. So the cell of v is
its piece on P_1 >= ... >= P_d moved about by the permutations that leave v as it is, which only exchange classes of
equal loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial

from flint import fmpq_mat

from msvm_ref.exact.numbers import rational
from msvm_ref.fisher.loss import dot

Rationals = tuple[Fraction, ...]


@dataclass(frozen=True)
class Cell:
    """{P in the simplex : <normal, P> >= 0 for every normal}, and its vertices; ``neighbours``: the row behind a normal.

    A normal of the simplex's own boundary, P_c >= 0, has no neighbour (None).
    """

    vertices: tuple[Rationals, ...]
    normals: tuple[Rationals, ...]
    neighbours: tuple[Rationals | None, ...]

    def __contains__(self, P: Sequence[Fraction]) -> bool:
        return all(dot(normal, P) >= 0 for normal in self.normals)


def whole_cell(row: Rationals, vertices: Sequence[Rationals], walls: Sequence[Rationals]) -> Cell:
    """The cell of ``row`` from the vertices and walls of its piece.

    ``row`` sorted upwards and classes alike. Walls P_i >= P_{i+1} between classes of equal loss run through the cell; the
    others bound it, the one between classes of different loss towards the row with the two exchanged.
    """
    outer = []
    for wall in walls:
        step = _step(wall)
        if step is None or row[step] != row[step + 1]:
            outer.append(wall if step is None else _exchanged(row, step))
    normals = sorted({image for wall in outer for image in images(wall, row)}, reverse=True)
    corners = [P for P in vertices if _is_vertex(P, normals)]
    points = sorted({image for P in corners for image in images(P, row)}, reverse=True)
    return Cell(tuple(points), tuple(normals), tuple(neighbour(row, n) for n in normals))


def plain_cell(row: Rationals, vertices: Sequence[Rationals], walls: Sequence[Rationals]) -> Cell:
    """The cell of a row whose piece is the cell itself."""
    return Cell(tuple(vertices), tuple(walls), tuple(neighbour(row, w) for w in walls))


def neighbour(row: Rationals, normal: Rationals) -> Rationals | None:
    """normal = (the neighbouring row) - row, or e_c at the edge of the simplex."""
    if sum(normal) == max(normal) == 1 and sum(map(bool, normal)) == 1:
        return None
    return tuple(v + n for v, n in zip(row, normal, strict=True))


def _step(wall: Rationals) -> int | None:
    """i where the wall is P_i >= P_{i+1}, a wall of the sorted P and not one towards another row."""
    i = next(c for c, v in enumerate(wall) if v)
    is_step = i + 1 < len(wall) and wall[i] == 1 and wall[i + 1] == -1 and not any(wall[i + 2 :])
    return i if is_step else None


def _exchanged(row: Rationals, i: int) -> Rationals:
    """The row with entries i and i + 1 exchanged, minus the row."""
    rise = row[i + 1] - row[i]
    return tuple(rise * ((c == i) - (c == i + 1)) for c in range(len(row)))


def _is_vertex(P: Rationals, normals: Sequence[Rationals]) -> bool:
    tight = [[rational(v) for v in n] for n in normals if dot(n, P) == 0]
    return bool(tight) and fmpq_mat(tight).rank() == len(P) - 1


def images(values: Rationals, row: Rationals) -> Iterator[Rationals]:
    """All distinct rearrangements of ``values`` within the classes of equal ``row``; the row is sorted upwards."""
    blocks: list[tuple[Fraction, ...]] = []
    start = 0
    for end in range(1, len(row) + 1):
        if end == len(row) or row[end] != row[start]:
            blocks.append(values[start:end])
            start = end
    return _joined([tuple(arrangements(block)) for block in blocks])


def _joined(choices: Sequence[Sequence[Rationals]]) -> Iterator[Rationals]:
    if not choices:
        yield ()
        return
    for head in choices[0]:
        for tail in _joined(choices[1:]):
            yield (*head, *tail)


def arrangements(values: Rationals) -> Iterator[Rationals]:
    """All distinct orders of the values, the upwards sorted one first."""
    if not values:
        yield ()
        return
    for value in sorted(set(values)):
        at = values.index(value)
        for rest in arrangements((*values[:at], *values[at + 1 :])):
            yield (value, *rest)


def orbit_size(row: Rationals) -> int:
    """How many distinct orders the entries of a row have."""
    size = factorial(len(row))
    for value in set(row):
        size //= factorial(row.count(value))
    return size


def placement(row: Rationals) -> list[int]:
    """order[i]: the class at which ``row`` has its i-th smallest entry."""
    return sorted(range(len(row)), key=lambda c: row[c])


def moved(values: Rationals, order: Sequence[int]) -> Rationals:
    """values[i], known for the sorted row, at class order[i]."""
    out = list(values)
    for value, c in zip(values, order, strict=True):
        out[c] = value
    return tuple(out)


def moved_cell(cell: Cell, order: Sequence[int]) -> Cell:
    """The cell of the row that has entry i of the sorted row at class order[i]."""
    return Cell(
        tuple(moved(P, order) for P in cell.vertices),
        tuple(moved(n, order) for n in cell.normals),
        tuple(None if w is None else moved(w, order) for w in cell.neighbours),
    )
