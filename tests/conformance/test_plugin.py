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


def test_fails_with_the_numbers_and_writes_the_report(pytester):
    result = suite(pytester, 2.0, {}, "--msvm-report", "out.json")
    result.assert_outcomes(failed=1, passed=0, skipped=2)
    result.stdout.fnmatch_lines(
        [
            "*CheckFailed: examples three times over: objective *",
            "msvm: 3 checks, 1 failed; report: out.json",
        ]
    )
    rows = {r["name"]: r for r in json.loads((pytester.path / "out.json").read_text())["records"]}
    assert rows["check_duplicates"]["status"] == "failed"
    assert "optimum lies in" in rows["check_duplicates"]["message"]
    assert rows["check_objective"]["status"] == "skipped"


def test_expected_failures_are_strict(pytester):
    suite(
        pytester, 2.0, {"check_duplicates": "C doubled"}, "--msvm-report", "out.md"
    ).assert_outcomes(xfailed=1, skipped=2)
    assert (
        "| check_duplicates | expected failure | C doubled |"
        in (pytester.path / "out.md").read_text()
    )
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
