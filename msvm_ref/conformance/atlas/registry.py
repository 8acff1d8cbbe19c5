"""The entries, by library. To add one: a literal here, a few lines in ``adapters``."""

from __future__ import annotations

from msvm_ref.conformance.atlas import entries_cpp, entries_programs, entries_python
from msvm_ref.conformance.atlas.entry import Entry
from msvm_ref.errors import DataError

ENTRIES: tuple[Entry, ...] = (
    *entries_python.ENTRIES,
    *entries_cpp.ENTRIES,
    *entries_programs.ENTRIES,
)


def entry_named(name: str) -> Entry:
    for entry in ENTRIES:
        if entry.name == name:
            return entry
    raise DataError("entry", f"be one of {', '.join(e.name for e in ENTRIES)}", repr(name))


def chosen(names: list[str]) -> list[Entry]:
    """Those of these names, or of these libraries; all of them where none is named."""
    if not names:
        return list(ENTRIES)
    out: list[Entry] = []
    for name in names:
        named = [e for e in ENTRIES if name in (e.name, e.library)]
        if not named:
            entry_named(name)
        out += [e for e in named if e not in out]
    return out
