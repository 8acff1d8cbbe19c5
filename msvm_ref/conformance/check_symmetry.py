"""Checks of what must not matter: order, class numbering, duplication for weights, what was fitted before."""

from __future__ import annotations

import numpy as np

from msvm_ref.conformance.adapters import Fitted
from msvm_ref.conformance.cases import BASE, OFFSET
from msvm_ref.conformance.trial import Trial, error_of
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped, ask
from msvm_ref.model.arrays import frozen

WEIGHTS = np.array([1, 3, 1, 2, 1, 1, 4, 1, 2, 1, 1, 3])
SUM_TO_N = np.array([0.5, 2, 0.5, 1.5, 0.5, 1, 0.25, 1.75, 1, 0.25, 1.5, 1.25])
"""Weights with mean 1 in all (and in the first two classes, eight examples): a solver that normalises leaves them alone."""


def check_sample_order(trial: Trial) -> None:
    """The examples in another order are the same problem."""
    base = trial.shaped(BASE)
    trial.require_base(base)
    order = np.random.default_rng(1).permutation(len(base.y))
    for name, picked in (("base shuffled", order), ("base reversed", np.arange(len(base.y))[::-1])):
        case = base.with_(name, X=frozen(base.X[picked]), y=np.asarray(base.y)[picked])
        trial.require_optimal(case, trial.fit(case))


def check_class_permutation(trial: Trial) -> None:
    """Classes renumbered (examples sorted anew): the same optimum with its columns permuted."""
    base = trial.shaped(BASE)
    trial.require_base(base)
    y = (np.asarray(base.y) + 1) % trial.d
    order = np.argsort(y, kind="stable")
    case = base.with_("classes renumbered", X=frozen(base.X[order]), y=y[order])
    trial.require_optimal(case, trial.fit(case))


def check_weights_equal_duplication(trial: Trial) -> None:
    """Weight k is k copies: C_i = C weight_i, by the certificate of the weighted problem."""
    if "sample_weight" not in trial.solver.takes:
        raise CheckSkipped("fit takes no sample_weight")
    base = trial.shaped(BASE)
    trial.require_base(base)
    weights = WEIGHTS[: len(base.y)].astype(float)
    case = base.with_("weights 1 to 4", sample_weight=weights)
    trial.require_optimal(case, trial.fit(case), f" (weights {WEIGHTS[: len(base.y)].tolist()})")
    case = base.with_("weights that sum to n", sample_weight=SUM_TO_N[: len(base.y)])
    trial.require_optimal(case, trial.fit(case))
    copies = np.repeat(np.arange(len(base.y)), WEIGHTS[: len(base.y)])
    twin = base.with_("the same as copies", X=frozen(base.X[copies]), y=np.asarray(base.y)[copies])
    trial.require_optimal(twin, trial.fit(twin))


def check_class_weights(trial: Trial) -> None:
    """C_i = C class_weight[y_i], with all ones and with three different weights, none of them the label's index."""
    if "class_weight" not in trial.solver.takes:
        raise CheckSkipped("it takes no class_weight")
    base = trial.shaped(BASE)
    trial.require_base(base)
    for weights in ((1.0, 1.0, 1.0), (2.0, 0.5, 3.0)):
        case = base.with_(
            f"class weights {list(weights[: trial.d])}", class_weight=weights[: trial.d]
        )
        trial.require_optimal(case, trial.fit(case))


def check_zero_weight_is_removal(trial: Trial) -> None:
    """Weight 0 is no example at all (every class keeps one)."""
    if "sample_weight" not in trial.solver.takes:
        raise CheckSkipped("fit takes no sample_weight")
    base = trial.shaped(BASE)
    trial.require_base(base)
    weights = np.where(np.arange(len(base.y)) % 4 == 3, 0.0, 1.0)
    case = base.with_("weights 0 and 1", sample_weight=weights)
    trial.require_optimal(case, trial.fit(case))


def check_refit(trial: Trial) -> None:
    """A second fit of the same object on other data forgets the first; and fitting the first again finds it again."""
    base, other = trial.shaped(BASE), trial.shaped(OFFSET)
    trial.require_base(base)
    trial.require_base(other)
    solver = trial.copied()
    trial.fit(base, solver=solver)
    trial.require_optimal(other, trial.fit(other, solver=solver), " (fitted after base)")
    if trial.d > 2:
        two = BASE.first(2).with_("two classes of base")
        trial.require_optimal(two, trial.fit(two, solver=solver), " (fitted after three classes)")
    trial.require_optimal(base, trial.fit(base, solver=solver), " (fitted after other data)")


def check_copy_is_independent(trial: Trial) -> None:
    """Fitting a copy changes nothing in the original's fit."""
    base, other = trial.shaped(BASE), trial.shaped(OFFSET)
    trial.require_base(base)
    solver = trial.copied()
    fitted = trial.fit(base, solver=solver)
    certificate, posed, _ = trial.judge(base, fitted)
    before = error_of(certificate)
    trial.fit(other, solver=ask(solver.copy))
    after = error_of(trial.judge(base, fitted)[0])
    if not after <= max(before, trial.allowed(posed)):
        raise CheckFailed(
            f"fitting a copy moved the original's weights: error {before:.2g} before, {after:.2g} after"
        )


def check_repeatable(trial: Trial) -> str:
    """The same data again, with another state of numpy's global generator: optimal again; the note says if the same again."""
    base = trial.shaped(BASE)
    first = trial.require_base(base)
    state = np.random.get_state()  # noqa: NPY002 (the global generator is what is being tested)
    try:
        fits = []
        for seed in (1, 12345):
            np.random.seed(seed)  # noqa: NPY002
            fits.append(trial.fit(base, again=True))
            trial.require_optimal(base, fits[-1], f" (global seed {seed})")
    finally:
        np.random.set_state(state)  # noqa: NPY002
    apart = max(difference(first, fitted) for fitted in fits)
    if apart == 0:
        return "the same again, to the last digit"
    return f"optimal again, and not the same: answers differ by {apart:.1e} of their size"


def difference(first: Fitted, second: Fitted) -> float:
    """The largest difference between two answers, relative to the first's size; of what says most: W, coef, scores, alpha."""
    for name in ("W", "coef", "scores", "alpha"):
        one, two = getattr(first, name), getattr(second, name)
        if one is not None and two is not None:
            pairs = [(one, two)] + ([(first.b, second.b)] if first.b is not None else [])
            size = max(float(abs(a).max(initial=0.0)) for a, _ in pairs)
            apart = max(float(abs(a - b).max(initial=0.0)) for a, b in pairs if b is not None)
            return apart / size if size > 0 else apart
    return 0.0


def check_global_random_state(trial: Trial) -> None:
    """A fit neither draws from nor reseeds numpy's global generator."""
    if getattr(trial.solver, "draws_by_design", False):
        raise CheckSkipped(
            "random_state=None: scikit-learn draws from the global generator by design; set random_state"
        )
    state = np.random.get_state()  # noqa: NPY002
    try:
        np.random.seed(4711)  # noqa: NPY002
        trial.fit(trial.shaped(BASE))
        drawn = np.random.random()  # noqa: NPY002
        np.random.seed(4711)  # noqa: NPY002
        if drawn != np.random.random():  # noqa: NPY002
            raise CheckFailed(
                "fit changed the state of numpy's global random generator: a hard-coded seed, or unseeded draws"
            )
    finally:
        np.random.set_state(state)  # noqa: NPY002
