"""A cell: one machine trained once at one (gamma, C) on one part of one data set, and the key it is kept under.

The key is the sha256 of everything the numbers depend on: the data's own sha256, rows, seed, repetition and fold, scaling,
machine, bias, cost, kernel, gamma, C, tolerance and method. The study is no part of it: tables share cells.
A path of C is trained in one go, each C started from the one before; the record says from which.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

from msvm_ref.datasets.catalogue import BY_NAME
from msvm_ref.studies.experiments.samples import Draw
from msvm_ref.studies.experiments.study import (
    CIRCLES,
    ONE,
    PAIRWISE,
    SOFTMAX,
    STATISTICS,
    Contender,
)

METHOD = "fast, else truth"
"""How cells are trained: see ``training``."""


def method(contender: Contender) -> str:
    if contender.solver:
        return f"{contender.solver} to {contender.epsilon:g}"
    if contender.machine in SOFTMAX:
        return "conjugate gradients"
    return "counted" if contender.machine in STATISTICS else METHOD


@dataclass(frozen=True)
class Task:
    """What one process does in one go and one transaction keeps: some folds of a draw, at one gamma, along a path of C."""

    draw: Draw
    contender: Contender
    kernel: str
    gamma: float
    """Of the kernel exp(-gamma ||x - x'||^2); 0 for the linear one."""
    Cs: tuple[float, ...]
    """Ascending, as the paper writes C."""
    folds: tuple[int, ...]
    tolerance: float
    relative: bool = False
    """Are gamma and C in the units of ``samples.Defaults``?"""

    @property
    def _shared(self) -> bool:
        """Do one-against-one and DAGSVM have it in common? Their machines, but not the seconds of testing them."""
        return self.contender.machine in PAIRWISE and not self.contender.tested

    @property
    def work(self) -> Task:
        """What a process is handed, whatever the column is called; pairs of classes are trained for all made of them."""
        who = self.contender
        machine = ONE if self._shared else who.machine
        return replace(self, contender=replace(who, label=machine, machine=machine, chosen_as=None))

    @property
    def of_each(self) -> tuple[Task, ...]:
        """Whose cells are filled by it."""
        who = self.contender
        names = PAIRWISE if self._shared else (who.machine,)
        return tuple(replace(self, contender=replace(who, machine=name)) for name in names)

    @property
    def size(self) -> int:
        return len(self.Cs) * len(self.folds) * len(self.of_each)

    def identity(self, fold: int, C: float) -> dict[str, Any]:
        """All the numbers of the cell depend on."""
        draw, source, contender = self.draw, self.draw.source, self.contender
        return {
            "data": source.table if source.table in CIRCLES else BY_NAME[source.table].sha256,
            "rows": source.rows,
            "train": source.train,
            "official": source.official and draw.kind != "split",
            "kind": draw.kind,
            "seed": draw.seed,
            "repetition": draw.repetition,
            "folds": draw.folds,
            "fold": fold,
            "train_at_most": min(draw.train_at_most, source.train),
            "test_at_most": min(draw.test_at_most, source.rows - source.train),
            "scaling": draw.scaling,
            "machine": contender.machine,
            "bias": contender.bias,
            "cost": contender.cost,
            "kernel": self.kernel,
            "gamma": self.gamma,
            "C": contender.C_factor * C,
            "tolerance": self.tolerance,
            "method": method(contender),
            **self._unusual(),
        }

    def _unusual(self) -> dict[str, Any]:
        """What most cells do not have is no part of their keys."""
        contender = self.contender
        said: dict[str, Any] = {}
        if contender.basis is not None:
            said |= {"basis": contender.basis, "halvings": contender.halvings}
        if contender.alone:
            said |= {"alone": True}
        if contender.tested:
            said |= {"seconds": "of testing"}
        return said | ({"units": "sigma / median, C variance"} if self.relative else {})

    def key(self, fold: int, C: float) -> str:
        text = json.dumps(self.identity(fold, C), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class CellRecord:
    """What came of a cell."""

    key: str
    table: str
    machine: str
    gamma: float
    C: float
    repetition: int
    fold: int
    identity: str
    """The JSON the key is the sha256 of."""
    n: int
    """Examples trained on."""
    tested: int
    right: int
    """Of the tested."""
    gap: float
    """Certified relative gap; NaN where there is an error."""
    converged: bool
    """Is the gap within the tolerance?"""
    seconds: float
    """CPU seconds of training, certificate included."""
    support: int
    """Examples with a dual variable that matters (``training.SUPPORTS``)."""
    started: float | None
    """The C whose solution was the start, or None."""
    method: str
    """Whose answer it is."""
    error: str
    """Why there are no numbers."""
    version: str
    """Of this package."""
    iterations: int = -1
    """Of the method that was asked for, where it counts them; else -1."""
    value: float | None = None
    """What the cell has beside or instead of right predictions: agreement with Bayes (None where w* = 0), a count, a rank, of
    a linear machine the percent of the test rows on which its optimum has no first class (``fits.TIE``)."""

    @property
    def accuracy(self) -> float:
        return self.right / self.tested if not self.error and self.tested else float("nan")
