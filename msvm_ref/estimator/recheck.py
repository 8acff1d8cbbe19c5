"""A recorded certificate against one computed again: which of its fields are not borne out.

A field that follows from others (gap, errors, verdicts) must follow from the recorded ones to the last bit. The others
are compared with the judge's own, which on the machine that wrote them are the same bits. Elsewhere sums are taken in another
order, so that lower, upper and the values, each within ``rounding`` of an exact number, may differ by twice that; fields
that are relative to begin with, and the allowance itself, by RELATIVE.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.foreign import shown
from msvm_ref.judge.certificate import Certificate
from msvm_ref.model.arrays import real_number

VALUES = ("lower", "upper", "primal_value", "dual_value")
"""Fields in the units of the objective, known up to ``rounding``."""
RELATIVE = 1e-12


def recorded(claim: Any) -> Certificate:
    """The certificate a record states; DataError unless every field is there and every derived one follows from the rest."""
    names = [f.name for f in fields(Certificate)]
    if not isinstance(claim, dict) or not set(names) <= set(claim):
        raise DataError("certificate", f"have the fields {', '.join(names)}", shown(claim))
    for name, value in claim.items():
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if number and real_number(value) is None:
            raise DataError(f"certificate.{name}", "be finite, or 'inf' in words", shown(value))
    endless = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
    values: dict[str, Any] = {
        name: endless.get(v, v) if isinstance(v := claim[name], str) else v for name in names
    }
    try:
        certificate = Certificate(**values)
        derived = _plain(certificate.to_dict())
    except (TypeError, ValueError, ArithmeticError) as error:
        raise DataError("certificate", "hold numbers where numbers belong", str(error)) from error
    if derived != claim:
        odd = [name for name in {*derived, *claim} if derived.get(name) != claim.get(name)]
        raise DataError(
            "certificate",
            "say of itself what follows from its own fields",
            f"{', '.join(sorted(odd))} do not",
        )
    return certificate


def unlike(claimed: Certificate, again: Certificate) -> list[str]:
    """The fields of ``claimed`` that are not those of ``again``, with both."""
    again = recorded(_plain(again.to_dict()))  # Python's own numbers, as they come out of a file
    return [
        f"{f.name} is {shown(was)}, recomputed {shown(now)}"
        for f in fields(Certificate)
        if not _agree(f.name, was := getattr(claimed, f.name), now := getattr(again, f.name), again)
    ]


def _agree(name: str, was: Any, now: Any, again: Certificate) -> bool:
    if type(now) is not float or type(was) not in (int, float):
        return type(was) is type(now) and bool(was == now)
    return bool(was == now or abs(was - now) <= _slack(name, now, again))


def _slack(name: str, now: float, again: Certificate) -> float:
    """How far a number may be from the one computed again, where that was done on another machine."""
    scale = again.upper if 0 < again.upper < math.inf else 1.0
    if name in VALUES:
        return 2 * again.rounding + 4 * math.ulp(scale)
    if name == "distance_bound":  # the square root of twice a difference of two values
        return math.sqrt(now * now + 8 * again.rounding) - now + RELATIVE * now
    return RELATIVE * (scale if name == "rounding" else 1.0)


def _plain(value: Any) -> Any:
    """As JSON gives it back: tuples as lists."""
    return json.loads(json.dumps(value))
