# mlpack linear_svm minimises  mean_i Σ_c max(0, 1 + f_c − f_y) + λ/2 ||W||²  (intercepts among the weights). The weights that
# its L-BFGS returns, multiplied by 2, are better: no minimum.
import mlpack
import numpy as np

X = np.array([[2, 1], [1, 2], [-1, -2], [-2, 0.5], [1.5, -2], [0.5, -1.5]])
y, lam = np.array([0, 0, 1, 1, 2, 2]), 1e-4


def objective(W, b):
    scores = X @ W + b
    hinges = np.maximum(0, 1 + scores - scores[np.arange(6), y][:, None])
    hinges[np.arange(6), y] = 0
    return hinges.sum(1).mean() + lam / 2 * ((W**2).sum() + (b**2).sum())


model = mlpack.linear_svm(
    training=X, labels=y, lambda_=lam, tolerance=1e-15, max_iterations=100_000
)
points = np.vstack(
    [np.zeros(2), np.eye(2)]
)  # their scores are the intercepts, and the intercepts plus the weights
scores = mlpack.linear_svm(input_model=model["output_model"], test=points)["probabilities"]
scores = np.asarray(scores).reshape(3, 3)
W, b = scores[1:] - scores[0], scores[0]
theirs, twice = objective(W, b), objective(2 * W, 2 * b)
print(f"objective of its weights {theirs:.6f}, of twice its weights {twice:.6f}")
assert theirs <= 1.001 * twice, (
    f"{theirs:.6g} where {twice:.6g} is reached by doubling every weight"
)
