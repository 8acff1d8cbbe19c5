"""The ledger against its golden verdicts, and every check against its sabotage: a check that cannot fail is none."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from msvm_ref.cli import main
from msvm_ref.errors import DataError, MsvmError
from msvm_ref.pages import provenance
from msvm_ref.studies.papers import ledger
from msvm_ref.studies.papers.claim import Claim, Decision, Evidence, Verdict
from msvm_ref.studies.papers.report import as_dict, in_full, page, table
from tests.small_problems import by_night

ROOT = Path(__file__).parents[3]
CLAIMS = ledger.all_claims()
EXPECTED = ledger.expected()
LONG = {"UV-T8-LIMIT", "FH-BSVM", "UV-NOISY", "NP-TREE", "UV-STEINWART"}


@pytest.mark.parametrize(
    "claim",
    [pytest.param(c, marks=[by_night] if c.id in LONG else []) for c in CLAIMS],
    ids=lambda c: c.id,
)
def test_the_verdict_is_the_expected_one_and_sabotage_changes_it(claim):
    decision = claim.decide()
    assert str(decision.verdict) == EXPECTED[claim.id], decision.shown
    if claim.experiment:
        assert decision.verdict in (Verdict.HOLDS, Verdict.NOT_SHOWN, Verdict.FAILS)
        assert decision.corrected is None
        if decision.verdict != Verdict.NOT_SHOWN:  # thinned or not, it says so
            assert any(word in decision.shown for word in ("quick", "paper"))
    try:
        sabotaged = claim.sabotaged().decide()
    except MsvmError:  # the thing put in its place is refused
        return
    assert sabotaged.verdict is not decision.verdict, (
        f"{claim.sabotaged_by} goes unseen: {sabotaged.printed.shown}"
    )


def test_the_golden_file_is_about_these_claims():
    assert list(EXPECTED) == [claim.id for claim in CLAIMS]
    assert len(set(EXPECTED)) == len(EXPECTED)


def test_every_erratum_is_demonstrated_by_a_claim_that_does_not_simply_hold():
    """By one of the papers' statements that is false as printed, or by what was found here in its place."""
    shown = {
        erratum
        for claim in CLAIMS
        if EXPECTED[claim.id] != "HOLDS" or claim.found_here
        for erratum in claim.errata
    }
    assert shown == {f"E{k}" for k in range(1, 28)}
    assert not any(
        claim.errata for claim in CLAIMS if EXPECTED[claim.id] == "HOLDS" and not claim.found_here
    )


def test_the_errata_are_a_page_that_names_the_claims_that_show_them():
    text = (ROOT / "docs/mathematics.md").read_text(encoding="utf-8")
    sections = {
        m[1].upper(): m[2]
        for m in re.finditer(r'<a id="(e\d+)"></a>(.*?)(?=\n### |\n## )', text, re.S)
    }
    assert set(sections) == {f"E{k}" for k in range(1, 28)}
    for erratum, words in sections.items():
        named = re.search(r"\*Claims? (.*?)\.\*", words, re.S)
        assert named is not None, f"{erratum} names no claim"
        cited = set(re.split(r",\s+", named[1]))
        assert cited == {c.id for c in CLAIMS if erratum in c.errata}, erratum
    cited_in_code = {
        number
        for source in (ROOT / "msvm_ref").rglob("*.py")
        for number in re.findall(r"mathematics\.md, (E\d+)", source.read_text(encoding="utf-8"))
    }
    assert cited_in_code <= set(sections)


def test_a_corrected_claim_has_words_for_its_correction_and_no_other_has():
    for claim in CLAIMS:
        repaired = EXPECTED[claim.id] in ("HOLDS WITH A CORRECTION", "HOLDS IN PART")
        assert (claim.corrected is not None) == bool(claim.correction) == repaired
        assert claim.cut == (EXPECTED[claim.id] == "HOLDS IN PART")


def test_a_domain_that_must_be_cut_is_one_verdict_whatever_is_cut():
    """ATS to d <= 3 and RM to g <= 1/2 are judged alike."""
    assert EXPECTED["UV-C1-ATS"] == EXPECTED["UV-C1-RM"] == EXPECTED["UV-T7"] == "HOLDS IN PART"


def test_what_was_found_here_holds_and_is_in_no_count_of_the_papers():
    ours = [claim for claim in CLAIMS if claim.found_here]
    assert {
        "UV-ORTHO-BIAS",
        "UV-C1-TARGET",
        "ZDO-CONVEX",
        "HL-21",
        "UV-RM1-MMR",
        "NP-GROUP",
        "NP-DAG-WINNER",
    } <= {claim.id for claim in ours}
    assert all(EXPECTED[claim.id] == "HOLDS" for claim in ours)
    printed = Evidence(True, "so")
    decisions = [Decision(claim, printed, None, 0.0) for claim in CLAIMS]
    seen = sum(claim.experiment for claim in CLAIMS)
    assert ledger.counts(decisions)[Verdict.HOLDS] == len(CLAIMS) - len(ours) - seen
    assert f"; {len(ours)} found here; {seen} of experiments: {seen} hold" in ledger.totals(
        decisions
    )
    assert ledger.totals([Decision(ours[0], printed, None, 0.0)]) == "1 found here"


def test_restored_formulas_say_so_each_and_no_other_does():
    formulas = [claim for claim in CLAIMS if not claim.experiment]
    assert {claim.paper for claim in CLAIMS if claim.restored} == {"HL"}
    assert all(bool(claim.restored) == (claim.paper == "HL") for claim in formulas)
    claim = next(c for c in CLAIMS if c.id == "HL-22")
    decision = Decision(claim, Evidence(True, "so"), None, 0.0)
    for text in (
        in_full(decision),
        table([decision]),
        str(as_dict([decision])),
        page([decision], {}, provenance()),
    ):
        assert "was restored" in text
    other = Decision(CLAIMS[0], Evidence(True, "so"), None, 0.0)
    assert "was restored" not in in_full(other) + table([other]) + page([other], {}, provenance())


def below(limit):
    return Evidence(
        limit > 3, f"3 < {limit}" if limit > 3 else f"3 is not below {limit}", {"limit": limit}
    )


TOY = Claim("UV-TOY", "(0)", "3 is below the limit", "one number", below, 4, 2, "limit 2")


@pytest.mark.parametrize(
    ("printed", "corrected", "verdict"),
    [
        (4, None, Verdict.HOLDS),
        (4, 2, Verdict.HOLDS),
        (2, 4, Verdict.CORRECTED),
        (2, 1, Verdict.FAILS),
        (2, None, Verdict.FAILS),
    ],
)
def test_the_verdict_follows_from_the_check(printed, corrected, verdict):
    assert replace(TOY, printed=printed, corrected=corrected).decide().verdict is verdict


@pytest.mark.parametrize(
    ("printed", "corrected", "verdict"),
    [(4, 5, Verdict.HOLDS), (2, 4, Verdict.PART), (2, 1, Verdict.FAILS)],
)
def test_a_cut_that_saves_the_statement_is_a_part_of_it(printed, corrected, verdict):
    claim = replace(TOY, printed=printed, corrected=corrected, correction="from 4 on", cut=True)
    decision = claim.decide()
    assert decision.verdict is verdict
    assert ("from 4 on" in decision.shown) == (verdict is Verdict.PART)
    assert ("in part" in in_full(decision)) == (decision.corrected is not None)


def test_a_check_that_cannot_fail_is_found():
    blind = replace(TOY, check=lambda form: Evidence(True, "always"))
    assert blind.sabotaged().decide().verdict is blind.decide().verdict
    assert TOY.sabotaged().decide().verdict is Verdict.FAILS


def test_families_and_unknown_ids():
    assert {claim.id for claim in ledger.select(id="uv-c1")} >= {
        "UV-C1-ATS",
        "UV-C1-LLW",
        "UV-C1-RM",
    }
    assert [claim.id for claim in ledger.select(id="HL-7")] == ["HL-7"]
    assert {claim.paper for claim in ledger.select("np")} == {"NP"}
    for wrong in ({"paper": "XY"}, {"id": "UV-C"}, {"paper": "HL", "id": "UV-5"}):
        with pytest.raises(DataError):
            ledger.select(**wrong)


def test_the_shell_shows_a_family_a_claim_and_json(capsys):
    assert main(["claims", "--id", "UV-C1"]) == 0
    out = capsys.readouterr().out
    assert "HOLDS IN PART" in out
    assert "HOLDS (found here)" in out
    assert (
        "P = (2/5, 3/10, 1/5, 1/10) has f* = (1, 1, -1, -1), risk 16/5; (3, -1, -1, -1) has 18/5"
        in out
    )
    assert out.splitlines()[-1] == (
        "9 claims: 7 hold · 0 hold with a correction · 2 hold in part · 0 fail; 1 found here"
    )
    assert main(["claims", "--id", "HL-7"]) == 0
    out = capsys.readouterr().out
    assert (
        "as printed  false: six points, C = 12: 448/3 at the solution of (4), optimum 330064/2245"
        in out
    )
    assert "(erratum E12)" in out
    assert main(["claims", "--id", "HL-5A", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["totals"] == {
        "HOLDS": 1,
        "HOLDS WITH A CORRECTION": 0,
        "HOLDS IN PART": 0,
        "FAILS": 0,
        "found here": 1,
    }
    assert [c["found_here"] for c in printed["claims"]] == [False, True]
    assert printed["claims"][1]["printed"]["numbers"]["rank, k"]["four classes"] == [3, 4]


def test_a_changed_verdict_is_exit_status_1_and_misuse_2(capsys, monkeypatch):
    monkeypatch.setattr(ledger, "expected", lambda: EXPECTED | {"HL-5A": "FAILS"})
    assert main(["claims", "--id", "HL-5A"]) == 1
    assert "changed: HL-5A: HOLDS, expected FAILS" in capsys.readouterr().err
    for wrong in (
        ["--paper", "XY"],
        ["--id", "nothing"],
        ["--id", "HL-5A", "--report", "page.txt"],
    ):
        assert main(["claims", *wrong]) == 2


def test_the_report_has_numbers_and_pictures(tmp_path, capsys):
    page = tmp_path / "claims.html"
    assert main(["claims", "--id", "UV-C1-ATS", "--report", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("data:image/png;base64,") == 2
    assert "class=caution><span class=verdict>HOLDS IN PART</span>" in text
    assert text.index("What holds in part") > 0
    assert "docs/mathematics.md#e1'>E1</a>" in text
    assert "UTC" in text  # when, and with what
    assert "&quot;risk&quot;: &quot;16/5&quot;" in text
    capsys.readouterr()
