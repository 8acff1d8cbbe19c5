"""A comparison in HL's form: every method on every data set, with certificates.

Five methods as HL compare them, each in HL's own convention of C (docs/mathematics.md, section 2): one-against-all and
one-against-one with a free bias, DAGSVM over the same pairs, "all together" (9) (WW with a penalized bias) and
Crammer-Singer (16) (no bias); and the ten machines of the Unified View at C as UV writes it, all with the same bias.
Accuracy is by stratified cross-validation on features standardized inside each fold; with several C or gamma the best
accuracy is reported, as HL do (chosen and reported on the same folds, so it flatters everyone alike). Time, support
vectors and certificate are those of one fit to all the data; unless told otherwise every row is solved by the same
method, so that times compare.

Each method's grid is scikit-learn's GridSearchCV, whose fits go through joblib:
``with joblib.parallel_config(backend="dask"): compare(...)`` uses a dask cluster. The timed fit runs alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from msvm_ref.errors import DataError, MsvmError
from msvm_ref.model.arrays import Array, real_array, real_number
from msvm_ref.model.catalogue import CATALOGUE
from msvm_ref.model.conventions.literals import HL9, HL16
from msvm_ref.model.machine import Machine
from msvm_ref.solvers.methods import METHODS

NO_WIDTH = "-"
"""Stands for gamma where the kernel has none."""


@dataclass(frozen=True)
class Method:
    """A method of the comparison."""

    name: str
    """As its source calls it."""
    source: str
    """HL or UV."""
    estimator: str
    """The estimator's class."""
    parameters: tuple[tuple[str, Any], ...] = ()
    """Its settings."""
    C_factor: float = 1.0
    """Takes the C of the method's source to ours."""

    def make(self, C: float, gamma: Any, kernel: str, tol: float, method: str) -> Any:
        import msvm_ref.estimator as estimator

        chosen = getattr(estimator, self.estimator)
        return chosen(
            C=self.C_factor * C,
            gamma=gamma,
            kernel=kernel,
            tol=tol,
            method=method,
            **dict(self.parameters),
        )


def _machine(machine: Machine, name: str, source: str, bias: str, C_factor: float = 1.0) -> Method:
    return Method(
        name, source, "MulticlassSVC", (("machine", machine.name), ("bias", bias)), C_factor
    )


def hsu_lin() -> tuple[Method, ...]:
    """HL's five; the factors do not depend on n or d."""
    together, crammer_singer = (float(c.cost_factor(1, 2)) for c in (HL9, HL16))
    assert HL9.machine is not None
    assert HL16.machine is not None
    return (
        Method("one-against-all", "HL", "OneVsAllSVC", (("bias", "free"),)),
        Method("one-against-one", "HL", "OneVsOneSVC", (("bias", "free"),)),
        Method("DAGSVM", "HL", "DAGSVC", (("bias", "free"),)),
        _machine(HL9.machine, "all together (9)", "HL", "penalized", together),
        _machine(HL16.machine, "C&S (16)", "HL", "none", crammer_singer),
    )


def unified_view(bias: str = "penalized") -> tuple[Method, ...]:
    return tuple(_machine(machine, machine.name, "UV", bias) for machine in CATALOGUE)


@dataclass(frozen=True)
class ComparisonRow:
    """One method on one data set at its best (C, gamma)."""

    data: str
    """The data set's name."""
    method: str
    """The method's name."""
    source: str
    """HL or UV."""
    C: float
    """The chosen C, as the source writes it."""
    gamma: str
    """The chosen gamma; "-" where the kernel has none."""
    accuracy: float
    """Mean over the folds; NaN (None in JSON), like the other figures, where there is an error."""
    deviation: float
    """Standard deviation over the folds."""
    seconds: float
    """Of one fit to all the data."""
    support_vectors: int
    """Of that fit."""
    n: int
    """Examples."""
    relative_gap: float
    """The widest of that fit's certificates."""
    solved_by: str
    """The method that solved it."""
    error: str = ""
    """Why there are no figures."""

    def to_dict(self) -> dict[str, Any]:
        return {
            k: None if isinstance(v, float) and not np.isfinite(v) else v
            for k, v in asdict(self).items()
        }


def compare(
    data: Sequence[str | tuple[str, Any, Any]],
    Cs: Sequence[float] = (1.0,),
    gammas: Sequence[Any] = ("scale",),
    kernel: str = "rbf",
    bias: str = "penalized",
    folds: int = 5,
    tol: float = 1e-6,
    method: str = "auto",
    seed: int = 0,
    n_jobs: int | None = None,
    methods: Sequence[Method] | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[ComparisonRow]:
    """One ComparisonRow per data set and method. ``data``: names ``datasets.load`` knows, or (name, X, y).

    ``bias`` is that of the ten machines. ``method="auto"`` is one method for all: fast with a kernel, primal without (or
    where there is no fast). ``n_jobs=None`` leaves it to ``joblib.parallel_config``.
    """
    sets = [data_set(item, folds) for item in data]
    chosen = (*hsu_lin(), *unified_view(bias)) if methods is None else tuple(methods)
    if not sets or not chosen or not Cs or not gammas:
        raise DataError("compare", "have data, methods, C and gamma to compare", "an empty list")
    if n_jobs == 0:
        raise DataError("n_jobs", "be a number of processes, negative to leave some cores out", "0")
    _check_settings(Cs, gammas, kernel, tol, method, seed)
    widths = list(gammas) if kernel in ("rbf", "poly") else [NO_WIDTH]
    if method == "auto":
        method = "fast" if kernel != "linear" and "fast" in METHODS else "primal"
    rows = []
    for item in sets:
        for each in chosen:
            rows.append(_best(item, each, Cs, widths, kernel, folds, tol, method, seed, n_jobs))
            if progress is not None:
                progress(f"{item[0]} {each.name}")
    return rows


def count_searches(sets: int) -> int:
    """How many times ``compare`` reports progress on its own methods."""
    return sets * (len(hsu_lin()) + len(CATALOGUE))


def data_set(item: str | tuple[str, Any, Any], folds: int) -> tuple[str, Array, Any]:
    """(name, X, y) of a bundled data set or of a table, fit for so many folds."""
    if isinstance(item, str):
        from msvm_ref.datasets import load

        bundled = load(item)
        item = (item, bundled.X, bundled.y)
    name, X, y = item
    X, labels = real_array("X", X, 2, "(examples, features)"), np.asarray(y)
    if labels.shape != (len(X),):
        raise DataError(
            "y", f"have one label for each of the {len(X)} rows of X", f"shape {labels.shape}"
        )
    if len(np.unique(labels)) < 2:
        raise DataError("y", f"have at least 2 classes in {name}", "1 class")
    smallest = int(np.unique(labels, return_counts=True)[1].min())
    if not 2 <= folds <= smallest:
        raise DataError(
            "folds",
            f"lie between 2 and {smallest}, the size of the smallest class of {name}",
            repr(folds),
        )
    return name, X, labels


def _check_settings(
    Cs: Sequence[Any], gammas: Sequence[Any], kernel: str, tol: float, method: str, seed: int
) -> None:
    """What no method could use is refused before the first one runs; what one method refuses is told in its row."""
    for C in Cs:
        if not (real_number(C) or 0.0) > 0:
            raise DataError("C", "be positive and finite", repr(C))
    for gamma in gammas:
        if gamma not in ("scale", "auto") and not (real_number(gamma) or 0.0) > 0:
            raise DataError("gamma", "be 'scale', 'auto' or a positive number", repr(gamma))
    if kernel not in ("linear", "rbf", "poly"):
        raise DataError("kernel", "be 'linear', 'rbf' or 'poly'", repr(kernel))
    if not 0 < (real_number(tol) or 0.0) < 1:
        raise DataError("tol", "lie strictly between 0 and 1", repr(tol), "it is a relative gap")
    if method not in METHODS:
        raise DataError("method", f"be one of {', '.join(METHODS)}", repr(method))
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise DataError("seed", "be an integer from 0 to 2^32 - 1", repr(seed))


def _best(
    data: tuple[str, Array, Any],
    method: Method,
    Cs: Sequence[float],
    widths: Sequence[Any],
    kernel: str,
    folds: int,
    tol: float,
    solver: str,
    seed: int,
    n_jobs: int | None,
) -> ComparisonRow:
    """The method's grid cross-validated, its best point (the first listed of equals) fitted to all the data.

    A fit that is refused anywhere on the grid is the method's row: no point is left out in silence.
    """
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    name, X, y = data
    svm = method.make(1.0, "scale", kernel, tol, solver)
    grid: dict[str, Sequence[Any]] = {"svm__C": [method.C_factor * C for C in Cs]}
    if list(widths) != [NO_WIDTH]:
        grid["svm__gamma"] = widths
    search = GridSearchCV(
        Pipeline([("scale", StandardScaler()), ("svm", svm)]),
        grid,
        cv=StratifiedKFold(folds, shuffle=True, random_state=seed),
        n_jobs=n_jobs,
        error_score="raise",
    )
    common: dict[str, Any] = {
        "data": name,
        "method": method.name,
        "source": method.source,
        "n": len(y),
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a gap that stayed open is in the row
            search.fit(X, y)
    except MsvmError as error:
        nan = float("nan")
        return ComparisonRow(
            **common,
            C=Cs[0],
            gamma=str(widths[0]),
            accuracy=nan,
            deviation=nan,
            seconds=nan,
            support_vectors=0,
            relative_gap=nan,
            solved_by="",
            error=str(error),
        )
    fitted, place = search.best_estimator_["svm"], search.best_index_
    return ComparisonRow(
        **common,
        C=Cs[place // len(widths)],
        gamma=str(widths[place % len(widths)]),
        accuracy=float(search.cv_results_["mean_test_score"][place]),
        deviation=float(search.cv_results_["std_test_score"][place]),
        seconds=float(search.refit_time_),
        support_vectors=len(fitted.support_),
        relative_gap=fitted.certificate_.relative_gap,
        solved_by=fitted.method_,
    )


def table(rows: Sequence[ComparisonRow], tol: float) -> str:
    """HL's table as text: a block per data set, ``*`` on its best accuracy, ``!`` on a gap above ``tol``."""
    lines = []
    for name in dict.fromkeys(row.data for row in rows):
        block = [row for row in rows if row.data == name]
        top = max((row.accuracy for row in block if not row.error), default=0.0)
        lines.append(f"{name}  n = {block[0].n}")
        lines.append(
            f"   {'method':<16} {'accuracy %':>13} {'C':>6} {'gamma':>7} {'train s':>7} {'SVs':>5} {'gap':>7}   by"
        )
        for row in block:
            if row.error:
                lines.append(f"{row.source} {row.method:<16} {row.error}")
                continue
            accuracy = f"{100 * row.accuracy:.2f} ± {100 * row.deviation:.2f}{'*' if row.accuracy == top else ' '}"
            gap = f"{row.relative_gap:.1e}{'!' if row.relative_gap > tol else ' '}"
            lines.append(
                f"{row.source} {row.method:<16} {accuracy:>13} {row.C:>6g} {row.gamma:>7} {row.seconds:>7.3f} "
                f"{row.support_vectors:>5} {gap:>8}  {row.solved_by}"
            )
    return "\n".join(lines)
