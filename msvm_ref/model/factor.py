"""Feature factors of a Gram matrix: K = Phi Phi' turns a kernel machine into a linear one.

A float64 Gram is rarely exactly PSD, so the *problem* is defined by the factor: its Gram is Phi Phi' exactly, and
``residual`` says how far that is from the kernel's own float64 matrix (a few ulps of its diagonal).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array, frozen

ROUNDING = 8.0
"""A Gram counts as symmetric and PSD when it is so up to ROUNDING n eps max|K|."""


@dataclass(frozen=True, eq=False)
class GramFactor:
    features: Array
    residual: float


def cholesky_factor(gram: Array) -> GramFactor:
    """Phi (n x rank) by pivoted Cholesky, stopped at rounding level; raises DataError where K is not PSD to rounding."""
    n = len(gram)
    scale = float(np.abs(gram).max(initial=0.0))
    level = ROUNDING * n * np.finfo(np.float64).eps * scale
    asymmetry = float(np.abs(gram - gram.T).max(initial=0.0))
    if asymmetry > level:
        raise DataError(
            "Gram matrix",
            "be symmetric",
            f"an asymmetry of {asymmetry:.3g} (rounding would be {level:.1g})",
            "pass (K + K.T) / 2 if that is what you mean",
        )
    if scale == 0.0:
        return GramFactor(frozen(np.zeros((n, 0))), 0.0)
    lower, pivot, rank, _ = lapack.dpstrf(
        gram, lower=1, tol=n * np.finfo(np.float64).eps * scale / 2
    )
    features = np.zeros((n, rank))
    features[pivot - 1] = np.tril(lower)[:, :rank]
    residual = float(np.abs(gram - features @ features.T).max())
    if residual > level:
        smallest = float(np.linalg.eigvalsh((gram + gram.T) / 2)[0])
        raise DataError(
            "Gram matrix",
            "be positive semi-definite to rounding",
            f"smallest eigenvalue {smallest:.3g} (rounding would be {-level:.1g})",
            "a multi-class SVM needs an inner product; clip or shift the spectrum first",
        )
    return GramFactor(frozen(features), residual)
