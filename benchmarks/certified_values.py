"""Certified optima of real data, a page like NIST's: ``python benchmarks/certified_values.py run`` and then ``page``.

Every machine, linear and rbf kernel, three C's, raw and standardised features, penalised bias (then W, b and with them the
training error are unique). Each row is appended to CERTIFIED.jsonl as soon as it is known, so a run can be stopped and
continued; ``page`` writes CERTIFIED.md from it.

Linear kernel: the exact rational optimum, 25 digits, where it is found within EXACT_SECONDS; else, and for rbf always (its
float64 Gram depends on the platform's exp in the last bit), the digits on which a rigorous enclosure's ends agree, at most 12.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import msvm_ref as mr
from msvm_ref.datasets import Dataset, load
from msvm_ref.errors import ExactnessError, MsvmError
from msvm_ref.exact.optimum import decimal, prove_optimum
from msvm_ref.exact.rigorous import rigorous_bounds

ROOT = Path(__file__).parent.parent
ROWS, PAGE = ROOT / "benchmarks" / "CERTIFIED.jsonl", ROOT / "CERTIFIED.md"
COSTS = (0.125, 1.0, 8.0)
EXACT_SECONDS, ENCLOSED_DIGITS = 10.0, 12
LARGEST = {"digits": 200, "vowel": 528, "vehicle": 846}
RBF_LARGEST = {"vowel": 132, "vehicle": 200}
ORDER = ("iris", "wine", "thyroid", "glass", "digits", "vehicle", "vowel")


def data_set(name: str, scaling: str, kernel: str) -> Dataset:
    """The rows used: all, or the first so many of an official order; for rbf every k-th row of the larger sets."""
    data = load(name).head(LARGEST.get(name, 10**9))
    cap = RBF_LARGEST.get(name) if kernel == "rbf" else None
    if cap is not None:
        step = len(data.X) // cap
        data = Dataset(name, data.X[::step][:cap], data.y[::step][:cap], cap)
    return data.standardized() if scaling == "standardised" else data


def width(data: Dataset) -> float:
    """gamma = the power of two nearest 1 / (p var X), in the logarithm."""
    return 2.0 ** round(-math.log2(data.X.shape[1] * float(data.X.var())))


def cases() -> Iterator[dict[str, Any]]:
    for name in ORDER:
        for kernel in ("linear", "rbf"):
            for scaling in ("standardised", "raw"):
                for machine in mr.CATALOGUE:
                    for C in COSTS:
                        yield {
                            "data": name,
                            "kernel": kernel,
                            "scaling": scaling,
                            "machine": machine.name,
                            "C": C,
                        }


def certified(case: dict[str, Any]) -> dict[str, Any]:
    """The case with its value, digits, support vectors and training error; or with the reason why there are none."""
    start = time.perf_counter()
    data = data_set(case["data"], case["scaling"], case["kernel"])
    gamma = width(data) if case["kernel"] == "rbf" else None
    problem = mr.Problem(
        mr.machine_named(case["machine"]),
        data.X,
        data.y,
        C=case["C"],
        bias="penalized",
        kernel=mr.linear if gamma is None else mr.rbf(gamma),
    )
    row = case | {"n": problem.n, "p": int(data.X.shape[1]), "d": problem.d, "gamma": gamma}
    try:
        solution = mr.solve(problem, tolerance=1e-10 if problem.is_linear else 3e-11)
        value, how = _value(problem, solution)
    except MsvmError as error:
        return row | {"value": None, "how": str(error)[:200]}
    f = solution.decision_function(problem.X)
    top = np.sort(f, axis=1)
    tied = int((top[:, -1] - top[:, -2] <= 1e-6 * max(float(abs(f).max()), 1e-300)).sum())
    return row | {
        "value": value,
        "how": how,
        "support": len(solution.support),
        "tied": tied,
        "errors": int((f.argmax(axis=1) != problem.y).sum()),
        "seconds": round(time.perf_counter() - start, 2),
    }


def _value(problem: mr.Problem, solution: mr.Solution) -> tuple[str, str]:
    if problem.is_linear:
        try:
            return decimal(prove_optimum(problem, solution, EXACT_SECONDS).value), "exact"
        except ExactnessError:
            pass
    bounds = rigorous_bounds(problem, solution.candidate)
    return common_digits(bounds.lower, bounds.upper), "enclosed"


def common_digits(lower: Fraction, upper: Fraction) -> str:
    """The longest decimal, at most ENCLOSED_DIGITS long, to which both ends round."""
    for count in range(ENCLOSED_DIGITS, 0, -1):
        if decimal(lower, count) == decimal(upper, count):
            return decimal(lower, count)
    return "?"


def run(only: list[str]) -> None:
    done = (
        {_key(json.loads(line)) for line in ROWS.read_text().splitlines()}
        if ROWS.exists()
        else set()
    )
    todo = [
        case for case in cases() if _key(case) not in done and (not only or case["data"] in only)
    ]
    # a run cut short has the likeliest rows of every set: C = 1, linear, standardised first
    todo.sort(
        key=lambda case: (case["C"] != 1.0, case["kernel"] == "rbf", case["scaling"] == "raw")
    )
    for k, case in enumerate(todo, 1):
        row = certified(case)
        with ROWS.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(
            f"{k}/{len(todo)} {' '.join(map(str, _key(case)))}: {row['value']} [{row.get('seconds', '-')} s]",
            flush=True,
        )


def _key(case: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(case[name] for name in ("data", "kernel", "scaling", "machine", "C"))


def page() -> str:
    """The text of CERTIFIED.md from the rows that are there; what is missing is counted, not hidden."""
    row_of = {_key(row): row for row in map(json.loads, ROWS.read_text().splitlines())}
    keys = [_key(case) for case in cases()]
    lines = [
        HEAD.format(
            done=len(row_of),
            cases=len(keys),
            exact=sum(r["how"] == "exact" for r in row_of.values()),
        )
    ]
    for name in ORDER:
        for kernel in ("linear", "rbf"):
            for scaling in ("standardised", "raw"):
                rows = [
                    row_of[key]
                    for key in keys
                    if key[:3] == (name, kernel, scaling) and key in row_of
                ]
                if rows:
                    lines += [
                        "",
                        _title(rows[0]),
                        "",
                        "| machine | C | optimum | support vectors | training errors |",
                        "|---|--:|---|--:|--:|",
                        *map(_line, rows),
                    ]
    return "\n".join(lines) + "\n"


def _title(row: dict[str, Any]) -> str:
    gamma = f", γ = {row['gamma']:g}" if row["gamma"] else ""
    return f"## {row['data']}, {row['scaling']}, {row['kernel']}{gamma} (n = {row['n']}, p = {row['p']}, d = {row['d']})"


def _line(row: dict[str, Any]) -> str:
    if row["value"] is None:
        return f"| {row['machine']} | {row['C']:g} | none: {row['how']} | | |"
    ties = f" ({row['tied']} tied)" if row["tied"] else ""
    about = "~" if row["how"] == "enclosed" and row["kernel"] == "linear" else ""
    return f"| {row['machine']} | {row['C']:g} | {about}{row['value']} | {row['support']} | {row['errors']}{ties} |"


HEAD = """# Certified optima of real data

Generated by `benchmarks/certified_values.py`; {done} of {cases} problems, {exact} of them solved exactly. The optimum of

    min ½‖W‖² + ½‖b‖² + C Σ_i L(f(x_i), y_i),   f(x) = Wᵀφ(x) + b   (penalised bias: W, b and the training error are unique)

for the ten machines of the catalogue (margins and targets as in `msvm_ref.model.catalogue`). **Every printed digit is
certified.** 25 digits: the exact rational optimum (primal = dual in rational arithmetic), correctly rounded; a shorter number
of this kind is the exact value. Up to 12 digits (rbf, and linear where marked ~): a rigorous enclosure (feasibility in
rationals, values in ball arithmetic) whose two ends round to the same decimal.

Data: `msvm_ref.datasets.load(name)`; iris, wine, digits through scikit-learn. "standardised": (x − mean)/std per column
with correctly rounded mean and population std, computed on the rows used. digits: first 200 rows; vowel: the 528 training
rows; vehicle: all 846. rbf exp(−γ‖x−x'‖²): vowel every 4th of the 528 rows, vehicle every 4th row, first 200 of these, because
its weights are n × d instead of p × d (glass, n = 214, took up to 281 s a row on a shared core); its value belongs to the
float64 factor of the Gram, which may differ between platforms in the 13th digit. A linear value is marked ~ where the exact
optimum was not found within 10 s. Support vectors: examples with α > 1e-7·C
in the solver's certified solution (α is not unique, so another solution may have another count). Training errors: argmax of
the scores, the first class on ties; "tied" counts the examples whose two largest scores agree to 1e-6, where the count
depends on the last digits."""


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run(sys.argv[2:])
    elif sys.argv[1:] == ["page"]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        sys.exit("usage: certified_values.py run [DATA ...] | page")
