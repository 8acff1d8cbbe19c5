"""A griffe extension: docstrings are prose with ``code`` and indented formulas; nothing else in them is markup."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

CODE = re.compile(r"(``.+?``|`[^`\n]+`)", re.S)


class PlainDocstrings(Extension):
    """w* = 0, nu[y][c] and a < b mean themselves."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = plain(obj.docstring.value)


def plain(text: str) -> str:
    lines = text.splitlines()
    return "\n".join(line if line.startswith("    ") else escaped(line) for line in lines)


def escaped(line: str) -> str:
    parts = CODE.split(line)
    return "".join(
        part if k % 2 else re.sub(r"([\\*\[\]<>_|])", r"\\\1", part) for k, part in enumerate(parts)
    )
