"""The first problems of the permanent attack: each claim of each certificate against exact numbers; ``.ci/run`` goes on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.adversary import campaign
from tests.adversary.attack import Outcome, attack
from tests.small_problems import thinned

SEED, PROBLEMS = 1, 12
HERE = Path(__file__).parent
SOURCES = "sources.py"
"""The only file that may know a solver or the exact path: for proposals, which are then proved or dropped."""


@pytest.mark.parametrize("index", thinned(range(PROBLEMS), 6))
def test_no_claim_of_the_judge_is_false(index):
    assert attack(SEED, index).failures == []


@pytest.mark.parametrize(
    "path", [p for p in sorted(HERE.glob("*.py")) if p.name != SOURCES], ids=lambda p: p.name
)
def test_what_decides_shares_nothing_with_what_is_attacked(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not any(name.startswith("msvm_ref.") for name in names), names


def test_an_attacker_that_breaks_down_is_counted_as_a_failure(monkeypatch):
    def breaks(seed: int, index: int) -> Outcome:
        raise ZeroDivisionError(f"{seed}, {index}")

    monkeypatch.setattr(campaign, "attack", breaks)
    claims = {failure["claim"] for failure in campaign.part(0, 0).failures}
    assert claims == {"the attacker broke down"}


def test_a_campaign_goes_on_where_it_stopped(tmp_path, monkeypatch):
    """Two runs of one part each count what one run of two does, and the file is whole after each."""

    def counted(seed: int, index: int) -> Outcome:
        outcome = Outcome()
        outcome.count("certificates", "all")
        if index == 13:
            outcome.failures.append({"index": index, "claim": f"of seed {seed}"})
        return outcome

    monkeypatch.setattr(campaign, "attack", counted)
    path = tmp_path / "counts.json"
    for target in (campaign.PART, 2 * campaign.PART):
        state = campaign.load(path, seed=5)
        for _ in campaign.run(state, target, jobs=1):
            campaign.save(path, state)
    state = campaign.load(path, seed=5)
    assert (state["next"], campaign.certificates(state)) == (2 * campaign.PART,) * 2
    assert state["failures"] == [{"index": 13, "claim": "of seed 5"}]
    assert "1 claims broken" in campaign.table(state)
    assert [p.name for p in tmp_path.iterdir()] == ["counts.json"]
    with pytest.raises(SystemExit, match="another seed"):
        campaign.load(path, seed=6)
