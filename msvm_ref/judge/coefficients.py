"""The machine's coefficients in the judge's floats, and what they do to every row of an (n x d) array.

    margins      out[i,p] = sum_m (Pi nu)[y_i,p,m] rows[i,m]
    expansion    out[i,m] = sum_p (Pi nu)[y_i,p,m] rows[i,p]

A margin that treats classes alike needs no table for that, but with s = sum_m f_m and the entries of ``model/entries.py``

    (Pi nu f)_y = (own - own_rest) f_y + own_rest s,    (Pi nu f)_p = (true - rest) f_y + (rival - rest) f_p + rest s

and its transpose. Each coefficient is a rational rounded once, each output a sum of at most d + 2 products, whose sizes add
up to ``size`` applied to |rows|: it errs by at most gamma_{d+4} of that (Higham 2002, section 3.1).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.entries import Entries, Tensor
from msvm_ref.model.machine import Spec, Target

Real = NDArray[Any]  # float64 or longdouble
Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AlikeForm:
    """Pi nu of a margin that treats classes alike: its entries, and what own, true and rival are more than their row's rest."""

    own: Any
    true: Any
    own_rest: Any
    rest: Any
    own_more: Any
    true_more: Any
    rival_more: Any

    @classmethod
    def of(cls, entries: Entries, dtype: Any) -> AlikeForm:
        exact = (
            entries.own,
            entries.true,
            entries.own_rest,
            entries.rest,
            entries.own - entries.own_rest,
            entries.true - entries.rest,
            entries.rival - entries.rest,
        )
        return cls(*(rounded(v, dtype) for v in exact))

    @property
    def size(self) -> AlikeForm:
        """The same with every coefficient's size: at least |Pi nu|, and what bounds the rounding."""
        return AlikeForm(*(abs(getattr(self, part.name)) for part in fields(self)))

    @property
    def largest(self) -> float:
        return max(float(abs(getattr(self, part.name))) for part in fields(self))

    def margins(self, y: Labels, rows: Real) -> Real:
        every = np.arange(len(y))
        f = rows[every, y]
        out: Real = self.rival_more * rows
        out += (self.true_more * f)[:, None]
        own = self.own_more * f
        if self.rest or self.own_rest:
            total = rows.sum(axis=1)
            out += (self.rest * total)[:, None]
            own = own + self.own_rest * total
        out[every, y] = own
        return out

    def expansion(self, y: Labels, rows: Real) -> Real:
        every = np.arange(len(y))
        own, others = rows[every, y], rows.copy()
        others[every, y] = 0
        total = others.sum(axis=1)
        others *= self.rival_more
        if self.rest or self.own_rest:
            others += (self.rest * total + self.own_rest * own)[:, None]
        others[every, y] = self.own * own + self.true * total
        return others


@dataclass(frozen=True, eq=False)
class TableForm:
    """Pi nu written out."""

    nu: Real

    @property
    def size(self) -> TableForm:
        return TableForm(abs(self.nu))

    @property
    def largest(self) -> float:
        return float(abs(self.nu).max())

    def margins(self, y: Labels, rows: Real) -> Real:
        return _by_class(self.nu.transpose(0, 2, 1), y, rows)

    def expansion(self, y: Labels, rows: Real) -> Real:
        return _by_class(self.nu, y, rows)


def _by_class(table: Real, y: Labels, rows: Real) -> Real:
    """rows[i] @ table[y_i]"""
    out = np.zeros((len(y), table.shape[2]), dtype=rows.dtype)
    for c in np.unique(y):
        out[y == c] = rows[y == c] @ table[c].astype(rows.dtype)
    return out


def coefficients(spec: Spec, dtype: Any) -> tuple[AlikeForm | TableForm, Real]:
    """(Pi nu, gamma), each rational rounded once to ``dtype``: float64's rounding would show in extended precision."""
    return _coefficients(spec, np.dtype(dtype))


@lru_cache(maxsize=16)
def _coefficients(spec: Spec, dtype: np.dtype[Any]) -> tuple[AlikeForm | TableForm, Real]:
    entries, plain = spec.machine.entries(spec.d), dtype == np.float64
    if entries is not None:
        nu: AlikeForm | TableForm = AlikeForm.of(entries, dtype)
    else:
        nu = TableForm(
            spec.projected_nu if plain else _long_table(spec.machine.projected_nu(spec.d))
        )
    return nu, spec.gamma if plain else _long_targets(spec)


@lru_cache(maxsize=16)
def sizes(spec: Spec) -> AlikeForm | TableForm:
    """|Pi nu| in float64, entry by entry."""
    entries = spec.machine.entries(spec.d)
    if entries is None:
        return TableForm(abs(spec.projected_nu))
    parts = (abs(getattr(entries, part.name)) for part in fields(entries))
    return AlikeForm.of(Entries(*parts), np.float64)


def _long_targets(spec: Spec) -> Real:
    target, d = spec.machine.target, spec.d
    if not isinstance(target, Target):
        return _long_table(target)
    gamma = np.full((d, d), rounded(target.other, np.longdouble))
    np.fill_diagonal(gamma, rounded(target.own + target.own_per_rival * (d - 1), np.longdouble))
    return gamma


def rounded(value: Fraction, dtype: Any) -> Any:
    """The rational, rounded once (extended precision: to the sum of two float64)."""
    high = float(value)
    if dtype == np.float64:
        return np.float64(high)
    return np.longdouble(high) + np.longdouble(float(value - Fraction(high)))


def _long_table(values: Tensor) -> Real:
    exact = np.array(values, dtype=object)
    flat = [rounded(Fraction(v), np.longdouble) for v in exact.ravel()]
    return np.array(flat, dtype=np.longdouble).reshape(exact.shape)
