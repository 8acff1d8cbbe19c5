"""HL sections V and VI: what they find in their tables, on the results that come along (their own numbers are lost)."""

from __future__ import annotations

from msvm_ref.studies.papers.findings import Contrast, claim, larger, within

ONE, DAG, ALL, WW, CS = "1-vs-1", "DAG", "1-vs-all", "(9)", "C&S"
FIVE = (ONE, DAG, ALL, WW, CS)
CLAIMS = (
    claim(
        "HL-E2-SIMILAR",
        "section V.B, Table II",
        "with a Gaussian kernel the five methods are about equally accurate: one-against-one and the others",
        within,
        Contrast("hl-table2", (ONE,), (DAG, ALL, WW, CS), margin=1.0),
        "one-against-one less the mean of the others, within one point",
    ),
    claim(
        "HL-E3-TIME",
        "section V.B, Table III",
        "one-against-one and DAG are the fastest to train",
        larger,
        Contrast("hl-table3-time", (ALL, WW, CS), (ONE, DAG), logarithm=True),
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
        "HL-E4-KERNEL",
        "section V.B, Table IV",
        "a Gaussian kernel is more accurate than a linear one",
        larger,
        Contrast("hl-table2", FIVE, FIVE, other_study="hl-table4"),
    ),
    claim(
        "HL-E4-SVS",
        "section V.B, Table IV",
        "a linear kernel needs more support vectors",
        larger,
        Contrast("hl-linear", FIVE, FIVE, other_study="hl-table3-svs", logarithm=True),
    ),
    claim(
        "HL-E4-OVA",
        "section V.B, Table IV",
        "one-against-all is the worst with a linear kernel",
        larger,
        Contrast("hl-table4", (ONE, DAG, WW, CS), (ALL,)),
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
        "section V.A",
        "stopped at a violation of 1e-3 (9) and C&S are as accurate as at the optimum",
        within,
        Contrast("hl-epsilon", ("(9) at 1e-3", "C&S at 1e-3"), (WW, CS), margin=0.5),
        "at the same parameters, within half a point",
    ),
)
