"""Growing subsets: where few examples matter, the others' kernel rows are never made.

An example with alpha_i = 0 adds C_i L(f(x_i), y_i) to the gap and nothing else. So the ascent runs on a subset S, with the
Gram of S alone; then the scores of all others are taken once, and those with a loss join S, until

    gap of S  +  sum_{i not in S} C_i L(f(x_i), y_i)   <=   tolerance * P.

S starts at random, with a rough gap asked of it. Where more than a part of the examples would join, everyone goes on
together, from the alpha found so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.bias import lossless_bias
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.fast.blocks import OWN, Blocks, blocks
from msvm_ref.solvers.fast.engine import Index
from msvm_ref.solvers.fast.gradient import smoothed
from msvm_ref.solvers.fast.kernel_values import scores_at
from msvm_ref.solvers.fast.stopping import share
from msvm_ref.solvers.workspace import Workspace

MANY = 6000
"""Examples from which on subsets are tried: the Gram of fewer takes as long as to find out."""
FIRST, GROWTH = 0.1, 2.0
"""The share of the examples that are the first subset, and how much larger the next may be."""
MOST, SAMPLE = 0.6, 1000
"""Where the Gram of all fits into the cache, a subset has at most this share of the examples, and no more of the first SAMPLE
others may have a loss. Where it does not fit and more have one, those that join are drawn at random, as the worst of so many
are no fair sample, and no more than a ROUGH gap is asked. Otherwise the worst join."""
NEAR = 0.1
"""So near to a loss others join as well: the next ascent moves their scores."""
ROUGH, CLOSER, OWN_SHARE = 0.03, 1e-3, 0.5
"""The relative gap asked of the first subset; of a later one as a part of the gap over everyone, but no less than OWN_SHARE of
the tolerance. All of these were chosen by looking at the benchmark."""
GROWING = 0.7
"""The part of ``max_seconds`` after which subsets stop growing: a certificate has to follow."""


@dataclass(frozen=True, eq=False)
class Climbed:
    """Where an ascent on a subset ended, by its own floats."""

    words: str
    alpha: Array
    b: Array
    primal: float
    gap: float
    work: dict[str, int]


@dataclass(eq=False)
class Grown:
    """alpha of everyone, and why the subsets ended: "certified" means that the floats say so, "" that everyone is to go on."""

    candidate: Candidate | None
    words: str = ""
    work: dict[str, int] = field(default_factory=dict)


Ascend = Callable[[Problem, float, Candidate, int, float, Workspace], Climbed]
"""(part, relative gap, start, passes, seconds, workspace): an ascent on a part."""


def suited(problem: Problem) -> bool:
    """Are there many examples, a kernel that can be evaluated at some of them, and something to learn?"""
    return problem.n >= MANY and problem.kernel.has_bounds and lossless_bias(problem) is None


def grow(
    problem: Problem,
    tolerance: float,
    max_iter: int,
    deadline: Deadline,
    seed: int,
    fits: bool,
    start: Candidate | None,
    ascend: Ascend,
    progress: Callable[[float], None] | None,
) -> Grown:
    """Subsets until the gap over everyone is within the tolerance, or one would be too large where the Gram of all ``fits``."""
    n, d, machine, random = problem.n, problem.d, blocks(problem), np.random.default_rng(seed)
    inside = np.zeros(n, dtype=bool)
    inside[random.choice(n, int(np.ceil(FIRST * n)), replace=False)] = True
    alpha, b = np.zeros((n, d)), np.zeros(d)
    if start is not None:
        alpha, b = np.array(start.dual), b if start.b is None else start.b
        inside |= alpha.any(axis=1)
    now, asked, size, first = Grown(Candidate(None, b, alpha)), ROUGH, 0, 0.0
    while not (fits and inside.sum() > MOST * n):
        if inside.sum() > size:
            chosen, others = np.flatnonzero(inside), random.permutation(np.flatnonzero(~inside))
            part, workspace, size = _part(problem, chosen), Workspace(), len(chosen)
        if lossless_bias(part) is not None:
            break
        passes = max(max_iter - now.work.get("passes", 0), 1)
        seconds = GROWING * deadline.seconds - deadline.spent
        at = ascend(part, asked, Candidate(None, b, alpha[chosen]), passes, seconds, workspace)
        alpha[chosen], b = at.alpha, at.b
        now.candidate = Candidate(None, b, alpha)
        for name, count in at.work.items():
            now.work[name] = now.work.get(name, 0) + count
        if at.words != "certified":
            now.words = "" if at.words == "rounding" else at.words
            break
        if seconds <= 0:
            now.words = "max_seconds"
            break
        support = chosen[alpha[chosen].any(axis=1)]
        A = machine.expansion(problem.y[support], alpha[support])
        losses, slopes = np.zeros(0), np.zeros(0)
        for some in (others[:SAMPLE], others[SAMPLE:]):
            scores = scores_at(problem, problem.X[some], support, A) + b
            more = _losses(problem, machine, some, scores)
            losses, slopes = np.append(losses, more[0]), np.append(slopes, more[1])
            now.work["kernel_evaluations"] += len(some) * len(support)
            if fits and (losses > 0).sum() > MOST * len(losses):
                return now
        loss = float(losses.sum())
        relative = (at.gap + loss) / max(at.primal + loss, 1e-300)
        if not np.isfinite(relative):
            break
        first = first or relative
        if progress is not None:
            progress(share(first, relative, tolerance))
        if relative <= 0.9 * tolerance:
            now.words = "certified"
            break
        most, near = int((GROWTH - 1) * size) + 1, np.flatnonzero(slopes > -NEAR)
        fair = (losses > 0).sum() > MOST * len(losses)
        if not fair:
            near = near[np.argsort(-slopes[near], kind="stable")]
        grows = loss > at.gap  # else the part alone has more to gain
        if grows:
            inside[others[near[:most]]] = True
        asked = ROUGH if fair and grows else max(CLOSER * relative, OWN_SHARE * tolerance)
    return now


def _losses(problem: Problem, machine: Blocks, some: Index, scores: Array) -> tuple[Array, Array]:
    """C_i L(f(x_i), y_i), and the largest gamma_p - mu_p(f(x_i)): beyond 0 there is a loss; -inf where C_i = 0."""
    y, cost = problem.y[some], problem.costs[some]
    slopes = np.where(machine.mask[y], machine.slopes(y, scores), -np.inf)
    largest = np.where(cost > 0, slopes.max(axis=1), -np.inf)
    xi = np.maximum(slopes, 0.0) if machine.slack == OWN else np.maximum(largest, 0.0)[:, None]
    losses: Array = cost * smoothed(machine, xi).sum(axis=1)
    return losses, largest


def _part(problem: Problem, chosen: Index) -> Problem:
    weight = problem.sample_weight
    return Problem(
        problem.machine,
        problem.X[chosen],
        problem.y[chosen],
        C=problem.C,
        kernel=problem.kernel,
        bias=problem.bias,
        sample_weight=None if weight is None else weight[chosen],
        n_classes=problem.d,
    )
