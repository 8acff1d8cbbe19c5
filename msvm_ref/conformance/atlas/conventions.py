"""Every convention an entry may name."""

from __future__ import annotations

from msvm_ref.model.conventions.convention import Convention
from msvm_ref.model.conventions.libraries import LIBRARIES
from msvm_ref.model.conventions.literals import CONVENTIONS

NAMED: dict[str, Convention] = {c.name: c for c in (*CONVENTIONS, *LIBRARIES)}
