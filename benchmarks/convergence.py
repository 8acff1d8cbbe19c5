"""``python -m benchmarks.convergence [METHOD ...]``: how often a method reaches 1e-9 on problems nobody standardised.

The draw is ``tests/solvers/hard_draw.py``: every machine, bias and cost, n = 5 ... 40, features offset by up to 1e6, columns of
scales 1e-6 ... 1e6, everything at 1e+-60. A miss is a solution that says ``converged=False``; an error counts as one, too.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

import msvm_ref as mr
from tests.solvers.hard_draw import PLACES, hard_problem

METHODS = ("auto", "primal", "dual", "kesler", "fast")


def rate(method: str, count: int, seconds: float) -> tuple[Counter[str], Counter[str], float]:
    """(problems by place, misses by place, CPU seconds) of the first ``count`` problems."""
    asked, missed, start = Counter[str](), Counter[str](), time.process_time()
    for seed in range(count):
        problem, place = hard_problem(seed)
        asked[place] += 1
        try:
            solution = mr.solve(problem, method, max_seconds=seconds)
            words = "" if solution.converged else f"gap {solution.certificate.relative_gap:.1e}"
        except mr.MsvmError as error:
            words = str(error)[:100]
        if words:
            missed[place] += 1
            print(f"{method} {seed}, {place}, {problem}: {words}", file=sys.stderr)
    return asked, missed, time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="*", default=METHODS)
    parser.add_argument("--count", type=int, default=627)
    parser.add_argument("--seconds", type=float, default=20.0, help="a problem's limit")
    options = parser.parse_args()
    print("| method | reached 1e-9 | " + " | ".join(PLACES) + " | CPU s |")
    print("|---|---|" + "---|" * (len(PLACES) + 1))
    for method in options.methods:
        asked, missed, spent = rate(method, options.count, options.seconds)
        share = 100 * (1 - missed.total() / asked.total())
        cells = [f"{asked[p] - missed[p]} of {asked[p]}" for p in PLACES]
        print(f"| {method} | {share:.1f} % | {' | '.join(cells)} | {spent:.0f} |", flush=True)


if __name__ == "__main__":
    main()
