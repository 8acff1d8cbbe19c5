"""Solvers in a process of their own: what hangs or crashes is a failed record, and every check sees what it would see here."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from sklearn.svm import LinearSVC

import msvm_ref as mr
from msvm_ref.cli import main
from msvm_ref.conformance import CHECKS, check_solver
from msvm_ref.conformance.cases import BASE
from msvm_ref.conformance.process import NoAnswerError
from msvm_ref.conformance.suite import make_trial
from msvm_ref.conformance.verdicts import CheckFailed, SolverBroke
from tests.conformance import misbehaving as bad
from tests.conformance.zoo import TRUTHS, honest

X, Y = np.array(BASE.X), np.array(BASE.y)


@pytest.mark.parametrize("solver", [bad.never_returns, bad.prints_without_end])
def test_a_solver_that_never_returns_is_a_failed_record(solver):
    start = time.monotonic()
    records = check_solver(
        solver, mr.WW, checks=["check_C", "check_optimality"], isolate=True, timeout=1.0
    )
    assert [r.status for r in records] == ["failed", "failed"]
    assert all("answer within 1 s" in r.message for r in records)
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("solver", [bad.takes_the_interpreter_along, bad.crashes])
def test_a_solver_that_ends_the_process_is_a_failed_record(solver):
    record = check_solver(solver, mr.WW, checks=["check_C"], isolate=True)[0]
    assert record.status == "failed"
    assert "its end" in record.message


def test_hanging_on_nan_is_not_refusing_it():
    record = check_solver(
        bad.hangs_on_nan, mr.WW, checks=["check_refuses_nonfinite"], isolate=True, timeout=1.0
    )[0]
    assert record.status == "failed"
    assert "neither refuses nor answers" in record.message


def test_what_is_raised_keeps_its_name():
    for solver, words in (
        (bad.raises, "raised ZeroDivisionError: out of cheese"),
        (bad.leaves, "raised SystemExit: gone"),
        (bad.reads_standard_input, "raised EOFError"),
    ):
        assert words in check_solver(solver, mr.WW, checks=["check_C"], isolate=True)[0].message


def test_the_process_is_started_again_after_it_was_ended():
    isolated = make_trial(bad.hangs_at_13, mr.WW, isolate=True, timeout=1.0).solver
    first = isolated.copy()
    before = first.fit(X, Y, 2.0)
    assert before.decision_function(X).shape == (len(X), 3)
    with pytest.raises(NoAnswerError):
        first.fit(X, Y, 13.0)
    with pytest.raises(mr.MsvmError, match="a process that was ended"):
        before.decision_function(X)
    assert first.fit(X, Y, 3.0).W[0, 0] == 3.0
    assert isolated.copy().fit(X, Y, 4.0).W[0, 0] == 4.0


def test_what_cannot_be_sent_is_refused():
    lock = threading.Lock()
    with pytest.raises(mr.DataError, match="picklable"):
        check_solver(lambda X, y, C: lock, mr.WW, isolate=True)
    with pytest.raises(mr.DataError, match="timeout"):
        check_solver(honest(), mr.WW, isolate=True, timeout=float("nan"))


@pytest.mark.parametrize("check", bad.TOUCHING)
def test_bugs_that_touch_their_surroundings_are_caught_across_processes(check):
    trial = make_trial(bad.TOUCHING[check], mr.WW, tolerance=1e-6, truths=TRUTHS, isolate=True)
    with pytest.raises(CheckFailed) as caught:
        CHECKS[check](trial)
    broke = check == "check_readonly_input"
    assert isinstance(caught.value.__cause__, SolverBroke) == broke, caught.value


def test_functions_made_on_the_spot_are_sent_too():
    weights = np.arange(6.0).reshape(2, 3)
    isolated = make_trial(lambda X, y, C: {"W": C * weights}, mr.WW, isolate=True).solver
    assert np.array_equal(isolated.fit(X, Y, 2.0).W, 2 * weights)


def test_a_right_solver_passes_across_processes():
    checks = [
        *bad.TOUCHING,
        "check_C",
        "check_two_classes",
        "check_arbitrary_labels",
        "check_predict_is_argmax",
        "check_refuses_nonfinite",
    ]
    records = check_solver(
        LinearSVC(multi_class="crammer_singer", random_state=0),
        convention="liblinear-cs",
        truths=TRUTHS,
        checks=checks,
        isolate=True,
    )
    assert {r.status for r in records} == {"passed"}, records


def test_at_the_shell(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.py").write_text(
        "import time\ndef hangs(X, y, C):\n    while True: time.sleep(0.1)\n"
    )
    monkeypatch.chdir(tmp_path)
    line = ["validate", "mine:hangs", "--machine", "WW", "--check", "check_C"]
    assert main([*line, "--isolate", "--timeout", "1"]) == 1
    assert "answer within 1 s" in capsys.readouterr().out
    assert main([*line, "--isolate", "--timeout", "-1"]) == 2
