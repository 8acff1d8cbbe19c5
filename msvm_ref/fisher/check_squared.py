"""Re-verify a verdict about the squared hinge with nothing but rational arithmetic: none of the finder's code.

A counterexample (P, f): xi_r are f's slacks. For lambda >= 0 on components that attain their slack, with
sum_{p in r} lambda_p = 2 P_y xi_r, and any scores f' with slacks xi',

    R_P(f') - R_P(f) >= sum_r 2 P_y xi_r (xi'_r - xi_r) >= sum_p lambda_p (t_p(f') - t_p(f)) = -<sum_p lambda_p nu_p, f' - f>

so f is a minimiser if sum lambda nu = 0 on the score space.

A proof: that every bad f lies in a certain polyhedron E is squared.py's exchange argument; here it is checked that the argument
applies (classes alike, own slacks, a_c >= 0), E is written down afresh, every shrinking step is re-verified, and the
multipliers at the end must combine what is left of E into 0 > 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from msvm_ref.fisher.check_data import (
    RawLoss,
    Vector,
    dot,
    field,
    number,
    treats_classes_alike,
    vector,
)
from msvm_ref.fisher.check_embedded import read_table, require
from msvm_ref.model.machine import Machine

WHAT = "squared verdict"
MODES = ("closed", "generic", "open")
Row = tuple[Vector, Fraction, bool]
"""<normal, f> + constant >= 0, or = 0 where the last entry says so."""


def verify_squared_counterexample(machine: Machine, counterexample: Any, mode: str) -> None:
    """Check that (P, f) refutes consistency of the squared hinge in the given mode, and every claim made along with it."""
    data = counterexample if isinstance(counterexample, dict) else counterexample.to_dict()
    loss, d = _loss(machine, len(field(data, "P", list, WHAT))), len(data["P"])
    P, f = vector(data["P"], d, WHAT), vector(data.get("f"), d, WHAT)
    require(mode in MODES, "have a mode", mode, WHAT)
    require(min(P) >= 0 and sum(P) == 1, "have a P on the simplex", P, WHAT)
    require(not loss.sum_to_zero or sum(f) == 0, "have scores that sum to 0", f, WHAT)
    predicted = [c for c in range(d) if f[c] == max(f)]
    bayes = [c for c in range(d) if P[c] == max(P)]
    k, j = field(data, "k", int, WHAT), field(data, "j", int, WHAT)
    require(k in predicted and j in bayes and P[k] < P[j], "predict a less likely class", k, WHAT)
    require(
        data.get("predicted") == predicted and data.get("bayes") == bayes,
        "name argmax f and argmax P",
        str(predicted),
        WHAT,
    )
    risk = dot(P, _squared(loss, f))
    require(number(data.get("risk"), WHAT) == risk, f"state the risk {risk}", risk, WHAT)
    _check_minimiser(loss, P, f, read_table(data, d, WHAT))
    require(
        not data.get("unique") and data.get("uniqueness") is None, "claim no more", "more", WHAT
    )
    if data.get("open") or data.get("neighbours") is not None:
        _check_open(loss, P, f, k, j, data)
    if mode != "closed":
        require(min(P) > 0 and len(bayes) == 1, f"be generic in {mode} mode", P, WHAT)
    require(mode != "open" or bool(data.get("open")), "persist on an open set", "not", WHAT)
    g = vector(data.get("bayes_scores"), d, WHAT)
    require(not loss.sum_to_zero or sum(g) == 0, "have Bayes scores that sum to 0", g, WHAT)
    stated = number(data.get("bayes_risk"), WHAT)
    require(dot(P, _squared(loss, g)) == stated, "state the Bayes scores' risk", stated, WHAT)
    require(_squared(loss, g)[j] <= _squared(loss, f)[j], "have Bayes scores", g, WHAT)


def _loss(machine: Machine, d: int) -> RawLoss:
    require(machine.cost == "quadratic", "be about a squared hinge", machine.cost, WHAT)
    return RawLoss(machine.with_cost("linear"), d)


def _slack(loss: RawLoss, y: int, group: list[int], f: Vector) -> Fraction:
    return max([Fraction(0), *(loss.violation(y, c, f) for c in group)])


def _squared(loss: RawLoss, f: Vector) -> Vector:
    return [
        sum((_slack(loss, y, group, f) ** 2 for group in loss.groups[y]), Fraction(0))
        for y in range(loss.d)
    ]


def _check_minimiser(loss: RawLoss, P: Vector, f: Vector, table: list[Vector]) -> None:
    d, left = loss.d, [Fraction(0)] * loss.d
    for y in range(d):
        require(min(table[y]) >= 0, "have multipliers >= 0", table[y], WHAT)
        used = {c for group in loss.groups[y] for c in group}
        require(
            not any(v for c, v in enumerate(table[y]) if c not in used),
            "weigh only components that count",
            table[y],
            WHAT,
        )
        for group in loss.groups[y]:
            xi = _slack(loss, y, group, f)
            for c in group:
                active = loss.violation(y, c, f) == xi
                require(active or not table[y][c], "weigh active components", (y, c), WHAT)
                left = [a + table[y][c] * n for a, n in zip(left, loss.nu[y][c], strict=True)]
            total = sum((table[y][c] for c in group), Fraction(0))
            require(total == 2 * P[y] * xi, "have sum lambda = 2 P_y xi", total, WHAT)
    flat = len(set(left)) == 1 if loss.sum_to_zero else not any(left)
    require(flat, "be a minimiser: sum lambda nu = 0 on the score space", left, WHAT)


def _check_open(loss: RawLoss, P: Vector, f: Vector, k: int, j: int, data: Any) -> None:
    d, s = loss.d, number(data.get("radius"), WHAT)
    tables = field(data, "neighbours", list, WHAT)
    require(s > 0 and len(tables) == d, f"have a radius > 0 and {d} neighbours", s, WHAT)
    for i, table in enumerate(tables):
        near = [v + s * ((c == i) - Fraction(1, d)) for c, v in enumerate(P)]
        require(min(near) >= 0 and near[j] >= near[k], "stay wrong nearby", near, WHAT)
        _check_minimiser(loss, near, f, read_table({"multipliers": table}, d, WHAT))


def verify_squared_proof(machine: Machine, proof: Any) -> int:
    """Check a proof of consistency of the squared hinge; returns the number of inequalities it consists of."""
    data = proof if isinstance(proof, dict) else proof.to_dict()
    d, mode = field(data, "d", int, WHAT), field(data, "mode", str, WHAT)
    require(data.get("kind") == "exchange" and mode in MODES, "be an exchange proof", mode, WHAT)
    loss = _loss(machine, d)
    require(treats_classes_alike(loss), "be about classes alike", machine.name, WHAT)
    parts = _own(loss)
    rows = _exceptional(loss, parts)
    steps = field(data, "steps", list, WHAT)
    require(mode != "closed" or not steps, "shrink E only where P > 0", "steps", WHAT)
    count = 1
    for step in steps:
        rows += _check_step(loss, parts, rows, step)
        count += len(step["known"])
    multipliers = vector(field(data, "empty", list, WHAT), len(rows), WHAT)
    _signs(rows, multipliers)
    normal, constant = _combined(rows, multipliers, d)
    require(not any(normal) and constant < 0, "end in a contradiction", constant, WHAT)
    return count


def _own(loss: RawLoss) -> dict[tuple[int, int], tuple[Vector, Fraction]]:
    """(y, c) -> (nu, gamma) of the first component of its slack; the others must be the same function of the scores."""
    parts = {}
    for y in range(loss.d):
        for group in loss.groups[y]:
            seen = set()
            for c in group:
                shift = sum(loss.nu[y][c]) / Fraction(loss.d) if loss.sum_to_zero else Fraction(0)
                seen.add((tuple(v - shift for v in loss.nu[y][c]), Fraction(loss.gamma[y][c])))
            require(len(seen) == 1, "be about slacks of one component each", len(seen), WHAT)
            first = group[0]
            for c in group:
                parts[y, c] = (list(loss.nu[y][first]), Fraction(loss.gamma[y][first]))
    return parts


def _exceptional(loss: RawLoss, parts: dict[tuple[int, int], tuple[Vector, Fraction]]) -> list[Row]:
    d = loss.d
    rows: list[Row] = [([Fraction(1)] * d, Fraction(0), True)] if loss.sum_to_zero else []
    rows += [
        ([Fraction((c == 0) - (c == m)) for c in range(d)], Fraction(0), False) for m in range(1, d)
    ]
    for group in loss.groups[0]:
        c = group[0]
        nu = parts[0, c][0]
        require(nu[0] >= nu[1], "gain from the own score at least what a rival gives", nu, WHAT)
        if nu[0] > nu[1]:
            other = {0: 1, 1: 0}.get(c, c)
            rows.append(_below_zero(parts[1, other]))
    return rows


def _below_zero(part: tuple[Vector, Fraction]) -> Row:
    return part[0], -part[1], False


def _check_step(
    loss: RawLoss, parts: dict[tuple[int, int], tuple[Vector, Fraction]], rows: list[Row], step: Any
) -> list[Row]:
    u = vector(field(step, "direction", list, WHAT), loss.d, WHAT)
    require(not loss.sum_to_zero or sum(u) == 0, "move within sum f = 0", u, WHAT)
    known = set()
    for entry in field(step, "known", list, WHAT):
        y, c = field(entry, "y", int, WHAT), field(entry, "c", int, WHAT)
        require((y, c) in parts, "name a component", (y, c), WHAT)
        multipliers = vector(entry.get("multipliers"), len(rows), WHAT)
        _signs(rows, multipliers)
        normal, constant = _combined(rows, multipliers, loss.d)
        nu, gamma = parts[y, c]
        total = [a - b for a, b in zip(normal, nu, strict=True)]
        require(not any(total) and constant + gamma <= 0, "prove t <= 0", (y, c), WHAT)
        known.add((y, c))
    heads = {(y, group[0]) for y in range(loss.d) for group in loss.groups[y]}
    for y, c in heads:
        if dot(parts[y, c][0], u) < 0:
            require((y, c) in known, "know every slack that would grow to be 0", (y, c), WHAT)
    forced = []
    for pair in field(step, "forced", list, WHAT):
        require(isinstance(pair, list) and tuple(pair) in parts, "name components", pair, WHAT)
        y, c = pair
        require(dot(parts[y, c][0], u) > 0, "force only slacks that fall", pair, WHAT)
        forced.append(_below_zero(parts[y, c]))
    return forced


def _signs(rows: list[Row], multipliers: Vector) -> None:
    for (_, _, equal), m in zip(rows, multipliers, strict=True):
        require(equal or m >= 0, "weigh inequalities with multipliers >= 0", m, WHAT)


def _combined(rows: list[Row], multipliers: Vector, d: int) -> tuple[Vector, Fraction]:
    normal, constant = [Fraction(0)] * d, Fraction(0)
    for (a, c, _), m in zip(rows, multipliers, strict=True):
        normal = [s + m * v for s, v in zip(normal, a, strict=True)]
        constant += m * c
    return normal, constant
