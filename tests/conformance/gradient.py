"""A right solver that shares nothing with the package: numpy alone, so that a program made of it starts quickly."""

from __future__ import annotations

import numpy as np


def projected_gradient(X, y, C, sample_weight=None, classes=None):
    """WW without bias by accelerated projected gradient on its dual, max sum alpha - 1/2 ||W||^2 on 0 <= alpha <= C_i."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if not np.isfinite(X).all() or len(X) != len(y) or not C > 0:
        raise ValueError("X must be finite, y as long as X, C positive")
    labels = np.unique(y) if classes is None else np.array(classes)
    codes, d, n = np.searchsorted(labels, y), len(labels), len(X)
    cap = (C * (np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)))[
        :, None
    ]
    own = np.eye(d)[codes]

    def weights(alpha):  # w_c = 1/2 sum_i (own_ic sum_p alpha_ip - alpha_ic) x_i
        return X.T @ (own * alpha.sum(axis=1, keepdims=True) - alpha) / 2

    def violation(W):
        F = X @ W
        return 1 - ((F * own).sum(axis=1, keepdims=True) - F) / 2

    step = 1 / (d / 4 * np.linalg.norm(X, 2) ** 2 + 1e-300)
    alpha = moved = np.zeros((n, d))
    t, converged = 1.0, False
    for k in range(60000):
        new = np.clip(moved + step * violation(weights(moved)), 0, cap) * (1 - own)
        if ((new - alpha) * (moved - new)).sum() > 0:
            t = 1.0  # restart: the step went against the momentum
        t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
        moved, alpha, t = new + (t - 1) / t_next * (new - alpha), new, t_next
        if k % 100 == 99:
            W = weights(alpha)
            primal = (W * W).sum() / 2 + (cap * np.maximum(violation(W), 0) * (1 - own)).sum()
            if primal - (alpha.sum() - (W * W).sum() / 2) <= 1e-8 * primal:
                converged = True
                break
    W = weights(alpha)
    return {
        "W": W,
        "alpha": alpha,
        "converged": converged,
        "classes": labels.tolist(),
        "decision_function": lambda Z: np.asarray(Z) @ W,
        "predict": lambda Z: labels[(np.asarray(Z) @ W).argmax(axis=1)],
    }
