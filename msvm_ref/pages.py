"""What every report page shares: one frame and one style sheet; no scripts, nothing loaded from elsewhere.

Four marks say how something stands, on a block, a cell or a word: ``good``, ``caution``, ``bad``, ``quiet``.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any, Literal

Mark = Literal["good", "caution", "bad", "quiet"]

STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em;color:#222}
h1{font-size:1.5em}h2{font-size:1.15em;margin:2.2em 0 .2em;border-top:2px solid #ddd;padding-top:1em}
h3{font-size:1em;margin:.2em 0}
table{border-collapse:collapse;margin:1em 0;width:100%}td,th{padding:.3em .7em;text-align:left;vertical-align:top}
td,th{border-bottom:1px solid #ddd}.nowrap{white-space:nowrap}.number{text-align:right;font-variant-numeric:tabular-nums}
article{border-left:5px solid #999;padding:.1em 0 .3em 1em;margin:1.2em 0}
article.good{border-color:#3f9b55}article.caution{border-color:#c98a00}article.bad{border-color:#b00020}
article>.verdict{float:right;font-size:.85em;font-weight:600}
.good .verdict,td.good{color:#17692b}.caution .verdict,td.caution{color:#8a5a00}
.bad .verdict,td.bad{color:#b00020;font-weight:600}
dl{display:grid;grid-template-columns:9em 1fr;gap:.1em .6em;margin:.4em 0}dt{color:#666}dd{margin:0;overflow-wrap:anywhere}
details{margin:.3em 0}
pre{white-space:pre-wrap;background:#f6f6f6;padding:.5em;margin:.3em 0;max-height:24em;overflow:auto;font-size:13px}
p.quiet,td.quiet,figcaption{color:#666;font-size:13px}figure{margin:.6em 0}
img,svg{max-width:100%;height:auto;font-family:system-ui,sans-serif}"""


def page(title: str, parts: Iterable[str]) -> str:
    """The whole document, under one heading."""
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{escape(title)}</title><style>{STYLE}</style><h1>{escape(title)}</h1>\n"
        + "\n".join(part for part in parts if part)
        + "</html>\n"
    )


def article(mark: Mark, verdict: str, heading: str, *parts: str, id: str = "") -> str:
    """A block with its mark at the edge and its verdict at the right; ``heading`` and ``parts`` are HTML already."""
    name = f" id='{escape(id)}'" if id else ""
    return (
        f"<article{name} class={mark}><span class=verdict>{escape(verdict)}</span>"
        f"<h3>{heading}</h3>{''.join(parts)}</article>"
    )


def definitions(rows: Iterable[tuple[str, str]]) -> str:
    """Names and what is said of each; the right side is HTML already."""
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{v}</dd>" for k, v in rows) + "</dl>"


def escape(text: Any) -> str:
    return html.escape(str(text))
