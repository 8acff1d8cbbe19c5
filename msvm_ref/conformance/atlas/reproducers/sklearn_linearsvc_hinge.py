# LinearSVC(loss="hinge"): a smaller tol with a large max_iter gives a worse point than the default. Objective of every class
# against the rest: 1/2 (||w||² + b²) + C Σ max(0, 1 − y (w·x + b)), summed over the classes.
import warnings

import numpy as np
from sklearn.datasets import load_wine
from sklearn.svm import LinearSVC

warnings.simplefilter("ignore")
X, y = load_wine(return_X_y=True)
X = (X - X.mean(0)) / X.std(0)


def objective(**settings):
    model = LinearSVC(loss="hinge", random_state=0, **settings).fit(X, y)
    signs = np.where(y[:, None] == model.classes_, 1, -1)
    ridge = ((model.coef_**2).sum() + (model.intercept_**2).sum()) / 2
    return ridge + np.maximum(0, 1 - signs * model.decision_function(X)).sum()


default, tight = objective(), objective(tol=1e-12, max_iter=100_000)
print(f"tol=1e-4, max_iter=1000: {default:.8f}; tol=1e-12, max_iter=100000: {tight:.8f}")
assert tight <= default * (1 + 1e-6), (
    f"tol=1e-12 is {tight / default - 1:.1e} worse than the default"
)
