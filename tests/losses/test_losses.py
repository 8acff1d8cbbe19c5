"""mr.losses against the exact loss: every machine, library, dtype and reduction, at smooth points, kinks and extremes."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.conformance.losses.exact import exact_loss, fractions
from msvm_ref.losses import Softmax, loss, subgradient
from msvm_ref.softmax.loss import by_score, losses_and_rates
from tests.losses.frameworks import EVERY, array, back, needs
from tests.losses.test_exact import COSTS, GIVEN, SHARED
from tests.small_problems import MACHINES, table

ALL = [*MACHINES, GIVEN, SHARED]


def scores_of(rng, n, d):
    """Rows on a grid of halves (kinks, ties), random rows, a shifted row, and an all-equal one."""
    grid = rng.integers(-4, 5, (n, d)) / 2
    free = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, (n, 1))
    return np.concatenate([grid, free, free[:1] + 2.0**20, np.full((1, d), -0.0)])


@pytest.mark.parametrize(("machine", "cost"), table((ALL,), (COSTS,)), ids=str)
def test_numpy_is_within_an_ulp_of_the_scale_of_the_exact_value(machine, cost):
    rng = np.random.default_rng(3)
    for d in (2, 3, 7) if machine.fixed_d is None else (machine.fixed_d,):
        exact = exact_loss(machine.with_cost(cost), d)
        for dtype in ("float64", "float32", "float16"):
            f = scores_of(rng, 12, d).clip(-(2.0**14), 2.0**14).astype(dtype)
            y = rng.integers(0, d, len(f))
            with np.errstate(over="ignore"):
                ours = loss(machine, f, y, reduction="none", cost=cost)
                slopes = subgradient(machine, f, y, reduction="none", cost=cost)
            assert ours.dtype == slopes.dtype == f.dtype
            assert ours.shape == y.shape
            eps, most = Fraction(float(np.finfo(dtype).eps)), float(np.finfo(dtype).max)
            for row, label, value, slope in zip(f, y, ours, slopes, strict=True):
                point = fractions(row)
                truth = exact.value(point, label)
                if truth > most:
                    assert np.isinf(value)
                    continue
                assert abs(Fraction(float(value)) - truth) <= eps * exact.size(point, label)
                near = exact.clearance(point, label)
                if np.isfinite(slope).all() and (near is None or near > 1e-6):
                    far = exact.subdifferential(point, label).distance(fractions(slope))
                    assert far <= 4 * eps * exact.slope_size(point, label)


@pytest.mark.parametrize("library", EVERY)
@pytest.mark.parametrize("machine", [*ALL, Softmax(2.0)], ids=lambda m: getattr(m, "name", "smax"))
def test_every_library_agrees_in_its_own_arrays(machine, library):
    rng = np.random.default_rng(4)
    d = getattr(machine, "fixed_d", None) or 4
    f, y = rng.normal(size=(2, 5, d)), rng.integers(0, d, (2, 5))
    weight, each = rng.uniform(size=d), rng.uniform(size=(2, 5))
    for reduction in ("mean", "sum", "none"):
        for dtype, near in (("float32", 1e-5), ("float64", 1e-12)):
            given = array(library, f, dtype)
            more = {"class_weight": array(library, weight, dtype), "reduction": reduction}
            more["sample_weight"] = array(library, each, dtype)
            theirs = loss(machine, given, array(library, y), **more)
            assert type(theirs) is type(given) or library == "numpy"
            assert theirs.dtype == given.dtype
            ours = loss(machine, f, y, class_weight=weight, sample_weight=each, reduction=reduction)
            near = 1e-5 if str(given.dtype) == "float32" else near  # jax without x64
            np.testing.assert_allclose(back(theirs), ours, rtol=near, atol=near)
            slope = subgradient(machine, given, array(library, y), **more)
            ours = subgradient(
                machine, f, y, class_weight=weight, sample_weight=each, reduction=reduction
            )
            np.testing.assert_allclose(back(slope), ours, rtol=near, atol=near)


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("machine", ALL, ids=lambda m: m.name)
def test_our_own_slopes_are_in_the_subdifferential(machine, cost):
    rng = np.random.default_rng(6)
    d = machine.fixed_d or 3
    exact = exact_loss(machine.with_cost(cost), d)
    f, y = rng.integers(-4, 5, (12, d)) / 2, rng.integers(0, d, 12)
    slopes = subgradient(machine, f, y, cost=cost, reduction="sum")
    for row, label, slope in zip(f, y, slopes, strict=True):
        far = exact.subdifferential(fractions(row), label).distance(fractions(slope))
        assert far <= 1e-14 * exact.slope_size(fractions(row), label)


@needs("torch")
@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("machine", ALL, ids=lambda m: m.name)
def test_torch_differentiates_it_into_the_subdifferential(machine, cost):
    import torch

    rng = np.random.default_rng(5)
    d = machine.fixed_d or 3
    exact = exact_loss(machine.with_cost(cost), d)
    f, y = rng.integers(-4, 5, (40, d)) / 2, rng.integers(0, d, 40)
    leaf = torch.tensor(f, requires_grad=True)
    loss(machine, leaf, torch.tensor(y), cost=cost, reduction="sum").backward()
    for row, label, slope in zip(f, y, leaf.grad.numpy(), strict=True):
        far = exact.subdifferential(fractions(row), label).distance(fractions(slope))
        assert far <= 1e-15 * exact.slope_size(fractions(row), label)


@needs("jax")
@pytest.mark.parametrize("machine", ALL, ids=lambda m: m.name)
def test_jax_differentiates_and_compiles_it(machine):
    import jax

    rng = np.random.default_rng(6)
    d = machine.fixed_d or 3
    exact = exact_loss(machine, d)
    f, y = (rng.integers(-4, 5, (40, d)) / 2).astype("float32"), rng.integers(0, d, 40)
    slopes = jax.jit(jax.grad(lambda g: loss(machine, g, jax.numpy.asarray(y), reduction="sum")))(f)
    for row, label, slope in zip(f, y, np.asarray(slopes), strict=True):
        far = exact.subdifferential(fractions(row), label).distance(fractions(slope))
        assert far <= 1e-6 * exact.slope_size(fractions(row), label)
    value = jax.jit(lambda g, k: loss(machine, g, k))(f, jax.numpy.asarray(y))
    assert float(value) == pytest.approx(float(loss(machine, f, y)), rel=1e-5)
    assert np.isnan(jax.jit(lambda g, k: loss(machine, g, k))(f, jax.numpy.asarray(y) + d))


@needs("torch")
@pytest.mark.parametrize(
    "machine", [mr.CS, mr.RM(), GIVEN, Softmax(2.0)], ids=["CS", "RM", "nu", "smax"]
)
def test_torch_compiles_it_as_one_graph(machine):
    import torch

    f, y = torch.randn(6, 3, dtype=torch.float64, requires_grad=True), torch.arange(6) % 3
    compiled = torch.compile(lambda g, k: loss(machine, g, k), fullgraph=True, backend="eager")
    value = compiled(f, y)
    assert value.item() == pytest.approx(loss(machine, f, y).item(), rel=1e-12)
    (slope,) = torch.autograd.grad(value, f)
    np.testing.assert_allclose(slope, subgradient(machine, f.detach(), y), atol=1e-12)
    assert torch.isnan(compiled(f, y + 3))


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("base", ["logistic", "hinge"])
@pytest.mark.parametrize("gamma", [0.0, 1e-6, 0.5, 1.0, 4.0, 1e3, np.inf])
def test_the_softmax_family_is_the_one_of_the_softmax_primal(gamma, base, printed):
    rng = np.random.default_rng(7)
    f, y = 3 * rng.normal(size=(30, 4)), rng.integers(0, 4, 30)
    values, rates = losses_and_rates(f, y, gamma, base, printed)
    spec = Softmax(gamma, base, printed)
    np.testing.assert_allclose(loss(spec, f, y, reduction="none"), values, rtol=1e-12, atol=1e-14)
    ours = subgradient(spec, f, y, reduction="none")
    np.testing.assert_allclose(ours, by_score(rates, y), rtol=1e-9, atol=1e-13)


def test_softmax_neither_overflows_nor_cancels():
    f, y = np.array([[1e5, 0.0, -1e5]]), [2]
    assert loss(Softmax(50.0), f, y) == 2e5
    assert loss(Softmax(1.0), np.array([[0.0, 0.0, 40.0]]), [2]) == pytest.approx(
        2 * np.exp(-40.0), rel=1e-12
    )
    half = loss(Softmax(1.0), np.array([[300.0, 0.0], [0.0, 300.0]], np.float16), [1, 1])
    assert half.dtype == np.float16
    assert half == 150


def test_weights_stand_outside_the_power_and_zero_weights_silence_an_overflow():
    f, y = np.array([[0.0, 3.0], [1.0, 0.0]]), [0, 1]
    plain = loss(mr.WW, f, y, cost="quadratic", reduction="none")
    weighted = loss(mr.WW, f, y, cost="quadratic", reduction="none", class_weight=[3.0, 5.0])
    np.testing.assert_array_equal(weighted, plain * [3, 5])
    huge = np.array([[0.0, 1e200], [1.0, 0.0]])
    with np.errstate(over="ignore"):
        assert loss(mr.WW, huge, y, cost="quadratic", sample_weight=[0.0, 1.0]) == 1.125


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("machine", [mr.WW, mr.LLW, mr.CS, mr.OVA], ids=lambda m: m.name)
def test_nothing_overflows_on_the_way_to_a_mean_that_fits(machine, dtype):
    most = float(np.finfo(dtype).max)
    f = np.tile(np.array([[-most / 8, most / 8, 0.0]], dtype), (256, 1))
    exact = exact_loss(machine, 3).value(fractions(f[0]), 0)
    value = loss(machine, f, np.zeros(256, int))
    assert abs(Fraction(float(value)) - exact) <= exact * Fraction(float(np.finfo(dtype).eps))


@pytest.mark.parametrize("library", EVERY)
def test_what_is_no_batch_is_refused(library):
    f, y = array(library, np.zeros((2, 3))), array(library, [0, 1])
    for bad in ([0, 3], [-1, 0], [2**40, 0]):
        if not (library == "jax" and max(map(abs, bad)) > 2**31):
            with pytest.raises(mr.DataError, match=r"0 \.\.\. 2"):
                loss(mr.WW, f, array(library, bad))
    with pytest.raises(mr.DataError, match="integer dtype"):
        loss(mr.WW, f, array(library, [0.0, 1.0]))
    with pytest.raises(mr.DataError, match="shape"):
        loss(mr.WW, f, array(library, [0, 1, 2]))
    with pytest.raises(mr.DataError, match="class_weight"):
        loss(mr.WW, f, y, class_weight=array(library, [1.0, 2.0]))
    with pytest.raises(mr.DataError, match="floating"):
        loss(mr.WW, array(library, [[1, 2, 3]]), array(library, [0]))
    with pytest.raises(mr.DataError, match="reduction"):
        loss(mr.WW, f, y, reduction="average")
    with pytest.raises(mr.SpecError, match="Machine"):
        loss("WW", f, y)
    with pytest.raises(mr.DataError, match="at least one"):
        loss(mr.WW, array(library, np.zeros((0, 3))), array(library, np.zeros(0, int)))


@pytest.mark.parametrize("library", EVERY)
def test_empty_batches_single_rows_and_small_label_types(library):
    empty, none = array(library, np.zeros((0, 3))), array(library, np.zeros(0, int))
    assert back(loss(mr.WW, empty, none, reduction="sum")) == 0
    assert loss(mr.CS, empty, none, reduction="none").shape == (0,)
    assert subgradient(mr.LLW, empty, none, reduction="sum").shape == (0, 3)
    one = loss(mr.WW, array(library, [0.0, 2.0, 1.0]), array(library, 0))
    assert back(one) == 3.5
    f = array(library, np.eye(200))
    y = np.arange(200)
    for dtype in ("uint8", "int16", "int64"):
        assert back(loss(mr.WW, f, array(library, y, dtype))) == 99.5


def test_a_nan_score_is_not_silenced():
    assert np.isnan(loss(mr.CS, np.array([[np.nan, 0.0, 1.0]]), [1]))
    assert np.isnan(loss(mr.OVA, np.array([[0.0, np.nan, 1.0]]), [1]))


def test_importing_and_using_losses_loads_no_framework():
    code = (
        "import sys, msvm_ref as mr; mr.losses.loss(mr.WW, [[0.0, 1.0]], [0]);"
        "heavy = {'torch', 'jax', 'keras', 'tensorflow', 'cvxpy', 'sklearn'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
