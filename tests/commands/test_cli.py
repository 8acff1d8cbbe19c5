"""The command line, as a person or a pipe uses it."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.cli import main
from msvm_ref.commands.kernel_option import kernel, kernel_text
from tests.small_problems import blobs

X, Y = blobs(3)


@pytest.fixture
def csv_file(tmp_path):
    path = tmp_path / "data.csv"
    rows = ["a,b,c,species"] + [
        ",".join([*map(repr, map(float, x)), "abc"[y]]) for x, y in zip(X, Y, strict=True)
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def npz_file(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=X, y=Y)
    return path


def test_solve_prints_certified_json(csv_file, capsys):
    assert (
        main(
            [
                "solve",
                str(csv_file),
                "--machine",
                "CS",
                "--C",
                "2",
                "--kernel",
                "rbf:0.5",
                "--bias",
                "free",
                "--json",
            ]
        )
        == 0
    )
    out = json.loads(capsys.readouterr().out)
    truth = mr.solve(mr.Problem(mr.CS, X, Y, C=2.0, kernel=mr.rbf(0.5), bias="free"))
    assert out["classes"] == ["a", "b", "c"]
    assert out["certificate"]["lower"] <= truth.certificate.upper
    assert truth.certificate.lower <= out["certificate"]["upper"]
    assert out["certificate"]["optimal"]["1e-09"]
    assert len(out["coef"]) == len(Y)


def test_solve_reads_npz_and_numbers_round_trip(npz_file, capsys):
    assert main(["solve", str(npz_file), "--method", "dual", "--cost", "quadratic", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    problem = mr.Problem(mr.WW.with_cost("quadratic"), X, Y, bias="penalized")
    assert mr.certify(problem, W=out["W"], b=out["b"], alpha=out["alpha"]).optimal(1e-9)
    assert main(["solve", str(npz_file)]) == 0
    assert "OPTIMAL" in capsys.readouterr().out


def test_target_names_the_label_column(tmp_path, capsys):
    path = tmp_path / "first.csv"
    path.write_text("species,a\nx,1.0\ny,-1.0\nx,2.0\n")
    assert main(["solve", str(path), "--target", "species", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["p"] == 1


def test_a_gap_that_is_not_reached_exits_with_1(npz_file, capsys):
    assert (
        main(["solve", str(npz_file), "--tolerance", "1e-30", "--backend", "ECOS", "--json"]) == 1
    )
    assert json.loads(capsys.readouterr().out)["converged"] is False


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "data must be a file that exists"),
        ("", "at least one row"),
        ("a,b\n", "a data row"),
        ("1\n2\n", "a feature and a label column"),
        ("a,b\n1,x\n2\n", "line 3 must have 2 columns"),
        ("a,b,c\n1,red,x\n2,blue,y\n", "numeric features, got 'red'"),
        ("a,b\nnan,x\n1,y\n", "line 2 must have finite features"),
        ("a,b\n1,x\n2,x\n", "at least 2 classes"),
    ],
)
def test_bad_files_exit_with_2_and_say_why(tmp_path, capsys, text, message):
    path = tmp_path / "bad.csv"
    if text is not None:
        path.write_text(text)
    assert main(["solve", str(path)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--machine", "XX"], "machine must be one of"),
        (["--C", "-1"], "argument --C: must be positive"),
        (["--kernel", "rbf:x"], "must have a number for gamma"),
        (["--kernel", "rbf:-1"], "must have a positive gamma"),
        (["--backend", "NOSUCH"], "backend must be one of"),
        (["--target", "nope"], "--target must be one of"),
    ],
)
def test_bad_options_exit_with_2_and_say_why(csv_file, capsys, arguments, message):
    assert main(["solve", str(csv_file), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_bad_npz_exits_with_2(tmp_path, capsys):
    path = tmp_path / "bad.npz"
    np.savez(path, Z=X)
    assert main(["solve", str(path)]) == 2
    assert "hold arrays X and y" in capsys.readouterr().err
    path.write_text("not a zip")
    assert main(["solve", str(path)]) == 2


def test_kernels_are_spelled_with_colons():
    data = np.array([[1.0, 2.0], [3.0, 6.0]])
    assert kernel("poly:3:0.5:2").of(data) == mr.polynomial(3, 0.5, 2.0)
    assert kernel("polynomial:2").of(data) == mr.polynomial(2, 1 / (2 * data.var()), 1.0)
    assert kernel("rbf").of(data) == mr.rbf(1 / (2 * data.var()))
    assert kernel("linear").of(data) == mr.linear
    for text in ("linear", "rbf:0.1", "poly:3:0.1:0.3"):
        assert kernel_text(kernel(kernel_text(kernel(text).of(data))).of(data)) == kernel_text(
            kernel(text).of(data)
        )
    for bad in ("linear:1", "poly:1.5", "poly:0", "poly:2:1:-1", "rbf:x", "rbf:1,2", "sigmoid", ""):
        with pytest.raises(argparse.ArgumentTypeError, match="must"):
            kernel(bad)


def test_machines_prints_table_1_from_the_catalogue(capsys):
    assert main(["machines", "--json"]) == 0
    rows = {row["machine"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == [m.name for m in mr.CATALOGUE]
    assert rows["WW"] | {"citation": ""} == {
        "machine": "WW",
        "margin": "relative",
        "aggregation": "others-sum",
        "target": "1",
        "sum_to_zero": "implied",
        "property3": "up to ties",
        "citation": "",
    }
    assert rows["RM(1/2)"]["target"] == "1/2(d-1) own, 1/2 other"
    assert rows["ATM"]["aggregation"] == "total-max"
    assert main(["machines"]) == 0
    assert "sum-to-zero" in capsys.readouterr().out


def test_the_entry_point_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "msvm_ref.cli", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == f"msvm-ref {mr.__version__}"


def test_the_demo_ends_well_and_catches_scikit_learn(capsys):
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert out.count("agree") == len(mr.CATALOGUE)
    assert "DISAGREE" not in out
    assert "NOT OPTIMAL" in out
    assert max(map(len, out.splitlines())) <= 80
