# skglm.LinearSVC(fit_intercept=True), which is the default, fits no intercept: four points on a line, two classes that any
# threshold between 4 and 6 separates.
import numpy as np
from skglm import LinearSVC

X, y = np.array([[3.0], [4.0], [6.0], [7.0]]), np.array([-1, -1, 1, 1])
model = LinearSVC(C=10.0, fit_intercept=True).fit(X, y)
print(f"coef_ {model.coef_}, intercept_ {model.intercept_}, predicts {model.predict(X)}")
assert (model.predict(X) == y).all(), (
    "separable data are not separated: the intercept is not fitted"
)
