"""Every Python snippet of the README and of docs/ runs, in order, and prints what the page shows."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:^```text\n(.*?)^```)?", re.M | re.S)
WITH_CODE = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


def name(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_snippets_print_what_the_page_shows(page: Path, tmp_path, monkeypatch) -> None:
    """One namespace a page, run in a folder of its own; … stands for anything."""
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {"__name__": "docs"}
    for code, shown in BLOCK.findall(page.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page.name, "exec"), scope)
        pattern = ".*".join(re.escape(part) for part in shown.strip().split("…"))
        assert re.fullmatch(pattern, printed.getvalue().strip(), flags=re.S), printed.getvalue()
