"""A smooth cost (h > 0) with more tight pairs than weights: the same exact point from the primal's normal equations.

With every active slack group holding one tight or bound pair p (row a_p = (Pi nu_p x phi_i, bias row)), the optimality
conditions in x = (W, b) alone are linear, and the multipliers follow:

    (diag(1_W, 0_b) + sum_tight (C_i/h) a_p a_p') x = sum_tight (C_i/h) gamma_p a_p + sum_bound C_i a_p,
    alpha_p = (C_i/h) (gamma_p - <a_p, x>)  for tight p,  C_i  for bound p.
"""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from msvm_ref.exact.active import ExactPoint, Partition, whole_bias
from msvm_ref.exact.data import ExactData
from msvm_ref.exact.numbers import exact_matrix


def suits(data: ExactData, parts: Partition) -> bool:
    """Is a smooth cost's primal system the smaller one, and free of ties within a group?"""
    rank = data.problem.dense_features.shape[1] + (data.problem.bias == "penalized")
    distinct = len({data.group(pair) for pair in parts.tight}) == len(parts.tight)
    return (
        data.given is None
        and bool(data.width)
        and distinct
        and not parts.full
        and rank * data.d + data.bias_size < len(parts.tight)
    )


def solve_smooth(data: ExactData, parts: Partition) -> ExactPoint | None:
    """The exact point of the partition; None where b is open (the general system then chooses it)."""
    features = exact_matrix(data.problem.dense_features).tolist()
    if data.problem.bias == "penalized":
        features = [[*row, fmpq(1)] for row in features]

    def row_of(i: int, p: int) -> list[fmpq]:
        nu, bias = data.nu[data.y[i]][p], data.bias_row((i, p)) if data.free_bias else []
        return [*(u * x for x in features[i] for u in nu), *bias]

    rows = [row_of(*pair) for pair in parts.tight]
    gamma = [data.gamma[data.y[i]][p] for i, p in parts.tight]
    weight = [data.cost[i] / data.width for i, _ in parts.tight]
    count, penalised = len(rows[0]), len(rows[0]) - data.bias_size
    matrix = fmpq_mat(rows)
    weighted = fmpq_mat(
        [[w * v for v in row] for w, row in zip(weight, rows, strict=True)]
    ).transpose()
    ridge = fmpq_mat([[fmpq(int(j == k < penalised)) for j in range(count)] for k in range(count)])
    pull = weighted * fmpq_mat(len(gamma), 1, gamma)
    for pair in parts.bound:
        cost = data.cost[pair[0]]
        pull += fmpq_mat(count, 1, [cost * v for v in row_of(*pair)])
    try:
        x = (ridge + weighted * matrix).solve(pull)
    except ZeroDivisionError:
        return None
    margins = [row[0] for row in (matrix * x).tolist()]
    alpha = {pair: fmpq(0) for pair in data.pairs}
    alpha |= {pair: data.cost[pair[0]] for pair in parts.bound}
    alpha |= {
        pair: w * (g - m) for pair, w, g, m in zip(parts.tight, weight, gamma, margins, strict=True)
    }
    bias = [row[0] for row in x.tolist()[penalised:]]
    return ExactPoint(alpha, whole_bias(data, bias, data.expansion(alpha)))
