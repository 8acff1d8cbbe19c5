"""Verdicts on samples: by intervals computed by hand, on tables that are known, and from the files that come along."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from msvm_ref.studies.experiments.exported import Exported, TableEntry
from msvm_ref.studies.papers import findings, ledger, uv_figures, uv_shared, uv_spreads
from msvm_ref.studies.papers.bootstrap import most_often
from msvm_ref.studies.papers.claim import Either, Verdict
from msvm_ref.studies.papers.findings import (
    NINE,
    Contrast,
    all_within,
    apart,
    conjunction,
    interval,
    larger,
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


SAMPLED = [claim for claim in ledger.all_claims() if claim.experiment]


@pytest.mark.parametrize("claim", SAMPLED, ids=lambda c: c.id)
def test_every_claim_can_hold_and_can_fail(claim):
    """On invented numbers: the agreed verdict is no part of it."""
    assert isinstance(claim.sabotage, Either)
    assert claim.check(claim.sabotage.true).holds is True
    assert claim.check(claim.sabotage.false).holds is False
    assert claim.sabotaged().decide().verdict is not claim.decide().verdict


def test_eleven_readings_and_every_claim_of_an_experiment_has_a_sample():
    assert len(uv_figures.READINGS) == 11
    for claim in SAMPLED:
        decided = claim.decide()
        assert decided.verdict in (Verdict.HOLDS, Verdict.NOT_SHOWN, Verdict.FAILS)
        assert decided.corrected is None
        if decided.verdict != Verdict.NOT_SHOWN:  # thinned or not, it says so
            assert any(word in decided.shown for word in ("quick", "paper")), claim.id


def test_what_is_not_there_is_said(known):
    known({})
    for claim in SAMPLED:
        if claim.check not in (
            uv_figures.shown,
            uv_figures.alone,
            uv_figures.high,
            uv_figures.whole_range,
        ):
            decided = claim.decide()
            assert decided.verdict is Verdict.NOT_SHOWN, claim.id
            assert "among the results that come along" in decided.shown


def test_of_two_statements_both_must_hold(known):
    known({("d", "a"): [30, 31, 33], ("d", "b"): [10, 12, 13]})
    true, false = (Contrast("x", (a,), (b,), row="d") for a, b in ("ab", "ba"))
    assert conjunction(((larger, true), (larger, true))).holds
    assert conjunction(((larger, true), (larger, false))).holds is False
    assert conjunction(((larger, true), (larger, replace(true, row="other")))).holds is None


def test_one_of_many_fails_only_where_it_would_among_many(known):
    """1.2 [0.05, 2.35] is beyond 0 at 95 % and not at 1 - 5 % / 3: of three columns nobody is called apart by it."""
    gap = [0.4, 1.2, 1.2, 2.0]
    spare = {(f"d{k}", c): [50.0] for k in range(4) for c in "bc"}
    known(spare | {(f"d{k}", "a"): [50.0 + v] for k, v in enumerate(gap)})
    assert within(Contrast("x", ("a",), ("b",), margin=0.01)).holds is False
    assert all_within(Contrast("x", ("a", "b", "c"), margin=0.01)).holds is None


def test_deviations_and_ranges_are_compared_where_they_are_meant(known):
    wide, narrow = [40.0, 50.0, 60.0], [49.0, 50.0, 51.0]
    known(
        {
            (f"d{k}", c): [v + k * (v - 50) / 9 for v in values]
            for k in range(4)
            for c, values in (("a", wide), ("b", narrow))
        }
    )
    for of in ("deviation", "range"):
        assert larger(Contrast("x", ("a",), ("b",), of_values=of)).holds
        assert larger(Contrast("x", ("b",), ("a",), of_values=of)).holds is False
    assert larger(Contrast("x", ("a",), ("b",))).holds is None
    assert larger(Contrast("x", ("a",), of_values="range", margin=15.0)).holds
    assert larger(Contrast("x", ("a",), of_values="range", margin=40.0)).holds is False


def test_two_protocols_are_not_compared(monkeypatch):
    rows = {(f"d{k}", "a"): [float(k), k + 1.0] for k in range(5)}
    tables = {
        "x": table(rows),
        "y": table({place: [v + 9 for v in values] for place, values in rows.items()}, "paper"),
    }
    monkeypatch.setattr(findings, "published", lambda name: tables[name])
    assert larger(Contrast("y", ("a",), ("a",), other_study="x")).holds is None
    tables["x"] = table(rows, "paper")
    assert larger(Contrast("y", ("a",), ("a",), other_study="x")).holds


def test_a_failed_value_leaves_its_row_out(known):
    cells = {(f"d{k}", c): [v + k, v] for k in range(5) for c, v in (("a", 9.0), ("b", 1.0))}
    known(cells)
    assert "5 data sets" in larger(Contrast("x", ("a",), ("b",))).shown
    known(cells | {("d0", "b"): [1.0, None]})
    assert "4 data sets" in larger(Contrast("x", ("a",), ("b",))).shown


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


def test_ties_decide_nothing():
    same = [60.0, 61.0, 62.0, 63.0]
    cells = {("d", "a"): same, ("d", "b"): same, ("d", "c"): [v - 5 for v in same]}
    tables = [
        replace(table(cells), tied=frozenset(("d", c) for c in names)) for names in ("c", "bc")
    ]

    def of(columns, k):
        form = Contrast("x", tuple(columns), row="d", given=(tables[k], tables[k]))
        return uv_shared.alike(form)

    assert of("ab", 0).holds
    assert of("abc", 0).holds is None  # two are one machine, of the third nobody knows
    assert "c decided by ties" in of("abc", 0).shown
    assert of("bc", 1).holds is None
    cells["d", "b"] = [v - 5 for v in same]
    tables[0] = replace(table(cells), tied=frozenset({("d", "c")}))
    assert of("abc", 0).holds is False  # whatever the third is
    huge = {("Segment", c): [50.0 + 0.1 * k for k in range(9)] for c in NINE}
    given = table(huge), replace(table(huge), tied=frozenset(huge))
    told = [uv_shared.spread(Contrast("uv-table5", NINE, given=(t, t))).holds for t in given]
    assert told == [False, None]


def test_an_optimum_without_a_first_class_on_half_of_the_rows_is_a_tie():
    for share, holds in ((49.0, True), (50.0, False)):
        given = table({("d", "a"): [share, share], ("d", "b"): [0.0, 0.0]})
        assert uv_shared.ties(Contrast("x", NINE, given=(given, given))).holds is holds


@pytest.mark.parametrize("rows", [30, 1617])
def test_no_check_fails_on_fewer_training_rows(monkeypatch, rows):
    """Nor those that have a sample of their own; Segment of uv-table5 has 1617."""

    def use(cells):
        entries = {
            p: TableEntry(p[0], "quick", p[1], tuple(v), 1e-6, rows) for p, v in cells.items()
        }
        monkeypatch.setattr(findings, "published", lambda name: Exported(entries))

    use({("Segment", "WW"): [1.0, 2.0, 1.5], ("Segment", "CS"): [51.0, 52.0, 51.4]})
    told = uv_shared.alike(Contrast("uv-table5", ("WW", "CS"), row="Segment"))
    assert told.holds is (False if rows == 1617 else None)
    use({("Segment", c): [50.0 + 0.1 * k for k in range(9)] for c in NINE})
    told = uv_shared.spread(Contrast("uv-table5", NINE))
    assert told.holds is (False if rows == 1617 else None)
    names = ("Segment", "Car", "Glass", "Iris")
    maxima = {
        c: [60.0 + k for k in range(3)] if c in ("CS", "AMO", "ATM") else [50.0] * 3 for c in NINE
    }
    use({(row, c): v for row in names for c, v in maxima.items()})
    told = uv_spreads.margins_over_aggregation(Contrast("uv-table5", NINE))
    assert told.holds is (False if rows == 1617 else None)
