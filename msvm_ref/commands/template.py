"""``msvm-ref template``: print a ready solver that speaks the program protocol, to start yours from.

msvm-ref template c > my_svm.c && cc -O2 -o my_svm my_svm.c -lm
msvm-ref validate --command ./my_svm --machine WW --tolerance 1e-6
"""

from __future__ import annotations

import argparse
from pathlib import Path

from msvm_ref.commands.parser import OK, UsageError

FOLDER = Path(__file__).parents[1] / "conformance" / "program"
LANGUAGES = {
    "c": "solver.c",
    "cpp": "solver.cpp",
    "r": "solver.R",
    "julia": "solver.jl",
    "javascript": "solver.js",
    "rust": "solver.rs",
    "python": "solver.py",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("language", nargs="?", choices=tuple(LANGUAGES), metavar="LANGUAGE",
                        help=", ".join(LANGUAGES))  # fmt: skip
    parser.add_argument("--protocol", action="store_true", help="print the protocol's page instead")
    parser.add_argument("--schema", action="store_true", help="print its JSON schema instead")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")


def run(options: argparse.Namespace) -> int:
    chosen = [
        *([f"templates/{LANGUAGES[options.language]}"] if options.language else []),
        *(["PROTOCOL.md"] if options.protocol else []),
        *(["schema.json"] if options.schema else []),
    ]
    if len(chosen) != 1:
        raise UsageError(
            f"msvm-ref template: give one of {', '.join(LANGUAGES)}, --protocol, --schema"
        )
    print((FOLDER / chosen[0]).read_text(encoding="utf-8"), end="")
    return OK
