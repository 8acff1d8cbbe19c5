# Snap ML with fit_intercept=True minimises  λ/2 (||w||² + b²) + Σ max(0, 1 − y (w·x + b)) (it does on most data). On these five rows it stops at a point
# that is no minimum, whatever tol and max_iter: w = (−1/2, 0), b = 0 is better. Evaluated in exact arithmetic.
from fractions import Fraction as F

import numpy as np
from snapml import SupportVectorMachine

X = [[-1, 3], [2, -2], [2, 1], [-2, 1], [-1, 3]]
y = [-1, -1, -1, 1, 1]


def objective(w, b):
    hinges = (max(F(0), 1 - t * (b + sum(p * q for p, q in zip(x, w)))) for x, t in zip(X, y))
    return (sum(v * v for v in w) + b * b) / 2 + sum(hinges)


model = SupportVectorMachine(regularizer=1.0, fit_intercept=True, tol=1e-12, max_iter=100_000)
model.fit(np.array(X, float), np.array(y, float))
w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
theirs, better = objective([F(float(v)) for v in w], F(b)), objective([F(-1, 2), F(0)], F(0))
print(f"its point {w}, {b:.6f}: {float(theirs):.6f}; w = (-1/2, 0), b = 0: {float(better):.6f}")
assert theirs <= better * F(1001, 1000), (
    f"{float(theirs / better - 1):.1%} above a point given by hand"
)
