"""Each convention, written out once more in cvxpy from its own paper or manual, agrees with our certified optimum converted."""

from __future__ import annotations

from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.model import conventions as cv

RNG = np.random.default_rng(5)
Y = np.arange(12) % 3
X = RNG.normal(size=(12, 2)) + 1.5 * RNG.normal(size=(3, 2))[Y] + 0.7


def relative(F, y, margin, worst):
    """sum_i sum_c (or max_c) [margin - (F_y - F_c)]_+"""
    total = 0
    for i, c in enumerate(y):
        terms = [cp.pos(margin - F[i, c] + F[i, k]) for k in range(F.shape[1]) if k != c]
        total += cp.maximum(*terms) if worst and len(terms) > 1 else sum(terms)
    return total


def simplex(F, y, target):
    return sum(
        cp.pos(F[i, k] + target) for i, c in enumerate(y) for k in range(F.shape[1]) if k != c
    )


def one_vs_all(F, y, square=False):
    sign = 2 * np.eye(F.shape[1])[y] - 1
    return (
        cp.sum(cp.square(cp.pos(1 - cp.multiply(sign, F))))
        if square
        else cp.sum(cp.pos(1 - cp.multiply(sign, F)))
    )


# what each source prints: loss(F, y, n), the number before ||w||^2, what multiplies the loss (C is the constant), the bias
D = 3
PRINTED = {
    "UV": (lambda F, y: relative(F, y, 2, False) / 2, 0.5, lambda C, n: C, "none"),
    "HL(4)": (lambda F, y: relative(F, y, 2, False), 0.5, lambda C, n: C, "free"),
    "HL(7)": (lambda F, y: relative(F, y, 2, False), "pairs", lambda C, n: C, "free"),
    "HL(9)": (lambda F, y: relative(F, y, 2, False), 0.5, lambda C, n: C, "penalized"),
    "HL(16)": (lambda F, y: relative(F, y, 1, True), 0.5, lambda C, n: C, "none"),
    "FH(1)": (lambda F, y: relative(F, y, 1, False), 0.5, lambda C, n: C, "free"),
    "FH(2)": (lambda F, y: relative(F, y, 1, False), 0.5, lambda C, n: C, "penalized"),
    "ZDO-WW": (lambda F, y: relative(F, y, 2, False), 0.5, lambda C, n: C, "free"),
    "ZDO(1.7)": (lambda F, y: relative(F, y, 1, False), 0.5, lambda C, n: C, "free"),
    "ZDO-CS": (lambda F, y: relative(F, y, 1, True), 0.5, lambda C, n: C, "free"),
    "NP(3)": (lambda F, y: relative(F, y, 2, False), 1.0, lambda C, n: C, "none"),
    "NP(4)": (lambda F, y: simplex(F, y, 1 / (D - 1)), 1.0, lambda C, n: C, "none"),
    "NP(6)": (lambda F, y: relative(F, y, 1, True), 1.0, lambda C, n: C, "none"),
    "liblinear-cs": (lambda F, y: relative(F, y, 1, True), 0.5, lambda C, n: C, "penalized"),
    "liblinear-ovr": (one_vs_all, 0.5, lambda C, n: C, "penalized"),
    "liblinear-ovr-squared": (
        lambda F, y: one_vs_all(F, y, True),
        0.5,
        lambda C, n: C,
        "penalized",
    ),
    "libsvm-ovr": (one_vs_all, 0.5, lambda C, n: C, "free"),
    "sgd-ova": (one_vs_all, "lambda", lambda C, n: 1 / n, "free"),
    "kernlab-kbb": (lambda F, y: relative(F, y, 2, False), 0.5, lambda C, n: C, "penalized"),
    "kernlab-spoc": (lambda F, y: relative(F, y, 1, True), 0.5, lambda C, n: C, "none"),
    "shark": (lambda F, y: relative(F, y, 2, False) / 2, 0.5, lambda C, n: C, "none"),
    "mlpack": (lambda F, y: relative(F, y, 1, False), "lambda", lambda C, n: 1 / n, "penalized"),
    "svm-multiclass": (lambda F, y: relative(F, y, 100, True), 0.5, lambda C, n: C / n, "none"),
    "msvmpack-ww": (lambda F, y: relative(F, y, 1, False), 0.5, lambda C, n: C, "free"),
    "msvmpack-cs": (lambda F, y: relative(F, y, 1, True), 0.5, lambda C, n: C, "none"),
    "msvmpack-llw": (lambda F, y: simplex(F, y, 1 / (D - 1)), 0.5, lambda C, n: C, "free"),
}


def literally(name, constant, sigma=1.0):
    """(value, V, a) of the printed problem."""
    loss, half, weight, bias = PRINTED[name]
    V, a = cp.Variable((2, D)), cp.Variable(D)
    half = {"lambda": constant / 2, "pairs": 0.5}.get(half, half)
    pairs = sum(cp.sum_squares(V[:, m] - V[:, k]) for m in range(D) for k in range(m))
    squares = pairs if name == "HL(7)" else cp.sum_squares(V)
    norm = squares + (cp.sum_squares(a) / sigma**2 if bias == "penalized" else 0)
    rules = [a == 0] if bias == "none" else []
    if name.endswith("llw") or name == "NP(4)":
        rules += [cp.sum(V, axis=1) == 0, cp.sum(a) == 0]
    F = X @ V + np.ones((len(X), 1)) @ cp.reshape(a, (1, D), order="C")
    problem = cp.Problem(cp.Minimize(half * norm + weight(constant, len(X)) * loss(F, Y)), rules)
    problem.solve(solver=cp.CLARABEL)
    return problem.value, V.value, a.value


def test_the_table_is_printed_in_full():
    assert {c.name for c in cv.CONVENTIONS} == {*PRINTED, "libsvm"}


@pytest.mark.parametrize("name", PRINTED)
@pytest.mark.parametrize("constant", [0.3])
def test_converted_truth_is_the_optimum_of_the_printed_problem(name, constant):
    convention = cv.convention_named(name)
    machine = mr.WW if convention.machine is None else None
    posed = convention.pose(X, Y, constant, machine=machine)
    truth = mr.solve(posed.problem)
    value, V, a = literally(name, constant)
    certificate = truth.certificate
    slack = 1e-6 * value  # what the interior-point value itself is worth
    assert (
        posed.objective(certificate.lower) - slack
        <= value
        <= posed.objective(certificate.upper) + slack
    )
    mapped = posed.ours(W=V, b=a if posed.problem.bias != "none" else None)
    theirs = mr.certify(posed.problem, **mapped, reference=truth)
    assert theirs.primal_error < 1e-6
    back = posed.theirs(truth.W, truth.b, truth.alpha)
    bound = certificate.distance_bound + theirs.distance_bound
    assert np.linalg.norm(posed.ours(W=back["W"])["W"] - mapped["W"]) <= bound


@pytest.mark.parametrize("sigma", [10.0, 0.5])
def test_intercept_scaling_is_a_constant_feature(sigma):
    posed = cv.LIBLINEAR_CS.pose(X, Y, 0.3, intercept_scaling=sigma)
    value, V, a = literally("liblinear-cs", 0.3, sigma)
    truth = mr.solve(posed.problem)
    assert posed.objective(truth.objective) == pytest.approx(value, rel=1e-6)
    assert mr.certify(posed.problem, **posed.ours(W=V, b=a), reference=truth).primal_error < 1e-6
    back = posed.theirs(truth.W)
    assert set(back) == {"W", "b"}
    assert np.allclose(posed.ours(**back)["W"], truth.W, rtol=1e-14)


def test_libsvm_binary_in_its_own_terms():
    two = Y != 2
    w, b = cp.Variable(2), cp.Variable()
    sign = 2.0 * Y[two] - 1
    theirs = cp.Problem(
        cp.Minimize(
            cp.sum_squares(w) / 2 + 0.3 * cp.sum(cp.pos(1 - cp.multiply(sign, X[two] @ w + b)))
        )
    )
    theirs.solve(solver=cp.CLARABEL)
    posed = cv.LIBSVM.pose(X[two], Y[two], 0.3)
    truth = mr.solve(posed.problem)
    assert posed.objective(truth.objective) == pytest.approx(theirs.value, rel=1e-6)
    assert (
        mr.certify(posed.problem, **posed.ours(W=w.value, b=b.value), reference=truth).primal_error
        < 1e-6
    )
    back = posed.theirs(truth.W, truth.b, truth.alpha)
    assert back["W"].shape == (2,)
    assert np.allclose(posed.ours(W=back["W"])["W"], truth.W, atol=1e-6)


@pytest.mark.parametrize("convention", cv.CONVENTIONS, ids=lambda c: c.name)
def test_there_and_back_is_exact(convention):
    for n, d in ((7, 3), (10, 5)) if not convention.binary else ((7, 2),):
        for C in (Fraction(3, 7), Fraction(5), Fraction(1, 1000)):
            factor = convention.cost_factor(n, d)
            ours = factor / C if convention.parameter == "lambda" else factor * C
            assert convention.to_C(C, n, d) == float(ours)
            assert convention.from_C(ours, n, d) == float(C)


def test_multipliers_convert_with_the_box():
    """alpha' <= k in their problem is alpha <= C in ours, and a converted alpha is certified as handed in."""
    for convention in (cv.HL4, cv.FH2, cv.SVM_MULTICLASS, cv.MLPACK, cv.NP_LLW):
        posed = convention.pose(X, Y, 0.3)
        truth = mr.solve(posed.problem)
        back = posed.theirs(truth.W, truth.b, truth.alpha)
        box = {"C": 0.3, "C/n": 0.3 / len(X), "lambda": 1 / len(X)}[convention.parameter]
        assert back["alpha"].max() <= box * (1 + 1e-9)
        assert mr.certify(posed.problem, **posed.ours(alpha=back["alpha"])).optimal(1e-8)


def test_math_section_2_as_it_is_stated():
    """f_UV(C) = f_HL4(C/2) = 2 f_FH1(C/4); f_HL9(C) = 2 f_FH2(C/2); LLW: (d-1) f_NP at C/(d-1), halved for tr(B'B)."""
    assert cv.HL4.from_C(1, 9, 3) == 0.5
    assert cv.FH1.from_C(1, 9, 3) == cv.HL16.from_C(1, 9, 3) == 0.25
    assert cv.FH2.from_C(cv.HL9.to_C(1, 9, 3), 9, 3) == 0.5
    assert cv.NP_LLW.from_C(1, 9, 5) == 2 / 4
    assert cv.MSVMPACK_LLW.from_C(1, 9, 5) == 1 / 4
    assert cv.LIBSVM.from_C(1, 9, 2) == 0.5


def test_a_users_own_convention_is_one_literal():
    mine = cv.Convention(
        "mine", mr.CS, scale=cv.Factor(Fraction(2, 3)), loss=cv.Factor(Fraction(3)), parameter="C/n"
    )
    posed = mine.pose(X, Y, 2.0)
    V = cp.Variable((2, D))
    theirs = cp.Problem(
        cp.Minimize(cp.sum_squares(V) / 2 + 2.0 / len(X) * relative(X @ V, Y, 3, True))
    )
    theirs.solve(solver=cp.CLARABEL)
    assert posed.objective(mr.solve(posed.problem).objective) == pytest.approx(
        theirs.value, rel=1e-6
    )
    same = cv.margin(3, mr.CS, "C/n").pose(X, Y, 2.0).problem.C
    assert same == pytest.approx(posed.problem.C)


def test_margin_of_a_squared_hinge_and_of_an_absolute_machine():
    """[m - h]^2 is m^2 [1 - h/m]^2: the map of C knows the cost; absolute margins have no 1/2 to undo."""
    V = cp.Variable((2, D))
    square = sum(
        cp.square(cp.pos(2 - (X @ V)[i, c] + (X @ V)[i, k]))
        for i, c in enumerate(Y)
        for k in range(D)
        if k != c
    )
    theirs = cp.Problem(cp.Minimize(cp.sum_squares(V) / 2 + 0.3 * square))
    theirs.solve(solver=cp.CLARABEL)
    posed = cv.margin(2, mr.WW.with_cost("quadratic")).pose(X, Y, 0.3)
    assert posed.objective(mr.solve(posed.problem).objective) == pytest.approx(
        theirs.value, rel=1e-6
    )
    sign = 2 * np.eye(D)[Y] - 1
    theirs = cp.Problem(
        cp.Minimize(cp.sum_squares(V) / 2 + 0.3 * cp.sum(cp.pos(5 - cp.multiply(sign, X @ V))))
    )
    theirs.solve(solver=cp.CLARABEL)
    posed = cv.margin(5, mr.OVA).pose(X, Y, 0.3)
    assert posed.objective(mr.solve(posed.problem).objective) == pytest.approx(
        theirs.value, rel=1e-6
    )
    with pytest.raises(mr.SpecError, match="margin"):
        cv.margin(2, mr.RM())
    assert cv.convention_named("margin2", mr.WW).loss == cv.HL4.loss


def test_refusals():
    with pytest.raises(mr.SpecError, match="machine"):
        cv.UV.pose(X, Y, 1.0)
    with pytest.raises(mr.SpecError, match="be WW in convention HL"):
        cv.HL4.pose(X, Y, 1.0, machine=mr.CS)
    with pytest.raises(mr.SpecError, match="bias"):
        cv.HL4.pose(X, Y, 1.0, bias="none")
    with pytest.raises(mr.DataError, match="2 classes"):
        cv.LIBSVM.pose(X, Y, 1.0)
    with pytest.raises(mr.DataError, match="non-linear"):
        cv.LIBLINEAR_CS.pose(X, Y, 1.0, kernel=mr.rbf(1.0), intercept_scaling=2.0)
    with pytest.raises(mr.DataError, match="no bias"):
        cv.HL16.pose(X, Y, 1.0).ours(W=np.zeros((2, 3)), b=[1, 0, 0])
    with pytest.raises(mr.SpecError, match="convention"):
        cv.convention_named("nonsense")
    with pytest.raises(mr.SpecError, match="parameter"):
        cv.Convention("bad", parameter="rho")
    with pytest.raises(mr.SpecError, match="scale"):
        cv.Convention("bad", scale=cv.Factor(Fraction(-1)))


def test_sparse_rows_pose_the_same_problem():
    """With and without the constant column that carries a scaled intercept."""
    from scipy import sparse

    rows = sparse.csr_array(X)
    for sigma in (1.0, 10.0):
        thick = cv.LIBLINEAR_CS.pose(X, Y, 0.3, intercept_scaling=sigma)
        thin = cv.LIBLINEAR_CS.pose(rows, Y, 0.3, intercept_scaling=sigma)
        assert thin.problem.is_sparse
        assert thin.problem.C == thick.problem.C
        assert np.array_equal(thin.problem.dense_features, thick.problem.X)


def test_what_libraries_write_is_found_by_name():
    for name in ("dlib-cs", "jaxopt-cs", "torch-ww", "ovr-sum", "liblinear-R", "bsvm-ovo"):
        assert cv.convention_named(name).name == name
    assert cv.convention_named("dlib-cs").to_C(2.0, n=10, d=3) == 0.8  # C/n, margin 1: 4 C/n
    assert cv.convention_named("jaxopt-cs").to_C(0.5, n=10, d=3) == 8.0
