"""Agglomerative clustering of classes by their pair margins (TH07 section 2; docs/mathematics.md, E23).

    complete linkage   D(A, B) = max of the margins between A and B        single linkage   D(A, B) = min of them

Both merge the two clusters with the *smallest* D. (NP's sentence merges with the furthest neighbour; E23.) Ties go to the
clusters that come first by their smallest class. TH07 = Tibshirani, Hastie, "Margin trees for high-dimensional
classification", JMLR 8 (2007), as NP tell it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

Group = tuple[int, ...]
Linkage = Literal["complete", "single"]


@dataclass(frozen=True)
class Merge:
    """Two clusters joined at ``height`` = D(left, right)."""

    left: Group
    right: Group
    height: float

    @property
    def members(self) -> Group:
        return tuple(sorted(self.left + self.right))


def cluster(
    classes: Group, distance: Mapping[tuple[int, int], float], rule: Linkage
) -> list[Merge]:
    """The merges from the bottom up; ``distance[j, k]`` for j < k."""
    pick = max if rule == "complete" else min
    clusters: list[Group] = [(c,) for c in sorted(classes)]
    merges = []
    while len(clusters) > 1:

        def apart(pair: tuple[Group, Group]) -> float:
            return pick(distance[min(j, k), max(j, k)] for j in pair[0] for k in pair[1])

        left, right = min(combinations(clusters, 2), key=apart)
        merges.append(Merge(left, right, apart((left, right))))
        clusters = sorted([c for c in clusters if c not in (left, right)] + [merges[-1].members])
    return merges


def kept_together(
    classes: Group, distance: Mapping[tuple[int, int], float], below: float
) -> list[Group]:
    """Complete-linkage clusters in which every pair of classes is closer than ``below``."""
    clusters: list[Group] = [(c,) for c in sorted(classes)]
    for merge in cluster(classes, distance, "complete"):
        if merge.height >= below:  # heights do not fall: nothing later is tighter
            break
        clusters = sorted(
            [c for c in clusters if c not in (merge.left, merge.right)] + [merge.members]
        )
    return clusters
