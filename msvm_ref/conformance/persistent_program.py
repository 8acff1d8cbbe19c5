"""A program that stays up: one JSON object a line in, one a line out, for programs whose start costs more than a fit."""

from __future__ import annotations

from collections.abc import Sequence

from msvm_ref.conformance.process import OUTPUT_LIMIT, RunningProgram


class Conversation:
    """Started at the first question, started again after it died, ended with this object."""

    def __init__(self, command: Sequence[str], name: str, most: int = OUTPUT_LIMIT) -> None:
        self.command, self.name, self.most = list(command), name, most
        self.program: RunningProgram | None = None

    def ask(self, question: str, seconds: float) -> bytes:
        """The line that answers the line ``question``; CommandError where there is none."""
        if self.program is None or not self.program.end.alive:
            self.program = RunningProgram(self.command, self.name, self.most)
        return self.program.ask(f"{question}\n".encode(), seconds)

    @property
    def said(self) -> str:
        """What it has written to standard error since the last question."""
        return "" if self.program is None else self.program.all_said
