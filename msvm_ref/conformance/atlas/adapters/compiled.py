"""C++ libraries: a source file of ``programs/``, compiled when it is first asked for and kept beside the truths."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from msvm_ref.conformance.atlas.entry import FOLDER
from msvm_ref.conformance.atlas.truths import cache_folder
from msvm_ref.errors import BackendError

FLAGS = ("-O2", "-std=c++14", "-DDLIB_NO_GUI_SUPPORT", "-Wl,--copy-dt-needed-entries")


def program(source: str, *libraries: str) -> Path:
    """The compiled program; BackendError says what is missing."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        raise BackendError("g++", "be on the PATH to compile", source, "apt-get install g++")
    file = FOLDER / "programs" / source
    key = hashlib.sha256(file.read_bytes() + repr((FLAGS, libraries)).encode()).hexdigest()[:16]
    made = cache_folder() / f"{file.stem}-{key}"
    if not made.is_file():
        made.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=made.parent) as folder:
            out = str(Path(folder) / "program")
            words = [compiler, *FLAGS, "-o", out, str(file), *(f"-l{name}" for name in libraries)]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode:
                raise BackendError(source, "compile", done.stderr[-300:])
            os.replace(out, made)
    return made


def dlib(X: Any, y: Any, C: float, epsilon: float = 0.001) -> dict[str, Any]:
    made = program("dlib.cpp", "dlib", "pthread")
    lines = [f"{len(X)} {X.shape[1]} {C!r} {epsilon!r}"]
    lines += [
        f"{label} " + " ".join(map(repr, row))
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    done = subprocess.run(
        [str(made)], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    rows = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
    return {"W": np.array(rows[:-1]), "b": -np.array(rows[-1])}
