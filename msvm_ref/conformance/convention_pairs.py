"""How two conventions relate, for every pair of the table, and the data on which a solver that swaps them fails.

    same          the same constant gives the same weights (perhaps with the objective multiplied): a swap does no harm
    convertible   one problem in two notations: C and f convert exactly, and a swap without converting fails on the fixture
    different     another machine or bias: nothing converts; the fixture proves that the optima differ

A fixture is two or three integers (the fewest examples that show every class) and a constant given to both as it stands:
each optimum, read in the other's notation, is at least MARGIN worse than the other's, by certificate. Found by
``benchmarks/find_fixtures.py``. A convention that leaves machine or bias open is taken with its partner's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.fixtures import DATA
from msvm_ref.model.arrays import frozen
from msvm_ref.model.catalogue import WW
from msvm_ref.model.conventions.convention import Convention
from msvm_ref.model.conventions.literals import convention_named

Pair = tuple[str, str]
TWO_CLASSES: dict[str, tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]] = {
    "F": (((1,), (-2,)), (0, 1)),
    "G": (((3,), (1,)), (0, 1)),
    "H": (((4,), (-1,)), (0, 1)),
}
_PLAIN, _PLAIN_TWO = ("A", 1.0), ("F", 1.0)
_MULTICLASS = (
    "UV",
    "HL(16)",
    "FH(1)",
    "FH(2)",
    "ZDO(1.7)",
    "ZDO-CS",
    "NP(3)",
    "NP(4)",
    "NP(6)",
    "liblinear-cs",
    "liblinear-ovr",
    "liblinear-ovr-squared",
    "libsvm-ovr",
    "sgd-ova",
    "kernlab-spoc",
    "shark",
    "mlpack",
    "msvmpack-ww",
    "msvmpack-cs",
    "msvmpack-llw",
)
_ELSEWHERE: dict[tuple[str, float], tuple[Pair, ...]] = {
    ("A", 4.0): tuple((name, "svm-multiclass") for name in _MULTICLASS),
    ("B", 4.0): tuple(
        (name, "svm-multiclass") for name in ("HL(4)", "HL(9)", "ZDO-WW", "kernlab-kbb")
    ),
    ("D", 4.0): (("HL(7)", "svm-multiclass"), ("NP(4)", "msvmpack-llw")),
    ("B", 1.0): (("FH(1)", "ZDO-CS"), ("ZDO(1.7)", "ZDO-CS"), ("msvmpack-ww", "ZDO-CS")),
    ("F", 0.25): tuple(
        (name, "libsvm") for name in ("UV", "HL(7)", "NP(3)", "shark", "msvmpack-llw")
    ),
    ("F", 4.0): (("sgd-ova", "libsvm"),),
    ("G", 1.0): tuple(
        (name, "libsvm") for name in ("HL(9)", "NP(4)", "liblinear-ovr", "kernlab-kbb")
    ),
    ("H", 1.0): (("svm-multiclass", "libsvm"),),
}
"""Where the plain fixture does not separate a pair."""
SAME_WITH_TWO_CLASSES = frozenset(
    frozenset((name, "libsvm")) for name in ("HL(4)", "ZDO-WW", "libsvm-ovr")
)
"""g = (-h, h) turns these into LIBSVM's problem, its objective multiplied by 2 (docs/mathematics.md, section 2, d = 2)."""
_WHERE = {frozenset(pair): where for where, pairs in _ELSEWHERE.items() for pair in pairs}
PROBLEMS = {
    3: (_PLAIN, *(w for w in _ELSEWHERE if w[0] in DATA)),
    2: (_PLAIN_TWO, *(w for w in _ELSEWHERE if w[0] in TWO_CLASSES)),
}
"""The few (data, constant) that between them separate every pair, for three classes and for two."""


@dataclass(frozen=True)
class Relation:
    """Two conventions tied to one machine and bias where they leave them open, and what a swap does."""

    first: Convention
    """One convention."""
    second: Convention
    """The other."""
    kind: Literal["same", "convertible", "different"]
    """What swapping them does: nothing, a map of C, f and the objective, or another optimum."""
    where: tuple[str, float] | None
    """(data, constant) of the fixture; None for "same"."""

    def constant(self, theirs: float, n: int, d: int) -> float:
        """The second's constant for the first's ``theirs``, where they convert."""
        return self.second.from_C(self.first.to_C(theirs, n, d), n, d)

    def scale(self, d: int) -> float:
        """The second's scores over the first's, at converted constants."""
        return float(self.first.scale.at(d) / self.second.scale.at(d))


def relation(first: Convention | str, second: Convention | str) -> Relation:
    """How two conventions of the table relate."""
    a, b = (convention_named(c) if isinstance(c, str) else c for c in (first, second))
    one, two = _tied(a, b), _tied(b, a)
    if _written_alike(one, two) or {a.name, b.name} in SAME_WITH_TWO_CLASSES:
        return Relation(one, two, "same", None)
    plain = _PLAIN_TWO if one.binary or two.binary else _PLAIN
    kind: Literal["convertible", "different"] = (
        "convertible" if (one.machine, one.bias) == (two.machine, two.bias) else "different"
    )
    return Relation(one, two, kind, _WHERE.get(frozenset((a.name, b.name)), plain))


def problem_of(where: tuple[str, float], convention: Convention) -> Case:
    """The fixture as a case: its constant is handed to a solver of ``convention`` as it stands."""
    name, constant = where
    X, y = {**DATA, **TWO_CLASSES}[name]
    return Case(
        f"fixture {name} at constant {constant:g}",
        frozen(X),
        list(y),
        convention.to_C(constant, len(y), len(np.unique(y))),
    )


def _tied(convention: Convention, partner: Convention) -> Convention:
    return replace(
        convention,
        machine=convention.machine or partner.machine or WW,
        bias=convention.bias or partner.bias or "none",
    )


def _written_alike(a: Convention, b: Convention) -> bool:
    """The same C and scale of f at every n and d (three of them determine the exponents)."""
    alike = (a.machine, a.bias, a.intercept_scaling, a.parameter, a.binary, a.shift_free) == (
        b.machine,
        b.bias,
        b.intercept_scaling,
        b.parameter,
        b.binary,
        b.shift_free,
    )
    return alike and all(
        a.cost_factor(n, d) == b.cost_factor(n, d) and a.scale.at(d) == b.scale.at(d)
        for n, d in ((3, 3), (5, 4), (7, 6))
    )
