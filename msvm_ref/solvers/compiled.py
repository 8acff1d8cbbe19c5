"""numba's ``njit`` with a cache on disk that is keyed by the content of the solvers.

numba keeps a compiled function beside the source of *that* function, in ``__pycache__`` or in ``NUMBA_CACHE_DIR``, and looks
at that source alone: after an upgrade a caller whose own file is unchanged would go on running the old code of what it calls.
Here the folder of the cache has the hash of every source below ``solvers/`` in its name, so that a kernel compiled from
anything else is not found. Every kernel of the package is compiled through this ``njit`` (a test sees to it).
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba

if TYPE_CHECKING:
    from numba import njit as njit

KEPT = 3
"""Folders kept beside the sources; older ones are removed. A folder the user names is the user's to clean."""
PREFIX = "msvm_ref-"
_settings: Any = numba.config
_turn = threading.Lock()


def _keyed(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit(**options)``; with ``cache=True`` in the folder of this content, uncached where none can be written."""

    def compiled(function: Callable[..., Any]) -> Any:
        folder = cache_folder() if options.get("cache") else None
        with _cache_in(folder):
            kept = {"cache": folder is not None, "no_cfunc_wrapper": True}
            return numba.njit(**{**options, **kept})(function)

    return compiled


if not TYPE_CHECKING:
    njit = _keyed


@cache
def content_key(root: Path | None = None) -> str:
    """A hash of the names and contents of all sources below ``root``, by default those of the solvers."""
    folder, digest = root or Path(__file__).parent, hashlib.sha256()
    for source in sorted(folder.rglob("*.py")):
        name = source.relative_to(folder).as_posix().encode()
        digest.update(b"%d %s %d " % (len(name), name, source.stat().st_size))
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path | None:
    """The folder of this content: in ``NUMBA_CACHE_DIR`` where that is set, else beside the sources, else the user's cache."""
    key = f"{PREFIX}{content_key()}"
    if _settings.CACHE_DIR:
        return writable(Path(_settings.CACHE_DIR) / key)
    beside = Path(__file__).parent / "__pycache__"
    folder = writable(beside / key)
    if folder is None:
        with suppress(RuntimeError):  # a user without a home
            return writable(Path.home() / ".cache" / "msvm_ref" / key)
        return None
    remove_old(beside)
    return folder


def first_use(package: str) -> bool:
    """Is nothing of ``solvers/<package>`` compiled yet, so that its first use takes half a minute?"""
    folder = cache_folder()
    return folder is None or not any(folder.glob(f"{package}_*/*.nbi"))


def writable(folder: Path) -> Path | None:
    """The folder, made if need be, or None where nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        folder.touch()
    except OSError:
        return None
    return folder


def remove_old(beside: Path) -> None:
    """All but the ``KEPT`` folders used last: a process that still runs one of the others compiles again, no more."""
    folders = sorted(beside.glob(f"{PREFIX}*"), key=_last_use, reverse=True)
    for folder in folders[KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)


def _last_use(folder: Path) -> float:
    """0 for one that another process has just removed."""
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0


@contextmanager
def _cache_in(folder: Path | None) -> Iterator[None]:
    """numba decides where a function is cached when it is decorated, by this setting; then the user's own stands again."""
    with _turn:
        users = _settings.CACHE_DIR
        if folder is not None:
            _settings.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            _settings.CACHE_DIR = users
