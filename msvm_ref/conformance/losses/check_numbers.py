"""Floating point: accuracy in each dtype, half precision's range, very large scores, NaN, shifts, and convexity."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from msvm_ref.conformance.losses.check_values import ORDINARY
from msvm_ref.conformance.losses.exact import Vector, exact_loss
from msvm_ref.conformance.losses.points import Point, grid_point, smooth_points
from msvm_ref.conformance.losses.question import Question
from msvm_ref.conformance.losses.trial import LossBroke, LossTrial
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped

BITS = {"float16": 9, "float32": 20, "float64": 48}
"""Bits behind the point of test scores of size up to 1: nearly all that the dtype has."""


def supported(trial: LossTrial) -> list[str]:
    """The dtypes it answers in; a dtype that it refuses is not held against it."""
    dtypes = []
    for dtype in BITS:
        try:
            trial.ask(
                Question(np.ones((ORDINARY, trial.d), dtype), np.full(ORDINARY, trial.middle))
            )
        except LossBroke as refusal:
            if not refusal.refused:
                raise
            continue
        dtypes.append(dtype)
    if not dtypes:
        raise CheckSkipped("it takes scores of no floating dtype")
    return dtypes


def check_precision(trial: LossTrial) -> str:
    """Every dtype to a few ulps of its own; scores use all of its bits."""
    rng, worst = trial.rng("precision"), dict(trial.ulps)
    trial.ulps.clear()
    dtypes = supported(trial)
    for dtype in dtypes:
        for _ in range(4):
            points = smooth_points(
                rng,
                trial.exact(trial.d),
                [trial.middle] * ORDINARY,
                span=1,
                bits=BITS[dtype] - (2 if trial.centred else 0),
                sum_to_zero=trial.centred,
            )
            if points:
                _compare_in(trial, trial.question(points, dtype), dtype)
    measured = {k: trial.ulps.get(k, 0.0) for k in dtypes}
    for dtype, value in worst.items():
        trial.ulps[dtype] = max(trial.ulps.get(dtype, 0.0), value)
    return "worst error in ulps of the scale: " + ", ".join(
        f"{v:.2f} ({k})" for k, v in measured.items()
    )


def _compare_in(trial: LossTrial, question: Question, dtype: str) -> None:
    reply = trial.ask(question)
    if np.finfo(reply.dtype).eps > np.finfo(dtype).eps:
        raise CheckFailed(
            f"{dtype} scores give a {reply.dtype} loss, at {question}",
            {"question": question.literal()},
        )
    try:
        trial.compare(question, reply)
    except CheckFailed as failure:
        raise CheckFailed(f"in {dtype}, {failure}", failure.details) from failure


def check_half_precision_range(trial: LossTrial) -> None:
    """float16: a mean that fits must not overflow on the way, though the sum of its losses does not fit."""
    if "float16" not in supported(trial):
        raise CheckSkipped("it takes no float16 scores")
    if trial.reduction != "mean" and "reduction" not in trial.takes:
        raise CheckSkipped("it takes no mean")
    for exponent in range(13):
        row = np.array([[float(v) for v in _spread(trial, 2.0**exponent)]], np.float16)
        one = Question(row, np.full(1, trial.middle), "mean")
        if 256 <= trial.expected(one).values[0] <= 8192:
            trial.compare(Question(np.tile(row, (512, 1)), np.full(512, trial.middle), "mean"))
            return
    raise CheckSkipped("no float16 scores give it a loss between 256 and 8192")


def _spread(trial: LossTrial, size: float) -> Vector:
    """The true class lowest, another highest; they sum to zero."""
    f = [Fraction(0)] * trial.d
    f[trial.middle], f[(trial.middle + 1) % trial.d] = Fraction(-size), Fraction(size)
    return tuple(f)


def check_large_scores(trial: LossTrial) -> None:
    """Scores up to near the end of the dtype's range, where the exact loss still fits."""
    power = 2 if trial.machine.cost == "quadratic" else 1
    for dtype in supported(trial):
        most = np.finfo(dtype).maxexp
        for exponent in (most // (2 * power), (most - 6) // power - 1):
            size = 2.0**exponent
            points: list[Point] = [
                (_spread(trial, size), trial.middle),
                (tuple(-v for v in _spread(trial, size)), trial.middle),
                (_spread(trial, size / 4), trial.middle),
                (_spread(trial, 1.0), trial.middle),
            ]
            trial.compare(trial.question(points, dtype))


def check_nan(trial: LossTrial) -> str:
    """A NaN among the scores that count gives NaN, or is refused: a loss of 0 hides a diverged model."""
    d, y = trial.d, trial.middle
    loss = exact_loss(trial.machine, d, centre=not trial.centred)
    pieces = [piece for group in loss.groups[y] for piece in group]
    counted = [m for m in range(d) if any(piece.slope[m] for piece in pieces)]
    for where in ([*range(d)], *([m] for m in counted)):
        scores = np.zeros((ORDINARY, d))
        scores[-1, where] = np.nan
        question = trial.rows(scores)
        try:
            value = trial.ask(question).value
        except LossBroke as refusal:
            if not refusal.refused:
                raise
            return "refused"
        if not np.isnan(value).any():
            raise CheckFailed(
                f"scores [{', '.join(f'{v:g}' for v in scores[-1])}], y = {y}: returned "
                f"{np.ravel(value)[-1]:g}, which hides them",
                {"question": question.literal(), "returned": float(np.ravel(value)[-1])},
            )
    return ""


def shift_free(trial: LossTrial) -> bool:
    loss = trial.exact(trial.d)
    return all(
        sum(piece.slope) == 0 for groups in loss.groups for group in groups for piece in group
    )


def check_shift(trial: LossTrial) -> None:
    """A common shift of all scores changes nothing, where the machine has only differences of scores."""
    if not shift_free(trial) or trial.centred:
        raise CheckSkipped("the machine is not invariant to a common shift")
    points = smooth_points(trial.rng("shift"), trial.exact(trial.d), [trial.middle] * ORDINARY)
    for shift in (1024, -1024, 2**20):
        moved: list[Point] = [(tuple(v + shift for v in f), y) for f, y in points]
        question = trial.question(moved)
        try:
            trial.compare(question)
        except LossBroke:
            raise
        except CheckFailed as failure:
            raise CheckFailed(f"scores shifted by {shift}: {failure}", failure.details) from failure


def check_convexity(trial: LossTrial) -> None:
    """Along random segments into a wrong decision the loss lies below its chord; its own values alone decide."""
    rng, d = trial.rng("convexity"), trial.d
    for k in range(32):
        a, b = (grid_point(rng, d, 2 ** (k % 8 + m), 6, trial.centred) for m in (0, 2))
        b = _lowest_for(b, trial.middle)
        quarter = int(rng.integers(1, 4))
        share = Fraction(quarter, 4)
        between = tuple((1 - share) * u + share * v for u, v in zip(a, b, strict=True))
        questions = [trial.rows([[float(v) for v in f]] * ORDINARY) for f in (a, b, between)]
        replies = [trial.ask(question) for question in questions]
        values = [float(np.ravel(reply.value)[0]) for reply in replies]
        if not np.isfinite(values).all():
            raise CheckFailed(f"returned {values} at {_row(a)}, {_row(b)} and {_row(between)}")
        left, right, middle = map(Fraction, values)
        allowed = [
            trial.expected(question, reply.dtype).allowed[0]
            for question, reply in zip(questions, replies, strict=True)
        ]
        room = sum(allowed, Fraction(0))
        if middle > (1 - share) * left + share * right + room:
            raise CheckFailed(
                f"not convex: {float(middle):g} at {_row(between)}, above the chord from "
                f"{float(left):g} at {_row(a)} to {float(right):g} at {_row(b)}",
                {"points": [[float(v) for v in f] for f in (a, between, b)]},
            )


def _lowest_for(f: Vector, y: int) -> Vector:
    """The same scores with the lowest one moved to class y."""
    out = list(f)
    low = out.index(min(out))
    out[low], out[y] = out[y], out[low]
    return tuple(out)


def _row(f: Vector) -> str:
    return "(" + ", ".join(f"{float(v):g}" for v in f) + ")"
