"""A study is run once: cells are trained once, survive a kill, and are the same on any number of processes."""

from __future__ import annotations

import importlib.util
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from msvm_ref.errors import DataError, StoreError
from msvm_ref.studies.experiments import engine
from msvm_ref.studies.experiments.hl import FIVE
from msvm_ref.studies.experiments.result import entry, results, stored
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.table import table
from msvm_ref.studies.experiments.training import train
from tests.studies.experiments.small import CELLS, SMALL

ROOT = Path(__file__).parents[3]


def numbers(store):
    """All that does not depend on the machine's speed."""
    return {
        key: {k: v for k, v in asdict(record).items() if k != "seconds"}
        for key, record in store.records.items()
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "whole.sqlite"
    with Store(path) as store:
        outcomes = engine.run(SMALL, store)
        return path, outcomes, numbers(store)


def test_the_cells_are_those_of_the_protocol_and_certified(whole):
    _, outcomes, cells = whole
    assert len(cells) == CELLS
    assert sum(o.cells for o in outcomes) == CELLS
    assert all(
        c["converged"] and c["gap"] <= SMALL.tolerance and not c["error"] for c in cells.values()
    )
    assert all(0 < c["support"] <= c["n"] and c["right"] <= c["tested"] for c in cells.values())
    assert {c["n"] for c in cells.values()} == {20, 40}


def test_a_second_run_trains_nothing_and_reads_the_same(whole, monkeypatch):
    path, outcomes, cells = whole
    monkeypatch.setattr(engine, "train", None)
    with Store(path) as store:
        assert engine.run(SMALL, store) == outcomes
        assert numbers(store) == cells
        shown = stored(SMALL, store)
    assert shown == [entry(SMALL, o) for o in outcomes]
    assert "Iris" in table(SMALL, results(SMALL, shown))


def test_a_cell_can_be_made_again_from_its_path(whole):
    """Bit for bit: the record says what it was started from."""
    cells = whole[2]
    fold = next(c for c in cells.values() if c["fold"] == 1 and c["C"] == 8.0)
    planner = engine.planners_of(SMALL, Store("unused"), "quick", None, None)
    tasks = [t for p in planner for t in next(p.course())]
    again = {r.key: r for t in tasks for r in train(t, None)}[fold["key"]]
    assert fold["started"] == 1.0
    assert {**asdict(again), "seconds": 0} == {**fold, "seconds": 0}


CHILD = """
import sys, time
from msvm_ref.studies.experiments import engine, store
from tests.studies.experiments.small import SMALL
real = engine.train
def slow(task, folder):
    print("x", flush=True)
    time.sleep(0.2)
    return real(task, folder)
engine.train = slow
with store.Store(sys.argv[1]) as kept:
    engine.run(SMALL, kept)
"""


def test_killed_in_the_middle_it_goes_on_where_it_was(whole, tmp_path, monkeypatch):
    path = tmp_path / "killed.sqlite"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, cwd=ROOT
    )
    assert child.stdout is not None
    for _ in range(4):  # the fourth task has begun: three are kept
        child.stdout.readline()
    time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    trained = []

    def counted(task, folder):
        records = train(task, folder)
        trained.extend(r.key for r in records)
        return records

    with Store(path) as store:
        kept = set(store.records)
        assert 0 < len(kept) < CELLS
        monkeypatch.setattr(engine, "train", counted)
        outcomes = engine.run(SMALL, store)
        assert numbers(store) == whole[2]
    assert len(trained) == len(set(trained)) == CELLS - len(kept)
    assert not kept & set(trained)
    assert [o.point for o in outcomes] == [o.point for o in whole[1]]


@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs distributed")
def test_two_dask_workers_give_the_numbers_of_one_process(whole, tmp_path):
    from distributed import LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        Store(tmp_path / "dask.sqlite") as store,
    ):
        engine.run(SMALL, store, dask=cluster.scheduler_address)
        assert numbers(store) == whole[2]


def test_a_scheduler_that_does_not_answer(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    with (
        Store(tmp_path / "dask.sqlite") as store,
        pytest.raises(DataError, match="scheduler that answers"),
    ):
        engine.run(SMALL, store, dask="nonsense://x:1")


def test_a_cell_that_fails_is_a_record_with_its_reason(tmp_path, monkeypatch):
    import msvm_ref.studies.experiments.fits as training

    real = training.solve

    def fragile(problem, *rest, **options):
        if problem.C == 8.0:
            raise MemoryError("no room")
        return real(problem, *rest, **options)

    monkeypatch.setattr(training, "solve", fragile)
    with Store(tmp_path / "failed.sqlite") as store:
        outcomes = engine.run(SMALL, store)
        failed = [r for r in store.records.values() if r.error]
        assert {r.error for r in failed} == {"MemoryError: no room"}
        assert all(o.failures == 4 and o.point[1] == 0 for o in outcomes)
        assert all(r.accuracy != r.accuracy for r in failed)
        assert store.forget_failures() == 8
        monkeypatch.undo()
        assert all(o.failures == 0 for o in engine.run(SMALL, store))


def test_a_failure_gives_way_to_numbers_and_nothing_else_does(whole, tmp_path):
    path, _, _ = whole
    with Store(path) as store:
        good = next(iter(store.records.values()))
    failed = replace(good, error="MemoryError: no room", right=0)
    for order in ((failed, good), (good, failed)):
        with Store(tmp_path / f"{order[0].error[:3]}.sqlite") as store:
            other = Store(store.path).__enter__()  # a second process, that has seen neither
            store.add(order[:1])
            other.add(order[1:])
            other.connection.close()
        with Store(tmp_path / f"one {order[0].error[:3]}.sqlite") as one:
            one.add(order[:1])
            one.add(order[1:])
            assert list(one.records.values()) == [good]
        with Store(store.path) as again:
            assert list(again.records.values()) == [good]
            again.add([replace(good, right=0), failed])
        with Store(store.path) as again:
            assert list(again.records.values()) == [good]


def test_where_the_fast_solver_falls_short_the_truth_is_asked(whole, tmp_path, monkeypatch):
    import msvm_ref.studies.experiments.fits as training

    real = training.solve

    def lame(problem, method, **options):
        if method == "fast":
            options |= {"max_iter": 1, "start": None}
        return real(problem, method, **options)

    monkeypatch.setattr(training, "solve", lame)
    one = replace(SMALL, contenders=SMALL.contenders[:1])
    with Store(tmp_path / "lame.sqlite") as store:
        (ending,) = engine.run(one, store)
        by = {r.method for r in store.records.values()}
    assert "dual" in by
    assert ending.open_gaps == 0
    assert ending.point == whole[1][0].point


def test_an_official_test_part_is_chosen_for_by_a_holdout(tmp_path):
    official = replace(SMALL.sources[0], official=True)
    study = replace(SMALL, report="test", sources=(official,), contenders=FIVE[:1] + FIVE[3:4])
    with Store(tmp_path / "official.sqlite") as store:
        endings = engine.run(study, store)
        fits = [r for r in store.records.values() if '"kind": "official"' in r.identity]
        held = [r for r in store.records.values() if '"kind": "holdout"' in r.identity]
    assert {(r.n, r.tested) for r in fits} == {(40, 45)}
    assert {(r.n, r.tested) for r in held} == {(28, 12)}
    assert len(held) == (2 + 1) * 4  # the pairs are DAGSVM's, too
    for ending in endings:
        (reported,) = ending.records
        mine = [r for r in held if r.machine == ending.contender.machine]
        ties = [r for r in mine if r.right == max(m.right for m in mine)]
        tried = [r for r in fits if r.machine == ending.contender.machine]
        assert {(r.gamma, r.C) for r in tried} == {(r.gamma, r.C) for r in ties}
        assert reported.right == max(r.right for r in tried)


def test_without_one_the_folds_that_chose_are_reported(tmp_path):
    study = replace(SMALL, report="test", measure="error", contenders=SMALL.contenders[:1])
    with Store(tmp_path / "folds.sqlite") as store:
        (ending,) = engine.run(study, store)
        (result,) = results(study, [entry(study, ending)])
    assert [r.fold for r in ending.records] == [0, 1]
    assert result.mean == pytest.approx(100 - 100 * sum(r.accuracy for r in ending.records) / 2)


def test_a_full_disk_is_told_and_what_was_kept_stays(whole, tmp_path):
    path = tmp_path / "full.sqlite"
    with Store(path) as store, Store(whole[0]) as source:
        records = list(source.records.values())
        store.add(records[:2])
        store.connection.execute(
            f"PRAGMA max_page_count={store.connection.execute('PRAGMA page_count').fetchone()[0]}"
        )
        with pytest.raises(StoreError, match=r"disk is full.*kept"):
            store.add(replace(r, error="x" * 5000) for r in records[2:])
        assert len(store.records) == 2
    with Store(path) as store:
        assert len(store.records) == 2


def test_what_is_no_store_is_refused(tmp_path):
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(StoreError, match="not a database"), Store(tmp_path / "text"):
        pass
    other = tmp_path / "other.sqlite"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE t (x)")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="another sqlite file"), Store(other):
        pass
    with pytest.raises(StoreError), Store(tmp_path / "nowhere" / "x.sqlite"):
        pass
    assert os.path.exists(other)
