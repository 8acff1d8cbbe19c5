"""FH section 5: the single-class method against one-against-all, on the results that come along."""

from __future__ import annotations

from msvm_ref.studies.papers.findings import Contrast, claim, larger, within

SINGLE, REST = ("M-1-SMO", "M-1-KSK"), ("1-a-a SMO",)
CLAIMS = (
    claim(
        "FH-E2-ERROR",
        "section 5, Table 2",
        "the single-class method is comparable in error with one-against-all",
        within,
        Contrast("fh-table2", SINGLE, REST, margin=2.0),
        "test errors, within two points",
    ),
    claim(
        "FH-E2-SVS",
        "Table 2",
        "the single-class method has more support vectors than one-against-all",
        larger,
        Contrast("fh-table2-svs", SINGLE, REST, logarithm=True),
    ),
    claim(
        "FH-E2-TIME",
        "Table 2",
        "the single-class method takes less than ten times as long as one-against-all, and more than a tenth",
        within,
        Contrast("fh-table2-time", SINGLE, REST, margin=1.0, logarithm=True),
        "seconds of our solver, within a factor of ten",
    ),
)
