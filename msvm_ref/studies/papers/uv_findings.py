"""UV sections 4.4 to 4.7: what they find in Tables 3 to 5 and Figures 4 and 5, on the results that come along."""

from __future__ import annotations

from msvm_ref.studies.experiments.uv import stopped
from msvm_ref.studies.papers.bootstrap import least_often, most_often, problem_over_machine
from msvm_ref.studies.papers.claim import Either
from msvm_ref.studies.papers.findings import (
    ABSOLUTE,
    NINE,
    Contrast,
    all_within,
    claim,
    larger,
    made,
    somewhere,
    within,
)

STOPPED = "uv-table5-stopped"
RBF, LINEAR, SECONDS, SUPPORT = "uv-table4", "uv-table5", "uv-fig4", "uv-fig5"
SEVEN = tuple(c for c in NINE if c not in ("AMO", "ATM"))
EIGHT = tuple(c for c in NINE if c != "MMR")
RIVALS = tuple(c for c in NINE if c != "OVA")


def _spread(problems: float, machines: float) -> Contrast:
    """Sabotage: problems and machines so far apart."""
    table = made(
        {
            (r, c): [problems * j + machines * k]
            for j, r in enumerate("ABCDEFGH")
            for k, c in enumerate(NINE)
        }
    )
    return Contrast(SUPPORT, NINE, given=(table, table))


CLAIMS = (
    claim(
        "UV-E4-BEST",
        "section 4.7, Table 4",
        "with a Gaussian kernel WW and RM are most often best or not significantly worse",
        most_often,
        Contrast(RBF, ("WW", "RM")),
        "counts over data sets, 2000 bootstrap draws of them",
    ),
    claim(
        "UV-E4-MMR",
        "section 4.7, Table 4",
        "with a Gaussian kernel MMR is least often so",
        least_often,
        Contrast(RBF, EIGHT, ("MMR",)),
        "counts over data sets, 2000 bootstrap draws of them",
    ),
    claim(
        "UV-E4-CLOSE",
        "section 4.7, Table 4",
        "with a Gaussian kernel OVA, WW, CS, LLW, ATS and RM are close to each other",
        all_within,
        Contrast(RBF, ("OVA", "WW", "CS", "LLW", "ATS", "RM"), margin=1.0),
        "each less the mean of the other five, data set by data set, 95 %, within one point",
    ),
    claim(
        "UV-E4-SLIGHTLY",
        "section 4.7, Table 4",
        "with a Gaussian kernel OVA, CS, LLW and ATS are at most slightly worse than WW and RM",
        within,
        Contrast(RBF, ("WW", "RM"), ("OVA", "CS", "LLW", "ATS"), margin=1.0),
        "data set by data set, 95 %, within one point",
    ),
    claim(
        "UV-E4-PAR",
        "section 5, Table 4",
        "with a Gaussian kernel the calibrated LLW and RM are on par with WW and CS",
        within,
        Contrast(RBF, ("LLW", "RM"), ("WW", "CS"), margin=1.0),
        "data set by data set, 95 %, within one point",
    ),
    claim(
        "UV-E4-WW-CS",
        "section 5, Table 4",
        "with a Gaussian kernel WW is at least as accurate as CS: no more than half a point behind",
        larger,
        Contrast(RBF, ("WW",), ("CS",), margin=-0.5),
    ),
    claim(
        "UV-E4-SUM",
        "section 5, Table 4",
        "with a Gaussian kernel sums of violations (WW, LLW, ATS) outperform their maxima (CS, AMO, ATM)",
        larger,
        Contrast(RBF, ("WW", "LLW", "ATS"), ("CS", "AMO", "ATM")),
    ),
    claim(
        "UV-E5-SUM",
        "section 5, Table 5",
        "with a linear kernel sums of violations (WW, LLW, ATS) outperform their maxima (CS, AMO, ATM)",
        larger,
        Contrast(LINEAR, ("WW", "LLW", "ATS"), ("CS", "AMO", "ATM")),
    ),
    claim(
        "UV-E5-OVA",
        "section 4.7, Table 5",
        "linear OVA has problems: WW and CS are better",
        larger,
        Contrast(LINEAR, ("WW", "CS"), ("OVA",)),
    ),
    claim(
        "UV-E5-OVA-SOME",
        "section 4.7, Table 5",
        "linear OVA works well in some cases: no more than a point behind the best of the others",
        somewhere,
        Contrast(LINEAR, ("OVA",), RIVALS, of_less="max", margin=-1.0),
        "OVA less the best of the other eight, split by split, 1 - 5 % / data sets",
    ),
    claim(
        "UV-E4-ABALONE",
        "section 4.7, Table 4",
        "AMO and ATM fall behind on Abalone",
        larger,
        Contrast(RBF, SEVEN, ("AMO", "ATM"), row="Abalone"),
    ),
    claim(
        "UV-E4-VEHICLE",
        "section 4.7, Table 4",
        "MMR is not satisfactory on Vehicle",
        larger,
        Contrast(RBF, EIGHT, ("MMR",), row="Vehicle"),
    ),
    claim(
        "UV-E5-ABSOLUTE",
        "section 4.7, Table 5",
        "linear machines of absolute margins break down: WW and CS are better than LLW, AMO, ATS, ATM and RM",
        larger,
        Contrast(LINEAR, ("WW", "CS"), ABSOLUTE),
    ),
    claim(
        "UV-E5-CALIBRATED",
        "section 4.7, Table 5",
        "linear WW and CS outperform the calibrated LLW, ATS and RM",
        larger,
        Contrast(LINEAR, ("WW", "CS"), ("LLW", "ATS", "RM")),
    ),
    claim(
        "UV-E5-LETTER",
        "section 4.7, Table 5",
        "every linear machine of absolute margins breaks down on Letter",
        larger,
        Contrast(LINEAR, ("WW", "CS"), ABSOLUTE, row="Letter", of_less="max", margin=20),
        "the best of the five is 20 points behind the mean of WW and CS, split by split, 95 %",
    ),
    claim(
        "UV-E5-BEST",
        "section 4.7, Table 5",
        "with a linear kernel WW and CS are most often best or not significantly worse",
        most_often,
        Contrast(LINEAR, ("WW", "CS")),
        "counts over data sets, 2000 bootstrap draws of them",
    ),
    claim(
        "UV-E5-WW-CS",
        "section 4.7, Table 5",
        "linear WW has an edge on CS (which they call insignificant)",
        larger,
        Contrast(LINEAR, ("WW",), ("CS",)),
    ),
    claim(
        "UV-E5-STABLE",
        "section 4.7, Table 5",
        "linear WW is more stable than CS: it varies less between splits",
        larger,
        Contrast(LINEAR, ("CS",), ("WW",), of_values="deviation"),
        "deviation over the splits, data set by data set, 95 %",
    ),
    claim(
        "UV-E5-MMR",
        "section 4.7, Table 5",
        "linear MMR is inferior to the mean of the others",
        larger,
        Contrast(LINEAR, EIGHT, ("MMR",)),
    ),
    claim(
        "UV-E5-STOP",
        "section 4.4",
        "stopping at a violation of 1e-3 does not change accuracies",
        within,
        Contrast(STOPPED, tuple(map(stopped, NINE)), NINE, margin=1.0),
        "linear machines by coordinate descent to 1e-3 against certified optima, within one point",
    ),
    claim(
        "UV-E5-LIMIT",
        "section 4.4",
        "the limit of iterations did not influence the outcome: linear OVA on Vehicle is as accurate at the limit",
        within,
        Contrast(STOPPED, (stopped("OVA"),), ("OVA",), row="Vehicle", margin=1.0),
        "coordinate descent to 1e-3 or to UV's limit of 10^5 sweeps against the certified optimum of the same parameters, "
        "split by split, within one point",
    ),
    claim(
        "UV-TAB3-ORDERS",
        "section 4.2, Table 3",
        "grid searches differ by orders of magnitude: machines of absolute margins take a hundred times as long as MMR",
        larger,
        Contrast("uv-table3", ABSOLUTE, ("MMR",), margin=2.0, logarithm=True),
    ),
    claim(
        "UV-TIME-PARAMETERS",
        "section 4.5",
        "training times vary vastly with the hyper-parameters: by a factor of ten and more on a grid",
        larger,
        Contrast("uv-table3-points", NINE, of_values="range", logarithm=True, margin=1.0),
        "largest over smallest seconds of Table 3's 25 points, mean of the nine machines, data set by data set, 95 %",
    ),
    claim(
        "UV-TIME-MMR",
        "section 4.7, Figure 4",
        "MMR is fastest to train",
        larger,
        Contrast(SECONDS, EIGHT, ("MMR",), logarithm=True),
    ),
    claim(
        "UV-TIME-OVA",
        "section 4.7, Figure 4",
        "OVA is faster to train than WW and CS",
        larger,
        Contrast(SECONDS, ("WW", "CS"), ("OVA",), logarithm=True),
    ),
    claim(
        "UV-TIME-WW-CS",
        "section 4.7, Figure 4",
        "WW is faster to train than CS on average",
        larger,
        Contrast(SECONDS, ("CS",), ("WW",), logarithm=True),
    ),
    claim(
        "UV-TIME-ABSOLUTE",
        "section 4.7, Figure 4",
        "machines of absolute margins take ten times as long as WW and CS",
        larger,
        Contrast(SECONDS, ABSOLUTE, ("WW", "CS"), margin=1.0, logarithm=True),
    ),
    claim(
        "UV-SPARSE-PROBLEM",
        "section 4.7, Figure 5",
        "sparsity is a property of the problem more than of the machine",
        problem_over_machine,
        Contrast(SUPPORT, NINE),
        "spread of support between data sets over that between machines, 2000 bootstrap draws",
        Either(_spread(9.0, 1.0), _spread(1.0, 9.0)),
    ),
    claim(
        "UV-SPARSE-RELATIVE",
        "section 4.7, Figure 5",
        "machines of relative margins are sparser than those of absolute ones",
        larger,
        Contrast(SUPPORT, ABSOLUTE, ("WW", "CS")),
    ),
    claim(
        "UV-SPARSE-MMR",
        "section 4.7, Figure 5",
        "MMR does not stand out by its sparsity",
        within,
        Contrast(SUPPORT, ("MMR",), EIGHT, margin=10.0),
        "share of support vectors less the mean of the other eight, data set by data set, 95 %, within ten points",
    ),
)
