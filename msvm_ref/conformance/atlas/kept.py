"""What a run has so far: a line an entry beside the report, so that a run which is cut short goes on where it was.

The file is report.json.partial. Its first line says of which data, repeats and limit it is; a run of others starts anew.
An entry is taken from it only while its library has the version that was measured.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msvm_ref.conformance.atlas import registry


@dataclass
class Kept:
    """``path`` None: nothing is kept."""

    path: Path | None
    head: dict[str, Any]

    @staticmethod
    def of(options: Any) -> Kept:
        reports = [Path(path) for path in options.report if Path(path).suffix.lower() == ".json"]
        path = reports[0].with_name(reports[0].name + ".partial") if reports else None
        names = ("data", "repeats", "timeout", "entry_seconds")
        return Kept(path, {name: getattr(options, name) for name in names})

    def read(self) -> dict[str, dict[str, Any]]:
        """Records of finished entries by name; a line that was not written to its end is left out."""
        if self.path is None or not self.path.is_file():
            return {}
        lines = []
        for text in self.path.read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(json.JSONDecodeError):
                lines.append(json.loads(text))
        if not lines or lines[0] != self.head:
            self.remove()
            return {}
        versions = {e.name: e.probe.version() for e in registry.ENTRIES}
        return {r["name"]: r for r in lines[1:] if versions.get(r["name"]) == r["version"]}

    def add(self, record: dict[str, Any]) -> None:
        if self.path is None:
            return
        with self.path.open("a", encoding="utf-8") as file:
            if not file.tell():
                file.write(json.dumps(self.head) + "\n")
            file.write(json.dumps(record) + "\n")

    def remove(self) -> None:
        if self.path is not None:
            self.path.unlink(missing_ok=True)
