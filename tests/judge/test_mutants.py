"""Wrong answers that look right: each is refused, and the field that should notice is the one that does."""

from __future__ import annotations

import numpy as np
import pytest

import msvm_ref as mr
from tests.small_problems import blobs

X, Y = blobs(3, per_class=8)
FINE = ("sum_to_zero", "dual_sign", "dual_bound", "dual_support", "dual_equality")


def truth(machine=mr.WW, bias="none", C=1.0, **kwargs):
    problem = mr.Problem(machine, kwargs.pop("X", X), kwargs.pop("y", Y), C=C, bias=bias, **kwargs)
    return problem, mr.solve(problem)


def refused(certificate: mr.Certificate, field: str, others_fine: bool = True) -> None:
    assert not certificate.optimal(1e-6), str(certificate)
    assert getattr(certificate, field) > 1e-7, f"{field} did not notice:\n{certificate}"
    if others_fine and field in FINE:
        quiet = {name: getattr(certificate, name) for name in FINE if name != field}
        assert all(not value or name == "sum_to_zero" for name, value in quiet.items()), quiet


def test_the_unmutated_answer_passes():
    for machine in (mr.WW, mr.CS, mr.LLW, mr.ATM):
        for bias in ("none", "free", "penalized"):
            problem, s = truth(machine, bias)
            b = None if bias == "none" else s.b
            assert mr.certify(problem, W=s.W, b=b, alpha=s.alpha).optimal(1e-9)


def test_flipped_sign_of_w():
    problem, s = truth()
    refused(mr.certify(problem, W=-s.W), "primal_error")
    refused(mr.certify(problem, W=-s.W, alpha=s.alpha), "stationarity")


def test_flipped_sign_of_one_multiplier():
    problem, s = truth()
    alpha = s.alpha.copy()
    i, p = np.unravel_index(alpha.argmax(), alpha.shape)
    alpha[i, p] *= -1
    refused(mr.certify(problem, W=s.W, alpha=alpha), "dual_sign")


@pytest.mark.parametrize("factor", [2.0, 4.0, len(Y), 0.5, 0.25, 1 / len(Y)])
def test_c_off_by_a_factor(factor):
    problem, _ = truth()
    other = mr.solve(problem.with_C(factor))
    refused(mr.certify(problem, W=other.W), "primal_error")
    if factor > 1:
        refused(mr.certify(problem, W=other.W, alpha=other.alpha), "dual_bound")
    else:
        refused(mr.certify(problem, W=other.W, alpha=other.alpha), "complementarity")


@pytest.mark.parametrize("machine", [mr.LLW, mr.MMR, mr.AMO, mr.ATM, mr.ATS], ids=lambda m: m.name)
def test_dropped_sum_to_zero_constraint(machine):
    problem, _ = truth(machine)
    free = mr.Machine(
        "free", machine.margin, machine.aggregation, machine.target, sum_to_zero=False
    )
    mutant = mr.solve(mr.Problem(free, X, Y))
    refused(mr.certify(problem, W=mutant.W), "sum_to_zero")


def test_dropped_margin_constraint():
    """A solver that forgot the last example is exactly optimal for another problem, and not for this one."""
    X_out = np.vstack([X, -3 * X[:1]])  # an outlier that matters
    y_out = np.append(Y, Y[0])
    problem, _ = truth(X=X_out, y=y_out)
    forgot = mr.solve(mr.Problem(mr.WW, X, Y))
    refused(mr.certify(problem, W=forgot.W), "primal_error")
    alpha = np.vstack([forgot.alpha, np.zeros(3)])
    refused(mr.certify(problem, W=forgot.W, alpha=alpha), "complementarity")


def test_swapped_class_pair():
    problem, s = truth()
    W = s.W[:, [1, 0, 2]]
    refused(mr.certify(problem, W=W), "primal_error")
    refused(mr.certify(problem, W=W, alpha=s.alpha), "stationarity")


def test_rotated_classes_off_by_one():
    problem, s = truth(mr.CS, "penalized")
    refused(mr.certify(problem, W=np.roll(s.W, 1, axis=1), b=np.roll(s.b, 1)), "primal_error")


@pytest.mark.parametrize("machine", [mr.WW, mr.OVA, mr.LLW], ids=lambda m: m.name)
def test_penalized_instead_of_free_bias(machine):
    shifted = X + 2.0
    problem, _ = truth(machine, "free", X=shifted)
    wrong = mr.solve(mr.Problem(machine, shifted, Y, bias="penalized"))
    refused(mr.certify(problem, W=wrong.W, b=wrong.b, reference=mr.solve), "primal_error")
    refused(
        mr.certify(problem, W=wrong.W, b=wrong.b, alpha=wrong.alpha),
        "dual_equality",
        others_fine=False,
    )


def test_free_instead_of_penalized_bias():
    shifted = X + 2.0
    problem, _ = truth(mr.WW, "penalized", X=shifted)
    wrong = mr.solve(mr.Problem(mr.WW, shifted, Y, bias="free"))
    refused(mr.certify(problem, W=wrong.W, b=wrong.b, alpha=wrong.alpha), "stationarity")


@pytest.mark.parametrize("machine", [mr.WW, mr.CS], ids=lambda m: m.name)
def test_margin_2_for_1(machine):
    """f_y - f_c >= 1 instead of (f_y - f_c)/2 >= 1: half the targets."""
    problem, _ = truth(machine)
    halved = mr.Machine("margin", machine.margin, machine.aggregation, target=0.5)
    wrong = mr.solve(mr.Problem(halved, X, Y))
    refused(mr.certify(problem, W=wrong.W), "primal_error")
    refused(mr.certify(problem, W=wrong.W, alpha=wrong.alpha), "complementarity")


def test_uncentred_w_where_sum_to_zero_is_required():
    problem, s = truth(mr.LLW)
    certificate = mr.certify(problem, W=s.W + 0.01, alpha=s.alpha)
    refused(certificate, "sum_to_zero")
    assert (
        certificate.relative_gap < 1e-9
    )  # the repaired point is optimal; the one handed in is not admissible
    assert certificate.distance_bound >= np.linalg.norm(np.full(s.W.shape, 0.01))


def test_uncentred_b_where_sum_to_zero_is_required():
    problem, s = truth(mr.ATS, "free")
    refused(mr.certify(problem, W=s.W, b=s.b + 0.01, alpha=s.alpha), "sum_to_zero")


def test_uncentred_w_where_it_only_costs_norm():
    problem, s = truth(mr.WW)
    certificate = mr.certify(problem, W=s.W + 0.1, alpha=s.alpha)
    refused(certificate, "primal_error")
    assert certificate.sum_to_zero > 1e-3
    assert not certificate.sum_to_zero_required


@pytest.mark.parametrize(
    ("machine", "bias"), [(mr.WW, "none"), (mr.CS, "none"), (mr.OVA, "free"), (mr.ATM, "penalized")]
)
def test_a_dual_infeasible_by_a_millionth(machine, bias):
    problem, s = truth(machine, bias)
    b = None if bias == "none" else s.b
    over = s.alpha.copy()
    i = over.sum(axis=1).argmax()
    over[i] += np.where(problem.spec.mask[Y[i]], 1e-6, 0.0)
    over[i] *= max(1.0, (1 + 2e-6) / over[i].sum()) if problem.spec.shared else 1.0
    over[i, over[i].argmax()] = (
        max(over[i].max(), 1 + 1e-6) if not problem.spec.shared else over[i].max()
    )
    assert not mr.certify(problem, W=s.W, b=b, alpha=over).optimal(1e-9)
    under = s.alpha.copy()
    under[
        np.unravel_index(np.where(problem.spec.mask[Y], under, np.inf).argmin(), under.shape)
    ] = -1e-6
    certificate = mr.certify(problem, W=s.W, b=b, alpha=under)
    assert certificate.dual_sign == pytest.approx(1e-6)
    assert not certificate.optimal(1e-9)


def test_free_bias_equality_off_by_a_millionth():
    problem, s = truth(mr.WW, "free")
    alpha = s.alpha.copy()
    free = np.argwhere((alpha > 0.1) & (alpha < 0.9))[0]
    alpha[tuple(free)] += 1e-5
    certificate = mr.certify(problem, W=s.W, b=s.b, alpha=alpha)
    assert certificate.dual_equality > 1e-8
    assert not certificate.optimal(1e-9)


def test_multipliers_on_components_that_do_not_count():
    problem, s = truth(mr.WW)
    alpha = s.alpha.copy()
    alpha[0, Y[0]] = 0.5
    refused(mr.certify(problem, W=s.W, alpha=alpha), "dual_support")


def test_a_solver_that_returns_its_previous_answer():
    _, stale = truth()
    rng = np.random.default_rng(9)
    problem = mr.Problem(mr.WW, X + 0.3 * rng.normal(size=X.shape), Y)
    refused(mr.certify(problem, W=stale.W), "primal_error")
    refused(mr.certify(problem, W=stale.W, alpha=stale.alpha), "stationarity")


def test_the_wrong_machine():
    problem, _ = truth(mr.WW, C=5.0)
    wrong = mr.solve(mr.Problem(mr.CS, X, Y, C=5.0))
    refused(mr.certify(problem, W=wrong.W, alpha=wrong.alpha), "complementarity")


def test_a_good_w_with_a_bad_alpha_is_not_waved_through_by_a_reference():
    problem, s = truth()
    certificate = mr.certify(problem, W=s.W, alpha=np.zeros_like(s.alpha), reference=s)
    assert certificate.primal_error < 1e-9
    assert certificate.dual_error > 0.5
    assert not certificate.optimal(1e-3)
