"""What a fit is worth: its certified distance from the optimum, and whether its labels follow from its own weights.

    error = (P(W, b) - lower) / lower        of the machine it claims to solve, lower <= optimum certified;

for one-vs-one the largest over all pairs of classes, each a two-class problem of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from msvm_ref.conformance.atlas.entry import Entry
from msvm_ref.conformance.cases import Case
from msvm_ref.errors import MsvmError
from msvm_ref.judge.certificate import Certificate
from msvm_ref.model.arrays import Array, frozen
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.certifying import certify
from msvm_ref.solvers.solution import Solution

Truth = Callable[[Problem], Solution]
TIE = 1e-9
"""Scores nearer than this share of the largest are a tie, which may be broken either way."""


def measured(entry: Entry, case: Case, line: dict[str, Any], truth: Truth) -> dict[str, Any]:
    """The fit's record: error, its objective and the optimum's enclosure in the library's own units; or why there is none."""
    if "broke" in line:
        return {"broke": line["broke"]}
    if "error" in line:
        return {"failure": line["error"]}
    told: dict[str, Any] = {k: line[k] for k in ("seconds", "converged", "said") if k in line}
    try:
        numbers = (_pairs if entry.pairs else _whole)(entry, case, line, truth)
    except (MsvmError, KeyError, TypeError, ValueError) as error:
        return {**told, "failure": f"what it returned is no candidate: {error}"[:500]}
    return {**told, **numbers}


def excess(certificate: Certificate) -> float:
    """(P - lower) / lower: how far above the optimum at most, relative to it; too large by the truth's gap, at most 1e-9."""
    assert certificate.primal_value is not None
    return max((certificate.primal_value - certificate.lower) / certificate.lower, 0.0)


def _whole(entry: Entry, case: Case, line: dict[str, Any], truth: Truth) -> dict[str, Any]:
    d = len(np.unique(case.y))
    constant = entry.convention.from_C(case.C, len(case.y), d)
    posed = entry.convention.pose(case.X, case.y, constant)
    W, b = _real(line["W"]), None if line.get("b") is None else _real(line["b"])
    certificate = certify(posed.problem, **posed.ours(W=W, b=b), reference=truth(posed.problem))
    scores = case.X @ W + (0.0 if b is None else b)
    assert certificate.primal_value is not None
    return {
        "error": excess(certificate),
        "constant": constant,
        "objective": posed.objective(certificate.primal_value),
        "lower": posed.objective(certificate.lower),
        "upper": posed.objective(certificate.upper),
        **_labels(line.get("predict"), scores),
    }


def _pairs(entry: Entry, case: Case, line: dict[str, Any], truth: Truth) -> dict[str, Any]:
    labels = np.unique(case.y).tolist()
    binary = {tuple(p["classes"]): (_real(p["w"]), float(p["b"])) for p in line["pairs"]}
    missing = [pair for pair in itertools.combinations(labels, 2) if pair not in binary]
    if missing:
        raise ValueError(f"no weights for the pair {missing[0]}")
    constant = entry.convention.from_C(case.C, len(case.y), 2)
    records, votes = [], np.zeros((len(case.y), len(labels)))
    for (a, c), (w, b) in sorted(binary.items()):
        keep = (case.y == a) | (case.y == c)
        posed = entry.convention.pose(
            frozen(case.X[keep]), (case.y[keep] == c).astype(int), constant
        )
        given = posed.ours(W=np.column_stack([-w, w]), b=np.array([-b, b]))
        certificate = certify(posed.problem, **given, reference=truth(posed.problem))
        assert certificate.primal_value is not None
        records.append(
            (
                excess(certificate),
                [a, c],
                posed.objective(certificate.primal_value),
                posed.objective(certificate.lower),
                posed.objective(certificate.upper),
            )
        )
        h = case.X @ w + b
        votes[h > 0, labels.index(c)] += 1
        votes[h < 0, labels.index(a)] += 1
    error, pair, objective, lower, upper = max(records)
    return {
        "error": error,
        "pair": pair,
        "pairs": len(records),
        "constant": constant,
        "objective": objective,
        "lower": lower,
        "upper": upper,
        **_labels(line.get("predict"), votes),
    }


def _labels(predicted: Any, scores: Array) -> dict[str, Any]:
    """How many labels are not an argmax of its own scores (or votes)."""
    if predicted is None:
        return {}
    chosen = scores[np.arange(len(scores)), np.asarray(predicted, dtype=int)]
    slack = TIE * max(float(abs(scores).max()), 1e-300)
    return {"labels_off": int((chosen < scores.max(axis=1) - slack).sum())}


def _real(values: Any) -> Array:
    return np.asarray(values, dtype=float)
