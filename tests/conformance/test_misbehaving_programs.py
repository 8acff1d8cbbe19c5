"""Programs that will not end, will not read, will not stop printing or leave children behind: each is held to its limits."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from pathlib import Path

import pytest

import msvm_ref as mr
from msvm_ref.conformance import CommandSolver, check_solver
from msvm_ref.conformance.process import CommandError, NoAnswerError, RunningProgram

X, Y = [[0.0], [1.0]], [0, 1]
GENEROUS = 30.0
"""Seconds by which everything here is over; a hang would take as long as the programs sleep, which is longer."""


def program(tmp_path, text):
    path = tmp_path / "svm.py"
    path.write_text("import json, os, subprocess, sys, time\n" + textwrap.dedent(text))
    return [sys.executable, str(path)]


def solver(tmp_path, text, persistent, timeout=0.5, **limits):
    return CommandSolver(program(tmp_path, text), timeout, persistent=persistent, **limits)


def gone(pid: int) -> bool:
    """Does the process end (or is it ended already) within a few seconds?"""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


CHILD = "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])\n"
TELL = "open(os.path.join(os.path.dirname(__file__), 'pid'), 'w').write(str(child.pid))\n"

SILENT = {
    "sleeps": "time.sleep(100)",
    "closes its input": "os.close(0); time.sleep(100)",
    "ignores signals": "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(100)",
    "a child and itself": CHILD + "time.sleep(100)",
    "prints half an answer": "print('{\"W\":', end='', flush=True); time.sleep(100)",
    "closes its output": "os.close(1); time.sleep(100)",
    "talks to standard error": "while True: sys.stderr.write('x' * 1000)",
}


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_the_limit_on_time_holds(tmp_path, text, persistent):
    start = time.monotonic()
    with pytest.raises(NoAnswerError, match=r"answer within 0\.5 s"):
        solver(tmp_path, text, persistent).fit(X, Y, 1.0)
    assert time.monotonic() - start < GENEROUS


@pytest.mark.parametrize("persistent", [False, True])
def test_a_question_that_is_never_read_does_not_block(tmp_path, persistent):
    """More than a pipe holds: a plain write would wait for ever."""
    wide = [[float(k) for k in range(20_000)], [0.0] * 20_000]
    with pytest.raises(NoAnswerError, match=r"answer within 0\.5 s"):
        solver(tmp_path, "time.sleep(100)", persistent).fit(wide, Y, 1.0)


@pytest.mark.parametrize("persistent", [False, True])
def test_children_are_ended_with_the_program(tmp_path, persistent):
    with pytest.raises(NoAnswerError):
        solver(tmp_path, CHILD + TELL + "time.sleep(100)", persistent, timeout=2.0).fit(X, Y, 1.0)
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_child_that_holds_the_output_open_does_not_hold_up_the_answer(tmp_path):
    text = CHILD + TELL + "print('{\"W\": [[1.0, -1.0]]}', flush=True)"
    start = time.monotonic()
    fitted = solver(tmp_path, text, persistent=False, timeout=60.0).fit(X, Y, 1.0)
    assert fitted.W.tolist() == [[1.0, -1.0]]
    assert time.monotonic() - start < GENEROUS
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_program_that_ends_while_its_child_holds_the_output(tmp_path):
    start = time.monotonic()
    with pytest.raises(CommandError, match="its end"):
        solver(tmp_path, CHILD + TELL, persistent=True, timeout=60.0).fit(X, Y, 1.0)
    assert time.monotonic() - start < GENEROUS
    assert gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("persistent", [False, True])
def test_output_without_end_is_cut(tmp_path, persistent):
    text = "while True: sys.stdout.write('7' * 65536)"
    endless = solver(tmp_path, text, persistent, timeout=60.0, max_output=10**6)
    with pytest.raises(NoAnswerError, match="at most 1000000 bytes"):
        endless.fit(X, Y, 1.0)


def test_what_is_kept_of_standard_error_is_bounded(tmp_path):
    text = "sys.stderr.write('x' * 3_000_000 + 'the end'); sys.exit(1)"
    talker = RunningProgram(program(tmp_path, text), "talker")
    with pytest.raises(CommandError, match="the end"):
        talker.whole(b"", 60.0)
    assert len(talker.errors) <= 2**16


def test_an_answer_more_than_asked_for_is_refused(tmp_path):
    """It would be taken for the answer to the next question."""
    text = """
        for line in sys.stdin:
            print('{"W": [[1, 2]]}\\n{"W": [[3, 4]]}', flush=True)
    """
    twice = solver(tmp_path, text, persistent=True, timeout=60.0)
    assert twice.fit(X, Y, 1.0).W.tolist() == [[1, 2]]
    with pytest.raises(CommandError, match="one answer to each question"):
        twice.fit(X, Y, 1.0)


def test_a_conversation_ends_with_its_solver(tmp_path):
    text = "for line in sys.stdin: print(json.dumps({'W': [[os.getpid(), 0]]}), flush=True)"
    talk = solver(tmp_path, text, persistent=True, timeout=60.0)
    pid = int(talk.fit(X, Y, 1.0).W[0, 0])
    assert Path(f"/proc/{pid}/stat").exists()
    del talk
    assert gone(pid)


def test_programs_that_cannot_be_started(tmp_path):
    path = tmp_path / "text"
    path.write_text("no program")
    path.chmod(0o755)
    with pytest.raises(CommandError, match="can be started"):
        CommandSolver([str(path)]).fit(X, Y, 1.0)
    for command in ("'unbalanced", "", "   "):
        with pytest.raises(mr.DataError, match="command"):
            CommandSolver(command)


ANSWERS = {
    "nested": "[" * 100_000,
    "twice": '{"W": [[1, 2]], "W": [[3, 4]]}',
    "ragged": '{"W": [[1, 2], [3]]}',
    "text": '{"W": [["1", "2"]]}',
    "digits": '{"W": [[%s, 2]]}' % ("9" * 400),
    "true": '{"W": [[true, false]]}',
    "unknown": '{"weights": [[1, 2]]}',
    "a function": '{"W": [[1, 2]], "predict": "rm"}',
    "rows": '{"W": [[1, 2]], "scores_new": [[1, 2]]}',
    "classes": '{"W": [[1, 2]], "classes": 3}',
    "unhashable": '{"W": [[1, 2]], "classes": [[], {}]}',
    "list": "[]",
    "null": "null",
    "nothing": "",
    "scalar": '{"W": 1}',
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_answers_that_are_none_get_a_typed_error(tmp_path, answer):
    with pytest.raises(CommandError):
        solver(tmp_path, f"print({answer!r})", False, timeout=60.0).fit(X, Y, 1.0)


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="the exit is noticed by polling there")
def test_hanging_is_no_way_to_refuse(tmp_path):
    """A program that never ends on NaN has not refused it; one that exits with an error has."""
    answer = (
        "task = json.load(sys.stdin)\nif 'nan' in str(task['X']) or 'inf' in str(task['X']):\n    "
    )
    for reaction, status in (
        ("time.sleep(100)", "failed"),
        ("os.abort()", "failed"),
        ("sys.exit('no')", "passed"),
    ):
        command = solver(tmp_path, answer + reaction + "\nprint('{}')", False, timeout=1.0)
        record = check_solver(command, mr.WW, checks=["check_refuses_nonfinite"])[0]
        assert record.status == status, record


SLOW_AND_WRONG = """
task = json.load(sys.stdin)
with open(sys.argv[0] + ".asked", "a") as log:
    print(json.dumps(task), file=log)
time.sleep(0.05)
print(json.dumps({"W": [[3.0] * task["n_classes"] for _ in task["X"][0]]}))
"""


def test_a_wrong_program_is_asked_no_longer_than_its_patience(tmp_path):
    """Once it has failed a check its fits are counted; what was not asked is skipped, which is not passing."""
    command = solver(tmp_path, SLOW_AND_WRONG, False, timeout=60.0)
    records = check_solver(command, mr.WW, diagnose=False, patience=0.01)
    assert records[0].status == "failed"
    unasked = [r for r in records if "not asked: it has failed a check" in r.message]
    assert len(unasked) > 10
    assert all(r.status == "skipped" for r in unasked)


def test_a_program_is_asked_the_same_question_once(tmp_path):
    command = solver(tmp_path, SLOW_AND_WRONG, False, timeout=60.0)
    names = ["check_optimality", "check_machine", "check_sample_order", "check_objective"]
    check_solver(command, mr.WW, checks=names, diagnose=False)
    questions = (tmp_path / "svm.py.asked").read_text().splitlines()
    assert len(questions) == len(set(questions)) > 0
