"""A Python solver in a process of its own: one that never returns, or takes the interpreter along, fails its check and no more.

What a solver does to the objects around it is carried over, so that every check sees what it would see in one process:
memory layout and read-only flags of the arguments, what fit wrote into them, numpy's global generator, and arrays of an
earlier fit that a later one overwrote. Solvers are sent by cloudpickle, functions defined in a script or test included.
"""

from __future__ import annotations

import pickle
import sys
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from msvm_ref.conformance.adapters import Fitted, Solver
from msvm_ref.conformance.process import OUTPUT_LIMIT, CommandError, RunningProgram, seconds_of
from msvm_ref.errors import DataError

START = 60.0
"""Seconds in which the process must have started and imported what the solver needs."""
MARK = 8
"""Bytes that state a message's length before it."""


def framed(message: Any) -> bytes:
    content = pickle.dumps(message, protocol=5)
    return len(content).to_bytes(MARK, "little") + content


def frame(buffer: bytearray) -> int | None:
    length = MARK + int.from_bytes(buffer[:MARK], "little")
    return length if MARK <= length <= len(buffer) else None


class Isolation:
    """The process; started at the first request, and again after it was ended. ``generation`` counts the starts."""

    def __init__(self, solver: Solver, timeout: float) -> None:
        import cloudpickle

        try:
            self.content: bytes = cloudpickle.dumps(solver)
        except Exception as error:  # whatever the user's __reduce__ or __getstate__ raises
            raise DataError(
                "solver",
                "be picklable to be isolated",
                f"{type(error).__name__}: {error}",
                "leave isolate out, or define it in a module that can be imported",
            ) from error
        self.name, self.timeout = solver.name, seconds_of(timeout)
        self.program: RunningProgram | None = None
        self.generation = 0
        self.arrays: weakref.WeakValueDictionary[Any, Any] = weakref.WeakValueDictionary()

    @property
    def alive(self) -> bool:
        return self.program is not None and self.program.end.alive

    def ask(self, *request: Any) -> Any:
        """What the process answers: its exceptions are raised here under their own names, limits as NoAnswerError."""
        if not self.alive:
            self._start()
        assert self.program is not None
        answer = self.program.ask(framed(request), self.timeout, frame)
        kind, *content = pickle.loads(answer[MARK:])
        if kind == "raised":
            name, text = content
            raise type(name, (RuntimeError,), {})(text)
        value, overwritten = content
        for key, now in overwritten:
            if (array := self.arrays.get((self.generation, *key))) is not None:
                array[...] = now
        return value

    def _start(self) -> None:
        command = [sys.executable, "-m", "msvm_ref.conformance.isolated_worker"]
        self.program = RunningProgram(command, self.name, 16 * OUTPUT_LIMIT)
        self.generation += 1
        path = [entry for entry in sys.path if isinstance(entry, str)]
        try:
            answer = self.program.ask(framed((path, self.content)), START, frame)
        except CommandError as error:
            raise CommandError(self.name, "start in a process of its own", error.got) from error
        kind, *content = pickle.loads(answer[MARK:])
        if kind == "raised":
            self.program.end()
            raise DataError("solver", "be readable in a process of its own", ": ".join(content))


class IsolatedSolver:
    """``solver`` behind the Solver protocol, fitted and asked in a process of its own with ``timeout`` seconds a call."""

    def __init__(
        self, solver: Solver, timeout: float = 60.0, isolation: Isolation | None = None
    ) -> None:
        self.solver, self.timeout = solver, timeout
        self.name, self.takes, self.takes_labels = solver.name, solver.takes, solver.takes_labels
        for attribute in ("intercept_scaling", "without_intercept", "draws_by_design"):
            if hasattr(solver, attribute):
                setattr(self, attribute, getattr(solver, attribute))
        self.isolation = isolation or Isolation(solver, timeout)
        self.held = (0, 0)
        """(generation, number): which solver of the process it is."""

    def copy(self) -> IsolatedSolver:
        made = IsolatedSolver(self.solver, self.timeout, self.isolation)
        made.held = self._copied(self._number())
        return made

    def _number(self) -> int:
        """Its number in the process; in a process that was started since, a new copy of the solver."""
        if self.held[0] != self.isolation.generation or not self.isolation.alive:
            self.held = self._copied(0)
        return self.held[1]

    def _copied(self, number: int) -> tuple[int, int]:
        made = self.isolation.ask("copy", number)
        return self.isolation.generation, made

    def fit(
        self, X: Any, y: Any, C: float, sample_weight: Any = None, classes: Any = None, **more: Any
    ) -> Fitted:
        number = self._number()
        arguments = [X, y, C, sample_weight, classes]
        state = np.random.get_state()  # noqa: NPY002 (the global generator is the solver's, too)
        answer = self.isolation.ask("fit", number, [packed(v) for v in arguments], more, state)
        fit, fitted, changed, state = answer
        for position, now in changed:
            arguments[position][...] = now
        np.random.set_state(state)  # noqa: NPY002
        if not isinstance(fitted, Fitted):
            return fitted  # type: ignore[no-any-return] # for the check that reads it to refuse
        generation = self.isolation.generation
        for name, value in vars(fitted).items():
            if isinstance(value, np.ndarray):
                self.isolation.arrays[(generation, fit, name)] = value
        calls: dict[str, Any] = {
            name: self._call(generation, fit, name)
            for name in ("decision_function", "predict")
            if getattr(fitted, name) is not None
        }
        return replace(fitted, **calls)

    def _call(self, generation: int, fit: int, name: str) -> Callable[[Any], Any]:
        def call(X: Any) -> Any:
            if generation != self.isolation.generation or not self.isolation.alive:
                raise CommandError(
                    self.isolation.name, f"be there for {name}", "a process that was ended"
                )
            return self.isolation.ask("call", fit, name, packed(X))

        return call


def packed(value: Any) -> Any:
    """An array with what pickle forgets of it: the read-only flag, and that it is a view with gaps."""
    if not isinstance(value, np.ndarray):
        return value
    gaps = not (value.flags.c_contiguous or value.flags.f_contiguous)
    return Packed(np.array(value, order="K"), value.flags.writeable, gaps)


class Packed:
    def __init__(self, values: Any, writeable: bool, gaps: bool) -> None:
        self.values, self.writeable, self.gaps = values, writeable, gaps

    def unpacked(self) -> Any:
        array = self.values.copy(order="K")
        if self.gaps:
            wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), dtype=array.dtype)
            wide[..., ::2] = array
            array = wide[..., ::2]
        array.setflags(write=self.writeable)
        return array
