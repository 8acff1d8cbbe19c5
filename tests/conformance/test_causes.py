"""Each hypothesis is named for the wrong solver that only it explains; one cause is said once; a right solver has none."""

from __future__ import annotations

import pytest

from msvm_ref.conformance.outcomes import Entry, run
from tests.conformance.causes_zoo import CAUSES
from tests.conformance.zoo import TRUTHS, solved


@pytest.fixture(autouse=True)
def _solve_each_problem_once(monkeypatch):
    for module in ("diagnosis", "repairs", "other_objectives"):
        monkeypatch.setattr(f"msvm_ref.conformance.{module}.solve", solved)


def causes(solver, claim, *checks):
    return run(Entry(solver, None, claim, checks=checks), truths=TRUTHS).causes


@pytest.mark.parametrize("name", CAUSES)
def test_the_cause_is_named(name):
    solver, claim, check, words = CAUSES[name]
    (found,) = causes(solver, claim, check)
    assert words in found.sentence, found.sentence
    assert "on this case" not in found.sentence
