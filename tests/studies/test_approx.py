"""``msvm-ref approx``: a row for every rank and basis, certified, a picture, and refusals."""

from __future__ import annotations

import json

import pytest

from msvm_ref.cli import main
from msvm_ref.commands.approx import table_of
from msvm_ref.studies.approx import TradeOffPoint


def test_table_json_and_picture(tmp_path, capsys):
    out = tmp_path / "trade.png"
    assert (
        main(["approx", "iris", "--halvings", "1", "--C", "1", "--json", "--plot", str(out)]) == 0
    )
    told = json.loads(capsys.readouterr().out)
    points = told["points"]
    assert "75 to train, 75 to test" in told["title"]
    assert out.stat().st_size > 10_000
    lines = table_of([TradeOffPoint(**p) for p in points])
    assert len(lines) == 1 + 3 * 2 + 1
    assert lines[1].startswith("kpca")
    assert {p["kind"] for p in points} == {
        "kpca",
        "incomplete-cholesky",
        "leading-subset",
        "one-vs-rest",
    }
    for p in points:
        assert p["relative_gap"] <= 1e-4
        assert p["test_error"] < 0.2
    full, half = points[0], points[1]
    assert full["trace_error"] < 1e-12 < half["trace_error"]
    assert half["rank"] == 37


@pytest.mark.parametrize(
    "arguments",
    [
        ["--test", "0"],
        ["--plot", "nowhere/x.png"],
        ["--C", "-1"],
        ["--kernel", "rbf:0"],
        ["--halvings", "-1"],
        ["--test", "0.999"],
    ],
)
def test_bad_arguments_end_with_2(arguments, capsys):
    assert main(["approx", "iris", *arguments]) == 2
    assert capsys.readouterr().err


def test_an_unknown_file_ends_with_2(capsys):
    assert main(["approx", "no-such-file.csv"]) == 2
    assert "no-such-file" in capsys.readouterr().err
