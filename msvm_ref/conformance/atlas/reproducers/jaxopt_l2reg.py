# jaxopt's multi-class SVM dual by its BlockCoordinateDescent, as in its documentation's example, with l2reg below 1:
# the weights it ends with are worse than W = 0.
import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
from jaxopt import BlockCoordinateDescent, objective, projection

X = np.array([[2, 1], [1, 2], [-1, -2], [-2, 0.5], [1.5, -2], [0.5, -1.5]])
y = np.array([0, 0, 1, 1, 2, 2])
Y, lam = np.eye(3)[y], 0.25


def primal(W):
    scores = X @ W
    margins = 1 - Y + scores - (scores * Y).sum(1, keepdims=True)
    return margins.max(1).sum() + lam / 2 * (W**2).sum()


solver = BlockCoordinateDescent(
    fun=objective.multiclass_linear_svm_dual,
    block_prox=lambda v, hyperparams, scaling=1.0: projection.projection_simplex(v),
    maxiter=2000,
    tol=1e-10,
)
beta = np.asarray(solver.run(np.full_like(Y, 1 / 3), None, l2reg=lam, data=(X, Y)).params)
theirs, zero = primal(X.T @ (Y - beta) / lam), primal(np.zeros((2, 3)))
print(f"objective of its weights {theirs:.6f}, of W = 0: {zero:.6f}")
assert theirs <= zero, f"worse than W = 0: {theirs:.6g} > {zero:.6g}"
