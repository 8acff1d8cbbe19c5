"""A wall-clock limit that loops ask from the inside."""

from __future__ import annotations

import math
import time
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import real_number


class Deadline:
    """``seconds`` from now on; math.inf for none."""

    def __init__(self, seconds: float = math.inf) -> None:
        self.began, self.seconds = time.perf_counter(), seconds

    @staticmethod
    def of(name: str, seconds: Any) -> Deadline:
        """A limit as a caller gave it: a positive number or inf; DataError names the option."""
        if seconds != math.inf and not (real_number(seconds) or 0.0) > 0:
            raise DataError(name, "be a positive number", repr(seconds))
        return Deadline(float(seconds))

    @property
    def limited(self) -> bool:
        return self.seconds < math.inf

    @property
    def spent(self) -> float:
        return time.perf_counter() - self.began

    @property
    def left(self) -> float:
        return max(self.seconds - self.spent, 0.0)

    @property
    def passed(self) -> bool:
        return self.spent >= self.seconds
