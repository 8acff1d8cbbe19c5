"""Machines, settings and small data that every test file may use."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from importlib.util import find_spec
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import msvm_ref as mr

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
"""The nightly profile runs whole products; every other one a table in which every pair of values meets."""


by_night = pytest.mark.skipif(not NIGHTLY, reason="nightly")


def thinned(values: Iterable[Any], step: int) -> list[Any]:
    """Every ``step``-th, whose neighbours are left to the night; all of them there."""
    return list(values)[:: 1 if NIGHTLY else step]


MACHINES = (
    mr.WW,
    mr.CS,
    mr.LLW,
    mr.MMR,
    mr.MMR_ORTHO,
    mr.OVA,
    mr.AMO,
    mr.ATM,
    mr.ATS,
    *(mr.RM(Fraction(k, 4)) for k in thinned(range(5), 2)),
)
BIASES = ("none", "free", "penalized")
COSTS = ("linear", "quadratic")
DOCS = NIGHTLY or all(find_spec(name) is not None for name in ("mkdocs", "mkdocstrings"))
"""With the extra ``docs`` the pages are run, built and looked at; without it, the README is run."""


def table(main: Sequence[Sequence[Any]], extra: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """The product of ``main``, each row with the one choice of ``extra`` factors that lets most new pairs of values meet; of
    equal ones that whose values were chosen least.
    """
    factors = [*main, *extra]
    places = [range(len(values)) for values in factors]
    met: set[tuple[tuple[int, int], ...]] = set()
    chosen = Counter[tuple[int, int]]()

    def merit(option: tuple[int, ...]) -> tuple[int, int]:
        return len(set(pairs(option)) - met), -sum(chosen[value] for value in enumerate(option))

    rows = []
    for row in product(*places[: len(main)]):
        options = [(*row, *choice) for choice in product(*places[len(main) :])]
        taken = options if NIGHTLY else [max(options, key=merit)]
        met.update(pair for option in taken for pair in pairs(option))
        chosen.update(value for option in taken for value in enumerate(option))
        rows += taken
    return [tuple(values[k] for values, k in zip(factors, row, strict=True)) for row in rows]


def pairs(row: Sequence[int]) -> list[tuple[tuple[int, int], ...]]:
    return list(combinations(enumerate(row), 2))


def label(value: Any) -> str:
    """A parameter's name in a test id."""
    return str(getattr(value, "name", value))


def blobs(
    d: int, per_class: int = 5, p: int = 3, spread: float = 1.2, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping classes around random centres."""
    rng = np.random.default_rng([seed, d])
    y = np.arange(d * per_class) % d
    return rng.normal(size=(len(y), p)) + spread * rng.normal(size=(d, p))[y], y


WEIGHTINGS = ("equal", "weighted")


def weights(kind: str, n: int) -> np.ndarray | None:
    """None, or weights from 0 to 3 that fall on each class (an example in five has none)."""
    return None if kind == "equal" else np.array([1.0, 0.25, 3.0, 0.0, 0.5])[np.arange(n) * 3 % 5]


def distance(a: mr.Solution, b: mr.Solution) -> float:
    """||W_a - W_b|| of two solutions of one problem, through its Gram where that has no coordinates."""
    if a.problem.is_linear:
        return float(np.linalg.norm(a.W - b.W))
    apart = a.coef - b.coef
    return float(np.sqrt(max((apart * (a.problem.gram @ apart)).sum(), 0.0)))
