"""The same fit many times over: the median and the range of its certified errors, and whether it is the same again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

import numpy as np

from msvm_ref.conformance.cases import BASE, OFFSET
from msvm_ref.conformance.check_symmetry import difference
from msvm_ref.conformance.trial import Trial, error_of
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped


@dataclass(frozen=True)
class Repeats:
    """``count`` fits of one case, each from another state of numpy's global generator."""

    case: str
    count: int
    median: float
    least: float
    most: float
    allowed: float
    """What a fit may be off by."""
    above: int
    """How many were off by more."""
    apart: float
    """The largest difference between an answer and the first, relative to its size; 0: the same again."""
    failed: str = ""
    """What a fit said that gave no answer; there were no more after it."""

    @property
    def text(self) -> str:
        again = "the same again" if self.apart == 0 else f"not the same again ({self.apart:.0e})"
        off = f", {self.above} above {self.allowed:.1g}" if self.above else ""
        end = f"; then: {self.failed}" if self.failed else ""
        return (
            f"{self.count} fits of {self.case}: error {self.median:.1e} "
            f"({self.least:.1e} to {self.most:.1e}){off}, {again}{end}"
        )

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "text": self.text}


def repeated(trial: Trial, count: int) -> tuple[Repeats, ...]:
    """``count`` fits of BASE, of OFFSET and of the user's own cases."""
    apart = replace(trial, gaps=[])
    state = np.random.get_state()  # noqa: NPY002 (what an unseeded solver draws from)
    try:
        return tuple(
            _repeated(apart, trial.shaped(case), count) for case in (BASE, OFFSET, *trial.cases)
        )
    finally:
        np.random.set_state(state)  # noqa: NPY002


def _repeated(trial: Trial, case: Any, count: int) -> Repeats:
    fits, errors, failed = [], [], ""
    allowed = trial.allowed(trial.pose(case))
    for seed in range(count):
        np.random.seed(seed)  # noqa: NPY002
        try:
            fitted = trial.fit(case, again=True)
            errors.append(error_of(trial.judge(case, fitted)[0]))
        except (CheckFailed, CheckSkipped) as error:
            failed = str(error)
            break
        fits.append(fitted)
    errors = errors or [float("inf")]
    return Repeats(
        case.name,
        len(fits),
        median(errors),
        min(errors),
        max(errors),
        allowed,
        sum(not e <= allowed for e in errors),
        max((difference(fits[0], f) for f in fits), default=0.0),
        failed,
    )
