"""Checks of what a user sees: scores, predictions, ties, labels."""

from __future__ import annotations

import numpy as np

from msvm_ref.conformance.adapters import Fitted, unseen
from msvm_ref.conformance.cases import BASE
from msvm_ref.conformance.fitted import labels_at, scores_at
from msvm_ref.conformance.trial import Trial
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped
from msvm_ref.model.arrays import Array

ROUNDING = 1e-10
"""Scores are sums of a few products: their relative rounding error is far below this, a wrong term far above."""


def check_scores_match_weights(trial: Trial) -> None:
    """decision_function(x) = W'x + b: of the training rows, of rows it has not seen, and of one row alone."""
    case = trial.shaped(BASE)
    fitted = trial.fit(case)
    if fitted.decision_function is None:
        raise CheckSkipped("it has no decision_function")
    if fitted.W is None:
        raise CheckSkipped("it returns no weights to compare its scores with")
    if fitted.W.shape != (case.X.shape[1], len(fitted.classes)):
        raise CheckFailed(
            f"W has shape {fitted.W.shape}; its axes must be {case.X.shape[1]} features and {trial.d} classes"
        )
    b = 0.0 if fitted.b is None else fitted.b
    for name, X in (
        ("the training rows", case.X),
        ("other rows", unseen(case.X)),
        ("one row alone", case.X[:1]),
    ):
        scores, computed = scores_at(fitted, np.array(X)), X @ fitted.W + b
        size = float(abs(computed).max()) + float(abs(fitted.W).max()) + 1e-300
        off = float(abs(scores - computed).max())
        if off > ROUNDING * size:
            raise CheckFailed(
                f"base, {name}: decision_function differs from X W + b by {off:.3g} (scores up to {size:.3g})",
                {"case": case.literal()},
            )


def check_predict_is_argmax(trial: Trial) -> None:
    """predict(x) is the class of the largest score wherever the largest is not in doubt."""
    case = trial.shaped(BASE)
    fitted = _predicting(trial.fit(case))
    for X in (case.X, unseen(case.X)):
        scores, said = scores_at(fitted, np.array(X)), labels_at(fitted, np.array(X))
        for i in np.flatnonzero(_clear(scores)):
            best = fitted.classes[int(scores[i].argmax())]
            if said[i] != best:
                raise CheckFailed(
                    f"base: predict says {said[i]!r} for x = {X[i].tolist()}, the scores "
                    f"{np.round(scores[i], 6).tolist()} of {list(fitted.classes)} say {best!r}"
                )


def _predicting(fitted: Fitted) -> Fitted:
    if fitted.predict is None or fitted.decision_function is None:
        raise CheckSkipped("it has no predict or no decision_function")
    return fitted


def _clear(scores: Array) -> Array:
    """Rows whose largest score is larger than the next by more than rounding."""
    top = np.sort(scores, axis=1)
    clear: Array = top[:, -1] - top[:, -2] > ROUNDING * (abs(scores).max() + 1e-300)
    return clear


def check_tie_rule(trial: Trial) -> None:
    """Equal scores go to the class the rule states ("first" or "last"); the origin without a bias is a sure tie."""
    if trial.tie is None:
        raise CheckSkipped("no tie rule is stated")
    case = trial.shaped(BASE)
    fitted = _predicting(trial.fit(case))
    origin = np.zeros((1, case.X.shape[1]))
    scores = scores_at(fitted, origin)[0]
    tied = np.flatnonzero(scores == scores.max())
    if len(tied) < 2:
        raise CheckSkipped("no exact tie: a bias separates the classes at the origin")
    winner = fitted.classes[int(tied[0] if trial.tie == "first" else tied[-1])]
    said = labels_at(fitted, origin)[0]
    if said != winner:
        raise CheckFailed(
            f"at the origin the scores {scores.tolist()} tie; predict says {said!r}, "
            f"the rule {trial.tie!r} says {winner!r}"
        )


def check_label_order(trial: Trial) -> None:
    """Column k belongs to classes[k], whatever label comes first in y and however labels sort."""
    shuffled = np.array([2, 0, 1]) if trial.d == 3 else np.array([1, 0])
    base = trial.shaped(BASE)
    trial.require_base(base)
    case = base.with_("labels that do not appear in order", y=shuffled[np.asarray(base.y)])
    trial.require_optimal(case, trial.fit(case))


def check_arbitrary_labels(trial: Trial) -> None:
    """Text, negative and widely spaced labels: the same model, and predictions in the user's own labels."""
    if not trial.solver.takes_labels:
        raise CheckSkipped("it takes class indices only")
    base = trial.shaped(BASE)
    trial.require_base(base)
    for names in (
        ["pear", "apple", "fig"],
        [-7, 40, 9],
        [5.0, 1.0, 2.0],
    ):  # 40 comes before 9 in a dictionary
        labels = np.array(names)[np.asarray(base.y)]
        case = base.with_(f"labels {names[: trial.d]}", y=labels)
        fitted = trial.fit(case)
        trial.require_optimal(case, fitted)
        if fitted.predict is not None:
            said = labels_at(fitted, np.array(case.X))
            strange = [v for v in said if v not in labels.tolist()]
            if strange:
                raise CheckFailed(
                    f"{case.name}: predict returns {strange[0]!r}, which is not one of the user's labels"
                )
