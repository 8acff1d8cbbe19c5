"""An entry of the atlas is data: where a solver is found, what it claims to solve, and the few lines that call it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from msvm_ref.conformance.atlas.probes import Probe
from msvm_ref.model.conventions.convention import Convention

FOLDER = Path(__file__).parent
Language = Literal["Python", "C++", "R", "JavaScript", "Java"]


@dataclass(frozen=True)
class Finding:
    """A fault: what is wrong, in one sentence, and the script that shows it without this package."""

    title: str
    """What was measured, without a guess at the cause."""
    script: str
    """A file of ``reproducers/``: it ends with an AssertionError (R, node: a non-zero status) where the fault is there."""
    severity: Literal["wrong", "crash", "silent", "input"] = "wrong"
    """wrong: another optimum or none; crash: ends the process; silent: stops early unsaid; input: takes what it must refuse."""
    signal: bool = False
    """Does the fault end the script by a signal?"""

    @property
    def path(self) -> Path:
        return FOLDER / "reproducers" / self.script


SEVERITY = {"wrong": 0, "crash": 1, "silent": 2, "input": 3}


@dataclass(frozen=True)
class Entry:
    """One solver of one library. ``adapter`` is module:function in ``adapters``, called as f(X, y, C, **settings)."""

    name: str
    """What it is asked for by."""
    library: str
    """Whose it is."""
    title: str
    """The class or option that is called."""
    language: Language
    """The user's language."""
    probe: Probe
    """Finds the version, or nothing where it is not installed."""
    install: str
    """The line that installs it."""
    convention: Convention
    """What it claims to solve, as it writes it."""
    adapter: str
    """``module:function`` of ``adapters``."""
    default: Mapping[str, Any] = field(default_factory=dict)
    """Settings that make no choice of accuracy."""
    tight: Mapping[str, Any] = field(default_factory=dict)
    """The most accurate settings it has."""
    pairs: bool = False
    """One-vs-one: the answer is a binary machine for every pair of classes, and a vote."""
    seeded: bool = True
    """Can two fits be made the same by a seed?"""
    solver: bool = True
    """False for a recipe of ours out of a library's parts."""
    findings: tuple[Finding, ...] = ()
    """Faults that are known, each with its script."""
    note: str = ""
    """What one must know to read its numbers."""

    @property
    def machine(self) -> str:
        if self.pairs:
            return "OVO"
        assert self.convention.machine is not None
        return self.convention.machine.name + (
            "²" if self.convention.machine.cost == "quadratic" else ""
        )

    def settings(self, kind: str) -> dict[str, Any]:
        return dict(self.default if kind == "default" else {**self.default, **self.tight})
