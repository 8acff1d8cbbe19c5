"""Generate the golden loss vectors: scores of one example on a dyadic grid, its loss and subdifferential, and wrong answers.

    python -m msvm_ref.conformance.loss_vectors_build [DIRECTORY]

One file per machine. Values come from ``losses.exact`` and are checked by ``vectors_verify``, which shares no line with it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np

from msvm_ref.conformance.losses.exact import ExactLoss, Subdifferential, Vector, exact_loss, plus
from msvm_ref.conformance.losses.points import grid_point, kink_points, smooth_points
from msvm_ref.conformance.vectors_build import HERE, MACHINES, checksums, dyadic, machine_json
from msvm_ref.conformance.vectors_verify import LOSS_FORMAT, verify_document
from msvm_ref.conformance.verifier.loss_mistakes import LOSSES, SLOPES, reason
from msvm_ref.conformance.verifier.losses import comment, flags_of, identity
from msvm_ref.conformance.verifier.machines import RIVAL, label
from msvm_ref.conformance.verifier.values import decimal, texts

SIZES = (2, 3, 4, 5, 6)
ATTEMPTS = 200
Document = dict[str, Any]


def build(directory: Path, report: Callable[[str], None] = lambda line: None) -> int:
    """Write every file; returns the number of vectors. Raises AssertionError if one of its own vectors fails to verify."""
    directory.mkdir(parents=True, exist_ok=True)
    total = 0
    for key in MACHINES:
        document = document_of(key)
        refused = [(name, faults) for name, faults in verify_document(document) if faults]
        assert not refused, refused[0]
        lines = ",\n".join(json.dumps(v, separators=(",", ":")) for v in document["vectors"])
        head = {k: v for k, v in document.items() if k != "vectors"}
        text = json.dumps(head, separators=(",", ":"))[:-1]
        (directory / f"{key}.json").write_text(f'{text},"vectors":[\n{lines}\n]}}\n', "utf-8")
        total += len(document["vectors"])
        report(f"{key}: {len(document['vectors'])} vectors")
    (directory / "SHA256SUMS").write_text(checksums(directory), encoding="utf-8")
    return total


def document_of(key: str) -> Document:
    machines = {str(d): machine_json(MACHINES[key], d) for d in SIZES}
    return {
        "format": LOSS_FORMAT,
        "schema": "schema.json",
        "machine": key,
        "machines": machines,
        "vectors": list(vectors_of(key, machines)),
    }


def vectors_of(key: str, machines: Document) -> Iterator[Document]:
    turn, used = 0, Counter[str]()
    costs: tuple[Literal["linear", "quadratic"], ...] = ("linear", "quadratic")
    for power, cost in enumerate(costs):
        for d in SIZES:
            rival = MACHINES[label(RIVAL[MACHINES[key].name])].with_cost(cost)
            loss = exact_loss(MACHINES[key].with_cost(cost), d)
            rng = np.random.default_rng([d, power, *key.encode()])
            for case, find in CASES.items():
                turn += 1
                y = turn % d
                f = find(Setting(rng, loss, exact_loss(MACHINES[key], d), exact_loss(rival, d), y))
                if f is None:
                    continue
                vector = vector_of(loss, f, y, cost, machines[str(d)], case, turn)
                vector["flags"] = flags_of(vector, machines)
                if case not in vector["flags"]:
                    continue
                yield vector
                yield from wrong_vectors(vector, loss, machines[str(d)], used)


@dataclass(frozen=True, eq=False)
class Setting:
    """What a case is looked for with: random numbers, the loss, that of the linear cost, and that of the rival machine."""

    rng: np.random.Generator
    loss: ExactLoss
    linear: ExactLoss
    rival: ExactLoss
    y: int


Find = Callable[[Setting], Vector | None]
"""Scores of a case, where there are any."""


def _ordinary(s: Setting) -> Vector | None:
    """A positive loss, and not the rival's where the two differ at all."""
    best = None
    for _ in range(ATTEMPTS):
        points = smooth_points(s.rng, s.linear, [s.y], span=2, bits=2)
        if points and s.loss.value(points[0][0], s.y):
            best = points[0][0]
            if s.rival.value(best, s.y) != s.loss.value(best, s.y):
                break
    return best


def _satisfied(s: Setting) -> Vector | None:
    """The true class far above the rest, which are far below 0."""
    d = s.loss.d
    f = [
        v + (4 * d if c == s.y else -4) for c, v in enumerate(grid_point(s.rng, d, span=1, bits=2))
    ]
    return tuple(f) if s.loss.value(f, s.y) == 0 else None


def _equal(s: Setting) -> Vector | None:
    return (Fraction(int(s.rng.integers(-8, 9)), 4),) * s.loss.d


def _kinked(least: int, flag: str) -> Find:
    """Scores on kinks or ties of the linear cost with the flag, ``least`` dimensions of subgradients of it."""

    def find(s: Setting) -> Vector | None:
        for f, _ in kink_points(s.rng, s.linear, [s.y], 24):
            members = s.linear.subdifferential(f, s.y)
            t = [p.at(f) for group in s.linear.groups[s.y] for p in group]
            has = {"on-margin": 0 in t, "tie": max(t) > 0 and t.count(max(t)) > 1}
            dimensions = len(members.segments) + max(0, len(members.points) - 1)
            if dimensions >= least and has.get(flag, True):
                return f
        return None

    return find


CASES: dict[str, Find] = {
    "ordinary": _ordinary,
    "zero-loss": _satisfied,
    "equal-scores": _equal,
    "on-margin": _kinked(1, "on-margin"),
    "tie": _kinked(1, "tie"),
    "corner": _kinked(2, "corner"),
}


def vector_of(
    loss: ExactLoss, f: Vector, y: int, cost: str, machine: Document, case: str, turn: int
) -> Document:
    members = loss.subdifferential(f, y)
    shares, weights = chosen(members, turn)
    vector: Document = {
        "id": "",
        "result": "valid",
        "comment": "",
        "flags": [],
        "cost": cost,
        "scores": [dyadic(float(v)) for v in f],
        "y": y,
        "loss": str(loss.value(f, y)),
        "subdifferential": {
            "base": texts(members.base),
            "segments": texts(members.segments),
            "points": texts(members.points),
        },
        "subgradient": texts(member(members, shares, weights)),
        "shares": texts(shares),
        "weights": texts(weights),
    }
    vector["id"] = identity(vector, machine)[0] + case
    vector["comment"] = comment(vector, machine, case)
    return vector


def chosen(members: Subdifferential, turn: int) -> tuple[Vector, Vector]:
    """Shares and weights of one member: sometimes a corner, sometimes inside."""
    shares = tuple(Fraction((turn + 2 * j) % 5, 4) for j in range(len(members.segments)))
    raw = [1 + (turn + k) % 3 for k in range(len(members.points))]
    if turn % 3 == 0 and raw:
        raw = [int(k == turn % len(raw)) for k in range(len(raw))]
    return shares, tuple(Fraction(v, sum(raw)) for v in raw)


def member(members: Subdifferential, shares: Vector, weights: Vector) -> Vector:
    g = members.base
    for share, column in [
        *zip(shares, members.segments, strict=True),
        *zip(weights, members.points, strict=True),
    ]:
        g = plus(g, tuple(share * v for v in column))
    return g


def wrong_vectors(
    vector: Document, loss: ExactLoss, machine: Document, used: Counter[str]
) -> Iterator[Document]:
    """One wrong loss and one wrong subgradient, by the mistakes least used so far of those that do harm here."""
    f, y = tuple(map(Fraction, vector["scores"])), vector["y"]
    choices: tuple[tuple[Any, Any], ...] = ((LOSSES, _loss_harm), (SLOPES, _slope_harm))
    for kinds, harm in choices:
        names = [name for name in kinds if applies(name, vector, machine)]
        for name in sorted(names, key=lambda name: used[name]):
            done = harm(kinds[name][1](machine, list(f), vector), loss, f, y)
            if done is not None:
                used[name] += 1
                yield {
                    "id": f"{vector['id']}/{name}",
                    "result": "invalid",
                    "problem": vector["id"],
                    "reason": reason(name, vector, machine),
                } | done
                break


def _loss_harm(candidate: Fraction, loss: ExactLoss, f: Vector, y: int) -> Document | None:
    size = candidate - loss.value(f, y)
    if not size:
        return None
    return {"fault": "loss", "size": decimal(size, 4), "candidate": {"loss": str(candidate)}}


def _slope_harm(candidate: Vector, loss: ExactLoss, f: Vector, y: int) -> Document | None:
    apart = loss.subdifferential(f, y).separation(candidate)
    if not apart.distance:
        return None
    return {
        "fault": "subgradient",
        "size": decimal(apart.distance, 4),
        "candidate": {"subgradient": texts(candidate)},
        "evidence": {
            "direction": texts(apart.direction),
            "shares": texts(apart.shares),
            "weights": texts(apart.weights),
        },
    }


def applies(mistake: str, vector: Document, machine: Document) -> bool:
    conditions = {
        "true-class-counted": machine["aggregation"].startswith("others"),
        "not-centred": machine["sum_to_zero"],
        "gradient-not-centred": machine["sum_to_zero"],
        "half-the-square": vector["cost"] == "quadratic",
        "square-of-the-sum": vector["cost"] == "quadratic",
        "gradient-of-the-hinge": vector["cost"] == "quadratic",
        "gradient-beyond-the-kink": bool(vector["subdifferential"]["segments"]),
        "gradient-before-the-kink": bool(vector["subdifferential"]["segments"]),
        "gradient-all-ties": len(vector["subdifferential"]["points"]) > 1,
    }
    return bool(conditions.get(mistake, True))


if __name__ == "__main__":
    print(
        build(
            Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "losses",
            lambda line: print(line, flush=True),
        ),
        "vectors",
    )
