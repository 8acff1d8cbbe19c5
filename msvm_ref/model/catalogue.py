"""The ten machines of the Unified View, one literal each (docs/mathematics.md, section 1; UV sections 2.4 and 2.5, Table 1)."""

from __future__ import annotations

from difflib import get_close_matches
from fractions import Fraction

from msvm_ref.errors import SpecError
from msvm_ref.foreign import rational, shown
from msvm_ref.model.machine import (
    ABSOLUTE,
    OTHERS_MAX,
    OTHERS_SUM,
    RELATIVE,
    SELF,
    TOTAL_MAX,
    TOTAL_SUM,
    Machine,
    Rational,
    reinforced,
    reinforced_target,
    short,
)

WW = Machine(
    "WW",
    RELATIVE,
    OTHERS_SUM,
    citation="Weston, Watkins 1999; Vapnik 1998; Bredensteiner, Bennett 1999",
)
CS = Machine("CS", RELATIVE, OTHERS_MAX, citation="Crammer, Singer 2002")
LLW = Machine("LLW", ABSOLUTE, OTHERS_SUM, sum_to_zero=True, citation="Lee, Lin, Wahba 2004")
MMR = Machine(
    "MMR", ABSOLUTE, SELF, sum_to_zero=True, citation="Szedmak, Shawe-Taylor, Parado-Hernandez 2006"
)
MMR_ORTHO = Machine(
    "MMR_ORTHO",
    ABSOLUTE,
    SELF,
    citation="Szedmak et al. 2006, orthogonal prototypes; UV section 2.4",
)
OVA = Machine("OVA", ABSOLUTE, TOTAL_SUM, citation="Vapnik 1998, section 10.10; UV section 2.4")
AMO = Machine("AMO", ABSOLUTE, OTHERS_MAX, sum_to_zero=True, citation="UV section 2.5")
ATM = Machine("ATM", ABSOLUTE, TOTAL_MAX, sum_to_zero=True, citation="UV section 2.5")
ATS = Machine("ATS", ABSOLUTE, TOTAL_SUM, sum_to_zero=True, citation="UV section 2.5")


def RM(g: Rational = Fraction(1, 2)) -> Machine:
    """The reinforced machine at g in [0, 1] (float or Fraction): RM(0) is LLW, RM(1) a rescaled MMR."""
    margin = reinforced(g)
    return Machine(
        f"RM({short(margin.own)})",
        margin,
        TOTAL_SUM,
        reinforced_target(g),
        sum_to_zero=True,
        citation="Liu, Yuan 2011",
    )


CATALOGUE: tuple[Machine, ...] = (WW, CS, LLW, MMR, MMR_ORTHO, RM(), OVA, AMO, ATM, ATS)


def machine_named(name: str) -> Machine:
    """The catalogue's machine of that name; RM takes its g in brackets, as in ``RM(1/4)``."""
    if not isinstance(name, str):
        raise SpecError("machine", "be named by a string", shown(name))
    spelling = name.strip().upper().replace("⊥", "_ORTHO").replace("-", "_")
    if spelling == "RM":
        return RM()
    if spelling.startswith("RM(") and spelling.endswith(")"):
        return RM(rational(spelling[3:-1], "the g of RM(g)", SpecError))
    for machine in CATALOGUE:
        if machine.name == spelling:
            return machine
    names = ["RM(g)" if m.name.startswith("RM") else m.name for m in CATALOGUE]
    near = get_close_matches(spelling, names, 1)
    remedy = f"did you mean {near[0]}?" if near else ""
    raise SpecError("machine", f"be one of {', '.join(names)}", shown(name), remedy)
