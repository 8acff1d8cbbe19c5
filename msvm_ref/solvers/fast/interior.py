"""The robust finish: Mehrotra's interior-point method on the multipliers of a set of examples, the rest held.

Over the components (i, p) of the chosen examples, x = alpha:

    min 1/2 x' H x - g' x     x >= 0 (z),   sum over each slack group + s = C_i, s >= 0 (lambda),   sum x (Pi nu) = r (b)

H_ab = (k(x_i, x_j) + rho) <(Pi nu)_a, (Pi nu)_b> [+ cost term]. First-order passes crawl where C is large and faces are many;
a barrier does not care. What it returns is near the optimum and strictly inside; passes and Newton steps put it on its face.
Each step solves with H + barrier terms: factored whole, through few features (systems.py), or class by class (class_system.py,
through few features class_features.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.class_features import ClassFeatures, apart
from msvm_ref.solvers.fast.class_system import INVERSE, ClassSystem
from msvm_ref.solvers.fast.class_system import work as class_work
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.face import expansion, gradient
from msvm_ref.solvers.fast.newton import FACTOR_SPEED
from msvm_ref.solvers.fast.systems import Components, DenseSystem, FeatureSystem, System
from msvm_ref.solvers.fast.unsettled import unsettled

LARGEST = 3000
"""Components at once, where H is factored whole."""
MOST = 1e10
"""Multiply-adds of a factorisation class by class, of all examples at once."""
COMPONENT, COMPONENT_APART = 3300.0, 1100.0
"""Multiply-adds a component costs a step through the features, beside the factorisation, of all classes together or each by
itself (measured, 2000 x 20, 5 classes; 172 x 35, 19 classes; digits)."""
ROOM = 2e7
"""Entries of the components' rows (m x d) that are held at once."""
WIDEST = 2000
"""Weights (features x classes), where it goes through the features."""
FEW = 400
"""Up to so many multipliers a linear H is factored whole even then: that costs next to nothing and loses fewer digits."""
STEPS, USUAL, IN_VAIN = 80, 20, 5
"""At most, as a rule, and those that do not get any nearer before it ends: directions are rounding then."""
STEP = 2e6
"""What a step takes beside its factorisation, however small the problem."""
CHEAPEST = USUAL * STEP
"""The price of a barrier that has nothing to factor."""
NEARER, CLOSE = 0.99, 1e-13
INWARD = 0.1
"""The start: the passes' multipliers, drawn this far towards the middle of their bounds."""


@dataclass(frozen=True, eq=False)
class Route:
    """How a step's system is solved, ``everything`` at once or for the examples that matter most, and its multiply-adds."""

    system: Literal["whole", "classes", "features"]
    everything: bool
    work: float
    taken: NDArray[np.bool_] | None = None
    """Of everything, the components that are not settled at a bound (unsettled.py), where those are few."""

    @property
    def price(self) -> float:
        """Of one call, in a pass's multiply-adds."""
        return USUAL * (STEP + 6 * self.work / FACTOR_SPEED)

    @property
    def cheap(self) -> bool:
        """Does it take everyone for little more than a step costs however small the problem?

        Then it comes first with a free bias, which passes have to find round by round.
        """
        return self.everything and self.price <= 2 * CHEAPEST


def route(
    engine: Engine, machine: Blocks, share: float | None = None, surely: bool = False
) -> Route:
    """The cheapest; where all may be held that together add no more than ``share`` to the gap, also that without them.

    ``surely``: not class by class, which loses digits where the Gram is nearly singular.
    """
    d = engine.alpha.shape[1]
    m = int(machine.mask[engine.y].sum())
    ways = []
    if m <= LARGEST:
        ways.append(Route("whole", True, m**3 / 6))
    by_class = class_work(machine, engine.y)
    if by_class <= MOST and m * d <= ROOM and not surely:
        ways.append(Route("classes", True, by_class))
    if by_features(engine, machine):
        ways.append(Route("features", True, _feature_work(engine, machine)))
    if share is not None:
        taken = unsettled(engine, machine, share)
        few = int(taken.sum())
        if 0 < few <= LARGEST:
            ways.append(Route("whole", True, few**3 / 6, taken))
    if not ways:
        return Route("whole", False, LARGEST**3 / 6)
    return min(ways, key=lambda way: way.work)


def interior(
    engine: Engine,
    machine: Blocks,
    equality: bool,
    tolerance: float,
    late: Callable[[], bool] = lambda: False,
    way: Route | None = None,
    value: float = 0.0,
) -> Array | None:
    """Re-solve the examples that matter most, all of them where they fit, to a twentieth of ``tolerance`` of ``value``.

    ``late`` is asked before every factorisation; what was reached until then is taken. Returned is alpha with every multiplier
    put on the bound that holds it: a face on which Newton may find the digits that a barrier loses.
    """
    way = way or route(engine, machine)
    chosen = np.flatnonzero(engine.cost > 0) if way.everything else _most_urgent(engine, machine)
    if way.taken is not None:
        chosen = np.flatnonzero(way.taken.any(axis=1))
    if len(chosen) == 0:
        return None
    parts = Components(engine, machine, chosen, way.taken)
    system: System
    surer: Callable[[], System] | None = None
    if len(parts.example) <= LARGEST:
        surer = partial(DenseSystem, engine, parts)
    if way.system == "features" and apart(machine):
        system = ClassFeatures(engine, machine, parts)
        if _together(engine):
            surer = partial(FeatureSystem, engine, parts)
    elif way.system == "features":
        system = FeatureSystem(engine, parts)
    elif way.system == "classes":
        system = ClassSystem(engine, machine, parts)
    else:
        system = DenseSystem(engine, parts)
    central = _Barrier(engine, machine, parts, system, surer, equality).run(
        max(CLOSE, 0.05 * tolerance), late, value
    )
    if central is None:
        return None
    inside, face, shift = central
    alpha, on_face = engine.alpha.copy(), engine.alpha.copy()
    alpha[chosen] = np.where(parts.mask, inside, alpha[chosen])
    on_face[chosen] = np.where(parts.mask, face, on_face[chosen])
    change = expansion(engine, machine, alpha, chosen) - engine.A[chosen]
    engine.set_alpha(alpha, chosen, change, engine.product(chosen, change))
    if equality:
        engine.shift_bias(shift)
    return on_face


def by_features(engine: Engine, machine: Blocks) -> bool:
    """Are there features, few enough, and more multipliers than are factored whole, but not more than can be held?"""
    size, d = engine.alpha.size, engine.alpha.shape[1]
    if not 0 < engine.width <= WIDEST or size <= FEW:
        return False
    if apart(machine):
        return d * engine.width**2 <= ROOM and size * (d if engine.free else 1) <= ROOM
    return _together(engine)


def _together(engine: Engine) -> bool:
    """Are the weights of all classes few enough?"""
    size, d = engine.alpha.size, engine.alpha.shape[1]
    return engine.width * d <= WIDEST and size * d <= ROOM


def _feature_work(engine: Engine, machine: Blocks) -> float:
    n, d = engine.alpha.shape
    m, width = int(machine.mask[engine.y].sum()), engine.width
    if apart(machine):
        solves = 1 + d / 2 if engine.free else 1  # the bias has a column of its own for each class
        return d * (n * width**2 / 2 + INVERSE * width**3 / 6) + COMPONENT_APART * m * solves
    return 1.5 * (n * (width * d) ** 2 / 12 + (width * d) ** 3 / 6) + COMPONENT * m


def _most_urgent(engine: Engine, machine: Blocks) -> NDArray[np.int64]:
    """Examples with cost, those first whose gradient says most: violated or between their bounds."""
    counted = machine.mask[engine.y]
    weighty = np.flatnonzero(engine.cost > 0)
    g, alpha, cost = gradient(engine, machine, engine.scores), engine.alpha, engine.cost[:, None]
    inside = (alpha > 0) & ((alpha < cost) | (not machine.capped))
    wrong = np.where(alpha <= 0, np.maximum(g, 0.0), np.where(inside, abs(g), np.maximum(-g, 0.0)))
    urgency = np.where(counted, wrong + inside * (1.0 + abs(machine.gamma).max()), 0.0).max(axis=1)
    order = weighty[np.argsort(-urgency[weighty], kind="stable")]
    return np.sort(order[: np.searchsorted(counted[order].sum(axis=1).cumsum(), LARGEST)])


class _Barrier:
    """The iteration; multipliers are in units of the mean cost."""

    def __init__(
        self,
        engine: Engine,
        machine: Blocks,
        parts: Components,
        system: System,
        surer: Callable[[], System] | None,
        equality: bool,
    ) -> None:
        """``surer`` makes a system that takes over where ``system`` loses its digits."""
        self.parts, self.system, self.capped = parts, system, machine.capped
        self.surer = surer
        old = engine.alpha[parts.chosen][parts.example, parts.component] / parts.unit
        slope = gradient(engine, machine, engine.scores)[parts.chosen][
            parts.example, parts.component
        ]
        self.old = old
        self.g = slope * parts.unit + system.product(old)
        self.N = parts.rows * parts.unit if equality else np.zeros((len(old), 0))
        self.r = old @ self.N - engine.A.sum(axis=0) if equality else np.zeros(0)
        self.start = float(abs(machine.gamma).max()) or 1.0  # 2 C xi in units of C

    def run(
        self, close: float, late: Callable[[], bool], value: float = 0.0
    ) -> tuple[Array, Array, Array] | None:
        """(alpha of the chosen examples, the same on its face, what b gains); ``value`` is that of the whole dual."""
        n, room, capped = len(self.g), self.parts.room, self.capped
        x = np.full(n, self.start)
        if capped:
            centre = 0.5 * (room / np.maximum(self.parts.sums(np.ones(n)), 1.0))[self.parts.group]
            x = (1 - INWARD) * self.old + INWARD * centre
        s = room - self.parts.sums(x) if capped else np.zeros(0)
        b = np.zeros(self.N.shape[1])
        slope = self.g - self.system.product(x)
        margin = float(abs(slope).mean()) or 1.0
        price = np.full(len(s), margin)
        if capped:  # dual feasible from the start: z = price - slope, both at least the margin
            np.maximum.at(price, self.parts.group, slope + margin)
        z = np.maximum(self._spread(price) - slope, margin)
        best: tuple[float, Array, Array, Array] | None = None
        vain = 0
        for _ in range(STEPS):
            dual = self.g - self.system.product(x) + z - self._spread(price) - self.N @ b
            primal = room - self.parts.sums(x) - s if capped else s
            miss = self.r - x @ self.N
            mass = float(x @ z + s @ price)
            worst = max(
                mass, float(abs(dual) @ x), float(abs(primal) @ price), float(abs(miss) @ abs(b))
            )
            if not np.isfinite(worst) or (best is not None and worst > 1e3 * best[0]):
                break
            if best is None or worst < NEARER * best[0]:
                vain = 0
            vain += 1
            if vain > IN_VAIN:
                break
            if best is None or worst < best[0]:
                best = worst, x, self._on_face(x, z, s, price), b
            done = worst <= close * max(value or abs(float(self.g @ x)), 1e-300) or late()
            if done or not self._factor(x, z, s, price):
                break
            dx, dz, ds, dp, db = self._direction(
                x, z, s, price, dual, primal, miss, -x * z, -s * price, False
            )
            ahead = _longest((x, dx), (z, dz), (s, ds), (price, dp))
            after = float(
                (x + ahead * dx) @ (z + ahead * dz) + (s + ahead * ds) @ (price + ahead * dp)
            )
            target = mass / (n + len(price)) * (after / max(mass, 1e-300)) ** 3
            dx, dz, ds, dp, db = self._direction(
                x,
                z,
                s,
                price,
                dual,
                primal,
                miss,
                target - x * z - dx * dz,
                target - s * price - ds * dp,
                True,
            )
            if self.system.rough and self.surer is not None:
                self.system, self.surer = self.surer(), None
                continue
            t = min(0.995 * _longest((x, dx), (z, dz), (s, ds), (price, dp)), 1.0)
            x, z, s, price, b = x + t * dx, z + t * dz, s + t * ds, price + t * dp, b + t * db
        if best is None:
            return None
        central, face = (self.parts.table(each) * self.parts.unit for each in best[1:3])
        return central, face, best[3]

    def _on_face(self, x: Array, z: Array, s: Array, price: Array) -> Array:
        """x with each bound taken whose multiplier, in margins, exceeds the distance to it, in costs."""
        margin, group = self.start * self.parts.unit, self.parts.group
        x = np.where(x < z / margin, 0.0, x)
        if not self.capped:
            return x
        full = (s < price / margin)[group]
        return np.asarray(
            np.where(full, x * (self.parts.room / np.maximum(self.parts.sums(x), 1e-300))[group], x)
        )

    def _spread(self, price: Array) -> Array:
        return price[self.parts.group] if self.capped else np.zeros(len(self.g))

    def _factor(self, x: Array, z: Array, s: Array, price: Array) -> bool:
        if not self.system.factor(z / x, price / s if self.capped else None):
            return False
        if self.N.shape[1]:
            self.columns = np.stack([self.system.solve(v, True) for v in self.N.T], axis=1)
            # not as a symmetric matrix, which it is no more where the columns are solved for inexactly
            self.schur = np.linalg.pinv(self.N.T @ self.columns, rcond=1e-12)
        return True

    def _direction(
        self,
        x: Array,
        z: Array,
        s: Array,
        price: Array,
        dual: Array,
        primal: Array,
        miss: Array,
        xz: Array,
        sp: Array,
        refined: bool,
    ) -> tuple[Array, Array, Array, Array, Array]:
        """Newton on the perturbed KKT conditions: x dz + z dx = xz, s dp + price ds = sp."""
        right = dual + xz / x
        if self.capped:
            right = right - ((sp - price * primal) / s)[self.parts.group]
        dx = self.system.solve(right, refined)
        db: Array = np.zeros(self.N.shape[1])
        if self.N.shape[1]:
            db = self.schur @ (self.N.T @ dx - miss)
            dx = dx - self.columns @ db
        ds = primal - self.parts.sums(dx) if self.capped else s
        dp = (sp - price * ds) / s if self.capped else price
        return dx, (xz - z * dx) / x, ds, dp, db


def _longest(*pairs: tuple[Array, Array]) -> float:
    """The longest step, at most 1, that keeps every array non-negative."""
    length = 1.0
    for at, step in pairs:
        down = step < 0
        if down.any():
            length = min(length, float((at[down] / -step[down]).min()))
    return length
