"""From any alpha to one the dual admits: signs, groups, and with a free bias the equality, proved and not hoped for.

Dual feasible set: alpha >= 0, sum over each slack group <= C_i (linear cost), alpha = 0 off the components, and with a
free bias  r = sum_ip alpha_ip (Pi nu)[y_i,p,:] = 0.  Floats cannot satisfy that equality exactly. So: r is computed
in exact rationals; a correction delta = -N' (N N')^+ r over the multipliers with room for it keeps alpha feasible;
after it is applied what remains of r is rounding, and the last, never applied, correction is charged to the dual value
by its second-order expansion:

    D(alpha + delta) >= D(alpha) - sum |grad D| |delta| - 1/2 ||W_delta||^2 [- quadratic-cost term].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from msvm_ref.exact.linear_algebra import rank
from msvm_ref.judge.objective import by_class, expansion, group_sums, rounding
from msvm_ref.model.arrays import Array
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Problem

SHRINK = (0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3)
"""How far alpha may be pulled towards 0 to give the correction room; the dual value pays for it."""
SNAP = (0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3)
"""Multipliers below this part of their C are taken for 0: the equality may force them there (an absent class does)."""


NOTHING = 1e-140
"""Multipliers up to this count as 0: their squares would underflow, and a correction of them with it."""


@dataclass(frozen=True, eq=False)
class FeasibleDual:
    """alpha, and the ``charge`` to subtract from D(alpha) so that a feasible point attains the rest."""

    alpha: Array
    charge: float
    moved: float


def feasible_dual(problem: Problem, alpha: Array) -> FeasibleDual:
    """The nearest thing to alpha that is certainly dual feasible (alpha = 0 always is)."""
    boxed = into_groups(problem, alpha)
    if problem.bias != "free":
        return FeasibleDual(boxed, 0.0, float(abs(boxed - alpha).max()))
    size = problem.costs[:, None] if not problem.spec.quadratic else float(boxed.max(initial=0.0))
    best: FeasibleDual | None = None
    for snap, shrink in sorted(product(SNAP, SHRINK), key=max):
        pulled = into_groups(problem, np.where(boxed > snap * size, boxed, 0.0) * (1 - shrink))
        result = _restore_equality(problem, pulled)
        if result is not None and (best is None or result[1] < best.charge):
            best = FeasibleDual(*result, float(abs(result[0] - alpha).max()))
        if best is not None and best.charge <= max(snap, shrink, 1e-12) * _gain(problem, boxed):
            return best
    return best or FeasibleDual(np.zeros_like(boxed), 0.0, float(abs(alpha).max()))


def _gain(problem: Problem, alpha: Array) -> float:
    return float(abs(problem.spec.gamma[problem.y] * alpha).sum())


def into_groups(problem: Problem, alpha: Array) -> Array:
    """Clip signs and foreign components, then clip (own slack) or scale down (shared slack) to the C_i."""
    spec, cost = problem.spec, problem.costs[:, None]
    inside = np.where(spec.mask[problem.y] & (cost > 0) & (alpha > NOTHING), alpha, 0.0)
    if spec.quadratic:
        return inside
    if not spec.shared:
        return np.minimum(inside, cost)
    total = inside.sum(axis=1, keepdims=True)
    guard = 1 - 4 * spec.d * float(
        np.finfo(float).eps
    )  # the float sum may understate the exact one
    over = total > cost * guard
    scale = np.divide(
        cost * guard * guard, total, out=np.ones_like(total), where=over & (total > 0)
    )
    return np.asarray(inside * np.minimum(scale, 1.0))


def equality_residual(problem: Problem, alpha: Array) -> list[Fraction]:
    """r_m = sum_ip alpha_ip (Pi nu)[y_i,p,m], exactly."""
    d, nu = problem.d, problem.machine.projected_nu(problem.d)
    r = [Fraction(0)] * d
    for y in range(d):
        rows = alpha[problem.y == y]
        for p in range(d):
            if rows.size and rows[:, p].any():
                mass = exact_sum(rows[:, p])
                r = [v + mass * nu[y][p][m] for m, v in enumerate(r)]
    return r


def exact_sum(values: Array) -> Fraction:
    """The exact sum of floats: fsum rounds once, and what it rounded away is summed again until nothing is left."""
    rest, total = values.tolist(), Fraction(0)
    try:
        while part := math.fsum(rest):
            total += Fraction(part)
            rest.append(-part)
    except OverflowError:
        return sum(map(Fraction, values.tolist()), Fraction(0))
    return total


def _restore_equality(problem: Problem, alpha: Array) -> tuple[Array, float] | None:
    """(alpha, charge) with a feasible point within the charge, or None where alpha has too little room."""
    best: tuple[Array, float] | None = None
    for _ in range(4):
        r = equality_residual(problem, alpha)
        if not any(r):
            return alpha, 0.0
        residual = np.array([float(v) for v in r])
        found = _correction(problem, alpha, residual)
        if found is None:
            return best
        delta, bound = found
        charge = _charge(problem, alpha, bound, residual)
        if best is not None and charge >= best[1]:
            return best
        best = alpha, charge
        alpha = into_groups(problem, alpha + delta)
    return best


def _correction(problem: Problem, alpha: Array, r: Array) -> tuple[Array, Array] | None:
    """delta = -N_J' (N_J N_J')^+ r and a bound on the exact |delta|; None where too few multipliers have room for it.

    r lies in the span of the rows Pi nu that carry mass. J holds the multipliers with room for twice the bound; they can
    undo r when their rows span the same space (ranks compared exactly). N_J N_J' is a small matrix of the machine's own
    coefficients times counts, so half of ||lambda|| is a generous allowance for the error of its float inverse.
    """
    spec, room = problem.spec, _room(problem, alpha)
    needed = rank_of_rows(problem, alpha > 0)
    length = np.linalg.norm(spec.projected_nu, axis=2)[problem.y]
    chosen = (room > 0) & (length > 0)
    for _ in range(8):
        if rank_of_rows(problem, chosen) != needed:
            return None
        counts = np.zeros((spec.d, spec.d))
        np.add.at(counts, problem.y, chosen.astype(float))
        normal = np.einsum("yp,ypm,ypk->mk", counts, spec.projected_nu, spec.projected_nu)
        scale, vectors = np.linalg.eigh(normal)
        scale, vectors = scale[-needed:], vectors[:, -needed:]
        if scale[0] < 1e-10 * scale[-1]:
            return None
        multiplier = vectors @ ((vectors.T @ r) / scale)
        bound = np.where(chosen, 1.5 * float(np.linalg.norm(multiplier)) * length, 0.0)
        narrow = chosen & (room < 2 * bound)
        if not narrow.any():
            pull = by_class(
                spec.projected_nu, problem.y, np.broadcast_to(multiplier, (problem.n, spec.d))
            )
            return np.where(chosen, -pull, 0.0), bound
        chosen &= ~narrow
    return None


def rank_of_rows(problem: Problem, chosen: NDArray[np.bool_]) -> int:
    """The exact rank of the rows (Pi nu)[y_i,p,:] over the chosen (i, p)."""
    pairs = np.zeros((problem.d, problem.d), dtype=bool)
    for y in range(problem.d):
        pairs[y] = chosen[problem.y == y].any(axis=0)
    return _rank(problem.machine, problem.d, pairs.tobytes())


@lru_cache(maxsize=1024)
def _rank(machine: Machine, d: int, pairs: bytes) -> int:
    nu = machine.projected_nu(d)
    chosen = np.frombuffer(pairs, dtype=bool).reshape(d, d)
    return rank([nu[y][p] for y, p in np.argwhere(chosen)])


def _room(problem: Problem, alpha: Array) -> Array:
    """How far each alpha may move either way whatever the others of its group do."""
    spec = problem.spec
    if spec.quadratic:
        return alpha
    left = problem.costs[:, None] - group_sums(problem, alpha)
    share = np.maximum(left, 0) / spec.d if spec.shared else left
    return np.where(spec.mask[problem.y], np.minimum(alpha, share * (1 - 1e-9)), 0.0)


def _charge(problem: Problem, alpha: Array, step: Array, residual: Array) -> float:
    """An upper bound of D(alpha) - D(alpha + delta) over |delta| <= step with sum delta Pi nu = -residual.

    The slope along delta may be taken about the mean feature: <nu, W'mean> summed against delta is -<W'mean, residual>.
    """
    if problem.is_implicit:
        return kernel_charge(problem, alpha, step)
    spec, phi, nu = problem.spec, problem.features, abs(problem.spec.projected_nu)
    mean = (
        np.zeros(phi.shape[1]) if problem.is_sparse else phi.mean(axis=0)
    )  # any point serves; 0 keeps sparse rows sparse
    centred = phi if problem.is_sparse else phi - mean
    W = phi.T @ expansion(problem, alpha)
    # W errs by at most W_error (values.py's argument), which cancellation makes large where features lie far from 0.
    W_error = rounding(problem.n + spec.d + 8) * (
        abs(phi).T @ by_class(nu.transpose(0, 2, 1), problem.y, alpha)
    )
    W_size = abs(W) * (1 + rounding(phi.shape[1] + spec.d + 8)) + W_error
    about_mean = abs(by_class(spec.projected_nu, problem.y, centred @ W))
    about_mean += by_class(nu, problem.y, abs(centred) @ (W_size - abs(W)))
    slope = abs(spec.gamma[problem.y]) + about_mean
    known = float((abs(mean @ W) + abs(mean) @ (W_size - abs(W))) @ abs(residual))
    change_w = abs(phi).T @ by_class(nu.transpose(0, 2, 1), problem.y, step)
    price = float((slope * step).sum() + (change_w * change_w).sum() / 2 + known)
    return (price + _cost_charge(problem, alpha, step)) * (1 + 1e-6)


def _cost_charge(problem: Problem, alpha: Array, step: Array) -> float:
    """What the quadratic cost's term (group sum)^2 / (4 C) may lose to the step."""
    if not problem.spec.quadratic:
        return 0.0
    cost = np.where(problem.costs > 0, problem.costs, np.inf)[:, None]
    total, change = group_sums(problem, alpha), group_sums(problem, step)
    return float(
        (np.broadcast_to(total / (2 * cost), change.shape) * change).sum()
        + (change * change / (4 * cost)).sum()
    )


def kernel_charge(problem: Problem, alpha: Array, step: Array) -> float:
    """The same for a problem that is its kernel: |f_m(x_i)| <= s_i sum_j s_j |A_jm| with s_i^2 = k(x_i, x_i)."""
    spec, nu, s = problem.spec, abs(problem.spec.projected_nu), problem.kernel.lengths(problem.X)
    reach = s @ by_class(nu.transpose(0, 2, 1), problem.y, alpha)
    slope = abs(spec.gamma[problem.y]) + by_class(nu, problem.y, s[:, None] * reach)
    change = s @ by_class(nu.transpose(0, 2, 1), problem.y, step)
    price = float((slope * step).sum() + (change * change).sum() / 2)
    return (price + _cost_charge(problem, alpha, step)) * (1 + 1e-6)
