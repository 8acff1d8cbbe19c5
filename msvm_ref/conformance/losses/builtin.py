"""The built-in lists: the hinge losses of torch, keras, optax, scikit-learn, tensorflow and paddle, and what is known of each.

A known finding has a reason and a minimal reproducer in docs/losses.md; it is strict, so a release that mends it is noticed.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msvm_ref.conformance.losses.frameworks import INSTALL
from msvm_ref.errors import DataError

NOT_WRITTEN = "over an empty batch mean and sum are read from memory that was never written"
NAN_IS_ZERO = "a NaN score counts as no violation, so that a diverged model has loss 0"
SIGNED = "labels -1, +1, which it says it takes, give another loss: neg and pos assume 0, 1"
HALF = "float16: the losses are summed before they are divided by n, which overflows beyond 65504"
SINGLE = "dtype='float64' is computed in float32: a Python float beside the tensor demotes it"
EMPTY = "mean and sum over an empty batch are an empty array, not a number"
OUT_OF_RANGE = (
    "a label outside 0 ... d-1 is a row of zeros to one_hot: a finite loss without a true class"
)
ONE_CLASS = "two classes: a batch of class 1 alone is scored as class 0, whatever labels= says"
OUTSIDE = "documented with the weight inside the power, computed with it outside"
SUBTRACTED = (
    "the true class is added and margin^p / d subtracted, which is not its term at margin < 0"
)
IN_SINGLE = (
    "margin^p / d is subtracted in float32 from float64 losses: off by 1e-8, and negative at 0"
)


@dataclass(frozen=True)
class LossEntry:
    """A function by its name, and the checks it is known to fail."""

    name: str
    expected: Mapping[str, str] = field(default_factory=dict)

    def load(self) -> Any:
        module, _, attribute = self.name.partition(":")
        return getattr(importlib.import_module(module), attribute)


def torch_list() -> list[LossEntry]:
    known = {"check_empty_batch": NOT_WRITTEN, "check_nan": NAN_IS_ZERO}
    return [
        LossEntry("torch.nn:MultiMarginLoss", known),
        LossEntry("torch.nn.functional:multi_margin_loss", known),
        LossEntry("torch.nn:MultiLabelMarginLoss", known),
    ]


def keras_list() -> list[LossEntry]:
    """On the backend keras is set to; where it is not, on the first that is installed."""
    if "KERAS_BACKEND" not in os.environ:
        for backend in ("torch", "tensorflow", "jax"):
            if importlib.util.find_spec(backend) is not None:
                os.environ["KERAS_BACKEND"] = backend
                break
    keras = importlib.import_module("keras")
    backend = keras.config.backend()
    single = {"check_precision": SINGLE} if backend != "tensorflow" else {}
    if backend == "jax":
        single |= {"check_large_scores": SINGLE}
    categorical = {"check_label_encodings": SIGNED}
    if backend == "torch":
        categorical |= {"check_precision": SINGLE}
    reduced = {"check_half_precision_range": HALF}
    empty = {"check_empty_batch": EMPTY}
    return [
        LossEntry(
            "keras.losses:CategoricalHinge",
            categorical | reduced | (empty if backend == "jax" else {}),
        ),
        LossEntry("keras.losses:categorical_hinge", categorical),
        LossEntry("keras.losses:Hinge", single | reduced | empty),
        LossEntry("keras.losses:hinge", single),
        LossEntry("keras.losses:SquaredHinge", single | reduced | empty),
        LossEntry("keras.losses:squared_hinge", single),
    ]


def tensorflow_list() -> list[LossEntry]:
    """tf.keras, which is keras on tensorflow."""
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    importlib.import_module("tensorflow")
    return keras_list()


def optax_list() -> list[LossEntry]:
    known = {"check_label_range": OUT_OF_RANGE}
    return [
        LossEntry("optax.losses:multiclass_hinge_loss", known),
        LossEntry("optax.losses:multiclass_perceptron_loss", known),
    ]


def sklearn_list() -> list[LossEntry]:
    return [LossEntry("sklearn.metrics:hinge_loss", {"check_two_classes": ONE_CLASS})]


def paddle_list() -> list[LossEntry]:
    known = {
        "check_class_weights": OUTSIDE,
        "check_gradient_reductions": OUTSIDE,
        "check_margin": SUBTRACTED,
        "check_precision": IN_SINGLE,
    }
    return [
        LossEntry("paddle.nn:MultiMarginLoss", known),
        LossEntry("paddle.nn.functional:multi_margin_loss", known),
    ]


LOSS_LISTS: dict[str, tuple[str, Callable[[], list[LossEntry]]]] = {
    "torch": ("torch", torch_list),
    "keras": ("keras", keras_list),
    "optax": ("optax", optax_list),
    "sklearn-metrics": ("sklearn", sklearn_list),
    "tensorflow": ("tensorflow", tensorflow_list),
    "paddle": ("paddle", paddle_list),
}


def loss_list(name: str) -> tuple[str, list[LossEntry]]:
    """(framework and version, entries); DataError that says what is missing and how to install it."""
    module, entries = LOSS_LISTS[name]
    try:
        made = entries()  # first: it may choose a backend
        library = importlib.import_module(module)
        for entry in made:
            entry.load()
    except ImportError as error:
        raise DataError(
            module, "be installed", str(error), INSTALL.get(module, f"pip install {module}")
        ) from error
    return f"{module} {getattr(library, '__version__', '')}".strip(), made
