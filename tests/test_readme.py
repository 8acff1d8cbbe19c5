"""Every Python snippet of the README runs, in order, and prints what the README says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import msvm_ref as mr

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_snippets_print_what_the_readme_shows():
    scope: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```\n(?:```text\n(.*?)```)?", README, flags=re.S)
    assert len(blocks) >= 4
    for code, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), scope)
        pattern = ".*".join(re.escape(part) for part in shown.strip().split("…"))
        assert re.fullmatch(pattern, printed.getvalue().strip(), flags=re.S), printed.getvalue()


def test_the_machine_table_is_the_catalogue():
    rows = dict(re.findall(r"^\| `(\w+)(?:\(g\))?` \| (\w+)", README, flags=re.M))
    for machine in mr.CATALOGUE:
        assert rows[machine.name.split("(")[0]] == machine.margin_name.split("(")[0]
    assert len([name for name in rows if hasattr(mr, name)]) == len(mr.CATALOGUE)
