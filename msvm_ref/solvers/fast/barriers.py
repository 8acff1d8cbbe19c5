"""The barriers of one ascent: over what is not settled at a bound while that goes well, and Newton where one falls short."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.interior import Route, interior, route
from msvm_ref.solvers.fast.standing import Reached, standing

POLISHES = 12
"""Newton steps on the face a barrier leaves, where it stopped short: each may leave one more bound behind."""
MANY, SETTLED, SHORT, FELL = 100_000, 0.1, 5, 0.9
"""Multipliers up to which a barrier leaves out those that are settled at a bound; the part of the tolerance that they may add
to the gap; barriers of a solve that may have left out too many, each after the first because the gap FELL enough."""
FINEST = 1e-14
"""The smallest relative gap the loop aims at first, whatever the tolerance: its own floats see no further."""


@dataclass(eq=False)
class Barriers:
    engine: Engine
    machine: Blocks
    free: bool
    count: int = 0
    short: int = 0
    """How many left out too many, perhaps."""
    surely: bool = False
    """Was one by classes not sure enough?"""

    @property
    def movable(self) -> bool:
        """May a barrier take other components from elsewhere?"""
        return self.engine.alpha.size <= MANY

    def way(self, tolerance: float) -> Route:
        """The cheapest from here, over what is not settled as long as such barriers went well."""
        if not self.movable or self.short >= SHORT:
            return route(self.engine, self.machine, None, self.surely)
        share = SETTLED * max(tolerance, FINEST) * self._standing().worth
        return route(self.engine, self.machine, share, self.surely)

    def run(self, tolerance: float, newton: Callable[[], float], late: Callable[[], bool]) -> float:
        """The barrier, again where it left components out that had to move, and ``newton`` where it stops short; the work."""
        engine, work, before = self.engine, 0.0, self._standing()
        best, face = (before.relative, engine.alpha, engine.b0), None
        while True:
            self.count += 1
            way = self.way(tolerance)
            on_face = interior(engine, self.machine, self.free, tolerance, late, way, before.dual)
            work, now = work + way.price, self._standing()
            if now.relative < best[0]:
                best, face = (now.relative, engine.alpha, engine.b0), on_face
            if on_face is None or now.relative <= tolerance or late():
                break
            self.surely = self.surely or way.system == "classes"
            fell, before = now.relative < FELL * before.relative, now
            if not fell:
                self.short = SHORT
                break
            self.short = 0 if way.taken is None else self.short + 1
            if way.taken is None and self.way(tolerance).taken is None:
                break  # the same again
        if face is not None and not best[0] <= tolerance:
            engine.restart(face, best[2])
            for _ in range(POLISHES):
                newton()
                if self._standing().relative <= tolerance or late():
                    break
        if not self._standing().relative <= best[0]:
            engine.restart(*best[1:])
        return work

    def _standing(self) -> Reached:
        return standing(self.engine, self.machine, self.free)
