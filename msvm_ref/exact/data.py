"""A problem in exact rationals: what the float64 data, the machine's coefficients and the C_i *are*, as ``fmpq``.

    K = Phi Phi' [+ 1 for a penalized bias],   Phi = problem.dense_features taken bit by bit, nu -> Pi nu, gamma, C_i

For the linear kernel Phi is X, for a Gram its float64 factor; a kernel's own rational Gram may be ``given`` instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import fmpq, fmpq_mat

from msvm_ref.exact.numbers import exact_gram, exact_matrix, modular, rational
from msvm_ref.model.kernels import Polynomial
from msvm_ref.model.loss import shift_free
from msvm_ref.model.problem import Problem

Pair = tuple[int, int]
"""(i, p): example i, component p."""


@dataclass(frozen=True, eq=False)
class ExactData:
    """``nu[y][p][m]`` is Pi nu; ``pairs`` are the (i, p) that count and cost something; groups share a slack."""

    problem: Problem
    y: list[int]
    cost: list[fmpq]
    nu: list[list[list[fmpq]]]
    gamma: list[list[fmpq]]
    pairs: list[Pair]
    shared: bool
    capped: bool
    width: fmpq
    """The slack's cost, C phi(xi), by the two numbers of ``model/cost.py``."""
    free_bias: bool
    centred: bool
    """A free b is taken with sum_c b_c = 0: required by sum-to-zero, chosen where a common shift changes no margin."""
    given: fmpq_mat | None = None
    """The kernel's own exact Gram, where that and not the factor's defines the problem."""

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def d(self) -> int:
        return len(self.nu)

    @property
    def bias_size(self) -> int:
        """How many bias coordinates are unknown: the last one follows from the others where b is centred."""
        return 0 if not self.free_bias else self.d - 1 if self.centred else self.d

    @cached_property
    def gram(self) -> fmpq_mat:
        gram = exact_gram(self.problem.dense_features) if self.given is None else self.given * 1
        if self.problem.bias == "penalized":
            gram += fmpq_mat(self.n, self.n, [1] * self.n**2)
        return gram

    @cached_property
    def inner(self) -> list[list[list[list[fmpq]]]]:
        """M[y][p][z][q] = <Pi nu[y,p], Pi nu[z,q]>, the kernel modifiers."""
        d = range(self.d)
        return [
            [
                [
                    [
                        sum(
                            (u * v for u, v in zip(self.nu[y][p], self.nu[z][q], strict=True)),
                            fmpq(0),
                        )
                        for q in d
                    ]
                    for z in d
                ]
                for p in d
            ]
            for y in d
        ]

    @cached_property
    def modular_features(self) -> list[list[int]]:
        """Phi, or K's own rows (of the same rank), modulo PRIME, with a 1 for a penalized bias."""
        exact = exact_matrix(self.problem.dense_features) if self.given is None else self.given
        rows = [[modular(v) for v in row] for row in exact.tolist()]
        return [[*row, 1] for row in rows] if self.problem.bias == "penalized" else rows

    def bias_row(self, pair: Pair) -> list[fmpq]:
        """The coefficients of the unknown bias coordinates in <Pi nu_p, b>."""
        row = self.nu[self.y[pair[0]]][pair[1]]
        return [v - row[-1] for v in row[:-1]] if self.centred else row

    def group(self, pair: Pair) -> Pair | int:
        """Whose slack the pair uses: the example's (shared) or its own."""
        return pair[0] if self.shared else pair

    def hessian(self, a: Pair, b: Pair) -> fmpq:
        """d^2(-D) / d alpha_a d alpha_b."""
        value = self.gram[a[0], b[0]] * self.inner[self.y[a[0]]][a[1]][self.y[b[0]]][b[1]]
        if self.width and self.group(a) == self.group(b):
            value += self.width / self.cost[a[0]]
        return value

    def expansion(self, alpha: dict[Pair, fmpq]) -> fmpq_mat:
        """A[i,m] = sum_p alpha[i,p] (Pi nu)[y_i,p,m]."""
        rows = [[fmpq(0)] * self.d for _ in range(self.n)]
        for (i, p), value in alpha.items():
            if value:
                rows[i] = [
                    v + value * u for v, u in zip(rows[i], self.nu[self.y[i]][p], strict=True)
                ]
        return fmpq_mat(rows)

    def violations(self, coef: fmpq_mat, b: list[fmpq]) -> dict[Pair, fmpq]:
        """t[i,p] = gamma - <Pi nu_p, f(x_i)>, f = K A + b (a penalized b is in K already)."""
        scores = (self.gram * coef).tolist()
        b = b if self.free_bias else [fmpq(0)] * self.d
        out = {}
        for i, p in self.pairs:
            nu = self.nu[self.y[i]][p]
            out[i, p] = self.gamma[self.y[i]][p] - sum(
                (u * (f + v) for u, f, v in zip(nu, scores[i], b, strict=True)), fmpq(0)
            )
        return out


def exact_data(problem: Problem, given: fmpq_mat | None = None) -> ExactData:
    d, machine = problem.d, problem.machine
    cost = [rational(c) for c in map(problem.exact_cost, range(problem.n))]
    mask = problem.spec.mask[problem.y] & (problem.costs > 0)[:, None]
    free = problem.bias == "free"
    return ExactData(
        problem,
        [int(c) for c in problem.y],
        cost,
        [[[rational(v) for v in row] for row in plane] for plane in machine.projected_nu(d)],
        [[rational(v) for v in row] for row in machine.gamma(d)],
        [(int(i), int(p)) for i, p in np.argwhere(mask)],
        problem.spec.shared,
        machine.slack_cost.capped,
        rational(machine.slack_cost.width),
        free,
        free and (machine.sum_to_zero or shift_free(problem)),
        given,
    )


def kernel_gram(problem: Problem) -> fmpq_mat:
    """The kernel's own Gram matrix, for optima that are not to depend on a float64 factor.

    linear       <x, x'>                                   polynomial  (gamma <x, x'> + coef0)^degree of the float64 data
    any other    the float64 matrix k(x_i, x_j), or the given one, taken bit by bit
    """
    function = problem.kernel.function
    if problem.is_linear:
        return exact_gram(problem.X)
    if isinstance(function, Polynomial):
        scale, shift = rational(function.gamma), rational(function.coef0)
        return fmpq_mat(
            problem.n,
            problem.n,
            [(scale * v + shift) ** function.degree for v in exact_gram(problem.X).entries()],
        )
    return exact_matrix(problem.gram)
