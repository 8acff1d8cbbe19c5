"""Results walk one way, store -> file -> table: what is joined, what is kept, what is shown."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib.resources import files

import pytest

from msvm_ref.errors import DataError
from msvm_ref.studies.experiments import engine, exported
from msvm_ref.studies.experiments.chapter import chapters
from msvm_ref.studies.experiments.exported import (
    PROTOCOLS,
    TableEntry,
    as_json,
    chosen,
    committed,
    joined,
    parsed,
)
from msvm_ref.studies.experiments.registry import STUDIES
from msvm_ref.studies.experiments.result import entry, known, results, stored
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.table import table
from tests.studies.experiments.small import SMALL

TWO = replace(SMALL, sources=(SMALL.sources[0], replace(SMALL.sources[0], label="Other")))
"""Two rows, Iris and Other, of two columns, WW and CS."""


def made(protocol, columns, value=1.0, row="Iris"):
    return [TableEntry(row, protocol, c, (value, value + 1), 1e-6, 40) for c in columns]


def shown(entries):
    return {(e.row, e.column): (e.protocol, e.values[0]) for e in chosen(TWO, entries)}


PAPER, QUICK = made("paper", ("WW", "CS"), 5.0), made("quick", ("WW", "CS"), 7.0)


@pytest.mark.parametrize(("old", "new"), [(PAPER, QUICK), (QUICK, PAPER)])
def test_a_quick_row_never_replaces_a_paper_row(old, new):
    both = joined(old, new)
    assert {e.place for e in both} == {e.place for e in (*PAPER, *QUICK)}
    assert set(shown(both).values()) == {("paper", 5.0)}


@pytest.mark.parametrize("whole", [PAPER, QUICK])
def test_a_row_that_lacks_columns_never_replaces_a_whole_one(whole):
    other = "quick" if whole is PAPER else "paper"
    for old, new in ((whole, made(other, ("WW",), 9.0)), (made(other, ("WW",), 9.0), whole)):
        assert set(shown(joined(old, new)).values()) == {(whole[0].protocol, whole[0].values[0])}


def test_of_one_protocol_the_new_column_comes_and_the_others_stay():
    after = shown(joined(QUICK, made("quick", ("WW",), 9.0)))
    assert after == {("Iris", "WW"): ("quick", 9.0), ("Iris", "CS"): ("quick", 7.0)}
    other = shown(joined(QUICK, made("quick", ("WW", "CS"), 9.0, "Other")))
    assert other["Iris", "WW"] == ("quick", 7.0)
    assert other["Other", "WW"] == ("quick", 9.0)


def test_rows_never_mix_protocols():
    mixed = joined(made("paper", ("WW",), 5.0), made("quick", ("CS",), 7.0))
    assert shown(mixed) == {("Iris", "WW"): ("paper", 5.0)}


@pytest.mark.parametrize("change", [{"values": (1.0, 2.0, 3.0)}, {"train": 41}])
def test_a_protocol_that_changed_under_its_name_is_refused(change):
    new = [replace(made("quick", ("WW",))[0], **change)]
    with pytest.raises(DataError, match="not what it was"):
        joined(QUICK, new)
    assert joined(QUICK, [replace(new[0], column="CS"), new[0]])  # all of the row: it is new


def test_values_of_another_study_never_enter():
    text = as_json(TWO, QUICK)
    assert parsed(TWO, text) == QUICK
    for other in (replace(TWO, name="other"), replace(TWO, measure="seconds")):
        with pytest.raises(DataError, match="those of small"):
            parsed(other, text)
    for broken in (
        "",
        "[]",
        "{}",
        text.replace('"gap"', '"gapp"'),
        text.replace("paper", "x")[:-9],
    ):
        with pytest.raises(DataError, match="study export wrote"):
            parsed(TWO, broken)
    for old, new in (("Iris", "Nowhere"), ('"WW"', '"LLW"'), ('"quick"', '"slow"')):
        with pytest.raises(DataError, match="which it does not have"):  # an export would lose it
            parsed(TWO, text.replace(old, new))


@pytest.mark.parametrize("measure", ["accuracy", "error", "seconds"])
def test_a_number_of_which_a_cell_failed_is_none(measure):
    """It is no zero: not a mean over the splits that are left, not the best, not compared, and no row of a verdict."""
    study = replace(TWO, measure=measure)
    failed = replace(QUICK[0], values=(99.0, None), failures=1)
    made_of = results(study, [failed, QUICK[1]])
    assert math.isnan(made_of[0].mean)
    assert math.isnan(made_of[0].p)
    assert not made_of[0].among_the_best
    assert made_of[0].difference is None
    if measure != "seconds":
        assert made_of[1].p == 1.0
    assert (
        exported.Exported({("Iris", e.column): e for e in (failed, QUICK[1])}).rows(("WW",)) == []
    )
    (circle,) = results(replace(TWO, measure="agreement"), [failed])
    assert circle.mean == 99.0  # there it is w* = 0


def test_a_file_has_all_that_is_told_of_a_number():
    whole = replace(
        QUICK[0], point=(-3, 6), cells=9, open_gaps=1, failures=2, at_limit=True, gap=math.nan
    )
    (read,) = parsed(TWO, as_json(TWO, [whole]))
    assert math.isnan(read.gap)
    assert replace(read, gap=0.0) == replace(whole, gap=0.0)
    told = results(TWO, [read])[0].to_dict()
    assert (told["gamma_exponent"], told["C_exponent"], told["cells"]) == (-3, 6, 9)
    assert (told["open_gaps"], told["failures"], told["at_limit"]) == (1, 2, True)
    bare = results(TWO, QUICK)[0].to_dict()
    assert bare["C_exponent"] is bare["cells"] is bare["at_limit"] is None


def test_a_file_is_what_the_store_has_and_shows_the_same(tmp_path, monkeypatch):
    with Store(tmp_path / "x.sqlite") as store:
        endings = engine.run(SMALL, store)
        entries = stored(SMALL, store)
        assert entries == [entry(SMALL, e) for e in endings]
        again = parsed(SMALL, as_json(SMALL, entries))
        assert [e.values for e in again] == [e.values for e in entries]
        assert [r.p for r in results(SMALL, again)] == [r.p for r in results(SMALL, entries)]
        assert known(SMALL, store)[0].entry.values == entries[0].values
    assert known(SMALL) == []
    worse = [replace(e, values=tuple(v and v - 10 for v in e.values)) for e in entries]
    monkeypatch.setattr("msvm_ref.studies.experiments.result.committed", lambda study: worse)
    assert known(SMALL)[0].mean == pytest.approx(known_mean(entries) - 10)
    with Store(tmp_path / "x.sqlite") as store:  # what a store has stands over what comes along
        assert known(SMALL, store)[0].mean == pytest.approx(known_mean(entries))


def test_a_row_of_nothing_but_what_others_are_held_against_is_left_out(tmp_path):
    first = SMALL.contenders[0]
    study = replace(SMALL, contenders=(first, replace(first, label="again", chosen_as=first)))
    with Store(tmp_path / "x.sqlite") as store:
        engine.run(SMALL, store, contenders=[first])
        assert len(stored(SMALL, store)) == 1
        engine.run(study, store, contenders=[first])
        one = replace(study, contenders=(first, replace(study.contenders[1], machine="CS")))
        assert stored(one, store) == []
        engine.run(one, store)
        assert [e.column for e in stored(one, store)] == [first.label, "again"]


def test_what_a_solver_makes_of_ties_is_no_accuracy(monkeypatch):
    study = replace(SMALL, ties_in="uv-table5-ties")
    monkeypatch.setattr(exported, "_tied", lambda name: frozenset({("Iris", "quick", "WW")}))
    first, second = made("quick", ("WW",), 9.0) + made("quick", ("CS",), 5.0)
    assert exported.is_tied(study, first)
    assert not exported.is_tied(SMALL, first)
    shown = results(study, [first, second])
    assert [r.tied for r in shown] == [True, False]
    assert math.isnan(shown[0].p)
    assert shown[1].p == 1.0  # the best of those that have an accuracy
    assert shown[0].agreement in ("not compared", "not printed")
    text = table(study, shown)
    assert [line.endswith("?") for line in text.splitlines() if "quick" in line][:2] == [
        True,
        False,
    ]
    assert "ties (uv-table5-ties)" in text
    both = {(e.row, e.column): e for e in (first, second)}
    assert exported.Exported(both).rows(["WW", "CS"]) == ["Iris"]
    tied = exported.Exported(both, frozenset({("Iris", "WW")}))
    assert tied.rows(["WW", "CS"]) == []
    assert tied.rows(["CS"]) == ["Iris"]


def test_ties_are_those_of_half_of_the_rows_by_the_same_protocol(monkeypatch):
    exported._tied.cache_clear()
    """And what no fit came near enough to tell."""
    told = made("paper", ("WW",), 60.0) + made("paper", ("CS",), 40.0)
    far = [
        replace(told[1], column=column, gap=gap, cells=10, open_gaps=open_gaps)
        for column, gap, open_gaps in (("AMO", 2e-5, 10), ("ATM", 2e-5, 9), ("LLW", 2e-6, 10))
    ]
    monkeypatch.setattr(exported, "committed", lambda study: told + far)
    assert exported._tied("uv-table5-ties") == {("Iris", "paper", "WW"), ("Iris", "paper", "AMO")}
    exported._tied.cache_clear()


def known_mean(entries):
    return sum(entries[0].numbers) / len(entries[0].numbers)


@pytest.mark.parametrize("name", STUDIES)
def test_the_files_that_come_along_are_of_the_studies_and_of_certified_cells(name):
    study = STUDIES[name]
    entries = committed(study)
    rows, columns = {s.label for s in study.sources}, {c.label for c in study.contenders}
    assert joined([], entries) == entries
    for e in entries:
        assert e.row in rows
        assert e.column in columns
        assert e.protocol in PROTOCOLS
        stopped = next(c.solver for c in study.contenders if c.label == e.column)
        # of the two largest sets some stay open; what is within 0.1 at every W that is left is so at any gap
        widest = 1 if stopped or study.measure == "tied" else 10 * study.tolerance
        assert e.gap <= widest
        source = next(s for s in study.sources if s.label == e.row)
        assert e.train == min(source.train, study.protocol(e.protocol).train_at_most)
    assert exported.published(name).rows(()) == [
        s.label for s in study.sources if s.label in {e.row for e in entries}
    ]


def test_every_file_that_comes_along_is_a_studys():
    names = {f.name for f in files("msvm_ref.studies.experiments").joinpath("results").iterdir()}
    assert {n.removesuffix(".json") for n in names} <= {s.kept_as for s in STUDIES.values()}


def test_points_of_a_grid_are_no_splits_to_be_tested():
    """They are of another grid for each machine: no signed ranks, no mean ranks."""
    (chapter,) = chapters([STUDIES["uv-table3-rates"]])
    assert all(math.isnan(r.p) and not r.among_the_best for r in chapter.results)
    assert chapter.rankings() == []
