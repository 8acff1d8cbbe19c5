"""A claim of a paper as code: the statement, a check, and the forms of it that are put to the check.

A check takes a *form* (a formula, a map of C, a set of machines or of d, a rule) and answers whether that form is true on its
problems, with the numbers behind the answer. The verdict is computed, never typed:

    HOLDS                     the printed form passes
    HOLDS WITH A CORRECTION   the printed form fails, and a corrected one (a sign, a factor, a formula, the C that is meant)
                              passes the same check on all the statement is about
    HOLDS IN PART             the printed form fails, and passes where its domain is cut: fewer d, machines, P or biases
    FAILS                     the printed form fails and neither is known
    NOT SHOWN                 about an experiment: the sample decides neither for the statement nor against it

One rule tells the last three apart: who repairs a formula corrects; who has to leave out a part of what the statement is
about cuts (``cut=True``), whatever is left out and however much of it.

A statement ``found_here`` is ours and not the paper's, kept beside the paper it is about; it has to hold, and no count of the
papers' claims includes it.

``sabotage`` is a form that must change the verdict when it is put in the place of the form that decided it (the corrected one
where there is one): a wrong sign, a wrong C, a dropped constraint; or, for a claim that fails, something of which the
statement is true. A check that gives every form the same answer is no check, and the ledger's own test refuses it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

Form = Any

RESTORED = {
    "HL": "the formula is illegible in the copy used and was restored (docs/mathematics.md, section 3)"
}
"""Papers whose formulas are not read but restored."""


class Verdict(StrEnum):
    HOLDS = "HOLDS"
    CORRECTED = "HOLDS WITH A CORRECTION"
    PART = "HOLDS IN PART"
    FAILS = "FAILS"
    NOT_SHOWN = "NOT SHOWN"


@dataclass(frozen=True)
class Evidence:
    """Is this form true?"""

    holds: bool | None
    """The answer; None where a sample cannot say."""
    shown: str
    """The numbers that say so (a counterexample where it is not), in one line."""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    """All of them."""

    def __post_init__(self) -> None:
        if self.holds is not None:  # comparisons of arrays answer in numpy's own kind of bool
            object.__setattr__(self, "holds", bool(self.holds))

    def to_dict(self) -> dict[str, Any]:
        return {"holds": self.holds, "shown": self.shown, "numbers": plain(self.numbers)}


@dataclass(frozen=True)
class Either:
    """Sabotage of a claim about an experiment: whatever the sample said, one of the two must change it."""

    true: Form
    """A form of which the statement is true."""
    false: Form
    """One of which it is not."""


@dataclass(frozen=True, eq=False)
class Claim:
    """One statement of one paper."""

    id: str
    """PAPER-where, such as HL-5A."""
    where: str
    """Equation or theorem."""
    statement: str
    """What is printed, in our words."""
    checked: str
    """How, and on which sizes."""
    check: Callable[[Form], Evidence] = field(repr=False)
    """Decides whether a form is true."""
    printed: Form = field(repr=False)
    """The printed form."""
    sabotage: Form = field(repr=False)
    """A form that must change the verdict."""
    sabotaged_by: str
    """What is wrong with it."""
    corrected: Form | None = field(default=None, repr=False)
    """The corrected form, where there is one."""
    correction: str = ""
    """The correction in words."""
    errata: tuple[str, ...] = ()
    """E-numbers of docs/mathematics.md."""
    cut: bool = False
    """Does the corrected form leave out a part of what the statement is about?"""
    found_here: bool = False
    """Is the statement ours, and not the paper's?"""
    experiment: bool = False
    """Is it about numbers of an experiment, decided on a sample?"""

    @property
    def paper(self) -> str:
        return self.id.split("-")[0]

    @property
    def restored(self) -> str:
        """What to say of a formula that was not read but restored; '' for the others."""
        return "" if self.experiment else RESTORED.get(self.paper, "")

    def decide(self) -> Decision:
        start = time.perf_counter()
        printed = self.check(self.printed)
        corrected = None if printed.holds or self.corrected is None else self.check(self.corrected)
        return Decision(self, printed, corrected, time.perf_counter() - start)

    def sabotaged(self) -> Claim:
        """The same claim about something else: its verdict has to differ."""
        place, form = "printed" if self.corrected is None else "corrected", self.sabotage
        if isinstance(form, Either):
            form = form.false if self.check(self.printed).holds else form.true
        return replace(self, **{place: form})


@dataclass(frozen=True, eq=False)
class Decision:
    """A claim and what its check said."""

    claim: Claim
    """The claim."""
    printed: Evidence
    """Of the printed form."""
    corrected: Evidence | None
    """Of the corrected form, where the printed one failed and there is one."""
    seconds: float
    """What it took."""

    @property
    def verdict(self) -> Verdict:
        if self.printed.holds:
            return Verdict.HOLDS
        if self.printed.holds is None:
            return Verdict.NOT_SHOWN
        if self.corrected is None or not self.corrected.holds:
            return Verdict.FAILS
        return Verdict.PART if self.claim.cut else Verdict.CORRECTED

    @property
    def shown(self) -> str:
        """The line of the table: what was found, the correction first where there is one."""
        if self.verdict not in (Verdict.CORRECTED, Verdict.PART):
            return self.printed.shown
        return f"{self.claim.correction}; as printed: {self.printed.shown}"

    def to_dict(self) -> dict[str, Any]:
        c = self.claim
        return {
            "id": c.id,
            "paper": c.paper,
            "where": c.where,
            "statement": c.statement,
            "checked": c.checked,
            "verdict": str(self.verdict),
            "shown": self.shown,
            "correction": c.correction,
            "errata": list(c.errata),
            "found_here": c.found_here,
            "experiment": c.experiment,
            "restored": c.restored,
            "sabotage": c.sabotaged_by,
            "printed": self.printed.to_dict(),
            "corrected": None if self.corrected is None else self.corrected.to_dict(),
            "seconds": round(self.seconds, 3),
        }


def plain(value: Any) -> Any:
    """JSON for evidence: rationals as p/q, arrays as lists."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(v) for v in value]
    return value.item() if isinstance(value, np.generic) else value


def show(value: Any) -> str:
    """A number or a vector for people: short rationals as they are, long ones and floats to seven digits."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return f"({', '.join(show(v) for v in value)})"
    if isinstance(value, Fraction) and len(str(value)) <= 13:
        return str(value)
    return f"{float(value):.7g}"
