"""What a cell may be besides a machine trained to a certified gap: each kind against what it is made of."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from msvm_ref.model.catalogue import machine_named
from msvm_ref.model.kernels import rbf
from msvm_ref.studies.circle import classify
from msvm_ref.studies.experiments import engine, training
from msvm_ref.studies.experiments.exported import choice
from msvm_ref.studies.experiments.fits import Binaries, Fold, MachinePath
from msvm_ref.studies.experiments.hl import FIVE, TABLE1, WITH, WITHOUT
from msvm_ref.studies.experiments.result import entry, known, measured, results, stored
from msvm_ref.studies.experiments.samples import Draw, defaults, sample
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.study import Contender
from msvm_ref.studies.experiments.table import table
from msvm_ref.studies.experiments.testing import PredictionPath, shortened
from msvm_ref.studies.experiments.training import train
from msvm_ref.studies.experiments.uv_circles import STUDIES as CIRCLE_STUDIES
from msvm_ref.studies.experiments.zdo import M_SVM, REST
from msvm_ref.studies.experiments.zdo import TABLE1 as ZDO_TABLE
from tests.studies.experiments.small import IRIS, PROTOCOL, SMALL


def run(study, tmp_path, **options):
    with Store(tmp_path / "kinds.sqlite") as store:
        endings = engine.run(study, store, **options)
        return endings, list(store.records.values())


def test_a_circle_cell_is_the_agreement_of_the_circle_study(tmp_path):
    (study,) = CIRCLE_STUDIES
    small = replace(
        study,
        sources=tuple(s for s in study.sources if s.label in ("noisy, C = 10^-2",)),
        contenders=tuple(c for c in study.contenders if c.label in ("WW", "CS")),
        quick_protocol=replace(study.quick_protocol, splits=2),
    )
    endings, records = run(small, tmp_path)
    assert len(records) == 4
    for ending in endings:
        for seed, record in enumerate(ending.records):
            cell = classify(machine_named(ending.contender.machine), "noisy", -2, seed)
            assert record.repetition == seed
            if cell.agreement is None:
                assert record.value is None
            else:
                assert record.value == pytest.approx(100 * cell.agreement, abs=1e-12)
                assert record.right / record.tested == pytest.approx(cell.agreement, abs=1e-12)
    zero = {r.machine for r in records if r.value is None}
    assert zero == {"CS"}  # no class has a majority
    shown = results(small, [entry(small, e) for e in endings])
    assert np.isnan(shown[1].mean)
    assert "10^-2" in table(small, shown)


def test_defaults_are_the_median_distance_and_one_over_the_variance():
    drawn = sample(Draw(IRIS, 0, 1, "split", 1, 10**9, 10**9, "unit-variance"), None)
    made = defaults(drawn)
    X = drawn.X[drawn.parts[-1][0]]
    distances = [np.linalg.norm(a - b) for k, a in enumerate(X) for b in X[:k]]
    assert made.sigma == pytest.approx(np.median(distances))
    gamma = made.gamma(2.0)
    assert gamma == pytest.approx(1 / (8 * made.sigma**2))
    features = rbf(gamma)(X, X)
    centred = features - features.mean(axis=0) - features.mean(axis=1)[:, None] + features.mean()
    assert made.C(gamma) == pytest.approx(len(X) / np.trace(centred))
    folds = sample(Draw(IRIS, 0, 0, "folds", 3, 10**9, 10**9, "unit-variance"), None)
    assert defaults(folds).rows == 105


def test_the_m_svm_runs_in_those_units_and_a_rank_has_its_column(tmp_path):
    half = Contender("KPCA 1/2", "m-SVM", "free", basis="kpca", halvings=1, chosen_as=M_SVM)
    study = replace(
        ZDO_TABLE,
        sources=(IRIS,),
        contenders=(M_SVM, REST, half),
        quick_protocol=replace(
            PROTOCOL, grid=replace(PROTOCOL.grid, gamma=(0, 1), C=(0, 1)), splits=2
        ),
        printed={},
    )
    endings, records = run(study, tmp_path)
    assert all(r.converged and not r.error and r.iterations > 0 for r in records)
    assert endings[0].point == endings[2].point
    assert [r.value for r in endings[2].records] == [20, 20]
    assert {r.value for r in endings[0].records} <= {38, 39, 40}  # doubles are one column
    assert len(records) == 2 * (2 * 4 + 2) + 2  # the third chooses nothing
    assert any(r.started is not None for r in records if r.machine == "m-SVM")


def test_a_papers_own_rule_is_run_at_anothers_choice(tmp_path):
    official = replace(IRIS, official=True)
    certified = FIVE[4]
    study = replace(
        SMALL,
        report="test",
        measure="iterations",
        sources=(official,),
        contenders=tuple(replace(c, chosen_as=certified) for c in (WITHOUT, WITH)),
    )
    endings, records = run(study, tmp_path)
    theirs = [r for r in records if r.method == "cs-decomposition"]
    assert len(theirs) == 2
    assert all(r.iterations > 0 and r.converged for r in theirs)
    (chosen,) = {(r.gamma, r.C) for r in theirs}
    mine = [r for r in records if r.method == "fast" and '"official": true' in r.identity]
    assert chosen in {(r.gamma, r.C) for r in mine}
    assert [r.machine for e in endings for r in e.records] == ["CS", "CS"]
    loose = replace(WITHOUT, epsilon=0.5, chosen_as=certified)
    (ending,), _ = run(replace(study, contenders=(loose,)), tmp_path)
    assert ending.records[0].gap > max(r.gap for r in theirs)
    assert ending.records[0].iterations < theirs[0].iterations


def test_without_an_official_part_another_folds_are_its_own(tmp_path):
    loose = replace(WITHOUT, label="loose", chosen_as=FIVE[4])
    study = replace(SMALL, report="test", contenders=(FIVE[4], loose))
    (certified, stopped), records = run(study, tmp_path)
    assert certified.point == stopped.point
    assert {r.method for r in stopped.records} == {"cs-decomposition"}
    assert len(stopped.records) == len(certified.records) == 2
    assert len(records) == 8 + 2


def test_a_choice_that_is_published_is_not_made_again(tmp_path):
    study = replace(SMALL, kernel="linear", chosen_in="uv-table5")  # it has Iris, WW and CS
    told = {c.label: choice(study, IRIS, c, "paper") for c in SMALL.contenders}
    endings, records = run(study, tmp_path, protocol="paper")
    assert [e.point for e in endings] == [told[e.contender.label].point for e in endings]
    assert len(records) == 2 * SMALL.paper_protocol.splits
    assert {r.C for r in records} == {2.0 ** t.point[1] for t in told.values()}
    with Store(tmp_path / "kinds.sqlite") as store:
        assert len(stored(study, store)) == 2
    other = replace(SMALL.contenders[0], label="other", chosen_as=SMALL.contenders[1])
    assert choice(study, IRIS, other, "paper") == told[SMALL.contenders[1].label]
    assert choice(study, replace(IRIS, label="another"), other, "paper") is None
    assert choice(SMALL, IRIS, other, "paper") is None


def test_of_points_equal_in_a_choice_the_test_part_takes_one_whatever_is_published():
    official = replace(IRIS, official=True)
    study = replace(SMALL, report="test", sources=(official,), chosen_in="uv-table5")
    (first, _) = engine.planners_of(study, Store("unused"), "paper", None, None)
    assert first.point is None


def test_counting_needs_no_training(tmp_path):
    study = replace(TABLE1, sources=TABLE1.sources[2:3])
    endings, _ = run(study, tmp_path)
    counted = [r.mean for r in results(study, [entry(study, e) for e in endings])]
    assert counted == [214, 0, 6, 9]
    assert study.printed["glass", "attributes"].value == 13  # what they print


def test_two_processes_give_the_numbers_of_one(tmp_path):
    def numbers(records):
        return {r.key: {**asdict(r), "seconds": 0} for r in records}

    _, one = run(SMALL, tmp_path)
    with Store(tmp_path / "two.sqlite") as store:
        engine.run(SMALL, store, jobs=2)
        assert numbers(store.records.values()) == numbers(one)


def test_a_slow_task_keeps_no_other_course_waiting(tmp_path):
    """WW's tasks never end; CS is trained to its last split nevertheless."""
    from concurrent.futures import Future

    class Slow:
        def submit(self, function, task, folder):
            future = Future()
            if task.contender.label != "WW":
                future.set_result(function(task, folder))
            return future

    with Store(tmp_path / "slow.sqlite") as store:
        queue = engine._Queue(engine.planners_of(SMALL, store, "quick", None, None))
        batches = queue.trained(Slow(), 100, None)
        for _ in range(2 + 3):  # two gammas, then three splits
            store.add(next(batches))
        assert {r.machine for r in store.records.values()} == {"CS"}
        assert sum('"kind": "split"' in r.identity for r in store.records.values()) == 3
        batches.close()


def test_a_store_of_the_first_format_is_read_and_extended(tmp_path):
    path = tmp_path / "kinds.sqlite"
    _, records = run(replace(SMALL, contenders=SMALL.contenders[:1]), tmp_path)
    with Store(path) as store:
        store.connection.execute("ALTER TABLE cells DROP COLUMN iterations")
        store.connection.execute("ALTER TABLE cells DROP COLUMN value")
        store.connection.execute("PRAGMA user_version=1")
    with Store(path) as store:
        assert len(store.records) == len(records)
        assert {(r.iterations, r.value) for r in store.records.values()} == {(-1, None)}
        old = {r.key: replace(r, iterations=0, value=None) for r in records}
        assert {k: replace(r, iterations=0) for k, r in store.records.items()} == old


def test_noise_on_the_multipliers_supports_nothing(tmp_path):
    """A gap of 1e-4 leaves some weight on examples that do not matter: the reductions' count is that of a tight solution."""
    from msvm_ref.estimator import OneVsOneSVC

    drawn = sample(Draw(IRIS, 0, 0, "folds", 5, 10**9, 10**9, "range"), None)
    fold = Fold(FIVE[0], drawn, 0, rbf(1.0), 1e-4)
    loose = Binaries(fold, None).fit(4096.0)
    tight = OneVsOneSVC(C=4096.0, kernel="rbf", gamma=1.0, tol=1e-9).fit(fold.X, fold.y)
    assert abs(loose.support - len(tight.support_)) <= 3


def test_the_binary_machines_of_pairs_are_trained_once_for_both(tmp_path, monkeypatch):
    """One-against-one and DAGSVM; what they and one-against-all predict is what the estimators predict."""
    import msvm_ref.estimator as estimator

    tasks = []

    def counted(task, folder):
        tasks.append(task)
        return train(task, folder)

    monkeypatch.setattr(engine, "train", counted)
    study = replace(SMALL, report="test", contenders=FIVE[:3], scaling="range")
    endings, records = run(study, tmp_path)
    assert len(records) == 3 * 4 * 2
    assert len(tasks) == len(set(tasks)) == 2 * 2  # two gammas; pairs, and classes
    assert {r.started for r in records if r.C == 8.0} == {1.0}
    drawn = sample(tasks[0].draw, None)
    for ending, name in zip(endings, ("OneVsOneSVC", "DAGSVC", "OneVsAllSVC"), strict=True):
        for record in ending.records:
            (rows, new), options = drawn.parts[record.fold], {"gamma": record.gamma, "tol": 1e-8}
            fitted = getattr(estimator, name)(C=record.C, **options)
            theirs = fitted.fit(drawn.X[rows], drawn.y[rows]).predict(drawn.X[new])
            assert record.machine == ending.contender.machine
            assert abs((theirs == drawn.y[new]).sum() - record.right) <= 1
            assert record.gap <= study.tolerance


def test_a_class_that_a_fold_lacks_has_no_binary_machine(tmp_path):
    drawn = sample(Draw(IRIS, 0, 0, "folds", 5, 10**9, 10**9, "range"), None)
    rows, new = drawn.parts[0]
    drawn.parts[0] = rows[drawn.y[rows] != 1], new
    for contender in (FIVE[0], FIVE[2]):
        fit = Binaries(Fold(contender, drawn, 0, rbf(1.0), 1e-4), None).fit(1.0)
        assert set(fit.predictions) == {0, 2}


def test_nobodys_seconds_pay_for_compilation(tmp_path, monkeypatch):
    """Every kind of work is done once before the first cell that is timed."""
    seen = []
    real = Fold.problem

    def watched(fold, C):
        seen.append((fold.contender.machine, len(fold.y)))
        return real(fold, C)

    training._warm.cache_clear()
    monkeypatch.setattr(Fold, "problem", watched)
    run(SMALL, tmp_path)
    for machine in ("WW", "CS"):
        sizes = [n for name, n in seen if name == machine]
        assert sizes[0] == 20
        assert sizes[1:] == [20] * 4 + [40] * 3  # two gammas of two folds, three splits
    assert len(seen) == 2 * (1 + 7)


def test_what_is_timed_is_trained_from_nothing(tmp_path):
    study = replace(SMALL, report="test", contenders=SMALL.contenders[:1])
    timed = study.timed("timed", "somewhere")
    with Store(tmp_path / "timed.sqlite") as store:
        engine.run(study, store)
        before = len(store.records)
        (ending,) = engine.run(timed, store)
        assert len(store.records) == before + 2
    assert [r.started for r in ending.records] == [None, None]
    assert timed.measure == "seconds"


def test_a_row_is_of_one_protocol(tmp_path):
    """Of that with most columns: a paper's protocol that is half done does not mix with the quick one."""
    with Store(tmp_path / "mixed.sqlite") as store:
        engine.run(SMALL, store, "quick")
        engine.run(SMALL, store, "paper", contenders=SMALL.contenders[:1])
        assert {r.entry.protocol for r in known(SMALL, store)} == {"quick"}
        engine.run(SMALL, store, "paper")
        assert {r.entry.protocol for r in known(SMALL, store)} == {"paper"}


@pytest.mark.parametrize("contender", FIVE, ids=lambda c: c.label)
def test_what_is_tested_is_the_trained_machine_on_its_support_vectors(contender):
    drawn = sample(Draw(IRIS, 0, 0, "folds", 3, 60, 0, "range"), None)
    fold = Fold(contender, drawn, 0, rbf(1.0), 1e-8)
    trained = (MachinePath if contender.machine in ("WW", "CS") else Binaries)(fold, None)
    told = PredictionPath(trained).fit(8.0)
    used, combine = shortened(trained)
    assert len(used) == told.support < len(fold.y)
    said = told.dag if contender.label == "DAG" else told.predictions
    assert combine(fold.kernel(fold.new, fold.X[used])).tolist() == said.tolist()
    assert 0 < told.value <= 100
    assert told.seconds > 0


def test_seconds_of_testing_are_cells_of_their_own(tmp_path):
    study = replace(SMALL, report="test", contenders=FIVE[:2], kernel="rbf")
    tested = study.timed("tested", "somewhere", tested=True)
    run(study, tmp_path)
    endings, records = run(tested, tmp_path)
    keys = {r.key for e in endings for r in e.records}
    assert len(keys) == 2 * PROTOCOL.folds
    timed = [r for r in records if r.key in keys]
    assert all(r.value is not None for r in timed)
    assert {r.machine for r in timed} == {c.machine for c in FIVE[:2]}
    each = replace(tested, measure="per-support")
    assert (
        measured(each, endings[0])[0]
        == 1e6 * endings[0].records[0].seconds / endings[0].records[0].support
    )


def test_a_grid_is_told_in_all_and_point_by_point(tmp_path):
    whole = replace(SMALL, report="grid-time", measure="seconds", contenders=SMALL.contenders[:1])
    points = replace(whole, report="grid-points")
    (one,), _ = run(whole, tmp_path)
    (each,), _ = run(points, tmp_path)
    seconds, rates = measured(points, each), measured(replace(points, measure="rate"), each)
    assert len(seconds) == len(rates) == 25
    assert sum(seconds) == pytest.approx(measured(whole, one)[0], rel=1e-12)
    first = one.records[: PROTOCOL.folds]
    assert rates[0] == pytest.approx(100 * np.mean([r.accuracy for r in first]))
    broken = replace(each, records=(replace(first[0], error="no"), *each.records[1:]))
    assert measured(points, broken)[0] is None
    assert measured(points, broken)[1:] == seconds[1:]
    assert measured(whole, replace(one, records=broken.records)) == (None,)
