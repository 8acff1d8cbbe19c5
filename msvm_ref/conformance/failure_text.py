"""A failed check in five lines: what failed where, the certified error, the diagnosis, the way out, the smallest example."""

from __future__ import annotations

from dataclasses import dataclass, field

from msvm_ref.conformance.causes import Cause, Explanations
from msvm_ref.conformance.suite import Try
from msvm_ref.conformance.trial import Trial

WHERE = " where the optimum lies in "


@dataclass
class FailureText:
    """Of one solver; a cause that was found once is not looked for again where it explains the next failure too."""

    trial: Trial
    explanations: Explanations = field(init=False)

    def __post_init__(self) -> None:
        self.explanations = Explanations(self.trial)

    def of(self, tried: Try) -> str:
        """The text for pytest: the check and its case, the numbers, and what explains them."""
        trial = self.trial
        claim = f"{trial.machine.name}, convention {trial.convention.name!r}, bias {trial.convention.bias!r}"
        case, colon, numbers = tried.message.partition(": ")
        lines = [
            f"{tried.name} fails on {case} ({claim})" if colon else f"{tried.name} fails ({claim})"
        ]
        lines.append(f"certified: {numbers}" if WHERE in numbers else f"found: {numbers or case}")
        cause = self.explanations.explain(tried)
        if cause.checks[0] == tried.name or not cause.explains:
            return "\n".join([*lines, *_explained(cause)])
        same = f"diagnosis: the same as {cause.checks[0]}: {cause.sentence}"
        return "\n".join([*lines, same, *_right(cause)])


def _explained(cause: Cause) -> list[str]:
    diagnosed = "diagnosis" in cause.details or cause.trial is not None
    lines = [f"diagnosis: {cause.sentence}"] if diagnosed else []
    lines += _right(cause)
    if "example" in cause.details:
        lines.append(f"smallest example: {cause.details['example']}")
    return lines


def _right(cause: Cause) -> list[str]:
    if not cause.right:
        return []
    named = ", ".join(f"{name}={value!r}" for name, value in cause.right.items())
    return [f"your solver is right as it is with {named}"]
