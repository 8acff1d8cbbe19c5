"""Search small integer data for sets on which machines, or bias treatments, provably differ; prints literals for fixtures.py.

For growing n (and p = 1 before p = 2) draw integer data with three classes; keep, for each pair, the first set on which
each optimum is worse by at least MARGIN at the other problem: P_B(W_A) >= (1 + MARGIN) min P_B, and with A and B exchanged.
Pairs of conventions are then tried on the sets of fixtures.py and convention_pairs.py, at the same constant in both.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import msvm_ref as mr
from msvm_ref.conformance.convention_pairs import TWO_CLASSES, relation
from msvm_ref.conformance.fixtures import DATA
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certify import worth
from msvm_ref.model.conventions.convention import Convention

MARGIN, DRAWS = 0.02, 14
BIASES = ("none", "penalized", "free")


def data() -> Iterator[tuple[Any, Any]]:
    for n, p in ((3, 1), (4, 1), (5, 1), (3, 2), (6, 1), (4, 2), (5, 2), (6, 2), (7, 2)):
        rng = np.random.default_rng([n, p])
        for _ in range(DRAWS):
            y = np.sort(np.concatenate([np.arange(3), rng.integers(0, 3, n - 3)]))
            yield rng.integers(-3, 5, size=(n, p)).astype(float), y


def excess(of: mr.Solution, at: mr.Solution) -> float:
    """How much worse the one's weights are at the other's problem; a bias goes where there is none."""
    b = np.zeros(at.problem.d) if at.problem.bias == "none" else of.b
    return _low(at.problem, of.W, b) / max(at.certificate.upper, 1e-300) - 1


def _low(problem: mr.Problem, W: Any, b: Any) -> float:
    """At most P(W, b)."""
    upper = worth(problem, Candidate(W, b)).upper
    assert upper is not None
    return upper.low


def search(variants: dict[str, Any]) -> dict[tuple[str, str], tuple[Any, Any]]:
    unseparated, separating = set(itertools.combinations(variants, 2)), {}
    for X, y in data():
        names = {name for pair in unseparated for name in pair}
        solved = {
            name: mr.solve(mr.Problem(variants[name][0], X, y, bias=variants[name][1]))
            for name in names
        }
        for a, b in sorted(unseparated):
            if min(excess(solved[a], solved[b]), excess(solved[b], solved[a])) >= MARGIN:
                separating[a, b] = (X.astype(int).tolist(), y.tolist())
                unseparated.discard((a, b))
        if not unseparated:
            break
    print(f"not separated: {sorted(unseparated)}", file=sys.stderr)
    return separating


def misread(of: Convention, at: Convention, data: tuple[Any, Any], constant: float) -> float:
    """How much worse ``of``'s optimum is when it is read as an answer in convention ``at``, both at ``constant``."""
    posed, theirs = at.pose(*data, constant), of.pose(*data, constant)
    truth, best = mr.solve(posed.problem), mr.solve(theirs.problem)
    given = theirs.theirs(
        best.W, None if theirs.problem.bias == "none" or posed.problem.bias == "none" else best.b
    )
    if of.binary:
        given = {name: np.stack([-v, v], axis=-1) for name, v in given.items()}
    ours = posed.ours(**given)
    b = ours.get("b", np.zeros(posed.problem.d))
    return _low(posed.problem, ours["W"], b) / truth.certificate.upper - 1


def search_conventions() -> None:
    """For each pair the first (constant, data) on which a swap shows both ways."""
    for a, b in itertools.combinations(mr.conventions.CONVENTIONS, 2):
        r = relation(a, b)
        pool = TWO_CLASSES if r.first.binary or r.second.binary else DATA
        separating = next(
            (
                (name, c)
                for c in (1.0, 4.0, 0.25)
                for name, data in pool.items()
                if min(misread(r.first, r.second, data, c), misread(r.second, r.first, data, c))
                >= MARGIN
            ),
            None,
        )
        print("conventions", (a.name, b.name), separating or "the same", flush=True)


def main() -> None:
    for key, value in search({m.name: (m, "none") for m in mr.CATALOGUE}).items():
        print("machines", key, value, flush=True)
    for machine in mr.CATALOGUE:
        for key, value in search({bias: (machine, bias) for bias in BIASES}).items():
            print("biases", machine.name, key, value, flush=True)
    search_conventions()


if __name__ == "__main__":
    main()
