"""What one command writes another reads: solve, fit and validate's reports into certify, diagnose and predict."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.cli import main
from msvm_ref.commands.certify import advice, verdict_of
from msvm_ref.commands.listing import COMMANDS, whole_parser
from msvm_ref.commands.table import folded
from tests.commands.terminal import environment
from tests.small_problems import blobs

X, Y = blobs(3, per_class=6)
BUGGY = """
import msvm_ref as mr

def half(X, y, C):
    s = mr.solve(mr.Problem(mr.WW, X, y, C=C / 2))
    return {"W": s.W, "classes": s.problem.classes}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    rows = [";".join([*map(repr, map(float, x)), "abc"[y]]) for x, y in zip(X, Y, strict=True)]
    names = ";".join([*"uvwxyz"[: X.shape[1]], "species"])
    (tmp_path / "data.csv").write_text("\n".join([names, *rows]))
    return tmp_path


def out_of(capsys, *arguments, status=0):
    capsys.readouterr()
    assert main(list(arguments)) == status, capsys.readouterr().err
    return capsys.readouterr().out


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly:2:0.5"])
def test_what_solve_prints_is_certified_diagnosed_and_predicts(folder, capsys, kernel):
    text = out_of(capsys, "solve", "data.csv", "--machine", "CS", "--kernel", kernel, "--json")
    (folder / "solution.json").write_text(text)
    told = json.loads(out_of(capsys, "certify", "solution.json", "--json"))
    assert told["verdict"] == "OPTIMAL"
    assert out_of(capsys, "certify", "data.csv", "solution.json").startswith("OPTIMAL at 1e-06")
    assert "optimal as claimed" in out_of(capsys, "diagnose", "solution.json")
    labels = out_of(capsys, "predict", "solution.json", "data.csv").split()
    assert set(labels) <= set("abc")
    scored = json.loads(
        out_of(capsys, "predict", "solution.json", "data.csv", "--score", "--verify", "--json")
    )
    assert scored["labels"] == labels
    assert scored["verified"]


def test_what_fit_saves_is_certified_on_its_data_and_refused_on_others(folder, capsys):
    out_of(capsys, "fit", "data.csv", "--save", "model.json", "--tolerance", "1e-8")
    assert out_of(capsys, "certify", "model.json").startswith("OPTIMAL")
    assert out_of(capsys, "certify", "data.csv", "model.json").startswith("OPTIMAL")
    (folder / "fewer.csv").write_text("\n".join((folder / "data.csv").read_text().split("\n")[:-4]))
    assert main(["certify", "fewer.csv", "model.json", "--reference"]) == 1
    assert main(["certify", "iris", "model.json"]) == 2  # other features, other classes
    assert main(["certify", "data.csv", "model.json", "--C", "3", "--reference"]) == 1
    assert capsys.readouterr().out.startswith("OPTIMAL") is False


def test_a_bound_that_cannot_tell_is_undecided_not_wrong(folder, capsys):
    truth = mr.solve(mr.Problem(mr.WW, X, Y, C=1.0))
    claim = {"machine": "WW", "C": 1.0, "bias": "none", "X": X.tolist(), "y": Y.tolist()}
    (folder / "near.json").write_text(json.dumps({**claim, "W": (1.003 * truth.W).tolist()}))
    text = out_of(capsys, "certify", "near.json", "--reference", "--tolerance", "1e-9", status=1)
    assert text.startswith("NOT OPTIMAL")
    certificate = mr.certify(truth.problem, W=truth.W)
    loose = replace(certificate, lower=0.995 * truth.objective, upper=certificate.primal_value)
    assert verdict_of(loose, 1e-3) == "UNDECIDED"
    assert "between 0 and 0.5 % from the optimum; pass --reference" in advice("UNDECIDED", loose)
    assert verdict_of(loose, 1e-2) == "OPTIMAL"
    assert verdict_of(replace(loose, upper=0.996 * truth.objective), 1e-3) == "NOT OPTIMAL"


def test_a_report_is_diagnosed_check_by_check(folder, capsys):
    (folder / "buggy.py").write_text(BUGGY)
    checks = ["--check", "check_C", "--check", "check_duplicates"]
    out_of(
        capsys,
        "validate",
        "buggy:half",
        "--machine",
        "WW",
        *checks,
        "--report",
        "out.json",
        status=1,
    )
    assert "this is the optimum of WW, C/2" in out_of(capsys, "diagnose", "out.json", status=1)
    for name in ("check_C", "check_duplicates"):
        text = out_of(capsys, "certify", "out.json", "--check", name, "--reference", status=1)
        assert text.startswith("NOT OPTIMAL")
    assert main(["diagnose", "out.json", "--check", "check_objective"]) == 2


def test_models_and_claims_come_on_standard_input_too(folder, capsys, monkeypatch):
    text = out_of(capsys, "solve", "data.csv", "--json")
    for arguments in (["certify", "-"], ["diagnose", "-"], ["predict", "-", "data.csv"]):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
        out_of(capsys, *arguments)


def test_every_report_has_its_origin(folder, capsys):
    for ending in ("html", "md", "json"):
        path = folder / f"out.{ending}"
        out_of(capsys, "solve", "data.csv", "--report", str(path), "--quiet")
        text = path.read_text(encoding="utf-8")
        assert "OPTIMAL" in text or ending == "json"
        assert "UTC" in text
        assert "numpy" in text
    assert json.loads(text)["provenance"]["msvm_ref"] == mr.__version__


def test_one_default_bias_for_what_we_train():
    parser = whole_parser()
    for command in ("solve", "fit", "compare"):
        more = ["--save", "x.json"] if command == "fit" else []
        assert parser.parse_args([command, "iris", *more]).bias == "penalized"


def test_every_command_has_the_same_output_options():
    parser = whole_parser()
    arguments = {
        "solve": ["iris"], "fit": ["iris", "--save", "x.json"], "predict": ["m"], "certify": ["m"],
        "diagnose": ["m"], "validate": ["sklearn"], "compare": ["iris"], "vectors": ["list"],
    }  # fmt: skip
    for command in set(COMMANDS) - {"template", "completion"}:
        words = [command, *arguments.get(command, [])]
        options = parser.parse_args([*words, "--json", "--quiet", "--debug", "--report", "x.html"])
        assert (options.json, options.quiet, options.report) == (True, True, ["x.html"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell, capsys):
    pytest.importorskip("shtab")
    script = out_of(capsys, "completion", shell)
    assert "validate" in script
    assert "convention" in script


def test_an_unexpected_error_is_3_with_one_line_or_its_traceback(capsys, monkeypatch):
    from msvm_ref.commands import machines

    def broken(options):
        raise ZeroDivisionError("by nobody")

    monkeypatch.setattr(machines, "run", broken)
    assert main(["machines"]) == 3
    err = capsys.readouterr().err
    assert err.startswith("unexpected ZeroDivisionError: by nobody: a bug")
    assert err.count("\n") == 1
    assert main(["machines", "--debug"]) == 3
    assert "Traceback" in capsys.readouterr().err


def test_the_module_and_the_script_are_the_same():
    done = subprocess.run(
        [sys.executable, "-m", "msvm_ref", "--version"],
        capture_output=True, text=True, check=True, env=environment(),
    )  # fmt: skip
    assert done.stdout.strip() == f"msvm-ref {mr.__version__}"


def test_numbers_survive_the_trip(folder, capsys):
    text = out_of(capsys, "solve", "data.csv", "--bias", "free", "--json", "--save", "s.json")
    told, saved = json.loads(text), json.loads((folder / "s.json").read_text())
    assert np.array_equal(told["W"], saved["W"])
    assert mr.certify(
        mr.Problem(mr.WW, X, Y, bias="free"), W=told["W"], b=told["b"], alpha=told["alpha"]
    ).optimal(1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_fit_is_certified_on_its_table_though_equal_examples_became_one(folder, capsys, kernel):
    rows = (folder / "data.csv").read_text().splitlines()
    (folder / "twice.csv").write_text("\n".join([*rows, rows[1], rows[1], rows[-1]]))
    out_of(
        capsys, "fit", "twice.csv", "--C", "0.01", "--kernel", kernel, "--save", "model.json"
    )  # so small that every example matters
    text = out_of(capsys, "certify", "twice.csv", "model.json")
    assert text.startswith("OPTIMAL at 1e-06")
    assert f"n={len(rows) + 2}" in text
    assert "OPTIMAL at" not in out_of(capsys, "certify", "data.csv", "model.json", status=1)[:10]


def test_an_undecided_certificate_has_one_verdict(folder, capsys):
    claim = {"machine": "WW", "bias": "free", "data": "data.csv", "b": [0.0] * 3}
    claim["W"] = [[0.1, 0.0, -0.1]] * X.shape[1]
    (folder / "claim.json").write_text(json.dumps(claim))
    text = out_of(capsys, "certify", "claim.json", status=1)
    assert not (text.startswith("UNDECIDED") and "NOT OPTIMAL" in text)


def test_conventions_of_any_margin_and_constant_are_described(capsys):
    assert "our C    4 C\n" in out_of(capsys, "conventions", "margin1")
    assert "our C    4 C/n\n" in out_of(capsys, "conventions", "margin1, C/n")


def test_the_nearest_name_is_told(capsys):
    for words, told in (
        (("validate", "sklern"), "did you mean sklearn?"),
        (("solve", "data.csv", "--machine", "WWW"), "did you mean WW?"),
    ):
        assert main(list(words)) == 2
        assert told in capsys.readouterr().err


def test_long_lines_go_on_below():
    text = "a" * 30 + "  " + "b" * 30 + "  " + "c" * 30
    assert folded(text, 70).splitlines() == [text[:62], "  " + "c" * 30]
    assert folded("x" * 100, 80) == "x" * 100  # a word is not broken
    assert folded("short\n\nlines", 80) == "short\n\nlines"
