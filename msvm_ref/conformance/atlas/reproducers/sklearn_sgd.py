# SGDClassifier(loss="hinge", tol=1e-9, max_iter=10000) stops long before 10000 epochs, without a warning, above a point that
# LinearSVC finds. Both points in SGDClassifier's own objective: mean of the hinges + alpha/2 ||w||² (intercept free).
import warnings

import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

X, y = load_wine(return_X_y=True)
X = (X - X.mean(0)) / X.std(0)
alpha = 1 / len(y)


def objective(model):
    signs = np.where(y[:, None] == model.classes_, 1, -1)
    hinges = np.maximum(0, 1 - signs * model.decision_function(X))
    return hinges.mean(0).sum() + alpha / 2 * (model.coef_**2).sum()


with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    sgd = SGDClassifier(loss="hinge", alpha=alpha, tol=1e-9, max_iter=10_000, random_state=0).fit(
        X, y
    )
theirs = objective(sgd)
other = objective(LinearSVC(loss="hinge", random_state=0, max_iter=100_000).fit(X, y))
print(
    f"SGDClassifier {theirs:.6f} after {sgd.n_iter_} epochs, {len(said)} warnings; LinearSVC {other:.6f}"
)
assert said or theirs <= 1.05 * other, f"{theirs / other - 1:.0%} above LinearSVC's point, unsaid"
