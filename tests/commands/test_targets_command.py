"""``msvm-ref targets`` as a person or a pipe uses it."""

from __future__ import annotations

import json
import re

import pytest

from msvm_ref.cli import main
from msvm_ref.fisher import EmbeddedLoss, verify_regret
from msvm_ref.model.catalogue import CATALOGUE, CS, LLW
from msvm_ref.model.machine import OTHERS_SUM, Machine
from msvm_ref.studies.learned import learned, table


def test_the_table(capsys):
    assert main(["targets", "-d", "3"]) == 0
    plain = capsys.readouterr().out
    assert main(["targets", "-d", "3", "--all"]) == 0
    assert capsys.readouterr().out == plain
    lines = plain.splitlines()
    assert "what it learns at d = 3" in lines[0]
    by_name = {line.split("  ")[0]: line for line in lines[1:]}
    assert "LLW, RM(1/2)" in by_name
    assert "argmax, κ = 1" in by_name["ATS"]
    assert 'the class, or "none above 1/2"' in by_name["CS"]
    assert "the least likely class" in by_name["MMR"]


def test_one_machine_in_words_and_as_json(capsys):
    assert main(["targets", "CS", "-d", "4"]) == 0
    text = capsys.readouterr().out
    assert "serves abstain(1/2)" in text
    assert "κ = 2" in text
    assert main(["targets", "CS", "-d", "4", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["serves"] == ["abstain(1/2)"]
    assert EmbeddedLoss.from_json(json.dumps(data["embedded"])).count == 5
    verify_regret(CS, data["constant"])


def test_the_table_as_json(capsys):
    assert main(["targets", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [r["machine"] for r in rows] == [m.name for m in CATALOGUE]
    assert {r["machine"] for r in rows if r["argmax_is_bayes"]} == {"LLW", "RM(1/2)", "ATS"}


def test_one_target(capsys):
    assert main(["targets", "CS", "--target", "abstain(1/2)"]) == 0
    assert "consistent for abstain(1/2) through a link" in capsys.readouterr().out
    assert main(["targets", "CS", "--target", "0-1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["clash"]["optimal"]


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_picture(tmp_path, capsys, ending):
    path = tmp_path / f"cells.{ending}"
    assert main(["targets", "WW", "--plot", str(path)]) == 0
    assert path.stat().st_size > 5000
    assert str(path) in capsys.readouterr().err
    if ending == "svg":
        assert (
            "WW learns an ordered partition" in path.read_text(encoding="utf-8")
            or path.read_text().count("<path") > 12
        )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["WW", "--all"], "one machine, or --all"),
        (["--plot", "x.svg"], "--plot draws one machine"),
        (["WW", "-d", "4", "--plot", "x.svg"], "3 classes"),
        (["WW", "--plot", "x.doc"], ".png or .pdf or .svg"),
        (["--target", "0-1"], "--target asks about one machine"),
        (["WW", "--html", "x.html"], "--html writes one page"),
        (["--html", "/nowhere/at/all/x.html"], "a folder that exists"),
        (["NONE"], "be one of"),
        (["WW", "-d", "9"], "at most 8"),
        (["WW", "-d", "1"], "at least 2"),
        (["WW", "--target", "accuracy"], "be one of"),
        (["WW", "--target", "top-7"], "top-1 to top-2"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_mistakes_end_with_two_and_a_reason(arguments, complaint, capsys):
    assert main(["targets", *arguments]) == 2
    assert complaint in capsys.readouterr().err


def test_machines_that_agree_share_a_line_and_long_losses_are_left_out():
    text = table([learned(m, 4) for m in CATALOGUE if m.name in ("AMO", "ATM", "ATS")])
    assert "AMO, ATM" in text
    assert "the class or the 2 most likely  " in text
    assert max(map(len, text.splitlines())) <= 120


def test_argmax_and_some_other_link_are_told_apart():
    nu = LLW.nu(3)
    turned = [[[nu[y][c][(m + 1) % 3] for m in range(3)] for c in range(3)] for y in range(3)]
    rows = [
        learned(Machine("turned", turned, OTHERS_SUM, 1, True), 3),
        learned(LLW, 3),
        learned(CS, 3),
    ]
    through = [re.split(r" {2,}", line)[3] for line in table(rows).splitlines()]
    assert through == ["0-1 through", "a link, not argmax", "argmax, κ = 1", "no link"]
