"""MarginTreeClassifier: a binary tree of classes, the widest certified margin first."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from msvm_ref.estimator.base import CertifiedClassifier, iterations
from msvm_ref.reductions.binary import unique_support
from msvm_ref.reductions.margin_tree import margin_tree


class MarginTreeClassifier(CertifiedClassifier):
    """Margin tree of Tibshirani and Hastie (2007), with hard margins for C = inf and the soft-margin extension otherwise.

    ``rule``: "greedy" (all partitions of every node), "linkage" (the same tree with fewer machines), "complete" or
    "single" (the clusterings themselves). ``C`` is the binary machine's. It predicts labels; there is no decision function.

    Fitted: ``tree_`` (splits, margins as enclosures, certificates), ``certificates_`` of the splits from the top down,
    ``certificate_`` the one with the widest gap, ``support_``, ``n_iter_``; ``plot`` draws the dendrogram.
    """

    def __init__(
        self,
        rule: str = "linkage",
        C: float = 1.0,
        kernel: Any = "linear",
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
        self.rule = rule
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MarginTreeClassifier:
        data = self._training(X, y, sample_weight)
        # the copies of an example are counted by a weight, on which a hard margin does not depend
        copies = (
            sample_weight is None
            and self.class_weight is None
            and isinstance(self.C, float)
            and math.isinf(self.C)
        )
        self.tree_ = margin_tree(
            data.X,
            data.codes,
            C=self.C,
            kernel=data.kernel,
            bias=self.bias,  # type: ignore[arg-type]
            cost=self.cost,  # type: ignore[arg-type]
            sample_weight=None if copies else data.weight,
            rule=self.rule,  # type: ignore[arg-type]
            solve=self._solver(),
        )
        machines = self.tree_.machines
        self.support_ = data.inputs(unique_support(machines))
        self.n_iter_ = np.array([iterations(m.solution) for m in machines])
        self.certificates_ = tuple(m.certificate for m in machines)
        self._report(m.solution for m in machines)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        return np.asarray(self.classes_[self.tree_.predict_codes(self._new(X))])

    def plot(self, path: str | None = None, ax: Any = None) -> Any:
        """The dendrogram with margins as heights; returns the matplotlib axes and saves to ``path`` if given."""
        check_is_fitted(self)
        from msvm_ref.reductions.dendrogram import dendrogram

        return dendrogram(self.tree_, [str(label) for label in self.classes_], path, ax)
