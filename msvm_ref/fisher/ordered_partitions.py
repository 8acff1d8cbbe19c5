"""The ordered partition loss (Wang, Scott 2020), which the Weston-Watkins hinge embeds.

    S = (S_1, ..., S_l), l > 1, disjoint with union {1 ... d}
    l_y(S) = |S_1| - 1 + sum_{i < j} |S_1 ∪ ... ∪ S_{i+1}|     for y in S_j

The first block holds the classes that could be the label, the later ones are ruled out more and more firmly.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

Partition = tuple[tuple[int, ...], ...]


def compositions(d: int) -> Iterator[tuple[int, ...]]:
    """All ways to write d as an ordered sum of two or more positive sizes."""
    for cuts in range(1, d):
        for at in combinations(range(1, d), cuts):
            ends = (0, *at, d)
            yield tuple(b - a for a, b in pairwise(ends))


def composition_row(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The losses of the partition that puts the first classes into S_1, the next into S_2, and so on."""
    row, value, seen = [], sizes[0] - 1, sizes[0]
    for j, size in enumerate(sizes):
        if j:
            seen += size
            value += seen
        row += [value] * size
    return tuple(row)


def ordered_partitions(d: int) -> Iterator[Partition]:
    """Every ordered partition of 0 ... d-1 into two or more blocks."""

    def fill(sizes: tuple[int, ...], left: tuple[int, ...]) -> Iterator[Partition]:
        if not sizes:
            yield ()
            return
        for block in combinations(left, sizes[0]):
            rest = tuple(c for c in left if c not in block)
            for tail in fill(sizes[1:], rest):
                yield (block, *tail)

    for sizes in compositions(d):
        yield from fill(sizes, tuple(range(d)))


def partition_losses(partition: Partition) -> tuple[int, ...]:
    order = [c for block in partition for c in block]
    row = composition_row(tuple(len(block) for block in partition))
    return tuple(value for _, value in sorted(zip(order, row, strict=True)))
