"""What a slack costs: C phi(xi), and what that makes of its multipliers a (docs/mathematics.md, section 1).

    phi(xi) = rate (xi - h rate / 2),   rate = phi'(xi)          (C phi)*(a) = h a^2 / (2 C)  for  0 <= a [<= C, capped]

    "linear"     h = 0,    capped       phi = xi           rate = 1 where xi > 0
    "quadratic"  h = 1/2,  not capped   phi = xi^2         rate = 2 xi
    "huber(h)"   h > 0,    capped       phi = xi^2 / (2h) up to xi = h, xi - h/2 beyond       rate = min(xi / h, 1)

The width is part of the cost's name, so that whatever keeps a name (a file, a title, a command line) keeps the width.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from msvm_ref.errors import SpecError
from msvm_ref.foreign import shown
from msvm_ref.model.arrays import LARGEST

Cost = str
COSTS = "'linear', 'quadratic', 'huber' or 'huber(h)'"
PLAIN = 10**6
"""Widths with denominators up to this are written as fractions; others by their float64's digits where they are one."""
DIGITS = 200
"""The longest numerator or denominator of a width."""
_HUBER = re.compile(
    rf"huber\(\s*(\d{{1,{DIGITS}}}(/\d{{1,{DIGITS}}})?|(\d{{1,{DIGITS}}}\.?\d{{0,{DIGITS}}})([eE][+-]?\d{{1,3}})?)\s*\)",
    re.ASCII,
)


class SlackCost(NamedTuple):
    """``width`` h; ``capped``: is a slack group's multiplier at most C?"""

    capped: bool
    width: Fraction


_NAMED = {
    "linear": SlackCost(True, Fraction(0)),
    "quadratic": SlackCost(False, Fraction(1, 2)),
    "huber": SlackCost(True, Fraction(1)),
}


@lru_cache(maxsize=256)
def slack_cost(name: str) -> SlackCost:
    """The cost of that name; a width is an integer, a fraction p/q, or a decimal that stands for its float64."""
    if name in _NAMED:
        return _NAMED[name]
    match = _HUBER.fullmatch(name)
    if match is None:
        raise SpecError("cost", f"be {COSTS}, h a positive number", shown(name))
    text = match[1]
    if re.search("/0+$", text):
        raise SpecError("width", "be positive and finite", shown(name))
    whole = text.isdigit() or "/" in text
    return SlackCost(True, positive_width(Fraction(text) if whole else float(text)))


def cost_name(cost: Any, width: Any = None) -> str:
    """The name a cost goes by: 'huber' is 'huber(1)', and every width has one way of being written."""
    if not isinstance(cost, str):
        raise SpecError("cost", f"be {COSTS}", shown(cost))
    if width is not None and cost != "huber":
        raise SpecError("width", f"be None for cost {cost!r}", shown(width), "cost='huber' has one")
    if cost in ("linear", "quadratic"):
        return cost
    h = slack_cost(cost).width if width is None else positive_width(width)
    if h == 1:
        return "huber"
    if h.denominator > PLAIN and (near := float(h)) == h:
        return f"huber({near!r})"
    if max(h.numerator, h.denominator) >= 10**DIGITS:
        raise SpecError("width", f"have at most {DIGITS} digits a part", shown(width or cost))
    return f"huber({h})"


def positive_width(value: Any) -> Fraction:
    """A positive number within [1/LARGEST, LARGEST], exactly."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)):
        raise SpecError("width", "be a number", shown(value), "use int, float or Fraction")
    if isinstance(value, float) and not math.isfinite(value):
        raise SpecError("width", "be finite", repr(value))
    exact = Fraction(value)
    if exact <= 0:
        raise SpecError("width", "be positive", shown(value), "a width of 0 is cost='linear'")
    if not 1 / Fraction(LARGEST) <= exact <= LARGEST:
        raise SpecError("width", f"be of size {1 / LARGEST:g} to {LARGEST:g}", shown(value))
    return exact
