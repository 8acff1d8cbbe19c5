"""The compiler's options for what runs at every visit of an example.

Without numba's reference counts, and written out into the caller: both together take two thirds of a visit's time otherwise
(arrays are passed by eight words each). Such a kernel allocates nothing; its scratch arrays come from the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from msvm_ref.solvers.compiled import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def lean(
    inline: Literal["never", "always"] = "never", fastmath: bool | set[str] = False
) -> Callable[[Function], Function]:
    options: dict[str, Any] = {"inline": inline, "fastmath": fastmath, "_nrt": False}
    decorator: Callable[[Function], Function] = njit(cache=True, error_model="numpy", **options)
    return decorator
