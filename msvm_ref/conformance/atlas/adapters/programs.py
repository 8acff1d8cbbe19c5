"""Libraries of R and node, behind the programs of ``programs/``: a JSON line in, a JSON line out."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from msvm_ref.conformance.atlas.entry import FOLDER
from msvm_ref.conformance.atlas.probes import node_folders
from msvm_ref.conformance.command import CommandSolver, question


@cache
def _program(*command: str) -> CommandSolver:
    os.environ["NODE_PATH"] = ":".join(str(f) for f in node_folders() if f.is_dir())
    return CommandSolver(command, timeout=3600.0, persistent=True)


def _asked(command: tuple[str, ...], X: Any, y: Any, C: float, **more: Any) -> dict[str, Any]:
    task = question(X.tolist(), y.tolist(), C, int(y.max()) + 1)
    answer = _program(*command).run({**task, **more})
    for name in ("W", "b", "predict"):
        if answer.get(name) is not None:
            answer[name] = np.asarray(answer[name])
    return answer


def r(X: Any, y: Any, C: float, program: str, **settings: Any) -> dict[str, Any]:
    script = str(FOLDER / "programs" / program)
    return _asked(("Rscript", "--vanilla", script), X, y, C, **settings)


def node(X: Any, y: Any, C: float, program: str, **settings: Any) -> dict[str, Any]:
    return _asked(("node", str(FOLDER / "programs" / program)), X, y, C, **settings)
