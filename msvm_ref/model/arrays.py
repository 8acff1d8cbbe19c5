"""Read-only float64 arrays, made and checked in one place."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError, MsvmError

Array = NDArray[np.float64]
LARGEST = 1e100
"""Data, costs and coefficients lie within [1/LARGEST, LARGEST] (or are 0), so that no product of theirs over- or underflows."""


def real_number(value: Any) -> float | None:
    """A finite float from any real number that is not a bool; None otherwise."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if np.isfinite(number) else None


def frozen(values: Any) -> Array:
    """A read-only, C-contiguous float64 copy."""
    array = np.array(values, dtype=np.float64, order="C")
    array.setflags(write=False)
    return array


def lengths_above(rows: Any) -> Array:
    """At least the Euclidean norm of each row, dense or sparse: taken over its largest entry, so that no square is lost."""
    n, p = rows.shape
    out = np.zeros(n)
    many = max(2**18 // max(p, 1), 1) if isinstance(rows, np.ndarray) else n
    for start in range(0, n if p else 0, max(many, 1)):
        part = abs(rows[start : start + many])
        dense = isinstance(part, np.ndarray)
        largest = part.max(axis=1) if dense else part.max(axis=1).toarray().ravel()
        scale = np.where(largest > 0, largest, 1)
        if dense:
            part /= scale[:, None]
            squares = np.einsum("ij,ij->i", part, part)
        else:
            part.data /= np.repeat(scale, np.diff(part.indptr))
            squares = np.asarray(part.power(2).sum(axis=1)).ravel()
        norm = np.asarray(largest * np.sqrt(squares) * (1 + (p + 8) * 2.0**-51), dtype=float)
        out[start : start + many] = np.where(largest == 0, 0.0, np.nextafter(norm, np.inf))
    return out


def some_rows(X: Any, rows: slice) -> Any:
    """Consecutive rows; of a CSR array too, whose entries are not copied."""
    start, stop, _ = rows.indices(X.shape[0])
    if isinstance(X, np.ndarray) or stop - start == X.shape[0]:
        return X[rows] if isinstance(X, np.ndarray) else X
    first, last = X.indptr[start], X.indptr[stop]
    part = type(X)((stop - start, X.shape[1]), dtype=X.dtype)  # handed in there, they may be copied
    part.data, part.indices = X.data[first:last], X.indices[first:last]
    part.indptr = X.indptr[start : stop + 1] - first
    return part


def refuse_masked(
    name: str, values: Any, refuse: Callable[[str, str, str, str], MsvmError] = DataError
) -> None:
    """A masked entry means "no number here", and numpy would hand over what lies under the mask."""
    parts = [values] if isinstance(values, np.ma.MaskedArray) else values
    if not isinstance(parts, (list, tuple)):
        return
    masked = sum(
        int(np.ma.getmaskarray(v).sum()) for v in parts if isinstance(v, np.ma.MaskedArray)
    )
    if masked:
        raise refuse(
            name,
            "have no masked entries",
            f"{masked} of them",
            "leave those rows out, or say what stands there: filled(value); .data takes what the mask hides",
        )


def sparse_rows(name: str, values: Any) -> Any:
    """A scipy.sparse matrix as CSR of float64 with sorted, summed, read-only entries; typed errors as for dense arrays.

    Its indices are int32 where these reach: half the memory, and one kernel compiled whoever made the matrix.
    """
    from scipy import sparse

    if values.ndim != 2:
        raise DataError(name, "have 2 axes (examples, features)", f"shape {values.shape}")
    if values.dtype.kind not in "biuf":
        raise DataError(name, "be real and numeric", f"dtype {values.dtype}")
    rows = sparse.csr_array(values, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    if max(rows.nnz, *rows.shape) <= np.iinfo(np.int32).max:
        rows.indices, rows.indptr = (
            part.astype(np.int32, copy=False) for part in (rows.indices, rows.indptr)
        )
    if not np.isfinite(rows.data).all():
        raise DataError(
            name, "be finite", f"{int((~np.isfinite(rows.data)).sum())} entries that are not"
        )
    for part in (rows.data, rows.indices, rows.indptr):
        part.setflags(write=False)
    return rows


def real_array(name: str, values: Any, ndim: int, axes: str) -> Array:
    """``values`` as a read-only float64 array of ``ndim`` axes, or a DataError that says what is wrong with it."""
    if hasattr(values, "toarray"):
        raise DataError(name, "be a dense array", type(values).__name__, f"pass {name}.toarray()")
    refuse_masked(name, values)
    try:
        raw = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise DataError(
            name, f"be a {ndim}-d array of numbers", f"something numpy refuses ({error})"
        ) from error
    if raw.dtype.kind == "c":
        raise DataError(name, "be real", "complex numbers")
    if raw.dtype.kind not in "biuf" and not (raw.dtype.kind == "O" and _is_numeric(raw)):
        raise DataError(
            name, "be numeric", f"dtype {raw.dtype}", "encode text or categories as numbers first"
        )
    if raw.ndim != ndim:
        raise DataError(name, f"have {ndim} axes {axes}", f"shape {raw.shape}")
    try:
        with np.errstate(over="ignore"):
            array = raw if _is_frozen_map(values) else frozen(raw)
    except OverflowError as error:
        raise DataError(name, "fit float64", str(error)) from error
    if not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))
        where = tuple(int(i) for i in bad[0])
        raise DataError(name, "be finite", f"{array[where]} at {list(where)} ({len(bad)} such)")
    _refuse_rounded(name, raw, array)
    return array


def _is_frozen_map(values: Any) -> bool:
    """A file mapped read-only as C-ordered float64 is taken as it lies: a copy is what its owner wants to avoid."""
    if not isinstance(values, np.memmap) or values.dtype != np.dtype(np.float64):
        return False
    return bool(values.flags.c_contiguous) and not values.flags.writeable


def _refuse_rounded(name: str, raw: NDArray[Any], array: Array) -> None:
    """Rationals, long integers and extended precision that float64 cannot hold: the rounded point is another point."""
    if raw.dtype.kind == "O":
        same = np.array(
            [_ratio(v) == Fraction(u) for v, u in zip(raw.flat, array.flat, strict=True)]
        )
    elif raw.dtype.itemsize < array.dtype.itemsize or raw.dtype.kind == "b" or raw.dtype == float:
        return
    elif raw.dtype.kind in "iu":
        same = abs(array).ravel() < 2.0**53
        same[~same] = [
            int(v) == int(u) for v, u in zip(raw.ravel()[~same], array.ravel()[~same], strict=True)
        ]
    else:
        same = (array.astype(raw.dtype) == raw).ravel()
    if not same.all():
        where = np.unravel_index(int((~same).argmax()), array.shape)
        raise DataError(
            name,
            "hold numbers that are float64",
            f"{raw[where]} at {[int(i) for i in where]} ({int((~same).sum())} such)",
            f"round it yourself if that is what you mean: np.asarray({name}, dtype=float)",
        )


def _ratio(value: Any) -> Fraction:
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return Fraction(
        *(value if hasattr(value, "as_integer_ratio") else float(value)).as_integer_ratio()
    )


def _is_numeric(raw: NDArray[Any]) -> bool:
    return all(isinstance(v, Real) for v in raw.ravel())
