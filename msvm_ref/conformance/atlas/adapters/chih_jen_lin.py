"""LIBSVM and LIBLINEAR through the authors' own Python modules."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


def libsvm(X: Any, y: Any, C: float, options: str = "") -> dict[str, Any]:
    """C-SVC, linear kernel; the weights of a pair are Σ coef x over the support vectors of its two classes."""
    from libsvm.svmutil import svm_predict, svm_train

    model = svm_train(y, X, f"-s 0 -t 0 -c {C!r} -q {options}")
    labels, count = model.get_labels(), [model.nSV[k] for k in range(model.nr_class)]
    first = np.concatenate([[0], np.cumsum(count)])
    coef = np.array(model.get_sv_coef())
    rows = np.array([[v.get(k + 1, 0.0) for k in range(X.shape[1])] for v in model.get_SV()])
    pairs = []
    for position, (i, j) in enumerate(itertools.combinations(range(len(labels)), 2)):
        mine, theirs = slice(first[i], first[i + 1]), slice(first[j], first[j + 1])
        w = coef[mine, j - 1] @ rows[mine] + coef[theirs, i] @ rows[theirs]
        b, pair = -model.rho[position], (labels[i], labels[j])
        sign = -1.0 if pair[0] < pair[1] else 1.0
        pairs.append({"classes": sorted(pair), "w": sign * w, "b": sign * b})
    predicted = svm_predict([], X, model, "-q")[0]
    return {"pairs": pairs, "predict": np.array(predicted, dtype=int)}


def liblinear(X: Any, y: Any, C: float, options: str) -> dict[str, Any]:
    """``options`` as on the command line: -s 1, 2, 3, 4, -B, -R, -e."""
    from liblinear.liblinearutil import predict, train

    model = train(y, X, f"-c {C!r} -q {options}")
    labels = model.get_labels()
    columns = [model.get_decfun(labels.index(label)) for label in sorted(labels)]
    predicted = predict([], X, model, "-q")[0]
    return {
        "W": np.array([w for w, _ in columns]).T,
        "b": np.array([b for _, b in columns]),
        "predict": np.array(predicted, dtype=int),
    }
