"""``python -m msvm_ref.conformance.atlas.worker``: fits as they are asked for, a JSON line in and a JSON line out.

    {"adapter": "module:function", "settings": {…}, "X": …, "y": …, "C": …}

    {"seconds": …, "W": p x d, "b": d, "predict": n labels, "converged": true|false|null, "said": "…"}     or
    {"seconds": …, "pairs": [{"classes": [a, b], "w": p numbers, "b": …}], "predict": …}                  or
    {"error": "ValueError: …"}

What the library prints goes to standard error. If it ends the process, that is for the other side to record.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np


def adapter_of(name: str) -> Callable[..., dict[str, Any]]:
    """``module:function`` of ``adapters``, or of any module that can be imported, written package.module:function."""
    module, _, function = name.partition(":")
    home = module if "." in module else f"msvm_ref.conformance.atlas.adapters.{module}"
    fit: Callable[..., dict[str, Any]] = getattr(import_module(home), function)
    return fit


def fitted(fit: Callable[..., Any], X: Any, y: Any, C: float, settings: Any) -> dict[str, Any]:
    """One fit as a line of the answer: JSON-ready, with the time it took and the warnings it gave."""
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer = fit(np.array(X, dtype=float), np.array(y), C, **settings)
    except Exception as error:  # the library's, whatever it is
        return {"error": f"{type(error).__name__}: {error}"[:500]}
    line = {"seconds": time.perf_counter() - start, **plain(answer)}
    said = [str(w.message) for w in caught if "onver" in f"{w.category.__name__} {w.message}"]
    if said:
        line = {**line, "converged": False, "said": said[0][:200]}
    return line


def plain(value: Any) -> Any:
    """Arrays as lists; NaN and infinities as strings."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for text in sys.stdin:
        task = json.loads(text)
        fit = adapter_of(task["adapter"])
        line = fitted(fit, task["X"], task["y"], task["C"], task["settings"])
        answers.write(json.dumps(line) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
