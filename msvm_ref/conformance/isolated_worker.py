"""The other side of ``isolated``: ``python -m msvm_ref.conformance.isolated_worker`` reads requests and writes answers.

    (path, pickled solver)                          once, at the start
    ("copy", number)                                 -> the number of a copy of that solver; 0 is the solver itself
    ("fit", number, arguments, more, random state)   -> (number of the fit, Fitted, changed arguments, random state)
    ("call", number of the fit, name, X)             -> what the fitted model's function of that name returns

Standard input and output carry requests and answers alone: what the solver prints goes to standard error.
"""

from __future__ import annotations

import os
import pickle
import sys
from dataclasses import replace
from typing import IO, Any

import numpy as np

from msvm_ref.conformance.adapters import Fitted, Solver
from msvm_ref.conformance.isolated import MARK, Packed, framed


class Worker:
    """Solvers and fits by their numbers, and what was sent of each fit's arrays."""

    def __init__(self, solver: Solver) -> None:
        self.solvers, self.fits, self.sent = [solver], list[Any](), dict[tuple[int, str], Any]()

    def answer(self, kind: str, *request: Any) -> Any:
        if kind == "copy":
            self.solvers.append(self.solvers[request[0]].copy())
            return len(self.solvers) - 1
        if kind == "call":
            fit, name, X = request
            return getattr(self.fits[fit], name)(opened(X))
        return self.fit(*request)

    def fit(self, number: int, packed: list[Any], more: dict[str, Any], state: Any) -> Any:
        arguments = [opened(v) for v in packed]
        np.random.set_state(state)  # noqa: NPY002 (the global generator of the process that asks)
        fitted = self.solvers[number].fit(*arguments, **more)
        changed = [
            (position, now)
            for position, (was, now) in enumerate(zip(packed, arguments, strict=True))
            if isinstance(was, Packed) and not same(was.values, now)
        ]
        self.fits.append(fitted)
        self.sent |= {(len(self.fits) - 1, name): np.array(v) for name, v in arrays(fitted)}
        return len(self.fits) - 1, told(fitted), changed, np.random.get_state()  # noqa: NPY002

    def overwritten(self) -> list[tuple[tuple[int, str], Any]]:
        """Arrays of earlier fits that are no longer what was sent of them."""
        out = []
        for fit, fitted in enumerate(self.fits):
            for name, now in arrays(fitted):
                if not same(self.sent[fit, name], now):
                    self.sent[fit, name] = np.array(now)
                    out.append(((fit, name), self.sent[fit, name]))
        return out


def same(was: Any, now: Any) -> bool:
    return bool(np.array_equal(was, now, equal_nan=was.dtype.kind == "f"))


def arrays(fitted: Any) -> list[tuple[str, Any]]:
    fields = vars(fitted).items() if isinstance(fitted, Fitted) else ()
    return [(k, v) for k, v in fields if isinstance(v, np.ndarray) and v.dtype.kind in "biuf"]


def told(fitted: Any) -> Any:
    """The fit without its functions, which stay here: True stands for one."""
    if not isinstance(fitted, Fitted):
        return fitted
    there = {name: getattr(fitted, name) is not None for name in ("decision_function", "predict")}
    marks: dict[str, Any] = {name: yes or None for name, yes in there.items()}
    return replace(fitted, **marks)


def opened(value: Any) -> Any:
    return value.unpacked() if isinstance(value, Packed) else value


def received(stream: IO[bytes]) -> Any:
    """The next request; SystemExit where there is none."""
    mark = stream.read(MARK)
    if len(mark) < MARK:
        sys.exit(0)
    return pickle.loads(stream.read(int.from_bytes(mark, "little")))


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    def answer(*message: Any) -> None:
        answers.write(framed(message))
        answers.flush()

    try:
        path, content = received(requests)
        sys.path[:] = path
        worker = Worker(pickle.loads(content))
    except Exception as error:  # the user's module, when it is imported
        answer("raised", type(error).__name__, str(error))
        return
    answer("done", None, [])
    while True:
        request = received(requests)
        try:
            value = worker.answer(*request)
            message = framed(("done", value, worker.overwritten()))
        except (
            Exception,
            SystemExit,
        ) as error:  # of the user's solver, to be raised where it was called
            message = framed(("raised", type(error).__name__, str(error)))
        answers.write(message)
        answers.flush()


if __name__ == "__main__":
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    serve(requests, answers)
