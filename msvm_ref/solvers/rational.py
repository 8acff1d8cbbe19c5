"""method="exact": the optimum proved in rationals, rounded to float64; what is left is what float64 cannot hold.

Small problems only (see ``exact.optimum``). Data of any scale and offset are as good as any other to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from msvm_ref.exact.data import kernel_gram
from msvm_ref.exact.optimum import ExactOptimum, Gram, prove_optimum, refuse_beyond_size
from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.kernels import Polynomial
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.finish import finish
from msvm_ref.solvers.solution import Attempt, Solution


def solve_exact(
    problem: Problem, *, tolerance: float, max_seconds: float = 60.0, start: Solution | None = None
) -> Solution:
    """The exact optimum to the nearest float64; ``start`` saves work. ExactnessError beyond the stated size or time.

    A polynomial kernel is taken as it is; an rbf kernel or a given Gram by its factor, a problem close by.
    """
    deadline = Deadline.of("max_seconds", max_seconds)
    refuse_beyond_size(problem)
    gram: Gram = "kernel" if isinstance(problem.kernel.function, Polynomial) else "factor"
    posed = problem if gram == "kernel" else problem.on_factor()
    guess = Candidate(
        np.zeros((posed.features.shape[1], problem.d)),
        np.zeros(problem.d),
        np.zeros((problem.n, problem.d)),
    )
    if start is not None:
        coef = start.coef if start.candidate.W is None else None
        guess = Candidate(start.candidate.W, start.b, start.alpha, coef)
    proved = prove_optimum(posed, guess, deadline.left, gram)
    alpha, b = _floats(proved.alpha), _floats([proved.b])[0]
    raw = Candidate(_weights(posed, proved), b, alpha)
    candidate, certificate = finish(problem, raw, tolerance)
    attempt = Attempt("rationals", proved.how, certificate.relative_gap, deadline.spent)
    return Solution(problem, candidate, certificate, "exact", "rationals", tolerance, (attempt,))


def _weights(problem: Problem, proved: ExactOptimum) -> Array:
    """W in ``problem.features``; of a kernel that has no features those whose scores are closest to the exact ones."""
    if proved.gram == "factor":
        return _floats(proved.W)
    coef = fmpq_mat([[fmpq(v.numerator, v.denominator) for v in row] for row in proved.coef])
    scores = (kernel_gram(problem) * coef).tolist()
    f = _floats([[Fraction(int(v.p), int(v.q)) for v in row] for row in scores])
    return np.asarray(np.linalg.lstsq(problem.features, f, rcond=None)[0])


def _floats(rows: Sequence[Sequence[Fraction]]) -> Array:
    return np.array([[float(v) for v in row] for row in rows], dtype=np.float64)
