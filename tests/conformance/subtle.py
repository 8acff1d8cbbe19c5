"""More wrong solvers: right on ordinary data, wrong in a corner, or wrong in what they hand back. They join ``zoo.ZOO``."""

from __future__ import annotations

import sys

import numpy as np

import msvm_ref as mr
from msvm_ref.model import conventions as cv
from tests.conformance.zoo import Truth, animal, solved


def other_W(change, when):
    """A ``spoil`` step that changes W where ``when(problem)``."""

    def spoil(self, out, problem, s):
        return out | {"W": change(out["W"])} if when(problem) else out

    return spoil


def other_cost(change):
    """A ``problem`` step that changes a positive C."""

    def problem(self, X, y, C, weight, classes):
        return Truth.problem(self, X, y, change(C) if C > 0 else C, weight, classes)

    return problem


def other_weights(change):
    """A ``problem`` step that changes the weights (ones where there are none)."""

    def problem(self, X, y, C, weight, classes):
        given = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
        return Truth.problem(self, X, y, C, change(given, np.asarray(y)), classes)

    return problem


def prepared(change, bias="none"):
    """A solver that works on ``change(X) = Z, m, s`` with z = (x - m) / s and does not map W back."""

    def call(self, X, y, C, sample_weight=None, classes=None):
        Z, m, s = change(np.asarray(X, dtype=float))
        best = solved(
            mr.Problem(mr.WW, Z, y, C=C, bias=bias, sample_weight=sample_weight, classes=classes)
        )
        W, b = (
            (best.W, best.b)
            if m is None
            else (best.W / s[:, None], best.b - m @ (best.W / s[:, None]))
        )
        return {"W": W, "b": None if bias == "none" else b, "classes": best.problem.classes}

    return call


def standardised(X):
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    return (X - X.mean(axis=0)) / spread, X.mean(axis=0), spread


@animal("check_more_classes", "column [4, 0, 1, 2, 3]")
class RollsAboveThreeClasses(Truth):
    spoil = other_W(lambda W: np.roll(W, 1, axis=1), lambda p: p.d > 3)


@animal("check_more_classes", "W transposed")
class TransposesASquareW(Truth):
    spoil = other_W(lambda W: W.T, lambda p: p.X.shape[1] == p.d > 2)


@animal("check_shapes_of_data")
class WrongWithMoreFeaturesThanExamples(Truth):
    spoil = other_W(lambda W: 0.7 * W, lambda p: p.X.shape[1] > p.n)


@animal("check_degenerate_data")
class LeavesOutConstantFeatures(Truth):
    def spoil(self, out, problem, s):
        return out | {"W": np.where(np.ptp(problem.X, axis=0)[:, None] > 0, out["W"], 0.0)}


@animal("check_duplicates", "duplicates counted once")
class DropsCopies(Truth):
    def problem(self, X, y, C, weight, classes):
        rows = np.column_stack([X, np.unique(y, return_inverse=True)[1]])
        keep = np.sort(np.unique(rows, axis=0, return_index=True)[1])
        return super().problem(
            X[keep], np.asarray(y)[keep], C, None if weight is None else weight[keep], classes
        )


@animal("check_absent_class")
class AbsentClassesComeLast(Truth):
    def spoil(self, out, problem, s):
        absent = np.bincount(problem.y, minlength=problem.d) == 0
        return out | {"W": out["W"][:, np.argsort(absent, kind="stable")]}


@animal("check_weights_equal_duplication", "sample weights ignored")
class IgnoresWeightsThatSumToN(Truth):
    problem = other_weights(lambda w, y: None if np.isclose(w.sum(), len(y)) else w)


@animal("check_weights_equal_duplication", "normalised to mean 1")
class NormalisesWeights(Truth):
    problem = other_weights(lambda w, y: w / w.mean())


@animal("check_optimality", "classes weighted to balance")
class AlwaysBalances(Truth):
    problem = other_weights(
        lambda w, y: w * len(y) / (len(np.unique(y)) * (y[:, None] == y).sum(axis=1))
    )


@animal("check_input_unchanged")
class NormalisesTheCallersWeights(Truth):
    def problem(self, X, y, C, weight, classes):
        problem = super().problem(X, y, C, None if weight is None else weight.copy(), classes)
        if weight is not None:
            weight /= weight.mean()
        return problem


@animal("check_C", "C·0.0390625")
class CapsC(Truth):
    problem = other_cost(lambda C: min(C, 10.0))


@animal("check_C", "C·")
class RaisesASmallC(Truth):
    """Where it shows every slack is 0, so that C·10 and C·n are the same optimum: either factor is a true diagnosis."""

    problem = other_cost(lambda C: max(C, 0.0390625))


@animal("check_C", "C/d")
class DividesCByThree(Truth):
    problem = other_cost(lambda C: C / 3)


@animal("check_convention", "margin f_y - f_c >= 1", convention=cv.KERNLAB_KBB)
class SwapsConventions(Truth):
    """FH (2) for kernlab's HL (9): margin 1 for margin 2."""

    def __call__(self, X, y, C, sample_weight=None, classes=None):
        posed = cv.FH2.pose(X, y, C, sample_weight=sample_weight, classes=classes)
        s = solved(posed.problem)
        return {**posed.theirs(s.W, s.b), "classes": posed.problem.classes}


@animal("check_bias_treatment", "intercept scaled by 10", bias="penalized")
class InterceptScaledByTen(Truth):
    def __call__(self, X, y, C, sample_weight=None, classes=None):
        Z = np.column_stack([X, np.full(len(X), 10.0)])
        s = solved(mr.Problem(mr.WW, Z, y, C=C, sample_weight=sample_weight, classes=classes))
        return {"W": s.W[:-1], "b": 10 * s.W[-1], "classes": s.problem.classes}


@animal("check_bias_treatment", "W is right and b is wrong", bias="free")
class SignOfTheBias(Truth):
    bias = "free"

    def spoil(self, out, problem, s):
        return out | {"b": -out["b"]}


@animal("check_sum_to_zero", machine=mr.LLW, bias="free")
class BiasDoesNotSumToZero(Truth):
    machine, bias = mr.LLW, "free"

    def spoil(self, out, problem, s):
        return out | {"b": out["b"] + 0.3}


@animal("check_machine", machine=mr.RM())
class QuarterForHalf(Truth):
    machine = mr.RM(0.25)


@animal("check_optimality", "features standardised first (to", bias="free")
class StandardisesAndMapsBack(Truth):
    __call__ = prepared(standardised, "free")


@animal("check_optimality", "standardised first, W and b in those units", bias="free")
class StandardisesAndForgets(Truth):
    __call__ = prepared(lambda X: (standardised(X)[0], None, None), "free")


@animal("check_optimality", "unit length")
class NormalisesExamples(Truth):
    __call__ = prepared(
        lambda X: (X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-9), None, None)
    )


@animal("check_optimality", "but for one number")
class LosesOneMultiplier(Truth):
    """kernlab 0.9-32."""

    def spoil(self, out, problem, s):
        alpha = np.array(s.alpha)
        alpha[np.unravel_index(alpha.argmax(), alpha.shape)] = 0
        return out | {
            "W": problem.X.T
            @ (np.eye(problem.d)[problem.y] * alpha.sum(axis=1, keepdims=True) - alpha)
            / 2
        }


@animal("check_converged_flag")
class LiesOnStretchedData(Truth):
    spoil = other_W(lambda W: 0.9 * W, lambda p: abs(p.X).max() > 50)


@animal("check_arbitrary_labels")
class SortsLabelsAsText(Truth):
    def spoil(self, out, problem, s):
        return out | {
            "W": out["W"][:, sorted(range(problem.d), key=lambda k: str(problem.classes[k]))]
        }


@animal("check_scores_match_weights")
class ScoresOfTheTrainingRows(Truth):
    def spoil(self, out, problem, s):
        return out | {
            "decision_function": lambda X: np.resize(
                s.decision_function(problem.X), (len(X), problem.d)
            )
        }


@animal("check_scores_match_weights")
class CentresEveryBatch(Truth):
    def spoil(self, out, problem, s):
        return out | {
            "decision_function": lambda X: (X - X.mean(axis=0) + problem.X.mean(axis=0)) @ s.W
        }


@animal("check_refit")
class KeepsTheFirstClasses(Truth):
    kept = None

    def spoil(self, out, problem, s):
        self.kept = self.kept or problem.classes
        return out | {"classes": self.kept}


@animal("check_refuses_mismatched_lengths")
class CutsLabels(Truth):
    def problem(self, X, y, C, weight, classes):
        return super().problem(X, y[: len(X)], C, weight, classes)


@animal("check_refuses_nonpositive_C")
class NanIsOne(Truth):
    def problem(self, X, y, C, weight, classes):
        return super().problem(X, y, 1.0 if np.isnan(C) else C, weight, classes)


BROKEN: dict[str, tuple[object, str, str]] = {}
"""Solvers that hand back what nobody can read: (solver, check, words of its failure)."""


def broken(check, words):
    def enter(change):
        solver = Truth()
        solver.spoil = lambda out, problem, s: change(out, problem, s)
        BROKEN[change.__name__] = (solver, check, words)
        return change

    return enter


@broken("check_predict_is_argmax", "predict returns shape ()")
def one_label_for_all(out, problem, s):
    return out | {"predict": lambda X: problem.classes[0]}


@broken("check_tie_rule", "predict returns shape ()")
def a_scalar_for_one_row(out, problem, s):
    return out | {"predict": lambda X: s.predict(X) if len(X) > 1 else s.predict(X)[0]}


@broken("check_predict_is_argmax", "decision_function returns shape (12,)")
def flat_scores(out, problem, s):
    return out | {"decision_function": lambda X: s.decision_function(X).max(axis=1)}


@broken("check_scores_match_weights", "the solver raised ValueError")
def ragged_scores(out, problem, s):
    return out | {"decision_function": lambda X: [[1.0], [1.0, 2.0]]}


@broken("check_optimality", "unhashable")
def classes_that_are_lists(out, problem, s):
    return out | {"classes": [[c] for c in problem.classes]}


@broken("check_optimality", "not all different")
def the_same_class_twice(out, problem, s):
    return out | {"classes": [problem.classes[0]] * problem.d}


@broken("check_objective", "objective is '12.3'")
def objective_as_text(out, problem, s):
    return out | {"objective": "12.3"}


@broken("check_objective", "reports nan")
def objective_nan(out, problem, s):
    return out | {"objective": float("nan")}


@broken("check_converged_flag", "True, False or None")
def flag_for_each_class(out, problem, s):
    return out | {"converged": np.array([True, False])}


@broken("check_optimality", "raised SystemExit: 3")
def exits(out, problem, s):
    sys.exit(3)


@broken("check_optimality", "raised TypeError")
def nothing(out, problem, s):
    return None


@broken("check_optimality", "W is complex")
def complex_weights(out, problem, s):
    return out | {"W": out["W"] + 1j}


@broken("check_optimality", "no array of numbers")
def words_for_weights(out, problem, s):
    return out | {"W": np.full(out["W"].shape, "heavy")}


@broken("check_multipliers", "alpha has shape (36,)")
def flat_alpha(out, problem, s):
    return out | {"alpha": np.ravel(s.alpha)}
