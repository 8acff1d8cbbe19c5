"""MulticlassSVC: any machine of the catalogue, or one of your own, as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from msvm_ref.errors import SpecError
from msvm_ref.estimator.base import CertifiedClassifier, iterations
from msvm_ref.model.arrays import Array
from msvm_ref.model.catalogue import machine_named
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Problem


class MulticlassSVC(CertifiedClassifier):
    """min 1/2 ||W||^2 [+ 1/2 ||b||^2] + C sum_i weight_i L(f(x_i), y_i), predicted class argmax_c f_c(x).

    ``machine``: "WW", "CS", "LLW", "MMR", "MMR_ORTHO", "RM(1/2)", "OVA", "AMO", "ATM", "ATS", or a ``Machine``.
    C is in the Unified View's convention; ``msvm_ref.conventions`` maps others. ``cost`` "linear", "quadratic" or
    "huber(h)", None for the machine's own. ``bias`` "penalized" (the default: the solution is unique), "free" or "none".
    ``kernel`` "linear", "rbf", "poly", "precomputed", a Kernel or a callable. ``tol`` is a certified relative gap.
    ``method`` "auto" takes the ground truth for small problems and the fast solver for others; ``method_`` says which.
    ``max_iter`` and ``max_seconds`` belong to methods that iterate; others refuse them. ``n_jobs`` threads make kernel values
    (None: one, -1: one a core; the fit is the same). ``verbose`` prints a line for each problem that was solved.

    There is no ``predict_proba``: the hinge loss estimates no probability. ``sklearn.calibration.CalibratedClassifierCV``
    around the estimator learns one from ``decision_function``.

    Fitted: ``classes_``, ``certificate_``, ``solution_`` (its problem's rows are the distinct examples), ``method_``,
    ``n_iter_``, ``support_`` (rows of X), ``support_vectors_``, ``dual_coef_`` (f_c = sum_j dual_coef_[c, j]
    k(x, support_vectors_[j]) + intercept_c, up to multipliers below 1e-7 C), ``intercept_`` and, for a linear kernel,
    ``coef_``: one row per class, or for two classes one row that belongs to 1/2 (f_1 - f_0).
    """

    def __init__(
        self,
        machine: str | Machine = "WW",
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        bias: str = "penalized",
        cost: str | None = None,
        method: str = "auto",
        tol: float = 1e-6,
        class_weight: Any = None,
        max_iter: int | None = None,
        max_seconds: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.machine = machine
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.cost = cost
        self.method = method
        self.tol = tol
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MulticlassSVC:
        data = self._training(X, y, sample_weight)
        problem = Problem(
            self._machine(),
            data.X,
            data.codes,
            C=self.C,
            kernel=data.kernel,
            bias=self.bias,  # type: ignore[arg-type]
            sample_weight=data.weight,
            n_classes=len(self.classes_),
        )
        self.solution_ = self._solver()(problem)
        self.support_ = data.inputs(self.solution_.support)
        self.n_iter_ = iterations(self.solution_)
        self._report([self.solution_])
        return self

    def decision_function(self, X: Any) -> Array:
        """(n x d) scores; (n,) 1/2 (f_1 - f_0) for two classes."""
        check_is_fitted(self)
        return self._rows(self.solution_.decision_function(self._new(X)).T, flat=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of the largest score, ties to the class that comes first."""
        scores = self.decision_function(X)
        codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    @property
    def coef_(self) -> Array:
        """(d x p), or (1 x p) for two classes; linear kernel only."""
        if self.solution_.problem.is_linear:
            return self._rows(self.solution_.W.T)
        raise AttributeError("coef_ exists for kernel='linear' only")

    @property
    def intercept_(self) -> Array:
        return self._rows(self.solution_.b)

    @property
    def support_vectors_(self) -> Array:
        return self.solution_.problem.X[self.solution_.support]

    @property
    def dual_coef_(self) -> Array:
        return self._rows(self.solution_.coef[self.solution_.support].T)

    def _rows(self, by_class: Array, flat: bool = False) -> Array:
        """Rows are classes; for two classes 1/2 (second - first), which scikit-learn's conventions want as one row."""
        if len(by_class) > 2:
            return np.asarray(by_class.T if flat else by_class)
        single = (by_class[1] - by_class[0]) / 2
        return np.asarray(
            single if flat else np.atleast_1d(single) if by_class.ndim == 1 else single[None, :]
        )

    def _machine(self) -> Machine:
        machine = machine_named(self.machine) if isinstance(self.machine, str) else self.machine
        if not isinstance(machine, Machine):
            raise SpecError(
                "machine", "be a catalogue name such as 'WW', or a Machine", repr(self.machine)
            )
        return machine if self.cost is None else machine.with_cost(self.cost)
