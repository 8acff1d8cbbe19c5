"""The checks of a loss by name, in the order they are run: what they build on comes first."""

from __future__ import annotations

from collections.abc import Callable

from msvm_ref.conformance.losses import (
    check_calls,
    check_gradients,
    check_labels,
    check_numbers,
    check_parameters,
    check_values,
)
from msvm_ref.conformance.losses.trial import LossTrial

Check = Callable[[LossTrial], str | None]
"""Raises CheckFailed or CheckSkipped; may return what it measured."""

LOSS_CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        check_values.check_value,
        check_values.check_label_positions,
        check_values.check_two_classes,
        check_values.check_kinks,
        check_values.check_equal_scores,
        check_values.check_single_example,
        check_values.check_batch_sizes,
        check_values.check_empty_batch,
        check_parameters.check_reductions,
        check_parameters.check_class_weights,
        check_parameters.check_sample_weights,
        check_parameters.check_margin,
        check_parameters.check_power,
        check_numbers.check_precision,
        check_numbers.check_half_precision_range,
        check_numbers.check_large_scores,
        check_numbers.check_nan,
        check_numbers.check_shift,
        check_numbers.check_convexity,
        check_labels.check_label_dtypes,
        check_labels.check_label_range,
        check_labels.check_label_encodings,
        check_labels.check_ignore_index,
        check_gradients.check_gradient,
        check_gradients.check_gradient_at_kinks,
        check_gradients.check_gradient_reductions,
        check_calls.check_repeatable,
        check_calls.check_arguments_untouched,
        check_calls.check_memory_layout,
    )
}
