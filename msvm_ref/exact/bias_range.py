"""A range for every optimal free bias, proved: the uncertainty of W is in it.

For a feasible alpha and every (W, b), with t = gamma - <Pi nu, f> and xi the slacks of f = W' phi + b,

    P(W, b) - D(alpha) = 1/2 ||W - W_alpha||^2 + sum over slack groups of  F(xi) + sum_p alpha_p (xi - t_p),
    F(xi) = C phi(xi) + h a^2 / (2C) - a xi

with a = sum_p alpha_p, phi and h the cost's (``model/cost.py``); every term is >= 0. At an optimum the left side is at most g
= upper - D(alpha). So ||W* - W_alpha|| <= rho = sqrt(2 g), each t*_ip is within e_ip = ||Pi nu_p|| rho ||phi(x_i)|| of t_ip -
<Pi nu_p, b*>, t the violations of W_alpha without bias, and the sum over groups is at most g. Let beta satisfy sum_ip beta_ip
Pi nu_p = -e_c (-Pi e_c where b is centred). Then b*_c = sum beta t* - sum beta t + (at most sum |beta| e), and with theta > 0
such that beta <= theta alpha and, where the cost is capped, -beta_r <= theta (C - a) in every group, beta_r = sum_{p in r}
beta_p,

    sum beta t* >= sum_r beta_r xi* - theta sum alpha (xi* - t*) >= -theta g + sum_r min_xi {beta_r xi + theta F(xi)}
                 = -theta g + sum_r (beta_r h a / C - h beta_r^2 / (2 C theta)),

the minimum lying at xi = h (a - beta_r / theta) / C, where phi is a parabola. That bounds b*_c from below; -e_c for e_c
bounds it from above. A linear program in floats proposes beta. It is put right in rationals (the equality exactly, theta as
large as needed), and the bound evaluated: nothing rests on the program's answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from msvm_ref.exact.numbers import fraction, rational
from msvm_ref.exact.rigorous import dual_end, exact_expansion, exactly_feasible, outward
from msvm_ref.judge.equality import as_float
from msvm_ref.judge.image import image_of_coef, levels
from msvm_ref.judge.rounding import UNDERFLOW
from msvm_ref.model.arrays import Array, frozen
from msvm_ref.model.loss import by_class, shift_free
from msvm_ref.model.problem import Problem

CLOSE = 1e-9
"""A multiplier (or a group's room) below this part of its C is taken for 0 when beta is proposed."""


def certified_interval(problem: Problem, alpha: Array, upper: float) -> Array:
    """(d, 2): outer bounds of b_c over every optimal (W, b); ``upper`` is at least the optimum."""
    setting = _Setting.of(problem, alpha, upper)
    out = np.empty((problem.d, 2))
    for c in range(problem.d):
        for side, sign in enumerate((1, -1)):
            bound = None if setting is None else setting.least(c, sign)
            out[c, side] = -sign * math.inf if bound is None else sign * outward(bound, -1)
    return frozen(out)


@dataclass(frozen=True, eq=False)
class _Setting:
    """The pairs (i, p) that count, and for each: alpha, t, e, the row Pi nu, the group; for each group C and a."""

    problem: Problem
    gap: Fraction
    i: NDArray[np.int64]
    p: NDArray[np.int64]
    alpha: list[fmpq]
    t: Array
    e: Array
    group: NDArray[np.int64]
    cost: list[fmpq]
    mass: list[fmpq]

    @classmethod
    def of(cls, problem: Problem, alpha: Array, upper: float) -> _Setting | None:
        if not math.isfinite(upper):
            return None
        exact = exactly_feasible(problem, alpha)
        gap = max(Fraction(upper) - dual_end(problem, exact), Fraction(0))
        i, p = np.nonzero(problem.spec.mask[problem.y] & (problem.costs > 0)[:, None])
        A = np.array([[float(fraction(v)) for v in r] for r in exact_expansion(problem, exact)])
        image = image_of_coef(problem, A, levels(problem, problem.n)[-1], 1e-15 * abs(A))
        spec, f, error = (
            problem.spec,
            np.asarray(image.scores, float),
            np.asarray(image.error, float),
        )
        if not (np.isfinite(f).all() and np.isfinite(error).all()):
            return None
        size = abs(spec.gamma[problem.y]) + by_class(abs(spec.projected_nu), problem.y, abs(f))
        reach = (
            math.sqrt(2 * gap)
            * problem.lengths[:, None]
            * np.linalg.norm(spec.projected_nu, axis=2)[problem.y]
        )
        e = (
            reach * (1 + 1e-9)
            + by_class(abs(spec.projected_nu), problem.y, error)
            + 1e-14 * problem.d * size
        )
        t = spec.gamma[problem.y] - by_class(spec.projected_nu, problem.y, f)
        group = np.searchsorted(np.unique(i), i) if spec.shared else np.arange(len(i))
        owners = np.unique(i) if spec.shared else i
        cost = [rational(problem.exact_cost(int(k))) for k in owners]
        values, mass = [exact[a][b] for a, b in zip(i, p, strict=True)], [fmpq(0)] * len(owners)
        for k, v in zip(group, values, strict=True):
            mass[k] += v
        return cls(problem, gap, i, p, values, t[i, p], e[i, p], group, cost, mass)

    def least(self, c: int, sign: int) -> Fraction | None:
        """A rational at most sign * b_c for every optimal b; None where none is found."""
        goal = [fmpq(-sign * int(m == c)) for m in range(self.problem.d)]
        if self.problem.spec.sum_to_zero or shift_free(self.problem):
            goal = [v + fmpq(sign, self.problem.d) for v in goal]
        guess = self._proposed([float(fraction(v)) for v in goal])
        beta = None if guess is None else self._restored(guess, goal)
        return None if beta is None else self._bound(beta)

    def _proposed(self, goal: list[float]) -> Array | None:
        """min sum beta t + sum |beta| e + theta g over beta = up - down, floats."""
        unit = max(self.cost, default=fmpq(1))
        alpha, cost, mass = (
            np.array([float(fraction(v / unit)) for v in values])
            for values in (self.alpha, self.cost, self.mass)
        )
        k, capped = len(alpha), self.problem.spec.capped
        held = np.where(alpha > CLOSE * cost[self.group], alpha, 0.0)
        room = np.where(cost - mass > CLOSE * cost, cost - mass, 0.0)
        rows = self._rows
        each = sparse.eye_array(k, format="csr")
        share = sparse.csr_array((np.ones(k), (self.group, np.arange(k))), shape=(len(cost), k))
        tops = [sparse.hstack([each, -each, -held[:, None]])]
        if capped:
            tops.append(sparse.hstack([-share, share, -room[:, None]]))
        slack = self.problem.spec.width * (mass / cost)[self.group]
        price = np.concatenate(
            [self.t - slack + self.e, slack - self.t + self.e, [float(self.gap / fraction(unit))]]
        )
        scale = max(float(abs(price).max()), 1e-300)
        limits = sparse.vstack(tops).tocsr()
        found: Any = linprog(
            price / scale,
            A_ub=limits,
            b_ub=np.zeros(limits.shape[0]),
            A_eq=sparse.hstack(
                [
                    sparse.csr_array(rows.T),
                    sparse.csr_array(-rows.T),
                    sparse.csr_array((rows.shape[1], 1)),
                ]
            ).tocsr(),
            b_eq=goal,
            bounds=(0, None),
            method="highs",
        )
        if found.x is None:
            return None
        beta = found.x[:k] - found.x[k : 2 * k]
        beta = np.where((beta > 0) & (held == 0), 0.0, beta)
        if capped and not self.problem.spec.shared:
            beta = np.where((beta < 0) & (room[self.group] == 0), 0.0, beta)
        return np.asarray(beta)

    @property
    def _rows(self) -> Array:
        return np.asarray(self.problem.spec.projected_nu[self.problem.y[self.i], self.p])

    def _restored(self, guess: Array, goal: list[fmpq]) -> list[fmpq] | None:
        """beta with sum beta Pi nu = goal exactly: what floats left over is spread over multipliers strictly inside."""
        d, y = self.problem.d, self.problem.y[self.i]
        nu = self.problem.machine.projected_nu(d)
        beta = [rational(float(v)) for v in guess]
        rest = list(goal)
        for v, a, b in zip(beta, y, self.p, strict=True):
            if v:
                rest = [r - v * rational(u) for r, u in zip(rest, nu[a][b], strict=True)]
        if not any(rest):
            return beta
        inside = [
            k
            for k, v in enumerate(self.alpha)
            if v > CLOSE_Q * self.cost[self.group[k]]
            and (
                not self.problem.spec.capped
                or self.cost[self.group[k]] - self.mass[self.group[k]]
                > CLOSE_Q * self.cost[self.group[k]]
            )
        ]
        inside += [k for k, v in enumerate(guess) if v]  # those that beta leans on already, last
        first = {(int(y[k]), int(self.p[k])): k for k in reversed(inside)}
        pairs, chosen = zip(*reversed(first.items()), strict=True) if first else ((), ())
        columns = [[rational(u) for u in nu[a][b]] for a, b in pairs]
        if not columns:
            return None
        lines = [[column[m] for column in columns] + [rest[m]] for m in range(d)]
        reduced, rank = fmpq_mat(lines).rref()
        for line in reduced.tolist()[:rank]:
            pivot = next(j for j, v in enumerate(line) if v)
            if pivot == len(columns):
                return None
            beta[chosen[pivot]] += line[-1]
        return beta

    def _bound(self, beta: list[fmpq]) -> Fraction | None:
        """-sum beta t - sum |beta| e - theta g + sum_r (beta_r h a / C - h beta_r^2 / (2 C theta)), theta the best there is."""
        theta = fmpq(0)
        sums = [fmpq(0)] * len(self.cost)
        for k, v in enumerate(beta):
            sums[self.group[k]] += v
            if v > 0:
                if not self.alpha[k]:
                    return None
                theta = max(theta, v / self.alpha[k])
        total, bend, h = Fraction(0), 0.0, rational(self.problem.machine.slack_cost.width)
        for k, v in enumerate(sums):
            room = self.cost[k] - self.mass[k]
            if v < 0 and self.problem.spec.capped:
                if not room:
                    return None
                theta = max(theta, -v / room)
            if v and h:
                total += fraction(h * v * self.mass[k] / self.cost[k])
                bend += as_float(h * v * v / (2 * self.cost[k]))
        for k, v in enumerate(beta):
            if v:
                value = fraction(v)
                total -= value * Fraction(float(self.t[k])) + abs(value) * Fraction(
                    float(self.e[k])
                )
        if not self.gap or not any(beta):
            return total  # theta may be as large as one likes
        if bend and not math.isfinite(bend := bend * (1 + 1e-9) + UNDERFLOW):
            return None
        best = math.sqrt(bend / max(float(self.gap), UNDERFLOW))
        least = max(fraction(theta), Fraction(best))
        return total - least * self.gap - (Fraction(bend) / least if bend else 0)


CLOSE_Q = rational(CLOSE)
