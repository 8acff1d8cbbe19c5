"""``loss`` and ``subgradient``: any machine, any array library, batches of any shape.

    none_i = w[y_i] v_i L(f_i, y_i),    sum = sum_i none_i,    mean = sum / n           w class_weight, v sample_weight

Weights stand outside the power of the squared hinge, and the mean is over the n examples, not over the sum of the weights.
"""

from __future__ import annotations

from typing import Any, Literal

from msvm_ref.errors import DataError, SpecError
from msvm_ref.losses.arrays import Array, Batch, batch
from msvm_ref.losses.hinge import hinge_losses, hinge_subgradients
from msvm_ref.losses.plan import plan
from msvm_ref.losses.softmax import Softmax, softmax_losses, softmax_subgradients
from msvm_ref.model.cost import Cost
from msvm_ref.model.machine import Machine

Reduction = Literal["mean", "sum", "none"]


def loss(
    machine: Machine | Softmax,
    scores: Any,
    y: Any,
    *,
    reduction: Reduction = "mean",
    class_weight: Any = None,
    sample_weight: Any = None,
    cost: Cost | None = None,
) -> Array:
    """The machine's loss of ``scores`` (..., d) at the class indices ``y`` (...), in the scores' library, device and dtype.

    Differentiable by torch's and jax's autodiff. Scores of a sum-to-zero machine are centred first. ``cost``: "linear",
    "quadratic" (squared hinge) or "huber(h)" (Huber hinge) in place of the machine's own.
    """
    rows, chosen = _asked(machine, scores, y, reduction, cost)
    if isinstance(chosen, Softmax):
        each = softmax_losses(rows, chosen)
    else:
        each = hinge_losses(rows, plan(chosen, rows.d))
    each = _weighted(rows, each, class_weight, sample_weight)
    if rows.known is not None:
        each = rows.xp.where(rows.known, each, rows.xp.full_like(each, float("nan")))
    return rows.xp.astype(_reduced(rows, each, reduction), rows.dtype)


def subgradient(
    machine: Machine | Softmax,
    scores: Any,
    y: Any,
    *,
    reduction: Reduction = "mean",
    class_weight: Any = None,
    sample_weight: Any = None,
    cost: Cost | None = None,
) -> Array:
    """A subgradient of ``loss`` by the scores, of their shape; for "none" each row is its own example's.

    At a kink of own slack the component counts as 0; where several components share the largest violation the first counts.
    """
    rows, chosen = _asked(machine, scores, y, reduction, cost)
    xp = rows.xp
    if isinstance(chosen, Softmax):
        each = softmax_subgradients(rows, chosen)
    else:
        each = hinge_subgradients(rows, plan(chosen, rows.d))
    each = _weighted(rows, each, class_weight, sample_weight, axes=1)
    if rows.known is not None:
        known = xp.expand_dims(rows.known, axis=-1)
        each = xp.where(known, each, xp.full_like(each, float("nan")))
    return xp.astype(each / rows.n if reduction == "mean" and rows.n else each, rows.dtype)


def _asked(
    machine: Any, scores: Any, y: Any, reduction: str, cost: Cost | None
) -> tuple[Batch, Machine | Softmax]:
    if not isinstance(machine, (Machine, Softmax)):
        raise SpecError(
            "machine", "be a Machine or a Softmax", repr(machine), "mr.WW, or losses.Softmax()"
        )
    if reduction not in ("mean", "sum", "none"):
        raise DataError("reduction", "be 'mean', 'sum' or 'none'", repr(reduction))
    if cost is not None:
        if isinstance(machine, Softmax):
            raise SpecError("cost", "be None for the softmax family", repr(cost))
        machine = machine.with_cost(cost)
    rows = batch(scores, y)
    if rows.n == 0 and reduction == "mean":
        raise DataError(
            "scores",
            "hold at least one example for reduction 'mean'",
            "none",
            "use 'sum', which is 0, or 'none'",
        )
    return rows, machine


def _weighted(
    rows: Batch, each: Array, class_weight: Any, sample_weight: Any, axes: int = 0
) -> Array:
    """w[y_i] v_i each_i; a weight of 0 gives 0 even where the loss has overflowed."""
    xp = rows.xp
    for name, given in (("class_weight", class_weight), ("sample_weight", sample_weight)):
        if given is None:
            continue
        weight = _weights(rows, given, name)
        if axes:
            weight = xp.expand_dims(weight, axis=-1)
        each = weight * xp.where(weight == 0, xp.zeros_like(each), each)
    return each


def _weights(rows: Batch, given: Any, name: str) -> Array:
    """One weight for each example, in the dtype of computation."""
    xp = rows.xp
    try:
        weight = xp.asarray(given, dtype=rows.scores.dtype, device=rows.device)
    except (TypeError, ValueError, RuntimeError) as error:
        raise DataError(name, "be an array of numbers", type(given).__name__) from error
    shape = (rows.d,) if name == "class_weight" else tuple(rows.y.shape)
    if tuple(weight.shape) != shape:
        raise DataError(name, f"have shape {shape}", str(tuple(weight.shape)))
    if name == "sample_weight":
        return weight
    return xp.sum(xp.where(rows.own, weight, xp.zeros_like(weight)), axis=-1)


def _reduced(rows: Batch, each: Array, reduction: str) -> Array:
    """The mean is taken of losses over a power of two, so that their sum does not overflow where their mean fits."""
    xp = rows.xp
    if reduction == "none":
        return each
    if reduction == "sum":
        return xp.sum(each)
    unit = float(2 ** (rows.n - 1).bit_length())
    return xp.sum(each / unit) * (unit / rows.n)
