"""A diagnosis is asserted after it holds on a second problem; a coincidence is called one. What is declared is not failed."""

from __future__ import annotations

import numpy as np
import pytest

from msvm_ref.commands.listing import parser_of
from msvm_ref.commands.parser import UsageError
from msvm_ref.conformance import check_solver
from msvm_ref.conformance.cases import BASE
from msvm_ref.conformance.outcomes import Entry, run
from msvm_ref.errors import DataError
from msvm_ref.model.catalogue import WW
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.methods import solve


def at(X, y, C, weights=None, **more):
    solution = solve(Problem(WW, X, y, C=C, bias="none", sample_weight=weights, **more))
    return np.array(solution.W), np.array(solution.b)


def by_index(X, y, C):
    """The same fault on every problem: examples weighted by their label's index."""
    return at(X, y, C, np.asarray(y) + 1.0)


def by_index_once(X, y, C):
    """That on BASE alone; elsewhere wrong in another way."""
    if np.array_equal(X, BASE.X):
        return by_index(X, y, C)
    W, b = at(X, y, C)
    return 1.25 * np.round(W, 1) + 0.05, b


@pytest.mark.parametrize(("solver", "agrees"), [(by_index, True), (by_index_once, False)])
def test_a_hypothesis_is_certified_on_a_second_problem(solver, agrees):
    entry = Entry(solver, None, {"machine": WW, "bias": "none"}, checks=("check_optimality",))
    (cause,) = run(entry).causes
    assert "weights multiplied by the label's index" in cause.title
    assert cause.details["confirmed"] is agrees
    assert cause.title.startswith("this is" if agrees else "on this case it coincides with")
    assert cause.explains is agrees


def test_what_is_declared_is_skipped_and_not_failed():
    def ignores(X, y, C, sample_weight=None, classes=None):
        return at(X, y, C, classes=classes)

    names = ("check_weights_equal_duplication", "check_absent_class")
    plain = check_solver(ignores, WW, bias="none", checks=names, diagnose=False)
    assert [r.status for r in plain] == ["failed", "passed"]
    told = ("sample_weight", "absent_class")
    limited = check_solver(ignores, WW, bias="none", checks=names, diagnose=False, without=told)
    assert [r.status for r in limited] == ["skipped", "skipped"]
    with pytest.raises(DataError, match="without"):
        check_solver(ignores, WW, without=("weights",))


def test_the_command_line_takes_declarations():
    words = ["--without", "sample_weight,absent_class", "x:y"]
    assert parser_of("validate").parse_args(words).without == ("sample_weight", "absent_class")
    with pytest.raises(UsageError, match="did you mean sample_weight"):
        parser_of("validate").parse_args(["--without", "sample_weights", "x:y"])
