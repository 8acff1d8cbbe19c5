"""The key of a cell changes with everything its numbers depend on, and with nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from msvm_ref.studies.experiments import engine
from msvm_ref.studies.experiments.samples import ALL, Draw, sample, scaled, split
from msvm_ref.studies.experiments.store import Store
from tests.studies.experiments.small import IRIS, SMALL


@pytest.fixture
def task():
    planner = engine.planners_of(SMALL, Store("unused"), "quick", None, None)[0]
    return next(planner.course())[0]


GLASS = replace(IRIS, table="glass")
CHANGES = {
    "data": lambda t: replace(t, draw=replace(t.draw, source=GLASS)),
    "rows": lambda t: replace(t, draw=replace(t.draw, source=replace(IRIS, rows=149))),
    "train": lambda t: replace(t, draw=replace(t.draw, source=replace(IRIS, train=104))),
    "official": lambda t: replace(t, draw=replace(t.draw, source=replace(IRIS, official=True))),
    "seed": lambda t: replace(t, draw=replace(t.draw, seed=1)),
    "repetition": lambda t: replace(t, draw=replace(t.draw, repetition=1)),
    "folds": lambda t: replace(t, draw=replace(t.draw, folds=3)),
    "kind": lambda t: replace(t, draw=replace(t.draw, kind="holdout")),
    "cap": lambda t: replace(t, draw=replace(t.draw, train_at_most=41)),
    "test cap": lambda t: replace(t, draw=replace(t.draw, test_at_most=5)),
    "scaling": lambda t: replace(t, draw=replace(t.draw, scaling="range")),
    "machine": lambda t: replace(t, contender=replace(t.contender, machine="LLW")),
    "bias": lambda t: replace(t, contender=replace(t.contender, bias="free")),
    "cost": lambda t: replace(t, contender=replace(t.contender, cost="quadratic")),
    "kernel": lambda t: replace(t, kernel="linear"),
    "gamma": lambda t: replace(t, gamma=np.nextafter(t.gamma, 1)),
    "factor": lambda t: replace(t, contender=replace(t.contender, C_factor=2.0)),
    "tolerance": lambda t: replace(t, tolerance=1e-5),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_changes_the_key(task, name):
    assert CHANGES[name](task).key(0, 1.0) != task.key(0, 1.0)


def test_fold_and_C_change_it_and_names_do_not(task):
    assert len({task.key(0, 1.0), task.key(1, 1.0), task.key(0, 2.0)}) == 3
    renamed = replace(
        task,
        draw=replace(task.draw, source=replace(IRIS, label="Schwertlilie", note="x")),
        contender=replace(task.contender, label="Weston-Watkins"),
        Cs=(1.0,),
        folds=(0,),
    )
    assert renamed.key(0, 1.0) == task.key(0, 1.0)
    assert task.key(0, 1.0) == task.key(0, 1.0)


def test_a_cap_beyond_the_data_is_none(task):
    """The quick protocol's cells of a small set are the paper's."""
    one, other = (replace(task, draw=replace(task.draw, train_at_most=k)) for k in (105, 10**9))
    assert one.key(0, 1.0) == other.key(0, 1.0)


def test_splits_are_partitions_and_folds_too():
    train, test = split(IRIS, 0, 3)
    assert (len(train), len(test)) == (105, 45)
    assert sorted([*train, *test]) == list(range(150))
    assert not np.array_equal(split(IRIS, 0, 3)[0], split(IRIS, 0, 4)[0])
    drawn = sample(Draw(IRIS, 0, 0, "folds", 5, 10**9, 10**9, "unit-variance"), None)
    tested = np.concatenate([test for _, test in drawn.parts.values()])
    assert sorted(tested) == list(range(105))
    assert all(not set(a) & set(b) and len(a) + len(b) == 105 for a, b in drawn.parts.values())


def test_scaling_takes_its_statistics_from_the_training_part():
    drawn = sample(Draw(IRIS, 0, 1, "split", 1, 10**9, 10**9, "unit-variance"), None)
    train, test = drawn.parts[ALL]
    np.testing.assert_allclose(drawn.X[train].std(axis=0), 1)
    assert abs(drawn.X[test].std(axis=0) - 1).max() > 1e-3
    assert drawn.X[train].mean() > 1  # not centred
    ranged = sample(Draw(IRIS, 0, 1, "split", 1, 10**9, 10**9, "range"), None)
    assert (ranged.X[train].min(), ranged.X[train].max()) == (-1.0, 1.0)
    X = np.array([[1.0, 5.0], [3.0, 5.0]])
    assert scaled(X, X, "range").tolist() == [[-1.0, 5.0], [1.0, 5.0]]
    assert scaled(X, X, "unit-variance").tolist() == [[1.0, 5.0], [3.0, 5.0]]
