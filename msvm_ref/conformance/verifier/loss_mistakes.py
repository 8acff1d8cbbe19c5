"""Is an invalid loss vector wrong, by as much as it says, and is its candidate what its reason says it is?

A wrong loss is compared with the exact one. A wrong subgradient g is proved to be one by a direction h, |h_0| + ... = 1:

    <h, g> - max over members s of <h, s>   =   max_m |g_m - nearest_m|   =   the distance of g from the subdifferential
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .losses import LossAt, loss_at, not_weights, of_vector, rival_of
from .shape import RATIONAL, TEXT, misfits, too_long
from .values import Row, Vector, decimal, dot, rationals

ZERO = Fraction(0)
Machine = dict[str, Any]


def _value(machine: Machine, f: Row, vector: Vector, y: int | None = None) -> Fraction:
    label = vector["y"] if y is None else y
    return loss_at(machine, f, label, vector["cost"] == "quadratic").value


def _times(f: Row, factor: Fraction) -> Row:
    return [factor * v for v in f]


def _all_counted(machine: Machine) -> Machine:
    """Every component counted, in the way the machine counts: each its own slack, or one for all."""
    d, shared = len(machine["gamma"]), machine["aggregation"].endswith("max")
    group = [list(range(d))] if shared else [[p] for p in range(d)]
    return machine | {"groups": [group for _ in range(d)]}


def _slacks(machine: Machine, f: Row, vector: Vector) -> list[Fraction]:
    one = [machine | {"groups": [[group]] * len(f)} for group in machine["groups"][vector["y"]]]
    return [loss_at(each, f, vector["y"], False).value for each in one]


LOSSES: dict[str, tuple[str, Callable[[Machine, Row, Vector], Fraction]]] = {
    "twice-the-margin": (
        "scores are taken twice: margin f_y - f_c for half of it, or a scale of its own",
        lambda m, f, v: _value(m, _times(f, Fraction(2)), v),
    ),
    "other-machine": ("the loss of {rival}", lambda m, f, v: _value(rival_of(m), f, v)),
    "other-cost": (
        "the {other_cost} cost",
        lambda m, f, v: _value(m, f, v | {"cost": _other_cost(v)}),
    ),
    "divided-by-d": ("divided by the number of classes", lambda m, f, v: _value(m, f, v) / len(f)),
    "true-class-counted": (
        "the true class is counted among the rivals",
        lambda m, f, v: _value(_all_counted(m), f, v),
    ),
    "sign-flip": (
        "the scores have the wrong sign",
        lambda m, f, v: _value(m, _times(f, Fraction(-1)), v),
    ),
    "next-label": (
        "the label is off by one",
        lambda m, f, v: _value(m, f, v, (v["y"] + 1) % len(f)),
    ),
    "not-centred": (
        "scores that do not sum to zero are taken as they are",
        lambda m, f, v: _value(m | {"sum_to_zero": False}, f, v),
    ),
    "half-the-square": ("half the square", lambda m, f, v: _value(m, f, v) / 2),
    "square-of-the-sum": (
        "the square of the sum of slacks, not the sum of their squares",
        lambda m, f, v: sum(_slacks(m, f, v), ZERO) ** 2,
    ),
    "no-hinge": ("violations are not cut off at zero", lambda m, f, v: _without_hinge(m, f, v)),
}


def _without_hinge(machine: Machine, f: Row, vector: Vector) -> Fraction:
    y, power = vector["y"], 2 if vector["cost"] == "quadratic" else 1
    nu, gamma = rationals(machine["nu"][y]), rationals(machine["gamma"][y])
    mean = sum(f, ZERO) / len(f) if machine["sum_to_zero"] else ZERO
    g = [v - mean for v in f]
    return sum(
        (max(gamma[p] - dot(nu[p], g) for p in group) ** power for group in machine["groups"][y]),
        ZERO,
    )


def _other_cost(vector: Vector) -> str:
    return "linear" if vector["cost"] == "quadratic" else "quadratic"


def _along_segments(at: LossAt, share: Fraction) -> Row:
    return at.member(
        [share] * len(at.segments), [Fraction(int(k == 0)) for k in range(len(at.points))]
    )


def _uncentred(machine: Machine, f: Row, vector: Vector) -> Row:
    free = machine | {"sum_to_zero": False}
    mean = sum(f, ZERO) / len(f)
    at = loss_at(free, [v - mean for v in f], vector["y"], vector["cost"] == "quadratic")
    return _along_segments(at, ZERO)


def _hinge_slope(machine: Machine, f: Row, vector: Vector) -> Row:
    at = loss_at(machine, f, vector["y"], False)
    return _along_segments(at, ZERO)


def _at(machine: Machine, f: Row, vector: Vector) -> LossAt:
    return loss_at(machine, f, vector["y"], vector["cost"] == "quadratic")


SLOPES: dict[str, tuple[str, Callable[[Machine, Row, Vector], Row]]] = {
    "gradient-negated": (
        "the gradient points uphill",
        lambda m, f, v: _times(rationals(v["subgradient"]), Fraction(-1)),
    ),
    "gradient-doubled": (
        "twice a subgradient",
        lambda m, f, v: _times(rationals(v["subgradient"]), Fraction(2)),
    ),
    "gradient-own-class-forgotten": (
        "the true class has no share in the gradient",
        lambda m, f, v: [
            ZERO if k == v["y"] else s for k, s in enumerate(rationals(v["subgradient"]))
        ],
    ),
    "gradient-not-centred": (
        "the mean over the classes is not taken out of the gradient",
        _uncentred,
    ),
    "gradient-of-the-hinge": ("the gradient of the linear cost", _hinge_slope),
    "gradient-beyond-the-kink": (
        "a component on its margin counts one and a half times",
        lambda m, f, v: _along_segments(_at(m, f, v), Fraction(3, 2)),
    ),
    "gradient-before-the-kink": (
        "a component on its margin counts minus one half",
        lambda m, f, v: _along_segments(_at(m, f, v), Fraction(-1, 2)),
    ),
    "gradient-all-ties": (
        "every component that attains the largest violation counts in full",
        lambda m, f, v: [
            b + sum((p[k] for p in _at(m, f, v).points), ZERO)
            for k, b in enumerate(_at(m, f, v).base)
        ],
    ),
}


def reason(mistake: str, vector: Vector, machine: Machine) -> str:
    words = (LOSSES | SLOPES)[mistake][0]
    return words.format(rival=rival_of(machine)["name"], other_cost=_other_cost(vector))


def verify_wrong_loss(vector: Vector, base: Vector, machines: dict[str, Any]) -> list[str]:
    """What is wrong with an invalid loss vector: nothing if its candidate is wrong by its size, for the stated reason."""
    if long := too_long(vector):
        return long
    d, mistake = len(base["scores"]), str(vector.get("id")).rpartition("/")[2]
    if mistake not in LOSSES | SLOPES:
        return [f"id must be the problem's, a slash, and one of {', '.join(LOSSES | SLOPES)}"]
    machine, at = machines[str(d)], of_vector(base, machines)
    is_slope = mistake in SLOPES
    shape: dict[str, Any] = {
        "id": [f"{base['id']}/{mistake}"],
        "result": ["invalid"],
        "problem": [base["id"]],
        "reason": [reason(mistake, base, machine)],
        "fault": ["subgradient" if is_slope else "loss"],
        "size": TEXT,
        "candidate": {"subgradient": (RATIONAL, d)} if is_slope else {"loss": RATIONAL},
    }
    if is_slope:
        shape["evidence"] = {
            "direction": (RATIONAL, d),
            "shares": (RATIONAL, len(at.segments)),
            "weights": (RATIONAL, len(at.points)),
        }
    faults = misfits(vector, shape, "vector")
    if faults:
        return faults
    f = rationals(base["scores"])
    if is_slope:
        candidate = rationals(vector["candidate"]["subgradient"])
        if candidate != SLOPES[mistake][1](machine, f, base):
            return ["the candidate is not what its reason says"]
        size, faults = proved_distance(at, candidate, vector["evidence"])
    else:
        wrong = Fraction(vector["candidate"]["loss"])
        if wrong != LOSSES[mistake][1](machine, f, base):
            return ["the candidate is not what its reason says"]
        size = wrong - at.value
    faults += ["the candidate is right"] * (not faults and not size)
    if not faults and vector["size"] != decimal(size, 4):
        faults.append(f"the size is {decimal(size, 4)}, not {vector['size']}")
    return faults


def proved_distance(at: LossAt, g: Row, evidence: dict[str, Any]) -> tuple[Fraction, list[str]]:
    """The distance that direction and nearest member prove from both sides, and why they prove none."""
    h, shares, weights = (rationals(evidence[name]) for name in ("direction", "shares", "weights"))
    faults = not_weights(shares, weights)
    if faults:
        return ZERO, faults
    nearest = at.member(shares, weights)
    away = max(abs(a - b) for a, b in zip(g, nearest, strict=True))
    below = dot(h, g) - at.support(h)
    if sum(map(abs, h), ZERO) != 1:
        return ZERO, ["the direction's entries do not sum to 1 in size"]
    if below != away:
        return ZERO, [f"the direction proves a distance of {below}, the nearest member {away}"]
    return away, []
