"""The best dual point that can be built for a primal candidate without solving its problem afresh.

Start from the multipliers the candidate's own violations suggest, then alternate accelerated projected gradient steps on
the dual (which settle who is at a bound) with active-set Newton steps on the multipliers strictly inside (which reach
the last digits). A free bias enters by the method of multipliers: the dual gains -<b, r> - rho/2 ||r||^2 with
r = sum alpha Pi nu, and b <- b + rho r. Whatever comes out is only a proposal: the judge repairs and evaluates it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certify import worth
from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import (
    clipped,
    expansion,
    group_sums,
    margins,
    pair_rows,
    ridges,
    slack_rate,
    slacks,
    violations,
)
from msvm_ref.model.problem import Problem

Mask = NDArray[np.bool_]
ROUNDS, GRADIENT_STEPS, NEWTON_STEPS, NEWTON_SIZE = 40, 40, 25, 800


STALE, PATIENCE = 0.02, 10
"""A round that closes less than STALE of what is left is stale; after PATIENCE rounds three in a row end the search."""


def suggested_alpha(problem: Problem, t: Array) -> Array:
    """alpha in the subdifferential of the loss at violations t, ties shared: C_i phi'(xi) x softmax weights."""
    scale = max(float(abs(problem.spec.gamma).max()), 1e-300) * 1e-3
    lifted = np.where(np.isfinite(t), t, -np.inf) / scale
    if problem.spec.shared:
        floor = -np.inf if problem.spec.width else 0.0  # a linear slack may also stay unused
        top = np.maximum(lifted.max(axis=1, keepdims=True), floor)
        weight = np.exp(lifted - top)
        weight = weight / (weight.sum(axis=1, keepdims=True) + np.exp(floor - top))
    else:
        weight = (
            np.exp(-np.logaddexp(0.0, -lifted))
            if problem.spec.width == 0
            else np.isfinite(t).astype(float)
        )
    rate = slack_rate(problem.spec, slacks(problem, t)) if problem.spec.width else 1.0
    return clipped(problem, np.nan_to_num(problem.costs[:, None] * rate * weight))


def best_dual(problem: Problem, scores: Array, b: Array, upper: float) -> Array:
    """An alpha whose repaired dual value is as high as ROUNDS of the above get it; stops when it meets ``upper``.

    ``scores`` are the candidate's, without bias.
    """
    climb = DualClimb(problem, b + scores.mean(axis=0) if problem.bias == "free" else b)
    alpha = suggested_alpha(problem, violations(problem, scores + b))
    best, best_value, stale = alpha, -np.inf, 0
    for turn in range(ROUNDS):
        if turn:  # the suggestion itself is judged first
            alpha = climb.polish(climb.climb(alpha))
        judged = worth(problem, Candidate(alpha=alpha))
        value = judged.low
        stale = (
            0 if not value - best_value <= STALE * (upper - value) else stale + 1
        )  # upper may be NaN: no target
        if value > best_value and judged.dual is not None:
            best, best_value = judged.dual.alpha, value
        if best_value >= upper * (1 - 1e-13) or (stale >= 3 and turn >= PATIENCE):
            break
        climb.update_bias(alpha)
    return best


class DualClimb:
    """The (augmented) dual of a problem: its gradient, its curvature, and steps that climb it.

    Under a free bias the features are centred, and b is the bias that goes with them.
    """

    def __init__(self, problem: Problem, b: Array) -> None:
        self.problem, self.spec, self.b = problem, problem.spec, b.copy()
        phi = problem.dense_features - (
            problem.dense_features.mean(axis=0) if problem.bias == "free" else 0.0
        )
        column = {
            "none": 0.0,
            "penalized": 1.0,
            "free": float(np.sqrt((phi * phi).sum(axis=1).mean())) or 1.0,
        }
        self.rho = column[problem.bias] ** 2
        self.phi = (
            np.concatenate([phi, np.full((len(phi), 1), column[problem.bias])], axis=1)
            if self.rho
            else phi
        )
        self.ridge = ridges(problem)[:, None]
        gain = float(abs(self.spec.gamma).max()) or 1.0
        self.step = min(
            1.0 / self._largest_curvature(), 1e3 * (float(problem.costs.max()) or 1.0) / gain
        )

    def gradient(self, alpha: Array) -> Array:
        """gamma - mu(W_alpha) - <Pi nu, b> - h (group sum) / C, zero off the components."""
        W = self.phi.T @ expansion(self.problem, alpha)
        scores = self.phi @ W + (self.b if self.problem.bias == "free" else 0.0)
        g = self.spec.gamma[self.problem.y] - margins(self.problem, scores)
        return np.where(
            self.spec.mask[self.problem.y], g - self.ridge * group_sums(self.problem, alpha), 0.0
        )

    def update_bias(self, alpha: Array) -> None:
        if self.problem.bias == "free":
            self.b = self.b + self.rho * expansion(self.problem, alpha).sum(axis=0)

    def climb(self, alpha: Array) -> Array:
        """Nesterov's accelerated projected gradient, restarted when it turns back."""
        here, ahead, momentum = alpha, alpha, 1.0
        for _ in range(GRADIENT_STEPS):
            after = self.project(ahead + self.step * self.gradient(ahead))
            if ((after - here) * (ahead - after)).sum() > 0:
                momentum = 1.0
            faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead = after + (momentum - 1) / faster * (after - here)
            here, momentum = after, faster
        return here

    def project(self, alpha: Array) -> Array:
        """Euclidean projection on alpha >= 0 with each slack group's sum at most C_i."""
        inside = np.where(self.spec.mask[self.problem.y], np.maximum(alpha, 0.0), 0.0)
        cost = self.problem.costs[:, None]
        if not self.spec.capped:
            return np.where(cost > 0, inside, 0.0)
        if not self.spec.shared:
            return np.minimum(inside, cost)
        order = -np.sort(-inside, axis=1)
        excess = (np.cumsum(order, axis=1) - cost) / np.arange(1, self.spec.d + 1)
        count = np.maximum((order > excess).sum(axis=1), 1)
        level = np.maximum(np.take_along_axis(excess, count[:, None] - 1, axis=1), 0.0)
        return np.asarray(np.maximum(inside - level, 0.0))

    def polish(self, alpha: Array) -> Array:
        """Newton steps on the multipliers inside their bounds; one that meets a bound stays there for this call.

        A step is cut at the first bound, or projected whole where that climbs higher (it drops many at once).
        """
        cost, capped = self.problem.costs[:, None], self.spec.capped
        tiny = 1e-9 * np.maximum(cost, 0.0 if capped else alpha.max(initial=0.0))
        alpha = np.where(alpha > tiny, alpha, 0.0)
        full = np.zeros((self.problem.n, 1), dtype=bool)
        if capped:
            full = group_sums(self.problem, alpha) >= cost * (1 - 1e-9)
            alpha = alpha if self.spec.shared else np.where(full, cost, alpha)
        free = (alpha > 0) & (self.spec.shared | (not capped) | ~full)
        for _ in range(NEWTON_STEPS):
            if not 0 < free.sum() <= NEWTON_SIZE:
                break
            step, shift = self._newton_step(
                alpha, free, full[:, 0] if self.spec.shared and capped else None
            )
            length = self._longest(alpha, step, full)
            cut = self.project(
                np.where(free & (alpha + length * step <= tiny), 0.0, alpha + length * step)
            )
            if length == 1.0:
                residual = abs(expansion(self.problem, cut).sum(axis=0)).max()
                if (
                    residual <= 1e-9 * abs(expansion(self.problem, cut)).sum()
                ):  # the step met the equality: so does b
                    self.b = self.b + shift
                return cut
            whole = self.project(np.where(free, alpha + step, alpha))
            alpha = whole if self.value(whole) > self.value(cut) else cut
            free &= (alpha > 0) & (self.spec.shared | (not capped) | (alpha < cost))
            if self.spec.shared and capped:
                full |= group_sums(self.problem, alpha) >= cost * (1 - 1e-12)
        return alpha

    def _longest(self, alpha: Array, step: Array, full: Mask) -> float:
        """The longest t <= 1 with alpha + t step feasible."""
        limits = [1.0]
        down = step < 0
        if down.any():
            limits.append(float((alpha[down] / -step[down]).min()))
        if self.spec.capped:
            rise, room = (
                group_sums(self.problem, step),
                self.problem.costs[:, None] - group_sums(self.problem, alpha),
            )
            up = (rise > 1e-12 * abs(step).max()) & (~full if self.spec.shared else True)
            if up.any():
                limits.append(float((np.maximum(room, 0.0)[up] / rise[up]).min()))
        return min(limits)

    def value(self, alpha: Array) -> float:
        """The (augmented) dual value: 1/2 <alpha, grad(0) + grad(alpha)> for a quadratic."""
        return (
            float((alpha * (self.gradient(np.zeros_like(alpha)) + self.gradient(alpha))).sum()) / 2
        )

    def _newton_step(self, alpha: Array, free: Mask, saturated: Mask | None) -> tuple[Array, Array]:
        """Maximise the quadratic model over the free multipliers, keeping saturated groups' sums and r + delta_r = 0.

        The second result is that equality's multiplier: what b must gain for the step's gradient to vanish.
        """
        i, p = np.nonzero(free)
        rows = pair_rows(self.spec, self.problem.y[i], p)
        hessian = (rows @ rows.T) * (self.phi[i] @ self.phi[i].T)
        if self.spec.width:
            same = (i[:, None] == i) if self.spec.shared else np.eye(len(i), dtype=bool)
            hessian = hessian + same * self.ridge[i, 0][:, None]
        gradient = self.gradient(alpha)[free]
        equalities = np.zeros((0, len(i)))
        rhs = np.zeros(0)
        if saturated is not None and saturated[i].any():
            groups, index = np.unique(i[saturated[i]], return_inverse=True)
            equalities = np.zeros((len(groups), len(i)))
            equalities[index, np.nonzero(saturated[i])[0]] = 1.0
            rhs = np.zeros(len(groups))
        if self.problem.bias == "free":
            equalities = np.concatenate([equalities, rows.T])
            rhs = np.concatenate([rhs, -expansion(self.problem, alpha).sum(axis=0)])
        k, m = len(i), len(rhs)
        small = 1e-12 * max(float(np.diag(hessian).max()), 1e-300)
        system = np.block(
            [[hessian + small * np.eye(k), equalities.T], [equalities, -small * 1e-3 * np.eye(m)]]
        )
        try:
            solved = np.nan_to_num(np.linalg.solve(system, np.concatenate([gradient, rhs])))
        except np.linalg.LinAlgError:
            solved = np.concatenate([gradient * self.step, np.zeros(m)])
        step = np.zeros_like(alpha)
        step[free] = solved[:k]
        return step, solved[
            len(solved) - self.spec.d :
        ] if self.problem.bias == "free" else np.zeros(self.spec.d)

    def _largest_curvature(self) -> float:
        """lambda_max of the dual's Hessian by power iteration, raised by 5 %."""
        v = np.where(
            self.spec.mask[self.problem.y],
            1.0
            + 0.01
            * np.sin(np.arange(self.problem.n * self.spec.d)).reshape(self.problem.n, self.spec.d),
            0.0,
        )
        size = 0.0
        for _ in range(30):
            norm = float(np.linalg.norm(v))
            if norm == 0:
                break
            v = v / norm
            scores = self.phi @ (self.phi.T @ expansion(self.problem, v))
            v = np.where(
                self.spec.mask[self.problem.y],
                margins(self.problem, scores) + self.ridge * group_sums(self.problem, v),
                0.0,
            )
            size = float(np.linalg.norm(v))
        return max(size * 1.05, 1e-300)
