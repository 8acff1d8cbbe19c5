"""``solve`` against the same machine written by hand in cvxpy, in one run; one JSON line a case.

    OMP_NUM_THREADS=1 python benchmarks/truth.py [--sizes 50 500] [--classes 3 10] [--repeat 3]

The peer is what cvxpy's user guide would have you write: the loss with ``cp.pos`` and ``cp.max`` on the scores, for rbf on a
Cholesky factor of the Gram, solved by ``problem.solve()`` with cvxpy's default backend and accuracy. ``ratio`` is
peer / ours in CPU seconds (steadier than the clock on a shared machine), best of ``--repeat``, taken in turns so that both
meet the same load (once where one takes LONG); ``gap`` is our certified gap, ``peer_error`` how far the peer's own W lies
above the certified lower bound (for rbf on its factor, whose jitter moves the optimum by about 1e-10). ``certify_share`` is
certifying / solving; ``path_ratio``, up to n = 200, the cost of a second C in ``solve_path`` over a fresh ``solve``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np

import msvm_ref as mr
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certify import judge, worth

LONG = 5.0
"""CPU seconds."""


def clouds(n: int, p: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping Gaussian classes: centres at distance about 2 whatever p is."""
    rng = np.random.default_rng([n, p, d])
    y = np.arange(n) % d
    centres = rng.normal(size=(d, p))
    centres *= 1.5 / np.linalg.norm(centres, axis=1, keepdims=True)
    return rng.normal(size=(n, p)) + centres[y], y


def by_hand(name: str, phi: np.ndarray, y: np.ndarray, C: float) -> np.ndarray:
    """WW, CS, LLW or ATM without bias, from the loss."""
    r = phi.shape[1]
    d = int(y.max()) + 1
    own = np.eye(d)[y]
    W = cp.Variable((r, d))
    F = phi @ W
    constraints = []
    if name == "ATM":
        loss = cp.sum(cp.pos(cp.max(1 - cp.multiply(2 * own - 1, F), axis=1)))
        constraints.append(cp.sum(W, axis=1) == 0)
    elif name == "LLW":
        loss = cp.sum(cp.multiply(1 - own, cp.pos(1 + F)))
        constraints.append(cp.sum(W, axis=1) == 0)
    else:
        true = cp.sum(cp.multiply(F, own), axis=1, keepdims=True)
        t = 1 - 0.5 * (true @ np.ones((1, d)) - F)
        if name == "WW":
            loss = cp.sum(cp.multiply(1 - own, cp.pos(t)))
        else:
            loss = cp.sum(cp.pos(cp.max(t - 10 * own, axis=1)))
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(W) + C * loss), constraints)
    problem.solve()
    return W.value


def timed(function: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    best, result = np.inf, None
    for _ in range(repeat):
        start = time.process_time()
        result = function()
        best = min(best, time.process_time() - start)
    return best, result


def case(name: str, n: int, d: int, p: int, rbf: bool, repeat: int) -> dict[str, Any]:
    machine = mr.machine_named(name)
    X, y = clouds(n, p, d)
    kernel = mr.rbf(1.0 / p) if rbf else mr.linear

    def ours() -> Any:
        return mr.solve(mr.Problem(machine, X, y, kernel=kernel))

    def theirs() -> tuple[np.ndarray, np.ndarray]:
        phi = X if not rbf else np.linalg.cholesky(kernel(X, X) + 1e-10 * np.eye(n))
        return phi, by_hand(name, phi, y, 1.0)

    our_time, peer_time = np.inf, np.inf
    for _ in range(repeat):
        ours_now, solution = timed(ours, 1)
        peer_now, (phi, W) = timed(theirs, 1)
        our_time, peer_time = min(our_time, ours_now), min(peer_time, peer_now)
        if max(ours_now, peer_now) > LONG:
            break
    certify_time, _ = timed(lambda: judge(solution.problem, solution.candidate), 1)
    certificate, second = solution.certificate, None
    if n <= 200:
        problem = mr.Problem(machine, X, y, kernel=kernel)
        one, _ = timed(lambda: mr.solve_path(problem, [1.0]), 1)
        two, _ = timed(lambda: mr.solve_path(problem, [1.0, 1.1]), 1)
        second = round(max(two - one, 0.0) / our_time, 2)
    judged = mr.Problem(machine, phi, y) if rbf else solution.problem
    value = worth(judged, Candidate(W, np.zeros(d)), floor=0.0).high
    return {
        "machine": name,
        "n": n,
        "d": d,
        "kernel": "rbf" if rbf else f"linear p={p}",
        "ours_s": round(our_time, 4),
        "peer_s": round(peer_time, 4),
        "ratio": round(peer_time / our_time, 2),
        "gap": float(f"{certificate.relative_gap:.1e}"),
        "peer_error": float(f"{max(value / certificate.lower - 1, 0):.1e}"),
        "certify_share": round(certify_time / our_time, 3),
        "path_ratio": second,
        "backend": solution.backend,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=(50, 200, 500), help="n")
    parser.add_argument("--classes", type=int, nargs="+", default=(3, 10, 5), help="d")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    mr.solve(mr.Problem(mr.WW, *clouds(12, 2, 3)))
    worst = np.inf
    for n in options.sizes:
        for d in options.classes:
            for name in ("WW", "CS", "LLW", "ATM"):
                for p, rbf in ((5, False), (50, False), (5, True)):
                    line = case(name, n, d, p, rbf, options.repeat)
                    worst = min(worst, line["ratio"])
                    print(json.dumps(line), flush=True)
    print(f"smallest ratio {worst:.2f}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
