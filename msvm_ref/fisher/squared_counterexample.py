"""Counterexamples to consistency under the squared hinge: for given scores, a linear program in P.

    f minimises R_P  <=>  there are lambda_p >= 0 on the components that attain their slack xi_r > 0, with
        sum_{p in r} lambda_p = 2 P_y xi_r,      sum_p lambda_p nu_p = 0  on the score space,

which for fixed f is linear in (P, lambda). So a wrong minimiser is found by trying scores: 0, the corners of the polyhedron
in which bad scores must lie, and the minimisers at some simple P.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msvm_ref.errors import BackendError, SpecError
from msvm_ref.exact.lp import Infeasible, Program
from msvm_ref.exact.numbers import fractions, rational
from msvm_ref.fisher.counterexample import Counterexample, Table
from msvm_ref.fisher.face import lowest, minimum
from msvm_ref.fisher.loss import Number, PointLoss, Vector, slack
from msvm_ref.fisher.probability import bayes_classes, rounded, simple_probabilities
from msvm_ref.fisher.region import Nothing, above, corners, inside
from msvm_ref.fisher.squared import exceptional, own_slacks

SENSES = {
    "closed": ("open", "generic", "closed"),
    "generic": ("open", "generic"),
    "open": ("open",),
}
"""What refutes consistency in each mode, the strongest first."""
SIMPLE = 6
"""How many simple P the float solver is asked about before the question is called open."""


def squared_counterexample(loss: PointLoss, mode: str) -> Counterexample | None:
    """A wrong minimiser of the squared risk, on an open set where there is one among the scores tried."""
    spare = None
    for f in _candidates(loss):
        for k in bayes_classes(f):
            for j in range(loss.d):
                counterexample = _worst(loss, f, k, j, mode) if j != k else None
                if counterexample is not None and counterexample.open:
                    return counterexample
                spare = spare or counterexample
    return None if mode == "open" else spare


def at_simple_probabilities(loss: PointLoss, mode: str) -> Counterexample | None:
    """The same with scores that a float solver finds and rationals confirm, at a few simple P."""
    from msvm_ref.fisher.quadratic import quadratic_minimum

    for P in simple_probabilities(loss.d, SIMPLE):
        exact = [rational(v) for v in P]
        try:
            _, face = quadratic_minimum(loss, exact)
        except BackendError:
            continue
        for k in range(1, loss.d):
            order = [above(k, c, loss.d, loss.zero) for c in range(loss.d) if c != k]
            f = inside([*face, *order], loss.d, loss.zero)
            if not isinstance(f, Nothing):
                counterexample = _worst(loss, f, k, 0, mode)
                if counterexample is not None:
                    return counterexample
    return None


def _candidates(loss: PointLoss) -> Iterator[Vector]:
    yield (loss.zero,) * loss.d
    one = loss.zero + 1
    if not loss.sum_to_zero:
        yield (one,) * loss.d
        yield (-one,) * loss.d
    try:
        plain = own_slacks(loss)
        yield from corners(exceptional(plain), loss.d) or ()
    except SpecError:  # kinked or unusual: there is no such polyhedron
        return


def _worst(
    loss: PointLoss, f: Sequence[Number], k: int, j: int, mode: str
) -> Counterexample | None:
    """The P that f minimises and at which predicting k instead of j is worst, in the mode's sense; None if there is none."""
    for sense in SENSES[mode]:
        P = _program(loss, f, k, j, sense)
        if P is not None:
            return _simplest(loss, f, k, _evidence(loss, f, k, P), sense)
    return None


def _simplest(
    loss: PointLoss, f: Sequence[Number], k: int, counterexample: Counterexample, sense: str
) -> Counterexample:
    """The same scores at the P of smallest denominator near by at which they are as wrong."""
    for denominator in range(2, 41):
        P = rounded(counterexample.P, denominator)
        top = bayes_classes(P)
        generic = min(P) > 0 and len(top) == 1
        if P[k] < max(P) and (sense == "closed" or generic):
            exact = tuple(rational(v) for v in P)
            if squared_multipliers(loss, f, exact) is not None:
                simple = _evidence(loss, f, k, exact)
                if simple.open or not counterexample.open:
                    return simple
    return counterexample


def _program(loss: PointLoss, f: Sequence[Number], k: int, j: int, sense: str) -> Vector | None:
    """max s: closed  P_j - P_k >= s;  generic and open  P_c >= s and P_j - P_c >= s; open: f minimises around P, too."""
    d, zero, one = loss.d, loss.zero, loss.zero + 1
    cone = _Squared(loss, f, d if sense == "open" else 0)
    program = cone.program
    for c in [k] if sense == "closed" else [c for c in range(d) if c != j]:
        program.at_most({d: one, c: one, j: -one}, zero)
    if sense != "closed":
        for c in range(d):
            program.at_most({d: one, c: -one}, zero)
    program.equal(dict.fromkeys(range(d), one), one)
    best = program.maximize({d: one})
    if isinstance(best, Infeasible) or best.value <= 0:
        return None
    return best.x[:d]


class _Squared:
    """Variables P_1 ... P_d, s, then lambda (and a multiplier of sum f = 0) for P, or for each P + s (e_i - 1/d)."""

    def __init__(self, loss: PointLoss, f: Sequence[Number], copies: int) -> None:
        self.loss = loss
        self.parts = []
        for y, groups in enumerate(loss.groups):
            for r, group in enumerate(groups):
                xi = slack(group, f, loss.zero)
                if xi > 0:
                    self.parts += [(y, r, xi, p) for p in group if p.at(f) == xi]
        self.per = len(self.parts) + int(loss.sum_to_zero)
        count = max(copies, 1)
        free = [False] * loss.d + [True]
        free += ([False] * len(self.parts) + [True] * int(loss.sum_to_zero)) * count
        self.program = Program(loss.zero, free)
        for i in range(count):
            self._copy(i if copies else None, loss.d + 1 + i * self.per)

    def _copy(self, i: int | None, first: int) -> None:
        loss, d, zero, one = self.loss, self.loss.d, self.loss.zero, self.loss.zero + 1
        for m in range(d):
            row = {first + q: p.nu[m] for q, (_, _, _, p) in enumerate(self.parts) if p.nu[m]}
            if loss.sum_to_zero:
                row[first + len(self.parts)] = one
            self.program.equal(row, zero)
        for y, r, xi in dict.fromkeys((y, r, xi) for y, r, xi, _ in self.parts):
            row = {first + q: one for q, (z, s, _, _) in enumerate(self.parts) if (z, s) == (y, r)}
            row[y] = -2 * xi
            if i is not None:
                row[d] = 2 * xi * (one / d - (one if i == y else zero))
            self.program.equal(row, zero)


def squared_multipliers(loss: PointLoss, f: Sequence[Number], P: Sequence[Number]) -> Table | None:
    """lambda[y][c] that proves f a minimiser of the squared risk at P, or None if it is none."""
    cone = _Squared(loss, f, 0)
    for c in range(loss.d):
        cone.program.equal({c: loss.zero + 1}, P[c])
    cone.program.equal({loss.d: loss.zero + 1}, loss.zero)
    best = cone.program.maximize({})
    if isinstance(best, Infeasible):
        return None
    table = [[loss.zero] * loss.d for _ in range(loss.d)]
    for q, (y, _, _, p) in enumerate(cone.parts):
        table[y][p.c] = best.x[loss.d + 1 + q]
    return tuple(fractions(row) for row in table)


def squared_losses(loss: PointLoss, f: Sequence[Number]) -> list[Number]:
    return [
        sum((slack(group, f, loss.zero) ** 2 for group in groups), loss.zero)
        for groups in loss.groups
    ]


def _evidence(loss: PointLoss, f: Sequence[Number], k: int, P: Vector) -> Counterexample:
    j = bayes_classes(P)[0]
    proof = squared_multipliers(loss, f, P)
    assert proof is not None
    around = _neighbourhood(loss, f, k, j, P)
    sure = [rational(Fraction(int(c == j))) for c in range(loss.d)]
    _, bayes_scores = lowest(loss, P, minimum(loss, sure).face)

    def risk(scores: Sequence[Number]) -> Fraction:
        total = sum(
            (p * v for p, v in zip(P, squared_losses(loss, scores), strict=True)), loss.zero
        )
        return fractions([total])[0]

    return Counterexample(
        fractions(P),
        fractions(f),
        k,
        j,
        risk(f),
        proof,
        None,
        None if around is None else around[0],
        None if around is None else around[1],
        fractions(bayes_scores),
        risk(bayes_scores),
    )


def _neighbourhood(
    loss: PointLoss, f: Sequence[Number], k: int, j: int, P: Vector
) -> tuple[Fraction, tuple[Table, ...]] | None:
    """A radius s > 0 such that f minimises, and stays wrong, at each P + s (e_i - 1/d), by halving; None if there is none."""
    if min(P) <= 0 or len(bayes_classes(P)) > 1:
        return None
    radius = min([*P, *(P[j] - v for c, v in enumerate(P) if c != j)]) / 2
    for _ in range(6):
        tables = []
        for i in range(loss.d):
            near = [
                v + radius * ((c == i) - rational(Fraction(1, loss.d))) for c, v in enumerate(P)
            ]
            tables.append(squared_multipliers(loss, f, near))
        if all(t is not None for t in tables):
            return fractions([radius])[0], tuple(t for t in tables if t is not None)
        radius = radius / 2
    return None
