"""Libraries of R and node, behind the programs of ``programs/``: a JSON line in, a JSON line out."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from typing import Any

import numpy as np

from msvm_ref.conformance.atlas.entry import FOLDER
from msvm_ref.conformance.atlas.probes import node_folders
from msvm_ref.conformance.command import question


@cache
def _program(*command: str) -> subprocess.Popen[str]:
    """Started once, in the worker's own process group: what ends the worker ends it as well."""
    os.environ["NODE_PATH"] = ":".join(str(f) for f in node_folders() if f.is_dir())
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _asked(command: tuple[str, ...], X: Any, y: Any, C: float, **more: Any) -> dict[str, Any]:
    task = question(X.tolist(), y.tolist(), C, int(y.max()) + 1)
    program = _program(*command)
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(json.dumps({**task, **more}) + "\n")
    program.stdin.flush()
    line = program.stdout.readline()
    if not line:
        raise RuntimeError(f"{command[0]} ended with status {program.wait()}")
    answer: dict[str, Any] = json.loads(line)
    if answer.get("error") is not None:
        raise RuntimeError(str(answer["error"]))
    for name in ("W", "b", "predict"):
        if answer.get(name) is not None:
            answer[name] = np.asarray(answer[name])
    return answer


def r(X: Any, y: Any, C: float, program: str, **settings: Any) -> dict[str, Any]:
    script = str(FOLDER / "programs" / program)
    return _asked(("Rscript", "--vanilla", script), X, y, C, **settings)


def node(X: Any, y: Any, C: float, program: str, **settings: Any) -> dict[str, Any]:
    return _asked(("node", str(FOLDER / "programs" / program)), X, y, C, **settings)
