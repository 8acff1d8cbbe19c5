"""HL sections V and VI: what they find in their tables, on the results that come along (their own numbers are lost)."""

from __future__ import annotations

import math

from msvm_ref.studies.experiments import hl
from msvm_ref.studies.papers.findings import (
    Contrast,
    all_within,
    claim,
    conjunction,
    larger,
    somewhere,
    within,
)

ONE, DAG, ALL, WW, CS = "1-vs-1", "DAG", "1-vs-all", "(9)", "C&S"
FIVE = (ONE, DAG, ALL, WW, CS)
FOUR = FIVE[:4]
LARGE = tuple(source.label for source in hl.LARGE)
SLOWER = Contrast("hl-table3-time", (ALL, WW, CS), (ONE, DAG), logarithm=True)
NO_WORSE = Contrast("hl-table2", (ONE, DAG), (ALL, WW, CS), margin=-1.0)


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
    claim(
        "HL-E3-PRACTICAL",
        "section VI",
        "one-against-one and DAG suit practice best: the fastest to train, and no more than a point less accurate",
        conjunction,
        ((larger, SLOWER), (larger, NO_WORSE)),
        "results of hl-table3-time and hl-table2, data set by data set, 95 %, both",
    ),
    claim(
        "HL-E3-TOGETHER",
        "section VI, Table III",
        "the methods that consider all classes at once take longer to train than one-against-one and DAG",
        larger,
        Contrast("hl-table3-time", (WW, CS), (ONE, DAG), logarithm=True),
    ),
    claim(
        "HL-E6-CS",
        "section VI, Table III",
        "C&S cannot compete with one-against-all in training time",
        larger,
        Contrast("hl-table3-time", (CS,), (ALL,), logarithm=True),
    ),
    claim(
        "HL-E3-TEST-KERNEL",
        "section V.B, Table III",
        "in general testing time is dominated by kernel evaluations: they take more than half of it",
        larger,
        Contrast("hl-testing-share", FIVE, margin=50.0),
        "k(x, x_i) of all support vectors first, as theirs: its share of the seconds, mean of the five methods, 95 %",
    ),
    claim(
        "HL-E3-TEST-SVS",
        "section V.B, Table III",
        "testing time is proportional to the number of unique support vectors",
        all_within,
        Contrast("hl-testing-each", FIVE, margin=math.log10(1.5), logarithm=True),
        "seconds for each support vector, each method against the mean of the other four, within a factor of 1.5",
    ),
    claim(
        "HL-E3-TEST-DAG",
        "section V.B, Table III",
        "DAG is a little faster to test than one-against-one",
        larger,
        Contrast("hl-testing", (ONE,), (DAG,), logarithm=True),
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
        "HL-E3-LARGE-ALL",
        "abstract",
        "on the larger problems the methods that consider all data at once have fewer support vectors",
        larger,
        Contrast("hl-table3-svs", (ONE, DAG, ALL), (WW, CS), only=LARGE, logarithm=True),
    ),
    claim(
        "HL-E3-CS-SVS",
        "section V.B, Table III",
        "C&S sometimes needs very few support vectors and sometimes very many: fewest of the five here, most there",
        conjunction,
        (
            (somewhere, Contrast("hl-table3-svs", FOUR, (CS,), of_more="min")),
            (somewhere, Contrast("hl-table3-svs", (CS,), FOUR, of_less="max")),
        ),
        "the least of the others less C&S, and C&S less the most of the others, fold by fold, 1 - 5 % / data sets",
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
