"""The data the checks use: small enough to read in a failure message, exact in float32, awkward on purpose.

``C`` is ours (UV); a Trial converts it to the convention's constant, so a case is the same problem in every convention.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array, frozen


@dataclass(frozen=True, eq=False)
class Case:
    """A data set with our C; y are class indices, sorted in BASE on purpose (a shuffle is a check of its own)."""

    name: str
    """What a report calls it."""
    X: Array
    """(n x p) features."""
    y: Any
    """n class indices."""
    C: float = 1.0
    """The constant, in our convention."""
    sample_weight: Any = None
    """One weight an example, or None for all 1."""
    classes: tuple[Hashable, ...] | None = None
    """All labels in order, where a class without examples is declared; else None."""
    class_weight: tuple[float, ...] | None = None
    """One weight a class (of labels 0 ... d-1), handed to the solver as such; the problem has them as sample weights."""

    @property
    def weights(self) -> Any:
        """sample_weight_i class_weight[y_i], or None."""
        if self.class_weight is None:
            return self.sample_weight
        each = np.array(self.class_weight)[np.asarray(self.y)]
        return each if self.sample_weight is None else each * np.asarray(self.sample_weight)

    def with_(self, name: str, **changes: Any) -> Case:
        return replace(self, name=name, **changes)

    def first(self, d: int) -> Case:
        """The examples of the first d classes only."""
        keep = np.asarray(self.y) < d
        weight = None if self.sample_weight is None else np.asarray(self.sample_weight)[keep]
        return replace(
            self,
            X=frozen(self.X[keep]),
            y=np.asarray(self.y)[keep],
            sample_weight=weight,
            class_weight=None if self.class_weight is None else self.class_weight[:d],
        )

    def literal(self) -> dict[str, Any]:
        """The case as JSON-ready numbers, for a report."""
        out: dict[str, Any] = {
            "name": self.name,
            "X": np.asarray(self.X, dtype=float).tolist(),
            "y": np.asarray(self.y).tolist(),
            "C": self.C,
        }
        if self.sample_weight is not None:
            out["sample_weight"] = np.asarray(self.sample_weight, dtype=float).tolist()
        if self.class_weight is not None:
            out["class_weight"] = list(self.class_weight)
        return out


def _case(name: str, X: Any, y: Any, C: float = 1.0, **more: Any) -> Case:
    return Case(name, frozen(X), np.asarray(y), C, **more)


_X: list[list[float]] = [
    [2, 1],
    [1, 2],
    [3, 0.5],
    [-0.5, 1],
    [-1, -2],
    [-2, 0.5],
    [-1.5, -1],
    [1, -0.5],
    [1.5, -2],
    [0.5, -1.5],
    [2, -1],
    [-0.5, 0.5],
]
_Y = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
BASE = _case("base", _X, _Y)
"""Three overlapping classes in the plane."""
OFFSET = _case("offset", np.add(_X, [3.0, 2.0]), _Y)
"""BASE away from the origin: the treatment of the bias shows."""
SEPARABLE = _case(
    "separable", [[4, 0], [5, 1], [-2, 4], [-3, 3], [-2, -4], [-3, -5]], [0, 0, 1, 1, 2, 2], 0.25
)
STRETCHED = _case("stretched", np.multiply(_X, [64.0, 1.0]), _Y, 1.0)
"""One feature in other units: slow for first-order solvers, and honest ones say so."""
CONTRADICTORY = _case(
    "contradictory duplicates",
    [[1, 1], [1, 1], [1, 1], [-1, 0], [-1, 0], [0, -2], [0, -2], [2, 0]],
    [0, 1, 2, 0, 1, 1, 2, 0],
)
UNBALANCED = _case(
    "unbalanced",
    [[1, 0], [2, 1], [1, 1], [2, -1], [3, 0], [1, -1], [-1, 1], [-0.5, -0.5]],
    [0, 0, 0, 0, 0, 0, 1, 2],
    0.5,
)
FIVE = _case(
    "five classes",
    [
        [3, 0],
        [2, 1],
        [1, 3],
        [0.5, 1.5],
        [-2, 2],
        [-3, 0.5],
        [-1, -2],
        [0, -1.5],
        [2, -2],
        [1, -3],
        [0.5, 0.5],
        [-0.5, 1],
        [-1, 0.5],
        [1, -1],
        [1.5, -0.5],
    ],
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 2, 3, 4, 0, 1],
)
SQUARE = _case(
    "as many features as classes",
    [[2, 0, 1], [1, 1, 0], [-1, 2, 0.5], [0, 1, -1], [-2, -1, 1], [0.5, -1, 2], [1, -0.5, 0.5]],
    [0, 0, 1, 1, 2, 2, 1],
)
WIDE = _case(
    "more features than examples",
    [
        [1, 0, 2, -1, 0.5, 0, 1, -2],
        [0, 1, 1, 0, -1, 2, 0.5, 1],
        [2, -1, 0, 1, 0, 1, -1, 0],
        [-1, 2, 0.5, 0, 1, -1, 0, 1],
        [0.5, 0, -1, 2, 1, 0, 1, 0],
    ],
    [0, 1, 2, 0, 1],
    0.125,
)
ZERO_FEATURE = _case("a feature that is 0", [[*x, 0] for x in _X], _Y)
CONSTANT_FEATURE = _case("a feature that is 2", [[x, 2] for x, _ in _X], _Y, 0.25)
ZERO_EXAMPLE = _case("an example that is 0", [*_X, [0, 0]], [*_Y, 1])
ONE_FEATURE = _case("one feature", [[x] for x, _ in _X], _Y)
COPIES = _case("examples three times over", [*_X, *_X[3:9:2] * 2], [*_Y, *_Y[3:9:2] * 2])
OPTIMALITY = (BASE, OFFSET, SEPARABLE, UNBALANCED)


def _generic() -> Case:
    sizes, count = (8, 6, 4), 18
    i, j = np.arange(count)[:, None], np.arange(3)
    y = np.repeat(np.arange(3), sizes)
    spread = np.round(2 * np.sin(12.9898 * (i + 1) + 78.233 * (j + 1)), 2)
    return Case("generic", frozen(spread + 0.75 * (y[:, None] == j) + 0.3), y, 0.7)


GENERIC = _generic()
"""No symmetry, no small integers, C = 0.7: what fits here and on a small case fits by no accident."""
