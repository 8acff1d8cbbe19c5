"""OneVsAllSVC, OneVsOneSVC and DAGSVC: binary machines, combined by score, by vote, or by a deque."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from msvm_ref.estimator.base import CertifiedClassifier, iterations
from msvm_ref.judge.certificate import Certificate
from msvm_ref.model.arrays import Array
from msvm_ref.reductions.binary import BinarySVM, unique_support
from msvm_ref.reductions.dag import dag, places
from msvm_ref.reductions.one_vs_all import OneVsAll, one_vs_all
from msvm_ref.reductions.one_vs_one import OneVsOne, one_vs_one


class _Binaries(CertifiedClassifier):
    """Estimators made of binary machines, all with these parameters; ``C`` is the binary machine's (HL (1), (3))."""

    def __init__(
        self,
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        bias: str = "free",
        cost: str = "linear",
        method: str = "auto",
        tol: float = 1e-6,
        class_weight: Any = None,
        max_iter: int | None = None,
        max_seconds: float | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
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
        self.verbose = verbose

    def _train(self, reduction: Callable[..., Any], X: Any, y: Any, sample_weight: Any) -> Any:
        """The trained reduction; sets what its machines have in common."""
        data = self._training(X, y, sample_weight)
        trained = reduction(
            data.X,
            data.codes,
            C=self.C,
            kernel=data.kernel,
            bias=self.bias,
            cost=self.cost,
            sample_weight=data.weight,
            solve=self._solver(),
        )
        machines: tuple[BinarySVM, ...] = trained.parts
        self._machines = machines[:1] if len(self.classes_) == 2 else machines
        self.support_ = data.inputs(unique_support(machines))
        self.n_iter_ = np.array([iterations(m.solution) for m in machines])
        self.certificates_: dict[Any, Certificate] = {
            self._name(m): m.certificate for m in machines
        }
        return trained

    def _name(self, machine: BinarySVM) -> Any:
        return self.classes_[machine.first[0]], self.classes_[machine.second[0]]

    @property
    def coef_(self) -> Array:
        """One row per machine, positive for its first class; for two classes one row, positive for the second."""
        if not self._machines[0].solution.problem.is_linear:
            raise AttributeError("coef_ exists for kernel='linear' only")
        return self._sign() * np.array(
            [(m.solution.W[:, 0] - m.solution.W[:, 1]) / 2 for m in self._machines]
        )

    @property
    def intercept_(self) -> Array:
        biases = (m.solution.b for m in self._machines)
        return self._sign() * np.array([(b[0] - b[1]) / 2 for b in biases])

    def _sign(self) -> float:
        return -1.0 if len(self.classes_) == 2 else 1.0


class OneVsAllSVC(_Binaries):
    """One-against-all: d binary machines and the largest score. The OVA machine, trained class by class.

    ``C`` is the binary machine's. ``all_`` holds the trained machines, ``certificates_`` one certificate per label,
    ``certificate_`` the one with the widest gap.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OneVsAllSVC:
        self.all_: OneVsAll = self._train(one_vs_all, X, y, sample_weight)
        self._report(m.solution for m in self.all_.parts)
        return self

    def _name(self, machine: BinarySVM) -> Any:
        return self.classes_[machine.first[0]]

    def decision_function(self, X: Any) -> Array:
        """(n x d) scores; (n,) for two classes, where the second machine is the first one with its sign turned."""
        check_is_fitted(self)
        scores = self.all_.scores(self._new(X))
        return -scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        scores = self.decision_function(X)
        return np.asarray(
            self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]
        )


class _Pairwise(_Binaries):
    """``C`` is the binary machine's (HL (3)), as in scikit-learn's SVC. ``pairs_`` holds the trained machines,
    ``certificates_`` one certificate per pair of labels, ``certificate_`` the one with the widest gap.
    """

    def _fit_pairs(self, X: Any, y: Any, sample_weight: Any) -> None:
        self.pairs_: OneVsOne = self._train(one_vs_one, X, y, sample_weight)


class OneVsOneSVC(_Pairwise):
    __doc__ = f"""One-against-one with max-wins voting; ties go to the class that comes first, as in Hsu and Lin.

    {_Pairwise.__doc__}"""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OneVsOneSVC:
        self._fit_pairs(X, y, sample_weight)
        self._report(m.solution for m in self.pairs_.parts)
        return self

    def decision_function(self, X: Any) -> NDArray[Any]:
        """(n x d) votes; (n,) the score of the second class for two classes."""
        check_is_fitted(self)
        new = self._new(X)
        if len(self.classes_) == 2:
            return -self.pairs_.pair_scores(new)[0, 1]
        return self.pairs_.votes(new)

    def predict(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        return np.asarray(self.classes_[self.pairs_.predict_codes(self._new(X))])

    def vote_margin(self, X: Any) -> NDArray[np.int64]:
        """Votes of the winner minus votes of the runner-up; 0 where the order of the classes decided."""
        check_is_fitted(self)
        return self.pairs_.vote_margin(self._new(X))


class DAGSVC(_Pairwise):
    __doc__ = f"""DAGSVM: a deque of classes of which d - 1 pairs are asked per point; ``order`` lists the labels front to back.

    It predicts labels; there is no decision function.

    {_Pairwise.__doc__}"""

    def __init__(
        self,
        order: Sequence[Hashable] | None = None,
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        bias: str = "free",
        cost: str = "linear",
        method: str = "auto",
        tol: float = 1e-6,
        class_weight: Any = None,
        max_iter: int | None = None,
        max_seconds: float | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            C,
            kernel,
            gamma,
            degree,
            coef0,
            bias,
            cost,
            method,
            tol,
            class_weight,
            max_iter,
            max_seconds,
            random_state,
            verbose,
        )
        self.order = order

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DAGSVC:
        self._fit_pairs(X, y, sample_weight)
        codes = None if self.order is None else places(self.order, self.classes_.tolist())
        self.dag_ = dag(self.pairs_, codes)
        self._report(m.solution for m in self.pairs_.parts)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        return np.asarray(self.classes_[self.dag_.predict_codes(self._new(X))])

    def path(self, X: Any) -> NDArray[Any]:
        """(n x d-1 x 3) labels: the pair asked at each step (front, back) and which of the two stayed."""
        check_is_fitted(self)
        walk = self.dag_.walk(self._new(X))
        return np.asarray(self.classes_[np.concatenate([walk.asked, walk.won[:, :, None]], axis=2)])
