"""UV's Figures 1 and 2 (JMLR 2016, section 3.3) as data: nine linear machines without bias on the unit circle.

A row is a variant at one C; a split is a sample of its own. Nothing is chosen.
"""

from __future__ import annotations

from msvm_ref.studies.circle import EXPONENTS, SAMPLES, TOLERANCE
from msvm_ref.studies.experiments.study import CIRCLES, Contender, Grid, Protocol, Source, Study
from msvm_ref.studies.experiments.uv import NINE

NONE = Grid((0,), (0,), 1, extended=False)
PAPER = Protocol("paper", NONE, 1, 1, 100, words="100 samples; the figures show one of each")
QUICK = Protocol("quick", NONE, 1, 1, 10, words="10 samples")


def row(variant: str, exponent: int) -> str:
    """The label of a variant at C = 10^exponent."""
    return f"{variant}, C = 10^{exponent}"


SOURCES = tuple(
    Source(row(variant, e), table, SAMPLES[variant], SAMPLES[variant], point=(0, e))
    for table, variant in CIRCLES.items()
    for e in EXPONENTS[variant]
)
MACHINES: tuple[Contender, ...] = NINE
STUDIES = (
    Study(
        "uv-circles",
        "Agreement with Bayes on the circle problems, linear kernel",
        "UV",
        "Figures 1 and 2",
        SOURCES,
        MACHINES,
        "linear",
        "unit-variance",
        PAPER,
        QUICK,
        measure="agreement",
        tolerance=TOLERANCE,
        C_base=10,
        remarks=(
            "Share of the distribution of x on which a machine predicts the sector's class, as Bayes does: each sector weighs "
            "1/3. A machine whose optimum is w* = 0 (decided by an upper bound on ||W*||) predicts nothing on that sample "
            "and is left out of the mean; - where it is 0 on all of them.",
            "The figures are one sample of 100 (noiseless) or 500 (noisy) points each and print no numbers; features are "
            "not scaled.",
        ),
    ),
)
