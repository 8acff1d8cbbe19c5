"""A loss vector in rationals: the loss of one example and the whole subdifferential, recomputed from nu, gamma and groups.

    t_p = gamma[y][p] - <nu[y][p], f>,   slope_p = -nu[y][p],   xi_r = max(0, max_{p in r} t_p),   L = sum_r xi_r^q
    dL  = base + sum_j [0, 1] segments_j + hull(points)

f and every slope have their mean over the classes taken out under sum-to-zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .machines import MACHINES, RIVAL, label
from .shape import CLASSES, DECIMAL, RATIONAL, TEXT, machine_misfits, misfits, too_long
from .values import Row, Vector, dot, rationals, texts

ZERO = Fraction(0)
CASES = {
    "ordinary": "away from every kink",
    "zero-loss": "every margin exceeds its target",
    "equal-scores": "all scores are equal",
    "on-margin": "a margin is exactly its target",
    "tie": "the largest violation is attained more than once",
    "corner": "several kinks meet",
}


@dataclass(frozen=True)
class LossAt:
    """What follows from a machine, scores, a class and a power: the loss, and its subdifferential by its three parts."""

    value: Fraction
    base: Row
    segments: list[Row]
    points: list[Row]
    flags: frozenset[str]

    def member(self, shares: Row, weights: Row) -> Row:
        """base + sum shares_j segments_j + sum weights_k points_k"""
        columns = [
            *zip(shares, self.segments, strict=True),
            *zip(weights, self.points, strict=True),
        ]
        return [
            start + sum((share * column[m] for share, column in columns), ZERO)
            for m, start in enumerate(self.base)
        ]

    def support(self, direction: Row) -> Fraction:
        """max over members g of <direction, g>"""
        total = dot(self.base, direction)
        total += sum((max(ZERO, dot(s, direction)) for s in self.segments), ZERO)
        return total + max((dot(p, direction) for p in self.points), default=ZERO)


def centred(row: Row) -> Row:
    mean = sum(row, ZERO) / len(row)
    return [v - mean for v in row]


def loss_at(machine: dict[str, Any], f: Row, y: int, quadratic: bool) -> LossAt:
    """The loss and its subdifferential; ``machine`` as in the file, its numbers as strings."""
    d, project = len(f), centred if machine["sum_to_zero"] else list
    gamma, nu = rationals(machine["gamma"][y]), rationals(machine["nu"][y])
    base, value = [ZERO] * d, ZERO
    segments: list[Row] = []
    points: list[Row] = []
    flags, kinks = set(), 0
    for group in machine["groups"][y]:
        t = {p: gamma[p] - dot(project(nu[p]), f) for p in group}
        slope = {p: [-v for v in project(nu[p])] for p in group}
        slack = max(ZERO, *t.values())
        value += slack ** (2 if quadratic else 1)
        top = [p for p in group if t[p] == slack]
        if ZERO in t.values():
            flags.add("on-margin")
        if slack > 0 and len(top) > 1:
            flags.add("tie")
        rate = 2 * slack if quadratic else Fraction(1)
        if not top or not rate:
            continue
        if slack > 0 and len(top) == 1:
            base = [b + rate * s for b, s in zip(base, slope[top[0]], strict=True)]
        elif len(group) == 1:
            segments += [slope[top[0]]] * any(slope[top[0]])
        else:
            corners = {tuple(rate * s for s in slope[p]) for p in top}
            corners |= {(ZERO,) * d} if slack == 0 else set()
            points = [list(corner) for corner in sorted(corners)]
    kinks = len(segments) + max(0, len(points) - 1)
    flags |= {"kink"} if kinks else {"smooth"}
    flags |= {"corner"} if kinks > 1 else set()
    flags |= {"zero-loss"} if value == 0 else set()
    flags |= {"equal-scores"} if len(set(f)) == 1 else set()
    flags |= (
        {"ordinary"}
        if kinks == 0 and not flags & {"on-margin", "tie", "equal-scores", "zero-loss"}
        else set()
    )
    return LossAt(value, base, segments, points, frozenset(flags))


def of_vector(vector: Vector, machines: dict[str, Any]) -> LossAt:
    f = rationals(vector["scores"])
    return loss_at(machines[str(len(f))], f, vector["y"], vector["cost"] == "quadratic")


def rival_of(machine: dict[str, Any]) -> dict[str, Any]:
    """The machine it is most easily mistaken for, at the same number of classes."""
    name = RIVAL[machine["name"]]
    return MACHINES[name].at(name, len(machine["gamma"]))


def flags_of(vector: Vector, machines: dict[str, Any]) -> list[str]:
    machine = machines[str(len(vector["scores"]))]
    at, rival = of_vector(vector, machines), rival_of(machine)
    other = loss_at(rival, rationals(vector["scores"]), vector["y"], vector["cost"] == "quadratic")
    both = f"discriminates:{label(machine['name'])}/{label(rival['name'])}"
    return sorted(at.flags | ({both} if other.value != at.value else set()))


def identity(vector: Vector, machine: dict[str, Any]) -> tuple[str, str]:
    """(the id without its last word, the last word): machine, cost, d, and the case."""
    head = f"loss-{label(machine['name'])}-{vector['cost']}-d{len(vector['scores'])}-"
    return head, str(vector["id"])[len(head) :]


def comment(vector: Vector, machine: dict[str, Any], case: str) -> str:
    return f"{machine['name']}, class {vector['y']} of {len(vector['scores'])}: {CASES.get(case, 'no such case')}"


def header_misfits(document: dict[str, Any]) -> list[str]:
    """Of a loss file apart from its vectors: the machine at every number of classes is the one of its name."""
    machines = document.get("machines")
    if not isinstance(machines, dict) or not machines:
        return ["machines is not an object with a machine for each number of classes"]
    names = {label(name): name for name in MACHINES}
    faults = []
    for key, machine in machines.items():
        if key not in [str(d) for d in range(2, CLASSES + 1)]:
            faults.append(f"machines.{key[:20]} is no number of classes 2 ... {CLASSES}")
            continue
        faults += too_long(machine) or machine_misfits(machine, int(key), f"machines.{key}")
        if not faults and machine["name"] != names.get(str(document.get("machine"))):
            faults.append(
                f"machines.{key} is not the file's, {str(document.get('machine'))[:60]!r}"
            )
    return faults


def loss_misfits(vector: Any, machines: dict[str, Any]) -> list[str]:
    """Everything about a valid loss vector's form that is not as it must be."""
    scores, y = vector.get("scores"), vector.get("y")
    if not isinstance(scores, list) or str(len(scores)) not in machines:
        return ["scores is not a list of a number of classes that machines has"]
    if long := too_long(vector):
        return long
    d = len(scores)
    if type(y) is not int or not 0 <= y < d:
        return [f"y is not a class 0 ... {d - 1}"]
    parts = vector.get("subdifferential")
    parts = parts if isinstance(parts, dict) else {}
    counts = [
        len(v) if isinstance(v, list) else 0 for v in (parts.get("segments"), parts.get("points"))
    ]
    return misfits(
        vector,
        {
            "id": TEXT,
            "result": ["valid"],
            "comment": TEXT,
            "flags": list,
            "cost": ["linear", "quadratic"],
            "scores": (DECIMAL, d),
            "y": int,
            "loss": RATIONAL,
            "subdifferential": {
                "base": (RATIONAL, d),
                "segments": ((RATIONAL, d), counts[0]),
                "points": ((RATIONAL, d), counts[1]),
            },
            "subgradient": (RATIONAL, d),
            "shares": (RATIONAL, counts[0]),
            "weights": (RATIONAL, counts[1]),
        },
        "vector",
    )


def verify_loss(vector: Vector, machines: dict[str, Any]) -> list[str]:
    """What is wrong with a valid loss vector; nothing if everything it says follows."""
    faults = loss_misfits(vector, machines)
    if faults:
        return faults
    at, machine = of_vector(vector, machines), machines[str(len(vector["scores"]))]
    head, case = identity(vector, machine)
    told: dict[str, tuple[Any, Any]] = {
        "loss": (str(at.value), vector["loss"]),
        "subdifferential": (
            {"base": texts(at.base), "segments": texts(at.segments), "points": texts(at.points)},
            vector["subdifferential"],
        ),
        "flags": (flags_of(vector, machines), vector["flags"]),
        "id": (head + case, vector["id"]),
        "comment": (comment(vector, machine, case), vector["comment"]),
    }
    faults = [
        f"{name} must be {right}, not {said}"
        for name, (right, said) in told.items()
        if right != said
    ]
    if faults:
        return faults
    shares, weights = rationals(vector["shares"]), rationals(vector["weights"])
    faults = not_weights(shares, weights)
    if not faults and texts(at.member(shares, weights)) != vector["subgradient"]:
        faults = ["subgradient is not the member that shares and weights say"]
    return faults + ["id names a case that is not among the flags"] * (
        case not in CASES or case not in vector["flags"]
    )


def not_weights(shares: Row, weights: Row) -> list[str]:
    """Shares lie in [0, 1]; weights are not negative and sum to 1, where there are any."""
    faults = ["a share is not between 0 and 1"] * any(not 0 <= s <= 1 for s in shares)
    wrong = any(w < 0 for w in weights) or (bool(weights) and sum(weights, ZERO) != 1)
    return faults + ["weights are negative or do not sum to 1"] * wrong
