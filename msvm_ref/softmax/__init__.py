"""The softmax primal of Zien, De Bona and Ong: problem, solvers, certificate, and the bases it is solved in."""

from msvm_ref.model.representation import (
    Representation,
    cholesky,
    incomplete_cholesky,
    kpca,
    leading_subset,
)
from msvm_ref.softmax.certificate import certify_softmax
from msvm_ref.softmax.one_vs_rest import softmax_one_vs_rest
from msvm_ref.softmax.problem import SoftmaxProblem
from msvm_ref.softmax.solve import NotConvexWarning, softmax_path, solve_softmax

__all__ = [
    "NotConvexWarning",
    "Representation",
    "SoftmaxProblem",
    "certify_softmax",
    "cholesky",
    "incomplete_cholesky",
    "kpca",
    "leading_subset",
    "softmax_one_vs_rest",
    "softmax_path",
    "solve_softmax",
]
