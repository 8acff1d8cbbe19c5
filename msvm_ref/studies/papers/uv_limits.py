"""UV, section 3.2: Steinwart's rule for C on one point, and the limit of Theorem 8.

One point is UV's own device (the proof of Theorem 9): every positive kernel is universal there, and l C(l) -> infinity is
C -> infinity at fixed shares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from msvm_ref.model.catalogue import AMO, ATM, ATS, CS, LLW, MMR, OVA, WW
from msvm_ref.model.kernels import rbf
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Problem
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.small import Points, exact, require, weights
from msvm_ref.studies.regimes import kde_coef, kde_regime

LARGE_C = (16, 256, 4096)
SHARES: dict[int, tuple[tuple[int, ...], ...]] = {
    2: ((6, 4), (4, 6)),
    3: ((4, 3, 3), (3, 4, 3)),
    4: ((4, 3, 2, 1), (3, 4, 2, 1)),
}
"""Pairs of samples of ten, by d; where both give the same f no rule for breaking ties is right on both."""


def one_point(counts: Sequence[int]) -> Points:
    y = tuple(c for c, count in enumerate(counts) for _ in range(count))
    return Points("one point", ((2,),) * len(y), y, len(counts))


def scores(machine: Machine, counts: Sequence[int], C: int) -> Any:
    """f at the point, up to its length."""
    return weights(exact(machine, one_point(counts), C))[0][0]


def wins(f: Any, c: int) -> bool:
    return all(f[c] > v for m, v in enumerate(f) if m != c)


def steinwart_on_one_point(form: tuple[Machine, Sequence[int]]) -> Evidence:
    """One point, C growing: is the class of largest share predicted, for both samples of each d?"""
    machine, sizes = form
    for d in sizes:
        for C in LARGE_C:
            pair = [scores(machine, counts, C) for counts in SHARES[d]]
            if not all(wins(f, c) for c, f in enumerate(pair)):
                told = (
                    f"f = {show(pair[0])} for both"
                    if (pair[0] == pair[1]).all()
                    else f"f = {show(pair[0])} and {show(pair[1])}"
                )
                return Evidence(
                    False,
                    f"one point, C = {C}, shares {show(SHARES[d][0])}/10 and exchanged: {told}",
                )
    return Evidence(
        True,
        f"one point, d = {', '.join(map(str, sizes))}: the likelier class wins at C = 16, 256, 4096",
    )


def not_by_that_rule(machines: Sequence[Machine]) -> Evidence:
    """One point, shares (4, 3, 2, 1)/10 and those with the first two exchanged: does some decision stay wrong or undecided?"""
    shown = []
    for machine in machines:
        finals = [scores(machine, counts, LARGE_C[-1]) for counts in SHARES[4]]
        wrong = all(
            not all(wins(scores(machine, counts, C), c) for c, counts in enumerate(SHARES[4]))
            for C in LARGE_C
        )
        if not wrong:
            return Evidence(False, f"{machine.name}: right, f = {show(finals[0])}")
        shown.append(f"{machine.name} {show(finals[0])}")
    return Evidence(True, f"f at C = 4096, shares (4, 3, 2, 1)/10: {', '.join(shown)}")


Bandwidth = Callable[[int], float]
SIZES = (60, 240, 960, 3840)


@cache
def sample(n: int, seed: int) -> tuple[Any, Any]:
    """x uniform on [0, 1], P(y | x) = 0.6 on the third x lies in and 0.2 elsewhere: no class has a majority of more."""
    rng = np.random.default_rng([8, n, seed])
    x = rng.random(n)
    own = np.minimum((3 * x).astype(int), 2)
    return x, np.where(rng.random(n) < 0.4, own, rng.integers(0, 3, n))


def limit(bandwidth: Bandwidth) -> Evidence:
    """Does the machine at alpha = C, C = 1/(d l), approach the Bayes decision as l grows? Mean over five samples of each size.

    alpha = C is optimal by kde_regime, exactly where l is small; all five machines then decide alike.
    """
    grid = (np.arange(3000) + 0.5) / 3000
    bayes = np.minimum((3 * grid).astype(int), 2)
    means = []
    for n in SIZES:
        rights = []
        for seed in range(5):
            x, y = sample(n, seed)
            problem = Problem(
                MMR, x[:, None], y, C=1 / (3 * n), kernel=rbf(bandwidth(n)), n_classes=3
            )
            if n == SIZES[0]:
                require(
                    all(
                        kde_regime(
                            Problem(
                                m, x[:, None], y, C=problem.C, kernel=problem.kernel, n_classes=3
                            )
                        ).holds(problem.C)
                        for m in (MMR, WW, LLW, ATS, OVA)
                    ),
                    "alpha = C optimal",
                )
            f = np.exp(-bandwidth(n) * (grid[:, None] - x) ** 2) @ kde_coef(problem)
            rights.append(float((f.argmax(axis=1) == bayes).mean()))
        means.append(float(np.mean(rights)))
    told = ", ".join(f"{100 * (1 - m):.1f} % at ℓ = {n}" for n, m in zip(SIZES, means, strict=True))
    falling = all(b > a for a, b in pairwise(means))
    return Evidence(
        falling and means[-1] > 0.97,
        f"decisions other than Bayes's: {told}",
        {"agreement with Bayes": dict(zip(map(str, SIZES), means, strict=True))},
    )


CLAIMS = (
    Claim(
        "UV-T7",
        "Theorem 7",
        "ATS-SVMs are universally consistent under Steinwart's choice of C",
        "one point, two samples for each d = 2, 3, 4, exact optima for C = 16, 256, 4096",
        steinwart_on_one_point,
        (ATS, (2, 3, 4)),
        (ATS, (3, 4)),
        "d = 3, 4",
        (ATS, (2, 3)),
        "for d ≤ 3; not for d = 4",
        ("E1",),
        cut=True,
    ),
    Claim(
        "UV-T7-LLW",
        "Theorem 7",
        "LLW-SVMs are universally consistent under Steinwart's choice of C",
        "as UV-T7: evidence on one point, no proof",
        steinwart_on_one_point,
        (LLW, (2, 3, 4)),
        (WW, (2, 3, 4)),
        "WW in its place",
    ),
    Claim(
        "UV-STEINWART",
        "after Theorem 7",
        "that rule for C does not make a machine with a Fisher inconsistent loss universally consistent",
        "WW, CS, MMR, OVA, AMO, ATM on one point, d = 4, exact optima for C = 16, 256, 4096",
        not_by_that_rule,
        (WW, CS, MMR, OVA, AMO, ATM),
        (WW, LLW),
        "LLW among them",
    ),
    Claim(
        "UV-T8-LIMIT",
        "Theorem 8",
        "with γ → ∞ and ℓγ^(−p/2) → ∞ the machines at C ≤ 1/(dℓ) approach the Bayes decision",
        "p = 1, d = 3, γ = ℓ^(4/5), ℓ = 60 … 3840, five samples each: a trend, no proof",
        limit,
        lambda n: float(n) ** 0.8,
        lambda n: 1.0,
        "γ = 1 for every ℓ",
    ),
)
