"""A badge says what its report says, and no more."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from msvm_ref.conformance.badge import AMBER, GREEN, RED, badge, main, summary
from msvm_ref.errors import DataError


def report(*statuses, worst=1e-9):
    records = [{"status": status} for status in statuses]
    return {"solvers": [{"records": records, "worst_error": worst}]}


@pytest.mark.parametrize(
    ("given", "color", "words"),
    [
        (report("passed", "passed", "skipped"), GREEN, "2 checks, error ≤ 1e-09"),
        (report("passed", "expected failure", worst=0.1), AMBER, "1 known to fail"),
        (report("passed", "failed"), RED, "fails 1 of 2"),
        (report("skipped", "skipped"), RED, "fails 0 of 2"),
        (report("passed", worst=None), RED, "not bounded"),
    ],
)
def test_colour_and_words_follow_the_records(given, color, words):
    told, shade = summary(given)
    assert words in told
    assert shade == color
    assert ElementTree.fromstring(badge(given)).tag.endswith("svg")


def test_a_failing_solver_is_not_called_certified():
    assert "certified" not in badge(report("passed", "failed"))


@pytest.mark.parametrize("given", [{}, {"solvers": []}, {"solvers": [{}]}, {"solvers": "x"}])
def test_what_is_no_report_is_refused(given):
    with pytest.raises(DataError, match="report"):
        summary(given)


def test_at_the_shell(tmp_path, capsys):
    source, target = tmp_path / "r.json", tmp_path / "b.svg"
    source.write_text(json.dumps(report("passed")))
    assert main([str(source), str(target)]) == 0
    assert "1 checks" in target.read_text(encoding="utf-8")
    source.write_text("[]")
    assert main([str(source), str(target)]) == 2
    assert main([str(tmp_path / "none.json"), str(target)]) == 2
    assert main([]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3
