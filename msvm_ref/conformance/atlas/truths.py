"""Certified optima, computed once: kept on disk as weights and multipliers, and certified anew whenever they are read.

Nothing on disk is believed. A file that was changed makes a looser enclosure at most, and is then replaced.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from msvm_ref.conformance.trial import key_of
from msvm_ref.errors import MsvmError
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.certifying import certify
from msvm_ref.solvers.methods import solve
from msvm_ref.solvers.solution import Solution

TOLERANCE = 1e-10
"""The certified relative gap asked of a truth."""
GOOD = 1e-9
"""A stored truth worse than this is computed again."""


def cache_folder() -> Path:
    """MSVM_REF_CACHE, else XDG_CACHE_HOME/msvm_ref, else ~/.cache/msvm_ref; its ``atlas``."""
    given = os.environ.get("MSVM_REF_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(given or Path(base) / "msvm_ref") / "atlas"


def truth(problem: Problem) -> Solution:
    """The certified optimum; from disk where it was computed before."""
    file = cache_folder() / f"{_name(problem)}.npz"
    return _read(file, problem) or _computed(file, problem)


def _name(problem: Problem) -> str:
    return hashlib.sha256(repr(key_of(problem)).encode()).hexdigest()[:32]


def _read(file: Path, problem: Problem) -> Solution | None:
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays: dict[str, Any] = {k: stored[k] for k in ("W", "b", "alpha")}
    except (OSError, ValueError, KeyError):
        return None
    from msvm_ref.judge.candidate import Candidate

    try:
        certificate = certify(problem, **arrays)
    except MsvmError:
        return None
    if not certificate.relative_gap <= GOOD:
        return None
    candidate = Candidate(arrays["W"], arrays["b"], arrays["alpha"])
    return Solution(problem, candidate, certificate, "stored", "disk", TOLERANCE, ())


def _computed(file: Path, problem: Problem) -> Solution:
    solution = solve(problem, method="fast", tolerance=TOLERANCE)
    if not solution.certificate.relative_gap <= GOOD:
        solution = solve(problem, tolerance=TOLERANCE)
    _store(file, solution)
    return solution


def _store(file: Path, solution: Solution) -> None:
    """Best effort: where nothing can be written, truths are computed again."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".npz", delete=False) as stream:
            np.savez(stream, W=solution.W, b=solution.b, alpha=solution.alpha)
        os.replace(stream.name, file)
    except OSError:
        return
