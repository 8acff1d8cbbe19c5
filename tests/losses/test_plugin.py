"""parametrize_loss and the marker in a pytest of their own."""

from __future__ import annotations

from importlib.metadata import entry_points

pytest_plugins = ["pytester"]

LOAD = (
    ()
    if any(e.name == "msvm_ref" for e in entry_points(group="pytest11"))
    else ("-p", "msvm_ref.conformance.plugin")
)
SUITE = """
    import msvm_ref as mr
    from msvm_ref.conformance import parametrize_loss

    def loss(scores, y):
        return FACTOR * mr.losses.loss(mr.WW, scores, y)

    @parametrize_loss(loss, machine=mr.WW, expected_failures=EXPECTED,
                      checks=["check_value", "check_kinks", "check_reductions"])
    def test_loss(check):
        check()

    def test_something_else():
        pass
"""


def outcomes(pytester, factor, expected, *arguments):
    text = SUITE.replace("FACTOR", factor).replace("EXPECTED", repr(expected))
    pytester.makepyfile(text)
    quick = ("-p", "no:hypothesispytest")
    return pytester.runpytest_inprocess(*LOAD, *quick, "--strict-markers", *arguments)


def test_right_and_wrong_losses(pytester):
    right = outcomes(pytester, "1", {}, "-m", "msvm_loss")
    right.assert_outcomes(passed=2, skipped=1, deselected=1)
    wrong = outcomes(pytester, "2", {"check_kinks": "doubled"}, "-m", "msvm_loss")
    wrong.assert_outcomes(failed=1, xfailed=1, skipped=1, deselected=1)
    wrong.stdout.fnmatch_lines(["*this is WW with margin (f_y - f_c)/2 >= 1, times 2*"])


def test_an_expected_failure_that_passes_fails(pytester):
    outcomes(pytester, "1", {"check_kinks": "no"}, "-m", "msvm_loss").assert_outcomes(
        failed=1, passed=1, skipped=1, deselected=1
    )
