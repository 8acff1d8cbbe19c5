"""A report: all scores f whose loss vector is a given row, {f : L(f, .) = v}, a face of the loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msvm_ref.exact.numbers import fractions, rational
from msvm_ref.fisher.cells import moved
from msvm_ref.fisher.face import minimum
from msvm_ref.fisher.loss import point_loss
from msvm_ref.fisher.region import Constraint, Nothing, corners, extent
from msvm_ref.fisher.risk import first_ranked
from msvm_ref.model.machine import Machine

Rationals = tuple[Fraction, ...]


@dataclass(frozen=True)
class Report:
    """``scores``: one f with L(f, .) = ``losses``; ``face``: constraints that describe all of them.

    ``unique``: the only one, up to a constant where constants change nothing. ``corners``: the corners of the face (None
    where there would be too many to list); with ``bounded`` False the face reaches beyond them. ``predicted``: the
    classes that some f of the face ranks first, ties included.
    """

    losses: Rationals
    scores: Rationals
    unique: bool
    bounded: bool
    corners: tuple[Rationals, ...] | None
    predicted: tuple[int, ...]
    face: tuple[Constraint, ...]

    def to_dict(self) -> dict[str, Any]:
        def text(values: Rationals) -> list[str]:
            return [str(v) for v in values]

        return {
            "losses": text(self.losses),
            "scores": text(self.scores),
            "unique": self.unique,
            "bounded": self.bounded,
            "corners": None if self.corners is None else [text(f) for f in self.corners],
            "predicted": list(self.predicted),
            "face": [
                {"normal": text(c.normal), "constant": str(c.constant), "kind": c.kind}
                for c in self.face
            ],
        }


def report(
    machine: Machine, losses: Rationals, scores: Rationals, inner: Sequence[Fraction]
) -> Report:
    """The face of a row from an inner P of its cell: there the minimisers of the risk are exactly the f with L(f) = v."""
    loss = point_loss(machine, len(losses))
    face = minimum(loss, [rational(v) for v in inner]).face
    unique, bounded = extent(face, loss.d, loss.zero)
    vertices = corners(face, loss.d)
    predicted = tuple(
        k for k in range(loss.d) if not isinstance(first_ranked(loss, face, k), Nothing)
    )
    return Report(
        losses,
        scores,
        unique,
        bounded,
        None if vertices is None else tuple(fractions(f) for f in vertices),
        predicted,
        tuple(Constraint(fractions(c.normal), fractions([c.constant])[0], c.kind) for c in face),
    )


def permuted(given: Report, order: Sequence[int]) -> Report:
    """The same report with class i called order[i]."""
    return Report(
        moved(given.losses, order),
        moved(given.scores, order),
        given.unique,
        given.bounded,
        None if given.corners is None else tuple(moved(f, order) for f in given.corners),
        tuple(sorted(order[k] for k in given.predicted)),
        tuple(Constraint(moved(c.normal, order), c.constant, c.kind) for c in given.face),
    )
