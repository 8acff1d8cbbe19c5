"""What the parameters of a loss do: reductions, class and sample weights, the margin, the power. Skipped where it has none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from msvm_ref.conformance.losses.check_values import all_points, ordinary
from msvm_ref.conformance.losses.convention import Reduction
from msvm_ref.conformance.losses.question import Question
from msvm_ref.conformance.losses.trial import LossBroke, LossTrial
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped

WEIGHTS = (0.75, 3.0, 0.0, 1.25, 2.0, 4.0)


def needs(trial: LossTrial, *names: str) -> None:
    for name in names:
        if name not in trial.takes:
            raise CheckSkipped(f"it takes no {name}")


def modes(trial: LossTrial) -> tuple[Reduction | None, ...]:
    """The reductions it can be asked for; None where it has but one."""
    return ("mean", "sum", "none") if "reduction" in trial.takes else (None,)


def powers(trial: LossTrial) -> tuple[int | None, ...]:
    return (1, 2) if "p" in trial.takes else (None,)


def check_reductions(trial: LossTrial) -> None:
    """mean, sum and none of the same batch are the exact ones, and have the shapes they should have."""
    needs(trial, "reduction")
    question = ordinary(trial, "reductions")
    for mode in modes(trial)[::-1]:
        try:
            trial.compare(replace(question, reduction=mode))
        except CheckFailed as failure:
            raise CheckFailed(
                f"reduction {mode!r}: {failure}" + _as_another(trial, question, mode),
                failure.details,
            ) from failure


def _as_another(trial: LossTrial, question: Question, mode: Reduction | None) -> str:
    """Which reduction it is instead, where it is one."""
    try:
        got = trial.ask(replace(question, reduction=mode)).value
    except CheckFailed:
        return ""
    each = np.array([float(v) for v in trial.expected(replace(question, reduction="none")).values])
    others = {
        "the mean": each.mean(),
        "the sum": each.sum(),
        "the mean over examples and classes": each.mean() / question.d,
        "the sum over n - 1": each.sum() / (question.n - 1),
        "each loss over n": each / question.n,
        "the largest": each.max(),
        "the last example's": each[-1],
    }
    for words, value in others.items():
        if np.shape(value) == np.shape(got) and trial.close(value, got):
            return f"; this is {words}"
    return ""


def check_class_weights(trial: LossTrial) -> None:
    """w[y] stands outside the power (or inside, where the convention says so); a zero weight silences its class."""
    needs(trial, "class_weight")
    weight = np.array([WEIGHTS[k % len(WEIGHTS)] for k in range(trial.d)])
    for p in powers(trial):
        question = replace(all_points(trial, "class weights", 4), class_weight=weight, p=p)
        for mode in modes(trial):
            told(trial, replace(question, reduction=mode), "class")


def check_sample_weights(trial: LossTrial) -> None:
    """Each example's loss times its weight; a zero weight silences it."""
    needs(trial, "sample_weight")
    weight = np.array([WEIGHTS[(k + 1) % len(WEIGHTS)] for k in range(4)])
    for p in powers(trial):
        question = replace(all_points(trial, "sample weights", 4), sample_weight=weight, p=p)
        for mode in modes(trial):
            told(trial, replace(question, reduction=mode), "sample")


def told(trial: LossTrial, question: Question, kind: str) -> None:
    """Compare, and say where the weights went instead."""
    try:
        trial.compare(question)
    except LossBroke:
        raise
    except CheckFailed as failure:
        from msvm_ref.conformance.losses.weights import misplaced

        raise CheckFailed(
            f"{failure}{misplaced(trial, question, kind)}", failure.details
        ) from failure


def check_margin(trial: LossTrial) -> None:
    """The margin parameter multiplies the targets; 0 and negative margins are margins too, and may be refused."""
    needs(trial, "margin")
    for margin in (0.5, 3.0, 0.0, -0.5):
        for p in powers(trial):
            question = ordinary(trial, f"margin {margin}", margin=margin, p=p)
            try:
                reply = trial.ask(question)
            except LossBroke as refusal:
                if margin > 0 or not refusal.refused:
                    raise
                continue
            trial.compare(question, reply)


def check_power(trial: LossTrial) -> None:
    """p = 1 is the hinge, p = 2 the sum of its squares."""
    needs(trial, "p")
    for p in (1, 2):
        question = ordinary(trial, "power", p=p)
        try:
            trial.compare(question)
        except LossBroke:
            raise
        except CheckFailed as failure:
            raise CheckFailed(
                f"{failure}{_power_words(trial, question)}", failure.details
            ) from failure


def _power_words(trial: LossTrial, question: Question) -> str:
    """What p = 2 computes instead: one example at a time, so that squares of sums can be told."""
    ratios: dict[str, list[bool]] = {}
    for i in range(question.n):
        one = replace(question, scores=question.scores[i : i + 1], y=question.y[i : i + 1])
        got = float(np.ravel(trial.ask(one).value)[0])
        linear = float(trial.expected(replace(one, p=1)).values[0])
        square = float(trial.expected(replace(one, p=2)).values[0])
        factor = float(trial.convention.factor.at(question.d))
        for words, value in {
            "the square of the sum, not the sum of squares": linear**2 / factor,
            "half the square": square / 2,
            "twice the square": square * 2,
            "p ignored: the hinge": linear,
            "p ignored: the squared hinge": square,
            "the root of the sum of squares": (square * factor) ** 0.5,
        }.items():
            ratios.setdefault(words, []).append(trial.close(got, value))
    right = [words for words, agreed in ratios.items() if all(agreed)]
    return f"; this is {right[0]}" if right else ""
