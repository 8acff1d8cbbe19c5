"""What an embedded loss is called: the names people have for discrete losses, recognised exactly.

Every comparison is between rationals, up to one factor and one additive constant, which change no decision. A loss that has
no name of its own is described by its orbits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from msvm_ref.fisher.cells import orbit_size
from msvm_ref.fisher.ordered_partitions import composition_row, compositions

Rationals = tuple[Fraction, ...]


@dataclass(frozen=True)
class Name:
    """``learns``: in words, what a report says; ``embeds``: which loss; ``kind``: a key for programs."""

    kind: str
    learns: str
    embeds: str


def named(d: int, rows: Sequence[Rationals], symmetric: bool) -> Name:
    """``rows``: one per orbit, sorted upwards, where classes are alike; otherwise all of them."""
    orbits = list(rows) if symmetric else _orbits(rows)
    if orbits is not None:
        return _constant(orbits) or _sets(d, orbits) or _partitions(d, orbits) or _table(orbits)
    return _cost_sensitive(d, rows) or _listed(rows)


def _orbits(rows: Sequence[Rationals]) -> list[Rationals] | None:
    """One row per orbit where the rows are closed under permutations of the classes, else None."""
    counted = Counter(tuple(sorted(row)) for row in rows)
    closed = all(orbit_size(row) == count for row, count in counted.items())
    return sorted(counted) if closed else None


def _constant(orbits: list[Rationals]) -> Name | None:
    if len(orbits) == 1 and len(set(orbits[0])) == 1:
        return Name(
            "nothing", "nothing: one report for every P", f"the constant loss {orbits[0][0]}"
        )
    return None


def _sets(d: int, orbits: list[Rationals]) -> Name | None:
    """Rows with one value on a set S of classes and a larger one off it: S is what is reported."""
    if any(len(set(row)) > 2 for row in orbits):
        return None
    sets = {row.count(row[0]): row for row in orbits}
    if len(sets) < len(orbits):
        return None
    sizes = sorted(sets)
    inside, outside = sets[sizes[0]][0], sets[sizes[0]][-1]
    factor = _times(outside - inside)
    plus = f" + {inside}" if inside else ""
    if sizes == [1]:
        return Name("0-1", "the class", f"{factor}(0-1){plus}")
    if sizes == [d - 1]:
        return Name("least", "the least likely class", f"{factor}[y = the class named]{plus}")
    if len(sizes) == 1:
        return Name(
            f"top-{sizes[0]}",
            f"the {sizes[0]} most likely classes",
            f"{factor}top-{sizes[0]}{plus}",
        )
    if sizes == [1, d]:
        price = (sets[d][0] - inside) / (outside - inside)
        return Name(
            "abstain",
            f'the class, or "none above {1 - price}"',
            f"{factor}(0-1) with abstention at {price}{plus}",
        )
    sure = " or ".join(_of_classes(k, d) for k in sizes)
    prices = "; ".join(
        f"{k} of {d}: {sets[k][0]} if right, {sets[k][-1]} if wrong"
        if k < d
        else f"all: {sets[k][0]}"
        for k in sizes
    )
    return Name("sets", sure, f"sets of classes ({prices})")


def _of_classes(k: int, d: int) -> str:
    if k == d:
        return '"any"'
    return "the class" if k == 1 else f"the {k} most likely"


def _partitions(d: int, orbits: list[Rationals]) -> Name | None:
    expected = sorted(composition_row(sizes) for sizes in compositions(d))
    factor = max(max(row) for row in orbits) / max(max(row) for row in expected)
    if sorted(orbits) == [tuple(factor * v for v in row) for row in expected]:
        return Name(
            "partitions",
            "an ordered partition of the classes",
            f"{_times(factor)}the ordered partition loss",
        )
    return None


def _table(orbits: list[Rationals]) -> Name:
    count = sum(map(orbit_size, orbits))
    shown = ", ".join(f"({' '.join(map(str, row))}) ×{orbit_size(row)}" for row in orbits[:4])
    more = ", …" if len(orbits) > 4 else ""
    ranks = max(len(set(row)) for row in orbits)
    return Name(
        "orbits",
        f"one of {count} reports, up to {ranks} grades of classes",
        f"losses {shown}{more}",
    )


def _cost_sensitive(d: int, rows: Sequence[Rationals]) -> Name | None:
    """d rows, each best for one class of its own: what is left of a loss once each class's least loss is taken off."""
    least = [min(column) for column in zip(*rows, strict=True)]
    costs = [tuple(v - low for v, low in zip(row, least, strict=True)) for row in rows]
    own = [row.index(0) for row in costs if row.count(0) == 1]
    if len(rows) != d or sorted(own) != list(range(d)):
        return None
    table = "; ".join(
        f"{c + 1}: {' '.join(str(v) for v in row)}"
        for c, row in sorted(zip(own, costs, strict=True))
    )
    return Name("cost-sensitive", "the class, with unequal costs", f"costs of naming {table}")


def _listed(rows: Sequence[Rationals]) -> Name:
    if len(rows) == 1:
        return Name(
            "nothing",
            "nothing: one report for every P",
            f"the loss ({' '.join(map(str, rows[0]))}), whatever P",
        )
    shown = ", ".join(f"({' '.join(map(str, row))})" for row in rows[:4])
    more = ", …" if len(rows) > 4 else ""
    return Name("rows", f"one of {len(rows)} reports", f"losses {shown}{more}")


def _times(factor: Fraction) -> str:
    return "" if factor == 1 else f"{factor} × "
