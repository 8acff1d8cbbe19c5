"""Candidates for a problem whose optimum is enclosed: right, one ulp off, clipped, permuted, foreign, infeasible, huge."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import msvm_ref as mr
from tests.adversary.evaluator import Exact, Weights
from tests.adversary.proved import Optimum
from tests.adversary.scaled import scaled

Array = Any


@dataclass(frozen=True, eq=False)
class Half:
    """One half of a candidate and how it was made: a primal (weights, b) or a dual (alpha)."""

    kind: str
    weights: Array
    b: Array | None = None


PRIMAL = {
    "optimum": 5,
    "one ulp": 4,
    "scaled": 4,
    "noise": 3,
    "few digits": 2,
    "permuted": 1,
    "uncentred": 4,
    "neighbour": 3,
    "zero": 1,
    "constant": 1,
    "hairline": 0.4,
    "huge": 0.3,
}
DUAL = {
    "optimum": 7,
    "one ulp": 4,
    "scaled": 3,
    "noise": 2,
    "clipped": 2,
    "permuted": 1,
    "negative": 1,
    "off support": 1,
    "neighbour": 3,
    "zero": 1,
    "all at C": 1,
    "huge": 0.3,
}


@dataclass(frozen=True, eq=False)
class Pool:
    """What candidates are made from: the rounded optimum, and a neighbouring problem's answer (None: there is none)."""

    rng: np.random.Generator
    problem: mr.Problem
    exact: Exact
    optimum: Optimum
    weights: Array
    b: Array
    alpha: Array
    neighbour: Any

    def primal(self) -> Half:
        kind = _choice(self.rng, PRIMAL)
        kind = "optimum" if kind == "neighbour" and self._foreign() is None else kind
        kind = "scaled" if kind == "hairline" and self.problem.n > 14 else kind
        weights, b = _MAKERS[kind](self)
        return Half(kind, weights, b * 0 if self.problem.bias == "none" else b)

    def dual(self) -> Half:
        kind = _choice(self.rng, DUAL)
        kind = "optimum" if kind == "neighbour" and self.neighbour is None else kind
        return Half(kind, _DUALS[kind](self))

    def _foreign(self) -> tuple[Array, Array] | None:
        if self.neighbour is None:
            return None
        linear = self.problem.kernel == mr.linear
        weights = self.neighbour.W if linear else self.neighbour.coef
        return None if weights.shape != self.weights.shape else (weights, self.neighbour.b)

    def step(self) -> float:
        """1 +- 10^-k, k = 1 ... 15: an error near every tolerance."""
        return float(1 + self.rng.choice((-1, 1)) * 10.0 ** -self.rng.uniform(1, 15.5))


def pool(
    rng: np.random.Generator, problem: mr.Problem, exact: Exact, optimum: Optimum, neighbour: Any
) -> Pool:
    """Every number rounded once to float64; where one is too large for that, to the largest float there is."""
    point = optimum.point
    weights = point.W if point.W is not None else point.coef
    assert weights is not None, "the optimum has weights or coefficients"
    parts = [_rounded(part) for part in (weights, point.b, optimum.alpha)]
    return Pool(rng, problem, exact, optimum, parts[0], parts[1], parts[2], neighbour)


def _rounded(part: Any) -> Array:
    try:
        return part.floats()
    except OverflowError:
        largest = float(np.finfo(float).max)
        limit = int(largest) * part.den
        clipped = type(part)(np.clip(part.num, -limit, limit), part.den)
        return clipped.floats()


def _choice(rng: np.random.Generator, weights: dict[str, float]) -> str:
    shares = np.array(list(weights.values()))
    return str(rng.choice(list(weights), p=shares / shares.sum()))


def _one_ulp(rng: np.random.Generator, values: Array) -> Array:
    out = np.array(values, dtype=float)
    if out.size:
        place = int(rng.integers(out.size))
        for _ in range(int(rng.integers(1, 4))):
            out.flat[place] = math.nextafter(out.flat[place], float(rng.choice((-1, 1))) * math.inf)
    return np.where(np.isfinite(out), out, values)


def _noisy(rng: np.random.Generator, values: Array) -> Array:
    size = 10.0 ** -float(rng.uniform(1, 15.5)) * float(abs(values).max(initial=0.0) or 1.0)
    return values + size * rng.normal(size=values.shape)


def _digits(pool: Pool) -> tuple[Array, Array]:
    count = int(pool.rng.integers(1, 16))

    def cut(values: Array) -> Array:
        return np.array([float(f"{v:.{count}e}") for v in values.ravel()]).reshape(values.shape)

    return cut(pool.weights), cut(pool.b)


def _uncentred(pool: Pool) -> tuple[Array, Array]:
    """A common shift of every class: 0 after the projection that sum-to-zero asks for."""
    rng = pool.rng
    size = 10.0 ** -float(rng.uniform(0, 17)) * float(abs(pool.weights).max(initial=0.0) or 1.0)
    shift = size * rng.normal(size=(len(pool.weights), 1))
    b = pool.b + 10.0 ** -float(rng.uniform(0, 17)) * rng.normal()
    return pool.weights + shift, b


def _constant(pool: Pool) -> tuple[Array, Array]:
    """The same weights in every class, of any size down to the subnormal."""
    size = 10.0 ** float(pool.rng.choice((-320, -200, -160, -100, -8, 0)))
    return np.repeat(
        size * pool.rng.normal(size=(len(pool.weights), 1)), len(pool.b), axis=1
    ), pool.b


def _permuted(pool: Pool) -> tuple[Array, Array]:
    order = pool.rng.permutation(len(pool.b))
    return pool.weights[:, order], pool.b[order]


def _scaled(pool: Pool) -> tuple[Array, Array]:
    s = pool.step()
    return pool.weights * s, pool.b * s if pool.rng.random() < 0.5 else pool.b


def _hairline(pool: Pool) -> tuple[Array, Array]:
    """The optimum scaled until its relative error has just passed a tolerance: s is the first float found beyond it."""
    tolerance = Fraction(float(f"1e-{pool.rng.integers(3, 13)}"))

    def passed(s: float) -> bool:
        weights, b = scaled((pool.weights * s).tolist()), scaled(pool.b.tolist())
        linear = pool.optimum.point.W is not None
        point = Weights(b, W=weights) if linear else Weights(b, coef=weights)
        P = pool.exact.primal(point).low
        return P - pool.optimum.high > tolerance * P

    low, high = 1.0, 2.0
    while math.nextafter(low, 2.0) < high:
        middle = (low + high) / 2
        low, high = (low, middle) if passed(middle) else (middle, high)
    return pool.weights * high, pool.b


def _ulp_primal(pool: Pool) -> tuple[Array, Array]:
    if pool.rng.random() < 0.4:
        return pool.weights, _one_ulp(pool.rng, pool.b)
    return _one_ulp(pool.rng, pool.weights), pool.b


def _huge(pool: Pool) -> tuple[Array, Array]:
    size = 10.0 ** float(pool.rng.choice((100, 153, 200, 300)))
    return pool.rng.normal(size=pool.weights.shape) * size, pool.b


def _foreign(pool: Pool) -> tuple[Array, Array]:
    foreign = pool._foreign()
    assert foreign is not None, "asked for only where there is one"
    return foreign


_MAKERS: dict[str, Callable[[Pool], tuple[Array, Array]]] = {
    "optimum": lambda pool: (pool.weights, pool.b),
    "one ulp": _ulp_primal,
    "scaled": _scaled,
    "noise": lambda pool: (_noisy(pool.rng, pool.weights), _noisy(pool.rng, pool.b)),
    "few digits": _digits,
    "permuted": _permuted,
    "uncentred": _uncentred,
    "neighbour": _foreign,
    "zero": lambda pool: (pool.weights * 0, pool.b * 0),
    "constant": _constant,
    "hairline": _hairline,
    "huge": _huge,
}


def _clipped(pool: Pool) -> Array:
    top = float(pool.rng.uniform(0, 1.2)) * pool.problem.C
    return np.clip(pool.alpha, 0, top)


def _negative(pool: Pool) -> Array:
    size = 10.0 ** -float(pool.rng.uniform(1, 17)) * pool.problem.C
    return pool.alpha - size * (pool.rng.random(pool.alpha.shape) < 0.3)


def _off_support(pool: Pool) -> Array:
    size = 10.0 ** -float(pool.rng.uniform(1, 17)) * pool.problem.C
    return pool.alpha + size * (pool.rng.random(pool.alpha.shape) < 0.3)


_DUALS: dict[str, Callable[[Pool], Array]] = {
    "optimum": lambda pool: pool.alpha,
    "one ulp": lambda pool: _one_ulp(pool.rng, pool.alpha),
    "scaled": lambda pool: pool.alpha * pool.step(),
    "noise": lambda pool: _noisy(pool.rng, pool.alpha),
    "clipped": _clipped,
    "permuted": lambda pool: pool.alpha[:, pool.rng.permutation(len(pool.b))],
    "negative": _negative,
    "off support": _off_support,
    "neighbour": lambda pool: pool.neighbour.alpha,
    "zero": lambda pool: pool.alpha * 0,
    "all at C": lambda pool: np.full(pool.alpha.shape, pool.problem.C),
    "huge": lambda pool: pool.alpha + 10.0 ** float(pool.rng.choice((60, 140, 300))),
}
