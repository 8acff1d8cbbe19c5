"""What a solver says beside its numbers: warnings, refusals and by whom, the same again or only optimal again."""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.commands.listing import parser_of
from msvm_ref.conformance import check_solver
from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.command import CommandSolver
from msvm_ref.conformance.process import unfinished
from msvm_ref.conformance.repeats import repeated
from msvm_ref.conformance.suite import make_trial
from msvm_ref.conformance.verdicts import CheckFailed
from tests.conformance.zoo import TRUTHS, Truth, honest

DATA = ([[1.0], [-1.0]], [0, 1], 1.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("WARNING: reaching max number of iterations", True),
        ("Liblinear failed to converge, increase the number of iterations.", True),
        ("the solver did not converge", True),
        ("maximum number of iterations reached", True),
        ("optimization finished, #iter = 12", False),
        ("converged after 10 of at most 100 iterations", False),
    ],
)
def test_the_words_for_unfinished(text, says):
    assert bool(unfinished(f"first line\n{text}")) is says


def program(text, answer):
    code = f"import sys; sys.stderr.write({text!r}); print({json.dumps(answer)!r})"
    return CommandSolver([sys.executable, "-S", "-c", code])


def test_a_warning_is_a_programs_word_for_not_converged():
    W = {"W": [[1.0, -1.0]]}
    assert program("WARNING: reaching max number of iterations", W).fit(*DATA).converged is False
    assert program("all well", W).fit(*DATA).converged is None

    def warns(X, y, C):
        warnings.warn("it did not converge", stacklevel=1)
        return Truth()(X, y, C) | {"converged": None}

    (record,) = check_solver(warns, mr.WW, checks=["check_converged_flag"], truths=TRUTHS)
    assert record.status == "skipped"
    assert "never says that it converged" in record.message


@pytest.mark.parametrize(
    ("value", "words"),
    [("null", "as an array of numbers"), ("NaN", "not finite"), ("-Infinity", "not finite")],
)
def test_null_nan_and_infinity_are_messages(value, words):
    case = Case("two", np.array(DATA[0]), np.array(DATA[1]))
    for key, answer in (("W", f"[[{value}, 1]]"), ("b", f"[{value}, 0]")):
        given = {"W": "[[1, -1]]", key: answer}
        text = ", ".join(f'"{k}": {v}' for k, v in given.items())
        solver = CommandSolver([sys.executable, "-S", "-c", f"print('{{{text}}}')"])
        with pytest.raises(CheckFailed, match=words):
            make_trial(solver, mr.WW, bias="free").fit(case)


def test_a_refusal_says_by_whom_and_an_acceptance_too():
    (record,) = check_solver(honest(), mr.WW, checks=["check_refuses_nonfinite"])
    assert record.status == "passed"
    assert "X with nan in it: refused by the library" in record.message

    class Takes(Truth):
        def problem(self, X, y, C, weight, classes):
            return super().problem(np.nan_to_num(X, posinf=0), y, C, weight, classes)

    (record,) = check_solver(Takes(), mr.WW, checks=["check_refuses_nonfinite"])
    assert "accepts X with nan in it; the function under test" in record.message
    from sklearn.linear_model import SGDClassifier

    (record,) = check_solver(
        SGDClassifier(), convention="sgd-ova", checks=["check_refuses_nonfinite"]
    )
    assert "refused by the library" in record.message


class Jitters(Truth):
    def spoil(self, out, problem, s):
        return out | {"W": out["W"] + 1e-4 * np.random.random()}  # noqa: NPY002


def test_the_same_again_or_only_optimal_again():
    (record,) = check_solver(honest(), mr.WW, checks=["check_repeatable"], truths=TRUTHS)
    assert record.message == "the same again, to the last digit"
    (record,) = check_solver(Jitters(), mr.WW, checks=["check_repeatable"], truths=TRUTHS)
    assert record.status == "passed"
    assert record.message.startswith("optimal again, and not the same: answers differ by ")


def test_repeats_have_a_median_and_a_range():
    base, _ = repeated(make_trial(honest(), mr.WW, truths=TRUTHS), 3)
    assert base.count == 3
    assert base.least == base.median == base.most
    assert base.text.endswith("the same again")
    loose, _ = repeated(make_trial(Jitters(), mr.WW, tolerance=1e-9, truths=TRUTHS), 5)
    assert loose.least < loose.median < loose.most
    assert "not the same again" in loose.text
    assert parser_of("validate").parse_args(["--repeats", "25", "x:y"]).repeats == 25
