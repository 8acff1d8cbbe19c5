"""A failed check in five lines: what failed where, the certified error, the diagnosis, the way out, the smallest example."""

from __future__ import annotations

from dataclasses import dataclass, field

from msvm_ref.conformance.causes import Cause, causes_of
from msvm_ref.conformance.suite import Try, attempt
from msvm_ref.conformance.trial import Trial

WHERE = " where the optimum lies in "


@dataclass
class FailureText:
    """Of one solver; a cause that was found once is not looked for again where it explains the next failure too."""

    trial: Trial
    known: list[tuple[Cause, Trial]] = field(default_factory=list)
    """Causes that are another convention, with the trial in it."""

    def of(self, tried: Try) -> str:
        """The text for pytest: the check and its case, the numbers, and what explains them."""
        trial = self.trial
        claim = f"{trial.machine.name}, convention {trial.convention.name!r}, bias {trial.convention.bias!r}"
        case, colon, numbers = tried.message.partition(": ")
        lines = [
            f"{tried.name} fails on {case} ({claim})" if colon else f"{tried.name} fails ({claim})"
        ]
        lines.append(f"certified: {numbers}" if WHERE in numbers else f"found: {numbers or case}")
        for cause, other in self.known:
            if attempt(other, tried.name).status != "failed":
                return "\n".join(
                    [
                        *lines,
                        f"diagnosis: the same as {cause.checks[0]}: {cause.sentence}",
                        *_right(cause),
                    ]
                )
        found = causes_of(trial, [tried])
        for cause in found:
            lines += _explained(cause)
            if cause.right and cause.trial is not None:
                self.known.append((cause, cause.trial))
        return "\n".join(lines)


def _explained(cause: Cause) -> list[str]:
    lines = [f"diagnosis: {cause.sentence}"] if "diagnosis" in cause.details else []
    lines += _right(cause)
    if "example" in cause.details:
        lines.append(f"smallest example: {cause.details['example']}")
    return lines


def _right(cause: Cause) -> list[str]:
    if not cause.right:
        return []
    named = ", ".join(f"{name}={value!r}" for name, value in cause.right.items())
    return [f"your solver is right as it is with {named}"]
