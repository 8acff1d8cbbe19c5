"""Re-verify a counterexample with nothing but rational arithmetic: no linear program, none of the prover's code.

Weak duality does the work. For lambda >= 0 with sum_{p in r} lambda_p <= P_y in every slack group, and any scores f',

    R_P(f') >= sum_p lambda_p t_p(f') = sum_p lambda_p t_p(f) + <g, f' - f>,      g = -sum_p lambda_p nu_p

so if sum lambda_p t_p(f) = R_P(f), g is a subgradient at f: f is optimal if g = 0 on the score space, and the only
minimiser if several such g surround 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.fisher.check_data import RawLoss, Vector, as_json, dot, field, number, vector
from msvm_ref.foreign import shown
from msvm_ref.model.machine import Machine

WHAT = "counterexample"


def verify_counterexample(machine: Machine, counterexample: Any, mode: str = "closed") -> None:
    """Check that (P, f) refutes consistency in the given mode and that every claim made along with it is true."""
    data = as_json(counterexample, WHAT)
    if mode not in ("closed", "generic", "open"):
        raise DataError("mode", "be closed, generic or open", repr(mode))
    d = len(field(data, "P", list, WHAT))
    loss = RawLoss(machine, d)
    P, f = vector(data["P"], d, WHAT), vector(data.get("f"), d, WHAT)
    _require(min(P) >= 0 and sum(P) == 1, "have a P on the simplex", P)
    _require(not loss.sum_to_zero or sum(f) == 0, "have scores that sum to 0", f)
    predicted, bayes = _argmax(f), _argmax(P)
    k, j = field(data, "k", int, WHAT), field(data, "j", int, WHAT)
    _require(
        k in predicted and j in bayes and P[k] < P[j],
        "predict a class k that is less likely than j",
        (k, j),
    )
    _require(
        data.get("predicted") == predicted and data.get("bayes") == bayes,
        "name argmax f and argmax P",
        (data.get("predicted"), data.get("bayes")),
    )
    risk = dot(P, loss.losses(f))
    _require(
        number(data.get("risk"), WHAT) == risk, f"state the risk {shown(risk)}", data.get("risk")
    )
    _require(
        _vanishes(loss, _subgradient(loss, P, f, data.get("multipliers"))),
        "be a minimiser: 0 a subgradient",
        f,
    )
    if data.get("unique") or data.get("uniqueness") is not None:
        _check_unique(loss, P, f, data)
    if data.get("open") or data.get("neighbours") is not None:
        _check_open(loss, P, f, k, j, data)
    if mode != "closed":
        _require(
            min(P) > 0 and len(bayes) == 1, f"have P > 0 and one Bayes class in {mode} mode", P
        )
    if mode == "open":
        _require(bool(data.get("open")), "persist on an open set in open mode", "no neighbourhood")
    _check_bayes_scores(loss, P, f, j, data)


def _require(holds: bool, expected: str, got: Any) -> None:
    if not holds:
        raise DataError(WHAT, expected, shown(got, 200))


def _argmax(values: Vector) -> list[int]:
    return [c for c, v in enumerate(values) if v == max(values)]


def _subgradient(loss: RawLoss, P: Vector, f: Vector, table: Any) -> Vector:
    """g = -sum lambda nu, once lambda is seen to be feasible for P and complementary to f."""
    d = loss.d
    _require(
        isinstance(table, list) and len(table) == d, f"have a {d} x {d} table of multipliers", table
    )
    rows = [vector(row, d, WHAT) for row in table]
    for y in range(d):
        used = {c for group in loss.groups[y] for c in group}
        _require(min(rows[y]) >= 0, "have multipliers >= 0", rows[y])
        _require(
            all(rows[y][c] == 0 for c in range(d) if c not in used),
            "weigh only components that count",
            rows[y],
        )
        _require(
            all(sum(rows[y][c] for c in group) <= P[y] for group in loss.groups[y]),
            "keep each group within P_y",
            rows[y],
        )
    pairs = [(y, c) for y in range(d) for c in range(d) if rows[y][c]]
    value = sum((rows[y][c] * loss.violation(y, c, f) for y, c in pairs), Fraction(0))
    _require(value == dot(P, loss.losses(f)), "have multipliers complementary to f", value)
    return [-sum((rows[y][c] * loss.nu[y][c][m] for y, c in pairs), Fraction(0)) for m in range(d)]


def _vanishes(loss: RawLoss, g: Vector) -> bool:
    """g = 0 as a functional on the score space: constant under sum-to-zero, zero otherwise."""
    return len(set(g)) == 1 if loss.sum_to_zero else not any(g)


def _check_unique(loss: RawLoss, P: Vector, f: Vector, data: dict[str, Any]) -> None:
    """The subgradients must be positive multiples of e_i - 1/d (mod constants), or of e_1 ... e_d and -1."""
    d = loss.d
    tables = field(data, "uniqueness", list, WHAT)
    subgradients = [_subgradient(loss, P, f, t) for t in tables]
    shifts = all(
        sum(loss.nu[y][c]) == 0 for y in range(d) for group in loss.groups[y] for c in group
    )
    if loss.sum_to_zero or shifts:
        _require(len(subgradients) == d, f"give {d} subgradients for uniqueness", len(subgradients))
        for i, g in enumerate(subgradients):
            rest = {v for m, v in enumerate(g) if m != i}
            _require(
                len(rest) == 1 and g[i] > max(rest), f"have subgradient {i} point along e_{i}", g
            )
    else:
        _require(
            len(subgradients) == d + 1,
            f"give {d + 1} subgradients for uniqueness",
            len(subgradients),
        )
        for i, g in enumerate(subgradients[:d]):
            _require(
                g[i] > 0 and not any(v for m, v in enumerate(g) if m != i),
                f"have subgradient {i} along e_{i}",
                g,
            )
        _require(
            len(set(subgradients[d])) == 1 and subgradients[d][0] < 0,
            "have the last subgradient along -1",
            subgradients[d],
        )


def _check_open(loss: RawLoss, P: Vector, f: Vector, k: int, j: int, data: dict[str, Any]) -> None:
    d, s = loss.d, number(data.get("radius"), WHAT)
    tables = field(data, "neighbours", list, WHAT)
    _require(s > 0 and len(tables) == d, f"give a radius > 0 and {d} neighbours", (s, len(tables)))
    for i, table in enumerate(tables):
        near = [v + s * ((c == i) - Fraction(1, d)) for c, v in enumerate(P)]
        _require(min(near) >= 0 and near[j] >= near[k], "stay wrong nearby", near)
        _require(
            _vanishes(loss, _subgradient(loss, near, f, table)), "stay a minimiser nearby", near
        )


def _check_bayes_scores(loss: RawLoss, P: Vector, f: Vector, j: int, data: dict[str, Any]) -> None:
    g, risk = vector(data.get("bayes_scores"), loss.d, WHAT), number(data.get("bayes_risk"), WHAT)
    _require(not loss.sum_to_zero or sum(g) == 0, "have Bayes scores that sum to 0", g)
    _require(
        dot(P, loss.losses(g)) == risk,
        f"state the Bayes scores' risk {shown(dot(P, loss.losses(g)))}",
        risk,
    )
    _require(
        loss.losses(g)[j] <= loss.losses(f)[j],
        "have Bayes scores no worse than f on the Bayes class",
        g,
    )
