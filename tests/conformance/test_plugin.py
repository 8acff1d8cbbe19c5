"""The pytest plugin in a pytest of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import msvm_ref as mr
import msvm_ref.conformance.checks
import msvm_ref.solvers.truth.solve  # numpy and cvxpy load once per process: before pytester forgets what its runs import

pytest_plugins = ["pytester"]

INSTALLED = any(e.name == "msvm_ref" for e in entry_points(group="pytest11"))
LOAD = () if INSTALLED else ("-p", "msvm_ref.conformance.plugin")
SUITE = """
    import sys
    sys.path.insert(0, HERE)
    import msvm_ref as mr
    from gradient import projected_gradient
    from msvm_ref.conformance import parametrize

    def solver(X, y, C):
        return projected_gradient(X, y, C * FACTOR)

    @parametrize(solver, machine=mr.WW, checks=["check_duplicates", "check_refit", "check_objective"],
                 expected_failures=EXPECTED)
    def test_solver(check):
        check()
"""


@pytest.fixture(autouse=True)
def _found_by_other_processes(monkeypatch):
    """The package under test is importable in the processes that a test starts, installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(Path(mr.__file__).parents[1]))


def suite(
    pytester: pytest.Pytester, factor: float, expected: dict[str, str], *arguments: str
) -> pytest.RunResult:
    text = SUITE.replace("HERE", repr(str(Path(__file__).parent)))
    pytester.makepyfile(text.replace("FACTOR", str(factor)).replace("EXPECTED", repr(expected)))
    quick = ("-p", "no:hypothesispytest")  # it would import hypothesis anew in every run
    return pytester.runpytest_inprocess(*LOAD, *quick, "--strict-markers", "-rs", *arguments)


def test_passes_and_skips(pytester):
    result = suite(pytester, 1.0, {}, "-m", "msvm")
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(["*it reports no objective*"])


def test_fails_in_five_lines_and_writes_the_report(pytester):
    result = suite(pytester, 2.0, {}, "--msvm-report", "out.json")
    result.assert_outcomes(failed=1, passed=0, skipped=2)
    result.stdout.fnmatch_lines(
        [
            "check_duplicates fails on examples three times over (WW, convention 'UV', bias 'none')",
            "certified: objective * where the optimum lies in *",
            "diagnosis: this is the optimum of WW, C·2*",
            "smallest example: X = *",
            "msvm: 3 checks, 1 failed, 1 cause; report: out.json",
        ]
    )
    text = result.stdout.str()
    assert "conformance/suite.py" not in text  # no frame of ours
    assert "conformance/trial.py" not in text
    data = json.loads((pytester.path / "out.json").read_text())
    rows = {r["name"]: r for r in data["records"]}
    assert rows["check_duplicates"]["status"] == "failed"
    assert "optimum lies in" in rows["check_duplicates"]["message"]
    assert rows["check_objective"]["status"] == "skipped"
    assert data["causes"][0]["checks"] == ["check_duplicates"]
    assert data["provenance"]["command"].startswith("pytest ")


CONVENTION = """
    import sys
    sys.path.insert(0, HERE)
    import msvm_ref as mr
    from gradient import projected_gradient

    def solver(X, y, C):  # margin f_y - f_c >= 1
        return {"W": projected_gradient(X, y, 4 * C)["W"] / 2}

    @mr.conformance.parametrize(solver, machine=mr.WW, checks=["check_C", "check_duplicates"])
    def test_solver(check):
        check()
"""


def test_the_convention_that_would_pass_is_told_and_one_cause_once(pytester):
    pytester.makepyfile(CONVENTION.replace("HERE", repr(str(Path(__file__).parent))))
    quick = ("-p", "no:hypothesispytest")
    result = pytester.runpytest_inprocess(*LOAD, *quick, "--msvm-report", "out.html")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "your solver is right as it is with convention='margin1'",
            "diagnosis: the same as check_C: this is the optimum of WW, margin f_y - f_c >= 1*",
            "msvm: 2 checks, 2 failed, 1 cause; report: out.html",
        ]
    )
    page = (pytester.path / "out.html").read_text()
    assert page.count("one cause explains 2 checks") == 1
    assert "<td class='bad nowrap'>FAILS</td>" in page
    assert "http" not in page


def test_a_report_of_another_kind_is_refused_first(pytester):
    result = suite(pytester, 1.0, {}, "--msvm-report", "out.pdf")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_expected_failures_are_strict(pytester):
    suite(
        pytester, 2.0, {"check_duplicates": "C doubled"}, "--msvm-report", "out.md"
    ).assert_outcomes(xfailed=1, skipped=2)
    assert "| known | check_duplicates | C doubled |" in (pytester.path / "out.md").read_text()
    suite(pytester, 1.0, {"check_duplicates": "C doubled"}).assert_outcomes(
        failed=1, passed=1, skipped=1
    )


def test_the_plugin_is_light():
    code = (
        "import sys, pytest; before = set(sys.modules); import msvm_ref.conformance.plugin; "
        "heavy = {'cvxpy', 'numpy', 'scipy', 'sklearn', 'hypothesis'} & (set(sys.modules) - before); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
