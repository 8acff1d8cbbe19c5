"""Losses in programs and in processes of their own: right ones pass, and whatever a wrong one does is a failed record."""

from __future__ import annotations

import os
import sys

import pytest

import msvm_ref as mr
from msvm_ref.conformance.losses.command import CommandLoss
from msvm_ref.conformance.losses.suite import check_loss
from tests.losses.honest import Honest

PROGRAM = """
import json, os, sys, time
import numpy as np
FAULT = {fault!r}
def answer(task):
    if "describe" in task:
        if FAULT == "describe": return {{"takes": ["everything"]}}
        return {{"takes": ["reduction", "class_weight", "gradient", "p", "margin"], "dtypes": {dtypes!r}}}
    f = np.array([[float(v) for v in row] for row in task["scores"]]).reshape(-1, task["n_classes"])
    y = np.array(task["y"], int)
    if FAULT == "garbage" or FAULT == "garbage where refused" and (y >= task["n_classes"]).any():
        return "hello"
    if ((y < 0) | (y >= task["n_classes"])).any():
        if FAULT == "crash": os.kill(os.getpid(), 11)
        return {{"error": "label out of range"}}
    if FAULT == "hang": time.sleep(30)
    n = np.arange(len(y))
    t = task.get("margin", 1.0) - (f[n, y][:, None] - f) / 2
    t[n, y] = 0
    v, p = np.maximum(t, 0), task.get("p", 1)
    rate = np.where(v > 0, 1.0, 0) if p == 1 else 2 * v
    g = rate / 2
    g[n, y] -= g.sum(axis=1)
    w = np.array(task["class_weight"])[y] if "class_weight" in task else np.ones(len(y))
    each, g = w * (v**p).sum(axis=1), g * w[:, None]
    mode = task["reduction"]
    value = each.tolist() if mode == "none" else float(each.sum() if mode == "sum" else each.mean() if len(y) else 0)
    if {dtypes!r} == ["float32"]:
        value = np.float32(value).tolist()
    if FAULT == "true": value = True
    out = {{"loss": value if np.isfinite(value).all() else "nan"}}
    if task.get("gradient"): out["gradient"] = (g / len(y) if mode == "mean" else g).tolist()
    return out
for line in sys.stdin if {persistent} else [sys.stdin.read()]:
    said = answer(json.loads(line))
    print(said if isinstance(said, str) else json.dumps(said), flush=True)
"""


def program(tmp_path, fault="", persistent=True, dtypes=("float64",), **more):
    path = tmp_path / "loss.py"
    path.write_text(PROGRAM.format(fault=fault, persistent=persistent, dtypes=list(dtypes)))
    return CommandLoss([sys.executable, str(path)], persistent=persistent, **more)


def failed(records):
    return {r.name: r.message for r in records if r.status == "failed"}


@pytest.mark.parametrize("dtypes", [("float64",), ("float32",)])
def test_a_right_program_passes(tmp_path, dtypes):
    records = check_loss(program(tmp_path, dtypes=dtypes), mr.WW)
    assert not failed(records)
    statuses = {r.name: r.status for r in records}
    for name in ("class_weights", "gradient_at_kinks", "reductions", "power", "label_range"):
        assert statuses[f"check_{name}"] == "passed"


def test_a_program_started_for_each_batch(tmp_path):
    loss = program(tmp_path, persistent=False)
    assert not failed(check_loss(loss, mr.WW, checks=["check_equal_scores", "check_label_range"]))


@pytest.mark.parametrize(
    ("fault", "check", "words"),
    [
        ("garbage", "check_value", "printed no JSON object"),
        ("garbage where refused", "check_label_range", "printed no JSON object"),
        ("crash", "check_label_range", "its end"),
        ("true", "check_value", "printed true for a number"),
        ("hang", "check_value", "answer within 0.3 s"),
    ],
)
def test_what_a_program_does_wrong_is_a_failed_record(tmp_path, fault, check, words):
    loss = program(tmp_path, fault, timeout=0.3 if fault == "hang" else 10.0)
    records = check_loss(loss, mr.WW, checks=["check_value", "check_label_range"], diagnose=False)
    assert words in failed(records)[check]
    assert not any("bug of msvm_ref" in r.message for r in records)


def test_what_a_program_says_of_itself_is_read(tmp_path):
    with pytest.raises(mr.DataError, match="everything"):
        program(tmp_path, "describe")
    with pytest.raises(mr.DataError, match="name a program"):
        CommandLoss("./no-such-program")


def test_a_program_of_another_machine_is_diagnosed(tmp_path):
    records = check_loss(program(tmp_path), mr.CS, checks=["check_value"])
    assert "this is WW with margin (f_y - f_c)/2 >= 1" in records[0].message


def _crashes_on_bad_labels(scores, y):
    if ((y < 0) | (y >= scores.shape[1])).any():
        os.abort()
    return Honest()(scores, y)


def _sleeps(scores, y):
    import time

    time.sleep(60)


def _ends_the_interpreter_on_bad_labels(scores, y):
    if ((y < 0) | (y >= scores.shape[1])).any():
        os._exit(3)
    return Honest()(scores, y)


@pytest.mark.parametrize("loss", [_crashes_on_bad_labels, _ends_the_interpreter_on_bad_labels])
def test_an_isolated_loss_that_ends_its_process_has_not_refused(loss):
    checks = ["check_equal_scores", "check_label_range"]
    records = check_loss(loss, mr.WW, isolate=True, checks=checks, diagnose=False)
    assert [r.status for r in records] == ["passed", "failed"]


def test_an_isolated_loss_may_hang():
    named = {"checks": ["check_value"], "seconds": 0.3, "diagnose": False, "reduction": "mean"}
    slow = check_loss(_sleeps, mr.WW, isolate=True, **named)
    assert "answer within 0.3 s" in failed(slow)["check_value"]


def test_an_isolated_loss_is_judged_as_it_would_be_here():
    honest = Honest()
    records = check_loss(honest, mr.WW, gradient=honest.gradient, isolate=True)
    assert not failed(records)
    writes = check_loss(
        lambda scores, y: (Honest()(scores, y), scores.fill(0))[0],
        mr.WW,
        isolate=True,
        checks=["check_arguments_untouched"],
    )
    assert failed(writes)


def test_an_isolated_loss_must_be_picklable():
    lock = __import__("threading").Lock()
    with pytest.raises(mr.DataError, match="picklable"):
        check_loss(lambda scores, y: (lock, Honest()(scores, y))[1], mr.WW, isolate=True)


def test_nan_and_infinity_are_told_as_strings(tmp_path):
    loss = program(tmp_path)
    records = check_loss(loss, mr.WW, checks=["check_nan"])
    assert records[0].status == "passed"
