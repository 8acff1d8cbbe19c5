"""Checks of what a user sees: scores, predictions, ties, labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from msvm_ref.conformance.adapters import Fitted
from msvm_ref.conformance.cases import BASE, Case
from msvm_ref.conformance.trial import CheckFailed, CheckSkipped, Trial, ask

ROUNDING = 1e-10
"""Scores are sums of a few products: their relative rounding error is far below this, a wrong term far above."""


def _scored(trial: Trial, case: Case) -> tuple[Fitted, Any, Any]:
    """(fit, scores it computes, scores X W + b) in the solver's own units and order of classes."""
    fitted = trial.fit(case)
    if fitted.decision_function is None:
        raise CheckSkipped("it has no decision_function")
    if fitted.W is None:
        raise CheckSkipped("it returns no weights to compare its scores with")
    scores = np.asarray(ask(fitted.decision_function, np.array(case.X)), dtype=float)
    b = 0.0 if fitted.b is None else np.asarray(fitted.b, dtype=float)
    W = np.asarray(fitted.W, dtype=float)
    if W.shape[0] != case.X.shape[1]:
        raise CheckFailed(f"W has shape {W.shape}; its first axis must be the {case.X.shape[1]} features")
    return fitted, scores, case.X @ W + b


def check_scores_match_weights(trial: Trial) -> None:
    """decision_function(x) = W'x + b."""
    case = trial.shaped(BASE)
    fitted, scores, computed = _scored(trial, case)
    if scores.shape != computed.shape:
        raise CheckFailed(f"decision_function returns shape {scores.shape} where W and b give {computed.shape}")
    size = float(abs(computed).max()) + float(abs(np.asarray(fitted.W)).max()) + 1e-300
    off = float(abs(scores - computed).max())
    if off > ROUNDING * size:
        raise CheckFailed(f"base: decision_function differs from X W + b by {off:.3g} (scores up to {size:.3g})",
                          {"case": case.literal()})


def check_predict_is_argmax(trial: Trial) -> None:
    """predict(x) is the class of the largest score wherever the largest is not in doubt."""
    case = trial.shaped(BASE)
    fitted = trial.fit(case)
    if fitted.predict is None or fitted.decision_function is None:
        raise CheckSkipped("it has no predict or no decision_function")
    scores = np.asarray(ask(fitted.decision_function, np.array(case.X)), dtype=float)
    said = np.asarray(ask(fitted.predict, np.array(case.X))).tolist()
    top = np.sort(scores, axis=1)
    clear = top[:, -1] - top[:, -2] > ROUNDING * (abs(scores).max() + 1e-300)
    for i in np.flatnonzero(clear):
        best = fitted.classes[int(scores[i].argmax())]
        if said[i] != best:
            raise CheckFailed(f"base: predict says {said[i]!r} for x = {case.X[i].tolist()}, the scores "
                              f"{np.round(scores[i], 6).tolist()} of {list(fitted.classes)} say {best!r}")


def check_tie_rule(trial: Trial) -> None:
    """Equal scores go to the class the rule states ("first" or "last"); the origin without a bias is a sure tie."""
    if trial.tie is None:
        raise CheckSkipped("no tie rule is stated")
    case = trial.shaped(BASE)
    fitted = trial.fit(case)
    if fitted.predict is None or fitted.decision_function is None:
        raise CheckSkipped("it has no predict or no decision_function")
    origin = np.zeros((1, case.X.shape[1]))
    scores = np.asarray(ask(fitted.decision_function, origin), dtype=float)[0]
    tied = np.flatnonzero(scores == scores.max())
    if len(tied) < 2:
        raise CheckSkipped("no exact tie: a bias separates the classes at the origin")
    wanted = fitted.classes[int(tied[0] if trial.tie == "first" else tied[-1])]
    said = np.asarray(ask(fitted.predict, origin)).tolist()[0]
    if said != wanted:
        raise CheckFailed(f"at the origin the scores {scores.tolist()} tie; predict says {said!r}, "
                          f"the rule {trial.tie!r} says {wanted!r}")


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
    for names in (["pear", "apple", "fig"], [-7, 40, 3]):
        labels = np.array(names)[np.asarray(base.y)]
        case = base.with_(f"labels {names[:trial.d]}", y=labels)
        fitted = trial.fit(case)
        trial.require_optimal(case, fitted)
        if fitted.predict is not None:
            said = set(np.asarray(ask(fitted.predict, np.array(case.X))).tolist())
            if not said <= set(labels.tolist()):
                raise CheckFailed(f"{case.name}: predict returns {sorted(map(str, said))}, which are not the user's labels")
