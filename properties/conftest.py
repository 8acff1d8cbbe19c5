"""Profiles (HYPOTHESIS_PROFILE = dev, ci, nightly or kept), and what it means for two solutions to agree.

    dev       8 examples a law, new ones each time, and the kept failures again
    ci        the same 8 examples always
    nightly   800 examples a law, new ones each time; a failing example is kept (not with pytest --hypothesis-seed)
    kept      nothing new: only the kept failures

A failing example of a night is kept in properties/failures, which is committed: whoever runs the laws later meets it first.
"""

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.database import DirectoryBasedExampleDatabase, MultiplexedDatabase, ReadOnlyDatabase

KEPT = DirectoryBasedExampleDatabase(Path(__file__).parent / "failures")
LOCAL = DirectoryBasedExampleDatabase(Path(__file__).parents[1] / ".hypothesis" / "examples")
COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}
settings.register_profile(
    "dev", max_examples=8, database=MultiplexedDatabase(LOCAL, ReadOnlyDatabase(KEPT)), **COMMON
)
settings.register_profile("ci", max_examples=8, derandomize=True, database=None, **COMMON)
settings.register_profile("nightly", max_examples=800, database=KEPT, **COMMON)
settings.register_profile(
    "kept",
    max_examples=8,
    database=ReadOnlyDatabase(KEPT),
    phases=[Phase.explicit, Phase.reuse],
    **COMMON,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def exact(values) -> np.ndarray:
    """An array of Fractions: what is computed with it is not rounded."""
    return np.vectorize(Fraction, otypes=[object])(np.asarray(values))


@pytest.fixture(scope="session")
def fractions() -> Callable:
    return exact


@pytest.fixture(scope="session")
def same_value() -> Callable:
    """Assert that factor x (optimum of a) = optimum of b is possible: their enclosures meet, compared exactly."""

    def check(a, b, factor=1):
        low, high = (
            Fraction(factor) * Fraction(v) for v in (a.certificate.lower, a.certificate.upper)
        )
        assert low <= Fraction(b.certificate.upper), f"{float(low)} > {b.certificate.upper}"
        assert Fraction(b.certificate.lower) <= high, f"{b.certificate.lower} > {float(high)}"

    return check


@pytest.fixture(scope="session")
def same_weights() -> Callable:
    """Assert that T W_a = W_b is possible: T moves distances by ``stretch``, and each W is within its own bound."""

    def check(a, b, image=lambda W: W, stretch=1):
        off = ((image(exact(a.W)) - exact(b.W)) ** 2).sum()
        reach = Fraction(stretch) * Fraction(a.certificate.distance_bound) + Fraction(
            b.certificate.distance_bound
        )
        assert off <= reach**2, f"W differ by {float(off) ** 0.5}, bounds allow {float(reach)}"

    return check
