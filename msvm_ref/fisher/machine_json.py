"""A machine at d classes as JSON, and back: what a stored result is about, so that it can be re-checked elsewhere."""

from __future__ import annotations

from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.fisher.check_data import field, number
from msvm_ref.model.catalogue import CATALOGUE, machine_named
from msvm_ref.model.machine import Aggregation, Machine

LARGEST = 8
"""The most classes a stored machine may have."""


def machine_to_dict(machine: Machine, d: int) -> dict[str, Any]:
    return {
        "name": machine.name,
        "nu": [[[str(v) for v in row] for row in plane] for plane in machine.nu(d)],
        "gamma": [[str(v) for v in row] for row in machine.gamma(d)],
        "components": machine.aggregation.components,
        "slack": machine.aggregation.slack,
        "sum_to_zero": machine.sum_to_zero,
        "cost": machine.cost,
    }


def machine_from_dict(data: Any, d: int) -> Machine:
    """The machine the arrays spell out; under a catalogue name only where that machine has the same arrays."""
    what = "machine"
    if not 2 <= d <= LARGEST:
        raise DataError("d", f"be 2 to {LARGEST} in a stored result", str(d))
    name = field(data, "name", str, what)
    nu, gamma = field(data, "nu", list, what), field(data, "gamma", list, what)
    if len(nu) != d or len(gamma) != d:
        raise DataError(what, f"have arrays for {d} classes", f"{len(nu)} and {len(gamma)}")
    spelled = Machine(
        name,
        _numbers(nu, (d, d, d)),
        Aggregation(data.get("components"), data.get("slack")),
        _numbers(gamma, (d, d)),
        field(data, "sum_to_zero", bool, what),
        data.get("cost"),
    )
    known = _known(name)
    return known if known is not None and same_machine(known, spelled, d) else spelled


def same_machine(a: Machine, b: Machine, d: int) -> bool:
    """Do two specs say the same at d classes?"""
    return all(m.fixed_d in (None, d) for m in (a, b)) and (
        (a.nu(d), a.gamma(d), a.aggregation, a.sum_to_zero, a.cost)
        == (b.nu(d), b.gamma(d), b.aggregation, b.sum_to_zero, b.cost)
    )


def _known(name: str) -> Machine | None:
    if name in {m.name for m in CATALOGUE} or (name.startswith("RM(") and len(name) < 40):
        return machine_named(name)
    return None


def _numbers(values: Any, shape: tuple[int, ...]) -> Any:
    if not shape:
        return number(values, "machine")
    if not isinstance(values, list) or len(values) != shape[0]:
        raise DataError("machine", f"have arrays of length {shape[0]}", repr(values)[:80])
    return [_numbers(v, shape[1:]) for v in values]
