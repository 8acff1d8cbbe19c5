"""The exact optimum: primal = dual in rational arithmetic, found here and proved by ``check.py`` before it is returned.

What is returned, precisely:
  value   the optimum, unique.
  W       unique (the objective is strongly convex in W), in ``problem.features`` coordinates: X's for a linear kernel.
  b       unique unless the bias is free. A free b is *one* optimal b, with sum_c b_c = 0 under sum-to-zero and where a
          common shift changes no margin; ``bias.bias_interval`` gives the range of each b_c over all of them.
  alpha   *one* optimal alpha; the set of optimal alpha is a polytope in general. Which one depends on the guess.
  coef    A with W = Phi' A, that of this alpha.

The float64 data are taken as the rationals they are. What defines a problem with a non-linear kernel is a choice:
  gram="factor"  its float64 factor Phi (``model/representation.py``), as everywhere else in the judge: exact for the Gram
                 Phi Phi', which is ``problem.factor.residual`` from the kernel's float64 matrix.
  gram="kernel"  the kernel itself (``data.kernel_gram``): a polynomial of the data in rationals, or a float64 Gram bit by
                 bit where that is provably PSD. There are then no feature coordinates: W is empty, f = K coef + b.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, Literal

from flint import fmpq, fmpq_mat

from msvm_ref.errors import ExactnessError
from msvm_ref.exact.active import (
    TIGHTNESS,
    CheckTime,
    ExactPoint,
    Partition,
    groups,
    partition,
    solve_partition,
)
from msvm_ref.exact.check import check_exact, check_kernel, gram_faults
from msvm_ref.exact.data import ExactData, Pair, exact_data, kernel_gram
from msvm_ref.exact.lcp import solve_pairs
from msvm_ref.exact.numbers import exact_matrix, fraction, fractions
from msvm_ref.exact.smooth import solve_smooth, suits
from msvm_ref.exact.walk import ActiveSetWalk
from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.problem import Problem

__all__ = ["ExactOptimum", "decimal", "prove_optimum"]

Gram = Literal["factor", "kernel"]
Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]

MOST_PAIRS = 4000
"""Margin components (i, p) beyond which exactness is refused."""

REVISIONS = 40
"""How many active-set steps are taken before another tightness is tried."""


@dataclass(frozen=True, eq=False)
class ExactOptimum:
    """A proved optimum; see the module's text for what is unique."""

    problem: Problem = field(repr=False)
    """The problem that was solved."""
    value: Fraction
    """The optimum."""
    W: Matrix = field(repr=False)
    """(features x d) weights; empty for gram="kernel"."""
    b: Vector
    """d biases."""
    alpha: Matrix = field(repr=False)
    """(n x d) multipliers."""
    coef: Matrix = field(repr=False)
    """(n x d) A with f = K A + b."""
    how: str
    """The step that found it."""
    seconds: float
    """What it took."""
    gram: Gram = "factor"
    """What defines the kernel: its float64 factor, or the kernel itself."""

    def digits(self, count: int = 25) -> str:
        """The value in decimal, rounded to ``count`` significant digits (half to even), every one certified."""
        return decimal(self.value, count)


def decimal(value: Fraction, count: int = 25) -> str:
    """A rational to ``count`` significant digits, correctly rounded (half to even)."""
    return str(Context(prec=count).divide(Decimal(value.numerator), Decimal(value.denominator)))


def prove_optimum(
    problem: Problem,
    guess: Any,
    seconds: float = 60.0,
    gram: Gram = "factor",
    started: float | None = None,
) -> ExactOptimum:
    """The exact optimum near a float solution (a Solution or a Candidate with W, b and alpha); ExactnessError beyond limits.

    The guess only saves work: a poor one costs time, never correctness. ``seconds`` count from ``started`` (a
    ``time.perf_counter()``; by default from this call) and are looked at inside the loops; a system of equations is only begun
    where its size promises to be solved in the time that is left.
    """
    start = time.perf_counter() if started is None else started
    candidate: Candidate = getattr(guess, "candidate", guess)

    def check_time() -> float:
        left = start + seconds - time.perf_counter()
        if left < 0:
            raise ExactnessError(
                "problem",
                f"be solved exactly within {seconds:g} s",
                repr(problem),
                "allow more seconds, or use certify(..., rigorous=True)",
            )
        return left

    refuse_beyond_size(problem)
    check_time()
    data = exact_data(problem, _given(problem, gram))
    for point, how in _proposals(data, candidate, check_time):
        if _failing(data, point):
            continue
        b, alpha, coef = point.b, _rows(data, point.alpha), data.expansion(point.alpha).tolist()
        W = [] if gram == "kernel" else _weights(data, point)
        value = _dual_value(data, point)
        faults = (
            check_kernel(problem, value, coef, b, alpha)
            if gram == "kernel"
            else check_exact(problem, value, W, b, alpha)
        )
        if faults:
            raise AssertionError(f"finder and checker disagree on {problem!r}: {faults[0]}")
        return ExactOptimum(
            problem,
            fraction(value),
            _matrix(W),
            fractions(b),
            _matrix(alpha),
            _matrix(coef),
            how,
            time.perf_counter() - start,
            gram,
        )
    raise AssertionError(
        "Lemke's method over all pairs has no ray: the dual is feasible and bounded"
    )


def refuse_beyond_size(problem: Problem) -> None:
    """ExactnessError where the problem has more than MOST_PAIRS margin components; costs nothing to ask."""
    count = int(problem.spec.mask[problem.y][problem.costs > 0].sum())
    if count > MOST_PAIRS:
        raise ExactnessError(
            "problem",
            f"have at most {MOST_PAIRS} margin components (i, p)",
            str(count),
            "use certify(..., rigorous=True), whose bounds are exact at any size",
        )


def _proposals(
    data: ExactData, guess: Candidate, check_time: CheckTime
) -> Iterator[tuple[ExactPoint, str]]:
    """Exact points, cheapest first; the last one is optimal by construction."""
    tried = set()
    for tightness in TIGHTNESS:
        parts: Partition | None = partition(data, guess, tightness)
        walk = ActiveSetWalk(data, guess)
        for step in range(REVISIONS):
            if parts is None or parts.key() in tried:
                break
            tried.add(parts.key())
            check_time()
            current, parts = parts, None
            for point in _solutions(data, current, guess, check_time):
                yield (
                    point,
                    f"active set at {tightness:g}" + (f", {step} exact steps" if step else ""),
                )
                parts = walk.next_partition(current, point)
    yield from _complementary(data, partition(data, guess, TIGHTNESS[0]), check_time)


def _solutions(
    data: ExactData, parts: Partition, guess: Candidate, check_time: CheckTime
) -> Iterator[ExactPoint]:
    point = solve_smooth(data, parts) if suits(data, parts) else None
    return iter([point]) if point is not None else solve_partition(data, parts, guess, check_time)


def _complementary(
    data: ExactData, parts: Partition, check_time: CheckTime
) -> Iterator[tuple[ExactPoint, str]]:
    """Lemke's method over the doubtful pairs, then over every slack group whose conditions it finds broken as well."""
    full, bound = set(parts.full), list(parts.bound)
    pairs = [
        pair for pair in data.pairs if pair in set(parts.tight) or (data.shared and pair[0] in full)
    ]
    while True:
        point = solve_pairs(data, pairs, bound, check_time)
        broken = (
            {data.group(pair) for pair in data.pairs} if point is None else _failing(data, point)
        )
        if point is not None:
            yield point, f"Lemke over {len(pairs)} of {len(data.pairs)} pairs"
        wider = [pair for pair in data.pairs if pair in set(pairs) or data.group(pair) in broken]
        if len(wider) == len(pairs):
            return
        pairs, bound = wider, [pair for pair in bound if data.group(pair) not in broken]


def _failing(data: ExactData, point: ExactPoint) -> set[Pair | int]:
    """The slack groups whose KKT conditions do not hold: signs, bounds, alpha only at the group's slack, and that slack xi =
    h a / C below the cap, xi >= h at it (a the group's sum).
    """
    t = data.violations(data.expansion(point.alpha), point.b)
    top: dict[Pair | int, fmpq] = {}
    mass: dict[Pair | int, fmpq] = {}
    for pair in data.pairs:
        group = data.group(pair)
        top[group] = max(top.get(group, fmpq(0)), t[pair])
        mass[group] = mass.get(group, fmpq(0)) + point.alpha[pair]
    failing = set()
    for pair in data.pairs:
        group, cost = data.group(pair), data.cost[pair[0]]
        slack = data.width * mass[group] / cost
        at_cap = data.capped and mass[group] >= cost
        wrong_mass = (
            mass[group] > cost or top[group] < data.width if at_cap else top[group] != slack
        )
        if point.alpha[pair] < 0 or (point.alpha[pair] > 0 and t[pair] != top[group]) or wrong_mass:
            failing.add(group)
    return failing


def _dual_value(data: ExactData, point: ExactPoint) -> fmpq:
    """D = 1/2 sum alpha (gamma + t) - h (group sums)^2 / 2C, by D's own gradient; the checker computes it from scratch."""
    t = data.violations(data.expansion(point.alpha), [fmpq(0)] * data.d)
    total = sum(
        (v * (data.gamma[data.y[i]][p] + t[i, p]) / 2 for (i, p), v in point.alpha.items()), fmpq(0)
    )
    for members in groups(data) if data.width else []:
        mass = sum((point.alpha[m] for m in members), fmpq(0))
        total -= data.width * mass**2 / (2 * data.cost[members[0][0]])
    return total


def _given(problem: Problem, gram: Gram) -> fmpq_mat | None:
    if gram == "factor":
        return None
    faults = gram_faults(problem)
    if faults:
        raise ExactnessError(
            "Gram matrix",
            "be proved symmetric positive semi-definite for gram='kernel'",
            f"{problem.kernel}: {faults[0]}",
            "use gram='factor'",
        )
    return kernel_gram(problem)


def _weights(data: ExactData, point: ExactPoint) -> list[list[fmpq]]:
    rows: list[list[fmpq]] = (
        exact_matrix(data.problem.dense_features).transpose() * data.expansion(point.alpha)
    ).tolist()
    return rows


def _rows(data: ExactData, alpha: dict[Pair, fmpq]) -> list[list[fmpq]]:
    return [[alpha.get((i, p), fmpq(0)) for p in range(data.d)] for i in range(data.n)]


def _matrix(rows: list[list[fmpq]]) -> Matrix:
    return tuple(fractions(row) for row in rows)
