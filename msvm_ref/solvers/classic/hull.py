"""The quadratic cost as a nearest point: the single-class SVM is the point of a convex hull closest to the origin.

With each constraint divided by its target, <w, z~_t> >= 1 for z~_t = (z_t, e_t / sqrt(2 C_t)) / gamma_t is a separable
problem (FH section 2: k + delta/(2C), the delta over pairs, docs/mathematics.md, E16). On rays alpha = s beta, beta in
the simplex,

    max_s  s - 1/2 s^2 ||v||^2   =   1 / (2 ||v||^2)   at   s = 1 / ||v||^2,     v = sum_t beta_t z~_t,

so the dual optimum is 1 / (2 dist^2), dist the distance of the origin from conv{z~_t}, and alpha = beta / dist^2.
The margin of v bounds that distance from below: min_t <v, z~_t> / ||v|| <= dist <= ||v||, whence the stopping rule of
Schlesinger and Kozinec's algorithm (FH's reference [3]),

    ||v|| - min_t <v, z~_t> / ||v|| <= epsilon     (here epsilon = precision ||v||).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from msvm_ref.errors import SpecError
from msvm_ref.model.arrays import Array, frozen
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.drive import Run, sliced, until_certified
from msvm_ref.solvers.classic.kesler import Index, SingleClass, single_class
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Solution

Iterate = Callable[..., tuple[int, bool]]


@dataclass(frozen=True, eq=False)
class Hull:
    """The points z~_t, by their rows (of Pi nu, over gamma) and ridge (1/(2 C gamma^2)); ``kept`` are their pairs."""

    single: SingleClass
    kept: Index
    owner: Index
    rows: Array
    ridge: Array
    target: Array

    @property
    def K(self) -> Array:
        return self.single.kernel.extended

    def scores(self, beta: Array) -> Array:
        """F = A'K (d x n) with A_i = sum of beta_t rows_t over i's points."""
        A = np.zeros((self.single.shape[0], self.rows.shape[1]))
        np.add.at(A, self.owner, beta[:, None] * self.rows)
        return np.ascontiguousarray(A.T @ self.K)

    def products(self, beta: Array) -> Array:
        """<v, z~_t> for every t."""
        return np.asarray(
            (self.rows * self.scores(beta).T[self.owner]).sum(axis=1) + self.ridge * beta
        )


def hull(problem: Problem, method: str) -> Hull:
    """The points z~_t of a problem with own slacks, quadratic cost, positive targets and no free bias."""
    if not problem.spec.quadratic:
        raise SpecError(
            "cost",
            f"be quadratic for method {method!r}",
            repr(problem.machine.cost),
            "FH train the nearest-point algorithm with xi^2: machine.with_cost('quadratic')",
        )
    single = single_class(problem, method)
    idle = ~single.rows.any(axis=1) & (
        single.target <= 0
    )  # 0 >= gamma - xi holds as it is: no point
    kept = np.flatnonzero(~idle)
    if (single.target[kept] <= 0).any():
        raise SpecError(
            "target",
            f"be positive on every component that counts for method {method!r}",
            f"{single.target[kept].min():g}",
            "a hull needs <w, z> >= 1 after division by the target",
        )
    target = single.target[kept]
    return Hull(
        single,
        kept,
        np.ascontiguousarray(single.owner[kept]),
        frozen(single.rows[kept] / target[:, None]),
        frozen(single.ridge[kept] / target**2),
        frozen(target),
    )


def nearest_point(
    problem: Problem,
    method: str,
    tolerance: float,
    budget: int,
    deadline: Deadline,
    iterate: Iterate,
) -> Solution:
    """Run ``iterate`` (in place on beta) at ever finer epsilon; its beta becomes alpha = beta / ||v||^2 / gamma."""
    points = hull(problem, method)
    single, iterations = points.single, 0
    diagonal = np.asarray(
        (points.rows**2).sum(axis=1) * np.diag(points.K)[points.owner] + points.ridge
    )
    beta = np.zeros(len(points.kept))
    if len(beta):
        beta[diagonal.argmin()] = (
            1.0  # any point of the hull will do to begin; the shortest generator is a good one
        )

    def advance(precision: float) -> Run:
        nonlocal iterations
        alpha = np.zeros(len(single.owner))
        if not len(beta):
            return Run(single.scatter(alpha), {"iterations": 0}, True)
        F = points.scores(beta)

        def step(most: int) -> tuple[int, bool]:
            return iterate(
                points.K,
                points.owner,
                points.rows,
                points.ridge,
                diagonal,
                beta,
                F,
                precision,
                most,
            )

        spent, met = sliced(step, budget - iterations, deadline)
        iterations += spent
        beta[:] /= beta.sum()  # rounding only
        products = points.products(beta)
        square = float(beta @ products)
        alpha[points.kept] = beta / square / points.target
        distance = square**0.5
        return Run(
            single.scatter(alpha),
            {"iterations": iterations},
            met,
            not met and iterations < budget,
            {"distance": distance, "epsilon": distance - float(products.min()) / distance},
        )

    return until_certified(problem, method, tolerance, deadline, advance)


@njit(cache=True)
def all_products(
    owner: Index, rows: Array, ridge: Array, beta: Array, F: Array, out: Array
) -> tuple[float, int]:
    """out_t = <v, z~_t> for every t; returns ||v||^2 = sum_t beta_t <v, z~_t> and argmin_t."""
    square, least = 0.0, 0
    for t in range(len(beta)):
        value = ridge[t] * beta[t]
        for m in range(rows.shape[1]):
            value += rows[t, m] * F[m, owner[t]]
        out[t] = value
        square += beta[t] * value
        if value < out[least]:
            least = t
    return square, least


@njit(cache=True)
def shrink(beta: Array, F: Array, share: float) -> None:
    """v <- share v, in place."""
    for t in range(len(beta)):
        beta[t] *= share
    for m in range(F.shape[0]):
        for j in range(F.shape[1]):
            F[m, j] *= share
