"""An executed notebook as a Markdown page: prose, code, and what the cells printed and drew."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any


def page(path: Path) -> str:
    """The notebook at ``path`` with its stored outputs; nothing is executed here."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    parts = [shown for cell in notebook["cells"] for shown in show(cell)]
    where = f"*Executed notebook [`notebooks/{path.name}`]({path.name}).*"
    title, _, rest = parts[0].partition("\n")
    return "\n\n".join([title, where, rest.strip(), *parts[1:]]) + "\n"


def show(cell: dict[str, Any]) -> list[str]:
    source = text(cell["source"])
    if cell["cell_type"] == "markdown":
        return [prose(source)]
    return [fence("python", source), *(part for o in cell["outputs"] if (part := output(o)))]


def prose(source: str) -> str:
    """Jupyter's Markdown as ours: links to pages, and an empty line between two displayed formulas."""
    source = re.sub(r"\]\((\d\d-[\w-]+)\.ipynb\)", r"](\1.md)", source)
    return re.sub(r"\$\$\n\$\$", "$$\n\n$$", source)


def output(given: dict[str, Any]) -> str:
    if given["output_type"] == "stream":
        return fence("text", text(given["text"]))
    data = given.get("data", {})
    if "image/png" in data:
        return f"![figure](data:image/png;base64,{text(data['image/png']).replace(chr(10), '')})"
    if "image/svg+xml" in data:
        return text(data["image/svg+xml"])
    if "text/markdown" in data:
        return prose(text(data["text/markdown"]))
    return fence("text", text(data.get("text/plain", "")))


def fence(language: str, body: str) -> str:
    return f"```{language}\n{body.rstrip()}\n```" if body.strip() else ""


def text(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)
