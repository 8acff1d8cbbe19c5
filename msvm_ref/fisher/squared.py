"""Fisher consistency under the squared hinge: an exchange argument that one linear program settles, or a counterexample.

    L_y(f) = sum over slacks r of xi_r(f)^2,     xi_r = max(0, max_{p in r} t_p),     t_p(f) = gamma_p - <nu_p, f>

Let the machine treat classes alike and every slack be a component's own, so that L_y is differentiable. Suppose f
minimises R_P, k is in argmax f, and P_j > P_k. Exchanging j and k takes component (k, c) to (j, c'), c' being c with j
and k exchanged, and

    t_{j,c'}(f) - t_{k,c}(f) = a_c (f_k - f_j),      a_c = nu_{k,c}[k] - nu_{k,c}[j].

Let a_c >= 0 throughout (mu_k must not gain more from f_j than from f_k), so L_j(f) >= L_k(f). f is no worse than f exchanged:
(P_k - P_j) (L_k(f) - L_j(f)) <= 0, so L_k(f) = L_j(f), term by term. If f_k > f_j this means t_{j,c'}(f) <= 0 for every c with
a_c > 0. If f_k = f_j, moving along e_j - e_k changes the risk at the rate -2 (P_j - P_k) sum_c a_c max(0, t_{j,c'}), which
must be 0: the same again. So every bad f lies in the polyhedron

    E = { f : f_k >= f_m for all m,  t_{j,c'}(f) <= 0 for all c with a_c > 0 }        (k, j = 1, 2 without loss)

and if E is empty the machine is consistent, closed. Where it is not, P > 0 (generic and open mode) can shrink it: if along some
direction u no component of positive slack on E gets worse, the ones that get better must have slack 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msvm_ref.errors import SpecError
from msvm_ref.exact.lp import Infeasible, Optimum, Program, UnboundedError
from msvm_ref.exact.numbers import fraction, fractions
from msvm_ref.fisher.loss import Component, PointLoss, Vector, dot
from msvm_ref.fisher.region import Constraint, Nothing, above, centred, inside

K, J = 0, 1
"""The predicted and the likelier class; classes being alike, one pair stands for all."""
Rationals = tuple[Fraction, ...]


@dataclass(frozen=True)
class Step:
    """Along ``direction`` nothing on E gets worse, so components ``forced`` (y, c) that get better have slack 0.

    ``known``: for each (y, c) that would get worse, multipliers of E's constraints that prove t_{y,c} <= 0 on E.
    """

    direction: Rationals
    forced: tuple[tuple[int, int], ...]
    known: tuple[tuple[int, int, Rationals], ...]


@dataclass(frozen=True)
class SquaredProof:
    """``steps`` shrink E (none in closed mode), and ``empty`` combines what is left of it into a contradiction."""

    d: int
    mode: str
    steps: tuple[Step, ...]
    empty: Rationals

    @property
    def leaves(self) -> int:
        """How many inequalities the proof consists of."""
        return 1 + sum(len(s.known) for s in self.steps)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "exchange",
            "d": self.d,
            "mode": self.mode,
            "steps": [
                {
                    "direction": [str(v) for v in s.direction],
                    "forced": [list(pair) for pair in s.forced],
                    "known": [
                        {"y": y, "c": c, "multipliers": [str(v) for v in m]} for y, c, m in s.known
                    ],
                }
                for s in self.steps
            ],
            "empty": [str(v) for v in self.empty],
        }


def own_slacks(loss: PointLoss) -> PointLoss:
    """The loss with every group reduced to components that differ on the score space; each must be left with one."""
    groups = []
    for y in range(loss.d):
        mine = []
        for group in loss.groups[y]:
            kept: dict[Vector, Component] = {}
            for p in group:
                mean = sum(p.nu, loss.zero) / loss.d if loss.sum_to_zero else loss.zero
                kept.setdefault((*(v - mean for v in p.nu), p.gamma), p)
            if len(kept) > 1:
                raise SpecError(
                    "cost",
                    "be decidable: squared slacks shared by several components are kinked where they tie",
                    f"{len(kept)} components in one slack, and no counterexample found",
                    "this case is open; minimize_risk answers at the P you care about",
                )
            mine.append((next(iter(kept.values())),))
        groups.append(tuple(mine))
    return PointLoss(loss.d, tuple(groups), loss.sum_to_zero, loss.zero)


def exchange_proof(loss: PointLoss, symmetric: bool, mode: str) -> SquaredProof | None:
    """A proof of consistency, None if E is not empty; a SpecError where the argument does not apply."""
    if not symmetric:
        raise SpecError(
            "machine",
            "treat all classes alike to be decided with the squared hinge",
            "one that does not, and no counterexample found",
            "this case is open; minimize_risk answers at the P you care about",
        )
    plain = own_slacks(loss)
    region = exceptional(plain)
    steps: list[Step] = []
    while True:
        left = inside(region, plain.d, plain.zero)
        if isinstance(left, Nothing):
            return SquaredProof(plain.d, mode, tuple(steps), fractions(left.multipliers))
        step = None if mode == "closed" else _shrink(plain, region)
        if step is None:
            return None
        steps.append(step)
        region = [*region, *(_at_most_zero(_component(plain, y, c)) for y, c in step.forced)]


def exceptional(loss: PointLoss) -> list[Constraint]:
    """E, constraint by constraint: sum f = 0 where demanded, f_k >= f_m, t_{j,c'} <= 0 for a_c > 0 in the order of c."""
    d, zero = loss.d, loss.zero
    region = [centred(d, zero)] if loss.sum_to_zero else []
    region += [above(K, m, d, zero) for m in range(d) if m != K]
    for group in loss.groups[K]:
        gain = group[0].nu[K] - group[0].nu[J]
        if gain < 0:
            raise SpecError(
                "margin",
                "gain from its own score at least what it gains from a rival's",
                f"mu_{group[0].c + 1}(f, y=1) with slopes {group[0].nu[K]} and {group[0].nu[J]}",
                "the squared hinge is undecided for such margins; use minimize_risk",
            )
        if gain > 0:
            exchanged = {K: J, J: K}.get(group[0].c, group[0].c)
            region.append(_at_most_zero(_component(loss, J, exchanged)))
    return region


def _component(loss: PointLoss, y: int, c: int) -> Component:
    """Component (y, c), or the one of its slack that stands for it."""
    component = next((g[0] for g in loss.groups[y] if g[0].c == c), None)
    return component if component is not None else loss.groups[y][0][0]


def _at_most_zero(p: Component) -> Constraint:
    """t_p <= 0 as <nu, f> - gamma >= 0"""
    return Constraint(p.nu, -p.gamma, ">=")


def _shrink(loss: PointLoss, region: Sequence[Constraint]) -> Step | None:
    """A direction along which P > 0 forces some slack to 0 that E does not force already."""
    bounds: dict[tuple[int, int], Rationals | None] = {}

    def bound(y: int, c: int) -> Rationals | None:
        if (y, c) not in bounds:
            bounds[y, c] = _never_positive(_component(loss, y, c), region, loss)
        return bounds[y, c]

    parts = [(y, g[0]) for y in range(loss.d) for g in loss.groups[y]]
    for u in _directions(loss):
        slopes = [(y, p.c, dot(p.nu, u)) for y, p in parts]
        worse = [(y, c) for y, c, s in slopes if s < 0]
        better = [(y, c) for y, c, s in slopes if s > 0]
        if all(bound(y, c) is not None for y, c in worse):
            forced = tuple((y, c) for y, c in better if bound(y, c) is None)
            if forced:
                known = tuple((y, c, m) for y, c in worse if (m := bound(y, c)) is not None)
                return Step(fractions(u), forced, known)
    return None


def _directions(loss: PointLoss) -> list[Vector]:
    d, zero, one = loss.d, loss.zero, loss.zero + 1
    unit = [tuple(one if m == i else zero for m in range(d)) for i in range(d)]
    pairs = [tuple(a - b for a, b in zip(u, v, strict=True)) for u in unit for v in unit if u != v]
    return pairs if loss.sum_to_zero else [*pairs, *unit, *(tuple(-v for v in u) for u in unit)]


def _never_positive(
    p: Component, region: Sequence[Constraint], loss: PointLoss
) -> Rationals | None:
    """Multipliers m with t_p + sum_i m_i (constraint i) = a constant <= 0, or None where t_p > 0 somewhere on the region."""
    program = Program(loss.zero, [True] * loss.d)
    order: list[tuple[bool, int]] = []
    for c in region:
        row = {m: -v for m, v in enumerate(c.normal) if v}
        rows = program.eq if c.kind == "=" else program.ub
        order.append((c.kind == "=", len(rows)))
        (program.equal if c.kind == "=" else program.at_most)(row, c.constant)
    try:
        best = program.maximize({m: -v for m, v in enumerate(p.nu) if v})
    except UnboundedError:
        return None
    if isinstance(best, Infeasible) or best.value + p.gamma > 0:
        return None
    return tuple(fraction(_dual(best, equal, i)) for equal, i in order)


def _dual(best: Optimum, equal: bool, i: int) -> Any:
    return (best.y_eq if equal else best.y_ub)[i]
