"""Problem: machine + data + C + kernel + bias, validated once, frozen.

min  1/2 sum_c ||w_c||^2 [+ 1/2 ||b||^2 if the bias is penalized] + sum_i C_i L(f(x_i), y_i)
f_c(x) = <w_c, phi(x)> + b_c,   C_i = C * sample_weight_i,   sum_c w_c = 0 and sum_c b_c = 0 under sum-to-zero.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError, SpecError
from msvm_ref.model.arrays import (
    LARGEST,
    Array,
    frozen,
    lengths_above,
    real_array,
    real_number,
    sparse_rows,
)
from msvm_ref.model.factor import GramFactor, cholesky_factor
from msvm_ref.model.kernels import Kernel, KernelFunction, as_kernel, linear, precomputed
from msvm_ref.model.machine import Machine, Spec, refuse_vanishing

Bias = Literal["none", "free", "penalized"]
DENSE_LIMIT = 20_000_000


@dataclass(frozen=True)
class AbsentClass:
    """The label of a class that was declared by ``n_classes`` but has no example and so no name."""

    index: int

    def __repr__(self) -> str:
        return f"<absent class {self.index}>"


@dataclass(frozen=True, eq=False, init=False)
class Problem:
    """A validated training problem. ``kernel=precomputed`` takes the Gram matrix as X; a linear kernel also scipy.sparse.

    X is copied, but for a file that is mapped read-only (np.memmap, mode="r", float64 in C order).

    ``n_classes`` allows absent classes: integer labels in 0 ... n_classes-1 keep their numbers, other labels come
    first (sorted) and the absent ones last. ``classes`` names them all, in order, instead.
    After construction ``y`` holds class indices, ``classes`` the labels, ``costs`` the C_i.
    """

    machine: Machine
    X: Array
    y: NDArray[np.int64]
    C: float
    kernel: Kernel
    bias: Bias
    sample_weight: Array | None
    classes: tuple[Hashable, ...]

    def __init__(
        self,
        machine: Machine,
        X: Any,
        y: Any,
        C: float = 1.0,
        kernel: Kernel | KernelFunction = linear,
        bias: Bias = "none",
        sample_weight: Any = None,
        n_classes: int | None = None,
        classes: Sequence[Hashable] | None = None,
    ) -> None:
        if not isinstance(machine, Machine):
            raise SpecError("machine", "be a Machine such as WW or RM(0.5)", repr(machine))
        kernel = as_kernel(kernel)
        X = _data(X, kernel)
        n = X.shape[0]
        if n == 0:
            raise DataError("X", "have at least one row", f"shape {X.shape}")
        if kernel == precomputed and X.shape[1] != n:
            raise DataError(
                "X", "be a square Gram matrix for kernel=precomputed", f"shape {X.shape}"
            )
        labels, codes = _encode(y, n, n_classes, classes)
        entries = X if isinstance(X, np.ndarray) else X.data
        largest = float(max(entries.max(initial=0.0), -entries.min(initial=0.0)))
        if not largest <= LARGEST:
            raise DataError(
                "X", f"be at most {LARGEST:g} in size", f"{largest:g}", "rescale the features"
            )
        if not isinstance(bias, str) or bias not in ("none", "free", "penalized"):
            raise DataError("bias", "be 'none', 'free' or 'penalized'", repr(bias))
        if machine.fixed_d not in (None, len(labels)):
            raise SpecError(
                "machine", f"have arrays for d = {len(labels)} classes", f"d = {machine.fixed_d}"
            )
        refuse_vanishing(machine, len(labels))
        values = {
            "machine": machine,
            "X": X,
            "y": codes,
            "C": _cost("C", C),
            "kernel": kernel,
            "bias": bias,
            "sample_weight": _weights(sample_weight, n),
            "classes": labels,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        _check_costs(self)
        if not kernel.positive:
            _ = self.factor  # a callable or a given Gram is checked now, not at first use
        if kernel.has_bounds:
            _ = self.lengths  # no Gram need be formed that could refuse data too large

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        return len(self.classes)

    @cached_property
    def spec(self) -> Spec:
        return self.machine.at(self.d)

    @cached_property
    def costs(self) -> Array:
        """C_i = C * sample_weight_i, rounded to nearest."""
        weight = self.sample_weight
        with np.errstate(over="ignore"):  # the constructor refuses what overflows
            return frozen(np.full(self.n, self.C) if weight is None else self.C * weight)

    @cached_property
    def costs_below(self) -> Array:
        """The largest float64 that is at most C * sample_weight_i as real numbers."""
        if self.sample_weight is None:
            return self.costs
        (c, c_shift), (w, w_shift) = np.frexp(self.C), np.frexp(self.sample_weight)
        product = c * w
        (c_high, c_low), (w_high, w_low) = _halves(c), _halves(w)
        rest = ((c_high * w_high - product) + c_high * w_low + c_low * w_high) + c_low * w_low
        below = np.where(
            rest < 0, np.nextafter(product, 0.0), product
        )  # Dekker: product + rest is exact
        return frozen(np.ldexp(below, c_shift + w_shift))

    def exact_cost(self, i: int) -> Fraction:
        """C * sample_weight_i"""
        weight = 1 if self.sample_weight is None else Fraction(float(self.sample_weight[i]))
        return Fraction(self.C) * weight

    @cached_property
    def gram(self) -> Array:
        """The kernel's own float64 matrix k(x_i, x_j)."""
        return frozen(self.kernel(self.X, self.X))

    @cached_property
    def factor(self) -> GramFactor:
        """Phi with Gram = Phi Phi' (n x r) to rounding; X itself for the linear kernel."""
        return GramFactor(self.X, 0.0) if self.is_linear else cholesky_factor(self.gram)

    @property
    def features(self) -> Array:
        """``factor``'s Phi: coordinates to compute in; W lives in them where the kernel is linear."""
        return self.factor.features

    @cached_property
    def lengths(self) -> Array:
        """s_i >= ||phi(x_i)||, rounded up."""
        if self.kernel.has_bounds:
            return frozen(self.kernel.lengths(self.X))
        return frozen(lengths_above(self.features))

    def on_factor(self) -> Problem:
        """The linear problem on Phi: what a route that needs feature coordinates solves for a kernel's problem."""
        if self.is_linear:
            return self
        weight, classes = self.sample_weight, self.classes
        return Problem(
            self.machine,
            self.features,
            [classes[k] for k in self.y],
            C=self.C,
            bias=self.bias,
            sample_weight=weight,
            classes=classes,
        )

    @property
    def dense_features(self) -> Array:
        """``features`` for those who need them as a dense array; refused where that would be too much."""
        if not self.is_sparse:
            return self.features
        if self.X.shape[0] * self.X.shape[1] > DENSE_LIMIT:
            raise DataError(
                "X",
                f"have at most {DENSE_LIMIT:.0e} entries for this method",
                f"shape {self.X.shape}, sparse",
                "use method='fast'",
            )
        return frozen(self.X.toarray())  # type: ignore[attr-defined]

    @property
    def is_sparse(self) -> bool:
        return not isinstance(self.X, np.ndarray)

    @property
    def is_linear(self) -> bool:
        return self.kernel == linear

    def with_C(self, C: float) -> Problem:
        """The same problem at another C, sharing every array that does not depend on it."""
        other = copy.copy(self)
        for of_C in ("costs", "costs_below"):
            other.__dict__.pop(of_C, None)
        object.__setattr__(other, "C", _cost("C", C))
        _check_costs(other)
        return other

    def new_points(self, X: Any) -> Array:
        """Points to score, validated against the training data."""
        new: Array = _data(X, self.kernel)
        if new.shape[1] != self.X.shape[1]:
            raise DataError(
                "X", f"have {self.X.shape[1]} columns as in training", f"shape {new.shape}"
            )
        return new

    def cross_kernel(self, new: Array) -> Array:
        """k(x_new, x_i); for a precomputed kernel the new points already are that matrix."""
        return self.kernel(new, self.X) if self.kernel != precomputed else new

    def __repr__(self) -> str:
        return (
            f"Problem({self.machine.name}, n={self.n}, d={self.d}, p={self.X.shape[1]}, C={self.C:g}, "
            f"kernel={self.kernel}, bias={self.bias!r}, cost={self.machine.cost!r})"
        )


def _halves(values: Any) -> tuple[Any, Any]:
    """Dekker's split of float64 into two halves of 26 bits, exactly."""
    high = 134217729.0 * values
    high = high - (high - values)
    return high, values - high


def _data(X: Any, kernel: Kernel) -> Any:
    if hasattr(X, "tocsr") and kernel == linear:
        return sparse_rows("X", X)
    return real_array("X", X, 2, "(examples, features)")


def _cost(name: str, value: Any) -> float:
    number = real_number(value)
    if number is None or number <= 0:
        raise DataError(
            name,
            "be positive and finite, one number",
            repr(value),
            "weigh samples by sample_weight",
        )
    return number


def _check_costs(problem: Problem) -> None:
    """A cost is 0 where its weight is, and not because C times it underflows."""
    costs, weight = problem.costs, problem.sample_weight
    nothing = np.zeros(problem.n, dtype=bool) if weight is None else weight == 0
    if not (nothing | ((costs >= 1 / LARGEST) & (costs <= LARGEST))).all():
        raise DataError(
            "C * sample_weight",
            f"be 0 or lie in [{1 / LARGEST:g}, {LARGEST:g}]",
            f"{costs.min():g} to {costs.max():g}",
            "rescale C or the weights",
        )


def _weights(weight: Any, n: int) -> Array | None:
    if weight is None:
        return None
    array = real_array("sample_weight", weight, 1, "(examples,)")
    if array.shape != (n,):
        raise DataError("sample_weight", f"have shape {(n,)}", f"shape {array.shape}")
    if (array < 0).any():
        raise DataError(
            "sample_weight", "be non-negative", f"{array.min():g} at [{int(array.argmin())}]"
        )
    return array


def _encode(
    y: Any, n: int, n_classes: int | None, classes: Sequence[Hashable] | None
) -> tuple[tuple[Hashable, ...], NDArray[np.int64]]:
    """Labels to indices 0 ... d-1."""
    labels = _labels(y, n)
    try:
        order = tuple(classes) if classes is not None else _order(labels, n_classes)
        _ = set(order)
    except TypeError as error:
        raise DataError("classes", "be a sequence of hashable labels", repr(classes)) from error
    if len(set(order)) != len(order):
        raise DataError("classes", "be distinct", repr(order))
    if n_classes is not None and n_classes != len(order):
        raise DataError("n_classes", f"agree with the {len(order)} classes", repr(n_classes))
    if len(order) < 2:
        raise DataError(
            "y",
            "have at least 2 classes",
            f"{len(order)} ({', '.join(map(repr, order))})",
            "pass n_classes=3, say, if the other classes are merely absent from this sample",
        )
    index = {label: k for k, label in enumerate(order)}
    missing = [label for label in labels if label not in index]
    if missing:
        raise DataError("y", f"hold only the declared classes {list(order)!r}", repr(missing[0]))
    codes = np.array([index[label] for label in labels], dtype=np.int64)
    codes.setflags(write=False)
    return order, codes


def _labels(y: Any, n: int) -> list[Hashable]:
    if isinstance(y, np.ndarray):
        if y.ndim != 1:
            raise DataError("y", "have one axis (examples,)", f"shape {y.shape}")
        labels: list[Hashable] = y.tolist()
    elif isinstance(y, (str, bytes)) or not hasattr(y, "__iter__"):
        raise DataError("y", "be a sequence of labels", repr(y))
    else:
        labels = [v.item() if isinstance(v, np.generic) else v for v in y]
    if len(labels) != n:
        raise DataError(
            "y", f"have one label for each of the {n} rows of X", f"{len(labels)} labels"
        )
    for i, label in enumerate(labels):
        try:
            hash(label)
        except TypeError as error:
            raise DataError("y", "hold hashable labels", f"{label!r} at [{i}]") from error
        if label is None or label != label:  # NaN differs from itself
            raise DataError("y", "have no missing labels", f"{label!r} at [{i}]")
    return labels


def _order(labels: list[Hashable], n_classes: int | None) -> tuple[Hashable, ...]:
    present = list(dict.fromkeys(labels))
    with contextlib.suppress(
        TypeError
    ):  # labels of several kinds keep the order of their first appearance
        present = sorted(present, key=lambda label: label)  # type: ignore[arg-type, return-value]
    if n_classes is None:
        return tuple(present)
    if isinstance(n_classes, bool) or not isinstance(n_classes, (int, np.integer)):
        raise DataError("n_classes", "be an integer", repr(n_classes))
    if n_classes < len(present):
        raise DataError(
            "n_classes", f"be at least the {len(present)} classes present", repr(n_classes)
        )
    if all(type(v) is int and 0 <= v < n_classes for v in present):
        return tuple(range(n_classes))
    return (*present, *(AbsentClass(k) for k in range(len(present), n_classes)))
