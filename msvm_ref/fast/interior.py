"""The robust finish: Mehrotra's interior-point method on the multipliers of a set of examples, the rest held.

Over the components (i, p) of the chosen examples, x = alpha:

    min 1/2 x' H x - g' x     x >= 0 (z),   sum over each slack group + s = C_i, s >= 0 (lambda),   sum x (Pi nu) = r (b)

H_ab = (k(x_i, x_j) + rho) <(Pi nu)_a, (Pi nu)_b> [+ cost term]. First-order passes crawl where C is large and faces are many;
a barrier does not care. What it returns is near the optimum and strictly inside; passes and Newton steps put it on its face.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from msvm_ref.fast.blocks import OWN, Blocks
from msvm_ref.fast.newton import FACTOR_SPEED, Engine, expansion, gradient
from msvm_ref.model.arrays import Array

LARGEST = 3000
"""Components at once."""
STEPS = 80
CLOSE = 1e-13
RIDGES = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11)


def interior(engine: Engine, machine: Blocks, equality: bool) -> float:
    """Re-solve the examples that matter most, all of them where they fit; the work it was."""
    chosen = _chosen(engine, machine)
    work = STEPS / 4 * float(machine.mask[engine.y[chosen]].sum()) ** 3 / FACTOR_SPEED
    found = _Barrier(engine, machine, chosen, equality).run() if len(chosen) else None
    if found is None:
        return work
    alpha = engine.alpha.copy()
    alpha[chosen], shift = found
    change = expansion(engine, machine, alpha, chosen) - engine.A[chosen]
    engine.set_alpha(alpha, chosen, change, engine.product(chosen, change))
    if equality:
        engine.shift_bias(shift)
    return work


def _chosen(engine: Engine, machine: Blocks) -> NDArray[np.int64]:
    """Examples with cost, those first whose gradient says most: violated or between their bounds."""
    counted = machine.mask[engine.y]
    weighty = np.flatnonzero(engine.cost > 0)
    if counted[weighty].sum() <= LARGEST:
        return weighty
    g, alpha, cost = gradient(engine, machine, engine.scores), engine.alpha, engine.cost[:, None]
    inside = (alpha > 0) & ((alpha < cost) | machine.quadratic)
    wrong = np.where(alpha <= 0, np.maximum(g, 0.0), np.where(inside, abs(g), np.maximum(-g, 0.0)))
    urgency = np.where(counted, wrong + inside * (1.0 + abs(machine.gamma).max()), 0.0).max(axis=1)
    order = weighty[np.argsort(-urgency[weighty], kind="stable")]
    return np.sort(order[:np.searchsorted(counted[order].sum(axis=1).cumsum(), LARGEST)])


class _Barrier:
    def __init__(self, engine: Engine, machine: Blocks, chosen: NDArray[np.int64], equality: bool) -> None:
        self.engine, self.machine, self.chosen = engine, machine, chosen
        y = engine.y[chosen]
        self.example, self.component = np.nonzero(machine.mask[y])
        self.rows = machine.rows[y[self.example], self.component]
        alpha, i = engine.alpha[chosen], self.example
        old = alpha[self.example, self.component]
        unit = float(engine.cost[chosen].mean())  # multipliers in units of the mean cost
        kernel = engine.gram(chosen)
        self.H = (self.rows @ self.rows.T) * kernel[np.ix_(i, i)] * unit**2
        slope = gradient(engine, machine, engine.scores)[chosen][self.example, self.component]
        if machine.quadratic:
            ridge = unit**2 / (2.0 * engine.cost[chosen][i])
            self.H += np.where(np.eye(len(i), dtype=bool) if machine.slack == OWN else i[:, None] == i, ridge[:, None], 0.0)
        self.g = slope * unit + self.H @ (old / unit)
        self.group = np.arange(len(i)) if machine.slack == OWN else i
        self.room = (engine.cost[chosen][i] if machine.slack == OWN else engine.cost[chosen]) / unit
        self.N = self.rows * unit if equality else np.zeros((len(i), 0))
        self.r = (old / unit) @ self.N - engine.A.sum(axis=0) if equality else np.zeros(0)
        self.unit = unit

    def run(self) -> tuple[Array, Array] | None:
        """(alpha of the chosen examples, what b gains)."""
        capped, n = not self.machine.quadratic, len(self.g)
        count = np.bincount(self.group, minlength=len(self.room))
        scale = max(float(abs(self.g).max()), float(self.H.diagonal().max()), 1e-300)
        x = 0.5 * self.room[self.group] / count[self.group] if capped else np.full(n, float(abs(self.machine.gamma).max()) or 1.0)
        z = np.full(n, scale)
        s = self.room - self._sums(x) if capped else np.ones(0)
        price = np.full(len(s), scale)
        b = np.zeros(self.N.shape[1])
        best: tuple[float, Array, Array] | None = None
        for _ in range(STEPS):
            dual = self.g - self.H @ x + z - self._spread(price) - self.N @ b
            primal = self.room - self._sums(x) - s if capped else s[:0]
            miss = self.r - x @ self.N
            mu = (x @ z + s @ price) / (n + len(price)) if capped else x @ z / n
            worst = max(mu * (n + len(price)), float(abs(dual) @ x), float(abs(primal) @ price) if capped else 0.0,
                        float(abs(miss) @ abs(b)))
            size = max(abs(float(self.g @ x)), 1e-300)
            if not np.isfinite(worst):
                break
            if best is None or worst < best[0]:
                best = worst, x.copy(), b.copy()
            elif worst > 1e3 * best[0]:
                break
            if worst <= CLOSE * size:
                break
            factor = self._factor(x, z, s, price)
            if factor is None:
                break
            dx, dz, ds, dp, db = self._direction(factor, x, z, s, price, dual, primal, miss, -x * z, -s * price)
            ahead = self._length(x, dx, z, dz, s, ds, price, dp, 1.0)
            after = (x + ahead * dx) @ (z + ahead * dz) + (s + ahead * ds) @ (price + ahead * dp)
            centre = mu * (after / max(mu * (n + len(price)), 1e-300)) ** 3
            dx, dz, ds, dp, db = self._direction(factor, x, z, s, price, dual, primal, miss, centre - x * z - dx * dz,
                                                 centre - s * price - ds * dp)
            t = self._length(x, dx, z, dz, s, ds, price, dp, 0.995)
            x, z, s, price, b = x + t * dx, z + t * dz, s + t * ds, price + t * dp, b + t * db
        if best is None:
            return None
        alpha = np.zeros((len(self.chosen), self.engine.alpha.shape[1]))
        alpha[self.example, self.component] = best[1] * self.unit
        return alpha, best[2] if self.N.shape[1] else np.zeros(alpha.shape[1])

    def _sums(self, x: Array) -> Array:
        return np.bincount(self.group, weights=x, minlength=len(self.room))

    def _spread(self, price: Array) -> Array:
        return price[self.group] if len(price) else np.zeros(len(self.group))

    def _factor(self, x: Array, z: Array, s: Array, price: Array) -> tuple[object, Array] | None:
        M = self.H.copy()
        M[np.diag_indices_from(M)] += z / x
        if len(s):
            push = (price / s)[self.group]
            if self.machine.slack == OWN:
                M[np.diag_indices_from(M)] += push
            else:
                M += np.where(self.group[:, None] == self.group, push[:, None], 0.0)
        self.scale = 1.0 / np.sqrt(M.diagonal())
        M *= self.scale
        M *= self.scale[:, None]
        for small in RIDGES:  # at unit diagonal: near the end x and z differ by twenty orders of magnitude
            try:
                factor = cho_factor(M + small * np.eye(len(M)), lower=True, check_finite=False, overwrite_a=True)
            except LinAlgError:
                continue
            return factor, self._solve(factor, self.N) if self.N.shape[1] else self.N
        return None

    def _solve(self, factor: object, right: Array) -> Array:
        scale = self.scale if right.ndim == 1 else self.scale[:, None]
        return np.asarray(scale * cho_solve(factor, scale * right, check_finite=False))

    def _direction(self, factor: tuple[object, Array], x: Array, z: Array, s: Array, price: Array, dual: Array, primal: Array,
                   miss: Array, xz: Array, sp: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Newton on the perturbed KKT conditions: x dz + z dx = xz, s dp + price ds = sp."""
        right = dual + xz / x
        if len(s):
            right = right - ((sp - price * primal) / s)[self.group]
        solved = self._solve(factor[0], right)
        db = np.zeros(self.N.shape[1])
        if self.N.shape[1]:
            db = np.linalg.lstsq(self.N.T @ factor[1], self.N.T @ solved - miss, rcond=1e-12)[0]
            solved = solved - factor[1] @ db
        dx = solved
        ds = primal - self._sums(dx) if len(s) else s
        dp = (sp - price * ds) / s if len(s) else price
        return dx, (xz - z * dx) / x, ds, dp, db

    @staticmethod
    def _length(*pairs: object) -> float:
        *arrays, share = pairs
        length = 1.0
        for at, step in zip(arrays[::2], arrays[1::2], strict=True):
            down = step < 0  # type: ignore[operator]
            if down.any():
                length = min(length, share * float((at[down] / -step[down]).min()))  # type: ignore[index, operator]
        return length
