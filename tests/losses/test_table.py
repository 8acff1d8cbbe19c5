"""The documentation's table of frameworks says what is so: machine, consistency and what is learned, row by row."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import msvm_ref as mr
from msvm_ref.conformance.losses.convention import OURS
from msvm_ref.conformance.losses.literals import LITERALS
from tests.small_problems import NIGHTLY

PAGE = Path(__file__).parents[2] / "docs" / "losses.md"
ROWS = [
    [cell.strip() for cell in line.strip("| \n").split(" | ")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if re.match(r"\| [^|]+\| (`[a-z-]+`(, )?)+ \|", line)
]
SIZES = (3, 4, 10) if NIGHTLY else (3, 4)


def claims():
    """(convention, power, is it consistent, what it learns) of every row; a row of both powers is two."""
    for row in ROWS:
        convention = re.findall(r"`([a-z-]+)`", row[1])[0]
        consistent, learns = row[5], row[6].rstrip("|").strip() if len(row) > 6 else ""
        if "p = 2" in consistent:
            yield convention, 1, False, learns.removeprefix("p = 1: ")
            yield convention, 2, True, ""
        else:
            yield convention, 2 if "p = 2" in row[0] else None, consistent == "yes", learns


def test_every_convention_has_a_row():
    named = {name for row in ROWS for name in re.findall(r"`([a-z-]+)`", row[1])}
    assert named == set(LITERALS) - {OURS.name}


@pytest.mark.parametrize(("convention", "power", "consistent", "learns"), list(claims()))
def test_consistency_and_target_are_as_the_table_says(convention, power, consistent, learns):
    machine = LITERALS[convention].machine_at(None, power)
    for d in SIZES:
        verdict = mr.fisher_consistency(machine, d)
        assert verdict.consistent == consistent
        verdict.verify()
    if learns:
        for d in (3, 4):
            assert f"learns {learns}" in str(mr.fisher.embedded_loss(machine, d)).splitlines()[0]


def test_the_mean_is_over_what_the_table_says():
    for row in ROWS:
        for name in re.findall(r"`([a-z-]+)`", row[1]):
            convention = LITERALS[name]
            told = "not reduced" if convention.reduction == "none" else convention.mean_over
            assert row[4] == told
