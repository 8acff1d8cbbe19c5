"""A machine is data: margin nu[y,c,m], aggregation, target gamma[y,c], sum-to-zero and cost.

    mu_c(f, y) = sum_m nu[y,c,m] f_m          margin, linear in the scores f        (UV Definition 1)
    v_c        = max(0, gamma[y,c] - mu_c)    violation of the target
    L(f, y)    = Delta(v, y)                  aggregation over components            (UV Definitions 3, 4)

Classes are 0 ... d-1. Coefficients are kept as exact rationals; ``Machine.at(d)`` rounds them once to float64. A margin
that treats classes alike has five different entries (``Entries``), so that nothing of size d^3 is made before it is asked for.
UV = Dogan, Glasmachers, Igel, "A Unified View on Multi-class Support Vector Classification", JMLR 17 (2016).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import SpecError
from msvm_ref.foreign import shown
from msvm_ref.model.arrays import LARGEST, Array, frozen, refuse_masked
from msvm_ref.model.cost import Cost, SlackCost, cost_name, slack_cost
from msvm_ref.model.entries import Entries, Floats, Tensor, check_table

Rational = Fraction | int | float
LEAST = Fraction(1, 10**120)
"""The least size of an entry that is computed from others: a given one is at least 1 / LARGEST, and may be shared by d."""


def _fraction(value: Any, name: str) -> Fraction:
    if isinstance(value, (np.floating, np.integer)):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)):
        raise SpecError(name, "hold numbers", repr(value), "use int, float or fractions.Fraction")
    if isinstance(value, float) and not np.isfinite(value):
        raise SpecError(name, "be finite", repr(value))
    exact = Fraction(value)
    if exact and not 1 / Fraction(LARGEST) <= abs(exact) <= LARGEST:
        raise SpecError(
            name, f"be 0 or of size {1 / LARGEST:g} to {LARGEST:g}", f"about 1e{_decade(exact)}"
        )
    return exact


def _decade(value: Fraction) -> int:
    """The power of ten of a number's size, to within one, from the lengths of its parts in bits."""
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    return round(bits * 0.30103)


@dataclass(frozen=True)
class Margin:
    """A margin that treats classes alike: mu_y = own f_y;  mu_c = true f_y + rival f_c  for c != y."""

    name: str
    own: Fraction
    true: Fraction
    rival: Fraction

    def __post_init__(self) -> None:
        for part in ("own", "true", "rival"):
            object.__setattr__(self, part, _fraction(getattr(self, part), f"margin's {part}"))

    def entries(self, d: int, centred: bool = False) -> Entries:
        """nu, or Pi nu: every row less its mean over m, own/d or (true + rival)/d."""
        own_mean, mean = (self.own / d, (self.true + self.rival) / d) if centred else (0, 0)
        return Entries(
            self.own - own_mean,
            Fraction(-own_mean),
            self.true - mean,
            self.rival - mean,
            Fraction(-mean),
        )

    def at(self, d: int) -> Tensor:
        return self.entries(d).table(d)


RELATIVE = Margin("relative", Fraction(0), Fraction(1, 2), Fraction(-1, 2))
ABSOLUTE = Margin("absolute", Fraction(1), Fraction(0), Fraction(-1))


def reinforced(g: Rational) -> Margin:
    """mu_y = g f_y;  mu_c = -(1-g) f_c  (UV section 2.4, after Liu and Yuan 2011)."""
    g = _reinforcement(g)
    return Margin(f"reinforced({short(g)})", g, Fraction(0), g - 1)


def short(value: Fraction) -> str:
    """A rational for people: 1/4 as it is, a float's long dyadic as the float."""
    return str(value) if value.denominator < 10**6 else repr(float(value))


@dataclass(frozen=True)
class Target:
    """gamma[y,y] = own + own_per_rival (d-1);  gamma[y,c] = other  for c != y."""

    own: Fraction = Fraction(1)
    other: Fraction = Fraction(1)
    own_per_rival: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        for part in ("own", "other", "own_per_rival"):
            object.__setattr__(self, part, _fraction(getattr(self, part), f"target's {part}"))

    def at(self, d: int) -> Tensor:
        own = self.own + self.own_per_rival * (d - 1)
        return tuple((self.other,) * y + (own,) + (self.other,) * (d - 1 - y) for y in range(d))

    def array(self, d: int) -> Array:
        """gamma in float64, read-only; each entry is the rational rounded once."""
        array = np.full((d, d), float(self.other))
        np.fill_diagonal(array, float(self.own + self.own_per_rival * (d - 1)))
        array.setflags(write=False)
        return array


def reinforced_target(g: Rational) -> Target:
    """gamma[y,y] = g (d-1);  gamma[y,c] = 1-g  (UV equation 4)."""
    g = _reinforcement(g)
    return Target(own=Fraction(0), other=1 - g, own_per_rival=g)


@dataclass(frozen=True)
class Aggregation:
    """Which components count, and whether each has a slack of its own (sum) or they share one (max).

    Delta(v, y) = sum over groups of (max of v in the group), groups being singletons ("own") or one ("shared").
    """

    components: Literal["self", "others", "all"]
    slack: Literal["own", "shared"]

    def __post_init__(self) -> None:
        if self.components not in ("self", "others", "all"):
            raise SpecError("components", "be 'self', 'others' or 'all'", repr(self.components))
        if self.slack not in ("own", "shared"):
            raise SpecError("slack", "be 'own' or 'shared'", repr(self.slack))
        if self.components == "self" and self.slack == "shared":
            raise SpecError(
                "slack",
                "be 'own' for components 'self'",
                "'shared'",
                "one component has nothing to share",
            )

    @property
    def name(self) -> str:
        if self.components == "self":
            return "self"
        return ("total" if self.components == "all" else "others") + (
            "-sum" if self.slack == "own" else "-max"
        )

    def mask(self, d: int) -> NDArray[np.bool_]:
        """mask[y,c]: does component c count for an example of class y?"""
        own = np.eye(d, dtype=bool)
        mask = {"self": own, "others": ~own, "all": np.ones((d, d), dtype=bool)}[self.components]
        mask.setflags(write=False)
        return mask


SELF = Aggregation("self", "own")
TOTAL_SUM = Aggregation("all", "own")
TOTAL_MAX = Aggregation("all", "shared")
OTHERS_SUM = Aggregation("others", "own")
OTHERS_MAX = Aggregation("others", "shared")


@dataclass(frozen=True, eq=False)
class Spec:
    """A machine at d classes, in float64 (each entry the rational rounded once); the d^3 tables are made at first use."""

    machine: Machine
    d: int
    gamma: Array
    mask: NDArray[np.bool_]
    shared: bool
    sum_to_zero: bool
    capped: bool
    width: float
    """The slack's cost, C phi(xi), by the two numbers of ``model/cost.py``."""

    @cached_property
    def alike(self) -> Floats | None:
        """Pi nu where it treats classes alike: what is computed with in place of the table."""
        entries = self.machine.entries(self.d)
        return None if entries is None else entries.floats

    @cached_property
    def nu(self) -> Array:
        entries = self.machine.entries(self.d, centred=False)
        return frozen(self.machine.nu(self.d)) if entries is None else entries.array(self.d)

    @cached_property
    def projected_nu(self) -> Array:
        """Pi nu with Pi = I - 11'/d under sum-to-zero, nu itself otherwise (UV section 4)."""
        if not self.sum_to_zero:
            return self.nu
        entries = self.machine.entries(self.d)
        return (
            frozen(self.machine.projected_nu(self.d)) if entries is None else entries.array(self.d)
        )


@dataclass(frozen=True)
class Machine:
    """One multi-class SVM as data.

    ``margin``: RELATIVE, ABSOLUTE, reinforced(g), or an array nu[y,c,m] (then d is fixed by its shape).
    ``target``: a number, a Target, or an array gamma[y,c]: rows are true classes.
    ``cost`` of each slack: "linear" (hinge), "quadratic" (squared hinge), "huber" or "huber(h)" (Huber hinge of width h).

    Definition 1's monotonicity is required; its property 3 is decided by ``fisher.property3``.
    """

    name: str
    margin: Margin | Tensor
    aggregation: Aggregation
    target: Target | Tensor = Target()
    sum_to_zero: bool = False
    cost: Cost = "linear"
    citation: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.aggregation, Aggregation):
            raise SpecError(
                "aggregation",
                "be one of SELF, TOTAL_SUM, TOTAL_MAX, OTHERS_SUM, OTHERS_MAX",
                repr(self.aggregation),
            )
        if not isinstance(self.sum_to_zero, bool):
            raise SpecError("sum_to_zero", "be True or False", repr(self.sum_to_zero))
        object.__setattr__(self, "cost", cost_name(self.cost))
        object.__setattr__(self, "margin", _margin(self.margin))
        object.__setattr__(self, "target", _target(self.target))
        sizes = {len(t) for t in (self.margin, self.target) if isinstance(t, tuple)}
        if len(sizes) > 1:
            raise SpecError(
                "gamma", "have as many classes as nu", f"{sorted(sizes)}", "rows are true classes"
            )
        _require_monotone(self.nu(self.fixed_d or 3), self.aggregation)

    @property
    def fixed_d(self) -> int | None:
        """The number of classes an array spec is tied to; None for machines that exist for every d."""
        for part in (self.margin, self.target):
            if isinstance(part, tuple):
                return len(part)
        return None

    @property
    def margin_name(self) -> str:
        return self.margin.name if isinstance(self.margin, Margin) else "given nu"

    @property
    def slack_cost(self) -> SlackCost:
        """The cost as numbers: is it capped, and its width."""
        return slack_cost(self.cost)

    def with_cost(self, cost: Cost, width: Rational | None = None) -> Machine:
        """This machine with another cost; ``width`` is the Huber hinge's h, 1 where it is not given."""
        name = cost_name(cost, width)
        return self if name == self.cost else replace(self, cost=name)

    def nu(self, d: int) -> Tensor:
        """nu[y][c][m] as exact rationals."""
        self._check_d(d)
        return self.margin.at(d) if isinstance(self.margin, Margin) else self.margin

    def gamma(self, d: int) -> Tensor:
        """gamma[y][c] as exact rationals."""
        self._check_d(d)
        return self.target.at(d) if isinstance(self.target, Target) else self.target

    def projected_nu(self, d: int) -> Tensor:
        """Pi nu as exact rationals: nu minus its mean over m under sum-to-zero, else nu."""
        self._check_d(d)
        return (_projected if d <= CACHED else _large_projected)(self, d)

    def entries(self, d: int, centred: bool | None = None) -> Entries | None:
        """What Pi nu (or nu, not ``centred``) is made of, for a margin that treats classes alike; None for an array's."""
        self._check_d(d)
        centred = self.sum_to_zero if centred is None else centred
        return self.margin.entries(d, centred) if isinstance(self.margin, Margin) else None

    def at(self, d: int) -> Spec:
        """The machine at d classes in float64, read-only."""
        self._check_d(d)
        return (_spec if d <= CACHED else _large_spec)(self, d)

    def _check_d(self, d: int) -> None:
        if not isinstance(d, (int, np.integer)) or d < 2:
            raise SpecError("d", "be an integer, at least 2", shown(d))
        if self.fixed_d not in (None, d):
            raise SpecError("d", f"be {self.fixed_d}, the size of the machine's arrays", str(d))


CACHED = 64
"""Up to this many classes what was made is kept; beyond, the last two only: a table may take half a gigabyte."""


@lru_cache(maxsize=256)
def _projected(machine: Machine, d: int) -> Tensor:
    entries = machine.entries(d)
    if entries is not None:
        return entries.table(d)
    nu = machine.nu(d)
    if not machine.sum_to_zero:
        return nu
    means = [[sum(row) / Fraction(d) for row in plane] for plane in nu]
    return tuple(
        tuple(tuple(v - mean for v in row) for row, mean in zip(plane, column, strict=True))
        for plane, column in zip(nu, means, strict=True)
    )


@lru_cache(maxsize=256)
def refuse_vanishing(machine: Machine, d: int) -> None:
    """Entries that are left of a difference (Pi nu, gamma[y,y]) must be numbers whose squares float64 can hold, or 0."""
    entries, target = machine.entries(d), machine.target
    if entries is None:
        nu = [v for plane in machine.projected_nu(d) for row in plane for v in row]
    else:
        nu = [entries.own, entries.own_rest, entries.true, entries.rival]
        nu += [entries.rest] if d > 2 else []
    gamma = [target.own + target.own_per_rival * (d - 1)] if isinstance(target, Target) else []
    for name, values in (("nu, centred", nu), ("gamma", gamma)):
        smallest = min((abs(v) for v in values if v), default=Fraction(1))
        if smallest < LEAST:
            raise SpecError(
                name,
                f"be 0 or at least {float(LEAST):g} in size",
                f"about 1e{_decade(smallest)}, what is left of a difference",
                "leave the difference out, or make it large enough to be seen",
            )


@lru_cache(maxsize=256)
def _spec(machine: Machine, d: int) -> Spec:
    refuse_vanishing(machine, d)
    target = machine.target
    return Spec(
        machine,
        d,
        target.array(d) if isinstance(target, Target) else frozen(target),
        machine.aggregation.mask(d),
        machine.aggregation.slack == "shared",
        machine.sum_to_zero,
        machine.slack_cost.capped,
        float(machine.slack_cost.width),
    )


_large_projected = lru_cache(maxsize=2)(_projected.__wrapped__)
_large_spec = lru_cache(maxsize=2)(_spec.__wrapped__)


def _reinforcement(g: Rational) -> Fraction:
    value = _fraction(g, "g")
    if not 0 <= value <= 1:
        raise SpecError(
            "g",
            "lie in [0, 1]",
            str(g),
            "UV's gamma weighs the own-class margin against the others",
        )
    return value


def _tensor(value: Any, ndim: int, name: str) -> Tensor:
    refuse_masked(name, value, SpecError)
    if ndim == 3 and hasattr(value, "__len__"):
        check_table(len(value))
    try:
        raw = np.asarray(value, dtype=object)
    except ValueError as error:
        raise SpecError(name, f"be an array of {ndim} axes", str(error)) from error
    if raw.ndim != ndim or len(set(raw.shape)) != 1 or raw.shape[0] < 2:
        raise SpecError(
            name,
            f"have shape {'(d, d, d)' if ndim == 3 else '(d, d)'} with d >= 2",
            f"shape {raw.shape}",
            "nu[y,c,m]: true class, component, score" if ndim == 3 else "rows are true classes",
        )

    exact: dict[tuple[type, Any], Fraction] = {}  # d^3 entries, of few values as a rule

    def freeze(part: Any) -> Any:
        if isinstance(part, np.ndarray):
            return tuple(freeze(p) for p in part)
        if type(part) not in (int, float, Fraction):
            return _fraction(part, name)
        key = type(part), part
        if key not in exact:
            exact[key] = _fraction(part, name)
        return exact[key]

    frozen_part: Tensor = freeze(raw)
    return frozen_part


def _margin(margin: Any) -> Margin | Tensor:
    return margin if isinstance(margin, Margin) else _tensor(margin, 3, "nu")


def _target(target: Any) -> Target | Tensor:
    if isinstance(target, Target):
        return target
    if isinstance(target, Real):
        value = _fraction(target, "gamma")
        return Target(own=value, other=value)
    return _tensor(target, 2, "gamma")


def _counting(aggregation: Aggregation, d: int) -> Iterator[tuple[int, int]]:
    return ((int(y), int(c)) for y, c in np.argwhere(aggregation.mask(d)))


def _require_monotone(nu: Tensor, aggregation: Aggregation) -> None:
    """Definition 1: mu_y non-decreasing in f_y, mu_c non-increasing in f_c, and mu not constant where it counts."""
    d = len(nu)
    for y in range(d):
        for c in range(d):
            slope = nu[y][c][c]
            wrong = slope < 0 if c == y else slope > 0
            if wrong:
                step = tuple(int(m == c) for m in range(d))
                raise SpecError(
                    "margin",
                    f"keep Definition 1({1 if c == y else 2})",
                    f"mu_{c}(f, y={y}) {'decreasing' if c == y else 'increasing'} in f_{c}"
                    f" (nu[{y},{c},{c}] = {slope}), witness f = {step}",
                    "a margin must not fall with the own score"
                    if c == y
                    else "a margin must not rise with a rival's score",
                )
    if not any(any(nu[y][c]) for y, c in _counting(aggregation, d)):
        raise SpecError(
            "margin",
            "be non-constant on a component that counts",
            f"nu = 0 on all of {aggregation.name}",
        )
