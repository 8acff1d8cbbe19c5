"""UV's Table 2, one iteration at a time: what an iteration of ``uv-smo`` costs as the number of classes grows.

    OMP_NUM_THREADS=1 python benchmarks/table2.py [--n 2000] [--classes 4 8 16 32] [--json]

Table 2 says into which quadratic programs a machine's dual falls: d of l/d variables (MMR_ORTHO), one of l (MMR), d of l (OVA),
one of O(d l) (all others); l examples, balanced classes. An iteration of a decomposition method looks at every variable of its
program once or a few times, so its cost is of the order of the program's size. uv-smo treats every dual as one program,
decoupled or not: l variables for MMR and MMR_ORTHO, d l for the rest; the exponent of d it must show is 0 or 1, and a solver
that takes decoupled programs one by one saves a factor d on MMR_ORTHO and OVA. Measured: CPU seconds for an iteration without
shrinking and with every kernel row made beforehand, the least of five runs; the exponent by least squares on logarithms.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import cache

import numpy as np

import msvm_ref as mr
from msvm_ref.solvers.classic.rows import KernelRows
from msvm_ref.solvers.classic.uv_smo import Ascent

ITERATIONS, RUNS = 200, 5
PROGRAMS = {"MMR_ORTHO": "d of l/d", "MMR": "1 of l", "OVA": "d of l"}
MACHINES = (mr.MMR_ORTHO, mr.MMR, mr.OVA, mr.WW, mr.CS, mr.LLW, mr.AMO, mr.ATM, mr.ATS, mr.RM(0.5))


def posed(machine: mr.Machine, n: int, d: int) -> mr.Problem:
    """n points in ten dimensions, and labels that have nothing to do with them."""
    X = np.random.default_rng(0).normal(size=(n, 10))
    return mr.Problem(machine, X, np.arange(n) % d, C=1.0, kernel=mr.rbf(0.1))


def seconds(machine: mr.Machine, n: int, d: int, working_set: int) -> float:
    """For one iteration."""
    ascent = Ascent(posed(machine, n, d), working_set, shrinking=False, cache_mb=1e4)
    ascent.dual.rows = all_rows(n)
    ascent.refresh()
    best = np.inf
    for _ in range(RUNS):
        start = time.process_time()
        taken, _, _ = ascent.loop(0.0, ITERATIONS)
        best = min(best, (time.process_time() - start) / taken)
    return float(best)


@cache
def all_rows(n: int) -> KernelRows:
    """Made once for each n: they depend on the points alone."""
    rows = KernelRows(posed(mr.WW, n, 3), cache_mb=1e4, least=n)
    for i in range(n):
        rows.make(i)
    return rows


def exponent(classes: list[int], values: list[float]) -> float:
    """a of seconds ~ d^a."""
    return float(np.polyfit(np.log(classes), np.log(values), 1)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--classes", type=int, nargs="+", default=[4, 8, 16, 32])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    for machine in (mr.WW, mr.CS):
        seconds(machine, 1000, 3, 2)  # compiled before anything is timed
    for machine in MACHINES:
        shared = machine.aggregation.slack == "shared"
        for size in (2,) if shared else (1, 2):
            took = [seconds(machine, given.n, d, size) for d in given.classes]
            row = {
                "machine": machine.name,
                "working_set": size,
                "programs": PROGRAMS.get(machine.name, "1 of O(d l)"),
                "variables": 0 if machine.aggregation.components == "self" else 1,
                "exponent": round(exponent(given.classes, took), 2),
                "microseconds": [round(1e6 * s, 1) for s in took],
            }
            if given.json:
                print(json.dumps(row), flush=True)
            else:
                times = " ".join(f"{1e6 * s:8.1f}" for s in took)
                print(
                    f"{machine.name:10} {size}  {row['programs']:12} d^{row['variables']}"
                    f"  d^{row['exponent']:5.2f}   us: {times}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
