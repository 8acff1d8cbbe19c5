"""numba's cache on disk looks only at the file of the function asked for, not at what that function calls elsewhere.

So a compiled caller would go on running an old callee after a ``git pull``. A package with kernels drops, when it is imported,
whatever was compiled before its newest source file.
"""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path


def drop_stale_kernels(package: str) -> None:
    """Remove cached kernels older than the newest source beside them; ``package`` is the package's ``__file__``."""
    folder = Path(package).parent
    with suppress(OSError):  # an installation that cannot be written to does not change either
        newest = max((source.stat().st_mtime for source in folder.glob("*.py")), default=0.0)
        for kernel in (folder / "__pycache__").glob("*.nb[ic]"):
            if kernel.stat().st_mtime < newest:
                kernel.unlink(missing_ok=True)


def first_use(package: str) -> bool:
    """Is nothing of ``solvers/<package>`` compiled yet, so that its first use takes half a minute?"""
    folder = Path(str(import_module(f"msvm_ref.solvers.{package}").__file__)).parent
    if any((folder / "__pycache__").glob("*.nbi")):
        return False
    elsewhere = os.environ.get("NUMBA_CACHE_DIR") or Path.home() / ".cache" / "numba"
    return not any(Path(elsewhere).glob(f"*{package}*/*.nbi"))
