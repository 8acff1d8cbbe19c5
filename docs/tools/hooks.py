"""mkdocs hooks: pages made at build time (notebooks, command line, gallery, certified values, changelog) and drawings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import command_line
import tables
import walk
from mkdocs.structure.files import File, Files

import notebooks

ROOT = Path(__file__).parents[2]


def on_files(files: Files, config: Any) -> Files:
    """Add what is generated. The gallery is drawn once and kept in .cache/, since it takes half a minute."""

    def add(path: str, content: str | None = None, source: Path | None = None) -> None:
        where = None if source is None else str(source)
        files.append(File.generated(config, path, content=content, abs_src_path=where))

    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        add(f"notebooks/{path.stem}.md", notebooks.page(path))
        add(f"notebooks/{path.name}", source=path)
    vectors = ROOT / "msvm_ref" / "conformance" / "vectors"
    add("vectors-format.md", (vectors / "FORMAT.md").read_text(encoding="utf-8"))
    program = ROOT / "msvm_ref" / "conformance" / "program"
    add("program.md", (program / "PROTOCOL.md").read_text(encoding="utf-8"))
    add("command-line.md", command_line.page())
    add("changelog.md", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    add("certified.md", unsearched((ROOT / "CERTIFIED.md").read_text(encoding="utf-8")))
    for path in gallery():
        add(f"gallery/{path.name}", source=path)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    if (
        page.file.src_path == "mathematics.md"
    ):  # where a word is explained comes before where it is used
        page.meta.setdefault("search", {"boost": 4})
    return walk.draw(tables.fill(markdown))


def unsearched(text: str) -> str:
    """A page of eight hundred numbers would drown the search."""
    return f"---\nsearch:\n  exclude: true\n---\n{text}"


def gallery() -> list[Path]:
    from msvm_ref.studies import gallery as pictures

    folder = ROOT / ".cache" / "gallery"
    source = Path(pictures.__file__).stat().st_mtime
    cards = sorted(folder.glob("*.png"))
    if len(cards) < len(pictures.CARDS) or min(p.stat().st_mtime for p in cards) < source:
        cards = pictures.draw_all(folder)
    return cards
