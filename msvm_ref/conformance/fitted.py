"""What a solver hands back, read once at the border: the right types and shapes, or a failure that says what came instead."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from msvm_ref.conformance.adapters import Fitted
from msvm_ref.conformance.verdicts import CheckFailed, ask
from msvm_ref.model.arrays import Array

ARRAYS = ("W", "b", "coef", "scores", "alpha")


def read(fitted: Any) -> Fitted:
    """``fitted`` with real arrays, hashable classes, a flag that is a bool and an objective that is a number."""
    if not isinstance(fitted, Fitted):
        raise CheckFailed(f"fit returned {type(fitted).__name__}; it must be a Fitted")
    try:
        classes = tuple(fitted.classes)
        if len(set(classes)) != len(classes):
            raise CheckFailed(f"its classes {list(classes)} are not all different")
    except TypeError as error:
        raise CheckFailed(f"its classes are {fitted.classes!r}: {error}") from error
    if not (fitted.converged is None or isinstance(fitted.converged, (bool, np.bool_))):
        raise CheckFailed(f"converged is {fitted.converged!r}; it must be True, False or None")
    if not (fitted.objective is None or isinstance(fitted.objective, Real)):
        raise CheckFailed(f"objective is {fitted.objective!r}; it must be a number or None")
    arrays: dict[str, Any] = {name: _real(name, getattr(fitted, name)) for name in ARRAYS}
    flag = None if fitted.converged is None else bool(fitted.converged)
    return replace(fitted, classes=classes, converged=flag, **arrays)


def scores_at(fitted: Fitted, X: Array) -> Array:
    """decision_function(X) as a (len(X), d) array of finite numbers."""
    assert fitted.decision_function is not None
    shape = (len(X), len(fitted.classes))
    scores = _real("decision_function", ask(fitted.decision_function, X))
    if scores is None or scores.shape != shape:
        got = "None" if scores is None else f"shape {scores.shape}"
        raise CheckFailed(
            f"decision_function returns {got} for {len(X)} rows of X and {shape[1]} classes"
        )
    return scores


def labels_at(fitted: Fitted, X: Array) -> list[Any]:
    """predict(X) as a list of len(X) labels."""
    assert fitted.predict is not None
    said = np.asarray(ask(fitted.predict, X))
    if said.shape != (len(X),):
        raise CheckFailed(
            f"predict returns shape {said.shape} for {len(X)} rows of X; it must be one label a row"
        )
    labels: list[Any] = said.tolist()
    return labels


def _real(name: str, value: Any) -> Array | None:
    if value is None:
        return None
    try:
        given = np.asarray(value)
        if np.iscomplexobj(given):
            raise CheckFailed(f"{name} is complex")
        array: Array = given.astype(
            float, copy=False
        )  # what shares memory with the solver goes on sharing it
    except (TypeError, ValueError) as error:
        raise CheckFailed(f"{name} is no array of numbers: {error}") from error
    if not math.isfinite(float(abs(array).max(initial=0.0))):
        raise CheckFailed(f"{name} is not finite")
    return array
