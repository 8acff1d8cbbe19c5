"""Discriminating fixtures: three examples on which two machines, or two treatments of the bias, provably differ (C = 1, d = 3).

For each pair (A, B): the enclosures of the two optimal values do not meet, and each solution is at least 2 % worse at the
other's problem, so that a solver which swaps them fails. Three examples are the fewest that show three classes. The sets were
found by ``benchmarks/find_fixtures.py`` (integers, one feature before two); OPTIMA are certified enclosures rounded outwards.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from msvm_ref.conformance.cases import Case
from msvm_ref.model.arrays import frozen
from msvm_ref.model.problem import Bias

MARGIN = 0.02
DATA: dict[str, tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]] = {
    "A": (((4,), (-1,), (1,)), (0, 1, 2)),
    "B": (((0,), (3,), (-1,)), (0, 1, 2)),
    "C": (((-2,), (-1,), (1,)), (0, 1, 2)),
    "D": (((2, 0), (2, -1), (0, -3)), (0, 1, 2)),
    "E": (((1,), (1,), (4,)), (0, 1, 2)),
}
OPTIMA: dict[tuple[str, str, Bias], tuple[float, float]] = {
    ("A", "WW", "free"): (2.361111111, 2.361111112),
    ("A", "CS", "free"): (1.644736842, 1.644736843),
    ("A", "LLW", "free"): (3.359999999, 3.360000001),
    ("A", "MMR", "free"): (0.355263157, 0.355263158),
    ("A", "MMR_ORTHO", "free"): (0.0, 0.0),
    ("A", "RM(1/2)", "free"): (3.359999999, 3.360000001),
    ("A", "OVA", "free"): (2.722222222, 2.722222223),
    ("A", "AMO", "free"): (1.986666666, 1.986666667),
    ("A", "ATM", "free"): (2.359999999, 2.360000001),
    ("A", "ATS", "free"): (5.069999999, 5.070000001),
    ("A", "WW", "none"): (2.833333333, 2.833333334),
    ("A", "CS", "none"): (2.249999999, 2.250000001),
    ("A", "LLW", "none"): (4.171874999, 4.171875001),
    ("A", "MMR", "none"): (1.062499999, 1.062500001),
    ("A", "MMR_ORTHO", "none"): (1.031249999, 1.031250001),
    ("A", "RM(1/2)", "none"): (4.171874999, 4.171875001),
    ("A", "OVA", "none"): (5.062499999, 5.062500001),
    ("A", "AMO", "none"): (2.916666666, 2.916666667),
    ("A", "ATM", "none"): (2.916666666, 2.916666667),
    ("A", "ATS", "none"): (5.812499999, 5.812500001),
    ("A", "WW", "penalized"): (2.779527559, 2.77952756),
    ("A", "CS", "penalized"): (2.062499999, 2.062500001),
    ("A", "LLW", "penalized"): (3.93117647, 3.931176471),
    ("A", "MMR", "penalized"): (0.882352941, 0.882352942),
    ("A", "MMR_ORTHO", "penalized"): (0.529411764, 0.529411765),
    ("A", "RM(1/2)", "penalized"): (3.93117647, 3.931176471),
    ("A", "OVA", "penalized"): (3.94117647, 3.941176471),
    ("A", "AMO", "penalized"): (2.556430446, 2.556430447),
    ("A", "ATM", "penalized"): (2.613333333, 2.613333334),
    ("A", "ATS", "penalized"): (5.359999999, 5.360000001),
    ("B", "CS", "free"): (1.999999999, 2.000000001),
    ("B", "ATS", "free"): (4.749999999, 4.750000001),
    ("B", "WW", "none"): (3.361111111, 3.361111112),
    ("B", "CS", "none"): (2.090277777, 2.090277778),
    ("B", "RM(1/2)", "none"): (3.999999999, 4.000000001),
    ("B", "WW", "penalized"): (3.046052631, 3.046052632),
    ("B", "ATS", "penalized"): (5.099999999, 5.100000001),
    ("C", "LLW", "none"): (4.687499999, 4.687500001),
    ("C", "RM(1/2)", "none"): (4.499999999, 4.500000001),
    ("D", "AMO", "none"): (2.416666666, 2.416666667),
    ("D", "ATM", "none"): (2.686274509, 2.68627451),
    ("E", "CS", "none"): (2.583333333, 2.583333334),
    ("E", "LLW", "none"): (4.687499999, 4.687500001),
    ("E", "RM(1/2)", "none"): (4.687499999, 4.687500001),
    ("E", "CS", "penalized"): (2.296296296, 2.296296297),
    ("E", "LLW", "penalized"): (4.588235294, 4.588235295),
    ("E", "RM(1/2)", "penalized"): (4.588235294, 4.588235295),
}
_MACHINES = {("CS", "RM(1/2)"): "B", ("LLW", "RM(1/2)"): "C", ("AMO", "ATM"): "D"}
_BIASES = {
    ("WW", "none", "penalized"): "B",
    ("CS", "none", "free"): "B",
    ("CS", "none", "penalized"): "E",
    ("LLW", "none", "penalized"): "E",
    ("RM(1/2)", "none", "penalized"): "E",
    ("ATS", "penalized", "free"): "B",
}
_NAMES = ("WW", "CS", "LLW", "MMR", "MMR_ORTHO", "RM(1/2)", "OVA", "AMO", "ATM", "ATS")
_TREATMENTS: tuple[Bias, ...] = ("none", "penalized", "free")


@dataclass(frozen=True)
class Fixture:
    """One data set, two problems on it: (machine, bias) first and second, with the enclosures of their optima."""

    data: str
    """Key of the data set in DATA."""
    first: tuple[str, Bias]
    """(machine, bias) of the one problem."""
    second: tuple[str, Bias]
    """(machine, bias) of the other."""

    @property
    def case(self) -> Case:
        X, y = DATA[self.data]
        return Case(
            f"fixture {self.data}: {'/'.join(self.first)} is not {'/'.join(self.second)}",
            frozen(X),
            list(y),
        )

    @property
    def enclosures(self) -> tuple[tuple[float, float], tuple[float, float]]:
        return OPTIMA[(self.data, *self.first)], OPTIMA[(self.data, *self.second)]


MACHINE_FIXTURES: tuple[Fixture, ...] = tuple(
    Fixture(_MACHINES.get((a, b), "A"), (a, "none"), (b, "none"))
    for a, b in itertools.combinations(_NAMES, 2)
)
BIAS_FIXTURES: tuple[Fixture, ...] = tuple(
    Fixture(_BIASES.get((name, a, b), "A"), (name, a), (name, b))
    for name in _NAMES
    for a, b in itertools.combinations(_TREATMENTS, 2)
)
