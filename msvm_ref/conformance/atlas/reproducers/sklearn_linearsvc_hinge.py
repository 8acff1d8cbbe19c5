# LinearSVC(loss="hinge", tol=1e-12) stays above the point it finds at its default tol. It warns that it did not converge and
# advises more iterations; four times as many change nothing. Objective of every class against the rest:
# 1/2 (||w||² + b²) + C Σ max(0, 1 − y (w·x + b)), summed over the classes.
import warnings

import numpy as np
from sklearn.datasets import load_wine
from sklearn.svm import LinearSVC

X, y = load_wine(return_X_y=True)
X = (X - X.mean(0)) / X.std(0)


def objective(**settings):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = LinearSVC(loss="hinge", random_state=0, **settings).fit(X, y)
    signs = np.where(y[:, None] == model.classes_, 1, -1)
    ridge = ((model.coef_**2).sum() + (model.intercept_**2).sum()) / 2
    value = ridge + np.maximum(0, 1 - signs * model.decision_function(X)).sum()
    print(f"{settings or 'default'}: {value:.8f}, {model.n_iter_} iterations, {len(said)} warnings")
    return value


default = objective()
tight = min(objective(tol=1e-12, max_iter=n) for n in (100_000, 400_000))
assert tight <= default * (1 + 1e-6), (
    f"tol=1e-12 is {tight / default - 1:.1e} worse than the default"
)
