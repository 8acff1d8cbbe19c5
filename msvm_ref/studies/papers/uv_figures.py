"""UV section 3.3: the eleven things they read off Figures 1 and 2, and that WW alone solves both, on many samples.

The readings are those of ``studies.readings``; the agreements with Bayes are the committed results of ``uv-circles``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from msvm_ref.studies.circle import EXPONENTS, CircleCell, CircleStudy, Variant
from msvm_ref.studies.experiments.exported import published
from msvm_ref.studies.experiments.uv_circles import MACHINES, row
from msvm_ref.studies.interval import Interval
from msvm_ref.studies.papers.claim import Claim, Either, Evidence
from msvm_ref.studies.readings import ABSOLUTE, difference, readings


@dataclass(frozen=True)
class Remembered(CircleCell):
    """A cell of which the agreement is known and the predictions are not."""

    told: float | None = None

    @property
    def agreement(self) -> float | None:
        return self.told


def remembered(variant: Variant) -> CircleStudy | None:
    """The study that comes along, over the samples all machines have; None where there is none."""
    table, cells = published("uv-circles"), []
    nothing = np.zeros(0, dtype=np.int64)
    counts = set()
    for machine in MACHINES:
        for e in EXPONENTS[variant]:
            entry = table.entries.get((row(variant, e), machine.label))
            if entry is None:
                return None
            counts.add(len(entry.values))
            cells += [
                Remembered(
                    machine.machine,
                    e,
                    seed,
                    nothing,
                    v is None,
                    0.0,
                    None if v is None else v / 100,
                )
                for seed, v in enumerate(entry.values)
            ]
    seeds = tuple(range(min(counts)))
    return CircleStudy(variant, seeds, tuple(c for c in cells if c.seed < len(seeds)))


ORDER: dict[str, tuple[str, ...]] = {
    "noiseless": ("WW", "CS", "MMR", "OVA", "ATS", "RM(1/2)", "LLW", "AMO", "ATM"),
    "noisy": ("OVA", "WW", "MMR", "ATS", "RM(1/2)", "LLW", "CS", "AMO", "ATM"),
}
"""Machines from best to worst where every reading is true."""


def invented(variant: Variant, true: bool) -> CircleStudy:
    """Sabotage: agreements with which every reading of the figure is true, or none is."""
    sign, cells = 1 if true else -1, []
    zero = {"noiseless": ("AMO", "ATM"), "noisy": ("CS", "AMO", "ATM")}[variant]
    for rank, name in enumerate(ORDER[variant]):
        for e in EXPONENTS[variant]:
            nothing = name in zero and (variant == "noisy") == true
            rising = (
                1 if variant == "noiseless" else -1
            )  # the larger C is the better one, or the worse
            value = 0.5 - sign * (0.05 * (rank - 4) - rising * 0.01 * (e - EXPONENTS[variant][2]))
            told = None if nothing else value
            cells += [Remembered(name, e, k, np.zeros(0, int), nothing, 0.0, told) for k in (0, 1)]
    return CircleStudy(variant, (0, 1), tuple(cells))


@dataclass(frozen=True)
class Picture:
    """Which reading of which figure; ``true`` is sabotage: invented agreements with which it is true, or is not."""

    variant: Variant
    number: int
    true: bool | None = None


def shown(form: Picture) -> Evidence:
    study = remembered(form.variant) if form.true is None else invented(form.variant, form.true)
    if study is None:
        return Evidence(None, "uv-circles is not among the results that come along")
    told = readings([study])[form.number]
    holds = True if told.shown else False if told.refuted else None
    return Evidence(holds, f"{told.measured}; {_samples(study, form.true)}", told.to_dict())


def _samples(study: CircleStudy, invented: bool | None) -> str:
    """How many, and by which protocol."""
    told = published("uv-circles").entries.values()
    named = sorted({e.protocol for e in told if e.row.startswith(study.variant)})
    return f"{len(study.seeds)} samples ({', '.join(named) if invented is None else 'invented'})"


Known = list[CircleStudy] | None


def _circles(form: bool | None) -> Known:
    """The noiseless study and the noisy one, ``form`` as in Picture; None where one is not there."""
    variants: tuple[Variant, ...] = ("noiseless", "noisy")
    found = [remembered(v) if form is None else invented(v, form) for v in variants]
    studies = [study for study in found if study is not None]
    return studies if len(studies) == len(found) else None


ABSENT = Evidence(None, "uv-circles is not among the results that come along")


def alone(form: bool | None) -> Evidence:
    """Does every other machine fall behind WW on one of the circles (97.5 % each), or predict nothing there?"""
    told, behind, ahead = [], [], []
    studies = _circles(form)
    if studies is None:
        return ABSENT
    for rival in (m.machine for m in MACHINES if m.machine != "WW"):
        marks = []
        for study in studies:
            mine, theirs = study.best("WW"), study.best(rival)
            if theirs.mean is None:
                marks.append((True, False, f"{study.variant}: w* = 0"))
                continue
            gap = difference(study, ("WW", mine.exponent), (rival, theirs.exponent), 0.975)
            marks.append((gap.low > 0, gap.high < 0, f"{study.variant} {gap:.1f}"))
        behind.append(any(m[0] for m in marks))
        ahead.append(not behind[-1] and any(m[1] for m in marks))
        told.append(f"{rival} {', '.join(m[2] for m in marks)}")
    holds = True if all(behind) else False if any(ahead) else None
    return Evidence(holds, f"WW minus {'; '.join(told)}; {_samples(studies[0], form)}")


def _all_above(gaps: dict[str, Interval], study: CircleStudy, form: bool | None) -> Evidence:
    """Are all of them above 0?"""
    known = {name: gap for name, gap in gaps.items() if not np.isnan(gap.mean)}
    holds = all(g.low > 0 for g in known.values()) if known else None
    if not holds and not any(g.high < 0 for g in known.values()):
        holds = None
    told = "; ".join(f"{name} {gap:.1f}" for name, gap in known.items())
    return Evidence(holds, f"{told}; {_samples(study, form)}")


def high(form: bool | None) -> Evidence:
    """Noiseless: are WW and CS better at the largest C than at the smallest?"""
    studies, (low, *_, top) = _circles(form), EXPONENTS["noiseless"]
    if studies is None:
        return ABSENT
    gaps = {
        f"{name} at 10^{top} minus 10^{low}": difference(studies[0], (name, top), (name, low))
        for name in ("WW", "CS")
    }
    return _all_above(gaps, studies[0], form)


def whole_range(form: bool | None) -> Evidence:
    """Noiseless: is every machine of absolute margins behind WW at every C (on the samples where it predicts)?"""
    studies = _circles(form)
    if studies is None:
        return ABSENT
    gaps = {
        f"WW minus {name} at 10^{e}": difference(studies[0], ("WW", e), (name, e))
        for name in ABSOLUTE
        for e in EXPONENTS["noiseless"]
    }
    return _all_above(gaps, studies[0], form)


WORDS = {
    "noiseless": ("WW", "CS", "MMR", "OVA", "PREDICT"),
    "noisy": ("WW", "MMR", "ATS", "RM", "OVA", "ZERO"),
}
"""Of the readings, in their order."""


def _claim(
    id: str, where: str, says: str, checked: str, check: Any, form: Any, sabotage: Either
) -> Claim:
    return Claim(
        id,
        f"section 3.3{where}",
        says,
        checked,
        check,
        form,
        sabotage,
        "invented agreements",
        experiment=True,
    )


def _readings(variant: Variant) -> tuple[Claim, ...]:
    figure = 1 if variant == "noiseless" else 2
    says = readings([invented(variant, True)])
    return tuple(
        _claim(
            f"UV-FIG{figure}-{word}",
            f", Figure {figure}",
            f"{variant} circle: {said.says}",
            "each machine at its best C, 95 % interval of the paired difference over the samples",
            shown,
            Picture(variant, k),
            Either(Picture(variant, k, True), Picture(variant, k, False)),
        )
        for k, (word, said) in enumerate(zip(WORDS[variant], says, strict=True))
    )


READINGS = (*_readings("noiseless"), *_readings("noisy"))
CLAIMS = (
    *READINGS,
    _claim(
        "UV-FIG1-HIGH",
        ", Figure 1",
        "noiseless circle: WW and CS excel in particular for high values of C",
        "agreement at C = 10^4 less that at 10^0, 95 % interval of the paired difference over the samples, both",
        high,
        None,
        Either(True, False),
    ),
    _claim(
        "UV-FIG1-RANGE",
        ", Figure 1",
        "noiseless circle: all machines of absolute margins fail over the whole range of C",
        "WW less each of the five at each of the five C, 95 % interval of the paired difference, all of them",
        whole_range,
        None,
        Either(True, False),
    ),
    _claim(
        "UV-FIG-BOTH",
        "",
        "only WW solves both circle problems",
        "every other machine is behind it on one of them (97.5 % each), or has w* = 0 there",
        alone,
        None,
        Either(True, False),
    ),
)
