"""A machine's coefficients as plain numbers, worked out once for each number of classes.

    mu_y = own g_y,   mu_c = true g_y + rival g_c  (c != y)      where the machine treats all classes alike
    mu_c = sum_m nu[y,c,m] g_m                                   where it does not

g are the scores f themselves, or f minus their mean where the machine asks for scores that sum to zero: a loss of free
scores must centre them, or LLW, MMR, AMO, ATM, ATS and RM would be made 0 by pushing all scores down together.
"""

from __future__ import annotations

from typing import NamedTuple

from msvm_ref.model.machine import Machine, Margin, Target

Rows = list[list[float]]
MOST_PLANS = 1024
_PLANS: dict[tuple[Machine, int], Plan] = {}


class Plan(NamedTuple):
    """``margin`` is (own, true, rival) or None, then ``nu`` is there; ``target`` is (own, other) or None, then ``gamma`` is."""

    margin: tuple[float, float, float] | None
    nu: list[Rows] | None
    target: tuple[float, float] | None
    gamma: Rows | None
    counts_own: bool
    counts_others: bool
    shared: bool
    centred: bool
    shift_free: bool
    """Does a common shift of the scores change no margin? Then only differences of scores are used."""
    capped: bool
    width: float
    """The slack's cost by the two numbers of ``model/cost.py``."""


def plan(machine: Machine, d: int) -> Plan:
    key = (machine, d)
    if key not in _PLANS:
        if len(_PLANS) >= MOST_PLANS:
            _PLANS.clear()
        _PLANS[key] = _made(machine, d)
    return _PLANS[key]


def _made(machine: Machine, d: int) -> Plan:
    margin, target, components = machine.margin, machine.target, machine.aggregation.components
    own, others = (components in (part, "all") for part in ("self", "others"))
    alike = nu = pair = gamma = None
    if isinstance(margin, Margin):  # d^3 entries would say no more
        alike = float(margin.own), float(margin.true), float(margin.rival)
        sums = [margin.own] * own + [margin.true + margin.rival] * others
        shift_free = machine.sum_to_zero or not any(sums)
    else:
        exact = machine.projected_nu(d)
        nu = [[[float(v) for v in row] for row in plane] for plane in exact]
        shift_free = not any(
            sum(exact[y][c]) for y in range(d) for c in range(d) if (own if c == y else others)
        )
    if isinstance(target, Target):
        pair = float(target.own + target.own_per_rival * (d - 1)), float(target.other)
    else:
        gamma = [[float(v) for v in row] for row in machine.gamma(d)]
    return Plan(
        alike,
        nu,
        pair,
        gamma,
        own,
        others,
        machine.aggregation.slack == "shared",
        machine.sum_to_zero,
        shift_free,
        machine.slack_cost.capped,
        float(machine.slack_cost.width),
    )


setattr(plan, "_dynamo_marked_constant", True)  # noqa: B010 (what torch.compiler.assume_constant_result sets, without torch)
