#!/usr/bin/env python3
"""A multi-class SVM behind the protocol of msvm_ref: the WW machine with no or a penalized bias, by dual coordinate ascent.

min 1/2 ||W||^2 + sum_i C_i sum_{c != y_i} max(0, 1 - 1/2 (f_{y_i} - f_c)),    C_i = C weight_i

msvm-ref validate --command "python3 my_svm.py" --machine WW --tolerance 1e-6
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

Rows = list[list[float]]


def solve(
    X: Rows, y: list[int], C: list[float], d: int, tolerance: float = 1e-8, most: int = 20000
) -> tuple[Rows, Rows, float, bool]:
    """W (p x d), alpha (n x d), the objective, and whether the relative duality gap reached ``tolerance``."""
    n, p = len(X), len(X[0])
    W = [[0.0] * d for _ in range(p)]
    alpha = [[0.0] * d for _ in range(n)]
    primal = 0.0
    square = [sum(v * v for v in x) for x in X]
    for _ in range(most):
        for i in range(n):
            for c in range(d):
                if c == y[i]:
                    continue
                margin = sum(X[i][k] * (W[k][y[i]] - W[k][c]) for k in range(p)) / 2
                step = 2 * (1 - margin) / square[i] if square[i] > 0 else C[i]
                new = min(max(alpha[i][c] + step, 0.0), C[i])
                change, alpha[i][c] = (new - alpha[i][c]) / 2, new
                for k in range(p):
                    W[k][y[i]] += change * X[i][k]
                    W[k][c] -= change * X[i][k]
        half = sum(v * v for row in W for v in row) / 2
        loss = 0.0
        for i in range(n):
            f = [sum(X[i][k] * W[k][c] for k in range(p)) for c in range(d)]
            loss += C[i] * sum(max(0.0, 1 - (f[y[i]] - f[c]) / 2) for c in range(d) if c != y[i])
        primal, dual = half + loss, sum(map(sum, alpha)) - half
        if primal - dual <= tolerance * primal:
            return W, alpha, primal, True
    return W, alpha, primal, False


def answer(task: dict[str, Any]) -> dict[str, Any]:
    if task.get("machine", "WW") != "WW" or task["cost"] != "linear" or task["convention"] != "UV":
        return {"error": "only the WW machine, linear cost, convention UV"}
    if task["bias"] == "free":
        return {"error": "no free bias"}
    X = task["X"]
    if not X or not X[0] or any(len(x) != len(X[0]) for x in X) or len(X) != len(task["y"]):
        return {"error": "X must be n rows of p numbers, y n labels"}
    if not all(isinstance(v, (int, float)) and math.isfinite(v) for x in X for v in x):
        return {"error": "X must be finite"}
    if not 0 < task["C"] < math.inf:
        return {"error": "C must be positive"}
    penalized = task["bias"] == "penalized"
    rows = [[*x, 1.0] for x in X] if penalized else X
    weight = task.get("sample_weight", [1.0] * len(X))
    C = [task["C"] * w for w in weight]
    W, alpha, objective, converged = solve(rows, task["y"], C, task["n_classes"])
    b = W.pop() if penalized else [0.0] * task["n_classes"]
    return {"W": W, "b": b, "alpha": alpha, "objective": objective, "converged": converged}


for line in sys.stdin:  # one task a line: once per start, or many with --persistent
    print(json.dumps(answer(json.loads(line))), flush=True)
