"""Any program as a loss: one JSON object on its standard input, one on its standard output, for each batch.

    in   {"describe": true}                       once, at the start
    out  {"takes": ["reduction", "class_weight", "sample_weight", "margin", "p", "ignore_index", "gradient"],   what it takes
          "dtypes": ["float32"]}                                               what it computes in; float64 unless it says so

    in   {"scores": [[...]], "y": [0, 2, ...], "n_classes": 3, "dtype": "float64", and of what it takes: "reduction": "mean",
         "sum" or "none", "class_weight": [d], "sample_weight": [n], "margin", "p", "ignore_index", "gradient": true}
    out  {"loss": number, or [n] for "none"}      and "gradient" [[...]] where it was asked for

Scores are numbers of the dtype, printed exactly; NaN and infinities are strings either way. A non-zero exit status, or
{"error": "why"}, means "refused"; an end by a signal, or an answer that is no JSON object, does not. A program that does not
understand "describe" takes scores and labels alone, and returns the mean. With ``persistent`` the program is started once and
answers line by line.
"""

from __future__ import annotations

import json
import math
import shlex
import shutil
from collections.abc import Sequence
from typing import Any

import numpy as np

from msvm_ref.conformance.command import answer_of
from msvm_ref.conformance.losses.convention import OURS, LossConvention, Reduction
from msvm_ref.conformance.losses.question import GIVEN, Question, Reply, read_gradient, read_value
from msvm_ref.conformance.persistent_program import Conversation
from msvm_ref.conformance.process import OUTPUT_LIMIT, CommandError, RunningProgram, seconds_of
from msvm_ref.conformance.verdicts import CheckFailed
from msvm_ref.errors import DataError
from msvm_ref.foreign import shown

ROLES = frozenset({"reduction", *GIVEN, "gradient"})
DTYPES = ("float16", "float32", "float64")


class CommandLoss:
    """``CommandLoss("./my_loss --fast")`` runs the program once per batch (or once, ``persistent``)."""

    limits_itself, has_strides, poisons = True, False, False

    def __init__(
        self,
        command: str | Sequence[str],
        convention: LossConvention = OURS,
        timeout: float = 10.0,
        persistent: bool = False,
    ) -> None:
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        if not self.command or shutil.which(self.command[0]) is None:
            raise DataError(
                "command",
                "name a program that can be run",
                shown(command),
                "give its path, and make it executable",
            )
        self.name, self.convention = shlex.join(self.command), convention
        self.timeout = seconds_of(timeout)
        self.conversation = (
            Conversation(self.command, self.name, OUTPUT_LIMIT) if persistent else None
        )
        self.takes, self.dtypes = self._described()
        self.dtype = self.dtypes[-1]

    def _described(self) -> tuple[frozenset[str], tuple[str, ...]]:
        try:
            said = self._run({"describe": True})
        except (CommandError, CheckFailed):
            said = {}
        takes, dtypes = said.get("takes", []), said.get("dtypes", ["float64"])
        for name, words, known in (("takes", takes, ROLES), ("dtypes", dtypes, DTYPES)):
            if not isinstance(words, list) or not {str(word) for word in words} <= {*known}:
                raise DataError(
                    f"{self.name}: {name}",
                    f"be a list of words among {', '.join(sorted(known))}",
                    shown(words, 200),
                )
        return frozenset(map(str, takes)), tuple(d for d in DTYPES if d in dtypes) or ("float64",)

    def ask(self, question: Question, reduction: Reduction | None, gradient: bool = False) -> Reply:
        if str(question.scores.dtype) not in self.dtypes:
            raise CommandError(self.name, f"compute in {question.scores.dtype}", "not among dtypes")
        task: dict[str, Any] = {
            "scores": [[_json(v) for v in row] for row in question.scores.tolist()],
            "y": [int(v) for v in question.y],
            "n_classes": question.d,
            "dtype": str(question.scores.dtype),
        }
        if reduction is not None and "reduction" in self.takes:
            task["reduction"] = reduction
        for name in GIVEN:
            value = getattr(question, name)
            if value is not None and name in self.takes:
                task[name] = value.tolist() if isinstance(value, np.ndarray) else value
        if gradient:
            task["gradient"] = True
        answer = self._run(task)
        value = read_value(_numbers(answer.get("loss")), question, reduction)
        if not gradient:
            return Reply(value)
        return Reply(value, read_gradient(_numbers(answer.get("gradient")), question))

    def _run(self, task: dict[str, Any]) -> dict[str, Any]:
        text = json.dumps(task)
        if self.conversation is not None:
            printed = self.conversation.ask(text, self.timeout)
        else:
            program = RunningProgram(self.command, self.name, OUTPUT_LIMIT)
            printed = program.whole(text.encode(), self.timeout)
        try:
            answer = answer_of(self.name, printed)
        except CommandError as error:
            raise CheckFailed(f"printed no JSON object: {error.got}") from error
        if "error" in answer:
            raise CommandError(self.name, "answer", shown(answer["error"], 300))
        return answer


def _json(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _numbers(value: Any) -> Any:
    """Strings for NaN and infinities as numbers; anything else as it is, for the reader to refuse."""
    if isinstance(value, bool):
        raise CheckFailed(f"printed {str(value).lower()} for a number")
    if isinstance(value, list):
        return [_numbers(v) for v in value]
    if isinstance(value, str) and value.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return float(value)
    return value
