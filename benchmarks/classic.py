"""``python -m benchmarks.classic``: every classic method, to a certified relative gap of 1e-3, into docs/benchmarks.md.

Methods come from the registry: whatever ``solvers.METHODS`` has in ``solvers/classic``, with ``fast`` as the yardstick. A
method is asked for CS and for WW, each with the first cost, bias and kernel it takes, on four data sets (standardised, C =
1, rbf with gamma = 1/p). Measured is one ``solve(..., tolerance=1e-3)``: the method runs at ever smaller values of its own
epsilon until the judge says that the gap is at most 1e-3; time and kernel values are of the whole of that, certificates
included. Time is CPU time with warm kernels, the best of REPEATS, as a multiple of that of ``fast`` on the very same problem
in the same run. A cell "–" is a method that did not get there within SECONDS; the gap it had reached stands beside it.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import msvm_ref as mr
from msvm_ref.datasets import load

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
HEADING = "## The classic methods side by side"
TOLERANCE, SECONDS, REPEATS = 1e-3, 5.0, 3
SETTINGS = [
    (machine.with_cost(cost), bias)
    for cost in ("linear", "quadratic")
    for machine in (mr.CS, mr.WW)
    for bias in ("none", "penalized", "free")
]
"""(machine, bias) in the order in which a method is asked: CS or WW, linear before quadratic cost, no bias before one."""
KERNELS = ("rbf", "linear")


@dataclass(frozen=True)
class Line:
    """A method with its options on one machine: one row of the table."""

    method: str
    options: tuple[tuple[str, Any], ...]
    machine: mr.Machine
    bias: str
    kernel: str

    def problem(self, X: np.ndarray, y: np.ndarray) -> mr.Problem:
        kernel = mr.rbf(1 / X.shape[1]) if self.kernel == "rbf" else mr.linear
        return mr.Problem(self.machine, X, y, kernel=kernel, bias=self.bias)

    @property
    def name(self) -> str:
        words = "".join(f", {key}={value}" for key, value in self.options)
        return f"`{self.method}`{words}"

    @property
    def setting(self) -> str:
        cost = "" if self.machine.cost == "linear" else "²"
        return f"{self.machine.name}{cost}, {self.kernel}, bias {self.bias}"


def data(digits: int = 300) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """iris, wine, glass, and the first so many digits; standardised, constant columns left out."""
    sets = {name: (load(name).X, np.asarray(load(name).y)) for name in ("iris", "wine", "glass")}
    X, y = load_digits(return_X_y=True)
    sets[f"digits ({digits})"] = X[:digits], y[:digits]
    return {name: (standardised(X), y) for name, (X, y) in sets.items()}


def standardised(X: np.ndarray) -> np.ndarray:
    varied = X[:, X.std(axis=0) > 0]
    return (varied - varied.mean(axis=0)) / varied.std(axis=0)


def classic_methods() -> list[tuple[str, tuple[tuple[str, Any], ...]]]:
    """(method, options) from the registry; an option of two forms gives two rows."""
    forms = {"cutting-plane": [(("slack", "1"),), (("slack", "n"),)]}
    names = [m for m, where in mr.solvers.METHODS.items() if ".solvers.classic." in where]
    return [(name, options) for name in names for options in forms.get(name, [()])]


def lines() -> list[Line]:
    """For each method and each of CS and WW it takes (the first cost, bias and kernel it takes), a line."""
    X, y = np.array([[0.0, 1], [1, 0], [1, 1]]), np.array([0, 1, 2])
    found = []
    for method, options in classic_methods():
        done: set[str] = set()
        for machine, bias in SETTINGS:
            for kernel in KERNELS:
                line = Line(method, options, machine, bias, kernel)
                if machine.name not in done and takes(line, X, y):
                    done.add(machine.name)
                    found.append(line)
    return found


def takes(line: Line, X: np.ndarray, y: np.ndarray) -> bool:
    """Does the method accept such a problem? Solving a tiny one also compiles it."""
    try:
        options = {**dict(line.options), "max_seconds": SECONDS}
        mr.solve(line.problem(X, y), line.method, tolerance=1e-2, **options)
    except (mr.SpecError, mr.DataError):
        return False
    return True


def measured(problem: mr.Problem, method: str, **options: Any) -> tuple[mr.Solution, float]:
    """(solution, CPU seconds), the best of REPEATS; once where it takes long."""
    best, solution = np.inf, None
    for _ in range(REPEATS):
        start = time.process_time()
        solution = mr.solve(problem, method, tolerance=TOLERANCE, max_seconds=SECONDS, **options)
        best = min(best, time.process_time() - start)
        if best > 0.3:
            break
    assert solution is not None
    return solution, best


def cell(line: Line, X: np.ndarray, y: np.ndarray) -> str:
    """The multiple of fast's time / kernel values in thousands [those of fast]."""
    problem = line.problem(X, y)
    if line.kernel == "rbf":
        _ = problem.features, problem.gram
    mr.solve(problem, "fast", tolerance=TOLERANCE)  # compiles what this problem needs of it
    yard, unit = measured(problem, "fast")
    solution, seconds = measured(problem, line.method, **dict(line.options))
    if not solution.converged:
        return f"– (gap {solution.certificate.relative_gap:.0e})"
    own, theirs = (s.work["kernel_evaluations"] / 1e3 for s in (solution, yard))
    return f"{short(seconds / unit)} / {short(own)} [{short(theirs)}]"


def short(number: float) -> str:
    """Two digits, or as many as there are before the point."""
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"


def table(sets: dict[str, tuple[np.ndarray, np.ndarray]], rows: list[Line]) -> list[str]:
    out = [f"| method | on | {' | '.join(sets)} |", "|---|---|" + "---|" * len(sets)]
    for line in rows:
        cells = []
        for name, (X, y) in sets.items():
            cells.append(cell(line, X, y))
            print(f"{line.name} {line.setting} {name}: {cells[-1]}", file=sys.stderr, flush=True)
        out.append(f"| {line.name} | {line.setting} | {' | '.join(cells)} |")
    return out


def section(sets: dict[str, tuple[np.ndarray, np.ndarray]], rows: list[str]) -> str:
    sizes = ", ".join(
        f"{name.split()[0]} {X.shape[0]}×{X.shape[1]}, d={len(set(y))}"
        for name, (X, y) in sets.items()
    )
    load_average = ", ".join(f"{v:.1f}" for v in os.getloadavg())
    machine = f"{platform.machine()}, {os.cpu_count()} cores, load {load_average}"
    words = f"""
`OMP_NUM_THREADS=1 python -m benchmarks.classic` (this section is its output; {date.today()}, {machine}). One
`solve(problem, method, tolerance=1e-3)`, certified: CPU time as a multiple of that of `fast` on the same problem in the same
run / thousands of kernel values (inner products ⟨w_c, x⟩ for `acf` and for a linear `fast`), those of `fast` in brackets.
A method is asked for CS and for WW, each with the first cost, bias and kernel it takes; standardised data, C = 1, rbf with
γ = 1/p; ² is the quadratic cost. –: not within {SECONDS:.0f} s, with the gap reached. The Gram's factor and compilation are
not in the time; a method that makes its own kernel rows pays for them, one that works on the Gram counts all
of it. Data: {sizes}.
"""
    return "\n".join([HEADING, words, *rows, ""])


def write(text: str, page: Path = PAGE) -> None:
    """Put the section in the place of the last one, or at the end."""
    before = page.read_text(encoding="utf-8")
    pattern = re.compile(rf"{re.escape(HEADING)}\n.*?(?=\n## |\Z)", re.DOTALL)
    if pattern.search(before):
        after = pattern.sub(lambda _: text.rstrip("\n") + "\n", before)
    else:
        after = f"{before.rstrip()}\n\n{text.rstrip()}"
    page.write_text(after.rstrip("\n") + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("methods", nargs="*", help="only these; printed, the page is left alone")
    options = parser.parse_args()
    sets = data()
    rows = [line for line in lines() if not options.methods or line.method in options.methods]
    told = section(sets, table(sets, rows))
    print(told)
    if not options.methods:
        write(told)


if __name__ == "__main__":
    main()
