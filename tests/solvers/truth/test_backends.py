"""Backends are asked, never believed."""

from __future__ import annotations

import signal
from dataclasses import dataclass

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.solvers.truth import backends
from msvm_ref.solvers.truth.backends import KNOWN, Backend, BackendReport
from tests.small_problems import blobs

X, Y = blobs(3)


@dataclass(frozen=True)
class Liar(Backend):
    """Says "optimal" with W = 0 and no multipliers, as cvxpy 1.9.3 + PIQP 0.6.4 did on a WW primal written with cp.pos."""

    def run(self, problem, accuracy):
        for variable in problem.variables():
            variable.value = np.zeros(variable.shape)
        for constraint in problem.constraints:
            constraint.dual_variables[0].save_value(np.zeros(constraint.shape))
        return BackendReport("solved", "optimal", 0.0)


@dataclass(frozen=True)
class Crasher(Backend):
    def run(self, problem, accuracy):
        return BackendReport("failed", "SolverError: it fell over", 0.0)


@dataclass(frozen=True)
class Dreamer(Backend):
    """Says "optimal" and leaves NaN behind."""

    def run(self, problem, accuracy):
        for variable in problem.variables():
            variable.project_and_assign(np.full(variable.shape, 0.0))
            variable.save_value(np.full(variable.shape, np.nan))
        return BackendReport("solved", "optimal", 0.0)


def fake(kind, name):
    return kind(name, lambda tol: {}, name.lower())


@pytest.mark.parametrize("method", ["primal", "dual", "kesler"])
def test_a_liar_in_the_chain_is_caught_named_and_passed_over(method):
    problem = mr.Problem(mr.WW, X, Y, bias="free")
    honest = mr.solve(problem, method=method)
    chain = [
        fake(Liar, "LIAR"),
        fake(Crasher, "CRASHER"),
        fake(Dreamer, "DREAMER"),
        KNOWN["CLARABEL"],
    ]
    solution = mr.solve(mr.Problem(mr.WW, X, Y, bias="free"), method=method, backend=chain)
    assert solution.backend == "CLARABEL"
    assert solution.certificate.optimal(1e-9)
    assert solution.objective == pytest.approx(honest.objective, rel=1e-9)
    liar = next(a for a in solution.attempts if a.backend == "LIAR")
    assert liar.status == "optimal"
    assert liar.relative_gap > 0.1
    assert "not borne out" in str(liar)
    assert any(a.backend == "CRASHER" and "fell over" in str(a) for a in solution.attempts)
    assert any(a.backend == "DREAMER" and a.note == "no answer" for a in solution.attempts)


def test_only_liars_give_an_unconverged_but_sound_answer():
    problem = mr.Problem(mr.WW, X, Y)
    solution = mr.solve(problem, backend=[fake(Liar, "LIAR")])
    truth = mr.solve(mr.Problem(mr.WW, X, Y))
    assert not solution.converged
    assert solution.certificate.lower <= truth.certificate.upper
    assert solution.certificate.upper >= truth.certificate.lower


def test_no_answer_at_all_is_a_backend_error_that_tells_who_was_tried():
    with pytest.raises(mr.BackendError, match=r"CRASHER.*fell over.*pip install"):
        mr.solve(mr.Problem(mr.WW, X, Y), backend=[fake(Crasher, "CRASHER")])
    with pytest.raises(mr.BackendError, match="no backend to try"):
        mr.solve(mr.Problem(mr.WW, X, Y), backend=[])


@pytest.mark.parametrize("name", ["OSQP", "ecos", "Clarabel", "PIQP"])
def test_each_declared_backend_solves_an_ordinary_problem(name):
    solution = mr.solve(mr.Problem(mr.LLW, X, Y, bias="penalized"), backend=name, tolerance=1e-7)
    assert solution.converged, str(solution)
    assert solution.backend == name.upper()


def test_a_missing_backend_is_named_with_its_install_command(monkeypatch):
    monkeypatch.setattr(backends, "installed_solvers", lambda: frozenset({"OSQP"}))
    with pytest.raises(mr.BackendError, match="pip install ecos"):
        mr.solve(mr.Problem(mr.WW, X, Y), backend="ECOS")
    with pytest.raises(mr.BackendError, match="backend must be one of"):
        mr.solve(mr.Problem(mr.WW, X, Y), backend="NOSUCH")
    assert [b.name for b in backends.chain(None, 10)] == ["OSQP"]


def test_the_default_chain_without_the_optional_backends(monkeypatch):
    monkeypatch.setattr(
        backends, "installed_solvers", lambda: frozenset({"OSQP", "ECOS", "CLARABEL"})
    )
    for machine in (mr.CS, mr.ATM, mr.OVA.with_cost("quadratic")):
        assert mr.solve(mr.Problem(machine, X, Y, bias="free", C=100.0)).certificate.optimal(1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "method must be one of primal, dual, kesler"),
        ({"tolerance": 0.0}, "tolerance must lie strictly between 0 and 1"),
        ({"tolerance": "small"}, "tolerance must lie"),
    ],
)
def test_bad_settings_are_refused(arguments, message):
    with pytest.raises(mr.DataError, match=message):
        mr.solve(mr.Problem(mr.WW, X, Y), **arguments)
    with pytest.raises(mr.DataError, match=message):
        mr.solve_path(mr.Problem(mr.WW, X, Y), [1.0], **arguments)


def test_changing_only_c_compiles_once(monkeypatch):
    import cvxpy as cp

    compiled = []
    original = cp.Problem.get_problem_data

    def counting(self, *args, **kwargs):
        key = self._cache.param_prog is None or self._cache.key is None
        compiled.append(key)
        return original(self, *args, **kwargs)

    monkeypatch.setattr(cp.Problem, "get_problem_data", counting)
    for method in ("primal", "dual", "kesler"):
        for cost in ("linear", "quadratic"):
            compiled.clear()
            problem = mr.Problem(mr.ATS.with_cost(cost), X, Y, bias="free")
            path = mr.solve_path(
                problem, [0.1, 1.0, 10.0, 2.0], method=method, backend="CLARABEL", tolerance=1e-8
            )
            assert sum(compiled) == 1, (method, cost, compiled)
            for solution in path:
                fresh = mr.solve(
                    mr.Problem(mr.ATS.with_cost(cost), X, Y, C=solution.problem.C, bias="free")
                )
                assert solution.converged
                assert solution.certificate.lower <= fresh.certificate.upper
                assert fresh.certificate.lower <= solution.certificate.upper


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_while_a_backend_runs_is_raised_when_it_returns():
    """OSQP and ECOS handle the signal themselves; it must not look like a failure of theirs."""

    class Interrupted:
        status, returned = "optimal", False

        def solve(self, **options):
            signal.raise_signal(signal.SIGINT)
            self.returned = True

    problem = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        KNOWN["OSQP"].run(problem, 1e-6)
    assert problem.returned
