"""A study and what there is of it, for the pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from msvm_ref.studies.experiments.ranks import MeanRanks, ranking
from msvm_ref.studies.experiments.result import Result, known
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.study import Study


@dataclass(frozen=True)
class Chapter:
    """A study and what there is of it."""

    study: Study
    results: tuple[Result, ...]

    @property
    def rows(self) -> list[str]:
        return list(dict.fromkeys(r.entry.row for r in self.results))

    def at(self, row: str, column: str) -> Result | None:
        return next((r for r in self.results if r.place == (row, column)), None)

    @property
    def columns(self) -> list[str]:
        return [c.label for c in self.study.contenders]

    @property
    def is_figure(self) -> bool:
        return self.study.place.startswith("Figure ")

    @property
    def means(self) -> dict[tuple[str, str], float]:
        return {r.place: r.mean for r in self.results if not math.isnan(r.mean)}

    @property
    def whole(self) -> list[str]:
        """The rows that have a number in every column."""
        means = self.means
        return [row for row in self.rows if all((row, c) in means for c in self.columns)]

    def rankings(self) -> list[tuple[str, MeanRanks]]:
        """Ours, and the paper's over the same rows."""
        several_solvers = any(c.solver for c in self.study.contenders)
        if self.study.measure != "accuracy" or self.is_figure or several_solvers:
            return []
        ours = self.means
        theirs = {place: printed.value for place, printed in self.study.printed.items()}
        pairs = [("ours", ours), (f"{self.study.paper}'s printed numbers", theirs)]
        made = [(words, ranking(scores, self.columns, self.whole)) for words, scores in pairs]
        return [(words, each) for words, each in made if each is not None]


def chapters(studies: Sequence[Study], store: Store | None = None) -> list[Chapter]:
    made = [Chapter(study, tuple(known(study, store))) for study in studies]
    return [chapter for chapter in made if chapter.results]
