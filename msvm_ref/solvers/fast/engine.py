"""What both ascents are made of: the multipliers, the shrinking, and what driver, Newton steps and barrier ask of an engine.

State: alpha (n x d), A[i] = sum_p alpha_ip (Pi nu)_p, and scores f(x_j) = sum_i (k(x_j, x_i) + rho) A[i] + b0. rho is 0 without
a bias, 1 with a penalized one, and the penalty of the method of multipliers with a free one, b0 its current centre.

``play[i, :count[i]]`` are the components of example i in play, ``pinned[i]`` says that they use up a shared slack, and
``asleep[i]`` that none of them can move (steps.py). That only saves work: the gap is always taken over all examples and
components, and what it finds violated is in play again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.gradient import PATIENCE, Momentum
from msvm_ref.solvers.fast.gradient import survey as survey_at_once
from msvm_ref.solvers.fast.survey import survey

Index = NDArray[np.int64]
RELAXED = 1.4
"""A block's step is this much longer than to its optimum, within (0, 2); 1.3 to 1.6 take a fifth to a third off the visits. Not
under the penalty of a free bias, which makes all rows nearly parallel: there AMO at a tiny C was seen not to settle."""


class Engine(ABC):
    together = 0
    """Passes go into one call up to so many visits."""

    momentum: Momentum | None = None
    """Where the examples are few enough to step together."""

    patience = (0.0, 4.0)
    """Between two gaps passes work at least and at most so many times as much as a gap is."""

    exact_from = 0.0
    """The relative gap from which on nothing is rounded to single precision any more."""

    rounded_newton = True
    """May Newton's steps be taken with what is rounded to single precision?"""

    def __init__(self, problem: Problem, machine: Blocks, rho: float) -> None:
        n, d = problem.n, problem.d
        self.blocks, self.machine = machine, machine.packed
        self.rho, self.free = rho, problem.bias == "free"
        self.y, self.cost = np.asarray(problem.y), np.array(problem.costs)
        self.alpha, self.b0 = np.zeros((n, d)), np.zeros(d)
        self.play, self.count = np.empty((n, d), dtype=np.uint32), np.zeros(n, dtype=np.int32)
        self.pinned, self.asleep = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        # one more for what all classes have in common, three for a sparse row's lanes
        classes, ranking = np.empty(d + 4, dtype=np.uint32), np.empty(d + 4, dtype=np.int64)
        floats = np.zeros((2, d + 4))
        self.scratch = (classes, ranking, *floats, np.zeros((1, d)), *np.zeros((6, d)))
        self.steps, self.violation, self.gains = 0, np.inf, np.zeros(0)
        self.omega = 1.0 if self.free else RELAXED
        self.nothing = float(self.cost @ machine.losses_of_zero[self.y])

    @property
    def A(self) -> Array:
        """A[i] = sum_p alpha_ip (Pi nu)[y_i, p]"""
        return self.blocks.expansion(self.y, self.alpha)

    @property
    def products_are_cheap(self) -> bool:
        """Is all of the kernel, or are all features, at hand?"""
        return True

    @property
    @abstractmethod
    def single(self) -> bool:
        """Are kernel rows, or sparse rows and their weights, rounded to single precision?"""

    @abstractmethod
    def to_double(self) -> None:
        """They no longer are."""

    @property
    def exact_weights(self) -> Array | None:
        """W, where the engine has it to all digits."""
        return None

    @property
    def at_once(self) -> bool:
        """Do all examples step together (gradient.py), or one by one?"""
        return self.momentum is not None and self.momentum.steps < PATIENCE

    def survey(self, room: float = 0.0) -> tuple[float, float, float, float]:
        """(loss, the dual's linear and cost terms, <A, f>, largest violation); who is in play is settled anew."""
        sums, worst = np.zeros(3), 0.0
        for rows, scores in self.score_blocks():
            if self.at_once:
                found = survey_at_once(
                    self.blocks, self.y[rows], self.cost[rows], scores, self.alpha[rows]
                )
            else:
                found = survey(
                    self.machine,
                    self.y[rows],
                    self.cost[rows],
                    np.ascontiguousarray(scores),
                    self.alpha[rows],
                    room,
                    self.play[rows],
                    self.count[rows],
                    self.pinned[rows],
                    self.asleep[rows],
                    self.scratch[5],
                )
            sums, worst = sums + found[:3], max(worst, found[3])
        return float(sums[0]), float(sums[1]), float(sums[2]), worst

    def score_blocks(self) -> Iterator[tuple[slice, Array]]:
        """The scores of all examples, so many rows at a time as the engine holds; each good until the next."""
        yield slice(0, len(self.y)), self.scores

    def restart(self, alpha: Array, b0: Array) -> None:
        """Stand at alpha and b0, whatever came before."""
        self.alpha, self.b0 = np.array(alpha), np.array(b0)
        self.refresh()

    def set_alpha(self, alpha: Array, chosen: Index, change: Array, effect: Array) -> None:
        """Move to alpha, which changes A of the chosen examples and, by ``effect``, every score."""
        self.alpha = alpha
        self._follow(chosen, change, effect)

    @property
    @abstractmethod
    def scores(self) -> Array:
        """(n x d) f(x_i), bias included; good until the next call or move."""

    @property
    @abstractmethod
    def diagonal(self) -> Array:
        """k(x_i, x_i) + rho"""

    @property
    @abstractmethod
    def true_bias(self) -> Array:
        """b, for the features as given."""

    @property
    @abstractmethod
    def evaluations(self) -> int:
        """Kernel values (or inner products <w_c, x_i>) computed so far."""

    @abstractmethod
    def pass_over(self, order: Index) -> float:
        """One pass over these examples; the work it was, in multiply-adds. ``violation`` is the largest it met."""

    @property
    @abstractmethod
    def whole_pass(self) -> float:
        """The work of taking every score once, in multiply-adds: what the gap costs."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many features the barrier may go through, with one for the bias; 0 where there are none."""

    @property
    @abstractmethod
    def reach(self) -> int:
        """Multiply-adds of ``product`` over everyone, an example and class."""

    @abstractmethod
    def features(self, chosen: Index) -> Array:
        """Those of the chosen examples: their inner products are k(x_i, x_j)."""

    @abstractmethod
    def gram(self, chosen: Index) -> Array:
        """k(x_i, x_j) + rho over the chosen examples."""

    @abstractmethod
    def product(self, chosen: Index, A: Array) -> Array:
        """(n x d) what coefficients A of the chosen examples add to every score."""

    @abstractmethod
    def rough_product(self, chosen: Index, A: Array) -> Array:
        """The same at the chosen examples only, where single precision will do."""

    @abstractmethod
    def shift_bias(self, shift: Array) -> None:
        """b0 <- b0 + shift, and the scores with it."""

    @abstractmethod
    def refresh(self) -> None:
        """Scores anew from alpha: what a thousand updates rounded away comes back."""

    @abstractmethod
    def _follow(self, chosen: Index, change: Array, effect: Array) -> None:
        """Bring the scores after a change of A."""
