"""The ledger against its golden verdicts, and every check against its sabotage: a check that cannot fail is none."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from msvm_ref.cli import main
from msvm_ref.errors import DataError, MsvmError
from msvm_ref.studies.papers import ledger
from msvm_ref.studies.papers.claim import Claim, Evidence, Verdict

CLAIMS = ledger.all_claims()
EXPECTED = ledger.expected()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_the_verdict_is_the_expected_one_and_sabotage_changes_it(claim):
    decision = claim.decide()
    assert str(decision.verdict) == EXPECTED[claim.id], decision.shown
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
    shown = {
        erratum for claim in CLAIMS if EXPECTED[claim.id] != "HOLDS" for erratum in claim.errata
    }
    assert shown == {f"E{k}" for k in range(1, 24)}
    assert not any(claim.errata for claim in CLAIMS if EXPECTED[claim.id] == "HOLDS")


def test_a_corrected_claim_has_words_for_its_correction_and_no_other_has():
    for claim in CLAIMS:
        assert (
            (claim.corrected is not None)
            == bool(claim.correction)
            == (EXPECTED[claim.id] == "HOLDS WITH A CORRECTION")
        )


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
    assert "FAILS" in out
    assert (
        "P = (2/5, 3/10, 1/5, 1/10) has f* = (1, 1, -1, -1), risk 16/5; (3, -1, -1, -1) has 18/5"
        in out
    )
    assert out.splitlines()[-1] == "10 claims: 7 hold · 2 hold with a correction · 1 fail"
    assert main(["claims", "--id", "HL-7"]) == 0
    out = capsys.readouterr().out
    assert (
        "as printed  false: six points, C = 12: 448/3 at the solution of (4), optimum 330064/2245"
        in out
    )
    assert "(erratum E12)" in out
    assert main(["claims", "--id", "HL-5A", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["totals"] == {"HOLDS": 0, "HOLDS WITH A CORRECTION": 1, "FAILS": 0}
    assert printed["claims"][0]["printed"]["numbers"]["rank, k"]["four classes"] == [3, 4]


def test_a_changed_verdict_is_exit_status_1_and_misuse_2(capsys, monkeypatch):
    monkeypatch.setattr(ledger, "expected", lambda: EXPECTED | {"HL-5A": "HOLDS"})
    assert main(["claims", "--id", "HL-5A"]) == 1
    assert "changed: HL-5A: HOLDS WITH A CORRECTION, expected HOLDS" in capsys.readouterr().err
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
    assert "class=bad><span class=verdict>FAILS</span>" in text
    assert text.index("What fails") > 0
    assert "docs/mathematics.md#e1'>E1</a>" in text
    assert "UTC" in text  # when, and with what
    assert "&quot;risk&quot;: &quot;16/5&quot;" in text
    capsys.readouterr()
