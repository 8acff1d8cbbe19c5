"""The least pointwise risk at many P, one after the other: the feasible set stays, only the objective changes.

    R*(P)   = min over f of sum_y P_y L_y(f)                                 (f in the machine's score space)
    R*_k(P) = the same over the f that rank class k first:  f_k >= f_m for every m

As a linear program in scores and slacks the constraints do not mention P. Its duals lambda_p >= 0, eta_m >= 0 satisfy

    sum_{p in r} lambda_p <= P_y,   sum_p lambda_p nu_p = sum_m eta_m (e_m - e_k)  on the score space,

and sum_p gamma_p lambda_p = R*: by weak duality they prove, with arithmetic alone, that no scores do better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msvm_ref.exact.lp import Program, Standing
from msvm_ref.fisher.loss import Number, PointLoss, Vector

Table = tuple[Vector, ...]


@dataclass(frozen=True)
class Least:
    """``value`` = R*(P), attained at ``f``; ``multipliers[y][c]`` = lambda, ``order[m]`` = eta (zero where k is not set)."""

    value: Number
    f: Vector
    multipliers: Table
    order: Vector


class LeastRisk:
    """``top``: the class k that f must rank first; None: any f. Constants that change nothing are fixed by sum f = 0."""

    def __init__(self, loss: PointLoss, top: int | None = None) -> None:
        self.loss, self.top = loss, top
        self.groups = [(y, group) for y in range(loss.d) for group in loss.groups[y]]
        self.parts = [(y, p) for y, group in self.groups for p in group]
        self.size = loss.d - 1 if loss.pinned else loss.d
        one = loss.zero + 1
        program = Program(loss.zero, [True] * self.size + [False] * len(self.groups))
        for q, (_, group) in enumerate(self.groups):
            for p in group:
                row = {m: -v for m, v in self._reduced(p.nu).items()}
                program.at_most({**row, self.size + q: -one}, -p.gamma)
        self.rivals = [] if top is None else [m for m in range(loss.d) if m != top]
        for m in self.rivals:
            ahead = [one if c == m else -one if c == top else loss.zero for c in range(loss.d)]
            program.at_most(self._reduced(ahead), loss.zero)
        self.program, self.standing = program, Standing(program)

    def _reduced(self, normal: Sequence[Number]) -> dict[int, Number]:
        """<normal, f> in the free scores: the last one is minus the sum of the others where sum f = 0."""
        last = normal[-1] if self.loss.pinned else self.loss.zero
        return {m: v - last for m, v in enumerate(normal[: self.size]) if v != last}

    def _cost(self, P: Sequence[Number]) -> dict[int, Number]:
        return {self.size + q: -P[y] for q, (y, _) in enumerate(self.groups)}

    def at(self, P: Sequence[Number], then: Sequence[Number] | None = None) -> Least:
        """R*(P) with evidence; among its minimisers, one that minimises R_then as well."""
        loss, d = self.loss, self.loss.d
        best = self.standing.maximize(self._cost(P), None if then is None else self._cost(then))
        f = best.x[: self.size]
        if loss.pinned:
            f = (*f, -sum(f, loss.zero))
        table = [[loss.zero] * d for _ in range(d)]
        for (y, p), weight in zip(self.parts, best.y_ub, strict=False):
            table[y][p.c] = weight
        order = [loss.zero] * d
        for m, weight in zip(self.rivals, best.y_ub[len(self.parts) :], strict=True):
            order[m] = weight
        return Least(-best.value, f, tuple(tuple(row) for row in table), tuple(order))

    def within(self, losses: Sequence[Number]) -> Vector:
        """Scores f with L_y(f) <= losses_y for every y; there must be some."""
        zero, one = self.loss.zero, self.loss.zero + 1
        program = Program(zero, self.program.free)
        for row, bound in self.program.ub:
            program.at_most(row, bound)
        for y, most in enumerate(losses):
            mine = {self.size + q: one for q, (z, _) in enumerate(self.groups) if z == y}
            program.at_most(mine, most)
        f = Standing(program).maximize({}).x[: self.size]
        return (*f, -sum(f, zero)) if self.loss.pinned else f
