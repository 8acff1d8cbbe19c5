"""What a proof of Fisher consistency looks like: a tree of cases whose leaves are single inequalities.

A case (k, j) claims that no f with k among its largest scores minimises the risk of a P for which j is likelier than
k (mode by mode, see fisher.py). Its tree splits the scores by the sign of affine functions of f; a leaf says either

* ``Empty``: multipliers that combine the leaf's constraints into 0 > 0: there are no such scores; or
* ``Descent``: directions u_i along which the risk of every bad P falls (or, open mode, of all but a thin set).

Every number is an exact rational. ``checker.verify_proof`` re-verifies the JSON form without this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Vector = tuple[Fraction, ...]


def text(values: Vector) -> list[str]:
    return [str(v) for v in values]


@dataclass(frozen=True)
class Empty:
    """A leaf without scores: its constraints contradict one another."""

    multipliers: Vector
    """One per constraint (the root's, then one per split on the path), adding up to 0 > 0."""

    def to_dict(self) -> dict[str, Any]:
        return {"empty": text(self.multipliers)}


@dataclass(frozen=True)
class Descent:
    """sum_i L'_y(f; u_i) <= -a_y + b_y (y != j),  <= -a_j - sum b (y = j): negative in total for every bad P."""

    directions: tuple[Vector, ...]
    """The u_i."""
    a: Vector
    """a_y >= 0, by class."""
    b: Vector
    """b_y >= 0, by class; b_j = 0."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "directions": [text(u) for u in self.directions],
            "a": text(self.a),
            "b": text(self.b),
        }


@dataclass(frozen=True)
class Split:
    """The sign of h(f) = <normal, f> + constant."""

    normal: Vector
    """Coefficients of f."""
    constant: Fraction
    """What is added."""
    negative: Node
    """The tree where h < 0."""
    zero: Node
    """The tree where h = 0."""
    positive: Node
    """The tree where h > 0."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "normal": text(self.normal),
            "constant": str(self.constant),
            "negative": self.negative.to_dict(),
            "zero": self.zero.to_dict(),
            "positive": self.positive.to_dict(),
        }


Node = Empty | Descent | Split


@dataclass(frozen=True)
class ProofCase:
    """No minimiser ranks k first where j is likelier."""

    k: int
    """The class ranked first."""
    j: int
    """The likelier class."""
    tree: Node
    """Why."""

    def to_dict(self) -> dict[str, Any]:
        return {"k": self.k, "j": self.j, "tree": self.tree.to_dict()}


@dataclass(frozen=True)
class Proof:
    """All cases: (0, j) with sorted scores for a machine that treats classes alike, every (k, j) otherwise."""

    d: int
    """How many classes."""
    mode: str
    """The sense of consistency that is proved."""
    symmetric: bool
    """Does one k stand for all?"""
    cases: tuple[ProofCase, ...]
    """One tree for each (k, j)."""

    @property
    def leaves(self) -> int:
        """How many inequalities the proof consists of."""
        return sum(_leaves(case.tree) for case in self.cases)

    def to_dict(self) -> dict[str, Any]:
        return {
            "d": self.d,
            "mode": self.mode,
            "symmetric": self.symmetric,
            "cases": [c.to_dict() for c in self.cases],
        }


def _leaves(node: Node) -> int:
    return (
        sum(map(_leaves, (node.negative, node.zero, node.positive)))
        if isinstance(node, Split)
        else 1
    )
