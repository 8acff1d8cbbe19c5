"""Kesler's construction: Franc and Hlavac's (5), (6), (7) literally, and the same for every machine."""

from __future__ import annotations

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.solvers.truth.dual import factor_modifiers, kernel_modifiers
from msvm_ref.solvers.truth.kesler import kesler_map
from tests.small_problems import blobs


def fh_vector(x, y, m, k):
    """FH (5): [x, 1] in slot y, -[x, 1] in slot m, 0 elsewhere."""
    z = np.zeros((k, len(x) + 1))
    z[y], z[m] = np.append(x, 1.0), -np.append(x, 1.0)
    return z.ravel()


def delta(a, b):
    return int(a == b)


def test_the_relative_map_is_fh_5_up_to_the_margin_s_half():
    X, y = blobs(4, per_class=2)
    problem = mr.Problem(mr.WW, X, y, bias="penalized")
    single = kesler_map(problem)
    for row, i, m in zip(single.Z, single.i, single.p, strict=True):
        np.testing.assert_array_equal(2 * row, fh_vector(X[i], y[i], m, 4))
    assert len(single.Z) == (4 - 1) * len(y)


@pytest.mark.parametrize("kernel", [mr.linear, mr.rbf(0.4)], ids=str)
def test_the_relative_kernel_is_fh_7_up_to_a_quarter(kernel):
    X, y = blobs(3, per_class=2)
    problem = mr.Problem(mr.WW, X, y, kernel=kernel, bias="penalized")
    K, fh_7 = problem.gram, mr.solvers.KeslerKernel.of(problem)
    for i in range(len(y)):
        for j in range(len(y)):
            for m in range(3):
                for n in range(3):
                    if m == y[i] or n == y[j]:
                        continue
                    bracket = delta(y[i], y[j]) + delta(m, n) - delta(y[i], n) - delta(y[j], m)
                    assert 4 * fh_7([(i, m)], [(j, n)])[0, 0] == pytest.approx(
                        (K[i, j] + 1) * bracket, abs=1e-12
                    )


def test_fh_recovery_of_w_and_b():
    """w_j = sum alpha_i^m x_i (delta(j,y_i) - delta(j,m)), b_j likewise, with the margin's half."""
    X, y = blobs(3)
    solution = mr.solve(mr.Problem(mr.WW, X, y, bias="penalized"), method="kesler")
    W, b = np.zeros((3, 3)), np.zeros(3)
    for i in range(len(y)):
        for m in set(range(3)) - {y[i]}:
            for j in range(3):
                sign = (delta(j, y[i]) - delta(j, m)) / 2
                W[:, j] += solution.alpha[i, m] * X[i] * sign
                b[j] += solution.alpha[i, m] * sign
    reach = 2 * solution.certificate.distance_bound
    assert np.linalg.norm(W - solution.W) <= reach
    assert np.linalg.norm(b - solution.b) <= reach


def test_z_reproduces_the_kernel_for_every_machine(machine, bias):
    X, y = blobs(3, per_class=2)
    problem = mr.Problem(machine, X, y, bias=bias)
    single = kesler_map(problem)
    if bias == "free":
        return  # Z is centred there: the bias absorbs the translation
    products = single.Z @ single.Z.T
    pairs = list(zip(single.i, single.p, strict=True))
    np.testing.assert_allclose(
        products, mr.solvers.KeslerKernel.of(problem)(pairs, pairs), atol=1e-12
    )


def test_margins_are_inner_products(machine):
    """<w, z_ip> = mu_p(f(x_i), y_i) for any W (centred under sum-to-zero)."""
    X, y = blobs(4, per_class=2)
    problem = mr.Problem(machine, X, y)
    W = np.random.default_rng(0).normal(size=(3, 4))
    if machine.sum_to_zero:
        W -= W.mean(axis=1, keepdims=True)
    single = kesler_map(problem)
    mu = np.einsum("ipm,im->ip", problem.spec.nu[y], X @ W)[single.i, single.p]
    np.testing.assert_allclose(single.Z @ W.T.ravel(), mu, atol=1e-12)


def test_shared_slack_is_an_incidence_matrix():
    X, y = blobs(3)
    for machine, columns in (
        (mr.WW, 2 * len(y)),
        (mr.CS, len(y)),
        (mr.ATM, len(y)),
        (mr.MMR, len(y)),
    ):
        S = kesler_map(mr.Problem(machine, X, y)).S
        assert S.shape[1] == columns
        assert (np.asarray(S.sum(axis=1)) == 1).all()


def test_m_ww_is_a_quarter_of_fh_s_bracket():
    pairs, M = kernel_modifiers(mr.WW.at(4))
    for a, (y, p) in enumerate(pairs):
        for b, (v, q) in enumerate(pairs):
            assert M[a, b] == (delta(y, v) + delta(p, q) - delta(y, q) - delta(v, p)) / 4


def test_m_of_absolute_machines_is_uv_s():
    """Without sum-to-zero M = +-delta(p, q); with it, minus 1/d (UV section 2.6)."""
    d = 4
    sign = lambda y, p: 1 if y == p else -1  # noqa: E731
    for machine, shift in ((mr.OVA, 0.0), (mr.ATS, 1 / d)):
        pairs, M = kernel_modifiers(machine.at(d))
        for a, (y, p) in enumerate(pairs):
            for b, (v, q) in enumerate(pairs):
                assert M[a, b] == pytest.approx(
                    sign(y, p) * sign(v, q) * (delta(p, q) - shift), abs=1e-15
                )


def test_the_factor_of_m_is_a_factor(machine):
    spec = machine.at(4)
    R, basis = factor_modifiers(spec)
    pairs, M = kernel_modifiers(spec)
    rows = R[pairs[:, 0], pairs[:, 1]]
    np.testing.assert_allclose(rows @ rows.T, M, atol=1e-13)
    np.testing.assert_allclose(
        rows @ basis.T, spec.projected_nu[pairs[:, 0], pairs[:, 1]], atol=1e-13
    )


def test_uv_6_as_printed_is_the_dual_of_another_problem():
    """Erratum E2: with sum-to-zero, sum alpha nu_c = 0 (unprojected) forces alpha = 0 for LLW, whose optimum is positive."""
    X, y = blobs(3)
    problem = mr.Problem(mr.LLW, X, y, bias="free")
    solution = mr.solve(problem, method="dual")
    printed = np.einsum("ip,ipm->m", solution.alpha, problem.spec.nu[y])
    projected = np.einsum("ip,ipm->m", solution.alpha, problem.spec.projected_nu[y])
    assert solution.certificate.lower > 1.0
    assert np.abs(projected).max() < 1e-9
    assert (
        printed < -0.1
    ).all()  # every entry is minus a sum of multipliers: zero only for alpha = 0
