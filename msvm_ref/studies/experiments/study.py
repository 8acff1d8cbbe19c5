"""A Study: one table or figure of a paper as data. What is trained on what, how it is chosen and reported, what was printed.

Nothing here computes: ``plan`` says which cells a study needs, ``engine`` trains them, ``store`` keeps them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from msvm_ref.model.cost import Cost
from msvm_ref.model.representation import Kind as Basis

Scaling = Literal["unit-variance", "range"]
"""By the training part: each feature over its standard deviation (not centred), or its range onto [-1, 1]."""
Report = Literal["splits", "test", "grid-time", "grid-points"]
"""What a table's number is taken from: random splits at the chosen point; the official test part, or where there is none the
chosen point's own folds; the seconds of a grid, in all or point by point."""
Measure = Literal[
    "accuracy", "error", "seconds", "support", "support-count", "iterations", "agreement", "count",
    "share", "per-support", "rate", "tied"
]  # fmt: skip


TRAINING = "Training seconds of the chosen pair"


@dataclass(frozen=True)
class Source:
    """A data set as a paper used it."""

    label: str
    """The row's name in the paper."""
    table: str
    """The table's name in ``datasets.catalogue``."""
    train: int
    """Examples of the training part of a random split; the rest are the test part."""
    rows: int
    """Only so many first rows of the table are the data set."""
    official: bool = False
    """Are the first ``train`` rows the literature's own training part? Then parameters are chosen on them."""
    note: str = ""
    """What is known or assumed of it."""
    point: tuple[int, int] | None = None
    """Exponents of gamma and C where they are given, and nothing is chosen."""


@dataclass(frozen=True)
class Contender:
    """A column of the table: what is trained, how, and at which C."""

    label: str
    """The column's name in the paper."""
    machine: str
    """The catalogue's name, or one of ``REDUCTIONS``, ``SOFTMAX`` or ``STATISTICS``."""
    bias: Literal["none", "free", "penalized"] = "none"
    cost: Cost = "linear"
    C_factor: float = 1.0
    """Takes the paper's C to ours."""
    solver: str = ""
    """One of ``solve``'s methods, ended by its own rule at ``epsilon``; '' for a certified optimum."""
    epsilon: float = 0.0
    basis: Basis | None = None
    """What represents the kernel of an m-SVM, and ..."""
    halvings: int = 0
    """... how often the number of its columns is halved."""
    alone: bool = False
    """Is each C trained from nothing, for its seconds, and not from the one before?"""
    tested: bool = False
    """Are the seconds those of testing (``testing``)?"""
    chosen_as: Contender | None = None
    """The contender whose choice of gamma and C is taken, where it is not this one's own."""


REDUCTIONS = ("one-against-one", "DAGSVM", "one-against-all")
"""Contenders made of binary machines."""
PAIRWISE = ONE, DAG = REDUCTIONS[:2]
"""Those made of the same ones, which are trained once for both."""
SOFTMAX = ("m-SVM", "m-SVM one-vs-rest")
"""ZDO's machine, logistic loss and softmax at gamma = 1, and what its two-class case makes of each class against the rest."""
STATISTICS = ("training rows", "test rows", "classes", "attributes")
"""Contenders that count the data, and train nothing."""
CIRCLES = {"circle-noiseless": "noiseless", "circle-noisy": "noisy"}
"""Tables that are drawn, one for each repetition, and not read (UV section 3.3)."""


@dataclass(frozen=True)
class Grid:
    """Powers of 2, and how far they are followed."""

    gamma: tuple[int, ...]
    """Exponents of the first stage; (0,) for a kernel without gamma."""
    C: tuple[int, ...]
    """Exponents of the first stage."""
    step: int
    """The grid's spacing, by which it is extended where the best lies on its border."""
    refine: tuple[int, ...] = ()
    """Second stage: exponents to add to the first stage's best, for gamma and C alike."""
    gamma_limits: tuple[int, int] = (-30, 9)
    C_limits: tuple[int, int] = (-12, 18)
    """Where an extension ends: ours, no paper says one."""
    extended: bool = True


@dataclass(frozen=True)
class Protocol:
    """How a study is run."""

    name: Literal["paper", "quick"]
    grid: Grid
    folds: int
    repetitions: int
    """Of the cross-validation that chooses, each with folds of its own."""
    splits: int
    """Random splits into training and test part at the chosen point; 0 where the report is another."""
    train_at_most: int = 10**9
    test_at_most: int = 10**9
    """Larger parts are cut to so many of their (shuffled) rows."""
    words: str = ""
    """What was thinned out, for the reader."""


@dataclass(frozen=True)
class Printed:
    """A number of a paper."""

    value: float
    deviation: float | None = None
    bold: bool = False
    """Marked as not significantly worse than the row's best."""


@dataclass(frozen=True)
class Study:
    """A table or figure of a paper."""

    name: str
    title: str
    paper: str
    """UV, HL, FH, ZDO."""
    place: str
    """Such as "Table 4"."""
    sources: tuple[Source, ...]
    contenders: tuple[Contender, ...]
    kernel: Literal["rbf", "linear"]
    scaling: Scaling
    paper_protocol: Protocol
    quick_protocol: Protocol
    report: Report = "splits"
    measure: Measure = "accuracy"
    tolerance: float = 1e-4
    """Certified relative gap to which every cell is trained."""
    seed: int = 0
    printed: Mapping[tuple[str, str], Printed] = field(default_factory=dict)
    """By labels of source and contender."""
    remarks: tuple[str, ...] = ()
    """Where the paper leaves something open, and what was taken; where the printed numbers cannot be had."""
    gamma_of: Literal["gamma", "1/(2 sigma)", "sigma / median"] = "gamma"
    """What the grid's exponents of gamma are of: rbf's gamma; FH's sigma in exp(-||x-x'||^2 / (2 sigma)); ZDO's sigma in
    exp(-||x-x'||^2 / (2 sigma^2)) over the median distance, and then C is over their default (``samples.Defaults``)."""
    C_base: int = 2
    """What the grid's exponents of C are powers of."""
    chosen_in: str = ""
    """The study whose published choices of gamma and C are taken; what it has not published is chosen."""
    ties_in: str = ""
    """The study that says on how many test rows a machine's optimum has no first class."""
    pictures: str = ""
    """The study whose very numbers it draws, if they are another's."""

    @property
    def kept_as(self) -> str:
        """The name under which its numbers are published."""
        return self.pictures or self.name

    def protocol(self, name: str) -> Protocol:
        return self.paper_protocol if name == "paper" else self.quick_protocol

    @property
    def relative(self) -> bool:
        """Are gamma and C in units that the data make?"""
        return self.gamma_of == "sigma / median"

    def timed(self, name: str, place: str, title: str = TRAINING, tested: bool = False) -> Study:
        """The seconds of training or testing at the chosen points, trained once more and from nothing."""
        again = tuple(replace(c, alone=True, tested=tested, chosen_as=c) for c in self.contenders)
        made = self.like(name, title, place, "seconds")
        words = f"At the points chosen in {self.name}, each trained again and from nothing."
        return replace(made, contenders=again, remarks=(words,), chosen_in=self.name)

    def like(self, name: str, title: str, place: str, measure: Measure) -> Study:
        """The same cells, read for another figure of which no numbers are printed."""
        return replace(
            self,
            name=name,
            title=title,
            place=place,
            measure=measure,
            printed={},
            remarks=(f"Read from the cells of {self.name}.",),
        )
