"""The data every library is held to: small, real, and the same problem for all, whatever constant each writes it with."""

from __future__ import annotations

from functools import cache

import numpy as np

from msvm_ref.conformance.cases import Case
from msvm_ref.datasets import load
from msvm_ref.errors import DataError
from msvm_ref.model.arrays import frozen

CONSTANTS = {"iris": 4.0, "wine": 1.0, "glass": 16.0, "digits": 1.0}
"""Our C (1/2 (f_y - f_c) >= 1, C times the sum) for each: one easy, one nearly separable, one with many bound multipliers,
one wide."""
DATA = tuple(CONSTANTS)
ROWS = 600
"""Of digits, the first so many."""
WORDS = {
    "iris": "columns standardised, C = 4",
    "wine": "columns standardised, C = 1",
    "glass": "columns standardised, C = 16",
    "digits": f"first {ROWS} rows, pixels / 16, columns that are 0 left out, C = 1",
}


@cache
def case_of(name: str) -> Case:
    """The data set as a Case; DataError lists the names there are."""
    if name not in CONSTANTS:
        raise DataError("data", f"be among {', '.join(DATA)}", repr(name))
    table = load(name)
    if name == "digits":
        X, y = table.X[:ROWS] / 16, table.y[:ROWS]
        X = X[:, X.any(axis=0)]
    else:
        X, y = table.standardized().X, table.y
    return Case(name, frozen(X), np.asarray(y), CONSTANTS[name])
