"""Random problems: every machine and user specs, biases, costs, kernels, sizes, weights, scales, duplicates, absent classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

import msvm_ref as mr

AGGREGATIONS = (mr.SELF, mr.TOTAL_SUM, mr.TOTAL_MAX, mr.OTHERS_SUM, mr.OTHERS_MAX)
BIASES = ("none", "free", "penalized")
KERNELS = ("linear", "sparse", "polynomial", "rbf", "precomputed")
KERNEL_SHARES = (0.52, 0.06, 0.14, 0.14, 0.14)
SIZES = ((1, 1), (2, 6), (7, 14), (15, 40), (1001, 1040))
SIZE_SHARES = (0.1, 0.58, 0.22, 0.06, 0.04)


@dataclass(frozen=True)
class Draw:
    """The arguments of a Problem, and the names under which it is counted."""

    arguments: dict[str, Any] = field(repr=False)
    labels: dict[str, str]

    def problem(self, **changed: Any) -> mr.Problem:
        return mr.Problem(**(self.arguments | changed))


def draw(rng: np.random.Generator) -> Draw:
    machine, name, d = _machine(rng)
    low, high = SIZES[rng.choice(len(SIZES), p=SIZE_SHARES)]
    n = int(rng.integers(low, high + 1))
    kind = str(rng.choice(KERNELS, p=KERNEL_SHARES))
    X, y = _data(rng, n, d, exact_gram=kind == "precomputed")
    weight, weights = _weights(rng, n)
    bias = str(rng.choice(BIASES))
    arguments: dict[str, Any] = {
        "machine": machine,
        "y": y,
        "C": _cost(rng),
        "bias": bias,
        "sample_weight": weight,
        "n_classes": d,
    }
    X, kernel = _kernel(rng, kind, X)
    arguments |= {"X": X, "kernel": kernel}
    labels = {
        "machine": name,
        "bias": bias,
        "cost": machine.cost.partition("(")[0],
        "kernel": kind,
        "examples": str(low) if low == high else f"{low} to {high}",
        "weights": weights,
        "sum-to-zero": "yes" if machine.sum_to_zero else "no",
    }
    return Draw(arguments, labels)


def _machine(rng: np.random.Generator) -> tuple[mr.Machine, str, int]:
    cost = _slack_cost(rng)
    d = int(rng.choice((2, 3, 4, 5), p=(0.25, 0.5, 0.2, 0.05)))
    if rng.random() < 0.35:
        return _user_machine(rng, d, cost), "user spec", d
    machine = mr.CATALOGUE[rng.integers(len(mr.CATALOGUE))]
    name = machine.name
    if name.startswith("RM"):
        machine = mr.RM(
            Fraction(int(rng.integers(0, 9)), 8) if rng.random() < 0.7 else rng.random()
        )
        name = "RM(g)"
    return machine.with_cost(cost), name, d


def _slack_cost(rng: np.random.Generator) -> str:
    """Linear, quadratic or Huber's of width 1, an eighth's multiple, a third, any float, or one far from 1."""
    choice = rng.random()
    if choice < 0.75:
        return "linear" if choice < 0.5 else "quadratic"
    widths = (
        1,
        Fraction(int(rng.integers(1, 40)), 8),
        Fraction(int(rng.integers(1, 7)), 3),
        float(10.0 ** rng.uniform(-4, 4)),
        float(10.0 ** rng.integers(-97, 98)),
    )
    width = widths[rng.choice(5, p=(0.25, 0.3, 0.15, 0.25, 0.05))]
    return mr.WW.with_cost("huber", width).cost


def _user_machine(rng: np.random.Generator, d: int, cost: Any) -> mr.Machine:
    """Random nu and gamma that keep the margins monotone; small integers, thirds, floats, or far from 1."""
    aggregation = AGGREGATIONS[rng.integers(len(AGGREGATIONS))]
    style = rng.choice(("integers", "thirds", "floats", "far"), p=(0.4, 0.2, 0.3, 0.1))

    def entries(*shape: int) -> Any:
        if style == "integers":
            return rng.integers(-2, 3, size=shape).astype(object)
        if style == "thirds":
            return np.vectorize(lambda k: Fraction(int(k), 3), otypes=[object])(
                rng.integers(-4, 5, size=shape)
            )
        return rng.normal(size=shape).astype(object)

    nu, gamma = entries(d, d, d), entries(d, d)
    if style == "far":
        nu, gamma = (v * float(10.0 ** rng.integers(-97, 98)) for v in (nu, gamma))
    for y in range(d):
        for c in range(d):
            nu[y, c, c] = abs(nu[y, c, c]) if c == y else -abs(nu[y, c, c])
    for y in range(d):  # no component that counts may be constant everywhere
        nu[y, y, y] = nu[y, y, y] or 1
        other = (y + 1) % d
        nu[y, other, other] = nu[y, other, other] or -1
    if rng.random() < 0.7:
        gamma = abs(gamma)
    return mr.Machine("user", nu, aggregation, gamma, bool(rng.random() < 0.5), cost)


def _data(rng: np.random.Generator, n: int, d: int, exact_gram: bool) -> tuple[Any, Any]:
    """Features on a grid or not, scaled, offset, repeated with the same or another label; some classes may be absent."""
    p = int(rng.integers(1, 5))
    distinct = n if n <= 40 else int(rng.integers(2, 13))
    X = rng.integers(-3, 4, size=(distinct, p)).astype(float)
    if rng.random() < 0.5 and not exact_gram:
        X = rng.normal(size=(distinct, p)) if rng.random() < 0.6 else X / 10
    classes = d if rng.random() < 0.8 else int(rng.integers(1, d + 1))
    y = rng.integers(0, classes, size=distinct)
    if rng.random() < 0.5:
        X = X + 2.0 * np.eye(d, p)[y]
    if n > 40:
        chosen = rng.integers(0, distinct, size=n)
        X, y = X[chosen], y[chosen]
        y = np.where(rng.random(n) < 0.02, rng.integers(0, classes, size=n), y)
    elif n > 1 and rng.random() < 0.25:
        k = int(rng.integers(1, n))
        X[k:] = X[rng.integers(0, k, size=n - k)]
        if rng.random() < 0.3 and not exact_gram:
            X[-1] = X[0] * (1 + 2.0 ** -int(rng.integers(20, 53)))
    if not exact_gram:
        X = _placed(rng, X)
    return X, y


def _placed(rng: np.random.Generator, X: Any) -> Any:
    where = rng.choice(
        ("here", "scaled", "offset", "columns", "far"), p=(0.5, 0.2, 0.15, 0.1, 0.05)
    )
    if where == "scaled":
        return X * 10.0 ** rng.integers(-6, 7)
    if where == "offset":
        return X + 10.0 ** rng.integers(1, 7)
    if where == "columns":
        return X * 10.0 ** rng.integers(-6, 7, size=X.shape[1])
    return X * 10.0 ** rng.integers(-60, 61) if where == "far" else X


def _kernel(rng: np.random.Generator, kind: str, X: Any) -> tuple[Any, Any]:
    if kind == "linear":
        return X, mr.linear
    if kind == "sparse":
        return sparse.csr_array(X), mr.linear
    if kind == "precomputed":  # an exact Gram of integers, perhaps scaled by a power of two
        return (
            X @ X.T + np.eye(len(X)) * (len(X) <= 40 and rng.integers(0, 2))
        ) * 2.0 ** rng.integers(-30, 31), (mr.precomputed)
    spread = float(np.abs(X).max()) or 1.0
    if kind == "rbf":
        gamma = float(rng.choice((0.1, 0.5, 2.0, 10.0, 1e-6)))
        return X, mr.rbf(gamma / spread**2 if spread > 100 or spread < 0.01 else gamma)
    gamma = float(rng.choice((1.0, 0.5, 0.1))) / (spread if spread > 100 else 1.0)
    return X, mr.polynomial(int(rng.integers(1, 5)), gamma, float(rng.choice((0.0, 1.0, 0.3))))


def _weights(rng: np.random.Generator, n: int) -> tuple[Any, str]:
    """None, dyadic ones with zeros (C w is a float), or any (C w is rounded)."""
    choice = rng.random()
    if choice < 0.6:
        return None, "none"
    if choice < 0.8:
        return rng.choice((0.0, 0.5, 1.0, 2.0, 4.0), size=n), "powers of two and 0"
    return np.where(rng.random(n) < 0.1, 0.0, rng.random(n) + 1e-3), "any"


def _cost(rng: np.random.Generator) -> float:
    choice = rng.random()
    if choice < 0.2:
        return 1.0
    if choice < 0.45:
        return float(2.0 ** rng.integers(-20, 40))
    if choice < 0.75:
        return float(10.0 ** rng.uniform(-3, 4))
    return float(10.0 ** rng.uniform(-8, 13))
