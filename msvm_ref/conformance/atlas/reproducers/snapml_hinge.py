# Snap ML minimises  λ/2 ||w||² + Σ max(0, 1 − y w·x)  here (it does on most data). On these five rows it stops at a point
# that is no minimum, whatever tol and max_iter: w = (1/2, −1/3) is better. Evaluated in exact arithmetic.
from fractions import Fraction

import numpy as np
from snapml import SupportVectorMachine

X = [[2, 0], [-1, -1], [2, 1], [0, 3], [-2, 0]]
y = [-1, 1, 1, -1, -1]
lam = Fraction(1, 20)


def objective(w):
    hinges = (max(Fraction(0), 1 - t * sum(a * b for a, b in zip(x, w))) for x, t in zip(X, y))
    return lam / 2 * sum(v * v for v in w) + sum(hinges)


model = SupportVectorMachine(regularizer=float(lam), tol=1e-12, max_iter=100_000)
model.fit(np.array(X, float), np.array(y, float))
theirs = objective([Fraction(float(v)) for v in np.ravel(model.coef_)])
better = objective([Fraction(1, 2), Fraction(-1, 3)])
print(
    f"its weights {np.ravel(model.coef_)}: {float(theirs):.6f}; w = (1/2, -1/3): {float(better):.6f}"
)
assert theirs <= better * Fraction(1001, 1000), (
    f"{float(theirs / better - 1):.1%} above a point given by hand"
)
