"""Verdicts on samples: by intervals computed by hand, on tables that are known, and from the files that come along."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from msvm_ref.studies.experiments.exported import Exported, TableEntry
from msvm_ref.studies.papers import findings, uv_figures, uv_shared
from msvm_ref.studies.papers.findings import (
    NINE,
    Contrast,
    all_within,
    apart,
    interval,
    larger,
    most_often,
    somewhere,
    within,
)


def table(cells, protocol="quick"):
    return Exported(
        {
            (row, column): TableEntry(row, protocol, column, tuple(values), 1e-6, 100)
            for (row, column), values in cells.items()
        }
    )


@pytest.fixture
def known(monkeypatch):
    def use(cells):
        monkeypatch.setattr(findings, "published", lambda name: table(cells))

    return use


def test_the_interval_is_students():
    found = interval([1.0, 2.0, 3.0])  # t(0.975, 2) = 4.302653, s = 1
    assert found.mean == 2
    assert found.high - 2 == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)
    assert math.isnan(interval([1.0]).low)


@pytest.mark.parametrize(
    ("gaps", "verdict"),
    [
        ([5, 6, 7, 6], True),
        ([-5, -6, -7, -6], False),
        ([-5, 6, 1, 2], None),
        ([5, 5, 5], None),  # three are too few
        ([5], None),
        ([], None),
    ],
)
def test_larger_by_data_sets(known, gaps, verdict):
    cells = {}
    for k, gap in enumerate(gaps):
        cells[f"d{k}", "a"], cells[f"d{k}", "b"] = [50.0 + gap] * 3, [50.0] * 3
    known(cells)
    assert larger(Contrast("x", ("a",), ("b",))).holds is verdict
    assert larger(Contrast("x", ("b",), ("a",))).holds is (None if verdict is None else not verdict)


def test_a_margin_a_row_and_the_best_of_the_others(known):
    known({("d", "a"): [30, 31, 33], ("d", "b"): [10, 12, 13], ("d", "c"): [20, 20, 21]})
    assert larger(Contrast("x", ("a",), ("b", "c"), row="d")).holds
    assert (
        larger(Contrast("x", ("a",), ("b", "c"), row="d", margin=14, of_less="max")).holds is False
    )
    assert larger(Contrast("x", ("a",), ("b",), row="other")).holds is None
    assert within(Contrast("x", ("a",), ("b",), row="d", margin=25)).holds
    assert within(Contrast("x", ("a",), ("b",), row="d", margin=2)).holds is False
    assert within(Contrast("x", ("a",), ("b",), row="d", margin=19.5)).holds is None


def test_apart_is_the_contrary_of_within_on_either_side(known):
    known({("d", "a"): [30, 31, 33], ("d", "b"): [10, 12, 13]})
    for one, other in ("ab", "ba"):
        form = Contrast("x", (one,), (other,), row="d")
        assert apart(replace(form, margin=2)).holds
        assert apart(replace(form, margin=25)).holds is False
        assert apart(replace(form, margin=19.5)).holds is None


def test_all_within_sees_the_one_that_is_not(known):
    rows = {
        "a": [50.0, 51.0, 52.0, 50.0],
        "b": [50.0, 51.0, 52.1, 50.0],
        "c": [50.1, 51.0, 52.0, 50.0],
    }
    known({(f"d{k}", c): [v] for c, values in rows.items() for k, v in enumerate(values)})
    assert all_within(Contrast("x", ("a", "b", "c"), margin=1.0)).holds
    rows["c"] = [40.0, 41.1, 42.0, 40.0]  # the mean of b and c is off a's by 5, and c by 10
    known({(f"d{k}", c): [v] for c, values in rows.items() for k, v in enumerate(values)})
    assert all_within(Contrast("x", ("a", "b", "c"), margin=7.0)).holds is False
    assert within(Contrast("x", ("a",), ("b", "c"), margin=7.0)).holds


def test_somewhere_pays_for_looking_in_many_places(known):
    near = {("d0", "a"): [50.0, 50.2, 50.4], ("d0", "b"): [50.0] * 3}  # 0.2 [-0.3, 0.7]
    far = {("d1", "a"): [60.0, 60.5, 61.0], ("d1", "b"): [50.0] * 3}
    form = Contrast("x", ("a",), ("b",))
    known(near | far)
    assert somewhere(form).holds
    known(near)
    assert somewhere(form).holds is None
    known({place: [100 - v for v in values] for place, values in far.items()})
    assert somewhere(form).holds is False
    gaps = [0.1, 1.0, 1.9]  # 1 [-1.24, 3.24]
    known({("d", c): v for c, v in {"a": gaps, "b": [0.0] * 3, "e": [9.0] * 3}.items()})
    row = Contrast("x", ("a",), ("b", "e"), row="d")
    assert somewhere(row).holds is None
    assert somewhere(replace(row, less=("e",))).holds is False
    assert somewhere(replace(row, less=("e", "missing"))).holds is None


def test_the_least_of_those_that_are_more_and_only_some_data_sets(known):
    known({("d", "a"): [30, 31, 33], ("d", "b"): [10, 12, 13], ("d", "c"): [20, 20, 21]})
    assert larger(Contrast("x", ("a", "b"), ("c",), row="d", margin=-5)).holds
    assert (
        larger(Contrast("x", ("a", "b"), ("c",), row="d", margin=-5, of_more="min")).holds is False
    )
    cells = {(f"d{k}", c): [v + k] for k in range(4) for c, v in (("a", 1.0), ("b", 0.0))}
    known(cells | {("e", "a"): [0.0], ("e", "b"): [9.0]})
    assert larger(Contrast("x", ("a",), ("b",))).holds is None
    few = larger(Contrast("x", ("a",), ("b",), only=("d0", "d1", "d2", "d3")))
    assert few.holds
    assert "4 data sets (4 quick)" in few.shown


def test_best_by_count_is_bootstrapped(known):
    def nine(best):
        return {c: [60.0 + k for k in range(10)] if c in best else [50.0] * 10 for c in NINE}

    sets = [("WW", "RM")] * 5 + [("WW",)]
    known({(f"d{k}", c): v for k, best in enumerate(sets) for c, v in nine(best).items()})
    assert most_often(Contrast("x", ("WW", "RM"))).holds
    assert most_often(Contrast("x", ("WW", "CS"))).holds is False
    known({(f"d{k}", c): v for k in range(4) for c, v in nine(("WW", "RM")).items()})
    assert most_often(Contrast("x", ("WW", "RM"))).holds is None  # four sets are too few


def test_shared_values_are_one_machine_or_not(known):
    form = Contrast("x", ("a", "b"), row="d")
    same = [60.0, 61.0, 62.0, 63.0]
    known({("d", "a"): same, ("d", "b"): same})
    assert uv_shared.alike(form).holds
    known({("d", "a"): same, ("d", "b"): [v - 5 for v in same]})
    assert uv_shared.alike(form).holds is False
    known({("d", "a"): same, ("d", "b"): same[::-1]})
    assert uv_shared.alike(form).holds is None


@pytest.mark.parametrize("true", [True, False])
def test_invented_circles_make_every_reading_true_or_none(true):
    for claim in uv_figures.CLAIMS[:-1]:
        form = uv_figures.Picture(claim.printed.variant, claim.printed.number, true)
        assert uv_figures.shown(form).holds is true, claim.id
    assert uv_figures.alone(True).holds
    assert uv_figures.alone(False).holds is False


def test_eleven_readings():
    assert len(uv_figures.CLAIMS) == 11 + 1


@pytest.mark.parametrize("rows", [30, 105])
def test_nothing_fails_on_fewer_training_rows_than_the_papers(monkeypatch, rows):
    """Iris of uv-table4 has 105."""
    cells = {("Iris", "WW"): [1.0, 2.0, 1.5], ("Iris", "CS"): [51.0, 52.0, 51.4]}
    entries = {
        place: TableEntry(place[0], "quick", place[1], tuple(v), 1e-6, rows)
        for place, v in cells.items()
    }
    monkeypatch.setattr(findings, "published", lambda name: Exported(entries))
    against, apart_from = (
        Contrast("uv-table4", ("WW",), ("CS",), row="Iris", margin=m) for m in (0.0, 200.0)
    )
    for check, form in (
        (larger, against),
        (somewhere, against),
        (within, against),
        (apart, apart_from),
    ):
        told = check(form)
        assert told.holds is (False if rows == 105 else None)
        assert ("fewer training rows than theirs (Iris)" in told.shown) == (rows == 30)
    assert larger(replace(against, more=("CS",), less=("WW",))).holds is True
