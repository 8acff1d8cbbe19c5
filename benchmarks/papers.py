"""The papers' algorithms on Franc and Hlavac's four data sets, against the truth and against FH's Table 2; one JSON line each.

    OMP_NUM_THREADS=1 python benchmarks/papers.py [--full] [--sets iris wine] [--parts solver softmax table2]

``solver`` lines: every algorithm on the whole set at rbf exp(-||x-x'||^2 / 2), C = 16 in FH's units: CPU seconds, iterations
(updates, sweeps, ...), support vectors, certified relative gap, and whether its enclosure meets the truth's.
``softmax`` lines: ZDO's machine (logistic, gamma = 1, KPCA, C = 16) by conjugate gradients, L-BFGS, cones; and one-vs-rest.
``table2`` lines: FH's protocol (features scaled to [-1, 1], rbf exp(-||x-x'||^2 / (2 sigma)), sigma = 2^-3 ... 2^3,
C = 2^0 ... 2^7, 10-fold cross validation, the best pair's error, mean training time and mean number of support vectors), ours
beside theirs. By default a coarser grid (sigma = 2^-2, 1, 2^2; C = 1, 8, 64); ``--full`` is theirs. FH's 1-a-a SMO has a free
bias; ours is OVA with a penalized one, by the same single-class solver. Their seconds are of a Pentium III at 750 MHz, Matlab.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from itertools import product
from typing import Any

import numpy as np

import msvm_ref as mr
from msvm_ref.commands.progress import Progress
from msvm_ref.datasets import load
from msvm_ref.model.conventions import FH2
from msvm_ref.solvers.methods import METHODS

SETS = ("iris", "wine", "glass", "thyroid")
THEIRS = {  # FH Table 2: error %, seconds, support vectors
    "1-a-a SMO": {
        "iris": (2.7, 0.12, 17),
        "wine": (1.1, 0.2, 54),
        "glass": (37.0, 14.10, 150),
        "thyroid": (2.3, 0.41, 35),
    },
    "M-1-SMO": {
        "iris": (2.0, 0.22, 30),
        "wine": (2.3, 0.67, 37),
        "glass": (28.7, 4.06, 167),
        "thyroid": (2.7, 0.13, 43),
    },
    "M-1-KSK": {
        "iris": (2.0, 0.44, 19),
        "wine": (1.7, 0.40, 54),
        "glass": (31.1, 1.37, 177),
        "thyroid": (1.8, 0.31, 66),
    },
}
QUADRATIC = mr.WW.with_cost("quadratic")
ROWS = {
    "1-a-a SMO": (mr.OVA, "m1-smo", 1e-3, {}),
    "M-1-SMO": (mr.WW, "m1-smo", 1e-3, {}),
    "M-1-KSK": (QUADRATIC, "m1-ksk", 1e-2, {"max_iterations": 20_000}),
}
SOLVERS = (
    (mr.WW, "penalized", ("m1-smo", "sor", "bsvm", "fast", "dual")),
    (mr.CS, "none", ("cs-decomposition", "fast", "dual")),
    (mr.CS, "penalized", ("cs-decomposition", "fast", "dual")),
    (QUADRATIC, "penalized", ("m1-ksk", "nearest-point", "m1-smo", "fast", "dual")),
)


def scaled(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features scaled to [-1, 1], as FH do."""
    data = load(name)
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    return 2 * (data.X - low) / np.where(high > low, high - low, 1.0) - 1, np.asarray(data.y)


def fh_problem(
    machine: mr.Machine, X: np.ndarray, y: np.ndarray, C: float, sigma: float, bias: str, d: int
) -> mr.Problem:
    """At FH's C: for the relative margins theirs is FH (2), 4 times smaller than ours; OVA has no such factor."""
    ours = FH2.to_C(C, len(y), d) if machine.margin_name == "relative" else C
    return mr.Problem(machine, X, y, C=ours, kernel=mr.rbf(1 / (2 * sigma)), bias=bias, n_classes=d)


def solver_line(
    name: str, machine: mr.Machine, bias: str, method: str, truth: Any
) -> tuple[dict[str, Any], Any]:
    X, y = scaled(name)
    problem = fh_problem(machine, X, y, 16.0, 1.0, bias, int(y.max()) + 1)
    _ = problem.features
    tolerance = 1e-3 if method == "m1-ksk" else 1e-6
    start = time.process_time()
    solution = mr.solve(problem, method, tolerance=tolerance)
    seconds = time.process_time() - start
    mine = solution.certificate
    line = {
        "kind": "solver",
        "set": name,
        "machine": machine.name,
        "cost": machine.cost,
        "bias": bias,
        "method": method,
        "tolerance": tolerance,
        "cpu_s": round(seconds, 4),
        "work": dict(solution.work),
        "support": len(solution.support),
        "objective": solution.objective,
        "gap": float(f"{mine.relative_gap:.1e}"),
        "converged": solution.converged,
    }
    if truth is not None:
        other = truth.certificate
        line["meets_truth"] = bool(mine.lower <= other.upper and other.lower <= mine.upper)
    return line, solution


def softmax_lines(name: str) -> list[dict[str, Any]]:
    X, y = scaled(name)
    problem = mr.softmax.SoftmaxProblem(X, y, 16.0, kernel=mr.rbf(0.5))
    _ = problem.features
    lines = []
    for method in ("cg", "lbfgs", "cones"):
        start = time.process_time()
        solution = mr.softmax.solve_softmax(problem, method, 1e-6)
        lines.append(
            {
                "kind": "softmax",
                "set": name,
                "method": solution.method,
                "cpu_s": round(time.process_time() - start, 4),
                "iterations": solution.iterations,
                "evaluations": solution.evaluations,
                "objective": solution.objective,
                "gap": float(f"{solution.certificate.relative_gap:.1e}"),
                "converged": solution.converged,
            }
        )
    start = time.process_time()
    rest = mr.softmax.softmax_one_vs_rest(problem, "cg", 1e-6)
    lines.append(
        {
            "kind": "softmax",
            "set": name,
            "method": "one-vs-rest (cg)",
            "cpu_s": round(time.process_time() - start, 4),
            "iterations": rest.iterations,
            "converged": rest.converged,
        }
    )
    return lines


def folds(y: np.ndarray, k: int, seed: int = 0) -> np.ndarray:
    """Fold numbers, classes spread evenly."""
    rng = np.random.default_rng(seed)
    order = np.lexsort((rng.random(len(y)), y))
    number = np.empty(len(y), dtype=int)
    number[order] = np.arange(len(y)) % k
    return number


def table_line(
    name: str, row: str, sigmas: list[float], Cs: list[float], bar: Progress
) -> dict[str, Any]:
    machine, method, tolerance, options = ROWS[row]
    X, y = scaled(name)
    d, fold, best = int(y.max()) + 1, folds(y, 10), None
    for sigma, C in product(sigmas, Cs):
        wrong, seconds, support, unmet = 0, [], [], 0
        for k in range(10):
            train = fold != k
            problem = fh_problem(machine, X[train], y[train], C, sigma, "penalized", d)
            _ = problem.features
            start = time.process_time()
            solution = mr.solve(problem, method, tolerance=tolerance, **options)
            seconds.append(time.process_time() - start)
            support.append(len(solution.support))
            unmet += not solution.converged
            wrong += int((solution.predict(X[~train]) != y[~train]).sum())
        bar.step(f"{name} {row}")
        line = (wrong / len(y), float(np.mean(seconds)), float(np.mean(support)), sigma, C, unmet)
        best = line if best is None or line < best else best
    theirs = THEIRS[row][name]
    return {
        "kind": "table2",
        "set": name,
        "row": row,
        "CE": round(100 * best[0], 1),
        "CE_theirs": theirs[0],
        "cpu_s": round(best[1], 4),
        "s_theirs": theirs[1],
        "SVs": round(best[2], 1),
        "SVs_theirs": theirs[2],
        "sigma": best[3],
        "C": best[4],
        "folds_not_converged": best[5],
        "grid": len(sigmas) * len(Cs),
        "tolerance": tolerance,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="FH's grid of 7 x 8 pairs")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument(
        "--parts",
        nargs="+",
        default=["solver", "softmax", "table2"],
        choices=("solver", "softmax", "table2"),
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    mr.solve(mr.Problem(mr.WW, [[0.0], [1.0]], [0, 1]))
    for machine, bias, methods in SOLVERS:  # compile before the clock runs
        for method in methods:
            if method in METHODS:
                mr.solve(
                    mr.Problem(machine, [[0.0], [1.0]], [0, 1], bias=bias), method, tolerance=1e-2
                )
    for name in options.sets if "softmax" in options.parts else ():
        for line in softmax_lines(name):
            print(json.dumps(line), flush=True)
    for name in options.sets if "solver" in options.parts else ():
        for machine, bias, methods in SOLVERS:
            truth = None
            for method in [m for m in reversed(methods) if m in METHODS]:  # the truth comes first
                line, solution = solver_line(name, machine, bias, method, truth)
                truth = truth or solution
                print(json.dumps(line), flush=True)
    if "table2" not in options.parts:
        return 0
    sigmas = [2.0**k for k in (range(-3, 4) if options.full else (-2, 0, 2))]
    Cs = [2.0**k for k in (range(8) if options.full else (0, 3, 6))]
    with Progress("table 2", len(options.sets) * len(ROWS) * len(sigmas) * len(Cs)) as bar:
        for name, row in product(options.sets, ROWS):
            print(json.dumps(table_line(name, row, sigmas, Cs, bar)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
