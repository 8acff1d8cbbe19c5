"""Exact linear programming with certificates, over any ordered field.

    max c.x   s.t.  A_ub x <= b_ub,  A_eq x = b_eq,  x_j >= 0 unless j is free

``Optimum`` carries dual values (y_ub >= 0, y_ub A_ub + y_eq A_eq >= c with equality at free columns, and
y.b = value); ``Infeasible`` carries Farkas multipliers (y_ub >= 0, y A >= 0 with equality at free columns, y.b < 0).
Two-phase tableau; the largest reduced cost enters, and Bland's rule takes over while the objective stands still, so
it cannot cycle. Numbers need + - * / and comparison with 0: ``flint.fmpq`` for speed, or the infinitesimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Number = Any
PATIENCE = 12
"""Pivots without progress after which Bland's rule takes over."""


@dataclass(frozen=True)
class Optimum:
    value: Number
    x: tuple[Number, ...]
    y_ub: tuple[Number, ...]
    y_eq: tuple[Number, ...]


@dataclass(frozen=True)
class Infeasible:
    y_ub: tuple[Number, ...]
    y_eq: tuple[Number, ...]


class UnboundedError(ArithmeticError):
    """The objective grows without bound over the feasible set."""


class Program:
    """A linear program built row by row; ``zero`` is the field's zero."""

    def __init__(self, zero: Number, free: Sequence[bool]) -> None:
        self.zero, self.free = zero, list(free)
        self.ub: list[tuple[dict[int, Number], Number]] = []
        self.eq: list[tuple[dict[int, Number], Number]] = []

    def at_most(self, row: dict[int, Number], bound: Number) -> None:
        self.ub.append((row, bound))

    def equal(self, row: dict[int, Number], value: Number) -> None:
        self.eq.append((row, value))

    def maximize(self, cost: dict[int, Number]) -> Optimum | Infeasible:
        return _Tableau(self, cost).run()


class Standing:
    """One feasible set, many objectives: each search starts from the vertex where the last one ended.

    For programs of inequalities alone. ``then`` breaks ties: among the maximisers of ``cost``, one of largest ``then``.
    """

    def __init__(self, program: Program) -> None:
        assert not program.eq
        self.program, self.tableau = program, _Tableau(program, {})
        if not self.tableau.find_feasible():
            raise ValueError("the program has no feasible point")
        self.tableau.drop_artificials()

    def maximize(self, cost: dict[int, Number], then: dict[int, Number] | None = None) -> Optimum:
        tableau = self.tableau
        reduced = tableau.optimize(tableau.expanded(cost))
        if (
            then is not None
        ):  # pivots on columns of reduced cost 0 leave the first objective as it is
            tableau.optimize(tableau.expanded(then), [value == 0 for value in reduced])
        slack = tableau.first_slack
        duals = tuple(-value for value in reduced[slack : slack + len(self.program.ub)])
        return Optimum(-reduced[-1], tableau.solution(), duals, ())


class _Tableau:
    """Columns: the variables, the negatives of the free ones, one slack per <=, one unit column per row, the bound."""

    def __init__(self, program: Program, cost: dict[int, Number]) -> None:
        zero, n = program.zero, len(program.free)
        self.program, self.zero, self.one = program, zero, zero + 1
        self.mirror = {j: n + i for i, j in enumerate(j for j in range(n) if program.free[j])}
        lines = program.ub + program.eq
        self.first_slack = first_slack = n + len(self.mirror)
        self.first_unit = first_slack + len(program.ub)
        self.width = self.first_unit + len(lines)
        self.flip: list[bool] = []
        self.unit: list[int] = []
        self.basis: list[int] = []
        self.rows: list[list[Number]] = []
        for i, (row, bound) in enumerate(lines):
            line = [zero] * (self.width + 1)
            for j, value in row.items():
                line[j] = line[j] + value
                if j in self.mirror:
                    line[self.mirror[j]] = line[self.mirror[j]] - value
            if i < len(program.ub):
                line[first_slack + i] = self.one
            line[-1] = bound + zero
            flip = bool(line[-1] < 0)
            if flip:
                line = [-v for v in line]
            slack_is_basic = i < len(program.ub) and not flip
            self.unit.append(first_slack + i if slack_is_basic else self.first_unit + i)
            line[self.unit[-1]] = self.one
            self.flip.append(flip)
            self.basis.append(self.unit[-1])
            self.rows.append(line)
        self.cost = self.expanded(cost)

    def expanded(self, cost: dict[int, Number]) -> list[Number]:
        """The objective over all columns."""
        row = [self.zero] * (self.width + 1)
        for j, value in cost.items():
            row[j] = row[j] + value
            if j in self.mirror:
                row[self.mirror[j]] = -row[j]
        return row

    def run(self) -> Optimum | Infeasible:
        if not self.find_feasible():
            y = self._duals(self.phase_one, self.artificial)
            return Infeasible(*self._split(y))
        reduced = self.optimize(self.cost)
        return Optimum(
            -reduced[-1],
            self.solution(),
            *self._split(self._duals(reduced, [self.zero] * (self.width + 1))),
        )

    def find_feasible(self) -> bool:
        """Phase one: drive the artificials to zero, if that is possible."""
        self.artificial = [self.zero] * (self.width + 1)
        for column in self.unit:
            if column >= self.first_unit:
                self.artificial[column] = -self.one
        self.phase_one = self.optimize(self.artificial)
        if self.phase_one[-1] != 0:  # the last entry is minus the value
            return False
        self._leave_artificials()
        return True

    def drop_artificials(self) -> None:
        """Shorter rows for many objectives; the duals are then read off the slacks."""
        self.rows = [[*row[: self.first_unit], row[-1]] for row in self.rows]
        self.width = self.first_unit

    def solution(self) -> tuple[Number, ...]:
        z = [self.zero] * (self.width + 1)
        for row, j in zip(self.rows, self.basis, strict=True):
            z[j] = row[-1]
        n = len(self.program.free)
        return tuple(z[j] - z[self.mirror[j]] if j in self.mirror else z[j] for j in range(n))

    def optimize(self, cost: list[Number], allowed: list[bool] | None = None) -> list[Number]:
        """Pivot until no allowed column improves; the reduced costs, minus the value last."""
        reduced = list(cost)
        for row, j in zip(self.rows, self.basis, strict=True):
            if cost[j] != 0:
                factor = cost[j]
                reduced = [r - factor * v if v else r for r, v in zip(reduced, row, strict=True)]
        still = 0
        while True:
            enter = self._entering(reduced, still >= PATIENCE, allowed)
            if enter is None:
                return reduced
            ratios = [
                (row[-1] / row[enter], self.basis[i], i)
                for i, row in enumerate(self.rows)
                if row[enter] > 0
            ]
            if not ratios:
                raise UnboundedError("the linear program is unbounded")
            least, _, leave = min(ratios)
            still = still + 1 if least == 0 else 0
            self._pivot(leave, enter)
            factor = reduced[enter]
            reduced = [
                r - factor * v if v else r for r, v in zip(reduced, self.rows[leave], strict=True)
            ]

    def _entering(
        self, reduced: list[Number], bland: bool, allowed: list[bool] | None
    ) -> int | None:
        best, chosen = self.zero, None
        for j in range(self.first_unit):  # artificials never come back
            if reduced[j] > best and (allowed is None or allowed[j]):
                if bland:
                    return j
                best, chosen = reduced[j], j
        return chosen

    def _pivot(self, leave: int, enter: int) -> None:
        inverse = self.one / self.rows[leave][enter]
        pivot = [v * inverse if v else v for v in self.rows[leave]]
        self.rows[leave] = pivot
        for i, row in enumerate(self.rows):
            factor = row[enter]
            if i != leave and factor != 0:
                self.rows[i] = [v - factor * w if w else v for v, w in zip(row, pivot, strict=True)]
        self.basis[leave] = enter

    def _leave_artificials(self) -> None:
        """Artificials still basic stand at zero; swap each for a real column, or leave it in an all-zero row."""
        for i, j in enumerate(self.basis):
            if j >= self.first_unit:
                enter = next((c for c in range(self.first_unit) if self.rows[i][c] != 0), None)
                if enter is not None:
                    self._pivot(i, enter)

    def _duals(self, reduced: list[Number], cost: list[Number]) -> list[Number]:
        """y_i from the reduced cost of row i's unit column, r = cost - y_i, the flip undone."""
        y = [cost[column] - reduced[column] for column in self.unit]
        return [-v if flip else v for v, flip in zip(y, self.flip, strict=True)]

    def _split(self, y: list[Number]) -> tuple[tuple[Number, ...], tuple[Number, ...]]:
        m = len(self.program.ub)
        return tuple(y[:m]), tuple(y[m:])
