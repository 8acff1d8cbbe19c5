"""Newton on the free multipliers: first-order steps settle who is at a bound, this finds the last digits.

On the face {alpha_ip = 0 or C_i where they are} the dual is a quadratic in its free directions a, with rows R_a (face.py):

    H_ab = (k(x_i, x_j) + rho) <R_a, R_b> [+ h / C_i, the slack cost's ridge, where the group's sum may move],    H z = g.

A free bias adds the equality sum_ip alpha_ip (Pi nu)_p = 0 with multiplier -b. The step is projected onto the feasible set
and halved until the dual value rises. Small systems are factored, larger ones class by class (class_system.py; a slack that is
used up there costs TIED times as much as a multiplier moves scores) where conjugate gradients, tried first, do not get on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import OWN, Blocks
from msvm_ref.solvers.fast.class_system import ClassSystem
from msvm_ref.solvers.fast.class_system import work as class_work
from msvm_ref.solvers.fast.components import Components
from msvm_ref.solvers.fast.engine import Engine, Index
from msvm_ref.solvers.fast.face import INSIDE, Face, expansion, face, free_at, gradient

FACTORED = 3000
"""Systems up to this size are factored."""
MOST = 1e10
"""The work of a factorisation class by class, at most."""
TIED = 1e8
FACTOR_SPEED = 20.0
"""A factorisation's m^3 in units of a pass's multiply-adds: a third of them, and several at once."""
RIDGES = (1e-14, 1e-12, 1e-10, 1e-8)
STEPS = 60
HALVINGS = 6
LEVEL = 1e-13
"""A dual value is told apart from another to this part of it: the last digits of a gap hide below."""


def price(engine: Engine, machine: Blocks) -> float:
    """The work of a step from here, in a pass's multiply-adds."""
    return _work(engine, int(free_at(engine, machine)[0].sum()))


def _work(engine: Engine, m: int) -> float:
    n, d = engine.alpha.shape
    return float(m**3 / FACTOR_SPEED + n * m if m <= FACTORED else STEPS * n * d * engine.reach)


def newton(
    engine: Engine,
    machine: Blocks,
    equality: bool,
    value: Callable[[Array, Array], float],
    surely: bool = False,
) -> float:
    """One projected Newton step, taken where the dual value ``value(alpha, change of scores)`` rises; the work it was.

    ``surely``: where a face is too large to be factored, class by class, as conjugate gradients did not get on.
    """
    at = face(engine, machine)
    m, direction = len(at.i), None
    work = _work(engine, m)
    if 0 < m <= FACTORED:
        direction = _factored(engine, machine, at, equality)
    elif m:
        by_classes = _class_work(engine, machine, at) if surely else np.inf
        if by_classes <= MOST:
            direction = _by_classes(engine, machine, at, equality)
        if direction is None:
            direction = _conjugate(engine, machine, at)
        else:
            work = by_classes
    if direction is not None:
        _step(engine, machine, at, *direction, value)
    return work


def _class_work(engine: Engine, machine: Blocks, at: Face) -> float:
    if not engine.products_are_cheap or engine.width:
        return np.inf  # the Gram of few features is singular
    chosen, place = np.unique(at.i, return_inverse=True)
    free = np.zeros((len(chosen), engine.alpha.shape[1]), dtype=bool)
    free[place, at.p] = True
    pressed = bool(machine.width or (at.ref >= 0).any())
    return 6 * class_work(machine, engine.y[chosen], free, pressed) / FACTOR_SPEED


def _step(
    engine: Engine,
    machine: Blocks,
    at: Face,
    z: Array,
    shift: Array,
    value: Callable[[Array, Array], float],
) -> None:
    step = np.zeros_like(engine.alpha)
    np.add.at(step, (at.i, at.p), z)
    tied = at.ref >= 0
    np.add.at(step, (at.i[tied], at.ref[tied]), -z[tied])
    chosen = np.unique(at.i)
    before = value(engine.alpha, np.zeros((1, 1)))
    lengths = [0.25**k for k in range(HALVINGS)]
    first = _to_first_bound(engine, machine, engine.alpha[chosen], step[chosen], chosen)
    for length in [*lengths, first] if first < 1 else lengths:
        alpha = engine.alpha.copy()
        alpha[chosen] = _projected(engine, machine, alpha[chosen] + length * step[chosen], chosen)
        change = expansion(engine, machine, alpha, chosen) - engine.A[chosen]
        effect = engine.product(chosen, change)
        if value(alpha, effect) > before - LEVEL * abs(before):
            engine.set_alpha(alpha, chosen, change, effect)
            if length == 1.0:
                engine.shift_bias(shift)
            return


def _to_first_bound(
    engine: Engine, machine: Blocks, alpha: Array, step: Array, chosen: Index
) -> float:
    """How much of the step, at most all, keeps within the bounds: where H is singular z is huge, and this much still rises."""
    down = step < 0
    length = float((alpha[down] / -step[down]).min(initial=1.0))
    if machine.capped:
        own, cost = machine.slack == OWN, engine.cost[chosen][:, None]
        filled = alpha if own else alpha.sum(axis=1, keepdims=True)
        faster = step if own else step.sum(axis=1, keepdims=True)
        up = faster > INSIDE * abs(step).max(axis=1, keepdims=True)
        length = min(
            length, float(((cost - filled) / np.where(up, faster, 1.0))[up].min(initial=1.0))
        )
    return max(length, 0.0)


def _projected(engine: Engine, machine: Blocks, alpha: Array, chosen: Index) -> Array:
    """Signs and caps, by clipping; a shared slack that overflows is scaled down."""
    inside = np.maximum(alpha, 0.0)
    if not machine.capped:
        return inside
    cost = engine.cost[chosen][:, None]
    if machine.slack == OWN:
        return np.minimum(inside, cost)
    total = inside.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > cost, inside * (cost / np.maximum(total, 1e-300)), inside))


def _ridge(engine: Engine, machine: Blocks, at: Face) -> Array | None:
    """h / C_i, and 0 for a direction that keeps its group's sum."""
    if not machine.width:
        return None
    return np.asarray(np.where(at.ref >= 0, 0.0, machine.width / engine.cost[at.i]))


def _factored(
    engine: Engine, machine: Blocks, at: Face, equality: bool
) -> tuple[Array, Array] | None:
    chosen, place = np.unique(at.i, return_inverse=True)
    kernel = engine.gram(chosen)
    H = (at.R @ at.R.T) * kernel[np.ix_(place, place)]
    ridge = _ridge(engine, machine, at)
    if ridge is not None:
        same = np.eye(len(at.i), dtype=bool) if machine.slack == OWN else at.i[:, None] == at.i
        H += np.where(same, ridge[:, None], 0.0)
    largest = float(H.diagonal().max())
    if not largest > 0:
        return None
    right = at.slope[:, None]
    if equality:
        right = np.concatenate([right, at.R], axis=1)
    for small in RIDGES:
        try:
            factor = cho_factor(
                H + small * largest * np.eye(len(H)), lower=True, check_finite=False
            )
        except LinAlgError:
            continue
        solved = cho_solve(factor, right, check_finite=False)
        solved += cho_solve(
            factor, right - H @ solved, check_finite=False
        )  # one refinement undoes the ridge's bias
        if not np.isfinite(solved).all():
            continue
        return _balanced(engine, at.R, solved)
    return None


def _balanced(engine: Engine, R: Array, solved: Array) -> tuple[Array, Array]:
    """H^-1 g, and with the columns H^-1 R beside it what keeps sum_i A_i = 0, with the change of the bias."""
    z = solved[:, 0]
    if solved.shape[1] == 1:
        return z, np.zeros(R.shape[1])
    missing = engine.A.sum(axis=0) + R.T @ z
    shift = np.linalg.lstsq(R.T @ solved[:, 1:], missing, rcond=1e-12)[0]
    return z - solved[:, 1:] @ shift, shift


def _by_classes(
    engine: Engine, machine: Blocks, at: Face, equality: bool
) -> tuple[Array, Array] | None:
    tied = at.ref >= 0
    taken, full = np.zeros(engine.alpha.shape, dtype=bool), np.zeros(len(engine.alpha))
    taken[at.i, at.p] = True
    taken[at.i[tied], at.ref[tied]], full[at.i[tied]] = True, TIED
    parts = Components(engine, machine, np.flatnonzero(taken.any(axis=1)), taken)
    system = ClassSystem(engine, machine, parts)
    i, p = parts.chosen[parts.example], parts.component
    slope = gradient(engine, machine, engine.scores)[i, p] * parts.unit
    right = np.column_stack([slope, parts.rows]) if equality else slope[:, None]
    largest = float(system.K.diagonal().max())
    push = full[parts.chosen] * largest if tied.any() else None
    for small in RIDGES:
        if not system.factor(np.full(len(i), small * largest), push):
            continue
        columns = []
        for column in right.T:
            columns.append(system.solve(column, refined=True))
            if system.rough:
                break
        else:
            solved = np.column_stack(columns) * parts.unit**2
            solved[:, 0] /= parts.unit  # the slope was taken in these units already
            step = np.zeros(taken.shape)
            step[i, p], shift = _balanced(engine, parts.rows, solved)
            return step[at.i, at.p], shift
    return None


def _conjugate(engine: Engine, machine: Blocks, at: Face) -> tuple[Array, Array] | None:
    """Diagonally preconditioned conjugate gradients on H z = g, to a hundredth of the slope."""
    chosen, place = np.unique(at.i, return_inverse=True)
    ridge, d = _ridge(engine, machine, at), at.R.shape[1]
    diagonal = (at.R**2).sum(axis=1) * engine.diagonal[at.i] + (0.0 if ridge is None else ridge)
    diagonal = np.where(diagonal > 0, diagonal, 1.0)

    starts = np.searchsorted(at.i, chosen)

    def product(z: Array) -> Array:
        A = np.add.reduceat(at.R * z[:, None], starts, axis=0)
        out = (at.R * engine.rough_product(chosen, A)[place]).sum(axis=1)
        if ridge is not None:
            if machine.slack == OWN:
                out += ridge * z
            else:
                total = np.bincount(place, weights=z, minlength=len(chosen))
                out += ridge * total[place]
        return np.asarray(out)

    z, r = np.zeros_like(at.slope), at.slope.copy()
    s = r / diagonal
    direction, rs = s.copy(), float(r @ s)
    start = rs
    for _ in range(STEPS):
        Hp = product(direction)
        curve = float(direction @ Hp)
        if not curve > 0:
            break
        length = rs / curve
        z += length * direction
        r -= length * Hp
        s = r / diagonal
        after = float(r @ s)
        if after <= 1e-6 * start:
            break
        direction = s + (after / rs) * direction
        rs = after
    return z, np.zeros(d)
