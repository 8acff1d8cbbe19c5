"""The circle problems of UV section 3.3: nine machines, linear kernel, no bias, against the Bayes predictor.

    beta(t) = (cos(pi t / 10), sin(pi t / 10)), t in [0, 20);  sectors [0, 5), [5, 11), [11, 20) for classes 1, 2, 3

Draw y uniformly, then x uniformly from y's sector; in the noisy variant 90 % of the labels are redrawn uniformly, so
that the sector's own class has probability 0.4. Bayes predicts the sector. Agreement is the share of the x-distribution
(each sector weighs 1/3) on which the machine predicts the sector's class, over a grid of angles.

A prediction is "undefined" where the optimum is w* = 0, decided by an upper bound on ||W*|| (zero.py), and at angles
where the two largest scores are closer than the certificate's distance bound lets them be told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.model.catalogue import AMO, ATM, ATS, CS, LLW, MMR, OVA, RM, WW
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.methods import solve
from msvm_ref.studies.interval import interval
from msvm_ref.studies.zero import NEGLIGIBLE, zero_bound

Variant = Literal["noiseless", "noisy"]
MACHINES: tuple[Machine, ...] = (WW, CS, LLW, MMR, RM(), OVA, AMO, ATM, ATS)
EDGES = (0.0, 5.0, 11.0, 20.0)
SAMPLES: dict[str, int] = {"noiseless": 100, "noisy": 500}
EXPONENTS: dict[str, tuple[int, ...]] = {"noiseless": (0, 1, 2, 3, 4), "noisy": (-4, -3, -2, -1, 0)}
NOISE = 0.9
GRID = 720
UNDEFINED = -1
TOLERANCE = 1e-9


def beta(t: Any) -> Array:
    angle = np.asarray(t, dtype=float) * np.pi / 10
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def sector(t: Any) -> NDArray[np.int64]:
    """The Bayes class (0, 1, 2) at curve parameter t in [0, 20)."""
    return np.searchsorted(EDGES[1:3], np.asarray(t, dtype=float), side="right").astype(np.int64)


def sample(variant: Variant, seed: int, n: int | None = None) -> tuple[Array, NDArray[np.int64]]:
    """(t, y): curve parameters and labels; beta(t) are the points."""
    if variant not in SAMPLES:
        raise DataError("variant", "be 'noiseless' or 'noisy'", repr(variant))
    rng = np.random.default_rng([seed, int(variant == "noisy")])
    count = SAMPLES[variant] if n is None else n
    z = rng.integers(0, 3, count)
    low, high = np.array(EDGES)[z], np.array(EDGES)[z + 1]
    t = low + (high - low) * rng.random(count)
    redrawn = rng.random(count) < NOISE
    other = rng.integers(0, 3, count)
    return t, np.where(redrawn, other, z) if variant == "noisy" else z


@dataclass(frozen=True)
class CircleCell:
    """One machine at one C on one sample: the class at each grid angle (UNDEFINED where it cannot be told)."""

    machine: str
    """Its name."""
    exponent: int
    """C = 10^exponent."""
    seed: int
    """Of the sample."""
    classes: NDArray[np.int64]
    """The class at each grid angle; UNDEFINED where it cannot be told."""
    zero: bool
    """Is w* = 0, so that nothing is predicted?"""
    gap: float
    """The certified relative gap."""

    @property
    def agreement(self) -> float | None:
        """Share of the x-distribution classified as Bayes does; None where w* = 0."""
        if self.zero:
            return None
        truth = sector(grid())
        return float(np.mean([np.mean(self.classes[truth == c] == c) for c in range(3)]))


def grid() -> Array:
    """Midpoints of GRID equal arcs."""
    return (np.arange(GRID) + 0.5) * 20.0 / GRID


def classify(machine: Machine, variant: Variant, exponent: int, seed: int) -> CircleCell:
    t, y = sample(variant, seed)
    problem = Problem(machine, beta(t), y, C=10.0**exponent, n_classes=3)
    bound = zero_bound(problem)
    if bound is not None and bound <= NEGLIGIBLE:
        return CircleCell(machine.name, exponent, seed, np.full(GRID, UNDEFINED), True, 0.0)
    solution = solve(problem, tolerance=TOLERANCE)
    scores, told = beta(grid()) @ solution.W, solution.lead_interval(beta(grid()))[:, 0] > 0
    return CircleCell(
        machine.name,
        exponent,
        seed,
        np.where(told, scores.argmax(axis=1), UNDEFINED),
        False,
        solution.certificate.relative_gap,
    )


@dataclass(frozen=True)
class CircleRow:
    """Agreement of one machine at one C over the seeds: mean and 95 % Student interval; None if undefined throughout."""

    machine: str
    """Its name."""
    exponent: int
    """C = 10^exponent."""
    mean: float | None
    """Mean agreement."""
    low: float | None
    """The interval's lower end."""
    high: float | None
    """The interval's upper end."""
    undefined: int
    """On how many seeds w* = 0."""
    seeds: int
    """Of how many."""

    def to_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)


@dataclass(frozen=True)
class CircleStudy:
    """UV's Figure 1 or 2 over many samples."""

    variant: Variant
    """Noiseless (Figure 1) or noisy (Figure 2)."""
    seeds: tuple[int, ...]
    """One sample each."""
    cells: tuple[CircleCell, ...]
    """Every machine at every C on every sample."""

    def rows(self) -> tuple[CircleRow, ...]:
        return self._rows

    @cached_property
    def _rows(self) -> tuple[CircleRow, ...]:
        """Made once: every reading asks for the best of several machines."""
        cells: dict[tuple[str, int], list[CircleCell]] = {}
        for c in self.cells:
            cells.setdefault((c.machine, c.exponent), []).append(c)
        return tuple(_row(m, e, group) for (m, e), group in cells.items())

    def best(self, machine: str) -> CircleRow:
        """The machine's row of highest mean agreement; an undefined row if it has no other."""
        return max(
            (r for r in self.rows() if r.machine == machine),
            key=lambda r: -1.0 if r.mean is None else r.mean,
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "variant": self.variant,
            "seeds": list(self.seeds),
            "rows": [r.to_dict() for r in self.rows()],
        }

    def __str__(self) -> str:
        exponents = sorted({c.exponent for c in self.cells})
        head = (
            f"{self.variant} circle, n = {SAMPLES[self.variant]}, {len(self.seeds)} samples\n"
            f"agreement with Bayes in %, mean and 95 % interval; w = 0: undefined, w* is 0\n{'C':<9}"
            + "".join(f"10^{e}".center(14) for e in exponents).rstrip()
        )
        rows = {(r.machine, r.exponent): r for r in self.rows()}
        lines = [
            f"{name:<9}" + "".join(_percent(rows[name, e]).center(14) for e in exponents).rstrip()
            for name in dict.fromkeys(c.machine for c in self.cells)
        ]
        return "\n".join([head, *lines])


def _percent(row: CircleRow) -> str:
    if row.mean is None:
        return "w = 0"
    ends = ""
    if row.low is not None and row.high is not None:
        ends = f" [{100 * row.low:.0f},{100 * row.high:.0f}]"
    return f"{100 * row.mean:.1f}{ends}" + (f" ({row.undefined}×0)" if row.undefined else "")


def _row(machine: str, exponent: int, cells: list[CircleCell]) -> CircleRow:
    values = [a for c in cells if (a := c.agreement) is not None]
    if not values:
        return CircleRow(machine, exponent, None, None, None, len(cells), len(cells))
    found, undefined = interval(values), len(cells) - len(values)
    if found.count < 2:
        return CircleRow(machine, exponent, values[0], None, None, undefined, len(cells))
    low, high = max(found.low, 0.0), min(found.high, 1.0)
    return CircleRow(machine, exponent, found.mean, low, high, undefined, len(cells))


def circle_study(
    variant: Variant,
    seeds: Sequence[int] = tuple(range(10)),
    machines: Sequence[Machine] = MACHINES,
    exponents: Sequence[int] | None = None,
    progress: Callable[[str], None] | None = None,
) -> CircleStudy:
    """Every machine at every C = 10^exponent on every seed's sample."""
    if variant not in SAMPLES:
        raise DataError("variant", "be 'noiseless' or 'noisy'", repr(variant))
    cells = []
    for machine in machines:
        for exponent in EXPONENTS[variant] if exponents is None else exponents:
            for seed in seeds:
                cells.append(classify(machine, variant, exponent, seed))
                if progress is not None:
                    progress(machine.name)
    return CircleStudy(variant, tuple(seeds), tuple(cells))
