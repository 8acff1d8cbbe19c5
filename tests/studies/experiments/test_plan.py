"""How a point is chosen, on scores that are known: a peak beyond the grid, a plateau, a slope without end."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from msvm_ref.studies.experiments.plan import Planner
from msvm_ref.studies.experiments.uv import TABLE4, TABLE5


def nothing(tasks):
    return []
    yield


def chosen(study, score, protocol="paper"):
    """(point, points that were trained, at_limit) of a course whose accuracies are ``score(gamma, C)``."""
    planner = Planner(study, study.sources[0], study.contenders[0], study.protocol(protocol), {})
    seen: set[tuple[int, int]] = set()

    def of(point, repetitions):
        seen.add(point)
        record = SimpleNamespace(accuracy=score(*point), converged=True, error="")
        return [record] * (repetitions * len(planner.folds))

    planner._of = of
    planner._missing = lambda *_: []
    planner._looked_up = nothing
    with pytest.raises(StopIteration) as ended:
        next(planner.course())
    return ended.value.value.point, seen, planner.at_limit


def peak(at):
    return lambda g, c: math.exp(-((g - at[0]) ** 2 + (c - at[1]) ** 2) / 200)


@pytest.mark.parametrize("at", [(-5, 4), (-3, 7), (2, 10), (-14, 14), (-8, -5)])
def test_a_peak_is_found_wherever_it_is(at):
    point, seen, at_limit = chosen(TABLE4, peak(at))
    assert max(abs(point[0] - at[0]), abs(point[1] - at[1])) == 0
    assert not at_limit
    assert {(g, c) for g in (-12, -9, -6, -3, 0) for c in (0, 3, 6, 9, 12)} <= seen


def test_a_peak_inside_needs_no_extension():
    _, seen, _ = chosen(TABLE4, peak((-6, 6)))
    assert len(seen) == 25 + 24


def test_a_plateau_is_not_followed():
    point, seen, at_limit = chosen(TABLE4, lambda g, c: 0.7)
    assert point[1] == 1  # refined about (-9, 3), the smallest inside: C down to 2^1
    assert not at_limit
    assert min(c for _, c in seen) == 0


def test_a_slope_without_end_ends_at_the_limit_and_says_so():
    point, _, at_limit = chosen(TABLE4, lambda g, c: c / 100)
    assert point[1] == 18 + 2
    assert at_limit


def test_a_linear_kernel_has_one_axis():
    point, seen, _ = chosen(TABLE5, lambda g, c: -abs(c - 5))
    assert point == (0, 5)
    assert {g for g, _ in seen} == {0}
    assert len(seen) == 5 + 4
