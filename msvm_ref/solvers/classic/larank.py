"""LaRank (Bordes, Bottou, Gallinari, Weston, "Solving MultiClass Support Vector Machines with LaRank", ICML 2007) for CS.

    dual      max  sum_i beta_i^{y_i} - 1/2 sum_ij K_ij <beta_i, beta_j>   s.t.  sum_m beta_i^m = 0, beta_i^m <= C delta(m, y_i)
    gradient  g_i(m) = delta(m, y_i) - sum_j K_ij beta_j^m                           (margin 1: ``relative`` has the units)
    SmoStep   beta_i^{m+} += s, beta_i^{m-} -= s,   s = min((g_i(m+) - g_i(m-)) / (2 K_ii), C delta(m+, y_i) - beta_i^{m+})

A support pattern is an example with a multiplier that is not 0; gradients are kept for support patterns alone. The three
operations choose the pair (m+, m-), m+ the largest g below its bound and m- the smallest, and step where they are more
than tau apart:

    ProcessNew   a fresh example, no support pattern yet, m+ = y_i, m- any class
    ProcessOld   a random support pattern, any class
    Optimize     a random support pattern, its support vectors (beta_i^m not 0) alone

An epoch takes the examples in random order to ProcessNew; in between, the next operation is drawn with odds r, the dual's
gain for the time spent, r <- mu gain/time + (1 - mu) r with mu = 0.05. Time is counted in multiply-adds, so that a seed
gives the same run on any machine, and no odds fall below a twentieth of the largest, so that no operation starves. The run
ends where after an epoch no example, support pattern or not, has a pair more than tau apart.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.cs_decomposition import block_violation
from msvm_ref.solvers.classic.drive import (
    Run,
    natural_number,
    positive_integer,
    sliced,
    until_certified,
)
from msvm_ref.solvers.classic.kesler import Index, extended_gram
from msvm_ref.solvers.classic.relative import Relative
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Solution

NEW, OLD, OPTIMIZE = 0, 1, 2
FORGETTING = 0.05
"""mu"""
LEAST_ODDS = 0.05
STANDSTILL, PATIENCE = 1e-22, 20
"""Rounding is met where that many epochs in a row each gained less than this of the dual (one may miss a pair by chance)."""


def solve_larank(
    problem: Problem,
    *,
    tolerance: float,
    seed: int = 0,
    max_iterations: int = 20_000_000,
    max_seconds: float = math.inf,
) -> Solution:
    """LaRank; for a relative margin with a shared slack and linear cost (CS), bias none or penalized, any kernel.

    An iteration is one operation. ``work`` has how many there were of each, the epochs, and as kernel_evaluations the
    columns k(., x_i) of the examples that ever were support patterns: gradients and the stopping rule need no others.
    """
    theirs = Relative(
        problem, "larank", "LaRank", margin=1, shared=True, biases=("none", "penalized")
    )
    budget = positive_integer("max_iterations", max_iterations)
    deadline = Deadline.of("max_seconds", max_seconds)
    state = State(problem, theirs, np.random.default_rng(natural_number("seed", seed)))
    iterations = 0

    def advance(precision: float) -> Run:
        nonlocal iterations
        state.refresh()

        def step(most: int) -> tuple[int, bool]:
            return state.advance(precision, most)

        spent, met = sliced(step, budget - iterations, deadline)
        iterations += spent
        alpha = -theirs.units * state.beta
        alpha[np.arange(problem.n), problem.y] = 0.0
        return Run(np.abs(alpha), state.work, met, not met and iterations < budget)

    return until_certified(problem, "larank", tolerance, deadline, advance)


class State:
    """beta, the support patterns with their gradients, the odds, and where the epoch stands."""

    def __init__(self, problem: Problem, theirs: Relative, random: np.random.Generator) -> None:
        self.random, self.K, self.y = random, extended_gram(problem), np.asarray(problem.y)
        self.costs, n = theirs.costs, problem.n
        self.beta, self.g = np.zeros((n, problem.d)), np.zeros((n, problem.d))
        self.support = np.zeros(0, dtype=np.int64)
        self.order, self.at = np.zeros(0, dtype=np.int64), 0
        self.rates, self.counts = np.ones(3), np.zeros(3, dtype=np.int64)
        self.epochs, self.idle, self.gained, self.lately = 0, 0, 0.0, np.inf
        self.ever = np.zeros(n, dtype=np.bool_)

    @property
    def work(self) -> dict[str, float]:
        new, old, optimize = (int(c) for c in self.counts)
        return {
            "iterations": new + old + optimize,
            "epochs": self.epochs,
            "process_new": new,
            "process_old": old,
            "optimize": optimize,
            "kernel_evaluations": len(self.y) * int(self.ever.sum()),
        }

    def refresh(self) -> None:
        """Every gradient anew: what the steps have lost to rounding is regained."""
        self.g = np.eye(self.beta.shape[1])[self.y] - self.K @ self.beta
        self.at, self.idle, self.lately = len(self.order), 0, np.inf

    def advance(self, tau: float, most: int) -> tuple[int, bool]:
        """At most so many operations. (how many, stopping rule met)."""
        spent = 0
        while spent < most:
            if self.at == len(self.order):
                if self.settled(tau):
                    return spent, True
                self.idle = self.idle + 1 if self.lately <= STANDSTILL * self.gained else 0
                if self.idle >= PATIENCE:
                    return spent, False
                self.lately, self.at = 0.0, 0
                self.order, self.epochs = self.random.permutation(len(self.y)), self.epochs + 1
            done, self.at, self.support, gain = operate(
                self.K,
                self.y,
                self.costs,
                self.beta,
                self.g,
                self.support,
                self.ever,
                self.order,
                self.at,
                self.rates,
                self.counts,
                self.random,
                tau,
                most - spent,
            )
            spent += done
            self.gained += gain
            self.lately += gain
        return spent, False

    def settled(self, tau: float) -> bool:
        """Is no pair of any example more than tau apart? HL (19) says it of 1 - g."""
        others = np.eye(self.beta.shape[1])[self.y] - self.K @ self.beta
        return bool(worst_pair(1.0 - others, self.beta, self.y, self.costs) <= tau)


@njit(cache=True)
def worst_pair(G: Array, beta: Array, y: Index, costs: Array) -> float:
    worst = 0.0
    for i in range(len(y)):
        worst = max(worst, block_violation(G, beta, i, y[i], costs[i]))
    return worst


@njit(cache=True)
def operate(
    K: Array,
    y: Index,
    costs: Array,
    beta: Array,
    g: Array,
    support: Index,
    ever: Any,
    order: Index,
    at: int,
    rates: Array,
    counts: Index,
    random: np.random.Generator,
    tau: float,
    budget: int,
) -> tuple[int, int, Index, float]:
    """Operations until the epoch or the budget ends, in place on beta, g, rates, counts and who was ever a support pattern.

    (operations, the place reached in ``order``, the support patterns, the dual's gain).
    """
    n, d = beta.shape
    patterns, size = np.empty(n, dtype=np.int64), len(support)
    patterns[:size] = support
    spent, gained = 0, 0.0
    while at < n and spent < budget:
        what = drawn(rates, random.random())
        place, i, gain, time = -1, -1, 0.0, 1.0
        if what == NEW:
            i = order[at]
            at += 1
            if count(beta, i) == 0:
                gradient(K, y, beta, patterns, size, i, g)
                gain = pair_step(K, y, costs, beta, g, patterns, size, i, what, tau)
                time += size * d
        elif size > 0:
            place = int(random.random() * size)
            i = patterns[place]
            gain = pair_step(K, y, costs, beta, g, patterns, size, i, what, tau)
            time += d
        if gain > 0.0:
            time += 2.0 * size
            if place < 0:
                patterns[size] = i
                ever[i] = True
                size += 1
            elif count(beta, i) == 0:
                size -= 1
                patterns[place] = patterns[size]
        counts[what] += 1
        rates[what] += FORGETTING * (gain / time - rates[what])
        gained += gain
        spent += 1
    return spent, at, patterns[:size].copy(), gained


@njit(cache=True)
def drawn(rates: Array, uniform: float) -> int:
    """An operation with odds ``rates``, none less than LEAST_ODDS of the largest."""
    top = max(rates.max(), 1e-300)
    odds = np.maximum(rates / top, LEAST_ODDS)
    threshold = uniform * odds.sum()
    if threshold < odds[NEW]:
        return NEW
    return OLD if threshold < odds[NEW] + odds[OLD] else OPTIMIZE


@njit(cache=True)
def count(beta: Array, i: int) -> int:
    """How many support vectors example i has."""
    vectors = 0
    for m in range(beta.shape[1]):
        vectors += beta[i, m] != 0.0
    return vectors


@njit(cache=True)
def gradient(K: Array, y: Index, beta: Array, patterns: Index, size: int, i: int, g: Array) -> None:
    """g_i from the support patterns."""
    for m in range(beta.shape[1]):
        value = 1.0 if m == y[i] else 0.0
        for s in range(size):
            value -= K[i, patterns[s]] * beta[patterns[s], m]
        g[i, m] = value


@njit(cache=True)
def pair_step(
    K: Array,
    y: Index,
    costs: Array,
    beta: Array,
    g: Array,
    patterns: Index,
    size: int,
    i: int,
    what: int,
    tau: float,
) -> float:
    """The operation's pair (m+, m-) and its SmoStep; the dual's gain, 0 where no pair is more than tau apart."""
    own, C = y[i], costs[i]
    up, down = -1, -1
    for m in range(beta.shape[1]):
        if what == OPTIMIZE and beta[i, m] == 0.0:
            continue
        if down < 0 or g[i, m] < g[i, down]:
            down = m
        below = beta[i, m] < (C if m == own else 0.0)
        if below and (what != NEW or m == own) and (up < 0 or g[i, m] > g[i, up]):
            up = m
    if up < 0 or up == down or not g[i, up] - g[i, down] > tau:
        return 0.0
    slope, room = g[i, up] - g[i, down], (C if up == own else 0.0) - beta[i, up]
    step = min(slope / (2.0 * K[i, i]), room) if K[i, i] > 0.0 else room
    if not step > 0.0:
        return 0.0
    beta[i, down] -= step
    beta[i, up] = (C if up == own else 0.0) if step == room else beta[i, up] + step
    if down == own and count(beta, i) == 1:
        beta[i, own] = 0.0  # exactly, as the sum of the others is
    for s in range(size):
        j = patterns[s]
        g[j, up] -= step * K[i, j]
        g[j, down] += step * K[i, j]
    if what == NEW:  # not among the patterns yet
        g[i, up] -= step * K[i, i]
        g[i, down] += step * K[i, i]
    return float(step * slope - step * step * K[i, i])
