"""The machines by name: nu, gamma, slack groups and sum-to-zero follow from a machine's name and d, and are not believed.

    mu_y = own f_y,  mu_c = true f_y + rival f_c;   gamma[y][y] = own target (+ a multiple of d-1), gamma[y][c] = other

as in FORMAT.md, after Dogan, Glasmachers, Igel, "A Unified View on Multi-class Support Vector Classification", JMLR 17
(2016), sections 2.4 and 2.5, Table 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

COUNTED: dict[str, Callable[[int, int], list[list[int]]]] = {
    "self": lambda y, d: [[y]],
    "total-max": lambda y, d: [list(range(d))],
    "total-sum": lambda y, d: [[p] for p in range(d)],
    "others-max": lambda y, d: [[p for p in range(d) if p != y]],
    "others-sum": lambda y, d: [[p] for p in range(d) if p != y],
}
"""The slack groups of an example of class y, by the aggregation's name."""


@dataclass(frozen=True)
class Named:
    """A machine that treats classes alike, at every number of classes."""

    own: Fraction
    true: Fraction
    rival: Fraction
    aggregation: str
    sum_to_zero: bool
    target: Fraction = Fraction(1)
    target_per_rival: Fraction = Fraction(0)
    other: Fraction = Fraction(1)

    def at(self, name: str, d: int) -> dict[str, Any]:
        """The ``machine`` of a vector with d classes."""
        classes, own = range(d), self.target + self.target_per_rival * (d - 1)

        def entry(y: int, c: int, m: int) -> Fraction:
            if c == y:
                return self.own if m == y else Fraction(0)
            return self.true if m == y else self.rival if m == c else Fraction(0)

        return {
            "name": name,
            "aggregation": self.aggregation,
            "groups": [COUNTED[self.aggregation](y, d) for y in classes],
            "sum_to_zero": self.sum_to_zero,
            "nu": [[[str(entry(y, c, m)) for m in classes] for c in classes] for y in classes],
            "gamma": [[str(own if c == y else self.other) for c in classes] for y in classes],
        }


def _relative(aggregation: str) -> Named:
    return Named(Fraction(0), Fraction(1, 2), Fraction(-1, 2), aggregation, sum_to_zero=False)


def _absolute(aggregation: str, sum_to_zero: bool) -> Named:
    return Named(Fraction(1), Fraction(0), Fraction(-1), aggregation, sum_to_zero)


def _reinforced(g: Fraction) -> Named:
    return Named(g, Fraction(0), g - 1, "total-sum", True, Fraction(0), g, 1 - g)


MACHINES = {
    "WW": _relative("others-sum"),
    "CS": _relative("others-max"),
    "LLW": _absolute("others-sum", True),
    "MMR": _absolute("self", True),
    "MMR_ORTHO": _absolute("self", False),
    "OVA": _absolute("total-sum", False),
    "AMO": _absolute("others-max", True),
    "ATM": _absolute("total-max", True),
    "ATS": _absolute("total-sum", True),
    "RM(1/4)": _reinforced(Fraction(1, 4)),
    "RM(1/2)": _reinforced(Fraction(1, 2)),
    "RM(3/4)": _reinforced(Fraction(3, 4)),
}

RIVAL = {
    "WW": "CS",
    "CS": "WW",
    "LLW": "ATS",
    "ATS": "LLW",
    "AMO": "ATM",
    "ATM": "AMO",
    "MMR": "MMR_ORTHO",
    "MMR_ORTHO": "MMR",
    "OVA": "ATS",
    "RM(1/4)": "RM(1/2)",
    "RM(1/2)": "RM(3/4)",
    "RM(3/4)": "RM(1/2)",
}
"""The machine each one is most easily mistaken for."""


def label(name: str) -> str:
    """A machine's name as it appears in ids, flags and file names: RM(1/4) is RM-1-4."""
    return name.replace("(", "-").replace(")", "").replace("/", "-")
