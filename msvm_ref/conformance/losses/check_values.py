"""Is the value the exact one: at random points, at kinks and ties, for every label, for two classes, for one example, for none?

Each check varies one thing and keeps the rest ordinary (three classes, a label in the middle, four examples, no kink), so that
the check that fails says what is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msvm_ref.conformance.losses.points import kink_points, smooth_points
from msvm_ref.conformance.losses.question import Question
from msvm_ref.conformance.losses.trial import LossBroke, LossTrial
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped

ORDINARY = 4
"""Examples in a batch: a power of two, so that a mean of short binary fractions is one."""


def ordinary(trial: LossTrial, name: str, n: int = ORDINARY, **more: Any) -> Question:
    """n smooth points of the middle class at the usual number of classes."""
    points = smooth_points(
        trial.rng(name), trial.exact(trial.d), [trial.middle] * n, sum_to_zero=trial.centred
    )
    if len(points) < n:
        raise CheckSkipped("no points away from every kink were found for this machine")
    return trial.question(points, **more)


def check_value(trial: LossTrial) -> None:
    """At random dyadic scores, 3 to 6 and 10 classes, labels that are neither first nor last, small and large margins."""
    rng = trial.rng("value")
    for d in (3, 4, 5, 6, 10) if trial.machine.fixed_d is None else (trial.d,):
        for span in (1, 2, 8):
            labels = [int(v) for v in rng.integers(1, d - 1, ORDINARY)] if d > 2 else [0] * ORDINARY
            points = smooth_points(
                rng, trial.exact(d), labels, span=span, sum_to_zero=trial.centred
            )
            if points:
                trial.compare(trial.question(points))


def check_kinks(trial: LossTrial) -> None:
    """Where a violation is exactly 0, and where several are equally large; the value is continuous there."""
    rng = trial.rng("kinks")
    points = kink_points(rng, trial.exact(trial.d), [trial.middle], 16, trial.centred)
    if not points:
        raise CheckSkipped("no kink of this machine has scores that are short binary fractions")
    for start in range(0, len(points), 4):
        trial.compare(trial.question(points[start : start + 4]))


def check_equal_scores(trial: LossTrial) -> None:
    """All scores equal: zeros of either sign, and a common value."""
    for value in (0.0, -0.0) if trial.centred else (0.0, -0.0, 3.0, -0.5):
        trial.compare(trial.rows(np.full((ORDINARY, trial.d), value)))


def check_label_positions(trial: LossTrial) -> None:
    """The true class first, in the middle, and last."""
    rng, d = trial.rng("positions"), trial.d
    for y in range(d):
        points = smooth_points(rng, trial.exact(d), [y] * ORDINARY, sum_to_zero=trial.centred)
        if points:
            trial.compare(trial.question(points))


def check_two_classes(trial: LossTrial) -> None:
    """Batches of both classes, and of either one alone."""
    if trial.machine.fixed_d not in (None, 2):
        raise CheckSkipped(f"the machine is given for {trial.machine.fixed_d} classes")
    rng = trial.rng("two classes")
    for labels in ([0, 1, 1, 0], [0] * 4, [1] * 4):
        points = smooth_points(rng, trial.exact(2), labels, sum_to_zero=trial.centred)
        if points:
            trial.compare(trial.question(points))


def check_single_example(trial: LossTrial) -> None:
    """A batch of one."""
    for k in range(3):
        trial.compare(ordinary(trial, f"single {k}", 1))


def check_batch_sizes(trial: LossTrial) -> None:
    """Batches whose length is no power of two: what works in blocks must not lose, or read beyond, the last one."""
    distinct = ordinary(trial, "batch sizes", 13)
    for n in (3, 7, 33, 769):
        rows = np.arange(n) % distinct.n
        trial.compare(trial.rows(distinct.scores[rows], distinct.y[rows]))


def check_empty_batch(trial: LossTrial) -> str:
    """No example: "sum" is 0, "none" has shape (0,), "mean" is 0 or NaN; refusing is allowed, another number is not."""
    said = []
    modes = ("mean", "sum", "none") if "reduction" in trial.takes else (trial.reduction,)
    for mode in modes:
        question = trial.rows(np.zeros((0, trial.d)), reduction=mode, poisoned=True)
        try:
            value = trial.ask(question).value
        except LossBroke as refusal:
            if not refusal.refused:
                raise
            said.append(f"{mode}: refused")
            continue
        allowed = value.size == 0 or value == 0 or (mode == "mean" and np.isnan(value))
        if not allowed:
            words = f"the {mode} over no example is {float(value):g}, not 0"
            if mode == "mean":
                words += " or NaN"
            elif np.isnan(value) and trial.function.poisons:
                words += ": it is read from memory that was never written (filled with NaN here)"
            raise CheckFailed(words, {"question": question.literal()})
        if value.size:
            said.append(f"{mode}: {float(value):g}")
    return ", ".join(said)


def all_points(trial: LossTrial, name: str, n: int) -> Question:
    """Smooth points of every label."""
    labels = [k % trial.d for k in range(n)]
    points = smooth_points(trial.rng(name), trial.exact(trial.d), labels, sum_to_zero=trial.centred)
    return trial.question(points)
