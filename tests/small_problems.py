"""Machines, settings and small data that every test file may use."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import msvm_ref as mr

MACHINES = (mr.WW, mr.CS, mr.LLW, mr.MMR, mr.MMR_ORTHO, mr.OVA, mr.AMO, mr.ATM, mr.ATS,
            *(mr.RM(Fraction(k, 4)) for k in range(5)))
BIASES = ("none", "free", "penalized")
COSTS = ("linear", "quadratic")


def blobs(d: int, per_class: int = 5, p: int = 3, spread: float = 1.2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping classes around random centres."""
    rng = np.random.default_rng([seed, d])
    y = np.arange(d * per_class) % d
    return rng.normal(size=(len(y), p)) + spread * rng.normal(size=(d, p))[y], y
