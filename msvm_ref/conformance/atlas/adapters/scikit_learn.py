"""scikit-learn, and whatever keeps its manners (sklearnex, skglm)."""

from __future__ import annotations

import itertools
from importlib import import_module
from typing import Any

import numpy as np


def weights(model: Any, X: Any) -> dict[str, Any]:
    """coef_ and intercept_ of a fitted linear model, one row a class."""
    rows = np.asarray(model.coef_, dtype=float)
    bias = np.broadcast_to(np.asarray(model.intercept_, dtype=float), (len(rows),))
    return {"W": rows.T, "b": bias, "predict": model.predict(X)}


def linear_svc(X: Any, y: Any, C: float, **settings: Any) -> dict[str, Any]:
    from sklearn.svm import LinearSVC

    return weights(LinearSVC(C=C, random_state=0, **settings).fit(X, y), X)


def one_vs_one(model: Any, X: Any) -> dict[str, Any]:
    """SVC's rows stand for the pairs (0, 1), (0, 2), …, each positive for the first class."""
    rows, bias = np.asarray(model.coef_), np.ravel(model.intercept_)
    labels = model.classes_.tolist()
    pairs = [
        {"classes": pair, "w": -rows[k], "b": -float(bias[k])}
        for k, pair in enumerate(itertools.combinations(labels, 2))
    ]
    return {"pairs": pairs, "predict": model.predict(X)}


def svc(X: Any, y: Any, C: float, package: str = "sklearn", **settings: Any) -> dict[str, Any]:
    """``package``: sklearn, or sklearnex, whose SVC is oneDAL's."""
    SVC = import_module(f"{package}.svm").SVC
    return one_vs_one(SVC(kernel="linear", C=C, break_ties=False, **settings).fit(X, y), X)


def svc_one_vs_rest(X: Any, y: Any, C: float, **settings: Any) -> dict[str, Any]:
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC

    model = OneVsRestClassifier(SVC(kernel="linear", C=C, **settings)).fit(X, y)
    rows = np.vstack([e.coef_ for e in model.estimators_])
    bias = np.concatenate([e.intercept_ for e in model.estimators_])
    return {"W": rows.T, "b": bias, "predict": model.predict(X)}


def sgd(X: Any, y: Any, C: float, **settings: Any) -> dict[str, Any]:
    from sklearn.linear_model import SGDClassifier

    return weights(SGDClassifier(loss="hinge", alpha=C, random_state=0, **settings).fit(X, y), X)
