"""Every template whose language is on this machine is a right solver behind the protocol; the schema says what is sent."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from msvm_ref.cli import main
from msvm_ref.commands.template import FOLDER, LANGUAGES
from msvm_ref.conformance.vectors_run import asked
from tests.small_problems import NIGHTLY, thinned

BUILD = {
    "c": ("cc", "cc -O2 -Wall -Wextra -Werror -o my_svm solver.c -lm", "./my_svm"),
    "cpp": ("c++", "c++ -O1 -std=c++17 -Wall -Wextra -Werror -o my_svm solver.cpp", "./my_svm"),
    "rust": ("rustc", "rustc -O -D warnings -o my_svm solver.rs", "./my_svm"),
    "javascript": ("node", "", "node solver.js"),
    "python": (sys.executable, "", f"{sys.executable} solver.py"),
    "r": ("Rscript", "", "Rscript --vanilla solver.R"),
    "julia": ("julia", "", "julia solver.jl"),
}
FEW = [
    "check_C",
    "check_weights_equal_duplication",
    "check_absent_class",
    "check_multipliers",
    "check_objective",
]
"""Enough to tell right from wrong; one language runs every check, and a slow one a single check."""


def test_every_language_is_here():
    assert set(BUILD) == set(LANGUAGES)


@pytest.mark.parametrize("language", thinned(BUILD, 2))
def test_the_template_passes(language, tmp_path, monkeypatch, capsys):
    tool, build, command = BUILD[language]
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    monkeypatch.chdir(tmp_path)
    assert main(["template", language]) == 0
    (tmp_path / LANGUAGES[language]).write_text(capsys.readouterr().out)
    if build:
        subprocess.run(build.split(), check=True, timeout=120)
    few = FEW if NIGHTLY or language == "python" else FEW[1:3]
    one = FEW[:1] if NIGHTLY else ["check_duplicates"]
    chosen = {"c": [], "r": one, "julia": one}.get(language, few)
    only = [word for check in chosen for word in ("--check", check)]
    arguments = ["validate", "--command", command, "--machine", "WW", "--tolerance", "1e-6", *only]
    assert main(arguments) == 0, capsys.readouterr().out
    if language == "c" or (language in ("cpp", "rust") and NIGHTLY):
        assert main([*arguments, "--bias", "penalized", "--check", "check_optimality"]) == 0
    answer = _asked(command, {"X": [["nan", 1.0]], "y": [0]})
    assert "finite" in answer["error"]
    assert "error" in _asked(command, {"bias": "free"})
    assert "error" in _asked(command, {"machine": "CS"})


@pytest.mark.parametrize("language", ["python", "javascript", "r", "julia"])
def test_what_starts_slowly_stays_up(language, tmp_path, monkeypatch, capsys):
    tool, _, command = BUILD[language]
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    monkeypatch.chdir(tmp_path)
    assert main(["template", language]) == 0
    (tmp_path / LANGUAGES[language]).write_text(capsys.readouterr().out)
    checks = ("--check", "check_C", "--check", "check_label_order")
    only = ("--persistent", "--timeout", "20", *checks)
    assert main(["validate", "--command", command, "--machine", "WW", *only]) == 0


def _asked(command, changes):
    task = {
        "protocol": "msvm-ref-program/1", "machine": "WW", "cost": "linear", "bias": "none", "convention": "UV",
        "C": 1.0, "n_classes": 2, "X": [[1.0, 2.0], [0.0, 1.0]], "y": [0, 1], **changes,
    }  # fmt: skip
    done = subprocess.run(
        command.split(), input=json.dumps(task) + "\n", capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_is_sent_is_what_the_schema_says(tmp_path, monkeypatch):
    """Both senders: validate and vectors run. (The few keywords of the schema that are used are checked by hand.)"""
    from msvm_ref.commands.vectors import vectors
    from msvm_ref.conformance import CommandSolver, check_solver

    schema = json.loads((FOLDER / "schema.json").read_text())["$defs"]["question"]
    sent = [asked(next(v for v in vectors("CS") if v["result"] == "valid"))]
    monkeypatch.setattr(CommandSolver, "run", lambda self, task: sent.append(task) or {})
    solver = CommandSolver("true", stated={"machine": "WW", "bias": "none"})
    import msvm_ref as mr

    check_solver(solver, mr.WW, checks=["check_C", "check_weights_equal_duplication"])
    assert len(sent) > 2
    for task in sent:
        assert set(schema["required"]) <= set(task) <= set(schema["properties"])
        assert task["protocol"] == schema["properties"]["protocol"]["const"]
        assert task["cost"] in schema["properties"]["cost"]["enum"]
        json.dumps(task, allow_nan=False)


def test_the_page_names_every_field():
    page = (FOLDER / "PROTOCOL.md").read_text()
    schema = json.loads((FOLDER / "schema.json").read_text())["$defs"]
    for part in ("question", "answer"):
        for name in schema[part]["properties"]:
            assert f"`{name}`" in page, name
