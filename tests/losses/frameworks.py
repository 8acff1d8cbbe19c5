"""The array libraries a test can be run in; those that are not installed are skipped with a reason."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

LIBRARIES = ("numpy", "torch", "jax", "array_api_strict")


def needs(name: str) -> Any:
    """A mark that skips where ``name`` is not installed; the check imports nothing."""
    return pytest.mark.skipif(
        importlib.util.find_spec(name) is None, reason=f"{name} is not installed"
    )


EVERY = [pytest.param(name, marks=needs(name)) for name in LIBRARIES]


def array(library: str, values: Any, dtype: str | None = None) -> Any:
    given = np.asarray(values, dtype=dtype)
    if library == "torch":
        import torch

        return torch.tensor(given)
    if library == "jax":
        import jax.numpy as jnp

        return jnp.asarray(given)
    if library == "array_api_strict":
        import array_api_strict

        return array_api_strict.asarray(given)
    return given


def back(values: Any) -> np.ndarray:
    if type(values).__module__.startswith("torch"):
        values = values.detach()
    return np.asarray(values, dtype=np.float64)
