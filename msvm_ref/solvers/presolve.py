"""The same problem in units that suit a solver's floats, and the way back.

    min  1/2 sum_j ||W_j||^2 + sum_i C_i sum_r L(xi_ir)     s.t.  <nu_p, f_i> + xi_ir >= gamma_p,   f_i = W' phi_i [+ b]

With phi_ij = m_j + E_j Z_ij, W_j = (g/v) V_j / E_j, xi = g xi', alpha = (kappa/g) alpha' and the value P = kappa P' that is

    min  1/2 sum_j h_j ||V_j||^2 + sum_i c_i sum_r L'(xi'_ir)   s.t.  <nu_p / v, Z_i V + u> + xi'_ir >= gamma_p / g

    h_j = (g/v)^2 / (kappa E_j^2),   c_i = C_i g^q / kappa,   L(g xi') = g^q L'(xi'):
    q = 1 and a width divided by g where the cost L is capped (``model/cost.py``), q = 2 and the same width where it is not,
    u   free (a free bias absorbs the translation m),  u = V't with t_j = m_j / E_j (nothing absorbs it),  or u = 0, m = 0.

(phi has a column of ones for a penalized bias, whose row of W is b.) g, v, kappa and E_j are powers of two, so that nothing
is rounded by them, on the way there or back; phi - m is rounded once, at the size of what is left.

``Pieces`` says on which branch each hinge is: where a component is known to hold it is left out, where it is known to be
violated (linear cost) its hinge is replaced by its linear piece, gamma - mu.
All are minorants of the loss, so the reduced problem is a relaxation, with the same solution once no piece is contradicted.
``ceiling`` caps the C_i (linear cost): a slack price above every multiplier is an exact penalty, and a lower one is easier to
compute with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import slack_loss
from msvm_ref.model.problem import Problem

Mask = NDArray[np.bool_]
Shift = Literal["none", "free", "tied"]

OFFSET = 64.0
"""A mean this many spreads away from 0 is split off the features."""
UNEVEN = 8
"""Columns whose sizes differ by more binary orders than this get scales of their own."""
STEEP = 13
"""log2 of the largest c_i, and of the largest h_j / c."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """hinge[i,p]: branch unknown, kept as it is; held[i,p]: violated for sure (at most one of a slack group), its linear piece
    counts; neither: satisfied for sure. ``tied`` is alpha / C of a guess at which nearly all margins tie: perhaps W = 0.
    """

    hinge: Mask
    held: Mask
    tied: Array | None = None

    @staticmethod
    def unknown(problem: Problem) -> Pieces:
        counts = problem.spec.mask[problem.y] & (problem.costs > 0)[:, None]
        return Pieces(counts, np.zeros_like(counts))


@dataclass(frozen=True, eq=False)
class Presolved:
    """Z, h, t, nu / v, gamma / g and c of the module's formula; c_i = c(C) weight_i, the largest weight being 1."""

    problem: Problem
    pieces: Pieces
    Z: Array
    h: Array
    shift: Shift
    mean: Array
    t: Array
    nu: Array
    projected_nu: Array
    gamma: Array
    weight: Array
    top: float
    width: float
    exponents: tuple[int, int, int, NDArray[np.int64]]
    """log2 of g, v, kappa, E."""

    def c(self, C: float) -> float:
        """The largest c_i at that C (inf where it is beyond floats: no slack then)."""
        return self.top * (C / self.problem.C)

    def restored(
        self, problem: Problem, V: Array, u: Array | None, alpha: Array
    ) -> Candidate | None:
        """(W, b, alpha) in the units of ``problem`` (this one at some C); None where something is not finite."""
        if not all(np.isfinite(v).all() for v in (V, alpha, *(() if u is None else (u,)))):
            return None
        g, v, kappa, E = self.exponents
        with np.errstate(over="ignore", under="ignore"):
            W = np.ldexp(V, g - v - E[:, None])
            shift = np.zeros(problem.d) if u is None else np.ldexp(u, g - v)
            alpha = np.ldexp(alpha, kappa - g)
        alpha = np.where(self.pieces.held, problem.costs[:, None], alpha)
        left = shift
        if u is not None:  # what the mean still owes the scores, with more digits than they have
            left = np.asarray(shift - self.mean.astype(np.longdouble) @ W, dtype=np.float64)
        if self.shift == "tied":
            size = float(abs(self.mean).max())
            direction = self.mean / size
            W = W + np.outer(direction, left / float(direction @ direction) / size)
        b = left if self.shift == "free" else np.zeros(problem.d)
        if problem.bias == "penalized":
            W, b = W[:-1], W[-1]
        finite = all(np.isfinite(part).all() for part in (W, b, alpha))
        return Candidate(W, b, alpha) if finite else None


def presolve(
    problem: Problem, pieces: Pieces | None = None, ceiling: float = math.inf, stiff: bool = False
) -> Presolved:
    """``problem`` in a solver's units; ``ceiling`` caps its C_i.

    The value is between that of 1/2 ||W||^2 (a prohibitive C) and that of sum C_i: ``stiff`` makes the former about 1, with the
    features as they are and C_i that are prohibitive for a solver's floats (2^STEEP) if not yet for the problem.
    """
    spec, q = problem.spec, 1 if problem.spec.capped else 2
    phi = problem.dense_features
    if problem.bias == "penalized":
        phi = np.column_stack([phi, np.ones(problem.n)])
    g, v = _exponent(abs(spec.gamma).max()), _exponent(abs(spec.nu).max())
    highest = min(float(problem.costs.max()), ceiling) or 1.0
    loss = math.log2(float(slack_loss(spec, np.array(_ldexp(1.0, g)))))  # of a slack of size g
    if stiff:
        shift, mean, rest = _split(problem, phi, math.inf)
        E = np.full(phi.shape[1], _exponent(float(abs(rest).max(initial=0.0))), dtype=np.int64)
        kappa = 2 * (g - v - int(E.max(initial=0))) if E.size else 0
        if spec.width == 0:
            ceiling = min(ceiling, _ldexp(1.0, STEEP + kappa - g))
            highest = min(highest, ceiling)
    else:
        shift, mean, rest = _split(problem, phi, OFFSET)
        steepest = 2 * (g - v) - loss - math.log2(highest)  # log2 of h_j / c at E_j = 1
        E = _scales(rest, mean, math.ceil((steepest - STEEP) / 2))
        largest = steepest - 2 * int(E.min()) if E.size else 0.0
        kappa = round(math.log2(highest) + loss - min(max(-largest, 0.0), STEEP))
    with np.errstate(over="ignore", under="ignore"):
        h = np.ldexp(np.ones(len(E)), 2 * (g - v - E) - kappa)
    return Presolved(
        problem,
        pieces or Pieces.unknown(problem),
        np.ldexp(rest, -E),
        h,
        shift,
        mean,
        np.ldexp(mean, -E),
        np.ldexp(spec.nu, -v),
        np.ldexp(spec.projected_nu, -v),
        np.ldexp(spec.gamma, -g),
        np.minimum(problem.costs, ceiling) / highest,
        _ldexp(highest, q * g - kappa),
        _ldexp(spec.width, -g) if spec.capped else spec.width,
        (g, v, kappa, E),
    )


def is_stiff(problem: Problem) -> bool:
    """Is C so large for the features, or their mean so far away, that the stiff scaling differs from the usual one?"""
    usual, stiff = presolve(problem), presolve(problem, stiff=True)
    capped = stiff.top >= 2.0**STEEP
    return usual.shift == "tied" or capped or bool((usual.h != usual.h[:1]).any())


def _split(problem: Problem, phi: Array, far: float) -> tuple[Shift, Array, Array]:
    """How the mean is taken off (tied where it is ``far`` spreads away from 0), the mean, and what is left."""
    mean = phi.mean(axis=0) if len(phi) else np.zeros(phi.shape[1])
    if problem.bias == "free":
        return "free", mean, phi - mean
    spread = abs(phi - mean).max(axis=0, initial=0.0)
    if (abs(mean) / far > spread)[spread > 0].any():
        return "tied", mean, phi - mean
    return "none", np.zeros_like(mean), phi


def _scales(rest: Array, mean: Array, least: int) -> NDArray[np.int64]:
    """log2 E_j: the columns' sizes, one for all where they are much alike; none below ``least``."""
    size = abs(rest).max(axis=0, initial=0.0)
    size = np.where(size > 0, size, abs(mean))
    own = np.where(size > 0, np.frexp(size)[1], np.int64(least)).astype(np.int64)
    known = own[size > 0]
    if known.size and known.max() - known.min() <= UNEVEN:
        own[:] = known.max()
    return np.maximum(own, least)


def _ldexp(value: float, exponent: int) -> float:
    """value 2^exponent, inf or 0 beyond floats."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(value, exponent))


def _exponent(size: float) -> int:
    """log2 of a power of two near ``size``; 0 where that is 0."""
    return math.frexp(size)[1] if size > 0 else 0
