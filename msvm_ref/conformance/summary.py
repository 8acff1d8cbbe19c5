"""The first screen of a validation: 80 columns, the verdict first, one line a solver, one cause once, and what to do next."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence

from msvm_ref.conformance.causes import Cause
from msvm_ref.conformance.outcomes import OK, Outcome

WIDTH = 80
NAME = 26
"""Columns of a solver's name at most."""
INDENT = "       "
FINEST = 1e-9
"""No finer tolerance is advised: truths are enclosed to about 1e-10 at best."""
LEGEND = (
    "error: worst certified distance from the optimum, relative to it, among fits",
    "       that claim to have converged; in brackets where none does",
)


def summary(
    outcomes: Sequence[Outcome], head: str, command: str, verbose: bool = False
) -> list[str]:
    """The lines; ``command`` is what to type again (without options), for the advice at the end."""
    lines = [head, *LEGEND]
    for outcome in outcomes:
        lines += _lines(outcome, outcomes)
        for repeats in outcome.repeats:
            lines += _wrapped(repeats.text, "")
        if verbose:
            lines += _records(outcome)
    return [*lines, *footer(outcomes, command, verbose)]


def row(outcome: Outcome, outcomes: Sequence[Outcome]) -> str:
    """verdict, solver, machine, worst error, why: one line."""
    names = min(max(len(o.label) for o in outcomes), NAME)
    machines = max(len(o.machine) for o in outcomes)
    verdicts = max(5, *(len(o.verdict) for o in outcomes))
    errors = max(len(_error(o)) for o in outcomes)
    error = _error(outcome)
    start = (
        f"{outcome.verdict:<{verdicts}}  {cut(outcome.label, names):<{names}}  "
        f"{outcome.machine:<{machines}}  {error:<{errors}}  "
    )
    return start + cut(outcome.remark, WIDTH - len(start))


def _error(outcome: Outcome) -> str:
    if not outcome.gaps:
        return "-"
    claimed = any(g["converged"] is not False for g in outcome.gaps)
    return f"{outcome.worst:.0e}" if claimed else f"({outcome.worst:.0e})"


def _lines(outcome: Outcome, outcomes: Sequence[Outcome]) -> list[str]:
    new = [c for c in outcome.causes if not c.known]
    line = row(outcome, outcomes)
    if not new:
        return [line]
    lines = [cut(line, WIDTH - 1) + ":"]
    for number, cause in enumerate(new, 1):
        mark = f"{number}. " if len(new) > 1 else ""
        many = f" ({len(cause.checks)} checks)" if len(new) > 1 and len(cause.checks) > 1 else ""
        one = f" ({cause.checks[0]})" if len(new) > 1 and len(cause.checks) == 1 else ""
        lines += _wrapped(f"{mark}{_sentence(cause)}{many or one}", " " * len(mark))
        if cause.right:
            lines += _wrapped(f"right as it is with {cause.options}", " " * len(mark), first=True)
    return lines


def _sentence(cause: Cause) -> str:
    return cause.sentence.splitlines()[0]


def _wrapped(text: str, hang: str, first: bool = False) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=INDENT + (hang if first else ""),
        subsequent_indent=INDENT + hang,
        break_long_words=True,
        break_on_hyphens=False,
        max_lines=4,
        placeholder=" …",
    )


def _records(outcome: Outcome) -> list[str]:
    """Every check with what it said, and of every cause the proof."""
    lines = [
        f"{INDENT}{outcome.title}; convention {outcome.convention}; tolerance: {outcome.judged}"
    ]
    if outcome.admitted:
        lines.append(f"{INDENT}{outcome.admitted:.0e} where it said itself: not converged")
    for cause in outcome.causes:
        lines += [
            f"{INDENT}cause: {cause.sentence}",
            f"{INDENT}  explains {', '.join(cause.checks)}",
        ]
        lines += [f"{INDENT}  {line}" for line in proof(cause)]
    for record in outcome.records:
        said = record.message.replace("\n", f"\n{INDENT}    ")
        lines.append(f"{INDENT}{record.status}: {record.name}" + (f": {said}" if said else ""))
    return lines


def proof(cause: Cause) -> list[str]:
    """The certificates behind a diagnosis, and the smallest example, one line each."""
    lines = []
    diagnosis = cause.details.get("diagnosis")
    if diagnosis:
        found = (diagnosis["found"] or {}).get("certificate")
        lines.append(f"claimed: {_enclosure(diagnosis['claimed'])}")
        if found and not diagnosis["as_claimed"]:
            lines.append(f"found:   {_enclosure(found)}")
    if "example" in cause.details:
        lines.append(f"smallest example found: {cause.details['example']}")
    return lines


def _enclosure(certificate: Mapping[str, float]) -> str:
    c = certificate
    return (
        f"optimum in [{c['lower']:.12g}, {c['upper']:.12g}], this answer {c['primal_value']:.12g}"
    )


def footer(outcomes: Sequence[Outcome], command: str, verbose: bool = False) -> list[str]:
    """What it comes to, and what to do next."""
    seconds = sum(o.seconds for o in outcomes)
    if len(outcomes) == 1:
        return [_counts(outcomes[0], seconds), *_advice(outcomes[0], command, verbose)]
    known = sum(o.verdict != OK and o.passed for o in outcomes)
    newly = sum(not o.passed for o in outcomes)
    what = f"{len(outcomes)} solvers, {known or 'none'} fail as known, {newly or 'none'} newly"
    more = "" if verbose else " · details: -v, --report out.html"
    return [f"{what}{more}  [{seconds:.0f} s]"]


def _counts(outcome: Outcome, seconds: float) -> str:
    counts = [
        f"{outcome.count('passed')} of {len(outcome.records)} checks pass",
        *(f"{outcome.count(s)} {words}" for s, words in STATUSES if outcome.count(s)),
    ]
    return f"{', '.join(counts)}  [{seconds:.0f} s]"


STATUSES = (("failed", "fail"), ("expected failure", "fail as known"), ("skipped", "skipped"))


def _advice(outcome: Outcome, command: str, verbose: bool) -> list[str]:
    new = [c for c in outcome.causes if not c.known]
    if not new and outcome.truth_gap:
        coarser = 10.0 ** math.ceil(math.log10(10 * outcome.truth_gap))
        return [f"next: the same at --tolerance {coarser:g}, which the ground truth can decide"]
    if not new:
        finer = outcome.tolerance / 1000
        again = f"the same at --tolerance {finer:g}; " if finer >= FINEST else ""
        return [f"next: {again}in your own pytest:", "  @msvm_ref.conformance.parametrize"]
    right = next((c.options for c in new if c.right), "")
    if right:
        line = f"  {command} {right}"
        return ["next: mend it, or claim what it is:", *_folded(line, f"  {command}", right)]
    return ["next: -v shows the proof; --report out.html (.json for msvm-ref diagnose)"]


def _folded(line: str, start: str, end: str) -> list[str]:
    """A shell's line in 80 columns, as far as its words allow."""
    return [line] if len(line) <= WIDTH else [f"{start} \\", f"    {end}"]


def cut(text: str, width: int) -> str:
    """``text`` in ``width`` columns, with … for what is left out."""
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"
