"""The kernel of a command line."""

from __future__ import annotations

from msvm_ref.errors import DataError
from msvm_ref.estimator.model_file import DEGREE
from msvm_ref.foreign import is_number, shown
from msvm_ref.model.kernels import Kernel, linear, polynomial, rbf


def parse_kernel(text: str) -> Kernel:
    """``linear``, ``rbf:0.5``, ``polynomial:3``, ``polynomial:3:1:0``."""
    name, *numbers = text.split(":")
    if all(map(is_number, numbers)):
        values = [float(v) for v in numbers]
        if name == "linear" and not values:
            return linear
        if name == "rbf" and len(values) == 1:
            return rbf(values[0])
        if name == "polynomial" and 1 <= len(values) <= 3:
            whole = values[0].is_integer() and values[0] <= DEGREE
            return polynomial(int(values[0]) if whole else -1, *values[1:])
    raise DataError(
        "--kernel", "be linear, rbf:GAMMA or polynomial:DEGREE[:GAMMA[:COEF0]]", shown(text)
    )
