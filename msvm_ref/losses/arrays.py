"""The caller's arrays, whatever library they are of: checked, never copied to numpy, labels out of range never read.

Scores stay where they are: numpy, torch, jax, cupy or any other library of the array API standard
(``array_api_compat.array_namespace``). Half precision is computed in float32, and numpy's float16 and float32 in float64,
so that nothing overflows on the way to a result that fits; the result has the scores' own dtype again.
Where values cannot be looked at (under ``jit``, ``torch.compile`` or ``vmap``) a label outside 0 ... d-1 gives NaN; elsewhere
it is a DataError.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from msvm_ref.errors import DataError

Array = Any


@dataclass(frozen=True, eq=False)
class Batch:
    """Scores (..., d) in the dtype of computation, labels (...), and the namespace ``xp`` both belong to."""

    xp: Any
    scores: Array
    y: Array
    own: Array
    """own[..., c]: is c the true class?"""
    known: Array | None
    """Is the label one of 0 ... d-1? None where every one is."""
    dtype: Any
    device: Any

    @property
    def d(self) -> int:
        return int(self.scores.shape[-1])

    @property
    def n(self) -> int:
        total = 1
        for size in self.scores.shape[:-1]:
            total *= size
        return total

    def constants(self, values: Any) -> Array:
        """Plain numbers (nested lists) as an array of the dtype of computation."""
        return self.xp.asarray(values, dtype=self.scores.dtype, device=self.device)

    def of_true_class(self, values: Array) -> Array:
        """values[..., y]"""
        return self.xp.sum(
            self.xp.where(self.own, values, self.xp.zeros_like(values)), axis=-1, keepdims=True
        )


def batch(scores: Any, y: Any) -> Batch:
    """Scores and labels as a Batch, or a DataError that says what is wrong with them."""
    if isinstance(scores, (list, tuple)):
        import numpy as np

        scores = np.asarray(scores, dtype=np.float64)
    xp = _namespace(scores)
    if xp is None:
        raise DataError(
            "scores",
            "be an array of a library that follows the array API standard",
            type(scores).__name__,
            "numpy, torch, jax and cupy do",
        )
    if not xp.isdtype(scores.dtype, "real floating"):
        raise DataError("scores", "be of a real floating dtype", str(scores.dtype))
    if scores.ndim < 1 or scores.shape[-1] < 2:
        raise DataError("scores", "have shape (..., d) with d >= 2", str(tuple(scores.shape)))
    where = _device(scores)
    labels = _labels(xp, y, scores, where)
    d = scores.shape[-1]
    inside = (labels >= 0) & (labels < d)
    every = _everywhere(xp, inside)
    if every is False:
        raise DataError(
            "y",
            f"hold class indices 0 ... {d - 1}",
            "others",
            "the last axis of scores runs over the classes",
        )
    known = None if every else inside
    places = xp.arange(d, dtype=labels.dtype, device=where)
    working = _working_dtype(xp, scores.dtype)
    own = places == xp.expand_dims(labels, axis=-1)
    computed = scores if working == scores.dtype else xp.astype(scores, working)
    return Batch(xp, computed, labels, own, known, scores.dtype, where)


def _labels(xp: Any, y: Any, scores: Array, where: Any) -> Array:
    if isinstance(y, (int, list, tuple)):
        y = xp.asarray(y, device=where)
    if _namespace(y) is not xp:
        raise DataError(
            "y", "be an array of the same library as the scores", type(y).__module__.split(".")[0]
        )
    if y.shape != scores.shape[:-1]:
        raise DataError(
            "y",
            f"have the shape {tuple(scores.shape[:-1])} of the scores without their last axis",
            str(tuple(y.shape)),
            "one class index per row of scores; of one-hot rows take the argmax",
        )
    if xp.isdtype(y.dtype, "bool") or not xp.isdtype(y.dtype, "integral"):
        if y.shape and 0 in y.shape and not xp.isdtype(y.dtype, "bool"):
            return xp.astype(y, xp.int64)  # an empty list has no dtype of its own
        raise DataError("y", "be of an integer dtype", str(y.dtype), "labels are class indices")
    if y.dtype in (xp.int8, xp.int16, xp.uint8):  # cannot count to every d
        return xp.astype(y, xp.int32)
    return y if y.dtype in (xp.int32, xp.int64) else xp.astype(y, xp.int64)


def _is_torch(array: Any) -> bool:
    return type(array).__module__.partition(".")[0] == "torch"


def _namespace(array: Any) -> Any:
    """The array API namespace of an array, None for what is none. Of torch it is said without asking: torch.compile
    warns of the questions that ``array_namespace`` asks of the type."""
    if _is_torch(array):
        import array_api_compat.torch

        return array_api_compat.torch
    from array_api_compat import array_namespace

    try:
        return array_namespace(array)
    except TypeError:
        return None


def _device(array: Any) -> Any:
    if _is_torch(array):
        return array.device
    from array_api_compat import device

    return device(array)


def _working_dtype(xp: Any, dtype: Any) -> Any:
    """float32 for half precisions; on numpy float64 for all below it."""
    small = dtype not in (xp.float32, xp.float64) and xp.finfo(dtype).bits < 32
    if xp.__name__ in ("numpy", "array_api_compat.numpy"):
        return xp.float64 if small or dtype == xp.float32 else dtype
    return xp.float32 if small else dtype


def _everywhere(xp: Any, condition: Array) -> bool | None:
    """Does it hold everywhere? None where its values cannot be looked at."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.compiler.is_compiling():
        return None
    try:
        return bool(xp.all(condition))
    except (TypeError, RuntimeError):  # a tracer of jax, or torch under vmap
        return None
