"""Mehrotra's iteration on one set of components; T, the weights they make or the scores they feel, need not fit them yet:

    min 1/2 |T|^2 - g' x    T = Z'x,   x >= 0 (z),   each slack group + s = C_i, s >= 0 (price),   sum x (Pi nu) = r (b)

So it starts in the middle of the bounds and yet at the margins of the passes: T = Z'x of the middle has margins, and with
them z and prices, that are larger by orders of magnitude, the more so the larger C. Where nothing couples the classes, each
goes as far as it can by itself, in a lane of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.components import Components
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.face import gradient
from msvm_ref.solvers.fast.systems import System

STEPS, IN_VAIN = 80, 5
"""At most, and those that do not get any nearer before it ends: directions are rounding then."""
NEARER, BACK = 0.99, 0.995
"""What counts as nearer, and the part of the longest step that is taken."""
FINER = 0.05
"""The products x z of a lane aim at no less than this part of what is wanted: below, T only loses digits."""
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class _Point:
    inside: Array
    """x, and after it what is left of each slack"""
    push: Array
    """Their multipliers: z, and after them the prices of slack."""
    b: Array
    T: Array


@dataclass(frozen=True, eq=False)
class _Left:
    """What a point misses of: the slope of each component, the room of each group, T = Z'x, the equality."""

    dual: Array
    room: Array
    T: Array
    equality: Array


class Barrier:
    """Multipliers are in units of the mean cost."""

    def __init__(
        self,
        engine: Engine,
        machine: Blocks,
        parts: Components,
        system: System,
        surer: Callable[[], System] | None,
        equality: bool,
    ) -> None:
        """``surer`` makes a system that takes over where ``system``, of the same T, loses its digits."""
        self.parts, self.system, self.capped = parts, system, machine.capped
        self.surer = surer
        self.old = parts.of(engine.alpha[parts.chosen]) / parts.unit
        slope = parts.of(gradient(engine, machine, engine.scores)[parts.chosen])
        self.n = len(slope)
        self.g = slope * parts.unit + system.felt(self.old, system.effect(self.old))
        self.begun = 0.5 * float((self.g + slope * parts.unit) @ self.old)
        self.N = parts.rows * parts.unit if equality else np.zeros((self.n, 0))
        self.r = self.old @ self.N - engine.A.sum(axis=0) if equality else np.zeros(0)
        self.start = float(abs(machine.gamma).max()) or 1.0  # 2 C xi in units of C
        self.lane = parts.lane
        if (
            self.capped
        ):  # classes have lanes of their own only where components have slacks of theirs
            group_lane = parts.lane if parts.own else np.zeros(len(parts.room), dtype=np.int64)
            self.lane = np.concatenate([parts.lane, group_lane])
        self.sizes = np.bincount(self.lane, minlength=parts.lanes)

    def run(
        self, close: float, late: Callable[[], bool], value: float = 0.0
    ) -> tuple[Array, Array, Array] | None:
        """(alpha of the chosen examples, the same on its face, what b gains); ``value`` is that of the whole dual at first."""
        at, vain = self._middle(), 0
        best: tuple[float, _Point] | None = None
        for _ in range(STEPS):
            left, products = self._left(at), at.inside * at.push
            worst, dual = self._worst(at, left)
            wanted = close * max(value + dual - self.begun, TINY)
            if not np.isfinite(worst) or (best is not None and worst > 1e3 * best[0]):
                break
            vain = 0 if best is None or worst < NEARER * best[0] else vain + 1
            if vain >= IN_VAIN:
                break
            if best is None or worst < best[0]:
                best = worst, at
            if worst <= wanted or late() or not self._factor(at):
                break
            step = self._direction(at, left, -products, False)
            ahead = self._moved(at, step, self._longest(at, step))
            now = self._by_lane(products)
            fell = self._by_lane(ahead.inside * ahead.push) / np.maximum(now, TINY)
            target = np.maximum(now * fell**3, FINER * wanted / len(now)) / self.sizes
            aim = target[self.lane] - products - step.inside * step.push
            step = self._direction(at, left, aim, True)
            if self.system.rough and self.surer is not None:
                self.system, self.surer = self.surer(), None
                continue
            at = self._moved(at, step, np.minimum(BACK * self._longest(at, step), 1.0))
        if best is None:
            return None
        central, face = (
            self.parts.table(x) * self.parts.unit
            for x in (best[1].inside[: self.n], self._on_face(best[1]))
        )
        return central, face, best[1].b

    def _middle(self) -> _Point:
        """Half of each slack used, in equal shares; dual feasible where capped: z = price - slope, both at least the margin."""
        group, T = self.parts.group, self.system.effect(self.old)
        x = np.full(self.n, self.start)
        if self.capped:
            x = 0.5 * (self.parts.room / np.maximum(self.parts.sums(np.ones(self.n)), 1.0))[group]
        slope = self.g - self.system.felt(x, T)
        margin = float(abs(slope).mean()) or 1.0
        b = np.zeros(self.N.shape[1])
        if not self.capped:
            return _Point(x, np.maximum(-slope, margin), b, T)
        if self.parts.own:  # z price = margin^2
            price = slope / 2 + np.hypot(slope / 2, margin)
            z = margin * (margin / price)
        else:
            price = np.full(len(self.parts.room), margin)
            np.maximum.at(price, group, slope + margin)
            z = price[group] - slope
        inside = np.concatenate([x, self.parts.room - self.parts.sums(x)])
        return _Point(inside, np.concatenate([z, price]), b, T)

    def _left(self, at: _Point) -> _Left:
        n, x = self.n, at.inside[: self.n]
        dual = self.g - self.system.felt(x, at.T) + at.push[:n] - self.N @ at.b
        room = np.zeros(0)
        if self.capped:
            dual -= at.push[n:][self.parts.group]
            room = self.parts.room - self.parts.sums(x) - at.inside[n:]
        return _Left(dual, room, self.system.effect(x) - at.T, self.r - x @ self.N)

    def _worst(self, at: _Point, left: _Left) -> tuple[float, float]:
        """The products, or the gap that the multipliers leave with the weights they make, and what they miss of the equality;
        and their dual value, which is g' x - (|Z'x|^2 + ridge) / 2.

        Each group's loss is the most that u t - ridge t^2 / 2 comes to, of a slack t within its room, u the largest slope.
        """
        parts, x = self.parts, at.inside[: self.n]
        slope = self.g - self.system.felt(x, at.T + left.T)
        u = slope - self.N @ at.b + parts.cost_term(x)
        used, top = parts.sums(x), np.maximum(u if parts.own else parts.table(u).max(axis=1), 0.0)
        t, cost = parts.room, 0.0
        if parts.ridge is not None:
            ridge = np.zeros(len(used))
            ridge[parts.group] = parts.ridge
            t = np.divide(top, ridge, where=ridge > 0, out=np.full(len(used), np.inf))
            t = np.minimum(t, parts.room) if self.capped else t
            cost = 0.5 * float(ridge @ (t**2 - used**2))
        gap = float(top @ t) - cost - float(u @ x)
        missed = float(abs(left.equality) @ abs(at.b))
        worst = max(float(at.inside @ at.push), gap) + missed
        return worst, 0.5 * float((self.g + slope) @ x) - missed

    def _by_lane(self, products: Array) -> Array:
        if self.parts.lanes == 1:
            return np.asarray(products.sum(keepdims=True))
        return np.asarray(np.bincount(self.lane, weights=products, minlength=self.parts.lanes))

    def _on_face(self, at: _Point) -> Array:
        """x with each bound taken whose multiplier, in margins, exceeds the distance to it, in costs."""
        margin, group = self.start * self.parts.unit, self.parts.group
        held = at.inside < at.push / margin
        x = np.where(held[: self.n], 0.0, at.inside[: self.n])
        if not self.capped:
            return x
        scale = self.parts.room / np.maximum(self.parts.sums(x), TINY)
        return np.asarray(np.where(held[self.n :][group], x * scale[group], x))

    def _factor(self, at: _Point) -> bool:
        ratio = at.push / at.inside
        if not self.system.factor(ratio[: self.n], ratio[self.n :] if self.capped else None):
            return False
        if self.N.shape[1]:
            solved = [self.system.step(column, None, True) for column in self.N.T]
            self.columns = np.stack([dx for dx, _ in solved], axis=-1)
            self.effects = np.stack([dT for _, dT in solved], axis=-1)
            # not as a symmetric matrix, which it is no more where the columns are solved for inexactly
            self.schur = np.linalg.pinv(self.N.T @ self.columns, rcond=1e-12)
        return True

    def _direction(self, at: _Point, left: _Left, aim: Array, refined: bool) -> _Point:
        """Newton on the perturbed KKT conditions: the products of ``inside`` and ``push`` change by ``aim``."""
        n, inside, push = self.n, at.inside, at.push
        right = left.dual + aim[:n] / inside[:n]
        if self.capped:
            right -= ((aim[n:] - push[n:] * left.room) / inside[n:])[self.parts.group]
        dx, dT = self.system.step(right, left.T, refined)
        db: Array = np.zeros(self.N.shape[1])
        if len(db):
            db = self.schur @ (self.N.T @ dx - left.equality)
            dx, dT = dx - self.columns @ db, dT - self.effects @ db
        if self.capped:
            dx = np.concatenate([dx, left.room - self.parts.sums(dx)])
        return _Point(dx, (aim - push * dx) / inside, db, dT)

    def _moved(self, at: _Point, step: _Point, length: Array) -> _Point:
        each = length[self.lane]
        return _Point(
            at.inside + each * step.inside,
            at.push + each * step.push,
            at.b + length * step.b if len(at.b) else at.b,
            at.T + self.system.along(length) * step.T,
        )

    def _longest(self, at: _Point, step: _Point) -> Array:
        """The longest step of each lane, at most 1, that keeps everything non-negative."""
        length = np.ones(self.parts.lanes)
        for here, move in ((at.inside, step.inside), (at.push, step.push)):
            down = np.flatnonzero(move < 0)
            longest = here[down] / -move[down]
            if len(length) == 1:
                length[0] = longest.min(initial=length[0])
            else:
                np.minimum.at(length, self.lane[down], longest)
        return length
