"""Margin trees (TH07 as NP section 2 tells it): a binary tree of classes, the widest margin first.

At a node with classes S the *greedy* tree splits S into G and H with the largest margin m(G, H) over all
2^(|S|-1) - 1 partitions. *linkage* finds the same split with fewer machines: let m_0 be the margin of the complete-linkage
tree's top split. A pair closer than m_0 is not separated by any partition as good as m_0 (a group margin is at most
each of its pair margins), so complete-linkage clusters below m_0 stay whole, and partitions are tried in the order
of their smallest pair margin until that falls below the best margin found. *complete* and *single* take the splits
of those clusterings themselves. Margins are enclosures: a split is ``decided`` when its lower bound exceeds
every other partition's upper bound, otherwise the first partition (by the class indices) of those that may be widest is
taken. *linkage* is *greedy* wherever the splits are decided.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from msvm_ref.errors import DataError, MsvmError
from msvm_ref.model.arrays import Array
from msvm_ref.model.cost import Cost
from msvm_ref.model.kernels import Kernel, KernelFunction, linear
from msvm_ref.model.problem import Bias
from msvm_ref.reductions.binary import BinarySVM, Codes, Solve
from msvm_ref.reductions.linkage import Group, cluster, kept_together
from msvm_ref.reductions.margins import MarginInterval, Separation, separate
from msvm_ref.reductions.samples import Samples
from msvm_ref.solvers.methods import solve as by_default

Rule = Literal["greedy", "linkage", "complete", "single"]
MOST_PARTITIONS = 4095
"""More partitions of one node than this (13 groups and more) are refused: each may cost an SVM."""


@dataclass(frozen=True, eq=False)
class ClassSplit:
    """A node: its classes in two groups; left holds the smallest class."""

    left: ClassSplit | int
    """The node below, or the class, of the first group."""
    right: ClassSplit | int
    """Likewise of the second."""
    machine: BinarySVM
    """Speaks for ``left`` where h >= 0."""
    margin: MarginInterval
    """The margin between the groups."""
    decided: bool
    """False where the certificates leave another partition that may be as wide."""

    @property
    def members(self) -> Group:
        return tuple(sorted(self.machine.first + self.machine.second))

    def walk(self) -> Iterator[ClassSplit]:
        """The splits from the top down."""
        yield self
        for child in (self.left, self.right):
            if isinstance(child, ClassSplit):
                yield from child.walk()


@dataclass(frozen=True, eq=False)
class MarginTree:
    """A binary tree of classes."""

    samples: Samples
    """The data."""
    rule: Rule
    """How splits were chosen."""
    root: ClassSplit
    """The top split."""
    trained: int
    """How many SVMs it took."""

    @property
    def machines(self) -> tuple[BinarySVM, ...]:
        return tuple(split.machine for split in self.root.walk())

    def predict_codes(self, X: Any) -> Codes:
        new = self.samples.new_points(X)
        codes = np.empty(new.shape[0], dtype=np.int64)
        _descend(self.root, new, np.arange(new.shape[0]), codes)
        return codes

    def splits(self) -> tuple[tuple[Group, Group], ...]:
        """The tree as data: (left, right) of every split, top down."""
        return tuple((s.machine.first, s.machine.second) for s in self.root.walk())


def _descend(node: ClassSplit | int, new: Array, rows: Codes, codes: Codes) -> None:
    if isinstance(node, int):
        codes[rows] = node
    elif rows.size:
        left = node.machine.score(new[rows]) >= 0
        _descend(node.left, new, rows[left], codes)
        _descend(node.right, new, rows[~left], codes)


def margin_tree(
    X: Any,
    y: Any,
    C: float = 1.0,
    kernel: Kernel | KernelFunction = linear,
    bias: Bias = "free",
    cost: Cost = "linear",
    sample_weight: Any = None,
    classes: Sequence[Hashable] | None = None,
    rule: Rule = "linkage",
    solve: Solve = by_default,
) -> MarginTree:
    """Grow a margin tree; C = math.inf asks for hard margins and refuses data that are not separable."""
    if not isinstance(rule, str) or rule not in get_args(Rule):
        raise DataError("rule", f"be one of {', '.join(get_args(Rule))}", repr(rule))
    samples = Samples.of(X, y, C, kernel, bias, cost, sample_weight, classes)
    grower = _Grower(samples, rule, solve)
    if rule != "greedy":
        for j, k in combinations(range(samples.n_classes), 2):
            grower.pairs[j, k] = grower.separation((j,), (k,)).margin
    root = grower.grow(tuple(range(samples.n_classes)))
    return MarginTree(samples, rule, root, len(grower.known))


@dataclass
class _Grower:
    samples: Samples
    rule: Rule
    solve: Solve
    pairs: dict[tuple[int, int], MarginInterval] = field(default_factory=dict)
    known: dict[tuple[Group, Group], Separation] = field(default_factory=dict)

    def separation(self, left: Group, right: Group) -> Separation:
        if (left, right) not in self.known:
            self.known[left, right] = separate(self.samples, left, right, self.solve)
        return self.known[left, right]

    def grow(self, classes: Group) -> ClassSplit:
        (left, right), decided = self._choose(classes)
        separation = self.separation(left, right)
        if self.samples.hard and separation.margin.lower <= 0:
            names = [[self.samples.classes[c] for c in group] for group in (left, right)]
            raise DataError(
                "X",
                f"separate {names[0]!r} from {names[1]!r} for C = inf",
                f"no separating plane; a margin would be at most {separation.margin.upper:.2g}",
                "pass a finite C for a soft margin",
            )
        children = [group[0] if len(group) == 1 else self.grow(group) for group in (left, right)]
        return ClassSplit(children[0], children[1], separation.machine, separation.margin, decided)

    def _choose(self, classes: Group) -> tuple[tuple[Group, Group], bool]:
        if len(classes) == 2:
            return ((classes[0],), (classes[1],)), True
        if self.rule == "greedy":
            return self._widest(
                list(partitions([(c,) for c in classes])), MarginInterval(0.0, math.inf)
            )
        heights = {pair: margin.value for pair, margin in self.pairs.items()}
        top = cluster(classes, heights, "single" if self.rule == "single" else "complete")[-1]
        split = _ordered(top.left, top.right)
        if self.rule != "linkage":
            return split, True
        start = self.separation(*split).margin
        whole = kept_together(
            classes, {pair: self._most(margin) for pair, margin in self.pairs.items()}, start.lower
        )
        return self._widest(list(partitions(whole)), start)

    def _widest(
        self, options: list[tuple[Group, Group]], start: MarginInterval
    ) -> tuple[tuple[Group, Group], bool]:
        """The first of the partitions that may be the widest, and whether it is the only one.

        ``limits`` bounds a partition's margin before it is trained; with none known every partition is trained.
        """
        limits = {option: self._limit(*option) for option in options}
        best = start.lower
        rivals: dict[tuple[Group, Group], float] = {}
        for option in sorted(options, key=lambda o: -limits[o]):
            if limits[option] < best:
                break
            margin = self.separation(*option).margin
            rivals[option] = min(margin.upper, limits[option])
            best = max(best, margin.lower)
        widest = [option for option in options if rivals.get(option, -1.0) >= best]
        if not widest:
            raise MsvmError(
                "partitions",
                f"include the one with margin {best!r}",
                "narrower ones only",
                "this is a bug in the margin tree; please report the data",
            )
        return widest[0], len(widest) == 1

    def _limit(self, left: Group, right: Group) -> float:
        """The smallest pair margin across the partition: no group margin exceeds it."""
        pairs = (self.pairs.get((min(j, k), max(j, k))) for j in left for k in right)
        return min((self._most(margin) for margin in pairs if margin is not None), default=math.inf)

    def _most(self, margin: MarginInterval) -> float:
        """What a pair margin allows to groups: nothing where only a Gram is given, whose parts have factors of their own."""
        kernel = self.samples.whole.kernel
        return margin.upper if kernel == linear or kernel.has_bounds else math.inf


def _ordered(a: Group, b: Group) -> tuple[Group, Group]:
    a, b = tuple(sorted(a)), tuple(sorted(b))
    return (a, b) if a < b else (b, a)


def partitions(groups: Sequence[Group]) -> Iterator[tuple[Group, Group]]:
    """Every way to divide ``groups`` in two, the smallest class on the left; 2^(k-1) - 1 of them, in a fixed order."""
    first, *rest = sorted(groups)
    if 2 ** len(rest) - 1 > MOST_PARTITIONS:
        raise DataError(
            "rule",
            f"leave at most {MOST_PARTITIONS} partitions of a node",
            f"{len(groups)} groups to divide",
            "use rule='complete' or 'single' for so many classes",
        )
    for size in range(len(rest)):
        for chosen in combinations(rest, size):
            left = sum(chosen, first)
            right: Group = sum((g for g in rest if g not in chosen), ())
            yield tuple(sorted(left)), tuple(sorted(right))
