"""A right solver (one class against the rest, squared hinge) and its mutants, as adapters of the atlas."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np


def right(X: Any, y: Any, C: float) -> dict[str, Any]:
    """Newton's method on 1/2 ||w||^2 + C sum [1 - y w.x]_+^2, x with a 1, for each class."""
    rows, labels, columns = np.column_stack([X, np.ones(len(X))]), np.unique(y), []
    for label in labels:
        signs, w = np.where(y == label, 1.0, -1.0), np.zeros(rows.shape[1])
        for _ in range(100):
            slack = np.maximum(0, 1 - signs * (rows @ w))
            active = rows[slack > 0]
            step = np.linalg.solve(
                np.eye(len(w)) + 2 * C * active.T @ active, w - 2 * C * rows.T @ (signs * slack)
            )
            w = w - step
        columns.append(w)
    W = np.array(columns).T
    return {"W": W[:-1], "b": W[-1], "predict": labels[(rows @ W).argmax(axis=1)]}


def mean_for_sum(X: Any, y: Any, C: float) -> dict[str, Any]:
    return right(X, y, C / len(y))


def swapped(X: Any, y: Any, C: float) -> dict[str, Any]:
    answer = right(X, y, C)
    return {"W": answer["W"][:, [1, 0, 2]], "b": answer["b"][[1, 0, 2]]}


def one_step(X: Any, y: Any, C: float) -> dict[str, Any]:
    signs = np.where(y[:, None] == np.unique(y), 1.0, -1.0)
    return {"W": 1e-3 * X.T @ signs, "b": 1e-3 * signs.sum(0)}


def rounded(X: Any, y: Any, C: float) -> dict[str, Any]:
    answer = right(X, y, C)
    return {"W": np.round(answer["W"], 2), "b": np.round(answer["b"], 2)}


def mislabels(X: Any, y: Any, C: float) -> dict[str, Any]:
    answer = right(X, y, C)
    answer["predict"][:5] = (answer["predict"][:5] + 1) % 3
    return answer


def aborts(X: Any, y: Any, C: float) -> dict[str, Any]:
    os.abort()


def aborts_once(X: Any, y: Any, C: float) -> dict[str, Any]:
    return right(X, y, C) if C < 1.5 else aborts(X, y, C)


def refuses(X: Any, y: Any, C: float) -> dict[str, Any]:
    raise ValueError("no")


def nothing(X: Any, y: Any, C: float) -> dict[str, Any]:
    return {}


def nan(X: Any, y: Any, C: float) -> dict[str, Any]:
    return {"W": np.full((X.shape[1], 3), np.nan)}


def hangs(X: Any, y: Any, C: float) -> dict[str, Any]:
    time.sleep(600)
    return {}
