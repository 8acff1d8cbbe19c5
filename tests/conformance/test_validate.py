"""``validate`` and ``diagnose`` at the shell: text, reports, exit status."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.cli import main
from msvm_ref.conformance.cases import OFFSET

MODULE = """
import msvm_ref as mr

def good(X, y, C, sample_weight=None):
    s = mr.solve(mr.Problem(mr.WW, X, y, C=C, sample_weight=sample_weight))
    return {"W": s.W, "classes": s.problem.classes, "converged": True}

def bad(X, y, C):
    return good(X, y, C / 2)

class Estimator:
    C = 1.0
    def get_params(self):
        return {"C": self.C}
    def set_params(self, C):
        self.C = C
    def fit(self, X, y):
        s = mr.solve(mr.Problem(mr.WW, X, y, C=4 * self.C))
        self.coef_, self.intercept_, self.classes_ = s.W.T / 2, 0.0, s.problem.classes
"""


@pytest.fixture(autouse=True)
def _found_by_other_processes(monkeypatch):
    """The package under test is importable in the processes that a test starts, installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(Path(mr.__file__).parents[1]))


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "mysvm.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("mysvm", None)
    return tmp_path


def test_an_enclosure_too_wide_for_the_tolerance_is_undecided_and_no_pass(module, capsys):
    words = ["validate", "mysvm:good", "--machine", "WW", "--suite", "quick", "-q"]
    assert main([*words, "--tolerance", "1e-17"]) == 1
    told = capsys.readouterr().out
    assert "UNDECIDED" in told
    assert "ok  " not in told
    assert "NOT OPTIMAL" not in told
    assert "which the ground truth can decide" in told


def test_a_good_function_passes(module, capsys):
    assert (
        main(
            [
                "validate",
                "mysvm:good",
                "--machine",
                "WW",
                "--check",
                "check_C",
                "--check",
                "check_objective",
                "-v",
            ]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "ok     good  WW" in out
    assert "within 0.001" in out
    assert "skipped: check_objective: it reports no objective" in out


def test_a_bad_one_fails_and_every_report_says_why(module, capsys):
    arguments = [
        "validate",
        "mysvm:bad",
        "--machine",
        "WW",
        "--check",
        "check_C",
        "--check",
        "check_sample_order",
    ]
    reports = [f"--report=out{ending}" for ending in (".html", ".json", ".md")]
    assert main([*arguments, *reports]) == 1
    out = capsys.readouterr().out
    assert "fails check_C:" in out
    assert "this is the optimum of WW, C/2" in out
    page = (module / "out.html").read_text()
    assert "<svg" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "C/2" in page
    data = json.loads((module / "out.json").read_text())
    assert data["passed"] is False
    record = data["solvers"][0]["records"][0]
    assert record["lower"] <= record["upper"]
    assert record["case"]["X"]
    assert data["solvers"][0]["verdict"] == "FAILS"
    assert data["solvers"][0]["causes"][0]["checks"] == ["check_C"]
    assert "this is the optimum of WW, C/2" in (module / "out.md").read_text()
    assert main([*arguments, "--expect", "check_C=known"]) == 0
    assert main([*arguments, "--json"]) == 1
    capsys.readouterr()


def test_an_estimator_in_its_own_convention(module, capsys):
    check = ["--check", "check_C", "--check", "check_label_order"]
    assert (
        main(["validate", "mysvm:Estimator", "--machine", "WW", "--convention", "margin1", *check])
        == 0
    )
    assert main(["validate", "mysvm:Estimator", "--machine", "WW", *check]) == 1
    assert "margin f_y - f_c >= 1" in capsys.readouterr().out


def test_a_program(module, capsys):
    (module / "svm.py").write_text(
        f"import json, sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom gradient import projected_gradient\n"
        "t = json.load(sys.stdin)\nprint(json.dumps({'W': projected_gradient(t['X'], t['y'], t['C'])['W'].tolist()}))\n"
    )
    command = f"{sys.executable} svm.py"
    assert (
        main(["validate", "--command", command, "--machine", "WW", "--check", "check_label_order"])
        == 0
    )
    assert "1 of 1 checks pass" in capsys.readouterr().out


def test_sklearn_one_check(capsys):
    assert main(["validate", "sklearn", "--check", "check_label_order"]) == 0
    out = capsys.readouterr().out
    assert "ok     LinearSVC crammer_singer" in out
    assert "SGDClassifier" in out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["sklearn", "--command", "x"],
        ["nonsense"],
        ["os:nothing"],
        ["no_such_module:x"],
        ["sklearn", "--machine", "WW"],
        ["sklearn", "--check", "nonsense"],
        ["sklearn", "--report", "out.pdf"],
        ["--command", "./no-such-program"],
        ["math:sqrt", "--machine", "XX"],
        ["math:sqrt", "--machine", "WW", "--convention", "nonsense"],
        ["math:pi", "--machine", "WW"],
    ],
    ids=" ".join,
)
def test_usage_errors(arguments, capsys):
    assert main(["validate", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_diagnose(tmp_path, capsys):
    X, y = np.array(OFFSET.X), np.array(OFFSET.y)
    s = mr.solve(mr.Problem(mr.WW, X, y, bias="penalized"))
    claim = {
        "machine": "WW",
        "C": 1.0,
        "bias": "free",
        "X": X.tolist(),
        "y": y.tolist(),
        "W": s.W.tolist(),
        "b": s.b.tolist(),
    }
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps(claim))
    assert main(["diagnose", str(path)]) == 1
    out = capsys.readouterr().out
    assert "this is the optimum of WW, a penalized bias (K + 1) for a free bias" in out
    path.write_text(json.dumps(claim | {"bias": "penalized"}))
    assert main(["diagnose", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["as_claimed"]
    for broken in (
        "{",
        "[1]",
        "{}",
        json.dumps(claim | {"W": [[1]]}),
        json.dumps(claim | {"machine": "XX"}),
    ):
        path.write_text(broken)
        assert main(["diagnose", str(path)]) == 2
    assert main(["diagnose", str(tmp_path / "absent.json")]) == 2
    capsys.readouterr()
