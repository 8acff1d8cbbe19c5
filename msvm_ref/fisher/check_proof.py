"""Re-verify a proof with nothing but rational arithmetic.

This file shares no code with the prover: it reads the JSON form and the machine's own nu and gamma, solves no linear
program, and believes no field that it can recompute. A refusal says what is wrong, as a DataError.

Why a descent leaf proves something. In a region of scores where some signs are known, component t_p = gamma - <nu,f>
moves along u at rate tau_p = -<nu, u>, and a slack group at a rate of at most

    max{ tau_p : p not known to lie below 0 or below another component of the group,  and 0 unless some t_p > 0 known }

If B_y is the sum of these bounds, R_P'(f; u) <= sum_y P_y B_y. A minimiser needs R_P'(f; u) >= 0 for every u, so if
sum_i B_y(u_i) <= -a_y + b_y - [y = j] sum b for all y (a, b >= 0), then 0 <= -a.P - sum_c b_c (P_j - P_c), and every bad
P makes the right side negative: in closed mode bad means P_j > P_k, so b_k > 0 does it (and b_c = 0 otherwise);
in generic mode bad means P > 0 and P_j > P_c for c != j, so any a or b > 0 does it; in open mode the bad P must fill an
open set, and it is enough that some <B(u_i), P> = 0 is a proper hyperplane.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.fisher.check_data import (
    RawLoss,
    Vector,
    as_json,
    dot,
    field,
    number,
    treats_classes_alike,
    vector,
)
from msvm_ref.foreign import shown
from msvm_ref.model.machine import Machine

Row = tuple[Vector, Fraction, str]
DEEPEST = 200
"""Splits above a leaf: a stack has an end, and the tree of the largest proof we know (RM, d = 8) is a tenth as deep."""


def verify_proof(machine: Machine, proof: Any) -> int:
    """Check every inequality of a proof (a Proof or its JSON form); returns how many leaves it had."""
    data = as_json(proof, "proof")
    d, mode, symmetric = (
        field(data, "d", int),
        field(data, "mode", str),
        field(data, "symmetric", bool),
    )
    if mode not in ("closed", "generic", "open"):
        raise DataError("proof", "have mode closed, generic or open", repr(mode))
    loss = RawLoss(machine, d)
    if symmetric and not treats_classes_alike(loss):
        raise DataError(
            "proof",
            "claim symmetry only of a machine that treats classes alike",
            "a machine that does not",
        )
    required = (
        {(0, j) for j in range(1, d)}
        if symmetric
        else {(k, j) for k in range(d) for j in range(d) if k != j}
    )
    cases = field(data, "cases", list)
    treated = [(field(case, "k", int), field(case, "j", int)) for case in cases]
    missing, others = required - set(treated), set(treated) - required
    if missing or others:
        raise DataError(
            "proof",
            "treat every case (k, j), and no other",
            f"none for {min(missing)}" if missing else f"one for {shown(min(others))}",
        )
    leaves = 0
    for case in cases:
        rows: list[Row] = [([Fraction(1)] * d, Fraction(0), "=")] if loss.sum_to_zero else []
        k, j = field(case, "k", int), field(case, "j", int)
        pairs = (
            [(c, c + 1) for c in range(d - 1)]
            if symmetric
            else [(k, c) for c in range(d) if c != k]
        )
        rows += [
            ([Fraction((m == high) - (m == low)) for m in range(d)], Fraction(0), ">=")
            for high, low in pairs
        ]
        leaves += _walk(loss, mode, k, j, field(case, "tree", dict), rows, [])
    return leaves


def _walk(
    loss: RawLoss,
    mode: str,
    k: int,
    j: int,
    node: dict[str, Any],
    rows: list[Row],
    known: list[tuple[tuple[Fraction, ...], int]],
) -> int:
    """``known``: affine functions (constant last) and their signs, on the way to this node."""
    if len(known) > DEEPEST:
        raise DataError("proof", f"split at most {DEEPEST} times on the way to a leaf", "more")
    if "empty" in node:
        _check_empty(rows, vector(node["empty"], len(rows)))
        return 1
    if "directions" in node:
        _check_descent(loss, mode, k, j, node, known)
        return 1
    normal, constant = vector(field(node, "normal", list), loss.d), number(node.get("constant"))
    leaves = 0
    for branch, sign in (("negative", -1), ("zero", 0), ("positive", 1)):
        flip = -1 if sign < 0 else 1
        row: Row = ([flip * v for v in normal], flip * constant, ">" if sign else "=")
        leaves += _walk(
            loss,
            mode,
            k,
            j,
            field(node, branch, dict),
            [*rows, row],
            [*known, ((*normal, constant), sign)],
        )
    return leaves


def _check_empty(rows: list[Row], multipliers: Vector) -> None:
    """sum_i m_i (<a_i, f> + c_i) must be a constant that contradicts the signs of the rows."""
    strict = False
    for (_, _, kind), m in zip(rows, multipliers, strict=True):
        if kind != "=" and m < 0:
            raise DataError("proof", "combine inequalities with multipliers >= 0", shown(m))
        strict = strict or (kind == ">" and m > 0)
    for column in zip(*(row[0] for row in rows), strict=True):
        if dot(column, multipliers) != 0:
            raise DataError(
                "proof",
                "cancel every score in an empty leaf",
                f"{shown(dot(column, multipliers))} left over",
            )
    constant = dot([row[1] for row in rows], multipliers)
    if not (constant < 0 or (constant == 0 and strict)):
        raise DataError("proof", "end an empty leaf in a contradiction", f"0 <= {shown(constant)}")


def _check_descent(
    loss: RawLoss,
    mode: str,
    k: int,
    j: int,
    node: dict[str, Any],
    known: list[tuple[tuple[Fraction, ...], int]],
) -> None:
    d = loss.d
    directions = [vector(u, d) for u in field(node, "directions", list)]
    a, b = vector(node.get("a"), d), vector(node.get("b"), d)
    if (
        min(a) < 0
        or min(b) < 0
        or b[j] != 0
        or (mode == "closed" and any(b[c] for c in range(d) if c != k))
    ):
        raise DataError(
            "proof",
            "weigh the facts about P with a, b >= 0, and only P_j > P_k in closed mode",
            f"{shown(a)}, {shown(b)}",
        )
    if loss.sum_to_zero and any(sum(u) != 0 for u in directions):
        raise DataError("proof", "move within sum f = 0", "a direction that leaves it")
    bounds = [[_bound(loss, y, u, known) for y in range(d)] for u in directions]
    for y in range(d):
        total = sum((g[y] for g in bounds), Fraction(0))
        allowed = -a[y] + b[y] if y != j else -a[j] - sum(b)
        if total > allowed:
            raise DataError(
                "proof", f"bound the slope of class {y} by {shown(allowed)}", shown(total)
            )
    enough = {
        "closed": b[k] > 0,
        "generic": any(a) or any(b),
        "open": any(a) or any(b) or any(map(any, bounds)),
    }
    if not enough[mode]:
        raise DataError(
            "proof",
            f"exclude every bad P ({mode} mode) in a descent leaf",
            "a leaf that excludes none",
        )


def _bound(
    loss: RawLoss, y: int, u: Vector, known: list[tuple[tuple[Fraction, ...], int]]
) -> Fraction:
    total = Fraction(0)
    for group in loss.groups[y]:
        rates = {c: -dot(loss.nu[y][c], u) for c in group}
        above = any(_sign(loss.affine(y, c, None), known) == 1 for c in group)
        candidates = [] if above else [Fraction(0)]
        for c in group:
            lower = (_sign(loss.affine(y, c, e), known) for e in (None, *group) if e != c)
            if not any(sign == -1 for sign in lower):
                candidates.append(rates[c])
        if not candidates:
            raise DataError(
                "proof",
                "leave every group a component that can be active",
                f"signs that exclude all of class {y}",
            )
        total += max(candidates)
    return total


def _sign(h: tuple[Fraction, ...], known: list[tuple[tuple[Fraction, ...], int]]) -> int | None:
    """The sign of h if a known function is a multiple of it, or if it is constant."""
    if not any(h[:-1]):
        return (h[-1] > 0) - (h[-1] < 0)
    lead = next(i for i, v in enumerate(h) if v)
    for g, sign in known:
        if g[lead] and all(v * g[lead] == w * h[lead] for v, w in zip(h, g, strict=True)):
            return sign if (h[lead] > 0) == (g[lead] > 0) else -sign
    return None
