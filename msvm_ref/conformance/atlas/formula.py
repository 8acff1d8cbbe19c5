"""What an entry is judged by, written out: the formula of its convention's fields, so that the text cannot say another.

With scores f = V'x + a, q = 1 or 2 and the fields s (scale), l (loss), r (ridge), m (multiple) of ``Convention``:

    WW   sum over c != y of [l - (l s / 2) (f_y - f_c)]_+^q        CS   the largest of them
    OVA  [l - l s y f]_+^q for each class against the rest         pairs   the same with one score h, f = (-h, h)
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msvm_ref.model.conventions.convention import Convention

CLASSES = 2
"""Any number: no entry's convention has a factor of d."""
BIAS = {"none": ", no b", "free": ", b free", "penalized": ""}
SUMS = {"C": "C Σ", "C/n": "C/n Σ", "lambda": "1/n Σ", "1/C": "Σ"}


def formula_of(convention: Convention, pairs: bool = False) -> str:
    machine = convention.machine
    assert machine is not None
    single = convention.binary or machine.name == "OVA"
    scale, loss, ridge, multiple = (
        getattr(convention, name).at(CLASSES) for name in ("scale", "loss", "ridge", "multiple")
    )
    slope = loss * scale if single else loss * scale / 2
    weights, bias, margin = ("||w||²", "b²", "y f") if single else ("||W||²", "||b||²", "f_y − f_c")
    if convention.binary:  # ||(-w, w)||² = 2 ||w||²
        ridge *= 2
    norm = f"({weights} + {bias})" if convention.bias == "penalized" else weights
    constant = "λ" if convention.parameter in ("lambda", "1/C") else ""
    before = f"{constant}/2" if constant else "1/2"
    part = f"({margin})" if " − " in margin or slope != 1 else margin
    hinge = f"[{loss} − {_times(slope)}{part}]₊{'²' if machine.cost == 'quadratic' else ''}"
    over = {"WW": "Σ_{c≠y} ", "CS": "max_{c≠y} "}.get(machine.name, "") * (not single)
    each = "every pair: " if pairs else "each class against the rest: " * single
    total = f"{_times(multiple)}{SUMS[convention.parameter]}"
    return f"{each}{_times(ridge)}{before} {norm} + {total} {over}{hinge}{BIAS[convention.bias or 'none']}"


def formula_in(record: Mapping[str, Any]) -> str:
    """The formula of an entry's record in a run; of runs kept before they had it, from its convention's name."""
    if "formula" in record:
        return str(record["formula"])
    from msvm_ref.conformance.atlas.conventions import NAMED

    convention = NAMED.get(record.get("convention", ""))
    return formula_of(convention, record["machine"] == "OVO") if convention else record["source"]


def _times(factor: Fraction) -> str:
    return "" if factor == 1 else f"{factor} · "
