"""Problems whose features nobody standardised: offset by up to 1e6, columns of scales 1e-6 ... 1e6, everything at 1e+-60."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import msvm_ref as mr

PLACES = ("offset", "columns", "far", "offset columns", "here")
BIASES = ("none", "free", "penalized")


def hard_problem(seed: int) -> tuple[mr.Problem, str]:
    """One problem and the words for what is hard about it; every machine, bias and cost, n = 5 ... 40."""
    rng = np.random.default_rng([13, seed])
    d, p, n = int(rng.integers(2, 6)), int(rng.integers(1, 7)), int(rng.integers(5, 41))
    machine = mr.CATALOGUE[rng.integers(len(mr.CATALOGUE))]
    if machine.name.startswith("RM"):
        machine = mr.RM(Fraction(int(rng.integers(0, 9)), 8))
    machine = machine.with_cost(str(rng.choice(("linear", "quadratic"))))
    y = rng.integers(0, d, size=n)
    X = rng.normal(size=(n, p)) + float(rng.choice((0.0, 1.0, 3.0))) * np.eye(d, p)[y]
    C = float(10.0 ** rng.uniform(-3, 3))
    place, bias = str(rng.choice(PLACES)), str(rng.choice(BIASES))
    if "columns" in place:
        X = X * 10.0 ** rng.uniform(-6, 6, size=p)
    if "offset" in place:
        X = X + 10.0 ** rng.uniform(2, 6) * rng.choice((-1.0, 1.0), size=p)
    if place == "far":
        scale = 10.0 ** rng.uniform(-60, 60)
        X = X * scale
        if (
            bias != "penalized" or scale > 1
        ):  # with a penalized bias no C would make small features matter
            C = float(np.clip(C / scale**2, 1e-98, 1e98))
    weight = rng.choice((0.0, 0.5, 1.0, 2.0), size=n) if rng.random() < 0.2 else None
    problem = mr.Problem(machine, X, y, C=C, bias=bias, sample_weight=weight, n_classes=d)
    return problem, place
