"""The course of one contender on one data set: which cells it needs next, until its number can be read.

A course is a generator: it yields batches of tasks whose cells are missing, looks again when they are there, and returns the
Ending. Run on a store that has everything it yields nothing; so the same lines run a study, resume it, and read its table.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from msvm_ref.studies.experiments.cell import CellRecord, Task
from msvm_ref.studies.experiments.samples import ALL, Draw, Kind
from msvm_ref.studies.experiments.study import Contender, Grid, Protocol, Source, Study

Point = tuple[int, int]
"""Exponents of gamma and C."""
Course = Generator[list[Task], None, "Ending"]
LARGE = 1500
"""From so many examples on each fold is a task of its own: less is lost by a kill, and the Gram is a small part of the work."""
AROUND = (-2, -1, 0, 1, 2)


@dataclass(frozen=True)
class Choice:
    """What is known before."""

    point: Point
    at_limit: bool = False
    """Did the grid end before its best point was inside?"""


@dataclass(frozen=True)
class Ending:
    """What a table's cell is read from."""

    source: Source
    contender: Contender
    protocol: Protocol
    point: Point
    """The chosen exponents of gamma and C."""
    records: tuple[CellRecord, ...]
    """The cells the reported number is taken from."""
    cells: int
    """All cells that were needed, those of the choice included."""
    open_gaps: int
    """Of these, so many ended above the tolerance."""
    failures: int
    """Of these, so many have no numbers."""
    at_limit: bool
    """Did the grid end before its best point was inside?"""


class Planner:
    """One course's view of the store."""

    def __init__(
        self,
        study: Study,
        source: Source,
        contender: Contender,
        protocol: Protocol,
        known: Mapping[str, CellRecord],
        choice: Choice | None = None,
    ) -> None:
        self.study, self.source, self.contender = study, source, contender
        self.chooser = contender.chosen_as or contender
        self.protocol, self.known = protocol, known
        self.used: dict[str, CellRecord] = {}
        self.scores: dict[Point, float] = {}
        self.holdout = study.report == "test" and source.official
        if source.point is not None:
            choice = Choice(source.point)
        elif self.holdout:
            choice = None  # of the points equal in a choice the test part takes one
        self.point = None if choice is None else choice.point
        self.at_limit = choice is not None and choice.at_limit
        self.folds = [ALL] if self.holdout else list(range(protocol.folds))
        self.rest = 0
        """Cells that are likely to be asked for after those that are asked for now."""

    @property
    def begun(self) -> bool:
        """Is the choice's last repetition there at the grid's first point? If not, there is nothing to read."""
        if self.point is not None:
            return True
        grid = self.protocol.grid
        task = self._choosing(
            self.protocol.repetitions - 1, grid.gamma[0], grid.C[:1], self.folds[-1:]
        )
        return task.key(task.folds[0], task.Cs[0]) in self.known

    def course(self) -> Course:
        best = yield from self._chosen()
        self.rest = 0
        records = yield from self._reported(best)
        used = self.used.values()
        return Ending(
            self.source,
            self.contender,
            self.protocol,
            best,
            tuple(records),
            len(used),
            sum(not r.converged and not r.error for r in used),
            sum(bool(r.error) for r in used),
            self.at_limit,
        )

    def _chosen(self) -> Generator[list[Task], None, Point]:
        if self.point is not None:
            return self.point
        grid, folds = self.protocol.grid, len(self.folds) * self.protocol.repetitions
        width = 1 if grid.gamma == (0,) else len(grid.refine)
        self.rest = max(width * len(grid.refine) - 1, 0) * folds + self.protocol.splits
        best = yield from self._extended(grid)
        self.rest = self.protocol.splits
        if grid.refine:
            gammas = tuple(best[0] + i for i in grid.refine) if grid.gamma != (0,) else (0,)
            finer = [(g, best[1] + i) for g in gammas for i in grid.refine]
            yield from self._trained(finer, self.protocol.repetitions)
            best = self._best([*finer, best])
        return best

    def _extended(self, grid: Grid) -> Generator[list[Task], None, Point]:
        """The best of the first stage, its grid extended as long as the best lies on its border."""
        gammas, Cs = list(grid.gamma), list(grid.C)
        while True:
            points = [(g, c) for g in gammas for c in Cs]
            yield from self._trained(points, self.protocol.repetitions)
            edges = ({gammas[0], gammas[-1]} if len(gammas) > 1 else set(), {Cs[0], Cs[-1]})
            best = self._best(points, edges if grid.extended else (set(), set()))
            if not grid.extended:
                return best
            moves = [_beyond(Cs, best[1], grid.step, grid.C_limits)]
            if grid.gamma != (0,):
                moves.append(_beyond(gammas, best[0], grid.step, grid.gamma_limits))
            self.at_limit = any(move is _LIMIT for move in moves)
            if isinstance(moves[0], int):
                Cs = sorted([*Cs, moves[0]])
            if len(moves) > 1 and isinstance(moves[1], int):
                gammas = sorted([*gammas, moves[1]])
            if not any(isinstance(move, int) for move in moves):
                return best

    def _reported(self, best: Point) -> Generator[list[Task], None, list[CellRecord]]:
        report, grid = self.study.report, self.protocol.grid
        if report == "test":
            return (yield from self._tested(best))
        if report in ("grid-time", "grid-points"):
            step = self.study.paper_protocol.grid.step
            gammas = [best[0] + step * i for i in AROUND] if grid.gamma != (0,) else [0]
            points = [(g, best[1] + step * i) for g in gammas for i in AROUND]
            yield from self._trained(points, 1)
            return [record for point in points for record in self._of(point, 1)]
        tasks = [self._task("split", r, best) for r in range(self.protocol.splits)]
        return (yield from self._looked_up(tasks))

    def _tested(self, best: Point) -> Generator[list[Task], None, list[CellRecord]]:
        """The chosen point's folds; with an official test part, the best there of all points equal in the choice (HL V.B).

        Whose choice is another's is trained at that one's point.
        """
        if not self.holdout:
            return (yield from self._own_folds(best))
        grid = self.protocol.grid
        points = [(g, c) for g in grid.gamma for c in grid.C]
        top = round(self._score(best), 12)
        equal = [point for point in points if round(self._score(point), 12) == top]
        tasks = [self._task("official", 0, point, self.chooser) for point in equal]
        records = yield from self._looked_up(tasks)
        first = max(
            range(len(equal)),
            key=lambda k: (0.0 if records[k].error else records[k].accuracy, -records[k].support),
        )
        if self.chooser is self.contender:
            return [records[first]]
        return (yield from self._looked_up([self._task("official", 0, equal[first])]))

    def _own_folds(self, best: Point) -> Generator[list[Task], None, list[CellRecord]]:
        tasks = [
            self._made("folds", r, best[0], (best[1],), (fold,), self.contender)
            for r in range(self.protocol.repetitions)
            for fold in self.folds
        ]
        return (yield from self._looked_up(tasks))

    def _looked_up(self, tasks: list[Task]) -> Generator[list[Task], None, list[CellRecord]]:
        """Tasks of one cell each."""
        missing = [t for t in tasks if t.key(t.folds[0], t.Cs[0]) not in self.known]
        if missing:
            yield [t.work for t in missing]
        return [self._look(t, t.folds[0], t.Cs[0]) for t in tasks]

    def _trained(
        self, points: Sequence[Point], repetitions: int
    ) -> Generator[list[Task], None, None]:
        """Ask for what is missing at these points."""
        batch = []
        for repetition in range(repetitions):
            for gamma in sorted({g for g, _ in points}):
                exponents = sorted({c for g, c in points if g == gamma})
                batch += self._missing(repetition, gamma, exponents)
        if batch:
            yield batch

    def _missing(self, repetition: int, gamma: int, exponents: list[int]) -> list[Task]:
        task = self._choosing(repetition, gamma, exponents, self.folds)
        groups: dict[tuple[int, ...], list[int]] = {}
        for fold in task.folds:
            lacking = tuple(
                c
                for c, C in zip(exponents, task.Cs, strict=True)
                if task.key(fold, C) not in self.known
            )
            if lacking:
                groups.setdefault(lacking, []).append(fold)
        large = min(self.source.train, self.protocol.train_at_most) > LARGE
        parts = [
            (lacking, part)
            for lacking, folds in groups.items()
            for part in ([[f] for f in folds] if large else [folds])
        ]
        return [self._choosing(repetition, gamma, lacking, part).work for lacking, part in parts]

    def _best(
        self, points: Sequence[Point], edges: tuple[set[int], set[int]] = (set(), set())
    ) -> Point:
        """The highest mean accuracy; of equals one off the edges, then the smallest C, then the smallest gamma.

        A cell without numbers counts as 0.
        """

        def standing(p: Point) -> tuple[float, int, int, int]:
            return -round(self._score(p), 12), (p[0] in edges[0]) + (p[1] in edges[1]), p[1], p[0]

        return min(points, key=standing)

    def _score(self, point: Point) -> float:
        if point not in self.scores:
            records = self._of(point, self.protocol.repetitions)
            self.scores[point] = fmean(
                0.0 if math.isnan(r.accuracy) else r.accuracy for r in records
            )
        return self.scores[point]

    def _of(self, point: Point, repetitions: int) -> list[CellRecord]:
        records = []
        for repetition in range(repetitions):
            task = self._choosing(repetition, point[0], (point[1],), self.folds)
            records += [self._look(task, fold, task.Cs[0]) for fold in self.folds]
        return records

    def _look(self, task: Task, fold: int, C: float) -> CellRecord:
        key = task.key(fold, C)
        record = self.used[key] = self.known[key]
        return record

    def _task(
        self, kind: Kind, repetition: int, point: Point, contender: Contender | None = None
    ) -> Task:
        """One fit at one point, outside the choice."""
        who = contender or self.contender
        return self._made(kind, repetition, point[0], (point[1],), (ALL,), who)

    def _choosing(
        self, repetition: int, gamma: int, Cs: Sequence[int], which: Sequence[int]
    ) -> Task:
        """Folds, or the holdout, along a path of C."""
        kind: Kind = "holdout" if self.holdout else "folds"
        return self._made(kind, repetition, gamma, Cs, which, self.chooser)

    def _made(
        self,
        kind: Kind,
        repetition: int,
        gamma: int,
        Cs: Sequence[int],
        which: Sequence[int],
        contender: Contender,
    ) -> Task:
        study, protocol = self.study, self.protocol
        draw = Draw(
            self.source,
            study.seed,
            repetition,
            kind,
            protocol.folds if kind == "folds" else 1,
            protocol.train_at_most,
            protocol.test_at_most,
            study.scaling,
        )
        width = 1 / (2 * 2.0**gamma) if study.gamma_of == "1/(2 sigma)" else 2.0**gamma
        return Task(
            draw,
            contender,
            study.kernel,
            width if study.kernel == "rbf" else 0.0,
            tuple(float(study.C_base) ** c for c in Cs),
            tuple(which),
            study.tolerance,
            study.relative,
        )


_LIMIT = object()


def _beyond(values: list[int], best: int, step: int, limits: tuple[int, int]) -> object:
    """The exponent to add where the best is the first or last of several; _LIMIT where that is too far; else None."""
    if len(values) < 2 or values[0] < best < values[-1]:
        return None
    new = best - step if best == values[0] else best + step
    return new if limits[0] <= new <= limits[1] else _LIMIT
