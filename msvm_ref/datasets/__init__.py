"""load("glass"): the data sets the certified values refer to, as read-only float64 arrays.

glass, thyroid, vowel and vehicle are bundled (ATTRIBUTION.md); iris, wine and digits come through scikit-learn.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array, frozen

BUNDLED = {
    "glass": "14247731c09db564e214cb601f6dbae6d7f68fe1ae1fd9168a2fafb57c6a095e",
    "thyroid": "a43b0a864cdfccfcea55f10e163fd7e57ff9797d9758adc2a80e2aed22c3f1b1",
    "vowel": "8f9904771297860a22c8d465c3616e4020fd225e863451d07a912b085e8b752a",
    "vehicle": "9abd8d83b3db22d76b0dedf8e984ca0b6625c9bb3270d1763efcbb3e34477528",
}
"""sha256 of each CSV text: a certified value means nothing if the data changed."""

FROM_SCIKIT_LEARN = ("iris", "wine", "digits")
NAMES = (*FROM_SCIKIT_LEARN, *BUNDLED)
VOWEL_TRAIN = 528


@dataclass(frozen=True, eq=False)
class Dataset:
    """Raw features and class indices."""

    name: str
    """What it is asked for by."""
    X: Array
    """(n x p) features as published."""
    y: NDArray[np.int64]
    """n class indices."""
    train: int
    """So many rows come first for training where the literature has an official split; else all."""

    def standardized(self) -> Dataset:
        """(x - mean) / std by column, mean and population std correctly rounded, so the floats are the same everywhere."""
        columns = [_standardized(column) for column in self.X.T]
        return Dataset(self.name, frozen(np.column_stack(columns)), self.y, self.train)

    def head(self, n: int) -> Dataset:
        """The first n rows."""
        return Dataset(self.name, frozen(self.X[:n]), _labels(self.y[:n]), min(self.train, n))


def load(name: str) -> Dataset:
    """The data set of that name; DataError lists the names there are."""
    if name in BUNDLED:
        return _bundled(name)
    if name in FROM_SCIKIT_LEARN:
        from sklearn import datasets

        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        return Dataset(name, frozen(X), _labels(y), len(X))
    raise DataError("name", f"be one of {', '.join(NAMES)}", repr(name))


def _bundled(name: str) -> Dataset:
    text = gzip.decompress((Path(__file__).parent / f"{name}.csv.gz").read_bytes())
    digest = hashlib.sha256(text).hexdigest()
    if digest != BUNDLED[name]:
        raise DataError(
            f"{name}.csv.gz",
            f"have sha256 {BUNDLED[name][:12]}…",
            f"{digest[:12]}…",
            "reinstall the package",
        )
    rows = list(csv.reader(text.decode("ascii").splitlines()))[1:]
    X = frozen([[float(v) for v in row[:-1]] for row in rows])
    return Dataset(
        name,
        X,
        _labels([int(row[-1]) for row in rows]),
        VOWEL_TRAIN if name == "vowel" else len(rows),
    )


def _labels(values: Any) -> NDArray[np.int64]:
    labels = np.array(values, dtype=np.int64)
    labels.setflags(write=False)
    return labels


def _standardized(column: Array) -> Array:
    exact = [Fraction(float(v)) for v in column]
    mean = sum(exact, Fraction(0)) / len(exact)
    variance = sum(((v - mean) ** 2 for v in exact), Fraction(0)) / len(exact)
    scale = _root(variance) or 1.0
    return np.asarray((column - float(mean)) / scale)


def _root(value: Fraction) -> float:
    """sqrt of a rational, correctly rounded for all practical purposes: 200 bits of the integer square root."""
    shift = 200
    return (
        math.isqrt((value.numerator << (2 * shift)) // value.denominator) / (1 << shift)
        if value
        else 0.0
    )
