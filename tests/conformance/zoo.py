"""Solvers that are right, and solvers with one bug each, built on the truth. ``ZOO`` says which check must catch which."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import msvm_ref as mr
from msvm_ref.conformance.trial import key_of

TRUTHS: dict = {}
"""Every problem that the animals and their judges solve is solved once: a bug is in what is done with the solution."""


def solved(problem, **_):
    key = key_of(problem)
    if key not in TRUTHS:
        TRUTHS[key] = mr.solve(problem)
    return TRUTHS[key]


FREE_LLW = mr.Machine("LLW without its constraint", mr.ABSOLUTE, mr.OTHERS_SUM, sum_to_zero=False)


class Truth:
    """The certified solver behind the callable interface; subclasses override one step and are wrong in one way."""

    machine, bias = mr.WW, "none"

    def __call__(self, X, y, C, sample_weight=None, classes=None):
        problem = self.problem(X, y, C, sample_weight, classes)
        return self.answer(problem, solved(problem))

    def problem(self, X, y, C, weight, classes):
        return mr.Problem(
            self.machine, X, y, C=C, bias=self.bias, sample_weight=weight, classes=classes
        )

    def answer(self, problem, s):
        return self.spoil(
            {
                "W": np.array(s.W),
                "b": None if self.bias == "none" else np.array(s.b),
                "alpha": s.alpha,
                "objective": s.objective,
                "converged": s.converged,
                "classes": problem.classes,
                "decision_function": s.decision_function,
                "predict": s.predict,
            },
            problem,
            s,
        )

    def spoil(self, out, problem, s):
        return out


def honest(machine=mr.WW, bias="none"):
    solver = Truth()
    solver.machine, solver.bias = machine, bias
    return solver


@dataclass
class Animal:
    """A wrong solver, what it claims, the check that must catch it, and what the diagnosis must say."""

    solver: object
    check: str
    diagnosis: str | None = None
    claim: dict = field(default_factory=dict)


ZOO: dict[str, Animal] = {}


def animal(check, diagnosis=None, **claim):
    def enter(kind):
        ZOO[kind.__name__] = Animal(kind(), check, diagnosis, claim)
        return kind

    return enter


def at_cost(factor):
    """A ``problem`` step that misreads C."""

    def problem(self, X, y, C, weight, classes):
        return Truth.problem(
            self, X, y, C * (factor(X) if callable(factor) else factor), weight, classes
        )

    return problem


@animal("check_optimality", "sign of f flipped")
class SignFlipped(Truth):
    def spoil(self, out, problem, s):
        return out | {"W": -out["W"]}


@animal("check_C", "C/2")
class HalfC(Truth):
    problem = at_cost(0.5)


@animal("check_C", "C·n")
class CTimesN(Truth):
    problem = at_cost(len)


@animal("check_C", "C/n (mean for sum)")
class MeanForSum(Truth):
    problem = at_cost(lambda X: 1 / len(X))


@animal("check_C", "margin f_y - f_c >= 2")
class MarginTwo(Truth):
    problem = at_cost(2)


@animal("check_optimality", "margin f_y - f_c >= 1")
class MarginOne(Truth):
    problem = at_cost(4)

    def spoil(self, out, problem, s):
        return out | {"W": out["W"] / 2}


@animal("check_optimality", "quadratic cost")
class SquaredHinge(Truth):
    machine = mr.WW.with_cost("quadratic")


@animal("check_sum_to_zero", machine=mr.LLW)
class DroppedSumToZero(Truth):
    machine = FREE_LLW


@animal("check_sum_to_zero", "W uncentred")
class UncentredW(Truth):
    def spoil(self, out, problem, s):
        return out | {"W": out["W"] + 0.5}


@animal("check_optimality")
class TransposedW(Truth):
    def spoil(self, out, problem, s):
        return out | {"W": out["W"].T}


@animal("check_optimality", "class k's scores stand in column")
class OffByOneLabels(Truth):
    def spoil(self, out, problem, s):
        return out | {"W": np.roll(out["W"], 1, axis=1)}


@animal("check_weights_equal_duplication", "sample weights ignored")
class IgnoredWeights(Truth):
    def problem(self, X, y, C, weight, classes):
        return super().problem(X, y, C, None, classes)


@animal("check_weights_equal_duplication", "weights multiplied by the label's index")
class WeightsByIndex(Truth):
    def problem(self, X, y, C, weight, classes):
        return super().problem(
            X, y, C, None if weight is None else weight * (np.asarray(y) + 1.0), classes
        )


@animal("check_class_weights", "weights multiplied by the label's index")
class ClassWeightsByIndex(Truth):
    """kernlab's kbb-svc."""

    def __call__(self, X, y, C, class_weight=None):
        weight = None if class_weight is None else np.asarray(y) + 1.0
        return self.answer(p := self.problem(X, y, C, weight, None), solved(p))


@animal("check_zero_weight_is_removal")
class ZeroWeightIsOne(Truth):
    def problem(self, X, y, C, weight, classes):
        return super().problem(
            X, y, C, None if weight is None else np.where(weight == 0, 1.0, weight), classes
        )


@animal("check_bias_treatment", "a penalized bias (K + 1) for a free bias", bias="free")
class PenalizedForFree(Truth):
    bias = "penalized"


@animal("check_bias_treatment", "a free bias for a penalized bias", bias="penalized")
class FreeForPenalized(Truth):
    bias = "free"


@animal("check_bias_treatment", "no bias for a free bias", bias="free")
class BiasIgnored(Truth):
    def spoil(self, out, problem, s):
        return out | {"b": np.zeros(problem.d)}


@animal("check_bias_treatment", "W is right and b is wrong", bias="free")
class BiasLost(Truth):
    bias = "free"

    def spoil(self, out, problem, s):
        return out | {"b": np.zeros(problem.d)}


@animal("check_machine", "CS, not WW")
class CsForWw(Truth):
    machine = mr.CS


@animal("check_machine", "WW, not CS", machine=mr.CS)
class WwForCs(Truth):
    pass


@animal("check_converged_flag")
class EarlyStopFlaggedConverged(Truth):
    def spoil(self, out, problem, s):
        return out | {"W": 0.9 * out["W"]}


@animal("check_optimality", tolerance=1e-8)
class Float32Accumulation(Truth):
    def spoil(self, out, problem, s):
        A = np.asarray(s.coef, dtype=np.float32)
        W = np.zeros(out["W"].shape, dtype=np.float32)
        for x, a in zip(problem.X.astype(np.float32), A, strict=True):
            W += np.outer(x, a)
        return out | {"W": W}


@animal("check_optimality")
class WrongProx(Truth):
    """Clips the scores' step at C/2 for one class: a fixed point, and not the optimum."""

    def spoil(self, out, problem, s):
        alpha = np.array(s.alpha)
        alpha[:, 1] = np.minimum(alpha[:, 1], 0.5 * problem.C)
        return out | {
            "W": problem.X.T
            @ (np.eye(problem.d)[problem.y] * alpha.sum(axis=1, keepdims=True) - alpha)
            / 2
        }


@animal("check_refit")
class StaleWarmStart(Truth):
    last = None

    def spoil(self, out, problem, s):
        if self.last is not None and self.last.shape == out["W"].shape:
            return out | {"W": self.last}
        self.last = out["W"]
        return out


@animal("check_copy_is_independent")
class SharedBuffer(Truth):
    buffers: dict = {}  # noqa: RUF012 (shared on purpose)

    def spoil(self, out, problem, s):
        buffer = self.buffers.setdefault(out["W"].shape, np.zeros(out["W"].shape))
        buffer[:] = out["W"]
        return out | {"W": buffer}


@animal("check_input_unchanged")
class MutatesItsInput(Truth):
    def __call__(self, X, y, C, sample_weight=None, classes=None):
        out = super().__call__(np.array(X), y, C, sample_weight, classes)
        if isinstance(X, np.ndarray) and X.flags.writeable:
            X -= X.mean(axis=0)
        return out


@animal("check_readonly_input")
class WritesToX(Truth):
    def __call__(self, X, y, C, sample_weight=None, classes=None):
        X[:] = X
        return super().__call__(X, y, C, sample_weight, classes)


@animal("check_sample_order")
class AssumesSortedLabels(Truth):
    def problem(self, X, y, C, weight, classes):
        return super().problem(X, np.sort(y), C, weight, classes)


@animal("check_class_permutation")
class AssumesWhichClassIsFirst(Truth):
    def spoil(self, out, problem, s):
        W = out["W"]
        return out if problem.X[0, 0] == 2 else out | {"W": W[:, [1, 0, *range(2, W.shape[1])]]}


@animal("check_label_order")
class ColumnsInOrderOfAppearance(Truth):
    def spoil(self, out, problem, s):
        return out | {"W": out["W"][:, list(dict.fromkeys(problem.y.tolist()))]}


@animal("check_arbitrary_labels")
class PredictsIndices(Truth):
    def spoil(self, out, problem, s):
        return out | {"predict": lambda X: s.decision_function(X).argmax(axis=1)}


@animal("check_tie_rule")
class TiesToTheLast(Truth):
    def spoil(self, out, problem, s):
        d, classes = problem.d, np.array(problem.classes)
        return out | {
            "predict": lambda X: classes[d - 1 - s.decision_function(X)[:, ::-1].argmax(axis=1)]
        }


@animal("check_predict_is_argmax")
class PredictsLargestMagnitude(Truth):
    def spoil(self, out, problem, s):
        classes = np.array(problem.classes)
        return out | {"predict": lambda X: classes[abs(s.decision_function(X)).argmax(axis=1)]}


@animal("check_scores_match_weights", bias="free")
class ScoresWithoutBias(Truth):
    bias = "free"

    def spoil(self, out, problem, s):
        return out | {"decision_function": lambda X: np.asarray(X) @ s.W}


@animal("check_two_classes")
class DifferenceOfTwoForOne(Truth):
    def spoil(self, out, problem, s):
        return out if problem.d > 2 else out | {"W": out["W"][:, 1] - out["W"][:, 0]}


@animal("check_absent_class", machine=mr.LLW)
class ForgetsAbsentClasses(Truth):
    machine = mr.LLW

    def __call__(self, X, y, C, sample_weight=None, classes=None):
        out = super().__call__(X, y, C, sample_weight, None)
        if classes is not None:
            W = np.zeros((len(out["W"]), len(classes)))
            W[:, : out["W"].shape[1]] = out["W"]
            out |= {"W": W, "classes": classes}
        return out


@animal("check_contradictory_duplicates")
class DropsDuplicates(Truth):
    def problem(self, X, y, C, weight, classes):
        _, keep = np.unique(np.asarray(X), axis=0, return_index=True)
        return super().problem(
            np.asarray(X)[np.sort(keep)],
            np.asarray(y)[np.sort(keep)],
            C,
            None if weight is None else np.asarray(weight)[np.sort(keep)],
            range(3) if classes is None and len(np.unique(y)) == 3 else classes,
        )


@animal("check_multipliers")
class MultipliersAboveC(Truth):
    def spoil(self, out, problem, s):
        return out | {"alpha": 2 * s.alpha}


@animal("check_objective")
class ObjectiveWithoutTheHalf(Truth):
    def spoil(self, out, problem, s):
        return out | {"objective": s.objective + (s.W**2).sum() / 2}


@animal("check_scaled_data")
class AbsoluteStoppingRule(Truth):
    """Stops at a fixed step length, however large the data: halfway there when they are large."""

    def spoil(self, out, problem, s):
        return out | {"W": out["W"] / 2} if abs(problem.X).max() > 10 else out


@animal("check_repeatable")
class LuckyStart(Truth):
    def spoil(self, out, problem, s):
        unlucky = np.random.get_state()[1][0] == 12345  # noqa: NPY002
        return out | {"W": out["W"] / 2} if unlucky else out


@animal("check_global_random_state")
class HardCodedSeed(Truth):
    def spoil(self, out, problem, s):
        np.random.seed(0)  # noqa: NPY002
        return out


@animal("check_float32_input")
class HalvesPrecisionOfFloat32(Truth):
    def __call__(self, X, y, C, sample_weight=None, classes=None):
        out = super().__call__(X, y, C, sample_weight, classes)
        return (
            out | {"W": out["W"].astype(np.float16)} if np.asarray(X).dtype == np.float32 else out
        )


@animal("check_integer_input")
class WorksInTheTypeOfX(Truth):
    def __call__(self, X, y, C, sample_weight=None, classes=None):
        out = super().__call__(X, y, C, sample_weight, classes)
        return (
            out | {"W": out["W"].astype(np.asarray(X).dtype)}
            if np.asarray(X).dtype.kind == "i"
            else out
        )


@animal("check_noncontiguous_input")
class ReadsMemoryInOrder(Truth):
    def __call__(self, X, y, C, sample_weight=None, classes=None):
        X = np.asarray(X)
        return super().__call__(X.ravel(order="K").reshape(X.shape), y, C, sample_weight, classes)


@animal("check_refuses_nonfinite")
class NanIsZero(Truth):
    def problem(self, X, y, C, weight, classes):
        return super().problem(np.nan_to_num(X, posinf=0), y, C, weight, classes)


@animal("check_refuses_mismatched_lengths")
class CutsToTheShorter(Truth):
    def problem(self, X, y, C, weight, classes):
        return super().problem(X[: len(y)], y, C, weight, classes)


@animal("check_refuses_nonpositive_C")
class AbsoluteC(Truth):
    def problem(self, X, y, C, weight, classes):
        return super().problem(X, y, abs(C), weight, classes)
