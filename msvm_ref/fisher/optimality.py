"""For which P do given scores f minimise the risk? A linear program in (P, lambda).

    f minimises R_P  <=>  there are lambda_p >= 0, on components p active at f (t_p = the group's slack), with
        sum_{p in group of y} lambda_p = P_y  where the slack is positive,  <= P_y  where it is 0,
        sum_p lambda_p nu_p = 0  (a multiple of the ones vector under sum-to-zero).

The multipliers of the stationarity rows are a direction u; linear-programming duality turns "no such P is bad" into
"moving f along u lowers the risk of every bad P", which is what proofs are made of (see prover.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msvm_ref.exact.lp import Infeasible, Optimum, Program
from msvm_ref.fisher.loss import Component, Number, PointLoss, Vector, slack


@dataclass(frozen=True)
class Active:
    """A slack group at f: the class it belongs to, the components at its maximum, and whether the slack is positive."""

    y: int
    parts: tuple[Component, ...]
    positive: bool


def active_groups(loss: PointLoss, f: Sequence[Number]) -> list[Active]:
    actives = []
    for y, groups in enumerate(loss.groups):
        for group in groups:
            top = slack(group, f, loss.zero)
            actives.append(Active(y, tuple(p for p in group if p.at(f) == top), bool(top > 0)))
    return actives


@dataclass(frozen=True)
class Multipliers:
    """lambda[y][c] of one P."""

    values: tuple[tuple[Number, ...], ...]


@dataclass(frozen=True)
class WorstProbability:
    """The best P of a program: ``value`` > 0 means a bad P exists; otherwise ``directions`` prove that none does."""

    value: Number
    P: Vector
    multipliers: tuple[Multipliers, ...]
    directions: tuple[Vector, ...]
    a: Vector
    b: Vector


class _Cone:
    """Rows of the program above for ``copies`` points P + eps (e_i - 1/d), or for P alone (copies = 0)."""

    def __init__(self, loss: PointLoss, f: Sequence[Number], copies: int) -> None:
        self.loss, self.copies = loss, copies
        self.active = active_groups(loss, f)
        d, count = loss.d, max(copies, 1)
        self.parts = [
            (g, p) for g in range(len(self.active)) for p in range(len(self.active[g].parts))
        ]
        self.s = d
        self.first = d + 1
        per = len(self.parts) + int(loss.sum_to_zero)
        free = (
            [False] * d
            + [True]
            + ([False] * len(self.parts) + [True] * int(loss.sum_to_zero)) * count
        )
        self.program = Program(loss.zero, free)
        for i in range(count):
            self._add_copy(i, self.first + i * per)
        self.per = per

    def _add_copy(self, i: int, first: int) -> None:
        """Stationarity rows come first, d per copy, so that their duals are the direction u_i."""
        loss, d, one = self.loss, self.loss.d, self.loss.zero + 1
        for m in range(d):
            row = {
                first + q: self.active[g].parts[p].nu[m]
                for q, (g, p) in enumerate(self.parts)
                if self.active[g].parts[p].nu[m]
            }
            if loss.sum_to_zero:
                row[first + len(self.parts)] = one
            self.program.equal(row, loss.zero)
        self.stationarity = d
        for g, group in enumerate(self.active):
            row = {first + q: one for q, (h, _) in enumerate(self.parts) if h == g}
            if not row:
                continue
            row[group.y] = -one
            if self.copies:
                row[self.s] = one / d - (one if i == group.y else loss.zero)
            (self.program.equal if group.positive else self.program.at_most)(row, loss.zero)

    def stationarity_rows(self) -> list[int]:
        """The index, among the equalities, of the first stationarity row of each copy."""
        positive = sum(1 for g in self.active if g.positive and g.parts)
        return [i * (self.loss.d + positive) for i in range(max(self.copies, 1))]

    def multipliers(self, x: Vector) -> tuple[Multipliers, ...]:
        d, tables = self.loss.d, []
        for i in range(max(self.copies, 1)):
            table = [[self.loss.zero] * d for _ in range(d)]
            for q, (g, p) in enumerate(self.parts):
                table[self.active[g].y][self.active[g].parts[p].c] = x[
                    self.first + i * self.per + q
                ]
            tables.append(Multipliers(tuple(tuple(row) for row in table)))
        return tuple(tables)


def worst_probability(
    loss: PointLoss, f: Sequence[Number], k: int, j: int, mode: str
) -> WorstProbability:
    """The P that f, predicting k, minimises and that is worst for it, class j being the likelier one.

    closed:   max s,  P_j - P_k >= s
    generic:  max s,  P_c >= s,  P_j - P_c >= s for c != j             (P > 0, j the only Bayes class, where s > 0)
    open:     max s,  the same, and f minimises at each of P + s (e_i - 1/d), i = 1 ... d: a neighbourhood of P
    Where f minimises for no P at all, the value is negative and the direction lowers every risk.
    """
    d, one = loss.d, loss.zero + 1
    cone = _Cone(loss, f, d if mode == "open" else 0)
    rows_ub, total = len(cone.program.ub), len(cone.program.eq)
    pairs, floors = _bad_rows(cone, k, j, mode)
    cone.program.equal(dict.fromkeys(range(d), one), one)
    result = cone.program.maximize({cone.s: one})
    if isinstance(result, Infeasible):
        return _everywhere(cone, result, result.y_eq[total], k, mode)
    return _read(cone, result, rows_ub, pairs, floors)


def neighbourhood(
    loss: PointLoss, f: Sequence[Number], k: int, j: int, P: Sequence[Number]
) -> tuple[Number, tuple[Multipliers, ...]] | None:
    """The largest s for which f minimises, and is bad, at each P + s (e_i - 1/d), with multipliers; None if s = 0."""
    d, zero, one = loss.d, loss.zero, loss.zero + 1
    towards = [[(one if c == i else zero) - one / d for c in range(d)] for i in range(d)]
    reach = []
    for step in towards:  # the P that f minimises are convex, so one direction at a time will do
        cone = _Cone(loss, f, 0)
        _bad_rows(cone, k, j, "open")
        for c in range(d):
            cone.program.equal({c: one, cone.s: -step[c]}, P[c])
        result = cone.program.maximize({cone.s: one})
        if isinstance(result, Infeasible) or result.value <= 0:
            return None
        reach.append(result.value)
    s = min(reach)
    multipliers = [
        multipliers_at(loss, f, [p + s * v for p, v in zip(P, step, strict=True)])
        for step in towards
    ]
    return s, tuple(m for m in multipliers if m is not None)


def _bad_rows(cone: _Cone, k: int, j: int, mode: str) -> tuple[list[int], list[int]]:
    """s <= P_j - P_c for the classes of the first list, s <= P_c for those of the second."""
    d, zero, one = cone.loss.d, cone.loss.zero, cone.loss.zero + 1
    pairs = [k] if mode == "closed" else [c for c in range(d) if c != j]
    floors = [] if mode == "closed" else [*range(d)]
    for c in pairs:
        cone.program.at_most({cone.s: one, c: one, j: -one}, zero)
    for c in floors:
        cone.program.at_most({cone.s: one, c: -one}, zero)
    return pairs, floors


def _everywhere(
    cone: _Cone, result: Infeasible, fall: Number, k: int, mode: str
) -> WorstProbability:
    """Farkas multipliers: L'_y(f; u) <= fall < 0 for every y, so f minimises for no P."""
    loss = cone.loss
    a = [loss.zero if mode == "closed" else -fall] * loss.d
    b = [-fall if mode == "closed" and c == k else loss.zero for c in range(loss.d)]
    directions = tuple(tuple(result.y_eq[i : i + loss.d]) for i in cone.stationarity_rows())
    return WorstProbability(fall, (), (), directions, tuple(a), tuple(b))


def _read(
    cone: _Cone, result: Optimum, rows_ub: int, pairs: list[int], floors: list[int]
) -> WorstProbability:
    loss = cone.loss
    a, b = [loss.zero] * loss.d, [loss.zero] * loss.d
    for c, value in zip(pairs, result.y_ub[rows_ub:], strict=False):
        b[c] = value
    for c, value in zip(floors, result.y_ub[rows_ub + len(pairs) :], strict=False):
        a[c] = value
    directions = tuple(tuple(result.y_eq[i : i + loss.d]) for i in cone.stationarity_rows())
    return WorstProbability(
        result.value,
        tuple(result.x[: loss.d]),
        cone.multipliers(result.x),
        directions,
        tuple(a),
        tuple(b),
    )


def multipliers_at(loss: PointLoss, f: Sequence[Number], P: Sequence[Number]) -> Multipliers | None:
    """lambda that proves f a minimiser of R_P, or None if it is not one."""
    pushed = subgradient(loss, f, P, None)
    return pushed[1] if pushed else None


def subgradient(
    loss: PointLoss, f: Sequence[Number], P: Sequence[Number], w: Sequence[Number] | None
) -> tuple[Number, Multipliers] | None:
    """The largest eps such that eps w is a subgradient of R_P at f: -sum lambda nu = eps w (mod ones, sum-to-zero)."""
    cone = _Cone(loss, f, 0)
    program, one = cone.program, loss.zero + 1
    for m in range(loss.d):
        if w is not None and w[m]:
            program.eq[m][0][cone.s] = w[m]
    for c in range(loss.d):
        program.equal({c: one}, P[c])
    program.at_most({cone.s: one}, one)
    result = program.maximize({cone.s: one})
    return None if isinstance(result, Infeasible) else (result.value, cone.multipliers(result.x)[0])


def is_unique(
    loss: PointLoss, f: Sequence[Number], P: Sequence[Number]
) -> tuple[Multipliers, ...] | None:
    """Evidence that f is the only minimiser (up to a constant where constants change nothing), or None.

    f is alone iff 0 lies inside the subdifferential: eps_i w_i belongs to it, eps_i > 0, for vectors w_i that
    positively span the score space (spanning_set).
    """
    subgradients = []
    for w in spanning_set(loss):
        pushed = subgradient(loss, f, P, w)
        if pushed is None or pushed[0] <= 0:
            return None
        subgradients.append(pushed[1])
    return tuple(subgradients)


def spanning_set(loss: PointLoss) -> list[Vector]:
    """w_i = e_i - 1/d on {sum f = 0}; e_1 ... e_d and -1 on R^d: some <w_i, u> > 0 for every u != 0."""
    d, zero, one = loss.d, loss.zero, loss.zero + 1
    unit = [tuple(one if m == i else zero for m in range(d)) for i in range(d)]
    if loss.pinned:
        return [tuple(v - one / d for v in e) for e in unit]
    return [*unit, tuple(-one for _ in range(d))]
