"""The list of checks, in the order in which a reader of a report wants them. Each takes a Trial and raises, or
returns: nothing, or a note on what held."""

from __future__ import annotations

from collections.abc import Callable

from msvm_ref.conformance import check_input, check_optimum, check_scores, check_symmetry
from msvm_ref.conformance.trial import Trial

CHECKS: dict[str, Callable[[Trial], str | None]] = {
    name: function
    for module in (check_optimum, check_scores, check_symmetry, check_input)
    for name, function in vars(module).items()
    if name.startswith("check_") and callable(function)
}
