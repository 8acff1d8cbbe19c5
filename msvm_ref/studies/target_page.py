"""One self-contained page (no network, no libraries) in which one picks a machine and drags P over the triangle.

What the page shows of the catalogue was computed here, exactly, and is embedded as JSON; only machines typed by the reader are
computed in the page, by trying every vertex of the arrangement of kinks in exact integers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from importlib.resources import files
from typing import Any

from msvm_ref.fisher.embedded import EmbeddedLoss
from msvm_ref.fisher.embedding import embedded_loss
from msvm_ref.model.catalogue import CATALOGUE, RM
from msvm_ref.model.machine import Machine
from msvm_ref.studies.target_figure import outlined

MACHINES = (*CATALOGUE, RM(Fraction(3, 4)), RM(1))


def target_page(machines: Sequence[Machine] = MACHINES) -> str:
    """The page as text; every machine needs to exist at 3 classes."""
    template = (files("msvm_ref.studies") / "pages" / "learned.html").read_text(encoding="utf-8")
    data = json.dumps([_machine(embedded_loss(m, 3)) for m in machines], ensure_ascii=False)
    return template.replace("/*DATA*/", data.replace("<", "\\u003c"))


def _machine(embedded: EmbeddedLoss) -> dict[str, Any]:
    machine = embedded.machine
    return {
        "name": machine.name,
        "learns": embedded.name.learns,
        "embeds": embedded.name.embeds,
        "nu": [[_text(row) for row in plane] for plane in machine.nu(3)],
        "gamma": [_text(row) for row in machine.gamma(3)],
        "delta": machine.aggregation.name,
        "zero": machine.sum_to_zero,
        "rows": [
            {
                "losses": _text(report.losses),
                "scores": _text(report.scores),
                "predicted": list(report.predicted),
                "polygon": [_text(P) for P in outlined(cell.vertices)],
            }
            for report, cell in zip(embedded.reports, embedded.cells, strict=True)
        ],
    }


def _text(values: Sequence[Fraction]) -> list[str]:
    return [str(v) for v in values]
