"""What a program has been asked: its answers, which are kept, and its time, which is limited once it is known to be wrong.

A program is a process of its own for every fit, so the same question has the same answer unless it draws from a clock; that
is what ``check_repeatable`` is for. A right program is asked everything, however slow. One that has failed a check is
asked for at most PATIENCE seconds of fits in all, and then EXPLAINING more for why.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from msvm_ref.conformance.adapters import Fitted
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped

PATIENCE, EXPLAINING = 25.0, 20.0


@dataclass
class Asked:
    """Of one program, or of one solver in this process (whose answers are not kept)."""

    patience: float = PATIENCE
    seconds: float = 0.0
    """What its fits have taken."""
    limit: float = math.inf
    """After so many there are no more."""
    answers: dict[Hashable, Fitted | CheckFailed] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        return self.seconds > self.limit

    def failed(self) -> None:
        """From here on it is known to be wrong."""
        self.limit = min(self.limit, max(self.patience, self.seconds))

    def explain(self) -> None:
        """The checks are done: time for the diagnosis."""
        if self.limit < math.inf:
            self.limit = max(self.limit, self.seconds) + EXPLAINING

    def fit(self, fit: Callable[[], Fitted], key: Hashable | None = None) -> Fitted:
        """``fit()``, or what it was before under the same ``key``; CheckSkipped where its time is over."""
        known = None if key is None else self.answers.get(key)
        if isinstance(known, CheckFailed):
            raise known
        if known is not None:
            return known
        if self.over:
            raise CheckSkipped(
                f"not asked: it has failed a check, and its fits have taken {self.seconds:.0f} s (--patience)"
            )
        start = time.monotonic()
        try:
            answer: Fitted | CheckFailed = fit()
        except CheckFailed as failure:
            answer = failure
        self.seconds += time.monotonic() - start
        if key is not None:
            self.answers[key] = answer
        if isinstance(answer, CheckFailed):
            raise answer
        return answer
