"""Checks by certificate: is it the optimum of what it claims to be the optimum of?"""

from __future__ import annotations

import numpy as np

from msvm_ref.conformance.adapters import Fitted
from msvm_ref.conformance.cases import (
    BASE,
    CONSTANT_FEATURE,
    CONTRADICTORY,
    COPIES,
    FIVE,
    GENERIC,
    OFFSET,
    ONE_FEATURE,
    OPTIMALITY,
    SQUARE,
    STRETCHED,
    UNBALANCED,
    WIDE,
    ZERO_EXAMPLE,
    ZERO_FEATURE,
)
from msvm_ref.conformance.convention_pairs import PROBLEMS, problem_of
from msvm_ref.conformance.fixtures import BIAS_FIXTURES, MACHINE_FIXTURES
from msvm_ref.conformance.reported_objective import named
from msvm_ref.conformance.trial import Trial, error_of
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped
from msvm_ref.model.arrays import frozen


def check_optimality(trial: Trial) -> None:
    """Within ``tolerance`` of the certified optimum on small ordinary problems (and on the user's own cases)."""
    for case in (*OPTIMALITY, *trial.cases):
        case = trial.shaped(case)
        trial.require_optimal(case, trial.fit(case))


def check_machine(trial: Trial) -> None:
    """It is the machine it claims to be, on data where the others' optima provably differ."""
    if trial.d == 2:
        raise CheckSkipped("two classes: most machines are the same problem there")
    name = trial.machine.name
    pairs = [f for f in MACHINE_FIXTURES if name in (f.first[0], f.second[0])]
    if not pairs:
        raise CheckSkipped(f"no stored fixture tells {name} from the catalogue's machines")
    smallest = {f.data: f.case for f in pairs}.values()
    for case in (
        BASE,
        *smallest,
    ):  # a dozen examples first: three leave a diagnosis more than one answer
        trial.require_optimal(case, trial.fit(case))


def check_convention(trial: Trial) -> None:
    """It writes the machine as the convention does, on data that tell every two conventions of the table apart."""
    for where in PROBLEMS[trial.d]:
        case = problem_of(where, trial.convention)
        trial.require_optimal(case, trial.fit(case))


def check_C(trial: Trial) -> None:
    """The constant is the convention's: at an eighth and at eight times C, and far from 1 on data scaled to match it."""
    for factor in (0.125, 1.0, 8.0):
        case = trial.shaped(UNBALANCED.with_(f"unbalanced at C = {0.5 * factor:g}", C=0.5 * factor))
        trial.require_optimal(case, trial.fit(case))
    for t in (
        (16.0, 0.0625) if trial.convention.bias != "penalized" else (16.0,)
    ):  # K + 1 with a small K is another problem
        case = trial.shaped(
            BASE.with_(
                f"base times {t:g} at C = {BASE.C / t**2:g}", X=frozen(BASE.X * t), C=BASE.C / t**2
            )
        )
        trial.require_optimal(case, trial.fit(case))


def check_bias_treatment(trial: Trial) -> None:
    """No bias, a penalized or a free one, as claimed: on data off the origin, where the three provably differ."""
    stored = [f.case for f in BIAS_FIXTURES if f.first[0] == trial.machine.name and trial.d == 3]
    for case in (trial.shaped(OFFSET), *stored):
        trial.require_optimal(case, trial.fit(case))


def check_sum_to_zero(trial: Trial) -> None:
    """sum_c w_c = 0 (and sum_c b_c = 0) where the machine requires it, or where its optimum implies it."""
    spec = trial.machine.at(trial.d)
    implied = bool((spec.nu.sum(axis=2) == 0).all())
    if not (spec.sum_to_zero or implied):
        raise CheckSkipped(f"{trial.machine.name} does not ask for it")
    case = trial.shaped(OFFSET)
    fitted = trial.fit(case)
    certificate, posed, given = trial.judge(case, fitted)
    if certificate.sum_to_zero is None:
        raise CheckSkipped(
            "it returned multipliers only; their weights sum to zero by construction"
        )
    if spec.sum_to_zero:
        if certificate.sum_to_zero > trial.tolerance:
            raise CheckFailed(
                f"{case.name}: the classes' weights sum to {certificate.sum_to_zero:.2g} (relative), not to zero",
                {"case": case.literal(), "certificate": certificate.to_dict()},
                (posed.problem, given),
            )
        return
    if "W" not in given or certificate.primal_value is None:
        raise CheckSkipped("implied by optimality; only weights show it")
    W = given[
        "W"
    ]  # centring relative margins changes no margin and saves ||sum w||^2 / (2d): that much is avoidable
    avoidable = float((W.sum(axis=1) ** 2).sum()) / (2 * trial.d)
    if avoidable > trial.allowed(posed) * certificate.primal_value:
        raise CheckFailed(
            f"{case.name}: uncentred W; centring it changes no margin and lowers the objective by "
            f"{posed.objective(avoidable):.3g}",
            {"case": case.literal(), "certificate": certificate.to_dict()},
            (posed.problem, given),
        )


def check_two_classes(trial: Trial) -> None:
    """Two classes: optimal, and the two scores are each other's negative wherever the machine implies it."""
    case = BASE.first(2).with_("two classes")
    fitted = trial.fit(case)
    certificate = trial.require_optimal(case, fitted)
    spec = trial.machine.at(2)
    posed = trial.pose(case)
    given = trial.candidate(posed, fitted)
    if "W" in given and (spec.sum_to_zero or (spec.nu.sum(axis=2) == 0).all()):
        off = float(np.linalg.norm(given["W"].sum(axis=1)))
        if (
            off > 2 * certificate.distance_bound
        ):  # ||W - W*|| <= bound and W* sums to zero, so |sum w| <= sqrt(2) bound
            raise CheckFailed(
                f"two classes: w_0 + w_1 has norm {off:.3g}, more than optimality allows"
            )


def check_absent_class(trial: Trial) -> None:
    """A declared class without examples is a class like the others: it has a score, and the optimum knows it."""
    if "classes" not in trial.solver.takes:
        raise CheckSkipped("fit takes no classes=: absent classes cannot be declared")
    if trial.d == 2:
        raise CheckSkipped("two classes only")
    for absent in (2, 1, 0):
        others = np.array([c for c in range(3) if c != absent])
        case = BASE.first(2)
        case = case.with_(f"class {absent} absent", y=others[np.asarray(case.y)], classes=(0, 1, 2))
        trial.require_optimal(case, trial.fit(case))


def check_more_classes(trial: Trial) -> None:
    """Five classes; and three with as many features as classes, where a transposed W has the right shape."""
    if trial.d == 2:
        raise CheckSkipped("two classes only")
    for case in (FIVE, SQUARE):
        trial.require_optimal(case, trial.fit(case))


def check_shapes_of_data(trial: Trial) -> None:
    """One feature; more features than examples."""
    for case in map(trial.shaped, (ONE_FEATURE, WIDE)):
        trial.require_optimal(case, trial.fit(case))


def check_degenerate_data(trial: Trial) -> None:
    """A feature that is zero, a feature that is constant, an example that is zero."""
    for case in map(trial.shaped, (ZERO_FEATURE, CONSTANT_FEATURE, ZERO_EXAMPLE)):
        trial.require_optimal(case, trial.fit(case))


def check_duplicates(trial: Trial) -> None:
    """An example that is there three times counts three times."""
    case = trial.shaped(COPIES)
    trial.require_optimal(case, trial.fit(case))


def check_contradictory_duplicates(trial: Trial) -> None:
    """The same x under different labels is a legal problem with a certified optimum."""
    case = trial.shaped(CONTRADICTORY)
    trial.require_optimal(case, trial.fit(case))


def check_converged_flag(trial: Trial) -> None:
    """ "Converged" means within tolerance, on well- and badly scaled data alike; an honest "no" passes."""
    told = False
    for case in (BASE, OFFSET, STRETCHED, *trial.cases):
        case = trial.shaped(case)
        fitted = trial.fit(case)
        if fitted.converged is None:
            raise CheckSkipped("it has no flag")
        told = told or fitted.converged
        certificate, posed, _ = trial.judge(case, fitted)
        error, allowed = error_of(certificate), trial.allowed(posed)
        if fitted.converged and not error <= allowed:
            raise CheckFailed(
                f"{case.name}: says it converged, and is {100 * error:.3g} % from optimal"
                f" (tolerance {allowed:.3g})",
                {"case": case.literal(), "error": error},
            )
    if not told:
        raise CheckSkipped("it never says that it converged")


def check_multipliers(trial: Trial) -> None:
    """alpha, where given, is dual feasible as handed in and dual optimal."""
    case = trial.shaped(BASE)
    fitted = trial.fit(case)
    if fitted.alpha is None:
        raise CheckSkipped("it returns no alpha")
    certificate = trial.judge(case, Fitted(fitted.classes, alpha=fitted.alpha))[0]
    faults = {k: v for k, v in certificate.infeasibility.items() if v > trial.tolerance}
    if faults or certificate.dual_error > trial.tolerance:
        text = ", ".join(f"{k.replace('_', ' ')} off by {v:.2g}" for k, v in faults.items())
        raise CheckFailed(
            f"base: dual value {100 * certificate.dual_error:.3g} % below the optimum; {text or 'feasible'}",
            {"case": case.literal(), "certificate": certificate.to_dict()},
        )


def check_objective(trial: Trial) -> None:
    """The objective it reports is that of the weights it returns, in its own units."""
    case = trial.shaped(BASE)
    fitted = trial.fit(case)
    if fitted.objective is None:
        raise CheckSkipped("it reports no objective")
    certificate, posed, given = trial.judge(case, fitted)
    if certificate.primal_value is None:
        raise CheckSkipped("it returns no weights to evaluate")
    value = posed.objective(certificate.primal_value)
    if not abs(fitted.objective - value) <= trial.tolerance * abs(value):
        words = named(fitted.objective, posed, given)
        again = trial.shaped(GENERIC)  # what fits one number by accident does not fit two
        second = trial.fit(again) if words else fitted
        if words and second.objective is not None:
            other = trial.pose(again)
            words &= named(second.objective, other, trial.candidate(other, second))
        told = f": {min(words)}" if words and second is not fitted else ""
        raise CheckFailed(
            f"base: reports {fitted.objective:.8g}{told}; its weights are worth {value:.8g} in {trial.convention.name}"
        )


def check_scaled_data(trial: Trial) -> None:
    """X times t at C over t^2 is the same problem: optimal there as well (t = 4, and t = 1/4)."""
    if not trial.pose(trial.shaped(BASE)).problem.is_linear or trial.convention.bias == "penalized":
        raise CheckSkipped("holds for the linear kernel with no or a free bias")
    trial.require_base(trial.shaped(BASE))
    for t in (4.0, 0.25):
        case = trial.shaped(BASE.with_(f"base times {t:g}", X=frozen(BASE.X * t), C=BASE.C / t**2))
        trial.require_optimal(case, trial.fit(case))
