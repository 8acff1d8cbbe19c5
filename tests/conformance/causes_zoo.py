"""Wrong solvers that only one hypothesis explains: (solver, claim, check, words of the cause that must be named)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

import msvm_ref as mr
from msvm_ref.conformance.cases import GENERIC
from msvm_ref.model.loss import violations, weights
from tests.conformance.zoo import Truth, solved

CAUSES: dict[str, tuple[object, dict, str, str]] = {}


def cause(check, words, **claim):
    def enter(kind):
        solver = kind() if isinstance(kind, type) else kind
        CAUSES[kind.__name__] = (
            solver,
            {"machine": mr.WW, "tolerance": 1e-6} | claim,
            check,
            words,
        )
        return kind

    return enter


def smooth_minimum(problem, value, start):
    """L-BFGS on a smooth convex function of W."""
    shape = start.shape
    best = minimize(
        lambda w: value(w.reshape(shape)), start.ravel(), jac=True, method="L-BFGS-B",
        options={"maxiter": 20000, "maxfun": 200000, "ftol": 1e-16, "gtol": 1e-11},
    )  # fmt: skip
    return best.x.reshape(shape)


def smoothed(problem, width, b):
    """W of sum-of-hinges machines with the hinge smoothed over ``width``."""

    def value(W):
        v = violations(problem, problem.features @ W + b)
        v = np.where(np.isfinite(v), v, -1.0)
        costs = problem.costs[:, None]
        loss = np.clip(v, 0, width) ** 2 / (2 * width) + np.maximum(v - width, 0)
        G = weights(problem, costs * np.clip(v / width, 0, 1))[0]
        return float((W * W).sum() / 2 + (costs * loss).sum()), np.ravel(W - G)

    return smooth_minimum(problem, value, np.zeros((problem.X.shape[1], problem.d)))


@cause("check_optimality", "smoothed over a width of 0.5 above the kink (Huber)")
class SmoothsTheHinge(Truth):
    def answer(self, problem, s):
        W = smoothed(problem, 0.5, np.zeros(problem.d))
        return {"W": W, "classes": problem.classes}


@cause("check_bias_treatment", "W optimal at its own b", bias="free")
class BiasFromTheFirstStep(Truth):
    """b is set to the classes' shares once; then W is trained with it, here by a hinge smoothed over next to nothing."""

    def problem(self, X, y, C, weight, classes):
        return mr.Problem(
            self.machine, X, y, C=C, bias="none", sample_weight=weight, classes=classes
        )

    def answer(self, problem, s):
        import cvxpy as cp

        b = np.linspace(0.4, -0.4, problem.d)
        W = cp.Variable((problem.X.shape[1], problem.d))
        f = problem.X @ W + np.tile(b, (problem.n, 1))
        margin = (f[np.arange(problem.n), problem.y][:, None] - f) / 2
        rivals = np.arange(problem.d) != problem.y[:, None]
        slack = cp.multiply(cp.pos(1 - margin), problem.costs[:, None] * rivals)
        cp.Problem(cp.Minimize(cp.sum_squares(W) / 2 + cp.sum(slack))).solve(solver="CLARABEL")
        return {"W": W.value, "b": b, "classes": problem.classes}


@cause("check_optimality", "one gradient step from 0")
class OneStep(Truth):
    def answer(self, problem, s):
        counts = problem.spec.mask[problem.y] * problem.costs[:, None]
        return {"W": 0.3 * weights(problem, counts)[0], "classes": problem.classes}


@cause("check_absent_class", "the class without examples left out", machine=mr.LLW)
class AbsentClassesAreNone(Truth):
    machine = mr.LLW

    def __call__(self, X, y, C, classes=None):
        s = solved(mr.Problem(mr.LLW, X, y, C=C))
        if classes is None:
            return {"W": s.W, "classes": s.problem.classes}
        W = np.zeros((len(s.W), len(classes)))
        W[:, [list(classes).index(c) for c in s.problem.classes]] = s.W
        return {"W": W, "classes": classes}


@cause("check_optimality", "left out")
class ForgetsTheLastRow(Truth):
    """range(n - 1)."""

    def problem(self, X, y, C, weight, classes):
        keep = np.arange(len(X)) < len(X) - 1
        labels = np.unique(y) if classes is None else classes
        rows = np.asarray(X)[keep], np.asarray(y)[keep]
        return mr.Problem(mr.WW, *rows, C=C, classes=labels)


@cause("check_class_weights", "own examples only", machine=mr.OVA)
class OwnClassOnly(Truth):
    """LIBLINEAR's one-vs-rest."""

    def __call__(self, X, y, C, class_weight=None):
        labels = np.unique(y)
        W = np.zeros((X.shape[1], len(labels)))
        for c in labels:
            own = np.asarray(y) == c
            by = 1.0 if class_weight is None else class_weight[c]
            weight = np.where(own, by, 1.0)
            two = mr.Problem(mr.OVA, X, own.astype(int), C=C, sample_weight=weight)
            W[:, c] = solved(two).W[:, 1]
        return W, np.zeros(len(labels))


@cause("check_optimality", "scaled to [-1, 1] first", bias="free")
class ScalesToUnitInterval(Truth):
    bias = "free"

    def __call__(self, X, y, C):
        low, half = X.min(axis=0), np.ptp(X, axis=0) / 2
        half = np.where(half > 0, half, 1.0)
        s = solved(mr.Problem(mr.WW, (X - low - half) / half, y, C=C, bias="free"))
        W = s.W / half[:, None]
        return W, s.b - (low + half) @ W


@cause("check_optimality", "its W in float32", tolerance=1e-9)
class AnswersInFloat32(Truth):
    def spoil(self, out, problem, s):
        return {"W": out["W"].astype(np.float32), "classes": problem.classes}


TENTHS = GENERIC.with_("far off", X=GENERIC.X + 1e4)
"""Single precision leaves a thousandth of such numbers' spread."""


@cause("check_optimality", "X in float32", bias="free", cases=(TENTHS,))
class DataInFloat32(Truth):
    bias = "free"

    def problem(self, X, y, C, weight, classes):
        return super().problem(np.asarray(X, dtype=np.float32), y, C, weight, classes)


@cause("check_C", "C taken for 1/C")
class InverseC(Truth):
    """At C = 1 the same, at C = 2 the optimum at C/4."""

    def problem(self, X, y, C, weight, classes):
        return super().problem(X, y, 1 / C if C > 0 else C, weight, classes)


@cause("check_optimality", "C·0.333333")
class AThirdOfC(Truth):
    """C/3 whatever the number of classes: with three of them it is C/d."""

    def problem(self, X, y, C, weight, classes):
        return super().problem(X, y, C / 3, weight, classes)


def stepped(X, y, C, tol, max_iter):
    """Plain gradient descent on the squared hinge, which is smooth; stops at a step of ``tol`` or after ``max_iter``."""
    problem = mr.Problem(mr.WW.with_cost("quadratic"), X, y, C=C)
    W = np.zeros((X.shape[1], problem.d))
    rate = 1 / (1 + 8 * C * float((problem.X**2).sum()))
    for _ in range(max_iter):
        v = violations(problem, problem.X @ W)
        G = W - weights(problem, 2 * C * np.maximum(np.where(np.isfinite(v), v, 0), 0))[0]
        W = W - rate * G
        if rate * abs(G).max() < tol:
            break
    return W, np.zeros(problem.d)


SMOOTH = {"machine": mr.WW.with_cost("quadratic")}


@cause("check_optimality", "stopped by its iteration limit, max_iter = 20", **SMOOTH)
def few_iterations(X, y, C, tol=1e-12, max_iter=20):
    return stepped(X, y, C, tol, max_iter)


@cause("check_optimality", "tightens with its tolerance: right with tol = 0.01", **SMOOTH)
def loose(X, y, C, tol=0.01):
    return stepped(X, y, C, tol, 100_000)


@cause("check_optimality", "does not tighten with its tolerance")
def deaf(X, y, C, tol=1e-3):
    s = solved(mr.Problem(mr.WW, X, y, C=C))
    noise = np.random.default_rng(len(X)).normal(size=s.W.shape)
    return s.W + 0.05 * noise, np.zeros(s.problem.d)


@cause("check_objective", "violated margins counted instead of summed")
class CountsViolations(Truth):
    def spoil(self, out, problem, s):
        v = violations(problem, problem.X @ s.W)
        return out | {"objective": (s.W**2).sum() / 2 + problem.C * int((v > 0).sum())}


NEAR_BY = GENERIC.with_("less far off", X=GENERIC.X + 30.0, C=0.01)


@cause("check_optimality", "kernel entries in float32", tolerance=1e-8, cases=(NEAR_BY,))
class KernelInFloat32(Truth):
    """LIBSVM's rows: the dual is solved with K rounded, W = X'A is not."""

    def answer(self, problem, s):
        K = (problem.X @ problem.X.T).astype(np.float32).astype(float)
        if np.array_equal(K, problem.X @ problem.X.T):
            return {"W": s.W, "classes": problem.classes}
        values, vectors = np.linalg.eigh(K)
        factor = vectors * np.sqrt(np.maximum(values, 0))
        rounded = mr.solve(mr.Problem(problem.machine, factor, problem.y, C=problem.C))
        return {"W": problem.X.T @ rounded.coef, "classes": problem.classes}
