"""Libraries whose SVM has two classes: each class against the rest, one call each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Binary = Callable[[Any, Any], tuple[Any, float]]


def one_vs_rest(binary: Binary, X: Any, y: Any) -> dict[str, Any]:
    """``binary(X, signs)`` -> (w, b) for every class."""
    columns = [binary(X, np.where(y == label, 1.0, -1.0)) for label in np.unique(y)]
    return {"W": np.array([w for w, _ in columns]).T, "b": np.array([b for _, b in columns])}


def snapml(X: Any, y: Any, C: float, **settings: Any) -> dict[str, Any]:
    """Snap ML has several classes itself; regularizer is λ of λ/2 ||w||² + the sum."""
    from snapml import SupportVectorMachine

    model = SupportVectorMachine(regularizer=C, random_state=0, **settings).fit(X, y)
    rows = np.asarray(model.coef_)
    W = rows if rows.shape == (X.shape[1], len(np.unique(y))) else rows.T
    bias = np.ravel(model.intercept_)
    return {
        "W": W,
        "b": bias if settings.get("fit_intercept") else None,
        "predict": np.asarray(model.predict(X), dtype=int),
    }


def skglm(X: Any, y: Any, C: float, **settings: Any) -> dict[str, Any]:
    from skglm import LinearSVC

    def binary(X: Any, sign: Any) -> tuple[Any, float]:
        model = LinearSVC(C=C, **settings).fit(X, sign)
        return np.ravel(model.coef_), 0.0

    return one_vs_rest(binary, X, y)


def dlib(X: Any, y: Any, C: float, **settings: Any) -> dict[str, Any]:
    import dlib

    rows = dlib.vectors()
    for row in X:
        rows.append(dlib.vector(row))
    origin, units = dlib.vector(np.zeros(X.shape[1])), [dlib.vector(e) for e in np.eye(X.shape[1])]

    def binary(X: Any, sign: Any) -> tuple[Any, float]:
        trainer = dlib.svm_c_trainer_linear()
        trainer.set_c(C)
        for name, value in settings.items():
            setattr(trainer, name, value)
        decide = trainer.train(rows, dlib.array(sign.tolist()))
        b = decide(origin)
        return np.array([decide(e) - b for e in units]), b

    return one_vs_rest(binary, X, y)


def vowpal_wabbit(X: Any, y: Any, C: float, options: str = "") -> dict[str, Any]:
    """--l2 is λ of λ/2 ||w||² + the sum; every tenth row is left out of the fit unless --holdout_off is given."""
    from vowpalwabbit import Workspace

    p = X.shape[1]
    always = f"--bfgs --loss_function hinge --noconstant --holdout_off -b {(p + 1).bit_length()} -k --quiet"

    def binary(X: Any, sign: Any) -> tuple[Any, float]:
        rows = (
            f"{int(s)} | " + " ".join(f"{j}:{float(v)!r}" for j, v in enumerate(x))
            for x, s in zip(X, sign, strict=True)
        )
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "rows.txt"
            data.write_text("\n".join(rows) + "\n")
            words = f"{always} --l2 {C!r} -d {data} --cache_file {data}.cache {options}"
            model = Workspace(arg_str=words)
            w = np.array([model.get_weight(j) for j in range(p)])
            model.finish()
        return w, 0.0

    return {**one_vs_rest(binary, X, y), "b": None}
