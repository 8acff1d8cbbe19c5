"""``msvm-ref validate`` over losses, and the commands around it."""

from __future__ import annotations

import json

import pytest

from msvm_ref.cli import main

MINE = """
import numpy as np

def right(scores, y, reduction="mean"):
    if ((y < 0) | (y >= scores.shape[1])).any():
        raise ValueError("label")
    n = np.arange(len(y))
    t = np.maximum(0, 1 - (scores[n, y][:, None] - scores) / 2)
    t[n, y] = 0
    each = t.sum(axis=1)
    print("a loss may print")
    if reduction == "none":
        return each.astype(scores.dtype)
    return (each.sum() if reduction == "sum" else each.mean() if len(y) else 0.0)

def margin_one(scores, y):
    n = np.arange(len(y))
    t = np.maximum(0, 1 - (scores[n, y][:, None] - scores))
    t[n, y] = 0
    return t.sum(axis=1).mean()
"""
QUICK = ["--check", "check_value", "--check", "check_reductions"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mylosses.py").write_text(MINE)
    import sys

    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "mylosses", raising=False)
    return tmp_path


def test_a_right_loss_passes_and_may_print(folder, capsys):
    assert main(["validate", "--loss", "mylosses:right", "--machine", "WW", *QUICK]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[1].startswith("ok     mylosses.right  WW  2 checks pass")
    assert "a loss may print" not in out


def test_a_wrong_loss_fails_with_its_diagnosis_in_80_columns(folder, capsys):
    arguments = ["validate", "--loss", "mylosses:margin_one", "--machine", "WW"]
    assert main([*arguments, "--report", "out.html", "--report", "out.json"]) == 1
    out = capsys.readouterr().out
    assert "FAILS  mylosses.margin_one  WW  fails" in out
    assert "this is WW with margin f_y - f_c >= 1: sum_(c != y)" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
    report = json.loads((folder / "out.json").read_text())
    assert not report["passed"]
    assert report["losses"][0]["records"][0]["status"] == "failed"
    assert "FAILS" in (folder / "out.html").read_text()


def test_json_and_expected_failures(folder, capsys):
    arguments = ["validate", "--loss", "mylosses:margin_one", "--machine", "WW", "--json"]
    known = ["--check", "check_value", "--expect", "check_value=margin 1"]
    assert main([*arguments, *known]) == 0
    assert json.loads(capsys.readouterr().out)["losses"][0]["passed"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--loss", "a:b", "--loss-command", "./x"], "give one loss"),
        (["torch", "--loss", "a:b"], "give one loss"),
        (["torch", "--machine", "WW"], "the list says --machine for each loss"),
        (["torch", "--expect", "check_value=x"], "the list says --expect"),
        (["--loss", "mylosses:right", "--bias", "free"], "--bias is for a solver"),
        (["--loss", "mylosses:right", "--check", "check_vaule"], "did you mean check_value?"),
        (["--loss", "mylosses", "--machine", "WW"], "loss must be package.module:Name"),
        (["--loss", "mylosses:absent", "--machine", "WW"], "importable"),
        (["--loss", "mylosses:right"], "machine must be given"),
        (["--loss", "mylosses:right", "--convention", "torhc"], "convention must be one of"),
        (["--loss-command", "./none", "--machine", "WW"], "name a program that can be run"),
        (["--loss-command", "cat", "--isolate"], "neither --framework nor --isolate"),
        (["sklearn", "--reduction", "sum"], "--reduction is for a loss"),
        (["torhc", "--machine", "WW"], "did you mean torch?"),
    ],
)
def test_what_cannot_be_followed_is_said_in_one_line(folder, capsys, arguments, words):
    assert main(["validate", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert len(said.strip().splitlines()) == 1


def test_a_framework_that_is_missing_says_how_to_install_it(capsys, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["validate", "torch"]) == 2
    assert "pip install torch" in capsys.readouterr().err


def test_checks_of_losses_are_listed(capsys):
    assert main(["checks", "--loss"]) == 0
    assert "29 checks" in capsys.readouterr().out
    assert main(["checks", "--loss", "check_kinks"]) == 0
    assert "violation is exactly 0" in capsys.readouterr().out


def test_loss_vectors_are_listed_shown_verified_and_exported(capsys, tmp_path):
    assert main(["vectors", "list", "--losses", "--machine", "CS", "--flag", "tie"]) == 0
    assert "loss-CS-linear-d3-tie" in capsys.readouterr().out
    assert main(["vectors", "show", "loss-CS-linear-d3-tie", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["result"] == "valid"
    assert main(["vectors", "export", str(tmp_path / "out"), "-q"]) == 0
    losses = tmp_path / "out" / "losses"
    assert {"WW.json", "schema.json", "example.js", "SHA256SUMS"} <= {
        p.name for p in losses.iterdir()
    }
    assert main(["vectors", "verify", str(losses / "MMR.json")]) == 0
    text = (losses / "MMR.json").read_text()
    (losses / "MMR.json").write_text(text.replace('"loss":"', '"loss":"1', 1))
    assert main(["vectors", "verify", str(losses / "MMR.json")]) == 1
