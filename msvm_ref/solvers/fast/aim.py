"""How small a gap is enough, where a primal value of somebody's candidate is to be judged by the dual point.

    optimum - D  <=  V - optimum        for a candidate worth V: the enclosure [D, V] is at most twice as wide as it is wrong

With P of the solver's own weights, o = optimum - D and e = V - optimum, a gap P - D >= o of at most SHARE (V - D) =
SHARE (e + o) says o <= SHARE / (1 - SHARE) e <= e. So that is what to aim at while D rises, if it is not less than was asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SHARE, COARSEST = 0.45, 1e-2


@dataclass(frozen=True)
class Aim:
    tolerance: float
    against: float | None = None

    def at(self, primal: float, dual: float) -> float:
        """The relative gap to reach, as far as it is known at these values."""
        if self.against is None:
            return self.tolerance
        wide = SHARE * (self.against - dual) / max(primal, 1e-300)
        return COARSEST if not math.isfinite(wide) else min(max(wide, self.tolerance), COARSEST)
