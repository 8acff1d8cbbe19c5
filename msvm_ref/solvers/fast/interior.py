"""The robust finish: Mehrotra's interior-point method on the multipliers of a set of examples, the rest held.

Over the components (i, p) of the chosen examples, x = alpha:

    min 1/2 x' H x - g' x     x >= 0 (z),   sum over each slack group + s = C_i, s >= 0 (lambda),   sum x (Pi nu) = r (b)

H_ab = (k(x_i, x_j) + rho) <(Pi nu)_a, (Pi nu)_b> [+ cost term]. First-order passes crawl where C is large and faces are many;
a barrier does not care. What it returns is near the optimum and strictly inside; passes and Newton steps put it on its face.
Each step solves with H + barrier terms: factored whole (systems.py), through few features (feature_system.py), or class by
class (class_system.py, through few features class_features.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.barrier import Barrier
from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.class_features import ClassFeatures
from msvm_ref.solvers.fast.class_system import INVERSE, ClassSystem
from msvm_ref.solvers.fast.class_system import work as class_work
from msvm_ref.solvers.fast.components import Components, apart, by_rivals
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.face import expansion, gradient
from msvm_ref.solvers.fast.feature_system import FeatureSystem
from msvm_ref.solvers.fast.newton import FACTOR_SPEED
from msvm_ref.solvers.fast.systems import DenseSystem, System
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
USUAL = 20
"""Steps, as a rule."""
FEATURE_SPEED = 1.5 * FACTOR_SPEED
"""Through the features most of a step is products of matrices (measured: digits, 2000 x 20, 5000 x 50)."""
STEP = 2e6
"""What a step takes beside its factorisation, however small the problem."""
CHEAPEST = USUAL * STEP
"""The price of a barrier that has nothing to factor."""
CLOSE = 1e-13


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
        speed = FEATURE_SPEED if self.system == "features" else FACTOR_SPEED
        return USUAL * (STEP + 6 * self.work / speed)

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
    """Re-solve the examples that matter most, all of them where they fit, to a twentieth of ``tolerance``; ``value`` is the
    dual's before.

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
    if way.system == "features" and apart(machine):
        system = ClassFeatures(engine, machine, parts)
    elif way.system == "features":
        system = FeatureSystem(engine, parts)
    elif way.system == "classes":
        system = ClassSystem(engine, machine, parts)
        if len(parts.example) <= LARGEST:
            surer = partial(DenseSystem, engine, parts)
    else:
        system = DenseSystem(engine, parts)
    central = Barrier(engine, machine, parts, system, surer, equality).run(
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
    pairs = 2 / (d + 1) if by_rivals(machine) else 1.0
    return 1.5 * (pairs * n * (width * d) ** 2 / 12 + (width * d) ** 3 / 6) + COMPONENT * m


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
