"""ZDO, section 1.2.2: joint kernels on pairs of an input and a label."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.small import SIX, rationals

LABELS = {
    "matching": rationals([[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "diagonal": rationals([[1, 0, 0], [0, 2, 0], [0, 0, 3]]),
    "correlated": rationals([[1, 0, 0], [1, 2, 0], [-1, 1, 1]]),
}
"""Feature vectors of the labels, k_Y = L L'."""


def joint(kernel: Callable[[Fraction, Fraction], Fraction]) -> Evidence:
    """Is this of (k_X, k_Y) the product of the tensor features phi(x) (x) L_y, and has a diagonal k_Y one column each?"""
    tested = 0
    for name, L in LABELS.items():
        K, label_kernel = SIX.gram, L @ L.T
        features = {
            (i, y): np.outer(SIX.X[i], L[y]) for i, y in product(range(SIX.n), range(3))
        }  # dim(H) x |Y|
        for (i, y), (j, z) in product(features, features):
            value = (features[i, y] * features[j, z]).sum()
            said = kernel(K[i, j], label_kernel[y, z])
            tested += 1
            if value != said:
                return Evidence(False, f"{name}: {show(said)} for {show(value)}", {"labels": name})
        if name != "correlated":
            for (_, y), table in features.items():
                other = [c for c in range(3) if c != y]
                if table[:, other].any():
                    return Evidence(False, f"{name}: Φ(x, {y + 1}) has a second column")
    return Evidence(
        True, f"{tested} products; a diagonal k_Y gives Φ one column", {"products": tested}
    )


def per_class(labels: str) -> Evidence:
    """With this label kernel, is <w, Phi(x, u)> = <w_u, phi(x)> for the columns w_u of w?"""
    L: Any = LABELS[labels]
    w = rationals([[1, -2, 3], [0, 5, -1]]) / 2
    for x in SIX.X:
        for u in range(3):
            if (w * np.outer(x, L[u])).sum() != (w[:, u] * x).sum():
                return Evidence(
                    False,
                    f"x = {show(x)}, u = {u + 1}: {show((w * np.outer(x, L[u])).sum())} for "
                    f"{show((w[:, u] * x).sum())}",
                )
    return Evidence(True, f"{3 * SIX.n} scores equal, exactly")


CLAIMS = (
    Claim(
        "ZDO-12",
        "(1.2)",
        "k = k_X·k_Y is the kernel of the tensor product of the feature spaces; one column each for a diagonal k_Y",
        "three label kernels on six points, all pairs, exact",
        joint,
        lambda a, b: a * b,
        lambda a, b: a + b,
        "k_X + k_Y",
    ),
    Claim(
        "ZDO-12-MATCH",
        "(1.2), section 1.2.5",
        "with the matching kernel k_Y = δ, w falls into a w_u for each class",
        "scores of six points, exact",
        per_class,
        "matching",
        "correlated",
        "a correlated label kernel",
    ),
)
