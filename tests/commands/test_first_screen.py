"""What a person sees on a terminal of 80 x 24: the verdict first, nothing wraps, the bar stays on its line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.commands.terminal import COLUMNS, LINES, environment, replay
from tests.small_problems import DOCS, NIGHTLY

pytestmark = pytest.mark.skipif(not DOCS, reason="runs with the extra docs")
MODULE = """
import msvm_ref as mr

def mean(X, y, C):  # the mean of the losses, not their sum
    s = mr.solve(mr.Problem(mr.WW, X, y, C=C / len(y)))
    return {"W": s.W, "classes": s.problem.classes}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(MODULE)
    return tmp_path


def tidy(seen):
    """No line of the screen runs over, at no time."""
    assert all(len(line) <= COLUMNS for frame in seen.frames for line in frame)
    bars = [sum("%" in line and "|" in line for line in frame) for frame in seen.frames]
    assert max(bars, default=0) <= 1  # one bar, drawn over itself
    assert not any("left" in line and "|" in line for line in seen.lines)  # and gone in the end


SHORT = () if DOCS else ("--check", "check_optimality", "--check", "check_class_weights")
"""The two checks that every known failure of scikit-learn shows in."""


def test_sklearn(folder):
    seen = replay("validate", "sklearn", *SHORT, cwd=folder)
    assert seen.status == 0
    tidy(seen)
    assert seen.above == []
    assert len(seen.screen) <= LINES
    assert seen.screen[0].startswith("scikit-learn ")
    verdicts = [line.split()[0] for line in seen.screen[3:-1]]
    assert set(verdicts) == {"ok", "FAILS"}
    assert len(verdicts) == 10
    assert "4 fail as known, none newly" in seen.screen[-1]
    assert "--report" in seen.screen[-1]
    for line in seen.screen[3:-1]:  # an error that counts is never beside a good word
        assert line.startswith("FAILS") or "e-01" not in line
    assert any("validate" in line and "%" in line for frame in seen.frames for line in frame)
    assert "\x1b[32mok" in seen.raw


def test_one_cause_is_told_once_with_the_way_out(folder):
    seen = replay("validate", "mine:mean", "--machine", "WW", cwd=folder)
    assert seen.status == 1
    tidy(seen)
    assert seen.above == []
    text = "\n".join(seen.screen)
    assert "one cause explains 11 checks" in text
    assert text.count("C/n (mean for sum)") == 1
    assert '--machine WW --convention "UV, C/n"' in seen.screen[-1]


@pytest.mark.parametrize(
    "arguments",
    [("machines",), ("conventions",), ("checks",), ("--help",), ("vectors", "verify")],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_other_screens(arguments, folder):
    seen = replay(*arguments, cwd=folder)
    assert seen.status == 0
    tidy(seen)
    full = [line for line in seen.lines if len(line) == COLUMNS and not line.endswith("…")]
    assert full == []  # a line as wide as the screen has been wrapped


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"] if NIGHTLY else ["cp1252"])
def test_no_encoding_ends_a_command(encoding, folder):
    done = subprocess.run(
        [sys.executable, "-m", "msvm_ref", "solve", "iris"],
        capture_output=True,
        env={**environment(), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        cwd=folder,
    )
    assert done.returncode == 0
    text = done.stdout.decode(encoding)
    assert ("‖W − W*‖ ≤" in text) == (encoding == "utf-8")
    assert ("||W - W*|| <=" in text) == (encoding != "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "msvm_ref", "fisher", "ATS", "--report", "out.html"],
        capture_output=True,
        env={**environment(), "LC_ALL": "C", "PYTHONIOENCODING": encoding},
        cwd=folder,
    )
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr.decode(encoding)


def test_nothing_but_results_in_a_pipe(folder):
    done = subprocess.run(
        [sys.executable, "-m", "msvm_ref", "fisher", "--all"],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=folder,
    )
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


def test_a_reader_who_has_seen_enough_is_no_error(folder):
    command = f"{sys.executable} -m msvm_ref vectors list | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=folder,
    )
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_list_costs_little():
    """Lazy imports: no scipy, no scikit-learn, no solver for the catalogue (CPU time is theirs to keep small)."""
    code = (
        "import sys; from msvm_ref.cli import main; main(['machines']); "
        "heavy = {'scipy', 'sklearn', 'cvxpy', 'numba', 'tqdm', 'shtab', 'matplotlib'} & set(sys.modules); "
        "assert not heavy, heavy; assert not any('solvers' in m or 'conformance' in m for m in sys.modules)"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, env=environment(), stdout=subprocess.DEVNULL
    )
    code = (
        "import sys; from msvm_ref.studies.papers.ledger import select; select(None, 'HL-7'); "
        "papers = [m for m in sys.modules if m.startswith('msvm_ref.studies.papers.')]; "
        "assert not any('uv_' in m or m.endswith(('zdo', 'fh', 'narsky_porter')) for m in papers)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=environment(), cwd=os.getcwd())
