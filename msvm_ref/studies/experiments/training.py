"""Train a task: its folds share the Gram of their gamma; the C of a fold are a path, each started from the one before."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from msvm_ref.datasets import load
from msvm_ref.model.arrays import frozen
from msvm_ref.model.catalogue import machine_named
from msvm_ref.model.kernels import Kernel, linear, rbf
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.fast.kernel_cache import Rows, rows
from msvm_ref.studies.circle import Variant, classify, grid, sector
from msvm_ref.studies.experiments.cell import CellRecord, Task
from msvm_ref.studies.experiments.fits import (
    GRAM_MB,
    Binaries,
    Fit,
    Fold,
    MachinePath,
    OwnRule,
    Trainer,
)
from msvm_ref.studies.experiments.samples import ALL, Draw, Sample, defaults, sample
from msvm_ref.studies.experiments.softmax_fits import SoftmaxPath
from msvm_ref.studies.experiments.study import (
    CIRCLES,
    DAG,
    REDUCTIONS,
    SOFTMAX,
    STATISTICS,
    Contender,
    Source,
)
from msvm_ref.studies.experiments.testing import PredictionPath
from msvm_ref.threads import one_thread

WARM = Draw(Source("", "iris_uci", 30, 150), 0, 0, "folds", 3, 30, 0, "range")
"""What a process trains first, for nobody's number."""
NOTHING = Fit(np.zeros(0), float("nan"), 0, float("nan"), False)


def train(task: Task, folder: str | None) -> list[CellRecord]:
    """The records of the task's cells; a cell that fails is a record with its reason."""
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")  # a gap that stayed open is in the record
        if task.draw.source.table in CIRCLES:
            return [_circle(task, C) for C in task.Cs]
        if task.contender.machine in STATISTICS:
            return [_statistic(task, task.Cs[0], folder)]
        _warm(task.contender, task.kernel)
        drawn = sample(task.draw, folder)
        gamma, C_unit = task.gamma, 1.0
        if task.relative:
            made = defaults(drawn)
            gamma = made.gamma(task.gamma)
            C_unit = made.C(gamma)
        kernel = linear if task.kernel == "linear" else rbf(gamma)
        gram = _whole_gram(task, drawn, kernel)
        records = []
        for number in task.folds:
            fold = Fold(task.contender, drawn, number, kernel, task.tolerance)
            trainer = _trainer(fold, task.contender, gram)
            for C in task.Cs:
                records += _trained(task, number, fold, trainer, C, C_unit)
        return records


@cache
def _warm(contender: Contender, kernel: str) -> None:
    """Each kind of work once on thirty examples: what it compiles or loads is in no cell's seconds."""
    fold = Fold(contender, sample(WARM, None), 0, linear if kernel == "linear" else rbf(1.0), 1e-4)
    trainer = _trainer(fold, contender, None)
    for C in (1.0,) if contender.solver else (1.0, 4096.0):
        _attempt(partial(trainer.fit, C))


def _trainer(fold: Fold, contender: Contender, gram: Rows | None) -> Trainer:
    if contender.machine in SOFTMAX:
        return SoftmaxPath(fold)
    if contender.solver:
        return OwnRule(fold)
    certified = (Binaries if contender.machine in REDUCTIONS else MachinePath)(fold, gram)
    return PredictionPath(certified) if contender.tested else certified


def _trained(
    task: Task, number: int, fold: Fold, trainer: Trainer, C: float, C_unit: float
) -> list[CellRecord]:
    """The cell's record; of pairs of classes also DAGSVM's, which are the same machines asked in another way."""
    started = trainer.started
    fit, error = _attempt(lambda: trainer.fit(task.contender.C_factor * C * C_unit))
    if error:
        trainer.forget()
        started = None
    records = []
    for own in task.of_each:
        told = fit.predictions if own.contender.machine != DAG or fit.dag is None else fit.dag
        right = 0 if error else int((told == fold.truth).sum())
        counts = len(fold.train), len(fold.test), right
        records.append(_record(own, number, C, fit, error, counts, started))
    return records


def _circle(task: Task, C: float) -> CellRecord:
    """UV section 3.3: the predictions at the grid's angles, each counted so often that every sector weighs a third."""
    variant: Variant = "noisy" if CIRCLES[task.draw.source.table] == "noisy" else "noiseless"
    truth = sector(grid())
    sizes = np.bincount(truth)
    whole = int(np.lcm.reduce(sizes))

    def fit() -> Fit:
        start = time.thread_time()
        machine = machine_named(task.contender.machine)
        cell = classify(machine, variant, round(np.log10(C)), task.draw.repetition)
        value = None if cell.agreement is None else 100 * cell.agreement
        seconds = time.thread_time() - start
        return Fit(cell.classes, cell.gap, 0, seconds, cell.gap <= task.tolerance, value=value)

    told, error = _attempt(fit)
    weights = whole // sizes[truth]
    right = 0 if error else int(weights[told.predictions == truth].sum())
    counts = task.draw.source.train, 3 * whole, right
    return _record(task, ALL, C, told, error, counts, None)


def _statistic(task: Task, C: float, folder: str | None) -> CellRecord:
    source = task.draw.source

    def fit() -> Fit:
        value = _count(source, task.contender.machine, folder)
        return Fit(np.zeros(0), 0.0, 0, 0.0, True, "counted", value=value)

    told, error = _attempt(fit)
    return _record(task, ALL, C, told, error, (source.train, 0, 0), None)


def _count(source: Source, what: str, folder: str | None) -> float:
    data = load(source.table, folder)
    if what == "attributes":
        return float(data.X.shape[1])
    if what == "classes":
        return float(len(np.unique(data.y[: source.rows])))
    return float(source.train if what == "training rows" else source.rows - source.train)


def _attempt(fit: Callable[[], Fit]) -> tuple[Fit, str]:
    """Whatever happens, the study goes on and the record tells it."""
    try:
        return fit(), ""
    except Exception as reason:
        return NOTHING, f"{type(reason).__name__}: {reason}"[:500]


def _record(
    task: Task,
    fold: int,
    C: float,
    fit: Fit,
    error: str,
    counts: tuple[int, int, int],
    started: float | None,
) -> CellRecord:
    n, tested, right = counts
    told: dict[str, Any] = {
        "key": task.key(fold, C),
        "table": task.draw.source.table,
        "machine": task.contender.machine,
        "gamma": task.gamma,
        "C": task.contender.C_factor * C,
        "repetition": task.draw.repetition,
        "fold": fold,
        "identity": json.dumps(task.identity(fold, C), sort_keys=True),
    }
    return CellRecord(
        **told,
        n=n,
        tested=tested,
        right=right,
        gap=fit.gap,
        converged=fit.converged,
        seconds=fit.seconds,
        support=fit.support,
        started=started,
        method=fit.method,
        error=error,
        version=str(sys.modules["msvm_ref"].__version__),
        iterations=fit.iterations,
        value=fit.value,
    )


def _whole_gram(task: Task, drawn: Sample, kernel: Kernel) -> Rows | None:
    """The kernel rows of all the draw's examples, where several folds or binary machines will use them."""
    small = 8e-6 * len(drawn.X) ** 2 <= GRAM_MB
    several = len(task.folds) > 1 or task.contender.machine in REDUCTIONS
    mine = task.contender.machine not in SOFTMAX and not task.contender.solver
    if task.kernel == "linear" or not several or not small or not mine:
        return None
    whole = Problem(machine_named("WW"), frozen(drawn.X), drawn.y, kernel=kernel)
    return rows(whole, GRAM_MB)
