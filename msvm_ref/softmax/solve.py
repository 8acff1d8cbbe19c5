"""solve_softmax(): train a SoftmaxProblem in the primal, and say what the result is worth.

cg            nonlinear conjugate gradients (Polak-Ribiere, scipy), as ZDO section 1.2.4 with Rasmussen's minimize.m
lbfgs         limited-memory BFGS, for comparison
cones         cvxpy, convex problems only: the ground truth
prox-linear   the hinge with a softmax that is not convex
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from msvm_ref.errors import BackendError, DataError
from msvm_ref.model.arrays import Array, frozen, real_array, real_number
from msvm_ref.softmax.certificate import SoftmaxCertificate, certify_softmax
from msvm_ref.softmax.problem import MOST_TERMS, Parameters, SoftmaxProblem, is_softmax
from msvm_ref.solvers.solution import labelled

Method = Literal["cg", "lbfgs", "cones", "prox-linear"]
SCIPY = {"cg": "CG", "lbfgs": "L-BFGS-B"}
MAX_ITERATIONS = 20_000


class NotConvexWarning(UserWarning):
    """The problem is not convex: what comes back is a stationary point, maybe not the optimum (docs/mathematics.md, E18)."""


@dataclass(frozen=True, eq=False)
class SoftmaxSolution:
    """A certified solution of a softmax problem."""

    problem: SoftmaxProblem
    """The problem."""
    V: Array
    """(r x rank k_Y) coefficients."""
    b: Array
    """d biases."""
    certificate: SoftmaxCertificate
    """The judge's verdict."""
    method: str
    """What solved it."""
    converged: bool
    """Is the certified relative gap (convex) or the stationarity (otherwise) within the tolerance asked for?"""
    iterations: int
    """Steps taken."""
    evaluations: int
    """Objective and gradient evaluations."""

    @property
    def objective(self) -> float:
        return self.certificate.upper

    @cached_property
    def W(self) -> Array:
        """V L' (r x d): f(x) = W'x~ + b."""
        return frozen(self.V @ self.problem.label_factor.T)

    def decision_function(self, X: Any) -> Array:
        """(n_new x d) scores."""
        return self.problem.scores(self.V, self.b, self.problem.represent(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of the largest score, ties to the class that comes first."""
        return labelled(self.problem.data.classes, self.decision_function(X).argmax(axis=1))


def solve_softmax(
    problem: SoftmaxProblem,
    method: Method | None = None,
    tolerance: float = 1e-6,
    start: Parameters | None = None,
) -> SoftmaxSolution:
    """Train; ``tolerance`` is a certified relative gap where the problem is convex, else a bound on the stationarity.

    By default: cg where the objective is smooth, cones where it is convex with kinks, prox-linear otherwise. On a problem that
    is not convex a NotConvexWarning is issued.
    """
    is_softmax(problem)
    level = real_number(tolerance)
    if level is None or not 0 < level < 1:
        raise DataError("tolerance", "lie strictly between 0 and 1", repr(tolerance))
    chosen = method or ("cg" if problem.smooth else "cones" if problem.convex else "prox-linear")
    if chosen not in (*SCIPY, "cones", "prox-linear"):
        raise DataError("method", "be 'cg', 'lbfgs', 'cones' or 'prox-linear'", repr(method))
    if not problem.convex:
        warnings.warn(
            f"{problem!r} is not convex (docs/mathematics.md, E18): a stationary point at best; gamma >= 1 with "
            "the logistic loss is convex",
            NotConvexWarning,
            stacklevel=2,
        )
    if chosen == "cones":
        return _cones(problem, level)
    V, b = problem.zeros() if start is None else _start(problem, start)
    if chosen == "prox-linear":
        return _prox_linear(problem, V, b, level)
    return _descend(problem, chosen, V, b, level)


def _start(problem: SoftmaxProblem, start: Parameters) -> Parameters:
    if not isinstance(start, (tuple, list)) or len(start) != 2:
        raise DataError("start", "be a pair (V, b)", repr(start)[:80])
    V, b = (
        real_array("start's V", start[0], 2, "(features, rank of k_Y)"),
        real_array("start's b", start[1], 1, "(classes,)"),
    )
    shapes = tuple(v.shape for v in problem.zeros())
    if (V.shape, b.shape) != shapes:
        raise DataError(
            "start",
            f"be (V, b) of shapes {shapes[0]} and {shapes[1]}",
            f"shapes {V.shape} and {b.shape}",
        )
    return V, b


def softmax_path(
    problem: SoftmaxProblem, gammas: Iterable[float], tolerance: float = 1e-6
) -> list[SoftmaxSolution]:
    """Solutions along gamma (0 and inf allowed), each started from the one before."""
    if not isinstance(gammas, Iterable):
        raise DataError("gammas", "be a sequence of gamma", repr(gammas))
    is_softmax(problem)
    solutions: list[SoftmaxSolution] = []
    for gamma in gammas:
        start = (solutions[-1].V, solutions[-1].b) if solutions else None
        solutions.append(solve_softmax(problem.with_gamma(gamma), None, tolerance, start))
    return solutions


def _descend(
    problem: SoftmaxProblem, method: str, V: Array, b: Array, tolerance: float
) -> SoftmaxSolution:
    """scipy's minimiser at ever smaller gradient tolerances, until the certificate is content."""
    split = V.size
    free_b = problem.bias != "none"

    def unpack(x: Array) -> Parameters:
        return x[:split].reshape(V.shape), x[split:] if free_b else np.zeros(problem.d)

    def objective(x: Array) -> tuple[float, Array]:
        value, g = problem.evaluate(*unpack(x))
        return value, np.concatenate([g[0].ravel(), g[1]]) if free_b else g[0].ravel()

    x = np.concatenate([V.ravel(), b]) if free_b else V.ravel()
    iterations = evaluations = 0
    certificate = certify_softmax(problem, *unpack(x))
    goal = max(certificate.gradient_norm, 1e-300) * 1e-2
    while x.size and not _content(certificate, tolerance) and iterations < MAX_ITERATIONS:
        options: dict[str, Any] = {"gtol": goal, "maxiter": MAX_ITERATIONS - iterations}
        if method == "lbfgs":
            options |= {"ftol": 0.0, "maxfun": 4 * MAX_ITERATIONS, "maxcor": 20}
        result = minimize(objective, x, jac=True, method=SCIPY[method], options=options)
        iterations, evaluations = iterations + int(result.nit), evaluations + int(result.nfev)
        stuck = not float(abs(result.x - x).max()) > 0 and float(abs(objective(x)[1]).max()) > goal
        x = result.x
        certificate = certify_softmax(problem, *unpack(x))
        if (
            problem.bias == "free"
            and problem.convex
            and certificate.gradient_norm**2 <= tolerance * certificate.upper
        ):
            x[split:] = settled_bias(problem, *unpack(x))
            certificate = certify_softmax(problem, *unpack(x))
        if stuck or goal < 1e-300:
            break
        goal /= 10
    V, b = unpack(x)
    if problem.bias == "free":
        b = b - b.mean()
    return _solution(problem, V, b, certificate, method, tolerance, iterations, evaluations)


def settled_bias(problem: SoftmaxProblem, V: Array, b: Array) -> Array:
    """Newton's method in b alone, V fixed: the dual bound pays for b_a to first order, and a line search stops before that.

    The Hessian (d x d, singular along a common shift) is differenced from the gradient; a step that does not help is not taken.
    """
    g = problem.gradient(V, b)[1]
    for _ in range(10):
        h = 1e-5
        hessian = np.column_stack(
            [
                (problem.gradient(V, b + h * e)[1] - problem.gradient(V, b - h * e)[1]) / (2 * h)
                for e in np.eye(problem.d)
            ]
        )
        after = b - np.linalg.lstsq(hessian, g, rcond=1e-10)[0]
        slope = problem.gradient(V, after)[1]
        if not abs(slope).sum() < abs(g).sum():
            break
        b, g = after, slope
    return b


def _cones(problem: SoftmaxProblem, tolerance: float) -> SoftmaxSolution:
    from msvm_ref.softmax.truth import CHAIN, solve_cones

    if not problem.conic:
        why = (
            f"has a non-integer gamma, or one above {MOST_TERMS}"
            if problem.convex
            else "is not convex"
        )
        raise DataError(
            "method", f"be 'cg', 'lbfgs' or 'prox-linear' for a problem that {why}", "'cones'"
        )
    best: SoftmaxSolution | None = None
    for backend in CHAIN:
        try:
            answer = solve_cones(problem, backend)
        except BackendError:
            if backend == CHAIN[-1] and best is None:
                raise
            continue
        b = (
            settled_bias(problem, answer.V, answer.b)
            if problem.smooth and problem.bias == "free"
            else answer.b
        )
        certificate = certify_softmax(problem, answer.V, b, answer.weights, answer.slopes)
        if best is None or certificate.gap < best.certificate.gap:
            best = _solution(
                problem, answer.V, b, certificate, f"cones ({backend})", tolerance, 0, 0
            )
        if best.converged:
            break
    assert best is not None
    return best


def _prox_linear(problem: SoftmaxProblem, V: Array, b: Array, tolerance: float) -> SoftmaxSolution:
    from msvm_ref.softmax.truth import prox_linear

    if problem.loss != "hinge" or not 0 < problem.gamma < math.inf:
        raise DataError(
            "method",
            "be 'cg', 'lbfgs' or 'cones' here",
            "'prox-linear'",
            "it is for the hinge at 0 < gamma < inf",
        )
    V, b, iterations = prox_linear(problem, V, b, 500, tolerance * 1e-3)
    return _solution(
        problem,
        V,
        b,
        certify_softmax(problem, V, b),
        "prox-linear",
        tolerance,
        iterations,
        iterations,
    )


def _content(certificate: SoftmaxCertificate, tolerance: float) -> bool:
    return (
        certificate.optimal(tolerance)
        if certificate.convex
        else certificate.stationarity <= tolerance
    )


def _solution(
    problem: SoftmaxProblem,
    V: Array,
    b: Array,
    certificate: SoftmaxCertificate,
    method: str,
    tolerance: float,
    iterations: int,
    evaluations: int,
) -> SoftmaxSolution:
    return SoftmaxSolution(
        problem,
        frozen(V),
        frozen(b),
        certificate,
        method,
        _content(certificate, tolerance),
        iterations,
        evaluations,
    )
