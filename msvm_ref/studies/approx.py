"""ZDO Fig. 1.1: what a low-rank representation saves in training time and costs in test error.

Rank all, half, a quarter, ... of the training points (the paper's axis, from right to left), for each kind of basis. The CPU
time is that of the decomposition and of training (conjugate gradients, logistic loss, gamma = 1, to a certified gap); kernels
between training points are computed once beforehand and belong to neither.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.kernels import Kernel
from msvm_ref.model.representation import Kind, Representation
from msvm_ref.softmax.one_vs_rest import softmax_one_vs_rest
from msvm_ref.softmax.problem import SoftmaxProblem
from msvm_ref.softmax.solve import solve_softmax

KINDS: tuple[Kind, ...] = ("kpca", "incomplete-cholesky", "leading-subset")
TOLERANCE = 1e-4


@dataclass(frozen=True)
class TradeOffPoint:
    """One training: kind and rank of the basis, what it loses of the kernel, seconds, iterations, test error, certified gap."""

    kind: str
    share: float
    rank: int
    trace_error: float
    seconds: float
    iterations: int
    test_error: float
    relative_gap: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def trade_off(
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any,
    kernel: Kernel,
    C: float,
    halvings: int = 6,
    kinds: Sequence[Kind] = KINDS,
    compare: bool = True,
    step: Callable[[str], None] | None = None,
) -> list[TradeOffPoint]:
    """Train at ranks n, n/2, ... n/2^halvings with each kind; ``compare`` adds one-vs-rest at full rank (section 1.3.1)."""
    if isinstance(halvings, bool) or not isinstance(halvings, int) or halvings < 0:
        raise DataError("halvings", "be an integer, 0 or more", repr(halvings))
    plain = SoftmaxProblem(X, y, C, kernel=kernel)
    gram, truth = plain.data.gram, np.asarray(y_test)
    points = []
    for kind in kinds:
        for halving in range(halvings + 1):
            rank = plain.data.n >> halving
            if rank < 1:
                break
            start = time.process_time()
            basis = Representation(kind, rank).of(gram)
            problem = SoftmaxProblem(
                X, y, C, kernel=kernel, representation=Representation(kind, rank)
            )
            problem.__dict__["basis"] = basis
            solution = solve_softmax(problem, "cg", TOLERANCE)
            seconds = time.process_time() - start
            wrong = float((solution.predict(X_test) != truth).mean())
            points.append(
                TradeOffPoint(
                    kind,
                    rank / plain.data.n,
                    basis.rank,
                    basis.trace_error,
                    seconds,
                    solution.iterations,
                    wrong,
                    solution.certificate.relative_gap,
                )
            )
            if step is not None:
                step(kind)
    if compare:
        start = time.process_time()
        rest = softmax_one_vs_rest(plain, "cg", TOLERANCE)
        seconds = time.process_time() - start
        rank = 0 if plain.basis is None else plain.basis.rank
        wrong = float((rest.predict(X_test) != truth).mean())
        points.append(
            TradeOffPoint(
                "one-vs-rest",
                1.0,
                rank,
                0.0,
                seconds,
                rest.iterations,
                wrong,
                max(part.certificate.relative_gap for part in rest.parts),
            )
        )
        if step is not None:
            step("one-vs-rest")
    return points
