"""Any program as a Solver: one JSON object on its standard input, one on its standard output, for each fit.

``program/PROTOCOL.md`` has every field. X_new are the rows whose scores and predictions the checks will ask for: the training
rows, others, and the origin. With ``persistent`` the program is started once and answers line by line. ``class_weight`` (one
number a class) is sent only to programs that are said to take it.
"""

from __future__ import annotations

import json
import math
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from msvm_ref.conformance.adapters import Fitted, fitted_from, unseen
from msvm_ref.conformance.persistent_program import Conversation
from msvm_ref.conformance.process import (
    OUTPUT_LIMIT,
    CommandError,
    RunningProgram,
    seconds_of,
    unfinished,
)
from msvm_ref.errors import DataError
from msvm_ref.foreign import parsed_json, shown

ARRAYS = ("W", "b", "coef", "scores", "alpha", "scores_new", "predict_new")
PLAIN = ("classes", "objective", "converged")


class CommandSolver:
    """``CommandSolver("./my_svm --fast")`` runs the program once per fit (or once, ``persistent``).

    ``timeout``: seconds until the program and all it started are ended; ``max_output``: bytes of the longest answer;
    ``stated``: machine, convention, bias and cost, as far as they are to be told to the program.
    """

    takes_labels = False
    is_program = True
    """Its time is limited once it is known to be wrong."""

    def __init__(
        self,
        command: str | Sequence[str],
        timeout: float = 60.0,
        sample_weight: bool = True,
        classes: bool = True,
        name: str | None = None,
        class_weight: bool = False,
        persistent: bool = False,
        max_output: int = OUTPUT_LIMIT,
        stated: Mapping[str, str | None] | None = None,
    ) -> None:
        self.command = command_line(command)
        self.stated = {k: v for k, v in (stated or {}).items() if v is not None}
        self.timeout, self.name = seconds_of(timeout), name or shlex.join(self.command)
        self.max_output = max_output
        given = {"sample_weight": sample_weight, "classes": classes, "class_weight": class_weight}
        self.takes = frozenset(k for k, yes in given.items() if yes)
        self.forgets = not persistent
        """Is every fit a process of its own, which knows nothing of those before?"""
        self.conversation = (
            Conversation(self.command, self.name, max_output) if persistent else None
        )

    def copy(self) -> CommandSolver:
        return self  # every fit is a process, or a question, of its own

    def fit(
        self,
        X: Any,
        y: Any,
        C: float,
        sample_weight: Any = None,
        classes: Any = None,
        class_weight: Any = None,
    ) -> Fitted:
        data, labels = np.asarray(X, dtype=float), np.asarray(y).astype(int)
        d = len(classes) if classes is not None else int(labels.max()) + 1
        new = (
            np.vstack([data, unseen(data), np.zeros((1, data.shape[1]))])
            if data.ndim == 2
            else data
        )
        task = question(_json(data), labels.tolist(), C, d, **self.stated)
        task["X_new"] = _json(new)
        if sample_weight is not None:
            task["sample_weight"] = np.asarray(sample_weight, dtype=float).tolist()
        if class_weight is not None:
            task["class_weight"] = [float(class_weight[k]) for k in range(d)]
        answer = self._checked(self.run(task), len(new))
        rows = {tuple(row): k for k, row in enumerate(np.asarray(new).tolist())}
        scores, labels_new = answer.pop("scores_new", None), answer.pop("predict_new", None)

        def pick(values: Any, points: Any) -> Any:
            return values[[rows[tuple(row)] for row in np.asarray(points, dtype=float).tolist()]]

        if scores is not None:
            answer["decision_function"] = lambda points: pick(scores, points)
        if labels_new is not None:
            answer["predict"] = lambda points: pick(labels_new, points)
        return fitted_from(answer, tuple(range(d)))

    def _checked(self, answer: dict[str, Any], points: int) -> dict[str, Any]:
        """The answer with arrays for lists; CommandError where a key is none of the protocol's or an array is none."""
        out: dict[str, Any] = {}
        for key, value in answer.items():
            if key not in (*ARRAYS, *PLAIN):
                known = ", ".join((*ARRAYS, *PLAIN))
                raise CommandError(self.name, f"print keys among {known}", shown(key))
            out[key] = value if value is None or key in PLAIN else self._numbers(key, value)
            new = key in ("scores_new", "predict_new") and value is not None
            if new and out[key].shape[:1] != (points,):
                raise CommandError(
                    self.name,
                    f"give {key} a row for each of the {points} rows of X_new",
                    shown(value),
                )
        classes = out.get("classes")
        if classes is not None and not (
            isinstance(classes, list) and all(isinstance(c, (int, str)) for c in classes)
        ):
            raise CommandError(self.name, "give classes as a list of labels", shown(classes))
        return out

    def _numbers(self, key: str, value: Any) -> Any:
        try:
            raw = np.asarray(value)
            if isinstance(value, list) and raw.dtype.kind in "iuf":
                return raw
        except (
            ValueError,
            TypeError,
            OverflowError,
        ):  # rows of different lengths, or nested too deeply
            pass
        raise CommandError(self.name, f"give {key} as an array of numbers", shown(value, 200))

    def run(self, task: dict[str, Any]) -> dict[str, Any]:
        """One exchange; CommandError says what came instead of an answer."""
        printed, said = self._ask(json.dumps(task))
        answer = answer_of(self.name, printed)
        if answer.get("converged") is None and unfinished(said):
            answer["converged"] = False  # a warning is its word for it
        refusal = answer.pop("error", None)
        if refusal is not None:
            raise CommandError(self.name, "answer", shown(refusal, 300))
        return answer

    def _ask(self, question: str) -> tuple[bytes, str]:
        """What it printed as its answer, and what it wrote to standard error meanwhile."""
        if self.conversation is not None:
            answer = self.conversation.ask(question, self.timeout)
            return answer, self.conversation.said
        program = RunningProgram(self.command, self.name, self.max_output)
        return program.whole(question.encode(), self.timeout), program.all_said


def answer_of(name: str, printed: bytes) -> dict[str, Any]:
    """The JSON object a program printed; NaN and infinities are let through, for the check that asked to refuse."""
    text = printed.decode("utf-8", "replace")
    try:
        answer = parsed_json(text, name, constants=True)
    except DataError as error:
        raise CommandError(name, "print one JSON object", shown(text, 200)) from error
    if not isinstance(answer, dict):
        raise CommandError(name, "print one JSON object", shown(text, 200))
    return answer


PROTOCOL = "msvm-ref-program/1"


def question(X: Any, y: Any, C: float, n_classes: int, **stated: Any) -> dict[str, Any]:
    """What a program is asked; ``stated``: machine, cost, bias, convention, id, spec, as far as they are known."""
    known = {"cost": "linear", "bias": "none", "convention": "UV", **stated}
    return {"protocol": PROTOCOL, **known, "C": C, "n_classes": n_classes, "X": X, "y": y}


def command_line(command: str | Sequence[str]) -> list[str]:
    """The words of a command whose program can be run; DataError where it cannot."""
    try:
        words = shlex.split(command) if isinstance(command, str) else [str(w) for w in command]
    except ValueError as error:
        raise DataError("command", "have its quotes closed", shown(command)) from error
    if not words or shutil.which(words[0]) is None:
        raise DataError(
            "command",
            "name a program that can be run",
            shown(command),
            "give its path, and make it executable",
        )
    return words


def _json(array: Any) -> Any:
    """Rows as lists; NaN and infinities as strings, which JSON has no numbers for."""
    return [
        [v if math.isfinite(v) else str(v) for v in row] for row in np.atleast_2d(array).tolist()
    ]


INSTALL_R = "apt-get install r-base-core r-cran-kernlab r-cran-jsonlite"


def kernlab(kind: str = "kbb-svc", timeout: float = 120.0, restored: bool = False) -> CommandSolver:
    """R's kernlab (``kbb-svc`` or ``spoc-svc``, linear kernel) through Rscript and the packages kernlab and jsonlite.

    ``restored``: with the multiplier that kernlab 0.9-32 loses put back (kernlab.R says which, and how).
    """
    if kind not in ("kbb-svc", "spoc-svc"):
        raise DataError("kind", "be kbb-svc or spoc-svc", repr(kind))
    if shutil.which("Rscript") is None:
        raise DataError("Rscript", "be on the PATH", "nothing", INSTALL_R)
    script = Path(__file__).with_name("kernlab.R")
    return CommandSolver(
        ["Rscript", "--vanilla", str(script), kind, *(["restored"] if restored else [])],
        timeout,
        sample_weight=False,
        classes=False,
        class_weight=True,
        persistent=True,
        name=f"kernlab {kind}" + (", lost multiplier restored" if restored else ""),
    )


def kernlab_version() -> str:
    """The installed kernlab; DataError with the remedy where R or a package is missing."""
    if shutil.which("Rscript") is None:
        raise DataError("Rscript", "be on the PATH", "nothing", INSTALL_R)
    code = 'stopifnot(requireNamespace("jsonlite")); cat(format(packageVersion("kernlab")))'
    try:
        version = RunningProgram(["Rscript", "--vanilla", "-e", code], "Rscript").whole(b"", 60.0)
    except CommandError as error:
        raise DataError(
            "R", "have the packages kernlab and jsonlite", error.got, INSTALL_R
        ) from error
    return version.decode().strip()
