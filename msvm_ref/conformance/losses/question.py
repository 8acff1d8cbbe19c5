"""One question to a loss function (a batch, and how it is to be reduced), and its reply as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from msvm_ref.conformance.losses.convention import Encoding, Reduction
from msvm_ref.conformance.verdicts import CheckFailed

Numbers = NDArray[Any]
GIVEN = ("class_weight", "sample_weight", "margin", "p", "ignore_index")
"""What a question may add to scores and labels; a function is asked only for what it takes."""


@dataclass(frozen=True, eq=False)
class Question:
    """Scores (n, d) of the dtype to be tested, class indices, and the parameters to be passed; None: not passed."""

    scores: Numbers
    y: NDArray[np.int64]
    reduction: Reduction | None = None
    class_weight: Numbers | None = None
    sample_weight: Numbers | None = None
    margin: float | None = None
    p: int | None = None
    ignore_index: int | None = None
    encoding: Encoding | None = None
    label_dtype: str = "int64"
    layout: Literal["rows", "columns", "strided"] = "rows"
    poisoned: bool = False
    """Fill memory that was never written with NaN, where the framework can: torch can."""

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def d(self) -> int:
        return int(self.scores.shape[1])

    def literal(self) -> dict[str, Any]:
        """What it takes to ask it again, as JSON."""
        out: dict[str, Any] = {
            "scores": [[float(v) for v in row] for row in self.scores],
            "y": [int(v) for v in self.y],
            "dtype": str(self.scores.dtype),
        }
        for name in ("reduction", "margin", "p", "ignore_index", "encoding"):
            if getattr(self, name) is not None:
                out[name] = getattr(self, name)
        for name in ("class_weight", "sample_weight"):
            if getattr(self, name) is not None:
                out[name] = [float(v) for v in getattr(self, name)]
        return out

    def __str__(self) -> str:
        said = self.literal()
        if said.pop("dtype") != "float64":
            said["dtype"] = str(self.scores.dtype)
        if self.n > 4:
            said["scores"] = f"{self.n} rows"
            said["y"] = f"{self.n} labels"
        return ", ".join(f"{name} = {_short(value)}" for name, value in said.items())


def _short(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_short, value)) + "]"
    return f"{value:.7g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, eq=False)
class Reply:
    """``value``: () or (n,); ``gradient``: (n, d), None where none was asked for; ``wrote``: the argument it wrote to;
    ``dtype``: of the value as it came."""

    value: Numbers
    gradient: Numbers | None = None
    wrote: str = ""
    dtype: str = "float64"


def laid_out(values: Any, layout: str = "rows") -> Numbers:
    """A copy in memory of its own: by rows, by columns, or every second entry of a larger array."""
    if layout == "columns":
        return np.array(values, order="F")
    if layout == "strided" and values.ndim == 2:
        larger = np.full((2 * values.shape[0], 2 * values.shape[1]), 7, values.dtype)
        larger[::2, ::2] = values
        return larger[::2, ::2]
    return np.array(values, order="C")


def read_value(answer: Any, question: Question, reduction: Reduction | None) -> Numbers:
    """A number, or one for each example, as float64; CheckFailed for anything else."""
    value = _numbers(answer, "the loss")
    allowed: list[tuple[int, ...]] = [(question.n,)] if reduction == "none" else [()]
    if reduction is None:
        allowed = [(), (question.n,)]
    if value.shape not in allowed:
        expected = " or ".join(str(shape) for shape in allowed)
        raise CheckFailed(
            f"returned a loss of shape {value.shape} where {expected} is due, at {question}",
            {"question": question.literal()},
        )
    return value


def dtype_of(answer: Any) -> str:
    """The floating dtype of an answer; Python's numbers are float64, and so are integers."""
    dtype = getattr(answer, "dtype", np.dtype(np.float64))
    return str(dtype) if str(dtype) in ("float16", "float32") else "float64"


def read_gradient(answer: Any, question: Question) -> Numbers:
    gradient = _numbers(answer, "the gradient")
    if gradient.shape != question.scores.shape:
        raise CheckFailed(
            f"returned a gradient of shape {gradient.shape} for scores of shape {question.scores.shape}",
            {"question": question.literal()},
        )
    return gradient


def _numbers(answer: Any, what: str) -> Numbers:
    try:
        raw = np.asarray(answer)
    except Exception as error:
        raise CheckFailed(f"{what} cannot be read as numbers: {error}") from error
    if raw.dtype.kind not in "fiu":
        said = repr(answer)
        raise CheckFailed(f"{what} is not a real number: {said[:80]} ({type(answer).__name__})")
    return raw.astype(np.float64)
