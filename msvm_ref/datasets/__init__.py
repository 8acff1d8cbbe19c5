"""load("glass"): the data sets of the certified values and of the papers' experiments, as read-only float64 arrays.

Most are bundled (ATTRIBUTION.md); iris, wine and digits come through scikit-learn; page_blocks, usps and waveform may not be
published here: ``load(name, folder)`` reads them from a folder of the user's. What is read must have the catalogue's sha256.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import math
import zlib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.datasets.catalogue import BY_NAME, ENTRIES, PACKAGE, USER, TableFacts
from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array, frozen

FROM_SCIKIT_LEARN = ("iris", "wine", "digits")
BUNDLED = tuple(entry.name for entry in ENTRIES if entry.carrier == PACKAGE)
NAMES = (*FROM_SCIKIT_LEARN, *BUNDLED)
FROM_THE_USER = tuple(entry.name for entry in ENTRIES if entry.carrier == USER)


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


def load(name: str, folder: str | Path | None = None) -> Dataset:
    """The data set of that name; DataError lists the names there are. Where ``folder`` has its file, that is read."""
    if name not in NAMES and name not in FROM_THE_USER:
        raise DataError("name", f"be one of {', '.join((*NAMES, *FROM_THE_USER))}", repr(name))
    if folder is not None and name in BY_NAME and (Path(folder) / f"{name}.csv.gz").is_file():
        return _read(Path(folder) / f"{name}.csv.gz", BY_NAME[name])
    if name in BUNDLED:
        return _read(Path(__file__).parent / f"{name}.csv.gz", BY_NAME[name])
    if name in FROM_SCIKIT_LEARN:
        from sklearn import datasets

        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        return Dataset(name, frozen(X), _labels(y), len(X))
    raise DataError(
        f"{name}.csv.gz",
        "lie in the folder of your data",
        "no such file" if folder is None else f"no such file in {folder}",
        "it may not be published here: get a copy and name its folder (msvm-ref study run --data DIR)",
    )


def _read(path: Path, entry: TableFacts) -> Dataset:
    try:
        text = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(str(path), "be a gzip file that can be read", str(error)) from error
    digest = hashlib.sha256(text).hexdigest()
    if digest != entry.sha256:
        remedy = (
            "reinstall the package"
            if entry.carrier == PACKAGE
            else "it is another table or edition"
        )
        raise DataError(
            str(path), f"hold text of sha256 {entry.sha256[:12]}…", f"{digest[:12]}…", remedy
        )
    rows = list(csv.reader(text.decode("ascii").splitlines()))[1:]
    X = frozen([[float(v) for v in row[:-1]] for row in rows])
    return Dataset(entry.name, X, _labels([int(row[-1]) for row in rows]), entry.train)


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
