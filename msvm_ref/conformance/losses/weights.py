"""Where the weights of a loss went instead: placements tried on fresh examples, and told only where every one agrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from msvm_ref.conformance.losses.question import Numbers, Question
from msvm_ref.conformance.losses.trial import LossTrial
from msvm_ref.conformance.verdicts import CheckFailed


def misplaced(trial: LossTrial, question: Question, kind: str) -> str:
    """``; <where the weights are>``, or nothing where no placement we know explains the replies."""
    from msvm_ref.conformance.losses.check_values import all_points

    fresh = all_points(trial, f"fresh {kind} weights", 8)
    weight = question.class_weight if kind == "class" else question.sample_weight
    assert weight is not None
    if kind == "sample":
        weight = np.resize(weight, fresh.n)
    asked = replace(
        fresh,
        reduction=question.reduction,
        p=question.p,
        class_weight=weight if kind == "class" else None,
        sample_weight=weight if kind == "sample" else None,
    )
    try:
        got = trial.ask(asked).value
    except CheckFailed:
        return ""
    for words, values in _placements(trial, asked, kind).items():
        if values.shape == got.shape and trial.close(values, got):
            return f"; {words}"
    return ""


def _placements(trial: LossTrial, question: Question, kind: str) -> dict[str, Numbers]:
    weight = question.class_weight if kind == "class" else question.sample_weight
    assert weight is not None
    mine = weight[question.y] if kind == "class" else weight
    reduce = _reducer(trial, question)
    bare = replace(question, class_weight=None, sample_weight=None, reduction="none")
    each = np.array([float(v) for v in trial.expected(bare).values])
    square = trial.convention.machine_at(None, question.p).cost == "quadratic"
    out: dict[str, Callable[[], Numbers]] = {
        f"the {kind} weights are ignored": lambda: reduce(each, np.ones(len(each))),
        "the mean is over the sum of the weights, not over the examples": lambda: np.asarray(
            (mine * each).sum() / mine.sum()
        ),
        "the mean is over the examples, not over the sum of the weights": lambda: np.asarray(
            (mine * each).mean()
        ),
        "the weights are normalised to mean 1": lambda: reduce(each, mine / mine.mean()),
        "the weights are squared" if not square else "the weights are inside the power": lambda: (
            reduce(each, mine**2)
        ),
        "the weights are outside the power": lambda: reduce(each, mine),
        "the roots of the weights are taken": lambda: reduce(each, np.sqrt(mine)),
        "the weights are added": lambda: reduce(each + mine, np.ones(len(each))),
    }
    if kind == "class":
        out["each rival's own weight, w[c] for w[y]"] = lambda: reduce(
            _by_rival(trial, question), np.ones(len(each))
        )
    return {words: np.asarray(make()) for words, make in out.items()}


def _reducer(trial: LossTrial, question: Question) -> Callable[[Numbers, Numbers], Numbers]:
    mode = trial.reduction_of(question)

    def reduce(each: Numbers, weight: Numbers) -> Numbers:
        values = each * weight
        if mode == "none":
            return np.asarray(values)
        return np.asarray(values.sum() if mode == "sum" else values.mean())

    return reduce


def _by_rival(trial: LossTrial, question: Question) -> Numbers:
    """sum_c w[c] v_c^q of every example."""
    from msvm_ref.conformance.losses.exact import fractions

    loss = trial.exact(question.d, question.margin, question.p)
    factor, weight = float(trial.convention.factor.at(question.d)), question.class_weight
    assert weight is not None
    rows = []
    for row, y in zip(question.scores, question.y, strict=True):
        f = fractions(row)
        total = 0.0
        for group in loss.groups[int(y)]:
            top = max(group, key=lambda p: p.at(f))
            total += weight[top.c] * max(0.0, float(top.at(f))) ** loss.power
        rows.append(factor * total)
    return np.array(rows)
