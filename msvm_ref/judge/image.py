"""Images of weights, each with its error: scores of the examples and half the squared norm.

    W in feature coordinates     f = Phi W,     1/2 ||W||^2 [- 1/2 ||sum_c w_c||^2 / d: that of Pi W]       linear kernel
    W = sum_i coef_i phi(x_i)    f = K coef,    1/2 sum coef f                                             rbf, polynomial
                                 f = Phi (Phi' coef)                                        linear kernel, or a Gram's factor

Through features, with s_i >= ||phi(x_i)||: if w_c errs by e_c, a score errs by s_i (gamma_p ||w_c|| + (1 + gamma_p) e_c),
by Cauchy, and Phi' coef by sum_i s_i (gamma_k |coef_ic| + error_ic) in norm, k the rows of a block plus the number
of blocks. That costs no further product with Phi (``care`` 0). Entry by entry the bound is narrower (1), and more so in
extended precision (2).

K is the kernel of the float64 data as real numbers. A computed entry errs by at most eta s_i s_j (``Kernel.bounded``), so with
T_c = sum_j s_j |coef_jc| a score errs by (eta + (BLOCK + 8 + log2 (n / BLOCK)) u) s_i T_c: kernel values are summed BLOCK at
a time, these sums in a tree (where a value also stands for its mirror image, k(x_j, x_i)) and with compensation.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from msvm_ref.judge.coefficients import Real, coefficients
from msvm_ref.judge.rounding import (
    EPS,
    EXTENDED,
    UNDERFLOW,
    UNKNOWN,
    Enclosed,
    blocks,
    rounding,
    summed,
    together,
)
from msvm_ref.model.arrays import Array, lengths_above, some_rows
from msvm_ref.model.problem import Problem
from msvm_ref.threads import each

BLOCK = 64
LEAST = 1e-300
"""More than a product that underflows may lose: a bound that is multiplied by the features afterwards must not lose it."""
MOST_EXTENDED = 3e8
"""Kernel entries times features up to which extended precision is affordable."""
FEW_PRODUCTS = 1e5
"""Multiplications n p d up to which a second product with the features costs less than a second evaluation."""
ALL = slice(None)


@dataclass(frozen=True, eq=False)
class Image(ABC):
    """What weights do to the examples, and 1/2 ||W||^2 (of Pi W under sum-to-zero)."""

    half_norm: Enclosed

    @abstractmethod
    def at(self, rows: slice) -> tuple[Real, Real]:
        """Scores of these examples without bias, and |error| of each."""

    @property
    def scores(self) -> Real:
        return self.at(ALL)[0]

    @property
    def error(self) -> Real:
        return self.at(ALL)[1]

    def longer(self, times: float) -> Image:
        """Nearly the image of ``times`` these weights."""
        half = self.half_norm
        return _Multiple(Enclosed(half.value * times**2, half.radius * times**2), self, times)


@dataclass(frozen=True, eq=False)
class _Multiple(Image):
    own: Image
    times: float

    def at(self, rows: slice) -> tuple[Real, Real]:
        scores, error = self.own.at(rows)
        return scores * self.times, error * self.times


@dataclass(frozen=True, eq=False)
class ScoreImage(Image):
    """Scores that were computed through the kernel, all at once."""

    known: tuple[Real, Real]

    def at(self, rows: slice) -> tuple[Real, Real]:
        return self.known[0][rows], self.known[1][rows]


@dataclass(frozen=True, eq=False)
class WeightImage(Image):
    """Weights in feature coordinates; scores are computed where they are asked for."""

    problem: Problem
    W: Real
    slip: Real
    """What the products with w_c may be off by: a number a class to be multiplied by ||phi||, or (p x d) by |phi|."""

    def at(self, rows: slice) -> tuple[Real, Real]:
        phi = _part(self.problem, rows, self.W.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            if self.slip.ndim == 1:
                doubt = self.problem.lengths[rows, None] * self.slip
            else:
                doubt = abs(phi) @ self.slip
            doubt += UNDERFLOW
            return phi @ self.W, doubt


def levels(problem: Problem, support: int) -> tuple[int, ...]:
    """How much care can be taken, from the quickest evaluation to the most accurate one."""
    if not problem.kernel.has_bounds:
        n, p = problem.features.shape
        return (0, 1, 2) if n * p * problem.d > FEW_PRODUCTS else (1, 2)
    work = problem.n * support * problem.X.shape[1]
    return (0, 1, 2) if work <= MOST_EXTENDED and EXTENDED < EPS else (0, 1)


def expansion(
    problem: Problem, alpha: Array, dtype: Any = np.float64, rows: slice = ALL
) -> tuple[Real, Real]:
    """A of these examples and a bound on its error, gamma_{d+4} of the sizes of its terms; alpha >= 0."""
    nu, _ = coefficients(problem.spec, dtype)
    part, y = alpha[rows].astype(dtype, copy=False), problem.y[rows]
    A, size = (form.expansion(y, part) for form in (nu, nu.size))
    size *= rounding(problem.d + 4, float(np.finfo(dtype).eps))
    return A, size


def image_of_weights(
    problem: Problem, W: Array, care: int = 0, error: Real | None = None, own: bool = True
) -> Image:
    """The image of W (p x d), whose entries err by ``error``; ``own``: W is a candidate's, and stands for Pi W."""
    if error is not None and care == 0:
        error = _column_lengths(error)
    return _weight_image(problem, np.asarray(W, dtype=dtype_of(care)), care, error, own)


def image_of_alpha(problem: Problem, alpha: Array, care: int = 0) -> Image:
    """The image of W_alpha."""
    dtype = dtype_of(care)
    if problem.kernel.has_bounds:
        return _kernel_images(problem, [expansion(problem, alpha, dtype)], care)[0]
    return _feature_image(problem, lambda rows: expansion(problem, alpha, dtype, rows), care)


def image_of_coef(problem: Problem, coef: Array, care: int = 0, error: Real | None = None) -> Image:
    """The image of W = sum_i coef_i phi(x_i), whose coefficients err by ``error``."""
    coef = np.asarray(coef, dtype=dtype_of(care))
    if problem.kernel.has_bounds:
        return _kernel_images(problem, [(coef, error)], care)[0]
    none = np.zeros((1, 1)) if error is None else error
    return _feature_image(
        problem, lambda rows: (coef[rows], none if error is None else none[rows]), care
    )


def images_of_both(problem: Problem, alpha: Array, coef: Array, care: int) -> tuple[Image, Image]:
    """Those of W_alpha and of the coefficients."""
    if not problem.kernel.has_bounds:
        return image_of_alpha(problem, alpha, care), image_of_coef(problem, coef, care)
    dtype = dtype_of(care)
    own = (np.asarray(coef, dtype=dtype), None)
    of_alpha, of_coef = _kernel_images(problem, [expansion(problem, alpha, dtype), own], care)
    return of_alpha, of_coef


def dtype_of(care: int) -> Any:
    """What an evaluation with so much care works in."""
    return np.longdouble if care == 2 else np.float64


def _part(problem: Problem, rows: slice, dtype: Any) -> Any:
    """Phi of these examples."""
    return some_rows(problem.features, rows).astype(dtype, copy=False)


def _weight_image(
    problem: Problem, W: Real, care: int, error: Real | None, own: bool = False
) -> WeightImage:
    """W errs by ``error``: in the norm of each column with care 0, else entry by entry."""
    unit = float(np.finfo(W.dtype).eps)
    tiny = rounding(_row_length(problem.features) + 2, unit)
    with np.errstate(over="ignore", invalid="ignore"):
        size = abs(W) if care else _column_lengths(W)
        slip, off = tiny * size + LEAST, np.zeros(0, dtype=W.dtype)
        if error is not None:
            slip = slip + (1 + tiny) * error
            off = (size * error + error * error).ravel()
        inexact = bool(W.any() or (error is not None and error.any()))
        half = summed((W * W / 2).ravel(), off, unit, inexact)
        if own and problem.spec.sum_to_zero:
            half = _less_tilt(half, W, unit)
    return WeightImage(half, problem, W, slip)


def _less_tilt(half: Enclosed, W: Real, unit: float) -> Enclosed:
    """1/2 ||Pi W||^2 = 1/2 ||W||^2 - 1/2 sum_j (sum_c w_jc)^2 / d, the subtracted part taken no larger than it surely is."""
    d = W.shape[1]
    sums = abs(W.sum(axis=1)) - rounding(d, unit) * abs(W).sum(axis=1)
    sure = float((np.maximum(sums, 0) ** 2).sum() / (2 * d)) * (1 - 1e-6)
    if not math.isfinite(sure) or sure <= 0:
        return half
    return together([half, Enclosed(-sure, 0.0)])


def _feature_image(
    problem: Problem, coefficients_of: Callable[[slice], tuple[Real, Real]], care: int
) -> Image:
    """The image of Phi' coef; ``coefficients_of`` some examples are their coefficients and what those err by."""
    n, d, dtype = problem.n, problem.d, dtype_of(care)
    p = problem.features.shape[1]
    parts = list(
        blocks(n, d, p)
    )  # with fewer rows adding their products would cost more than making them
    longest = max((rows.stop - rows.start for rows in parts), default=0)
    tiny = rounding(longest + len(parts) + 2, float(np.finfo(dtype).eps))
    with np.errstate(over="ignore", invalid="ignore"):
        W, error = None, np.zeros((p, 1) if care else 1, dtype=dtype)
        for rows in parts:
            coef, off = coefficients_of(rows)
            if not (coef.any() or off.any()):
                continue  # nothing is added by these, exactly
            phi = _part(problem, rows, dtype)
            term, slip = phi.T @ coef, tiny * (abs(coef) + off) + (1 + 1e-6) * off
            if care:
                error = error + abs(phi).T @ (slip + LEAST) + UNDERFLOW
            else:  # the norm of a sum is at most the sum of the norms
                error = error + problem.lengths[rows] @ (slip + LEAST) + p * UNDERFLOW
            W = term if W is None else W + term
        if W is None:  # no coefficient, no weight: W is 0 then
            width = coef.shape[1] if parts else d
            W, error = (
                np.zeros((p, width), dtype=dtype),
                np.zeros((p, width) if care else width, dtype),
            )
        error = error * (1 + rounding(n + 2))
        return _weight_image(problem, W, care, error)


def _kernel_images(
    problem: Problem, weights: Sequence[tuple[Real, Real | None]], care: int
) -> list[Image]:
    """Of each (coefficients, what they err by); every kernel value is made once."""
    dtype, shape = dtype_of(care), (problem.n, weights[0][0].shape[1])
    there = np.any([coef.any(axis=1) for coef, _ in weights], axis=0)
    order, support = np.argsort(~there, kind="stable"), int(there.sum())
    X, coefs = problem.X[order], [coef[order[:support]] for coef, _ in weights]
    total, lost = ([np.zeros(shape, dtype) for _ in weights] for _ in range(2))
    eta = 0.0

    def block(start: int) -> tuple[int, int, Real, float]:
        stop = min(start + BLOCK, support)
        with np.errstate(invalid="ignore"):  # of a thread's own
            return start, stop, *problem.kernel.bounded(X[start:], X[start:stop], care)

    with np.errstate(over="ignore", invalid="ignore"):
        for start, stop, values, entry in each(block, range(0, support, BLOCK)):
            eta = max(eta, entry)
            mirror = values[stop - start : support - start]
            for coef, f, left in zip(coefs, total, lost, strict=True):
                _add(f[start:], left[start:], values @ coef[start:stop])
                if stop < support:
                    _add(f[start:stop], left[start:stop], _product(mirror, coef[stop:]))
        images = []
        for (coef, error), f, left in zip(weights, total, lost, strict=True):
            scores = np.empty_like(f)
            scores[order] = f + left
            images.append(_score_image(problem, coef, error, scores, eta))
        return images


def _add(total: Real, lost: Real, term: Real) -> None:
    """total += term; what rounding took is added to ``lost``."""
    after = total + term
    back = after - total
    lost += (total - (after - back)) + (term - back)
    total[:] = after


def _product(values: Real, coef: Real) -> Real:
    """values' coef, BLOCK products at a time, these sums added in a tree: an error of BLOCK + log2 roundings."""
    whole = len(values) - len(values) % BLOCK
    tall = values[:whole].reshape(-1, BLOCK, values.shape[1]).transpose(0, 2, 1)
    terms = tall @ coef[:whole].reshape(-1, BLOCK, coef.shape[1])
    rest = values[whole:].T @ coef[whole:]
    terms = np.concatenate([terms, rest[None]])
    while len(terms) > 1:
        half = len(terms) // 2
        terms = np.concatenate([terms[:half] + terms[half : 2 * half], terms[2 * half :]])
    return np.asarray(terms[0])


def _score_image(
    problem: Problem, coef: Real, error: Real | None, scores: Real, eta: float
) -> Image:
    """Of scores that were summed BLOCK kernel values at a time and in trees, each wrong by eta s_i s_j at most."""
    s, unit = problem.lengths, float(np.finfo(scores.dtype).eps)
    reach = (s @ abs(coef)) * (1 + rounding(problem.n + 2))
    slip = np.zeros(coef.shape[1])
    if error is not None:
        slip = (s @ error) * (1 + rounding(problem.n + 2))
    if not (math.isfinite(eta) and np.isfinite(scores).all()):
        return ScoreImage(UNKNOWN, (scores, np.full(scores.shape, np.inf)))
    relative = (eta + rounding(BLOCK + 8 + (problem.n // BLOCK).bit_length(), unit)) * 1.01
    doubt = s[:, None] * (relative * reach + slip)
    doubt = doubt + UNDERFLOW * (1 + float(abs(coef).sum()))
    terms, off = (coef * scores / 2).ravel(), (abs(coef) * doubt / 2).ravel()
    more = reach * slip + slip * slip / 2 if slip.any() else np.zeros(0)
    inexact = bool(coef.any() or (error is not None and error.any()))
    half = summed(terms, np.concatenate([off, more]), unit, inexact)
    return ScoreImage(half, (scores, doubt))


def _column_lengths(W: Real) -> Array:
    """At least the norm of each column."""
    return lengths_above(np.ascontiguousarray(W.T))


def _row_length(phi: Any) -> int:
    """The most products a score sums: features, or stored entries of the fullest sparse row."""
    if isinstance(phi, np.ndarray):
        return int(phi.shape[1])
    return int(np.diff(phi.indptr).max(initial=0))
