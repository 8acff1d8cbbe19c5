"""Verify golden vectors in exact rationals, with the standard library alone: ``python vectors_verify.py FILE.json ...``

A valid vector is accepted when its W, b are feasible, its alpha is feasible, and P(W, b) == D(alpha) exactly: by weak
duality that proves the optimum, whoever computed it. Everything else it says (b_interval, flags, scores, digits) is then
recomputed and compared. An invalid vector is accepted when its candidate is wrong by exactly what it says and is what its
reason says it is. The formulas are those of FORMAT.md; nothing is imported from the rest of the package.

Exit status: 0 everything verified, 1 something refused, 2 a file that cannot be read as vectors.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

Vector = dict[str, Any]
Row = list[Fraction]

FORMAT = "msvm-ref-vectors/1"
RATIONAL = re.compile(r"-?\d{1,4000}(/\d{1,4000})?", re.ASCII)
DECIMAL = re.compile(r"-?\d{1,400}(\.\d{1,1100})?([eE][-+]?\d{1,3})?", re.ASCII)
TEXT = re.compile(r".+")
SHORT = 60
"""An optimum whose rational has fewer characters states it."""
TINY, HUGE = Fraction(1, 2**20), Fraction(2**20)

CASES = {
    "ordinary": "{d} classes in the plane",
    "contradictory": "the same point with two labels, twice",
    "absent-class": "the last classes have no example",
    "single-example": "one example",
    "zero-features": "every feature is zero: only a bias can act",
    "tiny-C": "C = 2^-20: the loss hardly counts",
    "huge-C": "C = 2^20: close to the hard margin",
    "weighted": "sample weights, some of them zero"}
"""The kinds of problem, the last word of a valid id, with their comment."""

COUNTED: dict[str, Callable[[int, int], list[list[int]]]] = {
    "self": lambda y, d: [[y]],
    "total-max": lambda y, d: [list(range(d))],
    "total-sum": lambda y, d: [[p] for p in range(d)],
    "others-max": lambda y, d: [[p for p in range(d) if p != y]],
    "others-sum": lambda y, d: [[p] for p in range(d) if p != y]}
"""The slack groups of an example of class y, by the aggregation's name."""

RIVAL = {"WW": "CS", "CS": "WW", "LLW": "ATS", "ATS": "LLW", "AMO": "ATM", "ATM": "AMO", "MMR": "MMR_ORTHO",
         "MMR_ORTHO": "MMR", "OVA": "ATS", "RM-1-4": "RM-1-2", "RM-1-2": "RM-3-4", "RM-3-4": "RM-1-2"}
"""The machine each one is most easily mistaken for."""


@dataclass(frozen=True)
class Stated:
    """A vector's problem in rationals; ``groups[y]`` lists, per slack, the margin components that share it."""

    nu: list[list[Row]]
    gamma: list[Row]
    groups: list[list[list[int]]]
    sum_to_zero: bool
    quadratic: bool
    bias: str
    cost: Row
    X: list[Row]
    y: list[int]

    @property
    def d(self) -> int:
        return len(self.gamma)


def stated(vector: Vector) -> Stated:
    machine, n = vector["machine"], len(vector["y"])
    weight = rationals(vector.get("sample_weight") or ["1"] * n)
    return Stated(rationals(machine["nu"]), rationals(machine["gamma"]), machine["groups"], machine["sum_to_zero"],
                  vector["cost"] == "quadratic", vector["bias"], [Fraction(vector["C"]) * w for w in weight],
                  rationals(vector["X"]), vector["y"])


def rationals(nested: Any) -> Any:
    """Strings ("1/3", "0.25") or JSON numbers, nested as they are, as Fractions; a JSON number is its binary64 value."""
    return [rationals(v) for v in nested] if isinstance(nested, list) else Fraction(nested)


def texts(nested: Any) -> Any:
    return [texts(v) for v in nested] if isinstance(nested, (list, tuple)) else str(nested)


# Is it shaped as FORMAT.md says?


def misfits(value: Any, shape: Any, where: str) -> list[str]:
    """How a value departs from a shape: {key: shape} ("key?" may be missing), (shape, length), a pattern, a type or words."""
    if isinstance(shape, dict):
        known = {name.rstrip("?"): inner for name, inner in shape.items()}
        if not isinstance(value, dict):
            return [f"{where} is not an object"]
        odd = [f"{where}.{name} is unknown" for name in value if name not in known]
        odd += [f"{where}.{name} is missing" for name in shape if name[-1] != "?" and name not in value]
        present = [(name, inner) for name, inner in known.items() if name in value]
        return odd + [fault for name, inner in present for fault in misfits(value[name], inner, f"{where}.{name}")]
    if isinstance(shape, tuple):
        if not isinstance(value, list) or len(value) != shape[1]:
            return [f"{where} is not a list of {shape[1]}"]
        return [f for k, item in enumerate(value) for f in misfits(item, shape[0], f"{where}[{k}]")]
    if isinstance(shape, type):
        return [] if type(value) is shape else [f"{where} is not of type {shape.__name__}"]
    if not isinstance(value, str):
        return [] if value is None and shape == "end" else [f"{where} is not a string"]
    if isinstance(shape, list):
        return [] if value in shape else [f"{where} is {value!r}, not one of {', '.join(shape)}"]
    pattern = RATIONAL if shape == "end" else shape
    if not pattern.fullmatch(value):
        return [f"{where} is {value[:60]!r}, which is no such number or word"]
    if pattern is DECIMAL and abs(float(value)) < float("inf") and Fraction(float(value)) == Fraction(value):
        return [] if Fraction(value) or value[0] != "-" else [f"{where} is a negative zero"]
    if pattern is RATIONAL and not re.search("/0+$", value) and str(Fraction(value)) == value:
        return []
    return [] if pattern is TEXT else [f"{where} is {value[:60]!r}: not in lowest terms, or not a binary64 number"]


def machine_misfits(machine: Any, d: int, where: str) -> list[str]:
    """Shapes, groups as the aggregation says, and nu, gamma that treat all classes alike."""
    shape = {"name": TEXT, "aggregation": list(COUNTED), "groups": list, "sum_to_zero": bool,
             "nu": (((RATIONAL, d), d), d), "gamma": ((RATIONAL, d), d)}
    found = misfits(machine, shape, where) + [f"{where} has fewer than two classes"] * (d < 2)
    if found:
        return found
    alike: dict[tuple[bool, ...], set[str]] = {}
    for y in range(d):
        for p in range(d):
            alike.setdefault((p == y,), set()).add(machine["gamma"][y][p])
            for m in range(d):
                alike.setdefault((p == y, m == y, m == p), set()).add(machine["nu"][y][p][m])
    groups = [COUNTED[machine["aggregation"]](y, d) for y in range(d)]
    implied = all(sum(map(Fraction, machine["nu"][y][p])) == 0 for y in range(d) for group in groups[y] for p in group)
    if implied and machine["sum_to_zero"]:
        found.append(f"{where}.sum_to_zero is stated where the margins imply it")
    if any(len(values) > 1 for values in alike.values()):
        found.append(f"{where}.nu or gamma treats one class unlike another")
    if json.dumps(machine["groups"]) != json.dumps(groups):
        found.append(f"{where}.groups are not those of {machine['aggregation']}")
    return found


def sizes(vector: Any) -> tuple[int, int, int]:
    """(n, p, d) by y, X's first row and gamma; ValueError where there are none."""
    try:
        n, p, d = len(vector["y"]), len(vector["X"][0]), len(vector["machine"]["gamma"])
    except (LookupError, TypeError) as error:
        raise ValueError("machine.gamma, X or y is missing or empty") from error
    return n, p, d


def valid_misfits(vector: Any) -> list[str]:
    """Everything about a valid vector's form that is not as it must be; what it says is another matter."""
    try:
        n, p, d = sizes(vector)
    except ValueError as error:
        return [str(error)]
    point = {"W": ((RATIONAL, d), p), "b": (RATIONAL, d), "alpha": ((RATIONAL, d), n)}
    found = misfits(vector, point | {
        "id": TEXT, "result": ["valid"], "comment": TEXT, "flags": list, "machine": dict, "cost": ["linear", "quadratic"],
        "bias": ["none", "free", "penalized"], "C": DECIMAL, "sample_weight?": (DECIMAL, n), "X": ((DECIMAL, p), n),
        "y": (int, n),
        "optimum": {"value": TEXT, "rational?": RATIONAL}, "b_interval": (("end", 2), d), "scores": ((RATIONAL, d), n),
        "rival": point | {"machine": dict}}, "vector")
    if found:
        return found
    found = machine_misfits(vector["machine"], d, "machine") + machine_misfits(vector["rival"]["machine"], d, "rival.machine")
    found += [f"y[{i}] is {v}: not a class 0 ... {d - 1}" for i, v in enumerate(vector["y"]) if not 0 <= v < d]
    found += ["C is not positive"] * (Fraction(vector["C"]) <= 0)
    return found + ["a sample weight is negative"] * any(Fraction(w) < 0 for w in vector.get("sample_weight", ()))


# What are the values?


def scores(problem: Stated, W: list[Row], b: Row) -> list[Row]:
    """f_c(x_i) = sum_k X[i][k] W[k][c] + b[c]"""
    columns = [[w[c] for w in W] for c in range(problem.d)]
    return [[dot(row, column) + shift for column, shift in zip(columns, b, strict=True)] for row in problem.X]


def primal_value(problem: Stated, W: list[Row], b: Row) -> Fraction:
    """P = 1/2 ||W||^2 [+ 1/2 ||b||^2] + sum_i C_i sum_r xi_ir^q"""
    total = half_square([v for row in W for v in row]) + (half_square(b) if problem.bias == "penalized" else 0)
    for y, cost, f in zip(problem.y, problem.cost, scores(problem, W, b), strict=True):
        for group in problem.groups[y]:
            slack = max(Fraction(0), *(problem.gamma[y][p] - dot(problem.nu[y][p], f) for p in group))
            total += cost * slack ** (2 if problem.quadratic else 1)
    return total


def expansion(problem: Stated, alpha: list[Row]) -> list[Row]:
    """A[i][m] = sum_p alpha[i][p] nu[y_i][p][m], its mean over m taken out under sum-to-zero"""
    out = []
    for y, row in zip(problem.y, alpha, strict=True):
        image = [dot(row, column) for column in zip(*problem.nu[y], strict=True)]
        mean = sum(image, Fraction(0)) / problem.d if problem.sum_to_zero else 0
        out.append([v - mean for v in image])
    return out


def dual_value(problem: Stated, alpha: list[Row]) -> Fraction:
    """D = sum gamma alpha - 1/2 ||X' A||^2 [- 1/2 ||1' A||^2] [- sum_ir (sum_{p in r} alpha_ip)^2 / (4 C_i)]"""
    A = expansion(problem, alpha)
    columns = [*zip(*problem.X, strict=True), *([[1] * len(A)] if problem.bias == "penalized" else [])]
    total = -half_square([dot(column, [row[m] for row in A]) for column in columns for m in range(problem.d)])
    for y, cost, row in zip(problem.y, problem.cost, alpha, strict=True):
        total += dot(problem.gamma[y], row)
        if problem.quadratic and cost:
            total -= sum(((sum(row[p] for p in group)) ** 2 for group in problem.groups[y]), Fraction(0)) / (4 * cost)
    return total


def primal_residuals(problem: Stated, W: list[Row], b: Row) -> dict[str, Fraction]:
    """How far (W, b) is from the constraints, by name; all zero where feasible."""
    found = {}
    if problem.sum_to_zero:
        found["sum-to-zero"] = max((abs(sum(row, Fraction(0))) for row in [*W, b]), default=Fraction(0))
    if problem.bias == "none":
        found["bias-none"] = max(abs(v) for v in b)
    return found


def dual_residuals(problem: Stated, alpha: list[Row]) -> dict[str, Fraction]:
    """How far alpha is from the constraints, by name; all zero where feasible."""
    sign = bound = support = Fraction(0)
    for y, cost, row in zip(problem.y, problem.cost, alpha, strict=True):
        counted = {p for group in problem.groups[y] for p in group}
        sign = max(sign, *(-v for v in row))
        support = max(support, *(abs(v) for p, v in enumerate(row) if p not in counted), Fraction(0))
        if not problem.quadratic or cost == 0:
            bound = max(bound, *(sum((row[p] for p in group), -cost) for group in problem.groups[y]))
    found = {"dual-sign": sign, "dual-bound": bound, "dual-support": support}
    if problem.bias == "free":
        found["dual-equality"] = max(abs(sum(column, Fraction(0))) for column in zip(*expansion(problem, alpha), strict=True))
    return found


def unproved(problem: Stated, point: dict[str, Any]) -> list[str]:
    """Why W, b, alpha are no proof of an optimum; nothing if they are one."""
    W, b, alpha = (rationals(point[name]) for name in ("W", "b", "alpha"))
    residuals = primal_residuals(problem, W, b) | dual_residuals(problem, alpha)
    faults = [f"{name} violated by {value}" for name, value in residuals.items() if value]
    primal, dual = primal_value(problem, W, b), dual_value(problem, alpha)
    return faults + [f"P(W, b) = {primal} differs from D(alpha) = {dual}"] * (primal != dual)


# Which biases are optimal?


def violations(problem: Stated, W: list[Row], b: Row) -> list[list[dict[int, Fraction]]]:
    """t_p = gamma - mu_p of every component that counts, by example with C_i > 0 and slack group (else no groups)."""
    return [[{p: problem.gamma[y][p] - dot(problem.nu[y][p], f) for p in group} for group in problem.groups[y] if cost]
            for y, cost, f in zip(problem.y, problem.cost, scores(problem, W, b), strict=True)]


def bias_interval(problem: Stated, W: list[Row], b: Row, alpha: list[Row]) -> list[list[Fraction | None]]:
    """The least and largest b_c over all optimal b, given a proved optimum; None where there is none.

    Saddle points are interchangeable: b + z is optimal exactly when it meets the KKT conditions with this alpha, which are
    linear in z. alpha_p > 0 => t_p = xi; t_p <= xi; xi = 0 below full mass, xi >= 0 at it (linear), xi = mass / 2C (quadratic).
    """
    d, zero = problem.d, [Fraction(0)] * problem.d
    if problem.bias != "free":
        return [[v, v] for v in b]
    directions = [[Fraction(int(k == c)) for k in range(d)] for c in range(d)]
    shift_free = all(sum(problem.nu[y][p], Fraction(0)) == 0 for y in range(d) for group in problem.groups[y] for p in group)
    if problem.sum_to_zero or shift_free:
        directions = orthogonal(directions, [Fraction(1)] * d)
    below: list[tuple[Row, Fraction]] = []
    for y, cost, row, slacks in zip(problem.y, problem.cost, alpha, violations(problem, W, b), strict=True):
        for t in slacks:
            slack, mass = max(Fraction(0), *t.values()), sum(row[p] for p in t)
            moving = not problem.quadratic and mass == cost  # then xi is t of any p with alpha_p > 0, and follows b
            lead = problem.nu[y][next(p for p in t if row[p] > 0)] if moving else zero
            below += [(lead, slack)] * moving
            for p in t:
                along = [u - v for u, v in zip(lead, problem.nu[y][p], strict=True)]
                if row[p] > 0:
                    directions = orthogonal(directions, along)
                else:
                    below.append((along, slack - t[p]))
    room = dict.fromkeys((tuple(dot(along, v) for v in directions), limit) for along, limit in below)
    rows = [(list(row), limit) for row, limit in room if any(row)]
    ends = [[farthest([sign * v[c] for v in directions], rows) for sign in (-1, 1)] for c in range(d)]
    return [[None if low is None else b[c] - low, None if high is None else b[c] + high] for c, (low, high) in enumerate(ends)]


def orthogonal(basis: list[Row], row: Row) -> list[Row]:
    """A basis of those combinations of ``basis`` on which ``row`` vanishes."""
    values = [dot(row, v) for v in basis]
    k = next((k for k, value in enumerate(values) if value), None)
    if k is None:
        return basis
    return [[u - value / values[k] * w for u, w in zip(v, basis[k], strict=True)]
            for j, (v, value) in enumerate(zip(basis, values, strict=True)) if j != k]


def farthest(target: Row, rows: list[tuple[Row, Fraction]]) -> Fraction | None:
    """max target . z over row . z <= limit (limits >= 0, z free); None where unbounded. Simplex with Bland's rule."""
    table = [[*row, *(-v for v in row), limit] for row, limit in rows] + [[*(-v for v in target), *target, Fraction(0)]]
    width, height = 2 * len(target), len(rows)
    columns, basic = list(range(width)), list(range(width, width + height))
    while any(v < 0 for v in table[-1][:-1]):
        j = min((j for j in range(width) if table[-1][j] < 0), key=lambda j: columns[j])
        ratios = [(table[i][-1] / table[i][j], basic[i], i) for i in range(height) if table[i][j] > 0]
        if not ratios:
            return None
        i = min(ratios)[2]
        pivot, line = table[i][j], table[i]
        table[i] = [v / pivot if k != j else 1 / pivot for k, v in enumerate(line)]
        for m, other in enumerate(table):
            if m != i and other[j]:
                table[m] = [v - other[j] * u if k != j else -other[j] / pivot
                            for k, (v, u) in enumerate(zip(other, table[i], strict=True))]
        basic[i], columns[j] = columns[j], basic[i]
    return table[-1][-1]


# Does a valid vector say the truth?


def label(name: str) -> str:
    """A machine's name as it appears in ids, flags and file names: RM(1/4) is RM-1-4."""
    return name.replace("(", "-").replace(")", "").replace("/", "-")


def flags_of(vector: Vector) -> list[str]:
    """The flags of a vector whose optimum and interval are proved: each is a statement that is true or false of it."""
    problem = stated(vector)
    W, b, alpha = (rationals(vector[name]) for name in ("W", "b", "alpha"))
    t = violations(problem, W, b)
    labels: dict[tuple[Fraction, ...], set[int]] = {}
    for row, y in zip(problem.X, problem.y, strict=True):
        labels.setdefault(tuple(row), set()).add(y)
    cases = {
        "contradictory": any(len(found) > 1 for found in labels.values()), "absent-class": len(set(problem.y)) < problem.d,
        "single-example": len(problem.y) == 1, "zero-features": not any(v for row in problem.X for v in row),
        "tiny-C": Fraction(vector["C"]) <= TINY, "huge-C": Fraction(vector["C"]) >= HUGE, "weighted": "sample_weight" in vector}
    weak = any(slack[p] == max(0, *slack.values()) and row[p] == 0 for row, slacks in zip(alpha, t, strict=True)
               for slack in slacks for p in slack)
    spare = not problem.quadratic and any(
        max(slack.values()) <= 0 and sum(row[p] for p in slack) == cost
        for row, cost, slacks in zip(alpha, problem.cost, t, strict=True) for slack in slacks)
    both = f"discriminates:{label(vector['machine']['name'])}/{label(vector['rival']['machine']['name'])}"
    found = cases | {
        "ordinary": not any(cases.values()), "degenerate": weak or spare, "zero-W": not any(v for row in W for v in row),
        "non-unique-b": any(low != high for low, high in vector["b_interval"]),
        both: vector["rival"]["W"] != vector["W"]}
    return sorted(name for name, true in found.items() if true)


def verify_valid(vector: Vector) -> list[str]:
    """What is wrong with a valid vector; nothing if it is proved and everything it says follows."""
    faults = valid_misfits(vector)
    if faults:
        return faults
    problem, rival = stated(vector), vector["rival"]
    faults = unproved(problem, vector)
    faults += [f"rival: {fault}" for fault in unproved(stated(vector | {"machine": rival["machine"]}), rival)]
    if faults:
        return faults
    W, b, alpha = (rationals(vector[name]) for name in ("W", "b", "alpha"))
    optimum = primal_value(problem, W, b)
    told: dict[str, tuple[Any, Any]] = {
        "optimum": (optimum_json(optimum), vector["optimum"]), "scores": (texts(scores(problem, W, b)), vector["scores"]),
        "b_interval": ([[None if end is None else str(end) for end in ends] for ends in bias_interval(problem, W, b, alpha)],
                       vector["b_interval"]),
        "flags": (flags_of(vector), vector["flags"])}
    head, case = identity(vector)
    own, other = (label(side["machine"]["name"]) for side in (vector, rival))
    told |= {"rival.machine.name": (RIVAL.get(own, other), other),
             "id": (head + case, vector["id"]), "comment": (comment(vector, case), vector["comment"])}
    faults = [f"{name} must be {right}, not {said}" for name, (right, said) in told.items() if right != said]
    return faults + ["id names a case that is not among the flags"] * (case not in vector["flags"])


def optimum_json(value: Fraction) -> dict[str, str]:
    return {"value": decimal(value)} | ({"rational": str(value)} if len(str(value)) < SHORT else {})


def identity(vector: Vector) -> tuple[str, str]:
    """(the id without its last word, the last word): machine, bias, cost, d, and the case."""
    head = f"{label(vector['machine']['name'])}-{vector['bias']}-{vector['cost']}-d{len(vector['machine']['gamma'])}-"
    return head, vector["id"][len(head):]


def comment(vector: Vector, case: str) -> str:
    return f"{vector['machine']['name']}: {CASES.get(case, 'no such case').format(d=len(vector['machine']['gamma']))}"


# Is an invalid vector wrong, and in the way it says?


def _primal(change: Callable[[Fraction], Fraction]) -> Callable[[Vector], Vector]:
    return lambda v: {"W": [[change(x) for x in row] for row in rationals(v["W"])], "b": [change(x) for x in rationals(v["b"])]}


def _weights_only(change: Callable[[Fraction], Fraction]) -> Callable[[Vector], Vector]:
    return lambda v: {"W": [[change(x) for x in row] for row in rationals(v["W"])], "b": rationals(v["b"])}


def _dual(change: Callable[[Fraction], Fraction]) -> Callable[[Vector], Vector]:
    return lambda v: {"alpha": [[change(x) for x in row] for row in rationals(v["alpha"])]}


def _swapped(vector: Vector) -> Vector:
    W, b = rationals(vector["W"]), rationals(vector["b"])
    return {"W": [[row[1], row[0], *row[2:]] for row in W], "b": [b[1], b[0], *b[2:]]}


def _negative(vector: Vector) -> Vector:
    alpha, groups = rationals(vector["alpha"]), vector["machine"]["groups"]
    zero = [(i, p) for i, y in enumerate(vector["y"]) for group in groups[y] for p in group if alpha[i][p] == 0]
    for i, p in zero[:1]:
        alpha[i][p] = -Fraction(1, 2**20)
    return {"alpha": alpha}


def _twice(vector: Vector) -> Vector:
    gamma = [[2 * v for v in row] for row in rationals(vector["machine"]["gamma"])]
    return vector | {"machine": vector["machine"] | {"gamma": texts(gamma)}}


def _other_cost(vector: Vector) -> Vector:
    return vector | {"cost": "linear" if vector["cost"] == "quadratic" else "quadratic"}


def _last_moved(vector: Vector) -> Vector:
    return vector | {"X": [*vector["X"][:-1], texts([v + 1 for v in rationals(vector["X"][-1])])]}


COPIED: dict[str, tuple[str, Callable[[Vector], Vector]]] = {
    "sign-flip": ("W and b have the wrong sign", _primal(lambda v: -v)),
    "swapped-classes": ("classes 0 and 1 are exchanged", _swapped),
    "dropped-bias": ("the bias was forgotten", lambda v: {"W": rationals(v["W"]), "b": [Fraction(0) for _ in v["b"]]}),
    "uncentred": ("the columns of W do not sum to zero", _weights_only(lambda v: v + Fraction(1, 1000))),
    "rounded": ("W rounded to three decimals", _weights_only(lambda v: Fraction(round(v * 1000), 1000))),
    "stopped-early": ("stopped a thousandth short of the optimum", _primal(lambda v: v * Fraction(1023, 1024))),
    "alpha-above-bound": ("alpha exceeds C by one part in a million", _dual(lambda v: v + v / 2**20)),
    "alpha-negative": ("one multiplier is slightly negative", _negative),
    "alpha-halved": ("feasible multipliers of half the size: the dual of another scaling", _dual(lambda v: v / 2))}
"""Mistakes made with the right answer: the reason, and what the candidate then is."""

SOLVED: dict[str, tuple[str, Callable[[Vector], Vector]]] = {
    "double-cost": ("solves the problem with 2C", lambda v: v | {"C": str(Fraction(v["C"]) * 2)}),
    "half-cost": ("solves the problem with C/2", lambda v: v | {"C": str(Fraction(v["C"]) / 2)}),
    "margin-two": ("asks for twice the margin", _twice),
    "other-machine": ("solves {rival} instead", lambda v: v | {"machine": v["rival"]["machine"]}),
    "other-cost": ("solves the {other_cost} cost instead", _other_cost),
    "penalized-for-free": ("penalises the bias that is free", lambda v: v | {"bias": "penalized"}),
    "stale": ("the answer to the data before the last row changed", _last_moved)}
"""Right answers to another problem: the reason, and that problem. ``evidence.alpha`` proves the candidate its optimum."""


def reason(mistake: str, base: Vector) -> str:
    words = (COPIED | SOLVED)[mistake][0]
    return words.format(rival=base["rival"]["machine"]["name"], other_cost=_other_cost(base)["cost"])


def verify_invalid(vector: Vector, base: Vector) -> list[str]:
    """What is wrong with an invalid vector: nothing if its candidate is no optimum of ``base``, for the stated reason."""
    n, p, d = sizes(base)
    mistake, matrix = str(vector.get("id")).rpartition("/")[2], ((RATIONAL, d), n)
    if mistake not in COPIED | SOLVED:
        return [f"id must be the problem's, a slash, and one of {', '.join(COPIED | SOLVED)}"]
    candidate = {"alpha": matrix} if mistake.startswith("alpha") else {"W": ((RATIONAL, d), p), "b": (RATIONAL, d)}
    shape = {"id": TEXT, "result": ["invalid"], "problem": [base["id"]], "reason": [reason(mistake, base)], "fault": TEXT,
             "size": TEXT, "candidate": candidate} | ({"evidence": {"alpha": matrix}} if mistake in SOLVED else {})
    faults = misfits(vector, shape, "vector") or ["id is not the problem's"] * (vector["id"] != f"{base['id']}/{mistake}")
    if faults:
        return faults
    wrong = candidate_faults(base, vector["candidate"])
    if not wrong:
        return ["the candidate is optimal"]
    fault = worst(wrong)
    if (vector["fault"], vector["size"]) != (fault, decimal(wrong[fault], 4)):
        faults.append(f"the fault is {fault} of {decimal(wrong[fault], 4)}, not {vector['fault']} of {vector['size']}")
    if mistake in SOLVED:
        other = stated(SOLVED[mistake][1](base))
        return faults + [f"the candidate does not do what its reason says: {fault}"
                         for fault in unproved(other, vector["candidate"] | vector["evidence"])]
    if rationals_of(vector["candidate"]) != COPIED[mistake][1](base):
        faults.append("the candidate is not what its reason says")
    return faults


def rationals_of(named: dict[str, Any]) -> dict[str, Any]:
    return {name: rationals(value) for name, value in named.items()}


def candidate_faults(vector: Vector, candidate: dict[str, Any]) -> dict[str, Fraction]:
    """Faults by name with their exact size: residuals, and the values' distance from the optimum."""
    problem = stated(vector)
    optimum = primal_value(problem, rationals(vector["W"]), rationals(vector["b"]))
    found: dict[str, Fraction] = {}
    if "W" in candidate:
        W, b = rationals(candidate["W"]), rationals(candidate["b"])
        found |= primal_residuals(problem, W, b)
        found["primal-value"] = primal_value(problem, W, b) - optimum
    if "alpha" in candidate:
        alpha = rationals(candidate["alpha"])
        found |= dual_residuals(problem, alpha)
        found["dual-value"] = optimum - dual_value(problem, alpha)
    return {name: size for name, size in found.items() if size}


def worst(wrong: dict[str, Fraction]) -> str:
    """The fault that is stated: infeasible before suboptimal, then the largest."""
    return max(wrong, key=lambda name: (not name.endswith("-value"), abs(wrong[name])))


# Files


def read(path: Path) -> dict[str, Any]:
    """The document in a file; OSError or ValueError (with words for a person) where there is none."""
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError(f"a key is stated twice among {sorted(name for name, _ in pairs)}")
        return dict(pairs)

    document = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=once)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}")
    vectors = document.get("vectors")
    if not isinstance(vectors, list) or not all(isinstance(v, dict) for v in vectors):
        raise ValueError("vectors is not a list of objects")
    return document


def verify_document(document: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """(id, faults) of every vector of a file; first ("", faults) where the file itself is wrong."""
    vectors = document["vectors"]
    valid = {str(v.get("id")): v for v in vectors if v.get("result") == "valid"}
    faults = misfits(document, {"format": [FORMAT], "schema": ["schema.json"], "machine": TEXT, "vectors": list}, "file")
    faults += ["there is no vector"] * (not vectors)
    faults += ["two vectors have the same id"] * (len({str(v.get("id")) for v in vectors}) < len(vectors))
    out: list[tuple[str, list[str]]] = []
    proved: set[str] = set()
    machines: dict[int, Any] = {}
    for name, vector in valid.items():
        found = verify_valid(vector)
        if not found:
            proved.add(name)
            if label(vector["machine"]["name"]) != document.get("machine"):
                found = [f"its machine is not the file's, {document.get('machine')!r}"]
            if vector["machine"] != machines.setdefault(len(vector["machine"]["gamma"]), vector["machine"]):
                found.append("another vector of the file with as many classes states another machine")
        out.append((name, found))
    for vector in (v for v in vectors if v.get("result") != "valid"):
        base = str(vector.get("problem"))
        if vector.get("result") != "invalid":
            found = ["result is neither valid nor invalid"]
        elif base not in proved:
            found = [f"its problem, {base}, is {'refused' if base in valid else 'not in the file'}"]
        else:
            found = verify_invalid(vector, valid[base])
        out.append((str(vector.get("id")), found))
    return [("", faults)] * bool(faults) + out


def decimal(value: Fraction, digits: int = 25) -> str:
    """``digits`` significant digits, correctly rounded (half to even)."""
    return str(Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator)))


def dot(a: Any, b: Any) -> Fraction:
    return sum((u * v for u, v in zip(a, b, strict=True) if u and v), Fraction(0))


def half_square(values: Row) -> Fraction:
    return dot(values, values) / 2


def verify_file(path: Path) -> list[tuple[str, list[str]]]:
    """``verify_document`` of a file; OSError or ValueError where it cannot be read as one."""
    try:
        return verify_document(read(path))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def main(paths: list[str]) -> int:
    paths = [path for path in paths if Path(path).name != "schema.json"]  # so that *.json means the vectors
    if not paths:
        print("usage: python vectors_verify.py FILE.json ...", file=sys.stderr)
        return 2
    count = refused = 0
    sound = True
    for path in paths:
        try:
            results = verify_file(Path(path))
        except (OSError, ValueError) as error:
            print(f"{path} is not a vector file: {error}", file=sys.stderr)
            return 2
        for name, faults in results:
            count, refused, sound = count + bool(name), refused + bool(name and faults), sound and not faults
            for fault in faults:
                print(f"{path}: {name or 'the file'}: {fault}")
    print(f"{count} vectors, {count - refused} verified, {refused} refused")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
