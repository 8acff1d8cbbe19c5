"""Images of weights that are only known to within an error, block by block, and evaluations that are handed on."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import msvm_ref as mr
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certify import judge, worth
from msvm_ref.judge.image import image_of_alpha, image_of_coef, image_of_weights, images_of_both
from msvm_ref.judge.rounding import Enclosed, together
from msvm_ref.model.arrays import lengths_above
from tests.judge.test_judge import rows_at_a_time, small
from tests.small_problems import BIASES, COSTS, MACHINES, label, table

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(9, 4)), np.arange(9) % 3


@pytest.mark.parametrize("many", [6, 2**17])
@pytest.mark.parametrize("care", [0, 1, 2])
@pytest.mark.parametrize("to_rows", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_weights_that_err_by_so_much(to_rows, care, many):
    """Scores of every W within the error lie where the image of the middle says; tiny and huge numbers included."""
    draws = np.random.default_rng(1)
    for data, size, error in ((X, 1.0, 1e-3), (X, 1.0, 0.0), (X * 1e90, 1e-311, 0.0)):
        problem = mr.Problem(mr.CS, to_rows(data), Y)
        for of, rows in ((image_of_weights, 4), (image_of_coef, 9)):
            middle = draws.normal(size=(rows, 3)) * size
            slip = np.full_like(middle, error)
            with rows_at_a_time(many):
                image = of(problem, middle, care, slip)
            for sign in (1, -1, draws.choice([-1, 1], size=middle.shape)):
                true = exact_scores(data, middle, sign * error, rows == 9)
                for s, e, t in zip(image.scores.flat, image.error.flat, true, strict=True):
                    assert abs(fraction(s) - t) <= fraction(e) * (1 + Fraction(1, 10**9))


def fraction(value) -> Fraction:
    return Fraction(float(value)) + Fraction(float(value - type(value)(float(value))))


def exact_scores(data, middle, shift, by_coef: bool) -> list[Fraction]:
    values = middle + np.zeros_like(middle)
    rows = [[Fraction(v) for v in row] for row in values.tolist()]
    shifts = np.broadcast_to(np.asarray(shift, dtype=float), middle.shape).tolist()
    W = [
        [a + Fraction(s) for a, s in zip(r, t, strict=True)]
        for r, t in zip(rows, shifts, strict=True)
    ]
    phi = [[Fraction(v) for v in row] for row in data.tolist()]
    if by_coef:
        W = [[sum(phi[i][j] * W[i][c] for i in range(9)) for c in range(3)] for j in range(4)]
    return [sum(x[j] * W[j][c] for j in range(4)) for x in phi for c in range(3)]


def test_what_was_begun_of_another_is_not_taken():
    problem, other = mr.Problem(mr.CS, X, Y), mr.Problem(mr.CS, X, Y, C=7.0)
    handed, lucky = Candidate(W=rng.normal(size=(4, 3)), b=np.zeros(3)), zero()
    own = judge(problem, handed)
    assert judge(problem, handed, begun=worth(problem, handed, floor=0.0)) == own
    assert judge(problem, handed, begun=worth(problem, lucky, floor=0.0)) == own
    assert judge(problem, handed, begun=worth(other, handed, floor=0.0)) == own
    kernel = mr.Problem(mr.CS, X, Y, C=1e6, kernel=mr.rbf(0.5))
    solution = mr.solve(kernel, "fast", tolerance=1e-6)
    first, b, alpha = solution.coef, solution.b, solution.alpha
    for half in (1.0, 0.5):
        handed = Candidate(b=b, coef=1.5 * first, alpha=half * alpha)
        own = judge(kernel, handed)
        for lucky in (solution.candidate, Candidate(b=b, coef=first, alpha=half * alpha)):
            for enough in (0.0, 1.0):  # evaluated with the most care, and with the least
                begun = worth(kernel, lucky, enough=enough)
                assert judge(kernel, handed, begun=begun) == own
                assert judge(kernel, lucky, begun=begun) == judge(kernel, lucky, enough=0.0)


@pytest.mark.parametrize("kernel", [mr.linear, mr.rbf(0.5), mr.polynomial(2)], ids=str)
@pytest.mark.parametrize("care", [0, 1, 2])
def test_two_images_made_together_are_the_two_made_apart(kernel, care):
    points, labels = np.tile(X, (20, 1)) * rng.normal(size=(180, 1)), np.tile(Y, 20)
    problem = mr.Problem(mr.LLW, points, labels, kernel=kernel)
    alpha, coef = rng.random((180, 3)), rng.normal(size=(180, 3))
    alpha[rng.random(180) < 0.3], coef[rng.random(180) < 0.3] = 0.0, 0.0
    both = images_of_both(problem, alpha, coef, care)
    apart = image_of_alpha(problem, alpha, care), image_of_coef(problem, coef, care)
    for a, b in zip(both, apart, strict=True):
        assert (abs(a.scores - b.scores) <= a.error + b.error).all()
        assert a.half_norm.value == pytest.approx(b.half_norm.value, rel=1e-12)
        assert (a.error < 2 * b.error).all()  # the quick ones depend on a block's centre
        assert (b.error < 2 * a.error).all()


@pytest.mark.parametrize("n", [1, 64, 65, 129, 200, 321])
@pytest.mark.parametrize("used", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("care", [0, 1, 2])
def test_a_kernel_value_stands_for_its_mirror_image(n, used, care):
    """Scores through <a, b>^2 of eighths, which are exact numbers: each within its error of the sum written out."""
    draws = np.random.default_rng(n)
    points = draws.integers(-20, 20, size=(n, 3)) / 8
    coef = np.where(draws.random((n, 1)) < used, draws.integers(-99, 99, size=(n, 3)) / 64, 0.0)
    problem = mr.Problem(mr.CS, points, np.arange(n) % 3, classes=range(3), kernel=SQUARE)
    image = image_of_coef(problem, coef, care)
    exact = (points @ points.T) ** 2 @ coef
    assert (abs(image.scores - exact) <= image.error).all()
    assert (image.error <= 1e-12 * (1 + abs(image.scores).max())).all()
    half = (coef * exact).sum() / 2
    assert abs(image.half_norm.value - half) <= image.half_norm.radius + 1e-12 * abs(half)


SQUARE = mr.polynomial(2, gamma=1.0, coef0=0.0)


@pytest.mark.parametrize("kernel", [mr.linear, mr.rbf(0.5)], ids=str)
@pytest.mark.parametrize("bias", ["none", "penalized"])
def test_what_longer_weights_are_worth_is_foreseen(kernel, bias):
    problem = mr.Problem(mr.LLW, X, Y, C=3.0, kernel=kernel, bias=bias)
    coef, b = rng.normal(size=(len(X), 3)), rng.normal(size=3) * (bias != "none")
    at = worth(problem, Candidate(b=b, coef=coef))
    for by in (0.0, 1e-6, 0.5):
        longer = worth(problem, Candidate(b=b * (1 + by), coef=coef * (1 + by))).high
        assert at.high_if_longer(by) == pytest.approx(longer, rel=1e-12)


def zero() -> Candidate:
    return Candidate(W=np.zeros((4, 3)), b=np.zeros(3))


@pytest.mark.parametrize(
    ("machine", "bias", "cost", "kernel"),
    table((MACHINES,), (BIASES, COSTS, (mr.linear, mr.rbf(0.5)))),
    ids=label,
)
def test_blocks_are_worth_what_the_whole_is(machine, bias, cost, kernel):
    problem = small(machine, bias, cost, kernel)
    draws = np.random.default_rng(2)
    b = np.zeros(3) if bias == "none" else draws.normal(size=3)
    alpha = draws.random((problem.n, 3)) * 0.3
    weights = {"W": draws.normal(size=(2, 3))} if kernel == mr.linear else {}
    for handed in (
        Candidate(b=b, alpha=alpha, **(weights or {"coef": draws.normal(size=(problem.n, 3))})),
        Candidate(b=b, coef=draws.normal(size=(problem.n, 3))),
        Candidate(alpha=alpha),
    ):
        whole = judge(problem, handed).to_dict()
        for entries in (1, 6):
            with rows_at_a_time(entries):
                parts = judge(problem, handed).to_dict()
            assert parts.keys() == whole.keys()
            for name, value in whole.items():
                rounding = isinstance(value, float) and name != "rounding"
                near = pytest.approx(value, rel=1e-9, abs=1e-12) if rounding else value
                assert name == "rounding" or parts[name] == near, name


def test_a_large_problem_asks_for_few_arrays_of_its_size():
    """Scores, losses, expansions and their errors are made a block at a time: beside the repaired alpha, next to nothing."""
    draws, n, d = np.random.default_rng(3), 60_000, 20
    columns = draws.integers(500, size=(n, 4)).ravel()
    X = sparse.csr_array((np.ones(4 * n), columns, np.arange(0, 4 * n + 1, 4)), shape=(n, 500))
    problem = mr.Problem(mr.LLW, X, draws.integers(d, size=n), bias="penalized", n_classes=d)
    handed = Candidate(W=np.ones((500, d)), b=np.zeros(d), alpha=np.full((n, d), 0.01))
    _ = problem.lengths, problem.costs, problem.costs_below
    tracemalloc.start()
    judge(problem, handed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * n * d * 8


@pytest.mark.parametrize("to_rows", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_lengths_are_at_least_the_norms(to_rows):
    rows = rng.normal(size=(8, 5)) * np.logspace(-320, 150, 8)[:, None]
    rows[0], rows[1, 1:], rows[2, 1:] = 5e-324, 0.0, 0.0
    rows[2, 0] = -7.0
    rows = np.concatenate([rows, np.zeros((1, 5)), [[1e-200, 1e200, 0.0, 0.0, 0.0]]])
    for lengths, row in zip(lengths_above(to_rows(rows)), rows, strict=True):
        square = sum(Fraction(v) ** 2 for v in row)
        assert square <= Fraction(lengths) ** 2
        assert Fraction(lengths) ** 2 <= square * (1 + Fraction(1, 10**9)) or row.max() < 1e-300


def test_together_is_rounded_once():
    zero, one = Enclosed(0.0, 0.0), Enclosed(1.0, 0.0)
    assert together([zero, one, zero]) == one
    assert together([]) == zero
    hair = together([one, Enclosed(2.0**-60, 0.0)])
    assert Fraction(hair.low) <= 1 + Fraction(2) ** -60 <= Fraction(hair.high)
    thirds = [Enclosed(v, 1e-20) for v in (1e16, 1.0, -1e16, 0.1)]
    total = together(thirds)
    assert Fraction(total.low) <= 1 + Fraction(0.1) <= Fraction(total.high)
    assert total.radius < 1e-15
    for bad in (Enclosed(np.nan, np.inf), Enclosed(1e308, 1e308)):
        assert together([bad, Enclosed(1e308, 1.0), one]).high == np.inf


@pytest.mark.parametrize("kernel", [mr.linear, mr.rbf(0.5)], ids=str)
def test_coefficients_are_worth_what_they_are_whatever_alpha_comes_along(kernel):
    problem = mr.Problem(mr.CS, X, Y, kernel=kernel)
    coef, alpha = rng.normal(size=(9, 3)), np.full((9, 3), 0.1)
    alone = judge(problem, Candidate(b=np.zeros(3), coef=coef))
    beside = judge(problem, Candidate(b=np.zeros(3), coef=coef, alpha=alpha))
    assert beside.primal_value == pytest.approx(alone.primal_value, rel=1e-12)


def test_what_is_enough_is_not_evaluated_again():
    """Wider than with all care, and no wider than asked; a gap above what is enough gets all care."""
    problem = mr.Problem(mr.CS, X, Y, kernel=mr.rbf(1e-4), C=1e5)
    best = mr.solve(problem).candidate
    careful, quick = judge(problem, best), judge(problem, best, enough=1e-6)
    assert quick.lower <= careful.lower <= careful.upper <= quick.upper
    assert careful.rounding < quick.rounding
    assert quick.relative_gap <= 1e-6
    assert judge(problem, best, enough=quick.relative_gap / 1.5) == careful
