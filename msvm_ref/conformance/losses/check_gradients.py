"""Does the (sub)gradient lie in the exact subdifferential: at smooth points, at kinks, under reductions and weights?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from msvm_ref.conformance.losses.check_parameters import WEIGHTS, modes, needs, powers
from msvm_ref.conformance.losses.check_values import all_points, ordinary
from msvm_ref.conformance.losses.exact import Subdifferential, centred, fractions, plus
from msvm_ref.conformance.losses.points import kink_points, smooth_points
from msvm_ref.conformance.losses.question import Numbers, Question
from msvm_ref.conformance.losses.trial import LossTrial
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped


def compare_gradient(trial: LossTrial, question: Question) -> Numbers:
    """The gradient it returns; CheckFailed where a row is no member of its example's subdifferential, to rounding."""
    reply = trial.ask(question, gradient=True)
    gradient = reply.gradient
    assert gradient is not None
    for i, row in enumerate(gradient):
        members, room = trial.subdifferential(question, i, reply.dtype)
        away = ""
        if np.isfinite(row).all():
            g = centred(fractions(row)) if trial.centred else fractions(row)
            distance = members.distance(g)
            if distance <= room:
                continue
            away = f" ({float(distance):.3g} away from the nearest)"
        raise CheckFailed(
            f"{_one(question, i)}: gradient {_row(row)} "
            + (
                f"where it is {_row(_only(members))}"
                if members.smooth
                else f"is no subgradient{away}"
            ),
            {"question": question.literal(), "example": i, "gradient": [float(v) for v in row]},
        )
    return gradient


def _only(members: Subdifferential) -> Numbers:
    only = plus(members.base, members.points[0]) if members.points else members.base
    return np.array([float(v) for v in only])


def _row(values: Numbers) -> str:
    return "(" + ", ".join(f"{v:.6g}" for v in values) + ")"


def _one(question: Question, i: int) -> str:
    return (
        f"scores {_row(question.scores[i])}, y = {int(question.y[i])} (example {i} of {question.n})"
    )


def check_gradient(trial: LossTrial) -> None:
    """At smooth points it is the gradient: for the middle class of three, then for every class of up to six."""
    needs(trial, "gradient")
    for k in range(3):
        question = ordinary(trial, f"gradient {k}")
        try:
            compare_gradient(trial, question)
        except CheckFailed as failure:
            raise CheckFailed(
                f"{failure}{_multiple(trial, question)}", failure.details
            ) from failure
    rng = trial.rng("gradient of every class")
    for d in (trial.d, 2, 4, 6) if trial.machine.fixed_d is None else (trial.d,):
        points = smooth_points(rng, trial.exact(d), list(range(d)) * 2, sum_to_zero=trial.centred)
        if points:
            compare_gradient(trial, trial.question(points))


def _multiple(trial: LossTrial, question: Question) -> str:
    """Which multiple of the gradient it is, where it is one on fresh points too."""
    ratios = set()
    for k in range(2):
        fresh = ordinary(trial, f"fresh gradient {k}")
        try:
            got = trial.ask(fresh, gradient=True).gradient
        except CheckFailed:
            return ""
        assert got is not None
        for i, row in enumerate(got):
            exact = _only(trial.subdifferential(fresh, i)[0])
            if not exact.any():
                if row.any():
                    return ""
                continue
            top = int(abs(exact).argmax())
            ratio = float(row[top] / exact[top])
            if not np.allclose(row, ratio * exact, rtol=1e-6, atol=1e-9):
                return ""
            ratios.add(round(ratio, 9))
    if len(ratios) != 1:
        return ""
    ratio, n = ratios.pop(), question.n
    named = {
        -1.0: "its negative",
        float(n): "the gradient of the sum, not of the mean",
        1.0 / n: "the gradient over n once too often",
        2.0: "twice the gradient",
        0.5: "half the gradient",
        0.0: "zero everywhere",
    }
    return f"; this is {named.get(ratio, f'{ratio:g} times the gradient')}"


def check_gradient_at_kinks(trial: LossTrial) -> None:
    """At a kink any member of the polytope of subgradients will do, and nothing else."""
    needs(trial, "gradient")
    rng = trial.rng("gradient at kinks")
    points = kink_points(rng, trial.exact(trial.d), [trial.middle], 12, trial.centred)
    points += kink_points(rng, trial.exact(trial.d), range(trial.d), 12, trial.centred)
    if not points:
        raise CheckSkipped("no kink of this machine has scores that are short binary fractions")
    for start in range(0, len(points), 4):
        compare_gradient(trial, trial.question(points[start : start + 4]))


def check_gradient_reductions(trial: LossTrial) -> None:
    """The gradient of what is returned: under every reduction, with weights, margin, power and ignored labels."""
    needs(trial, "gradient")
    question = all_points(trial, "gradient reductions", 4)
    asked = [
        (f"reduction {mode!r}" if mode else "", replace(question, reduction=mode))
        for mode in modes(trial)
    ]
    weight = np.array([WEIGHTS[k % len(WEIGHTS)] for k in range(max(trial.d, 4))])
    for p in powers(trial):
        for name, size in (("class_weight", trial.d), ("sample_weight", question.n)):
            if name in trial.takes:
                told = replace(question, p=p, **{name: weight[:size]})  # type: ignore[arg-type]
                asked.append((f"with {name}" + (f", p = {p}" if p else ""), told))
    asked += [(f"p = {p}", replace(question, p=p)) for p in powers(trial) if p is not None]
    if "margin" in trial.takes:
        asked.append(("margin = 0.5", replace(question, margin=0.5)))
    if "ignore_index" in trial.takes:
        asked.append(("with label 0 ignored", replace(question, ignore_index=0)))
    if [words for words, _ in asked] == [""]:
        raise CheckSkipped("it takes neither reduction nor weights nor other parameters")
    for words, told in asked:
        try:
            compare_gradient(trial, told)
        except CheckFailed as failure:
            raise CheckFailed(f"{words}: {failure}", failure.details) from failure
