"""ZDO's m-SVM and its one-vs-rest on one fold: conjugate gradients on a representation of the kernel, C after C.

The seconds are those of the decomposition (charged to the first C) and of training; the Gram belongs to neither.
"""

from __future__ import annotations

import time

import numpy as np

from msvm_ref.model.representation import Basis, Representation
from msvm_ref.softmax.one_vs_rest import softmax_one_vs_rest
from msvm_ref.softmax.problem import Parameters, SoftmaxProblem
from msvm_ref.softmax.solve import solve_softmax
from msvm_ref.studies.experiments.fits import Fit, Fold


class SoftmaxPath:
    """Each C started from the one before; one-vs-rest starts from nothing."""

    def __init__(self, fold: Fold) -> None:
        self.fold = fold
        self.basis: Basis | None = None
        self.last: Parameters | None = None
        self.started: float | None = None

    def forget(self) -> None:
        self.last, self.started = None, None

    def fit(self, C: float) -> Fit:
        fold, contender = self.fold, self.fold.contender
        rank = max(len(fold.y) >> contender.halvings, 1)
        representation = Representation(contender.basis or "kpca", rank)
        problem = SoftmaxProblem(
            fold.X,
            fold.y,
            C,
            kernel=fold.kernel,
            representation=representation,
            n_classes=fold.classes,
        )
        gram = problem.data.gram
        start = time.thread_time()
        if self.basis is None:
            self.basis = representation.of(gram)
        problem.__dict__["basis"] = self.basis
        if contender.machine == "m-SVM":
            solution = solve_softmax(problem, "cg", fold.tolerance, self.last)
            gap, predictions = solution.certificate.relative_gap, solution.predict(fold.new)
            self.last, self.started = (solution.V, solution.b), C
            iterations = solution.iterations
        else:
            rest = softmax_one_vs_rest(problem, "cg", fold.tolerance)
            gap = max(each.certificate.relative_gap for each in rest.parts)
            predictions, iterations = rest.predict(fold.new), rest.iterations
        seconds = time.thread_time() - start
        return Fit(
            np.asarray(predictions),
            gap,
            len(fold.y),
            seconds,
            gap <= fold.tolerance,
            "cg",
            iterations,
            float(self.basis.rank),
        )
