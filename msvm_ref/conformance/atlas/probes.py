"""Which version of a library is installed: read from the files it installed, so that a list of thirty takes no time."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

R_LIBRARIES = (
    "/usr/local/lib/R/site-library",
    "/usr/lib/R/site-library",
    "/usr/local/lib/R/library",
    "/usr/lib/R/library",
)
NODE_FOLDERS = ("/usr/local/lib/node_modules", "/usr/lib/node_modules")


@dataclass(frozen=True)
class Probe:
    """``version()`` is the installed version, or "" where it is not installed."""

    name: str
    """The name it is installed under."""
    kind: str = "pip"
    """pip, r, npm, or program."""
    needs: tuple[Probe, ...] = ()
    """What must be there beside it."""

    def version(self) -> str:
        if any(not need.version() for need in self.needs):
            return ""
        return {"pip": _pip, "r": _r, "npm": _npm, "program": _program}[self.kind](self.name)


def _pip(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _r(name: str) -> str:
    if shutil.which("Rscript") is None:
        return ""
    own = (os.environ.get("R_LIBS", "") + ":" + os.environ.get("R_LIBS_USER", "")).split(":")
    for folder in (*filter(None, own), *R_LIBRARIES):
        file = Path(folder) / name / "DESCRIPTION"
        if file.is_file():
            told = re.search(r"^Version:\s*(\S+)", file.read_text(errors="replace"), re.MULTILINE)
            return told[1] if told else "?"
    return ""


def node_folders() -> Iterator[Path]:
    """Where node looks: NODE_PATH, node_modules here and above, and where npm -g installs."""
    yield from (Path(p) for p in os.environ.get("NODE_PATH", "").split(":") if p)
    here = Path.cwd()
    yield from (folder / "node_modules" for folder in (here, *here.parents))
    yield from map(Path, NODE_FOLDERS)


def _npm(name: str) -> str:
    if shutil.which("node") is None:
        return ""
    for folder in node_folders():
        file = folder / name / "package.json"
        if file.is_file():
            return str(json.loads(file.read_text()).get("version", "?"))
    return ""


def _program(name: str) -> str:
    return "installed" if shutil.which(name) else ""
