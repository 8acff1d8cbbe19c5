"""A fenced block ``walk`` as a drawing: a line is a row, ``||`` puts boxes side by side, ``|`` parts name, file and remark.

Where the page is read as text (GitHub, an editor) the block says the same in words.
"""

from __future__ import annotations

import html
import re

BLOCK = re.compile(r"^```walk\n(.*?)^```$", re.M | re.S)


def draw(markdown: str) -> str:
    return BLOCK.sub(lambda block: drawing(block[1]), markdown)


def drawing(text: str) -> str:
    rows = [row(line) for line in text.splitlines() if line.strip()]
    return f'<div class="walk">{"<div class=arrow>↓</div>".join(rows)}</div>'


def row(line: str) -> str:
    return f'<div class="walk-row">{"".join(box(part) for part in line.split("||"))}</div>'


def box(part: str) -> str:
    name, file, remark = (*(html.escape(s.strip()) for s in part.split("|")), "", "")[:3]
    inside = f"<b>{name}</b>"
    inside += f"<code>{file}</code>" if file else ""
    inside += f"<span>{remark}</span>" if remark else ""
    return f'<div class="walk-box">{inside}</div>'
