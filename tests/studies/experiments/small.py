"""A study of seconds: three machines on iris, a grid of 2 x 2, two folds, two splits."""

from __future__ import annotations

from dataclasses import replace

from msvm_ref.studies.experiments.study import Grid, Protocol
from msvm_ref.studies.experiments.uv import SOURCES, TABLE4

IRIS = next(s for s in SOURCES if s.label == "Iris")
GRID = Grid((-6, -3), (0, 3), 3, extended=False)
PROTOCOL = Protocol("quick", GRID, folds=2, repetitions=1, splits=3, train_at_most=40, words="tiny")
SMALL = replace(
    TABLE4,
    name="small",
    sources=(IRIS,),
    contenders=TABLE4.contenders[2:4],
    quick_protocol=PROTOCOL,
    paper_protocol=replace(PROTOCOL, name="paper", splits=4),
)
CELLS = 2 * (4 * 2 + 3)
