"""One number in three notations, converted without loss: float64, ``Fraction`` (what is stated), ``fmpq`` (what computes)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from flint import fmpq, fmpq_mat, fmpz_mat

from msvm_ref.model.arrays import Array

PRIME = 2**61 - 1


def rational(value: float | Fraction) -> fmpq:
    """The number itself: a float64 is the dyadic rational its bits say."""
    return fmpq(*value.as_integer_ratio())


def fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def fractions(values: Iterable[fmpq]) -> tuple[Fraction, ...]:
    return tuple(fraction(v) for v in values)


def modular(value: fmpq) -> int:
    """The residue modulo PRIME."""
    return int(value.p) * pow(int(value.q), -1, PRIME) % PRIME


def exact_matrix(entries: Array) -> fmpq_mat:
    return fmpq_mat(entries.shape[0], entries.shape[1], [rational(v) for v in entries.ravel()])


def exact_gram(features: Array) -> fmpq_mat:
    """Phi Phi' exactly, by way of integers: Phi = Z / s with s a power of two."""
    ratios = [[v.as_integer_ratio() for v in row] for row in features.tolist()]
    scale = max((q for row in ratios for _, q in row), default=1)
    z = fmpz_mat(
        features.shape[0], features.shape[1], [p * (scale // q) for row in ratios for p, q in row]
    )
    return fmpq_mat(z * z.transpose()) / scale**2
