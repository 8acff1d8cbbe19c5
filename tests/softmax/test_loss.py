"""smax (1.4) and the gradients (1.5), (1.6): limits, stability, finite differences, complex step, errata E18 and E19."""

from __future__ import annotations

import math

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.softmax.loss import base_loss, base_slope, losses, smax, smax_weights
from tests.small_problems import blobs

RNG = np.random.default_rng(0)
ALL = np.ones((1, 4), dtype=bool)
K_Y = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])


def naive(t, gamma):
    """(1.4) as printed, in 60 digits where that matters."""
    import flint

    flint.ctx.prec = 300
    total = sum(((flint.arb(float(v)) * gamma).exp() for v in t), flint.arb(1 - len(t)))
    return float((total.log() / gamma).mid())


def test_it_is_1_4_from_tiny_to_huge():
    for size in (1e-12, 1e-3, 1.0, 30.0):
        for gamma in (0.01, 1.0, 7.0):
            t = size * RNG.random(4)
            assert smax(t[None], gamma, ALL)[0] == pytest.approx(naive(t, gamma), rel=1e-13)
    assert smax(np.full((1, 4), 1e4), 5.0, ALL)[0] == pytest.approx(
        1e4, rel=1e-3
    )  # (1.4) itself would overflow


def test_it_lies_between_the_maximum_and_the_sum_and_tends_to_both():
    t = RNG.random((20, 4))
    counts = np.ones_like(t, dtype=bool)
    path = np.array([smax(t, g, counts) for g in (1e-8, 0.1, 1.0, 10.0, 1e4)])
    assert (np.diff(path, axis=0) <= 0).all()
    assert (path <= t.sum(axis=1) + 1e-12).all()
    assert (path >= t.max(axis=1) - 1e-12).all()
    np.testing.assert_allclose(path[0], t.sum(axis=1), rtol=1e-6)
    np.testing.assert_allclose(path[-1], t.max(axis=1), rtol=1e-3)
    np.testing.assert_array_equal(smax(t, 0.0, counts), t.sum(axis=1))
    np.testing.assert_array_equal(smax(t, math.inf, counts), t.max(axis=1))


def test_weights_by_complex_step():
    t, h = RNG.random((5, 4)) * 3, 1e-30
    for gamma in (0.0, 0.3, 1.0, 20.0):
        counts = RNG.random((5, 4)) < 0.8
        counts[:, 0] = True
        for v in range(4):
            step = np.zeros(4)
            step[v] = 1.0
            derivative = smax(t + 1j * h * step, gamma, counts).imag / h
            np.testing.assert_allclose(
                smax_weights(t, gamma, counts)[:, v], derivative, rtol=1e-13, atol=1e-15
            )


def test_base_slopes_by_complex_step_even_far_out():
    s, h = np.array([-800.0, -30.0, -1.0, 0.0, 1e-9, 0.9, 1.1, 40.0, 800.0]), 1e-30
    for name in ("logistic", "hinge"):
        np.testing.assert_allclose(
            base_slope(name, s), -base_loss(name, s + 1j * h).imag / h, rtol=1e-14, atol=1e-300
        )
    assert np.isfinite(base_loss("logistic", s)).all()


@pytest.mark.parametrize("bias", ["none", "penalized", "free"])
@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 3.0])
def test_gradients_by_finite_differences_and_complex_step(bias, gamma):
    X, y = blobs(3)
    for loss in ("logistic", "hinge"):
        for printed in (False, True):
            problem = mr.softmax.SoftmaxProblem(
                X, y, 0.7, gamma, loss, label_kernel=K_Y, bias=bias, printed=printed
            )
            V, b = RNG.normal(size=problem.zeros()[0].shape), RNG.normal(size=3) * (bias != "none")
            gV, gb = problem.gradient(V, b)
            dV, db = RNG.normal(size=V.shape), RNG.normal(size=3) * (bias != "none")
            slope = (gV * dV).sum() + gb @ db
            assert problem.value(V + 1e-30j * dV, b + 1e-30j * db).imag / 1e-30 == pytest.approx(
                slope, rel=1e-12
            )
            h = 1e-5
            middle = (
                problem.value(V + h * dV, b + h * db) - problem.value(V - h * dV, b - h * db)
            ) / (2 * h)
            assert middle == pytest.approx(slope, rel=1e-6)


def test_gamma_1_is_multinomial_logistic_loss():
    scores, y = RNG.normal(size=(6, 4)) * 5, np.array([0, 1, 2, 3, 0, 1])
    expected = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(6), y]
    np.testing.assert_allclose(losses(scores, y, 1.0, "logistic", False), expected, rtol=1e-12)


def test_the_printed_form_has_a_floor():
    """MATH E19: with u = y among the classes no scores bring the loss below l(0), log 2 for the logistic one."""
    y = np.array([0, 1, 2])
    perfect = 1e3 * np.eye(3)
    for gamma in (0.5, 1.0, 4.0):
        np.testing.assert_allclose(
            losses(perfect, y, gamma, "logistic", True), math.log(2), rtol=1e-12
        )
        np.testing.assert_allclose(losses(perfect, y, gamma, "hinge", True), 1.0, rtol=1e-12)
        assert (losses(perfect, y, gamma, "logistic", False) < 1e-300).all()


def bend(loss, gamma, first, last, printed=False, classes=3):
    """Loss in the middle minus the mean of the ends, all rivals alike at these scores: positive where it is not convex."""
    values = [
        losses(np.array([[0.0] + [v] * (classes - 1)]), np.array([0]), gamma, loss, printed)[0]
        for v in (first, (first + last) / 2, last)
    ]
    return values[1] - (values[0] + values[2]) / 2


def test_convexity_is_decided_as_it_is():
    """MATH E18, and a little more: the logistic loss is convex at every gamma >= 1. A witness wherever we say "not convex"."""
    X, y = blobs(3)
    convex = (
        ("logistic", 1.0, False),
        ("logistic", 2.0, False),
        ("logistic", 1.5, False),
        ("logistic", 1.0, True),
        ("hinge", 0.0, False),
        ("hinge", math.inf, False),
        ("hinge", 1.0, True),
    )
    for loss, gamma, printed in convex:
        assert mr.softmax.SoftmaxProblem(X, y, 1.0, gamma, loss, printed=printed).convex
    not_convex = {
        ("logistic", 0.5, False): (4.0, 12.0),
        ("logistic", 0.8, False): (6.0, 14.0),
        ("hinge", 1.0, False): (-0.9, 1.0),
        ("hinge", 8.0, False): (-0.95, -0.6),
        ("logistic", 0.5, True): (4.0, 12.0),
        ("hinge", 0.5, True): (-0.9, 1.0),
    }
    for (loss, gamma, printed), (first, last) in not_convex.items():
        assert not mr.softmax.SoftmaxProblem(X, y, 1.0, gamma, loss, printed=printed).convex
        assert bend(loss, gamma, first, last, printed) > 1e-6, (loss, gamma, printed)
    assert mr.softmax.SoftmaxProblem(
        X[y < 2], y[y < 2], 1.0, 0.3, "hinge"
    ).convex  # one rival: smax is its argument


def test_the_logistic_loss_is_convex_at_every_gamma_above_1():
    """Random chords, gamma from 1 to 5, three to five classes; and the slope whose growth proves it."""
    rng = np.random.default_rng(3)
    for gamma in (1.0, 1.1, 1.5, 2.0, math.pi, 5.0):
        for m in (3, 5):
            ends = rng.normal(size=(2, 400, m)) * rng.choice([0.5, 5.0, 20.0], size=(1, 400, 1))
            y = np.zeros(400, dtype=np.int64)
            a, b = (losses(e, y, gamma, "logistic", False) for e in ends)
            assert (
                losses(ends.mean(axis=0), y, gamma, "logistic", False) <= (a + b) / 2 * (1 + 1e-12)
            ).all()
        q = np.geomspace(1e-6, 50, 400)
        assert (np.diff(gamma * np.expm1(-q) / np.expm1(-gamma * q)) >= -1e-12).all()
