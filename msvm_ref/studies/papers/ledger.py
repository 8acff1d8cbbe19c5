"""The ledger: every claim of the six papers, run together, beside the verdicts that were last agreed on.

``expected.json`` is a golden file: it decides no verdict, it only says when one has changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.resources import files

from msvm_ref.errors import DataError
from msvm_ref.studies.papers.claim import Claim, Decision, Verdict

PAPERS = {
    "UV": "Dogan, Glasmachers, Igel: A Unified View on Multi-class Support Vector Classification, JMLR 2016",
    "HL": "Hsu, Lin: A Comparison of Methods for Multiclass Support Vector Machines, IEEE TNN 2002",
    "FH": "Franc, Hlaváč: Multi-class Support Vector Machine, ICPR 2002",
    "ZDO": "Zien, De Bona, Ong: Training and Approximation of a Primal Multiclass SVM, 2007",
    "NP": "Narsky, Porter: Multiclass Extensions of Support Vector Machines, 2013",
    "APS": "Ávila Pires, Szepesvári: Multiclass Classification Calibration Functions, 2016 (its abstract)",
}
MODULES = {
    "UV": (
        "uv_dual",
        "uv_margins",
        "uv_operators",
        "uv_machines",
        "uv_fisher",
        "uv_limits",
        "uv_regimes",
        "uv_findings",
        "uv_spreads",
        "uv_shared",
        "uv_figures",
    ),
    "HL": ("hl_ww", "hl_cs", "hl_rules", "hl_findings"),
    "FH": ("fh", "fh_findings"),
    "ZDO": ("zdo", "zdo_joint", "zdo_findings"),
    "NP": ("narsky_porter", "np_solutions"),
    "APS": ("aps",),
}


@lru_cache
def claims_of(paper: str) -> tuple[Claim, ...]:
    """The claims of one paper; loads the modules of no other."""
    modules = [import_module(f"msvm_ref.studies.papers.{name}") for name in MODULES[paper]]
    return tuple(claim for module in modules for claim in module.CLAIMS)


def all_claims() -> tuple[Claim, ...]:
    """Every claim, paper by paper."""
    return tuple(claim for paper in PAPERS for claim in claims_of(paper))


def select(paper: str | None = None, id: str | None = None) -> tuple[Claim, ...]:
    """The claims of a paper, or those whose id is ``id`` or begins with ``id-`` (UV-C1 is Corollary 1, machine by machine)."""
    if paper is not None and paper.upper() not in PAPERS:
        raise DataError("paper", f"be one of {', '.join(PAPERS)}", repr(paper))
    prefix = None if id is None else id.upper()
    papers = [paper.upper()] if paper is not None else list(PAPERS)
    if prefix is not None and prefix.partition("-")[0] in PAPERS:
        papers = [name for name in papers if name == prefix.partition("-")[0]]
    chosen = tuple(
        c
        for name in papers
        for c in claims_of(name)
        if prefix is None or c.id == prefix or c.id.startswith(f"{prefix}-")
    )
    if not chosen:
        raise DataError("id", "be the id of a claim", repr(id), "msvm-ref claims lists them")
    return chosen


def run(
    claims: Sequence[Claim], progress: Callable[[str], None] | None = None
) -> tuple[Decision, ...]:
    """Decide each claim; ``progress`` is told its id."""
    decisions = []
    for claim in claims:
        decisions.append(claim.decide())
        if progress is not None:
            progress(claim.id)
    return tuple(decisions)


def expected() -> dict[str, str]:
    """id -> the verdict last agreed on."""
    table: dict[str, str] = json.loads(
        files("msvm_ref.studies.papers").joinpath("expected.json").read_text(encoding="utf-8")
    )
    return table


def surprises(decisions: Sequence[Decision]) -> list[str]:
    """What differs from the expected verdicts, one line each."""
    verdicts = expected()
    return [
        f"{d.claim.id}: {d.verdict}, expected {verdicts.get(d.claim.id, 'nothing: the claim is new')}"
        for d in decisions
        if str(d.verdict) != verdicts.get(d.claim.id)
    ]


def counts(decisions: Sequence[Decision]) -> dict[Verdict, int]:
    """Verdicts on the papers' mathematics; what was found here is not among them."""
    theirs = [d.verdict for d in decisions if not (d.claim.found_here or d.claim.experiment)]
    return {verdict: theirs.count(verdict) for verdict in Verdict if verdict != Verdict.NOT_SHOWN}


def experiment_counts(decisions: Sequence[Decision]) -> dict[Verdict, int]:
    """Verdicts on what the papers say of their experiments."""
    theirs = [d.verdict for d in decisions if d.claim.experiment]
    return {v: theirs.count(v) for v in (Verdict.HOLDS, Verdict.NOT_SHOWN, Verdict.FAILS)}


def totals(decisions: Sequence[Decision]) -> str:
    count = counts(decisions)
    printed, ours = sum(count.values()), sum(d.claim.found_here for d in decisions)
    parts = []
    if printed:
        parts.append(
            f"{printed} claim{'s' if printed != 1 else ''}: {count[Verdict.HOLDS]} hold · "
            f"{count[Verdict.CORRECTED]} hold with a correction · {count[Verdict.PART]} hold in part · "
            f"{count[Verdict.FAILS]} fail"
        )
    if ours:
        parts.append(f"{ours} found here")
    if any((seen := experiment_counts(decisions)).values()):
        parts.append(
            f"{sum(seen.values())} of experiments: {seen[Verdict.HOLDS]} hold · {seen[Verdict.NOT_SHOWN]} not shown · "
            f"{seen[Verdict.FAILS]} fail"
        )
    return "; ".join(parts)
