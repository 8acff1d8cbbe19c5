"""Libraries that bring a loss or a dual objective, and a general optimiser."""

from __future__ import annotations

from typing import Any

import numpy as np


def jaxopt(X: Any, y: Any, C: float, double: bool = True, **settings: Any) -> dict[str, Any]:
    """The dual of jaxopt.objective by its block coordinate descent; W = Xᵀ(Y − β)/λ, as its example has it."""
    import jax

    jax.config.update("jax_enable_x64", double)
    from jaxopt import BlockCoordinateDescent, objective, projection

    onehot = np.eye(int(y.max()) + 1)[y]

    def block_prox(v: Any, hyperparams: Any, scaling: float = 1.0) -> Any:
        return projection.projection_simplex(v)

    solver = BlockCoordinateDescent(
        fun=objective.multiclass_linear_svm_dual, block_prox=block_prox, **settings
    )
    start = np.full_like(onehot, 1.0 / onehot.shape[1])
    beta = np.asarray(solver.run(start, None, l2reg=C, data=(X, onehot)).params)
    return {"W": X.T @ (onehot - beta) / C}


def mlpack(X: Any, y: Any, C: float, **settings: Any) -> dict[str, Any]:
    """Scores of the origin and of the unit vectors are b and b + W: mlpack shows its weights no other way."""
    import mlpack

    d, p = int(y.max()) + 1, X.shape[1]
    train = {"training": X, "labels": y.astype(np.int64), "lambda_": C, "num_classes": d}
    model = mlpack.linear_svm(**train, **settings)["output_model"]
    points = np.vstack([np.zeros(p), np.eye(p)])
    scores = mlpack.linear_svm(input_model=model, test=points)["probabilities"]
    said = mlpack.linear_svm(input_model=model, test=X)["predictions"]
    scores = np.asarray(scores).reshape(len(points), d)
    return {"W": scores[1:] - scores[0], "b": scores[0], "predict": np.ravel(said).astype(int)}


def torch(X: Any, y: Any, C: float, power: int = 1, rounds: int = 1) -> dict[str, Any]:
    """mean over n of d · MultiMarginLoss + λ/2 (||W||² + ||b||²) by torch's L-BFGS with a strong Wolfe line search."""
    import torch

    torch.set_default_dtype(torch.float64)
    data, labels = torch.tensor(X), torch.tensor(y)
    d = int(y.max()) + 1
    W = torch.zeros(X.shape[1], d, requires_grad=True)
    b = torch.zeros(d, requires_grad=True)
    loss = torch.nn.MultiMarginLoss(p=power)
    for _ in range(rounds):
        steps = torch.optim.LBFGS(
            [W, b],
            max_iter=1000,
            tolerance_grad=1e-14,
            tolerance_change=1e-16,
            history_size=50,
            line_search_fn="strong_wolfe",
        )

        def value(steps: Any = steps) -> Any:
            steps.zero_grad()
            total = d * loss(data @ W + b, labels) + C / 2 * ((W**2).sum() + (b**2).sum())
            total.backward()
            return total

        steps.step(value)
    return {"W": W.detach().numpy(), "b": b.detach().numpy()}
