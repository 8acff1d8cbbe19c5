"""What UV section 3.3 reads off Figures 1 and 2, each reading turned into a comparison that samples can decide.

"a beats b" means: with each machine at its C of highest mean agreement, the 95 % Student interval of the difference
over the same samples lies above 0. Choosing the best C on the same samples flatters every machine alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from msvm_ref.studies.circle import CircleStudy
from msvm_ref.studies.interval import SURE, Interval, interval

ABSOLUTE = ("LLW", "RM(1/2)", "ATS", "AMO", "ATM")


@dataclass(frozen=True)
class Reading:
    """``shown`` is None where the samples cannot say; ``refuted`` where they show the contrary."""

    variant: str
    says: str
    shown: bool | None
    measured: str
    refuted: bool = False

    def to_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __str__(self) -> str:
        word = {True: "shown", False: "NOT shown", None: "no verdict"}[self.shown]
        return f"{self.variant:<10} {word:<11} {self.says}: {self.measured}"


def difference(
    study: CircleStudy, a: tuple[str, int], b: tuple[str, int], level: float = SURE
) -> Interval:
    """Agreement of machine a at exponent a minus that of b, over the samples where both are defined."""
    values = {(c.machine, c.exponent, c.seed): c.agreement for c in study.cells}
    shared = []
    for seed in study.seeds:
        first, second = values[(*a, seed)], values[(*b, seed)]
        if first is not None and second is not None:
            shared.append(100 * (first - second))
    return interval(shared, level)


def readings(studies: Sequence[CircleStudy]) -> tuple[Reading, ...]:
    sentences: list[Reading] = []
    for study in studies:
        sentences += _noiseless(study) if study.variant == "noiseless" else _noisy(study)
    return tuple(sentences)


def _best(study: CircleStudy, machine: str) -> tuple[str, int]:
    return machine, study.best(machine).exponent


def _beats(study: CircleStudy, a: str, rivals: Sequence[str]) -> tuple[bool | None, str, bool]:
    """Shown? Measured, refuted?"""
    gaps = {b: difference(study, _best(study, a), _best(study, b)) for b in rivals}
    known = [g for g in gaps.values() if not np.isnan(g.mean)]
    told = f"{a} minus " + ", ".join(
        f"{b} {g:.1f}" for b, g in gaps.items() if not np.isnan(g.mean)
    )
    if not known:
        return None, f"{a}: no shared samples", False
    return all(g.low > 0 for g in known), told, any(g.high < 0 for g in known)


def _noiseless(study: CircleStudy) -> list[Reading]:
    sentences = []
    for name in ("WW", "CS", "MMR"):
        shown, told, refuted = _beats(study, name, ABSOLUTE)
        says = f"{name} does well where absolute margins fail"
        sentences.append(Reading("noiseless", says, shown, told, refuted))
    shown, told, refuted = _beats(study, "WW", ["OVA"])
    weaker, also, contrary = _beats(study, "OVA", ["LLW"])
    sentences.append(
        Reading(
            "noiseless",
            "OVA has the absolute machines' defect, in weaker form",
            None if shown is None or weaker is None else shown and weaker,
            f"{told}; {also}",
            refuted or contrary,
        )
    )
    sentences.append(
        _zero(study, ("AMO", "ATM"), "AMO and ATM make (bad) predictions", expected=False)
    )
    return sentences


def _noisy(study: CircleStudy) -> list[Reading]:
    sentences = []
    exponents = sorted({c.exponent for c in study.cells})
    low, high = ("WW", exponents[0]), ("WW", exponents[-1])
    gap = difference(study, low, high)
    sentences.append(
        Reading(
            "noisy",
            "WW needs a much smaller C",
            None if np.isnan(gap.mean) else gap.low > 0,
            f"WW at 10^{low[1]} minus 10^{high[1]} {gap:.1f}",
            gap.high < 0,
        )
    )
    for says, a, rivals in (
        ("MMR degrades a bit against WW", "WW", ["MMR"]),
        ("ATS profits from the self-margin, LLW does not", "ATS", ["LLW"]),
        ("RM profits from the self-margin, LLW does not", "RM(1/2)", ["LLW"]),
    ):
        sentences.append(Reading("noisy", says, *_beats(study, a, rivals)))
    gap = difference(study, _best(study, "OVA"), _best(study, "WW"))
    decided = (
        True if gap.low >= 0 else False if gap.high < 0 else None
    )  # an interval about 0 shows neither
    sentences.append(
        Reading(
            "noisy",
            "OVA does well (no worse than WW)",
            decided,
            f"OVA minus WW {gap:.1f}",
            gap.high < 0,
        )
    )
    sentences.append(
        _zero(study, ("CS", "AMO", "ATM"), "CS, AMO and ATM have w* = 0 at every C", expected=True)
    )
    return sentences


def _zero(study: CircleStudy, names: Sequence[str], says: str, expected: bool) -> Reading:
    cells = [c for c in study.cells if c.machine in names]
    zero = sum(c.zero for c in cells)
    shown = zero == len(cells) if expected else zero == 0
    return Reading(
        study.variant,
        says,
        shown,
        f"w* = 0 in {zero} of {len(cells)} (machine, C, sample), by an upper bound on ‖W*‖",
        not shown,
    )
