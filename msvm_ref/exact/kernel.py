"""The kernel's own Gram matrix in rationals, for optima that are not to depend on a float64 factor.

linear       <x, x'>                                     polynomial  (gamma <x, x'> + coef0)^degree of the float64 data
any other    the float64 matrix k(x_i, x_j), or the given one, taken bit by bit
"""

from __future__ import annotations

from flint import fmpq_mat

from msvm_ref.exact.numbers import exact_gram, rational
from msvm_ref.model.kernels import Polynomial
from msvm_ref.model.problem import Problem


def kernel_gram(problem: Problem) -> fmpq_mat:
    function = problem.kernel.function
    if problem.is_linear:
        return exact_gram(problem.X)
    if isinstance(function, Polynomial):
        scale, shift = rational(function.gamma), rational(function.coef0)
        return fmpq_mat(
            problem.n,
            problem.n,
            [(scale * v + shift) ** function.degree for v in exact_gram(problem.X).entries()],
        )
    return fmpq_mat(problem.n, problem.n, [rational(v) for v in problem.gram.ravel()])
