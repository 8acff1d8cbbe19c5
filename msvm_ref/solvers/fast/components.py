"""The components a barrier moves: whose they are, how they make coefficients and feel scores, and which slacks they share."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import OWN, RELATIVE, SIGNED, Blocks
from msvm_ref.solvers.fast.engine import Engine


def apart(machine: Blocks) -> bool:
    """Does nothing but sum-to-zero couple the classes?"""
    return machine.shape == SIGNED and machine.slack == OWN


def by_rivals(machine: Blocks) -> bool:
    """Does each component concern its label and one rival, and nothing else?"""
    return machine.shape == RELATIVE and machine.slack == OWN


class Components:
    """Components of the chosen examples, all or those ``taken``: whose they are, rows, slack groups, in units of the mean cost.

    What is not taken of a chosen example's shared slack is 0.
    """

    def __init__(
        self,
        engine: Engine,
        machine: Blocks,
        chosen: NDArray[np.int64],
        taken: NDArray[np.bool_] | None = None,
    ) -> None:
        self.machine, self.chosen, self.y = machine, chosen, engine.y[chosen]
        self.d = engine.alpha.shape[1]
        self.mask = machine.mask[self.y] if taken is None else taken[chosen]
        self.example, self.component = np.nonzero(self.mask)
        self.place = np.flatnonzero(self.mask)
        self.unit = float(engine.cost[chosen].mean())
        self.own = machine.slack == OWN
        self.group = np.arange(len(self.example)) if self.own else self.example
        costs = engine.cost[chosen]
        self.room = (costs[self.example] if self.own else costs) / self.unit
        self.ridge = self.unit**2 * machine.width / costs[self.example] if machine.width else None

    @cached_property
    def lanes(self) -> int:
        """How many of what nothing couples: the classes, or one."""
        return self.d if apart(self.machine) and not self.machine.pull else 1

    @cached_property
    def lane(self) -> NDArray[np.int64]:
        """Of each component."""
        return self.component if self.lanes > 1 else np.zeros_like(self.component)

    @cached_property
    def rows(self) -> Array:
        """(components x classes)"""
        return self.machine.rows_of(self.y[self.example], self.component)

    @cached_property
    def planes(self) -> Array:
        """(examples x components x classes) the rows, 0 where a component does not count"""
        return self.machine.rows_of(self.y[:, None], np.arange(self.d))

    def sums(self, x: Array) -> Array:
        """x summed over each slack group."""
        if self.own:
            return x
        return np.asarray(np.bincount(self.group, weights=x, minlength=len(self.room)))

    def cost_term(self, x: Array) -> Array:
        """The ridge of each component's slack, times what the slack is."""
        if self.ridge is None:
            return np.zeros(len(x))
        return np.asarray(self.ridge * (x if self.own else self.sums(x)[self.group]))

    def table(self, x: Array) -> Array:
        """x as (examples x components), 0 where nothing counts."""
        out = np.zeros(self.mask.shape)
        out.ravel()[self.place] = x
        return out

    def of(self, table: Array) -> Array:
        """A table's entries that count."""
        return np.asarray(table.ravel()[self.place])

    def expand(self, x: Array) -> Array:
        """(examples x classes) sum_p x_ip R_ip"""
        return self.machine.expansion(self.y, self.table(x))

    def feel(self, scores: Array) -> Array:
        """Its transpose: of (examples x classes) what each component feels."""
        if self.machine.pull:
            scores = scores + self.machine.pull * scores.sum(axis=1, keepdims=True)
        return self.of(self.machine.margins(self.y, scores))
