"""The decision procedure: search for bad (P, f), and leave a proof where there is none.

Bad means: f minimises R_P, k is among f's largest scores, and P_j > P_k. For one (k, j) the procedure keeps a region
of scores, given by the signs of some violations and of differences of violations. In each region it

1. finds scores f strictly inside (an exact linear program), or proves the region empty;
2. asks for the worst P that f minimises (optimality.py). A bad one is a counterexample, and the search is over;
3. otherwise duality gives a direction u with  R_P'(f; u) < 0 for every bad P. That depends on f only through the few
   signs that bound the directional derivatives; those signs carve out a sub-region in which u proves that nothing is
   bad, and the search goes on in the rest.

There is no box and no vertex enumeration: unbounded minimiser sets, rays and lines need no special care, because
optimality of f is a local statement (step 2) and every region has finitely many signs to decide.
The idea of deciding Fisher consistency over the cells of the loss is MATH section 6's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from msvm_ref.errors import SpecError
from msvm_ref.fisher.loss import Component, Number, PointLoss, Vector, dot
from msvm_ref.fisher.optimality import WorstProbability, active_groups, worst_probability
from msvm_ref.fisher.region import Constraint, Nothing, above, centred, inside

Affine = tuple[Vector, Number]
MODES = ("closed", "generic", "open")
"""From the most demanding sense of consistency to the least: what is bad in a later sense is bad in the earlier."""
NODE_LIMIT = 20_000


@dataclass(frozen=True)
class RawDescent:
    worst: WorstProbability


@dataclass(frozen=True)
class RawSplit:
    h: Affine
    children: tuple[RawNode, RawNode, RawNode]
    """h < 0, h = 0, h > 0"""


RawNode = Nothing | RawDescent | RawSplit


@dataclass(frozen=True)
class Bad:
    """f minimises R_P and predicts k, but j is likelier; ``worst`` has P and the multipliers."""

    f: Vector
    k: int
    j: int
    worst: WorstProbability


class TooManyRegionsError(SpecError):
    """The search was given up: no verdict."""


class CounterexampleFound(Exception):  # noqa: N818 - not an error: it carries the counterexample out of the recursion
    def __init__(self, bad: Bad) -> None:
        self.bad = bad
        super().__init__()


@dataclass
class Search:
    """One case (k, j): the region's constraints and the signs decided so far."""

    loss: PointLoss
    k: int
    j: int
    mode: str
    constraints: list[Constraint]
    tick: Callable[[], None]
    signs: dict[Affine, int] = field(default_factory=dict)

    def run(self) -> RawNode:
        self.tick()
        f = inside(self.constraints, self.loss.d, self.loss.zero)
        if isinstance(f, Nothing):
            return f
        for mode in MODES[
            : MODES.index(self.mode) + 1
        ]:  # what excludes a bad P in a weaker sense excludes it here too
            worst = worst_probability(self.loss, f, self.k, self.j, mode)
            if worst.value <= 0:
                break
        if worst.value > 0:
            raise CounterexampleFound(Bad(f, self.k, self.j, worst))
        return self._split(needed_signs(self.loss, f, worst.directions), worst)

    def _split(self, needed: list[tuple[Affine, int]], worst: WorstProbability) -> RawNode:
        """Decide the needed signs one after another; the branch that agrees with all of them ends in ``worst``."""
        for i, (h, sign) in enumerate(needed):
            if h not in self.signs:
                rest = needed[i + 1 :]
                children = []
                for branch in (-1, 0, 1):
                    with_sign = self._with(h, branch)
                    children.append(
                        with_sign._split(rest, worst) if branch == sign else with_sign.run()
                    )
                return RawSplit(h, (children[0], children[1], children[2]))
        return RawDescent(worst)

    def _with(self, h: Affine, sign: int) -> Search:
        normal, constant = h
        if sign < 0:
            normal, constant = tuple(-v for v in normal), -constant
        added = Constraint(normal, constant, ">" if sign else "=")
        return Search(
            self.loss,
            self.k,
            self.j,
            self.mode,
            [*self.constraints, added],
            self.tick,
            {**self.signs, h: sign},
        )


def needed_signs(
    loss: PointLoss, f: Sequence[Number], directions: Sequence[Vector]
) -> list[tuple[Affine, int]]:
    """The signs at f that pin down the bounds on the directional derivatives of every group along every direction.

    Along u the component p moves at rate tau_p = -<nu_p, u>, and a group at
        max of tau_p over active p, and of 0 where the slack is 0.
    Knowing nothing, the bound is max(0, max tau_p). It drops to the true value once every p with a larger tau_p is
    known to lie below an active one (or below 0), and, where the true value is negative, once the slack is known > 0.
    """
    needed: dict[Affine, int] = {}
    at = iter(active_groups(loss, f))
    for groups in loss.groups:
        for group in groups:
            active = next(at)
            for u in directions:
                rates = {p.c: -dot(p.nu, u) for p in group}
                value = max(
                    [rates[p.c] for p in active.parts] + ([] if active.positive else [loss.zero])
                )
                for p in group:
                    if p not in active.parts and rates[p.c] > value:
                        h, sign = normalized(p, active.parts[0] if active.positive else None)
                        needed[h] = -sign
                if active.positive and value < 0:
                    h, sign = normalized(active.parts[0], None)
                    needed[h] = sign
    return list(needed.items())


def normalized(p: Component, q: Component | None) -> tuple[Affine, int]:
    """t_p - t_q (or t_p) scaled so that its first non-zero coefficient is 1, and the sign of the scaling."""
    normal, constant = tuple(-v for v in p.nu), p.gamma
    if q is not None:
        normal, constant = (
            tuple(v + w for v, w in zip(normal, q.nu, strict=True)),
            constant - q.gamma,
        )
    lead = next(v for v in normal if v)
    return (tuple(v / lead for v in normal), constant / lead), 1 if lead > 0 else -1


def root(loss: PointLoss, k: int, ordered: bool) -> list[Constraint]:
    """sum f = 0 where demanded, and f_k at the top: above each other class, or (sorted) f_0 >= f_1 >= ... ."""
    d, zero = loss.d, loss.zero
    pairs = [(c, c + 1) for c in range(d - 1)] if ordered else [(k, c) for c in range(d) if c != k]
    order = [above(high, low, d, zero) for high, low in pairs]
    return [centred(d, zero), *order] if loss.sum_to_zero else order


def search(
    loss: PointLoss,
    mode: str,
    symmetric: bool,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[tuple[int, int, RawNode]] | Bad:
    """Every case's tree, or the first bad (P, f)."""
    d, count = loss.d, 0

    def tick() -> None:
        nonlocal count
        count += 1
        if count > NODE_LIMIT:
            raise TooManyRegionsError(
                "machine",
                f"be decidable within {NODE_LIMIT} regions",
                "more",
                "use fewer classes, or minimize_risk at the P you care about",
            )

    pairs = (
        [(0, j) for j in range(1, d)]
        if symmetric
        else [(k, j) for k in range(d) for j in range(d) if j != k]
    )
    trees: list[tuple[int, int, RawNode]] = []
    try:
        for done, (k, j) in enumerate(pairs):
            progress(done, len(pairs))
            trees.append((k, j, Search(loss, k, j, mode, root(loss, k, symmetric), tick).run()))
    except CounterexampleFound as carrier:
        return carrier.bad
    finally:
        progress(len(pairs), len(pairs))
    return trees
