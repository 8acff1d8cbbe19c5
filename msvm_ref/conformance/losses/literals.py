"""The loss functions of frameworks that we know: what each is by its documentation, one literal each.

z_c = f_y - f_c. A machine here is written as the framework writes it (target ``margin`` on z_c, no half), so that the exact
value is the documented formula's and not a conversion of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msvm_ref.conformance.losses.convention import OURS, LossConvention
from msvm_ref.errors import SpecError
from msvm_ref.model.conventions.convention import Factor
from msvm_ref.model.machine import (
    ABSOLUTE,
    OTHERS_MAX,
    OTHERS_SUM,
    TOTAL_MAX,
    TOTAL_SUM,
    Machine,
    Margin,
    Target,
)

DIFFERENCE = Margin("difference", Fraction(0), Fraction(1), Fraction(-1))
"""mu_c = f_y - f_c: the relative margin without its half."""
WITH_ORIGIN = Margin("difference and own", Fraction(1), Fraction(1), Fraction(-1))
"""mu_c = f_y - f_c and mu_y = f_y - 0: the true class competes with the score 0."""
PER_CLASS = Factor(classes=-1)

WW_MARGIN_1 = Machine("WW, margin 1", DIFFERENCE, OTHERS_SUM)
CS_MARGIN_1 = Machine("CS, margin 1", DIFFERENCE, OTHERS_MAX)
PERCEPTRON = Machine("CS, margin 0", DIFFERENCE, OTHERS_MAX, Target(other=Fraction(0)))
CS_WITH_ORIGIN = Machine("CS, margin 1, with 0 among the rivals", WITH_ORIGIN, TOTAL_MAX)
OVA = Machine("OVA", ABSOLUTE, TOTAL_SUM)

TORCH = LossConvention(
    "torch",
    WW_MARGIN_1,
    PER_CLASS,
    framework="torch",
    documented="sum_{i != y} w[y] max(0, margin - x[y] + x[i])^p / d",
    source="torch.nn.MultiMarginLoss",
)
TORCH_MULTILABEL = LossConvention(
    "torch-multilabel",
    WW_MARGIN_1,
    PER_CLASS,
    no_label=-1,
    framework="torch",
    documented="sum_{ij} max(0, 1 - (x[y[j]] - x[i])) / d, with one label j",
    source="torch.nn.MultiLabelMarginLoss",
)
KERAS = LossConvention(
    "keras",
    CS_WITH_ORIGIN,
    encodings=("one-hot", "signed"),
    reduction_names={"mean": "sum_over_batch_size"},
    framework="keras",
    documented="max(neg - pos + 1, 0), neg = max((1 - y_true) y_pred), pos = sum(y_true y_pred)",
    source="keras.losses.CategoricalHinge",
)
KERAS_HINGE = LossConvention(
    "keras-hinge",
    OVA,
    PER_CLASS,
    encodings=("signed", "one-hot"),
    reduction_names={"mean": "sum_over_batch_size"},
    framework="keras",
    documented="mean(max(1 - y_true y_pred, 0), axis=-1)",
    source="keras.losses.Hinge",
)
KERAS_SQUARED_HINGE = LossConvention(
    "keras-squared-hinge",
    OVA.with_cost("quadratic"),
    PER_CLASS,
    encodings=("signed", "one-hot"),
    reduction_names={"mean": "sum_over_batch_size"},
    framework="keras",
    documented="mean(square(max(1 - y_true y_pred, 0)), axis=-1)",
    source="keras.losses.SquaredHinge",
)
OPTAX = LossConvention(
    "optax",
    CS_MARGIN_1,
    reduction="none",
    framework="jax",
    documented="no formula printed; a reference to the multi-class hinge loss",
    source="optax.losses.multiclass_hinge_loss",
)
OPTAX_PERCEPTRON = LossConvention(
    "optax-perceptron",
    PERCEPTRON,
    reduction="none",
    framework="jax",
    documented="no formula printed; a reference to Collins 2002",
    source="optax.losses.multiclass_perceptron_loss",
)
SKLEARN = LossConvention(
    "sklearn",
    CS_MARGIN_1,
    reduction="mean",
    mean_over="weights",
    single_score=True,
    framework="numpy",
    documented="the average of max(0, 1 - margin), the margin after Crammer and Singer",
    source="sklearn.metrics.hinge_loss",
)
PADDLE = LossConvention(
    "paddle",
    WW_MARGIN_1,
    PER_CLASS,
    framework="paddle",
    inside=True,
    documented="sum_{j != y} max(0, w[y] (margin - x[y] + x[j]))^p / d",
    source="paddle.nn.MultiMarginLoss",
)
TENSORFLOW = LossConvention(
    "tensorflow",
    CS_WITH_ORIGIN,
    encodings=("one-hot", "signed"),
    reduction_names={"mean": "sum_over_batch_size"},
    framework="tensorflow",
    documented=KERAS.documented,
    source="tf.keras.losses.CategoricalHinge",
)
LITERALS = {
    c.name: c
    for c in (
        OURS,
        TORCH,
        TORCH_MULTILABEL,
        KERAS,
        KERAS_HINGE,
        KERAS_SQUARED_HINGE,
        OPTAX,
        OPTAX_PERCEPTRON,
        SKLEARN,
        PADDLE,
        TENSORFLOW,
    )
}


def loss_convention(name: str) -> LossConvention:
    if name not in LITERALS:
        raise SpecError("convention", f"be one of {', '.join(LITERALS)}", repr(name))
    return LITERALS[name]


@dataclass(frozen=True)
class Known:
    """A function of a framework: its name for people, its convention, and how it is called (itself, or through a few lines)."""

    name: str
    convention: LossConvention
    function: Any


def sklearn_hinge(function: Callable[..., Any]) -> Callable[..., Any]:
    """``hinge_loss`` must be told all labels, since a batch need not hold every class."""

    def hinge_loss(scores: Any, y: Any, sample_weight: Any = None) -> Any:
        d = scores.shape[1] if scores.ndim == 2 else 2
        return function(y, scores, labels=list(range(d)), sample_weight=sample_weight)

    return hinge_loss


def multilabel(function: Any) -> Callable[..., Any]:
    """``MultiLabelMarginLoss`` with one label an example: the others are padding, which it marks by -1."""

    def multi_label_margin(scores: Any, y: Any, reduction: str = "mean") -> Any:
        padded = y.new_full(scores.shape, -1)
        padded[:, :1] = y[:, None]
        made = function(reduction=reduction) if isinstance(function, type) else function
        return made(scores, padded)

    return multi_label_margin


_KNOWN: dict[tuple[str, str], tuple[LossConvention, Callable[[Any], Any] | None]] = {
    ("torch", "MultiMarginLoss"): (TORCH, None),
    ("torch", "multi_margin_loss"): (TORCH, None),
    ("torch", "MultiLabelMarginLoss"): (TORCH_MULTILABEL, multilabel),
    ("keras", "CategoricalHinge"): (KERAS, None),
    ("keras", "categorical_hinge"): (KERAS, None),
    ("keras", "Hinge"): (KERAS_HINGE, None),
    ("keras", "hinge"): (KERAS_HINGE, None),
    ("keras", "SquaredHinge"): (KERAS_SQUARED_HINGE, None),
    ("keras", "squared_hinge"): (KERAS_SQUARED_HINGE, None),
    ("optax", "multiclass_hinge_loss"): (OPTAX, None),
    ("optax", "multiclass_perceptron_loss"): (OPTAX_PERCEPTRON, None),
    ("sklearn", "hinge_loss"): (SKLEARN, sklearn_hinge),
    ("paddle", "MultiMarginLoss"): (PADDLE, None),
    ("paddle", "multi_margin_loss"): (PADDLE, None),
}


def known_loss(function: Any) -> Known | None:
    """The literal of a function by the framework and the name it has there; None for all others."""
    made = function if hasattr(function, "__qualname__") else type(function)
    root, name = str(made.__module__).partition(".")[0], str(made.__qualname__)
    if (root, name) not in _KNOWN:
        return None
    convention, wrap = _KNOWN[root, name]
    return Known(f"{root}.{name}", convention, wrap(function) if wrap else function)
