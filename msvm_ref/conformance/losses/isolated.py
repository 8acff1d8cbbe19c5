"""A Python loss in a process of its own: one that never returns, or takes the interpreter along, fails its check and no more.

The function is sent by cloudpickle (one defined in a script or test included); questions and replies follow. The other side is
``python -m msvm_ref.conformance.losses.isolated``.
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import IO, Any

from msvm_ref.conformance.isolated import MARK, START, frame, framed
from msvm_ref.conformance.losses.convention import Reduction
from msvm_ref.conformance.losses.functions import LossFunction
from msvm_ref.conformance.losses.question import Question, Reply
from msvm_ref.conformance.process import (
    OUTPUT_LIMIT,
    CommandError,
    NoAnswerError,
    RunningProgram,
    seconds_of,
)
from msvm_ref.conformance.verdicts import CheckFailed
from msvm_ref.errors import DataError


class IsolatedLoss:
    """``function`` behind the same protocol, asked in a process that is ended after ``timeout`` seconds, and started again."""

    limits_itself = True

    def __init__(self, function: LossFunction, timeout: float = 10.0) -> None:
        import cloudpickle

        try:
            self.content: bytes = cloudpickle.dumps(function)
        except Exception as error:  # whatever the user's __reduce__ or __getstate__ raises
            raise DataError(
                "function",
                "be picklable to be isolated",
                f"{type(error).__name__}: {error}",
                "leave isolate out, or define it in a module that can be imported",
            ) from error
        self.name, self.takes, self.convention = function.name, function.takes, function.convention
        self.has_strides, self.poisons = function.has_strides, function.poisons
        self.dtype = function.dtype
        self.timeout = seconds_of(timeout)
        self.program: RunningProgram | None = None

    def ask(self, question: Question, reduction: Reduction | None, gradient: bool = False) -> Reply:
        if self.program is None or not self.program.end.alive:
            self._start()
        assert self.program is not None
        try:
            answer = self.program.ask(framed((question, reduction, gradient)), self.timeout, frame)
        except NoAnswerError:
            raise
        except CommandError as error:  # it ended the interpreter, which no exception does
            raise NoAnswerError(self.name, "leave its process running", error.got) from error
        kind, *content = pickle.loads(answer[MARK:])
        if kind == "failed":
            raise CheckFailed(*content)
        if kind == "raised":
            name, text = content
            raise type(name, (RuntimeError,), {})(text)
        reply: Reply = content[0]
        return reply

    def _start(self) -> None:
        command = [sys.executable, "-m", "msvm_ref.conformance.losses.isolated"]
        self.program = RunningProgram(command, self.name, OUTPUT_LIMIT)
        path = [entry for entry in sys.path if isinstance(entry, str)]
        try:
            answer = self.program.ask(framed((path, self.content)), START, frame)
        except CommandError as error:
            raise CommandError(self.name, "start in a process of its own", error.got) from error
        kind, *content = pickle.loads(answer[MARK:])
        if kind == "raised":
            self.program.end()
            raise DataError("function", "be readable in a process of its own", ": ".join(content))


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Read questions and write replies until there are no more."""

    def received() -> Any:
        mark = requests.read(MARK)
        if len(mark) < MARK:
            sys.exit(0)
        return pickle.loads(requests.read(int.from_bytes(mark, "little")))

    def answer(*message: Any) -> None:
        answers.write(framed(message))
        answers.flush()

    try:
        path, content = received()
        sys.path[:] = path
        function: LossFunction = pickle.loads(content)
    except Exception as error:  # the user's module, when it is imported
        answer("raised", type(error).__name__, str(error))
        return
    answer("done", None)
    while True:
        question, reduction, gradient = received()
        try:
            answer("done", function.ask(question, reduction, gradient))
        except CheckFailed as failure:
            answer("failed", str(failure), failure.details)
        except (Exception, SystemExit) as error:
            answer("raised", type(error).__name__, str(error))


if __name__ == "__main__":
    standard_input, standard_output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    serve(standard_input, standard_output)
