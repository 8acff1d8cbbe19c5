"""SoftmaxProblem: the primal multi-class SVM of Zien, De Bona and Ong, ZDO (1.1) with the softmax (1.4).

    min over V, b   1/2 ||V||^2 [+ 1/2 ||b||^2 if the bias is penalized] + sum_i C_i smax_g (l(f_{y_i} - f_u))_{u != y_i}
    f(x) = L V'x~ + b,     k((x,y),(x',y')) = k_X(x,x') k_Y(y,y')  (1.2),     k_Y = L L',   x~ the representation of x (1.3)

so that V (r x rank k_Y) is the paper's w in the joint feature space; with k_Y = I, V = W and f = W'x~ + b.

Convex or not (docs/mathematics.md, E18) is decided by two facts.
As a function of t the softmax is log(c + sum over rivals of e^{g t_u}) / g with
c = 2 - m (default) or 1 - m + e^{g l(0)} (printed).
1. c >= 0: convex and increasing in t, so the loss is convex for either l (two classes, or printed with a large g).
2. c < 0, m >= 3. Hinge: along rivals violated alike it is log(c + (m-1) e^{g t}), strictly concave: not convex.
   Logistic: e^{g t} - 1 = (1 + x)^g - 1 with x = e^-s. Its logarithmic slope in log x is g (1 - e^-q) / (1 - e^{-g q}),
   q = log(1 + x), and increases for g >= 1 since z / (e^{z q} - 1) falls in z: each term is log-convex in s, hence so is
   1 + their sum, and the loss is convex (g = 1 is multinomial logistic loss; at integer g the binomial theorem shows it term
   by term, which is what the cones use). For g < 1, rivals far ahead alike, log x = v: the loss is linear in v plus
   c/(m-1) e^{-g v} / g plus smaller terms, concave there: not convex.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array, frozen, real_array, real_number
from msvm_ref.model.catalogue import WW
from msvm_ref.model.kernels import Kernel, KernelFunction, linear
from msvm_ref.model.problem import Bias, Problem
from msvm_ref.model.representation import Basis, Representation, kpca
from msvm_ref.softmax.loss import LossName, base_loss, by_score, losses, losses_and_rates

Parameters = tuple[Array, Array]
MOST_TERMS = 64


@dataclass(frozen=True, eq=False, init=False)
class SoftmaxProblem:
    """A validated softmax problem."""

    data: Problem
    """X, y, C, kernel, bias and weights, as a Problem."""
    gamma: float
    """> 0; 0 and inf for the limits, the sum and the maximum."""
    loss: LossName
    """l of the margins."""
    label_kernel: Array
    """k_Y (d x d, PSD); the identity by default."""
    representation: Representation | None
    """How k_X becomes features: X itself for the linear kernel, a full KPCA otherwise, unless given."""
    printed: bool
    """The softmax that includes u = y (docs/mathematics.md, E19)."""

    def __init__(
        self,
        X: Any,
        y: Any,
        C: float = 1.0,
        gamma: float = 1.0,
        loss: LossName = "logistic",
        kernel: Kernel | KernelFunction = linear,
        label_kernel: Any = None,
        representation: Representation | None = None,
        bias: Bias = "free",
        printed: bool = False,
        sample_weight: Any = None,
        n_classes: int | None = None,
        classes: Any = None,
    ) -> None:
        data = Problem(WW, X, y, C, kernel, bias, sample_weight, n_classes, classes)
        if data.is_sparse:
            raise DataError(
                "X", "be dense for a softmax problem", "sparse rows", "pass X.toarray()"
            )
        if loss not in ("logistic", "hinge"):
            raise DataError("loss", "be 'logistic' or 'hinge'", repr(loss))
        number = math.inf if isinstance(gamma, float) and gamma == math.inf else real_number(gamma)
        if number is None or number < 0:
            raise DataError("gamma", "be non-negative (0 is the sum, inf the maximum)", repr(gamma))
        if representation is not None and not isinstance(representation, Representation):
            raise DataError(
                "representation",
                "be kpca(), cholesky(), incomplete_cholesky() or leading_subset(rank)",
                repr(representation),
            )
        if not isinstance(printed, bool):
            raise DataError("printed", "be True or False", repr(printed))
        missing = [
            repr(data.classes[c]) for c in range(data.d) if not (data.costs[data.y == c] > 0).any()
        ]
        if bias == "free" and missing:
            raise DataError(
                "y",
                "have examples of every class for a free bias",
                f"none of {', '.join(missing)}",
                "the infimum is not attained (b of that class runs to minus infinity): bias='penalized' or 'none'",
            )
        values = {
            "data": data,
            "gamma": number,
            "loss": loss,
            "label_kernel": _label_kernel(label_kernel, data.d),
            "representation": representation,
            "printed": printed,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def y(self) -> NDArray[np.int64]:
        return self.data.y

    @property
    def d(self) -> int:
        return self.data.d

    @property
    def bias(self) -> Bias:
        return self.data.bias

    @property
    def costs(self) -> Array:
        return self.data.costs

    @cached_property
    def basis(self) -> Basis | None:
        """The basis that represents k_X; None for the linear kernel without a representation: X is its own."""
        if self.representation is None and self.data.is_linear:
            return None
        return (self.representation or kpca()).of(self.data.gram)

    @property
    def features(self) -> Array:
        """x~ of the training points (n x r)."""
        return self.data.X if self.basis is None else self.basis.features

    def represent(self, X: Any) -> Array:
        """x~ of new points."""
        new = self.data.new_points(X)
        return new if self.basis is None else self.basis.project(self.data.cross_kernel(new))

    @cached_property
    def label_factor(self) -> Array:
        """L (d x rank) with k_Y = L L'."""
        if (self.label_kernel == np.eye(self.d)).all():
            return frozen(np.eye(self.d))
        values, vectors = np.linalg.eigh(self.label_kernel)
        keep = values > 1e-13 * max(values[-1], 0.0)
        return frozen(vectors[:, keep] * np.sqrt(values[keep]))

    @property
    def constant(self) -> float:
        """c of log(c + sum over rivals of e^{g t_u})."""
        if not self.printed:
            return 2.0 - self.d
        with np.errstate(over="ignore"):
            return (
                1.0
                - self.d
                + float(np.exp(self.gamma * float(base_loss(self.loss, np.zeros(1))[0])))
            )

    @property
    def convex(self) -> bool:
        """Is the objective convex? An exact decision (see above); the limits gamma = 0 and inf are."""
        limit = self.gamma == 0 or math.isinf(self.gamma)
        return limit or self.constant >= 0 or (self.loss == "logistic" and self.gamma >= 1)

    @property
    def conic(self) -> bool:
        """Can the cones express it? Every convex case but the logistic loss with c < 0 at a gamma > 1 without a binomial."""
        return self.convex and (math.isinf(self.gamma) or self.binomial or self.constant >= 0)

    @property
    def binomial(self) -> bool:
        """Is gamma an integer whose binomial theorem (gamma cones for every rival of an example) is short enough to write?"""
        return self.gamma <= MOST_TERMS and self.gamma == int(self.gamma)

    @property
    def smooth(self) -> bool:
        """Is the objective differentiable?"""
        return self.loss == "logistic" and not (
            math.isinf(self.gamma) and (self.d > 2 or self.printed)
        )

    def scores(self, V: Array, b: Array, features: Array | None = None) -> Array:
        """f = x~ V L' + b."""
        return np.asarray(
            (self.features if features is None else features) @ V @ self.label_factor.T + b
        )

    def value(self, V: Any, b: Any) -> Any:
        """The objective; also at complex V and b (for a complex-step derivative)."""
        norm = (V * V).sum() / 2 + ((b * b).sum() / 2 if self.bias == "penalized" else 0)
        return norm + self.costs @ losses(
            self.scores(V, b), self.y, self.gamma, self.loss, self.printed
        )

    def gradient(self, V: Array, b: Array) -> Parameters:
        """(1.5) and (1.6), summed over examples, with the regulariser; a subgradient where there is a kink."""
        return self.evaluate(V, b)[1]

    def evaluate(self, V: Array, b: Array) -> tuple[float, Parameters]:
        """Value and gradient from the same scores."""
        loss, a = losses_and_rates(self.scores(V, b), self.y, self.gamma, self.loss, self.printed)
        norm = float((V * V).sum() + (b @ b if self.bias == "penalized" else 0.0)) / 2
        return norm + float(self.costs @ loss), self.gradient_from(V, b, a)

    def gradient_from(self, V: Array, b: Array, a: Array) -> Parameters:
        """The gradient for given rates a: V - V_a, and b - b_a (penalized), -b_a (free) or 0."""
        V_a, b_a = self.expansion(a)
        if self.bias == "none":
            return V - V_a, np.zeros(self.d)
        return V - V_a, (b if self.bias == "penalized" else 0.0) - b_a

    def expansion(self, a: Array) -> Parameters:
        """V_a = sum_iu C_i a_iu x~_i (L_{y_i} - L_u)',  b_a = sum_iu C_i a_iu (e_{y_i} - e_u)."""
        pull = -self.costs[:, None] * by_score(a, self.y)
        return self.features.T @ pull @ self.label_factor, pull.sum(axis=0)

    def with_gamma(self, gamma: float) -> SoftmaxProblem:
        """The same problem at another gamma, sharing the representation."""
        p = self.data
        other = SoftmaxProblem(
            p.X,
            p.y,
            p.C,
            gamma,
            self.loss,
            p.kernel,
            self.label_kernel,
            self.representation,
            p.bias,
            self.printed,
            p.sample_weight,
            p.d,
        )
        object.__setattr__(other, "data", p)
        if "basis" in self.__dict__:
            other.__dict__["basis"] = self.__dict__["basis"]
        return other

    def zeros(self) -> Parameters:
        return np.zeros((self.features.shape[1], self.label_factor.shape[1])), np.zeros(self.d)

    def __repr__(self) -> str:
        p = self.data
        return (
            f"SoftmaxProblem(n={p.n}, d={p.d}, p={p.X.shape[1]}, C={p.C:g}, gamma={self.gamma:g}, loss={self.loss!r}, "
            f"kernel={p.kernel}, bias={p.bias!r}{', printed' if self.printed else ''})"
        )


def is_softmax(problem: Any) -> SoftmaxProblem:
    """``problem`` itself, or a DataError."""
    if not isinstance(problem, SoftmaxProblem):
        raise DataError("problem", "be a SoftmaxProblem", repr(problem)[:80])
    return problem


def _label_kernel(value: Any, d: int) -> Array:
    if value is None:
        return frozen(np.eye(d))
    K = real_array("label_kernel", value, 2, "(classes, classes)")
    if K.shape != (d, d):
        raise DataError(
            "label_kernel", f"have shape {(d, d)} (classes, classes)", f"shape {K.shape}"
        )
    level = 8 * d * float(np.finfo(float).eps) * float(abs(K).max())
    if abs(K - K.T).max() > level:
        raise DataError("label_kernel", "be symmetric", f"an asymmetry of {abs(K - K.T).max():.3g}")
    smallest = float(np.linalg.eigvalsh(K)[0])
    if smallest < -level:
        raise DataError(
            "label_kernel", "be positive semi-definite", f"smallest eigenvalue {smallest:.3g}"
        )
    return K
