"""Workspace: what solves of one problem at several C keep from each other, handed along explicitly.

A Problem is frozen and knows nothing of solvers. What a solver makes of it that does not depend on C (a compiled cvxpy
model, kernel rows) lives here, for as long as the caller keeps it: ``solve_path`` makes one for its path.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msvm_ref.errors import DataError
from msvm_ref.model.problem import Problem

if TYPE_CHECKING:
    from msvm_ref.solvers.fast.kernel_cache import Rows
    from msvm_ref.solvers.truth.solve import Model


@dataclass(eq=False)
class Workspace:
    """Empty at first, and then of the problem it was first used for (at any C); another problem is refused."""

    models: dict[str, tuple[Model, float]] = field(default_factory=dict)
    """A route's compiled model and the C it was scaled for."""
    rows: dict[float, Rows] = field(default_factory=dict)
    """Kernel rows, by the megabytes allowed."""
    problem: Problem | None = None
    """The problem it belongs to."""

    def claim(self, problem: Problem) -> None:
        """Make sure that what is kept here is this problem's."""
        if self.problem is None:
            self.problem = problem
        mine = self.problem
        same = mine is problem or (
            mine.X is problem.X
            and mine.y is problem.y
            and mine.sample_weight is problem.sample_weight
            and (mine.machine, mine.kernel, mine.bias)
            == (problem.machine, problem.kernel, problem.bias)
        )
        if not same:
            raise DataError(
                "workspace",
                "be used for one problem, at any C",
                f"{problem!r} after {mine!r}",
                "make another Workspace; problem.with_C(C) shares one",
            )
