# Snap ML with fit_intercept=True minimises  λ/2 (||w||² + b²) + Σ max(0, 1 − y (w·x + b)). On these five rows it stops at a
# point that is no minimum, whatever tol and max_iter: w = (−1/2, 0), b = 0 is better. Evaluated in exact arithmetic.
from fractions import Fraction

import numpy as np
from snapml import SupportVectorMachine

X = [[-1, 3], [2, -2], [2, 1], [-2, 1], [-1, 3]]
y = [-1, -1, -1, 1, 1]


def objective(w, b):
    hinges = (
        max(Fraction(0), 1 - t * (b + sum(p * q for p, q in zip(x, w)))) for x, t in zip(X, y)
    )
    return (sum(v * v for v in w) + b * b) / 2 + sum(hinges)


model = SupportVectorMachine(regularizer=1.0, fit_intercept=True, tol=1e-12, max_iter=100_000)
model.fit(np.array(X, float), np.array(y, float))
w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
theirs, better = (
    objective([Fraction(float(v)) for v in w], Fraction(b)),
    objective([Fraction(-1, 2), Fraction(0)], Fraction(0)),
)
print(f"its point {w}, {b:.6f}: {float(theirs):.6f}; w = (-1/2, 0), b = 0: {float(better):.6f}")
assert theirs <= better * Fraction(1001, 1000), (
    f"{float(theirs / better - 1):.1%} above a point given by hand"
)
