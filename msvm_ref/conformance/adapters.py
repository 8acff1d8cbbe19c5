"""Adapters: anything that fits becomes a Solver, and what it fitted a Fitted, both in the convention's own units.

    solver.fit(X, y, C, sample_weight=None, classes=None[, class_weight=None]) -> Fitted

C is the convention's constant (C or lambda); ``class_weight`` maps labels to weights, and only those get it that take it.
``W`` is p x d with columns in the order of ``classes``; a single score h of two classes is widened to (-h, h).
"""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from msvm_ref.conformance.process import unfinished
from msvm_ref.errors import DataError, MsvmError


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a fit left behind; None for what the solver does not tell."""

    classes: tuple[Hashable, ...]
    W: Any = None
    b: Any = None
    coef: Any = None
    scores: Any = None
    alpha: Any = None
    objective: float | None = None
    converged: bool | None = None
    decision_function: Callable[[Any], Any] | None = None
    predict: Callable[[Any], Any] | None = None


class Solver(Protocol):
    """What the checks need of somebody's implementation.

    ``takes`` holds those of "sample_weight", "classes" and "class_weight" that fit takes; it is called without the others.
    """

    name: str
    takes: frozenset[str]
    takes_labels: bool  # any hashable labels, or only 0 ... d-1

    def fit(
        self, X: Any, y: Any, C: float, sample_weight: Any = None, classes: Any = None
    ) -> Fitted: ...
    def copy(self) -> Solver: ...


def present(y: Any) -> tuple[Hashable, ...]:
    """The distinct labels, sorted: the order of columns where a solver does not say otherwise."""
    return tuple(np.unique(np.asarray(y)).tolist())


def unseen(X: Any) -> Any:
    """Rows that are no training rows, for scores and predictions: 1/4 - x/2."""
    return 0.25 - np.asarray(X, dtype=float) / 2


def widened(values: Any, ndim: int, d: int, share: float = 1.0) -> Any:
    """(..., d) scores: h becomes share (-h, h) where two classes have one score."""
    array = np.asarray(values)
    if d == 2 and (array.ndim == ndim - 1 or (array.ndim == ndim and array.shape[-1] == 1)):
        column = array if array.ndim == ndim else array[..., None]
        return share * np.concatenate([-column, column], axis=-1)
    return array


class FunctionSolver:
    """A callable (X, y, C[, sample_weight][, classes][, class_weight]) -> (W, b), or a dict of Fitted's fields.

    ``scores`` are training scores (bias included). Callables without ``classes`` in the answer mean the sorted labels.
    """

    takes_labels = True

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self.function = function
        self.name: str = name or str(getattr(function, "__name__", type(function).__name__))
        names = inspect.signature(function).parameters
        every = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in names.values())
        self.takes = frozenset(
            k
            for k in ("sample_weight", "classes", "class_weight")
            if k in names or (every and k != "class_weight")
        )

    def copy(self) -> FunctionSolver:
        return FunctionSolver(copy.deepcopy(self.function), self.name)

    def fit(
        self,
        X: Any,
        y: Any,
        C: float,
        sample_weight: Any = None,
        classes: Any = None,
        class_weight: Any = None,
    ) -> Fitted:
        given = {"sample_weight": sample_weight, "classes": classes, "class_weight": class_weight}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer = self.function(
                X, y, C, **{k: v for k, v in given.items() if k in self.takes and v is not None}
            )
        fitted = fitted_from(answer, tuple(classes) if classes is not None else present(y))
        if fitted.converged is None and any(map(_unfinished, caught)):
            return replace(fitted, converged=False)
        return fitted


FIELDS = (
    "W",
    "b",
    "coef",
    "scores",
    "alpha",
    "objective",
    "converged",
    "decision_function",
    "predict",
)


def fitted_from(answer: Any, classes: tuple[Hashable, ...], share: float = 1.0) -> Fitted:
    """A Fitted from a dict of its fields, or from (W, b); ``share`` widens a single score of two classes."""
    values = dict(answer) if isinstance(answer, dict) else {"W": answer[0], "b": answer[1]}
    unknown = set(values) - {*FIELDS, "classes"}
    if unknown:
        raise DataError(
            "answer", f"have keys among classes, {', '.join(FIELDS)}", ", ".join(sorted(unknown))
        )
    if values.get("classes") is not None:
        classes = tuple(values["classes"])
    values.pop("classes", None)
    d = len(classes)
    for name, ndim in (("W", 2), ("coef", 2), ("scores", 2), ("b", 1)):
        if values.get(name) is not None:
            values[name] = widened(values[name], ndim, d, share)
    if values.get("decision_function") is not None:
        score = values["decision_function"]
        values["decision_function"] = lambda X: widened(score(X), 2, d, share)
    return Fitted(classes, **values)


class EstimatorSolver:
    """A scikit-learn style estimator: fit, coef_ and intercept_ (or decision_function), classes_, predict.

    ``parameter`` is the name of its constant ("C", or "alpha" for a lambda convention). OneVsRestClassifier's inner
    estimator is reached through ``estimator__C``. A ConvergenceWarning is its word for "not converged".
    ``share``: with two classes a single score h stands for share (-h, h); 1 where h is the score of the second class,
    1/2 where it is the difference of two, as in LinearSVC(multi_class="crammer_singer").
    """

    takes_labels = True

    def __init__(
        self,
        estimator: Any,
        parameter: str | None = None,
        name: str | None = None,
        share: float | None = None,
    ) -> None:
        self.estimator, self.name = estimator, name or short_name(estimator)
        known = (
            estimator.get_params() if hasattr(estimator, "get_params") else _attributes(estimator)
        )
        names = [parameter] if parameter else ["C", "estimator__C", "alpha", "lambda_", "lam"]
        self.parameter = next((k for k in names if k in known), None)
        if self.parameter is None:
            raise DataError(
                self.name,
                f"have a parameter named {' or '.join(map(str, names))}",
                ", ".join(known) or "none",
            )
        self.share = share or (0.5 if known.get("multi_class") == "crammer_singer" else 1.0)
        fit = inspect.signature(estimator.fit).parameters
        by_class = {"class_weight"} if known.get("class_weight", "absent") is None else set[str]()
        self.takes = frozenset({"sample_weight"} & set(fit) | by_class)
        self.intercept_scaling = known.get("intercept_scaling")
        self.draws_by_design = "random_state" in known and known["random_state"] is None
        self.without_intercept = known.get("fit_intercept") is False

    def copy(self) -> EstimatorSolver:
        return EstimatorSolver(copy.deepcopy(self.estimator), self.parameter, self.name, self.share)

    def fit(
        self,
        X: Any,
        y: Any,
        C: float,
        sample_weight: Any = None,
        classes: Any = None,
        class_weight: Any = None,
    ) -> Fitted:
        model = self.estimator
        assert self.parameter is not None
        chosen = {
            self.parameter: C,
            **({"class_weight": class_weight} if "class_weight" in self.takes else {}),
        }
        if hasattr(model, "set_params"):
            model.set_params(**chosen)
        else:
            for name, value in chosen.items():
                setattr(model, name, value)
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y, **extra)
        warned = any(map(_unfinished, caught))
        model = copy.deepcopy(model)  # a later fit must not change what this one returned
        labels = (
            tuple(np.asarray(model.classes_).tolist()) if hasattr(model, "classes_") else present(y)
        )
        return fitted_from(
            {
                "classes": labels,
                **_weights(model),
                "converged": _converged(model, warned),
                "decision_function": getattr(model, "decision_function", None),
                "predict": getattr(model, "predict", None),
                **({} if _has_weights(model) else {"scores": model.decision_function(X)}),
            },
            labels,
            self.share,
        )


def _unfinished(warning: Any) -> bool:
    """Is a warning the solver's word for "not converged"?"""
    named = warning.category.__name__ == "ConvergenceWarning"
    return named or bool(unfinished(str(warning.message)))


def as_solver(thing: Any, parameter: str | None = None) -> Solver:
    """A Solver as it is; an estimator with ``fit``; or any callable."""
    if hasattr(thing, "takes") and hasattr(thing, "copy") and hasattr(thing, "fit"):
        solver: Solver = thing
        return solver
    try:
        if isinstance(thing, type):
            thing = thing()
        if hasattr(thing, "fit"):
            return EstimatorSolver(thing, parameter)
        if callable(thing):
            return FunctionSolver(thing)
    except MsvmError:
        raise
    except Exception as error:  # the user's constructor, get_params or signature: theirs to mend, not a crash of ours
        raise DataError(
            "solver",
            "be made without arguments and show its parameters",
            f"{type(error).__name__}: {error}",
            "pass an instance, or a function of X, y, C",
        ) from error
    raise DataError(
        "solver", "be an estimator with fit, a callable (X, y, C), or a Solver", repr(thing)
    )


def _attributes(estimator: Any) -> dict[str, Any]:
    """Public data of an object without get_params, set on it or on its class."""
    return {
        k: v
        for k in dir(estimator)
        if not k.startswith("_") and not callable(v := getattr(estimator, k))
    }


def _has_weights(model: Any) -> bool:
    return hasattr(model, "coef_") or all(
        hasattr(e, "coef_") for e in getattr(model, "estimators_", [None])
    )


def _weights(model: Any) -> dict[str, Any]:
    if not _has_weights(model):
        return {}
    if hasattr(model, "estimators_"):
        rows = np.vstack([e.coef_ for e in model.estimators_])
        bias: Any = np.concatenate([np.ravel(e.intercept_) for e in model.estimators_])
    else:
        rows, bias = np.asarray(model.coef_), getattr(model, "intercept_", None)
    if bias is not None:
        bias = (
            np.broadcast_to(np.asarray(bias, dtype=float), (len(rows),))
            if np.ndim(bias) == 0
            else np.ravel(bias)
        )
    return {"W": np.asarray(rows, dtype=float).T, "b": bias}


def _converged(model: Any, warned: bool) -> bool:
    for name in ("converged_", "converged"):
        if hasattr(model, name):
            return bool(getattr(model, name)) and not warned
    return not warned


def short_name(estimator: Any) -> str:
    text = " ".join(repr(estimator).split())
    return text if len(text) <= 80 else type(estimator).__name__
