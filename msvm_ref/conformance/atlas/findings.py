"""Run a finding's script: plain code of a user of the library, which shares nothing with this package."""

from __future__ import annotations

import os
import sys
from typing import Any

from msvm_ref.conformance.atlas.entry import Finding
from msvm_ref.conformance.atlas.probes import node_folders
from msvm_ref.conformance.process import CommandError, NoAnswerError, RunningProgram

INTERPRETERS = {".py": [sys.executable], ".R": ["Rscript", "--vanilla"], ".js": ["node"]}


def shown_by_script(finding: Finding, limit: float) -> dict[str, Any]:
    """{"title", "script", "severity", "shown": is the fault there?, "printed": what the script said}."""
    os.environ.setdefault("NODE_PATH", ":".join(str(f) for f in node_folders() if f.is_dir()))
    command = [*INTERPRETERS[finding.path.suffix], str(finding.path)]
    program, shown = RunningProgram(command, finding.script), False
    try:
        program.whole(b"", limit)
    except NoAnswerError:
        shown = finding.signal
    except CommandError:
        shown = b"AssertionError" in program.errors and not finding.signal
    told = bytes(program.errors).decode(errors="replace").splitlines()
    last = [line.strip() for line in told if "AssertionError:" in line and "throw" not in line]
    printed = "\n".join([bytes(program.output).decode(errors="replace").strip(), *last[-1:]])
    return {
        "title": finding.title,
        "script": finding.script,
        "severity": finding.severity,
        "shown": shown,
        "printed": printed.strip()[-1500:],
    }
