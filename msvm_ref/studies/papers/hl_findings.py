"""HL sections V and VI: what they find in their tables, on the results that come along (their own numbers are lost)."""

from __future__ import annotations

from dataclasses import replace

from msvm_ref.studies.experiments import hl
from msvm_ref.studies.papers.claim import Claim, Evidence
from msvm_ref.studies.papers.findings import Contrast, all_within, claim, larger, somewhere, within
from msvm_ref.studies.papers.ledger import expected

ONE, DAG, ALL, WW, CS = "1-vs-1", "DAG", "1-vs-all", "(9)", "C&S"
FIVE = (ONE, DAG, ALL, WW, CS)
LARGE = tuple(source.label for source in hl.LARGE)
SLOWER = Contrast("hl-table3-time", (ALL, WW, CS), (ONE, DAG), logarithm=True)
NO_WORSE = Contrast("hl-table2", (ONE, DAG), (ALL, WW, CS), margin=-1.0)


def all_larger(forms: tuple[Contrast, ...]) -> Evidence:
    """Does every one of the contrasts hold?"""
    each = [larger(form) for form in forms]
    answers = {e.holds for e in each}
    holds = False if False in answers else None if None in answers else True
    return Evidence(holds, "; ".join(e.shown for e in each))


def _tilted(id: str) -> tuple[Contrast, ...]:
    tilt = -20.0 if expected().get(id) == "HOLDS" else 20.0
    return tuple(replace(form, tilt=tilt) for form in (SLOWER, NO_WORSE))


CLAIMS = (
    claim(
        "HL-E2-SIMILAR",
        "section V.B, Table II",
        "with a Gaussian kernel the five methods are about equally accurate",
        all_within,
        Contrast("hl-table2", FIVE, margin=1.0),
        "each less the mean of the other four, data set by data set, 95 %, within one point",
    ),
    claim(
        "HL-E3-TIME",
        "section V.B, Table III",
        "one-against-one and DAG are the fastest to train",
        larger,
        SLOWER,
    ),
    Claim(
        "HL-E3-PRACTICAL",
        "section VI",
        "one-against-one and DAG suit practice best: the fastest to train, and no more than a point less accurate",
        "results of hl-table3-time and hl-table2, data set by data set, 95 %, both",
        all_larger,
        (SLOWER, NO_WORSE),
        _tilted("HL-E3-PRACTICAL"),
        "invented numbers, both tilted",
        experiment=True,
    ),
    claim(
        "HL-E3-TOGETHER",
        "section VI, Table III",
        "the methods that consider all classes at once take longer to train than one-against-one and DAG",
        larger,
        Contrast("hl-table3-time", (WW, CS), (ONE, DAG), logarithm=True),
    ),
    claim(
        "HL-E3-SVS",
        "section V.B",
        "at equal parameters (9) has fewer support vectors than the binary methods",
        larger,
        Contrast("hl-equal", (ONE, ALL), (WW,), logarithm=True),
    ),
    claim(
        "HL-E3-LARGE",
        "section V.B, Table III",
        "on the larger problems (9) has fewer support vectors than the binary methods, each at its own parameters",
        larger,
        Contrast("hl-table3-svs", (ONE, DAG, ALL), (WW,), only=LARGE, logarithm=True),
    ),
    claim(
        "HL-E4-KERNEL",
        "section V.B, Table IV",
        "a Gaussian kernel is more accurate than a linear one",
        larger,
        Contrast("hl-table2", FIVE, FIVE, other_study="hl-table4"),
    ),
    claim(
        "HL-E4-SVS",
        "Tables III and IV; no sentence of theirs",
        "a linear kernel needs more support vectors than a Gaussian one",
        larger,
        Contrast("hl-linear", FIVE, FIVE, other_study="hl-table3-svs", logarithm=True),
    ),
    claim(
        "HL-E4-OVA",
        "section V.B, Table IV",
        "one-against-all is the worst of the five with a linear kernel on some data sets",
        somewhere,
        Contrast("hl-table4", (ONE, DAG, WW, CS), (ALL,), of_more="min"),
        "the least accurate of the other four less one-against-all, fold by fold, 1 - 5 % / data sets",
    ),
    claim(
        "HL-E4-PAIRS",
        "section V.B, Table IV",
        "with a linear kernel one-against-one and DAG still do well: no more than a point behind the others",
        larger,
        Contrast("hl-table4", (ONE, DAG), (ALL, WW, CS), margin=-1.0),
    ),
    claim(
        "HL-E5-BIAS",
        "section VI, Table V",
        "with a bias the decomposition for C&S needs more iterations",
        larger,
        Contrast("hl-table5", ("(24), with bias",), ("(17), no bias",), logarithm=True),
    ),
    claim(
        "HL-EPSILON",
        "section V.A, their rule; no sentence of theirs",
        "stopped at a violation of 1e-3 (9) and C&S are as accurate as at the optimum",
        within,
        Contrast("hl-epsilon", ("(9) at 1e-3", "C&S at 1e-3"), (WW, CS), margin=0.5),
        "at the same parameters, within half a point",
    ),
)
