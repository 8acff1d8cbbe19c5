"""What every report page shares: one frame, one style sheet for wide, narrow and dark screens, and its provenance.

No scripts, nothing loaded from elsewhere. Four marks say how something stands, on a block, a cell or a word: ``good``,
``caution``, ``bad``, ``quiet``. A table of class ``cards`` becomes a list of cards where the screen is narrow.
"""

from __future__ import annotations

import html
import platform
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

Mark = Literal["good", "caution", "bad", "quiet"]

STYLE = """:root{color-scheme:light dark;--ink:#222;--paper:#fff;--faint:#666;--line:#ddd;--box:#f6f6f6;
--good:#17692b;--caution:#8a5a00;--bad:#b00020;--link:#2b6cb0}
@media(prefers-color-scheme:dark){:root{--ink:#e4e4e4;--paper:#16181b;--faint:#a0a4aa;--line:#3a3d42;--box:#22252a;
--good:#7fd18c;--caution:#f0b95a;--bad:#ff8a80;--link:#8fb8f0}img{background:#fff}}
body{font:15px/1.5 system-ui,sans-serif;margin:1.5em auto;max-width:76em;padding:0 1em;color:var(--ink);
background:var(--paper);overflow-wrap:anywhere}a{color:var(--link)}
h1{font-size:1.5em;margin-bottom:.2em}h2{font-size:1.15em;margin:2em 0 .2em;border-top:2px solid var(--line);padding-top:1em}
h3{font-size:1em;margin:.2em 0}
table{border-collapse:collapse;margin:1em 0;width:100%}td,th{padding:.3em .9em .3em 0;text-align:left;vertical-align:top}
td,th{border-bottom:1px solid var(--line)}.nowrap{white-space:nowrap}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
article{border-left:5px solid var(--line);padding:.1em 0 .3em 1em;margin:1.2em 0}
article.good{border-color:var(--good)}article.caution{border-color:var(--caution)}article.bad{border-color:var(--bad)}
article>.verdict{float:right;font-size:.85em;font-weight:600;margin-left:1em}
.good>.verdict,td.good,span.good{color:var(--good)}.caution>.verdict,td.caution,span.caution{color:var(--caution)}
.bad>.verdict,td.bad,span.bad{color:var(--bad)}td.good,td.bad,td.caution{font-weight:600}
dl{display:grid;grid-template-columns:9em 1fr;gap:.1em .6em;margin:.4em 0}dt{color:var(--faint)}dd{margin:0;min-width:0}
details{margin:.3em 0}
pre{white-space:pre-wrap;background:var(--box);padding:.5em;margin:.3em 0;max-height:24em;overflow:auto;font-size:13px}
p.quiet,td.quiet,figcaption{color:var(--faint);font-size:13px}p.quiet{white-space:pre-line}figure{margin:.6em 0}
.scroll{overflow-x:auto}img,svg{max-width:100%;height:auto;font-family:system-ui,sans-serif}.scroll>svg{min-width:640px}
svg text{fill:var(--ink)}svg .axis{stroke:var(--line)}
@media(max-width:640px){body{margin:.6em auto;padding:0 .7em}dl{display:block}
article>.verdict{float:none;display:block;margin:0}
table.cards tr{display:block;border-bottom:1px solid var(--line);padding:.4em 0}table.cards th{display:none}
table.cards td{display:inline;border:0;padding:0 .6em 0 0}}"""

LIBRARIES = ("numpy", "scipy", "cvxpy", "scikit-learn", "numba")


def page(title: str, parts: Iterable[str]) -> str:
    """The whole document, under one heading."""
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width,initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n"
        + "\n".join(part for part in parts if part)
        + "</body></html>\n"
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


def table(titles: Sequence[str], rows: Iterable[str]) -> str:
    """A table of ``cards``; ``rows`` are HTML already (see ``row``)."""
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    return f"<table class=cards><tr>{head}</tr>{''.join(rows)}</table>"


def row(mark: Mark, verdict: str, *cells: str) -> str:
    """The verdict first, in its colour; ``cells`` are HTML already."""
    told = "".join(f"<td>{cell}</td>" for cell in cells)
    return f"<tr><td class='{mark} nowrap'>{escape(verdict)}</td>{told}</tr>"


def escape(text: Any) -> str:
    return html.escape(str(text))


def provenance(arguments: Sequence[str] | None = None) -> dict[str, str]:
    """When, with what and how: date, versions, and the command line."""
    libraries = {name: version_of(name) for name in LIBRARIES}
    words = sys.argv[1:] if arguments is None else list(arguments)
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "msvm_ref": str(sys.modules["msvm_ref"].__version__),
        "python": platform.python_version(),
        **{name: number for name, number in libraries.items() if number},
        "platform": f"{platform.system()} {platform.machine()}",
        "command": shlex.join(["msvm-ref", *words]),
    }


def version_of(package: str) -> str:
    """Of an installed package, or nothing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def provenance_text(origin: Mapping[str, str]) -> str:
    """``provenance`` in two lines."""
    versions = ", ".join(
        f"{name} {value}" for name, value in origin.items() if name not in ("date", "command")
    )
    return f"{origin['command']}\n{origin['date']}, {versions}"
