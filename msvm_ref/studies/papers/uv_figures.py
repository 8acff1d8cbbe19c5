"""UV section 3.3: the eleven things they read off Figures 1 and 2, and that WW alone solves both, on many samples.

The readings are those of ``studies.readings``; the agreements with Bayes are the committed results of ``uv-circles``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from msvm_ref.studies.circle import EXPONENTS, CircleCell, CircleStudy, Variant
from msvm_ref.studies.experiments.exported import published
from msvm_ref.studies.experiments.uv_circles import MACHINES, row
from msvm_ref.studies.papers.claim import Claim, Evidence
from msvm_ref.studies.papers.ledger import expected
from msvm_ref.studies.readings import difference, readings


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
            value = 0.5 - sign * (0.05 * (rank - 4) + 0.01 * (e - EXPONENTS[variant][2]))
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


def alone(form: bool | None) -> Evidence:
    """Does every other machine fall behind WW on one of the circles, or predict nothing there? ``form`` as in Picture."""
    told, behind, ahead = [], [], []
    variants: tuple[Variant, ...] = ("noiseless", "noisy")
    found = [remembered(v) if form is None else invented(v, form) for v in variants]
    studies = [study for study in found if study is not None]
    if len(studies) < len(found):
        return Evidence(None, "uv-circles is not among the results that come along")
    for rival in (m.machine for m in MACHINES if m.machine != "WW"):
        marks = []
        for study in studies:
            mine, theirs = study.best("WW"), study.best(rival)
            if theirs.mean is None:
                marks.append((True, False, f"{study.variant}: w* = 0"))
                continue
            gap = difference(study, ("WW", mine.exponent), (rival, theirs.exponent))
            marks.append((gap.low > 0, gap.high < 0, f"{study.variant} {gap}"))
        behind.append(any(m[0] for m in marks))
        ahead.append(not behind[-1] and any(m[1] for m in marks))
        told.append(f"{rival} {', '.join(m[2] for m in marks)}")
    holds = True if all(behind) else False if any(ahead) else None
    return Evidence(holds, f"WW minus {'; '.join(told)}; {_samples(studies[0], form)}")


WORDS = {
    "noiseless": ("WW", "CS", "MMR", "OVA", "PREDICT"),
    "noisy": ("WW", "MMR", "ATS", "RM", "OVA", "ZERO"),
}
"""Of the readings, in their order."""
SAYS = {
    "noiseless": (
        "WW does well where absolute margins fail",
        "CS does well where absolute margins fail",
        "MMR does well where absolute margins fail",
        "OVA has the defect of the absolute machines, in weaker form",
        "AMO and ATM make predictions, if bad ones",
    ),
    "noisy": (
        "WW needs a much smaller C: 10^-4 is better than 10^0",
        "MMR degrades a bit against WW",
        "ATS profits from the self-margin, LLW does not",
        "RM profits from the self-margin, LLW does not",
        "OVA does well, no worse than WW",
        "CS, AMO and ATM have w* = 0 at every C",
    ),
}


def _claims(variant: Variant) -> tuple[Claim, ...]:
    figure = 1 if variant == "noiseless" else 2
    return tuple(
        Claim(
            f"UV-FIG{figure}-{word}",
            f"section 3.3, Figure {figure}",
            f"{variant} circle: {SAYS[variant][k]}",
            "each machine at its best C, 95 % interval of the paired difference over the samples",
            shown,
            Picture(variant, k),
            Picture(variant, k, expected().get(f"UV-FIG{figure}-{word}") != "HOLDS"),
            "invented agreements",
            experiment=True,
        )
        for k, word in enumerate(WORDS[variant])
    )


CLAIMS = (
    *_claims("noiseless"),
    *_claims("noisy"),
    Claim(
        "UV-FIG-BOTH",
        "section 3.3",
        "only WW solves both circle problems",
        "every other machine is behind it on one of them, or has w* = 0 there, 95 %",
        alone,
        None,
        expected().get("UV-FIG-BOTH") != "HOLDS",
        "invented agreements",
        experiment=True,
    ),
)
