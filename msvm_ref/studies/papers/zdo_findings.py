"""ZDO section 1.3: the m-SVM against one-vs-rest, and what a low rank saves and costs, on the results that come along."""

from __future__ import annotations

from msvm_ref.studies.experiments.zdo import BASES, HALVINGS, SIZES, WORDS, column
from msvm_ref.studies.papers.findings import Contrast, apart, claim, larger, somewhere, within

ERROR, SECONDS = "zdo-fig1", "zdo-fig1-time"
FULL = tuple(BASES)
KPCA, CHOLESKY = (tuple(column(b, k) for k in range(1, HALVINGS + 1)) for b in FULL)
LOW = (*KPCA, *CHOLESKY)
"""Every rank below the full one, from a half to 1/64."""
QUARTER = (column(FULL[0], 2), column(FULL[1], 2))
"""Where the sentence on SAT (soon as accurate) is read, and so the one on DNA that it is held against."""
SMALL = tuple(f"{name} {WORDS[0]}" for name in SIZES)
EVERY = "mean over the ranks from a half to 1/64"
CLAIMS = (
    claim(
        "ZDO-E1-EQUAL",
        "section 1.4, Table 1.1",
        "the m-SVM and one-vs-rest are about equally accurate",
        within,
        Contrast("zdo-table1", ("m-SVM",), ("one vs. rest",), only=SMALL, margin=1.0),
        "test errors of the small sets, for which they print both, data set by data set, 95 %, within one point",
    ),
    claim(
        "ZDO-E1-SEG",
        "Table 1.1; no sentence of theirs",
        "the m-SVM is better than one-vs-rest on the small segment data",
        larger,
        Contrast("zdo-table1", ("one vs. rest",), ("m-SVM",), row="SEG small"),
    ),
    claim(
        "ZDO-F1-FASTER",
        "section 1.3.2, Figure 1.1",
        "a low rank makes training faster",
        larger,
        Contrast(SECONDS, FULL, LOW, logarithm=True),
        f"full rank against the {EVERY} and both bases, data set by data set, 95 %",
    ),
    claim(
        "ZDO-F1-SAT",
        "section 1.3.2, Figure 1.1",
        "on the satellite data a low rank soon is as accurate as the full one",
        within,
        Contrast(ERROR, QUARTER, FULL, row="SAT large", margin=1.0),
        "errors at a quarter of the rank less those at the full one, both bases, split by split, 95 %, within one point",
    ),
    claim(
        "ZDO-F1-DNA",
        "section 1.3.2, Figure 1.1",
        "on the dna data accuracy deteriorates with the rank",
        larger,
        Contrast(ERROR, QUARTER, FULL, row="DNA large", margin=1.0),
        "at SAT's rank and by its margin: errors at a quarter of the rank are more than a point above those at the full one",
    ),
    claim(
        "ZDO-F1-WAV",
        "section 1.3.2, Figure 1.1",
        "on the waveform data KPCA and Cholesky differ",
        apart,
        Contrast(ERROR, CHOLESKY, KPCA, row="WAV large", margin=1.0),
        f"errors, {EVERY}, split by split, 95 %, more than a point apart",
    ),
    claim(
        "ZDO-F1-SEG",
        "section 1.3.2, Figure 1.1",
        "on the segment data KPCA and Cholesky differ",
        apart,
        Contrast(ERROR, CHOLESKY, KPCA, row="SEG large", margin=1.0),
        f"errors, {EVERY}, split by split, 95 %, more than a point apart",
    ),
    claim(
        "ZDO-F1-SEG-BETTER",
        "section 1.3.2, Figure 1.1",
        "on the segment data a KPCA that is faster is more accurate, too",
        somewhere,
        Contrast(ERROR, FULL[:1], KPCA, row="SEG large"),
        "error at the full rank less that at one of the six lower ones, split by split, 1 - 5 % / 6",
    ),
)
