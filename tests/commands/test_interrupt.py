"""One SIGINT ends every command within two seconds: one line, exit status 130, nothing half-written."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from msvm_ref.commands.listing import COMMANDS
from tests.commands.terminal import environment
from tests.small_problems import thinned

SLOW = {
    "validate": ["sklearn", "--report", "out.html"],
    "diagnose": ["-"],
    "certify": ["-"],
    "solve": ["digits", "--kernel", "rbf", "--save", "out.json"],
    "fit": ["digits", "--method", "dual", "--save", "out.json"],
    "predict": ["-", "iris"],
    "demo": ["--report", "out.md"],
    "fisher": ["RM(1/2)", "-d", "10"],
    "atlas": ["scikit-learn", "--report", "out.html"],
    "targets": ["WW", "-d", "6", "--report", "out.html"],
    "circle": ["--report", "out.html"],
    "claims": ["--report", "out.html"],
    "compare": ["vehicle", "--report", "out.md"],
    "approx": ["vehicle", "--plot", "out.png"],
    "vectors": ["build", "--directory", "."],
    "study": [
        "run",
        "uv-table4",
        "--data-sets",
        "glass",
        "--protocol",
        "quick",
        "--store",
        "out.sqlite",
    ],
}
KEPT = {"vectors", "study"}
"""Each vector file is whole by itself; a store goes on where it was stopped."""
QUICK = {"machines": [], "conventions": [], "checks": [], "template": ["c"], "completion": ["bash"]}


def test_every_command_is_here():
    assert {*SLOW, *QUICK} == set(COMMANDS)


def interrupted(arguments: list[str], folder: Path, after: float) -> tuple[int, str, float]:
    process = subprocess.Popen(
        [sys.executable, "-m", "msvm_ref", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(),
    )
    time.sleep(after)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    said = process.stderr.read()  # to the end: the command and whatever it started are gone
    status = process.wait(timeout=10)
    return status, said, time.monotonic() - sent


@pytest.mark.parametrize("command", thinned(SLOW, 3))
def test_ctrl_c(command, tmp_path):
    status, said, seconds = interrupted([command, *SLOW[command]], tmp_path, after=1.5)
    remarks = [line for line in said.splitlines() if not line.startswith("compiling")]
    assert status == 130, said
    assert remarks[-1] == "interrupted"
    assert command == "vectors" or len(remarks) == 1  # build tells each file it has finished
    assert "Traceback" not in said
    assert seconds < 2.0
    if command not in KEPT:
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", QUICK)
def test_ctrl_c_of_what_is_done_at_once(command, tmp_path):
    status, said, seconds = interrupted([command, *QUICK[command]], tmp_path, after=0.15)
    assert status in (0, 130, -signal.SIGINT)  # -SIGINT: Python itself had not started yet
    assert seconds < 2.0
    # Python itself had not started yet, or was in a callback of its own imports, from which nothing can be raised
    assert "Traceback" not in said or status == -signal.SIGINT or "Exception ignored in" in said


def test_ctrl_c_in_a_callback_that_cannot_raise_is_not_lost():
    """As in the middle of an import: Python prints such an exception, and drops it."""
    program = """
import os, signal, sys, time, weakref
from msvm_ref.commands.supervisor import supervised

class Thing:
    pass

def main():
    try:
        thing = Thing()
        reference = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT) or sum(range(99)))
        del thing
        time.sleep(20)
    except KeyboardInterrupt:
        print("heard", file=sys.stderr, flush=True)
        return 130

sys.exit(supervised(main))
"""
    start = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment()
    )
    assert (ended.returncode, ended.stderr) == (130, "heard\n")
    assert time.monotonic() - start < 10


def test_a_killed_command_leaves_nobody_behind(tmp_path):
    """subprocess.run(timeout=) kills with SIGKILL and then waits for the pipes to close."""
    start = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(
            [sys.executable, "-m", "msvm_ref", "demo"],
            capture_output=True,
            env=environment(),
            cwd=tmp_path,
            timeout=1.5,
        )
    assert time.monotonic() - start < 10.0
