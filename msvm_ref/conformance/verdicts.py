"""What a check can say, and the one place where the solver's own code is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.process import NoAnswerError
from msvm_ref.model.problem import Problem


class CheckFailed(AssertionError):  # noqa: N818 (a verdict, not an error)
    """A property does not hold. ``details`` has the numbers; ``candidate`` can be diagnosed, ``case`` shrunk."""

    def __init__(
        self,
        message: str,
        details: dict[str, Any] | None = None,
        candidate: tuple[Problem, dict[str, Any]] | None = None,
        case: Case | None = None,
    ) -> None:
        super().__init__(message)
        self.details, self.candidate, self.case = details or {}, candidate, case


class SolverBroke(CheckFailed):
    """The solver raised where it should have answered."""


class SolverStuck(SolverBroke):
    """The solver neither answered nor refused within its limits."""


class CheckSkipped(Exception):  # noqa: N818 (a verdict, not an error)
    """The check cannot tell, or does not apply; the text says why."""


class TruthTooWide(CheckSkipped):
    """The enclosure of the optimum (``gap``, relative) is too wide for the tolerance: it cannot tell, whatever the answer."""

    def __init__(self, case: str, gap: float) -> None:
        super().__init__(f"{case}: the ground truth is certified to {gap:.1e} only")
        self.gap = gap


def ask(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call the solver's code: what it raises (sys.exit included) is its failure; what we raise elsewhere stays ours."""
    try:
        return function(*arguments, **named)
    except NoAnswerError as error:
        raise SolverStuck(f"the solver did not answer: {error}") from error
    except (Exception, SystemExit) as error:
        raise SolverBroke(f"the solver raised {type(error).__name__}: {error}") from error
