"""The one report page: a style sheet that reads at 390 px and in the dark, and the lines that say where a page comes from."""

from __future__ import annotations

import html
import platform
import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

STYLE = """:root{color-scheme:light dark;--ink:#222;--paper:#fff;--quiet:#666;--line:#ddd;--box:#f6f6f6;
--red:#b00020;--green:#17692b;--amber:#8a5a00;--blue:#2b6cb0}
@media(prefers-color-scheme:dark){:root{--ink:#e4e4e4;--paper:#16181b;--quiet:#a0a4aa;--line:#3a3d42;--box:#22252a;
--red:#ff8a80;--green:#7fd18c;--amber:#f0b95a;--blue:#8fb8f0}img{background:#fff}}
body{font:15px/1.5 system-ui,sans-serif;margin:1.5em auto;max-width:76em;padding:0 1em;color:var(--ink);
background:var(--paper);overflow-wrap:anywhere}
h1{font-size:1.5em;margin-bottom:.2em}h2{font-size:1.15em;margin:2em 0 .2em;border-top:2px solid var(--line);padding-top:1em}
h3{font-size:1em;margin:.2em 0}a{color:var(--blue)}
table{border-collapse:collapse;margin:1em 0;width:100%}td,th{padding:.3em .7em .3em 0;text-align:left;vertical-align:top;
border-bottom:1px solid var(--line)}
.nowrap{white-space:nowrap}.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
pre{white-space:pre-wrap;background:var(--box);padding:.5em;margin:.3em 0;font-size:13px;max-height:24em;overflow:auto}
dl{margin:.4em 0}dt{color:var(--quiet);font-size:13px}dd{margin:0 0 .4em}
.cause{border-left:4px solid var(--red);padding:.2em 0 .4em 1em;margin:1em 0}.cause.known{border-color:var(--amber)}
.cause.passed{border-color:var(--green)}.cause.known,.cause.passed,.cause.failed{font-weight:400;color:var(--ink)}
.FAILS,.failed{color:var(--red);font-weight:600}.ok,.passed{color:var(--green);font-weight:600}
.UNDECIDED,.known{color:var(--amber);font-weight:600}.skipped,.quiet{color:var(--quiet)}.quiet{font-size:13px}
.scroll{overflow-x:auto}svg{max-width:100%;min-width:640px;height:auto;font-family:system-ui,sans-serif}
svg text{fill:var(--ink)}figure{margin:.6em 0}img{max-width:100%}figcaption{color:var(--quiet);font-size:.9em}
@media(max-width:640px){body{margin:.6em auto;padding:0 .7em}td,th{padding-right:.4em}
table.cards tr{display:block;border-bottom:1px solid var(--line);padding:.4em 0}table.cards th{display:none}
table.cards td{display:inline;border:0;padding:0 .5em 0 0}}"""

LIBRARIES = ("numpy", "scipy", "cvxpy", "scikit-learn", "numba")


def document(title: str, body: str) -> str:
    """One HTML file, no scripts, nothing loaded from elsewhere."""
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width,initial-scale=1'>"
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n<body>{body}</body></html>\n"
    )


def provenance(arguments: Sequence[str] | None = None) -> dict[str, str]:
    """When, with what and how: date, versions, and the command line."""
    known = {name: version_of(name) for name in LIBRARIES}
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "msvm_ref": own_version(),
        "python": platform.python_version(),
        **{name: found for name, found in known.items() if found != "none"},
        "platform": f"{platform.system()} {platform.machine()}",
        "command": shlex.join(
            ["msvm-ref", *(sys.argv[1:] if arguments is None else list(arguments))]
        ),
    }


def own_version() -> str:
    """Of the package that is running, installed or not; whoever runs this has imported it."""
    return str(sys.modules["msvm_ref"].__version__)


def version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def provenance_text(origin: dict[str, str]) -> str:
    """``provenance`` in two lines."""
    versions = ", ".join(
        f"{name} {value}" for name, value in origin.items() if name not in ("date", "command")
    )
    return f"{origin['command']}\n{origin['date']}, {versions}"
