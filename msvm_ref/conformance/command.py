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
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from msvm_ref.conformance.adapters import Fitted, fitted_from, unseen
from msvm_ref.conformance.persistent_program import Conversation, Silence
from msvm_ref.errors import DataError, MsvmError

PROTOCOL = "msvm-ref-program/1"


def question(X: Any, y: Any, C: float, n_classes: int, **stated: Any) -> dict[str, Any]:
    """What a program is asked; ``stated``: machine, cost, bias, convention, id, spec, as far as they are known."""
    known = {"cost": "linear", "bias": "none", "convention": "UV", **stated}
    return {"protocol": PROTOCOL, **known, "C": C, "n_classes": n_classes, "X": X, "y": y}


def command_line(command: str | Sequence[str]) -> list[str]:
    """The words of a command whose program can be run; DataError where it cannot."""
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise DataError("command", "have its quotes closed", repr(command)) from error
    if not words or shutil.which(words[0]) is None:
        raise DataError(
            "command",
            "name a program that can be run",
            repr(command),
            "give its path, and make it executable",
        )
    return words


class CommandError(MsvmError, RuntimeError):
    """A program that did not answer, or not in JSON."""


class CommandSolver:
    """``CommandSolver("./my_svm --fast")`` runs the program once per fit (or once, ``persistent``); ``timeout`` in seconds."""

    takes_labels = False

    def __init__(
        self,
        command: str | Sequence[str],
        timeout: float = 60.0,
        sample_weight: bool = True,
        classes: bool = True,
        name: str | None = None,
        class_weight: bool = False,
        persistent: bool = False,
        stated: Mapping[str, str | None] | None = None,
    ) -> None:
        self.command = command_line(command)
        self.stated = {k: v for k, v in (stated or {}).items() if v is not None}
        self.timeout, self.name = timeout, name or shlex.join(self.command)
        given = {"sample_weight": sample_weight, "classes": classes, "class_weight": class_weight}
        self.takes = frozenset(k for k, yes in given.items() if yes)
        self.conversation = Conversation(self.command) if persistent else None

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
        answer = self.run(task)
        rows = {tuple(row): k for k, row in enumerate(np.asarray(new).tolist())}
        scores, labels_new = answer.pop("scores_new", None), answer.pop("predict_new", None)

        def pick(values: Any, wanted: Any) -> Any:
            return np.asarray(values)[
                [rows[tuple(row)] for row in np.asarray(wanted, dtype=float).tolist()]
            ]

        if scores is not None:
            answer["decision_function"] = lambda wanted: pick(scores, wanted)
        if labels_new is not None:
            answer["predict"] = lambda wanted: pick(labels_new, wanted)
        return fitted_from(answer, tuple(range(d)))

    def run(self, task: dict[str, Any]) -> dict[str, Any]:
        """One exchange; CommandError says what came instead of an answer."""
        try:
            text = self._ask(task)
        except (subprocess.TimeoutExpired, TimeoutError) as error:
            raise CommandError(
                self.name, f"answer within {self.timeout:g} s", "no answer", "raise timeout="
            ) from error
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise CommandError(self.name, "print one JSON object", repr(text[:200])) from error
        if not isinstance(answer, dict):
            raise CommandError(self.name, "print one JSON object", repr(text[:200]))
        if answer.get("error") is not None:
            raise CommandError(self.name, "answer", str(answer["error"])[-300:])
        return {k: v for k, v in answer.items() if v is not None and k != "error"}

    def _ask(self, task: dict[str, Any]) -> str:
        if self.conversation is not None:
            try:
                return self.conversation.ask(task, self.timeout)
            except Silence as said:
                raise CommandError(
                    self.name, "answer every line", f"its end: {str(said).strip()[-300:]}"
                ) from said
        try:
            done = subprocess.run(
                self.command,
                input=json.dumps(task),
                capture_output=True,
                text=True,
                errors="replace",
                timeout=self.timeout,
            )
        except OSError as error:  # a text file without #!, another machine's binary
            raise CommandError(self.name, "be a program that can be started", str(error)) from error
        if done.returncode:
            raise CommandError(
                self.name, "exit with status 0", f"{done.returncode}: {done.stderr.strip()[-300:]}"
            )
        return done.stdout


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
    done = subprocess.run(["Rscript", "--vanilla", "-e", code], capture_output=True, text=True)
    if done.returncode:
        raise DataError(
            "R", "have the packages kernlab and jsonlite", done.stderr.strip()[-200:], INSTALL_R
        )
    return done.stdout.strip()
