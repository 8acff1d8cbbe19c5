"""A solver that is declared not to take something: the checks that need it are skipped instead of failed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msvm_ref.conformance.adapters import Fitted, Solver
from msvm_ref.errors import DataError

WORDS = {
    "sample_weight": "sample_weight",
    "absent_class": "classes",
    "class_weight": "class_weight",
}
"""What is said on a command line -> what ``Solver.takes`` calls it."""


def declared(solver: Solver, without: Iterable[str]) -> Solver:
    """``solver`` as it is where nothing is declared."""
    words = tuple(without)
    for word in words:
        if word not in WORDS:
            raise DataError("without", f"have words among {', '.join(WORDS)}", repr(word))
    return Limited(solver, frozenset(WORDS[word] for word in words)) if words else solver


class Limited:
    """``solver`` with less in ``takes``; everything else is its own."""

    def __init__(self, solver: Solver, missing: frozenset[str]) -> None:
        self.solver, self.missing = solver, missing
        self.name, self.takes_labels = solver.name, solver.takes_labels
        self.takes = solver.takes - missing

    def __getattr__(self, name: str) -> Any:
        if name == "solver":  # not there yet while it is being unpickled
            raise AttributeError(name)
        return getattr(self.solver, name)

    def copy(self) -> Limited:
        return Limited(self.solver.copy(), self.missing)

    def fit(
        self, X: Any, y: Any, C: float, sample_weight: Any = None, classes: Any = None, **more: Any
    ) -> Fitted:
        return self.solver.fit(X, y, C, sample_weight, classes, **more)
