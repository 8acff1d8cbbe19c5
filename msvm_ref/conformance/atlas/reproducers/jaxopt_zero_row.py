# A row of X that is 0 makes every weight NaN (jaxopt's multi-class SVM dual, BlockCoordinateDescent).
import numpy as np
from jaxopt import BlockCoordinateDescent, objective, projection

X = np.array([[2, 1], [1, 2], [-1, -2], [-2, 0.5], [0, 0]])
Y = np.eye(2)[[0, 0, 1, 1, 0]]
solver = BlockCoordinateDescent(
    fun=objective.multiclass_linear_svm_dual,
    block_prox=lambda v, hyperparams, scaling=1.0: projection.projection_simplex(v),
)
beta = np.asarray(solver.run(np.full_like(Y, 0.5), None, l2reg=2.0, data=(X, Y)).params)
print("dual variables:", beta.tolist())
assert np.isfinite(beta).all(), "NaN from finite data"
