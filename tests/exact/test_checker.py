"""The checker refuses every tampering: one digit of the value, of W, of b, of alpha; and every kind of infeasibility."""

from fractions import Fraction

import pytest
from flint import fmpq_mat

import msvm_ref as mr
from msvm_ref.exact.bias import bias_interval
from msvm_ref.exact.check import _positive_semidefinite, check_exact, check_kernel
from msvm_ref.solvers.exact_optimum import exact_optimum
from tests.small_problems import BIASES, COSTS, label, table

X = [[1.0, 0.5], [-1.0, 1.5], [0.5, -2.0], [1.5, 1.0], [-0.5, -1.0], [2.0, -0.5]]
Y = [0, 1, 2, 0, 1, 2]


def tampered(value):
    """The number with each of its digits raised by one in turn (9 becomes 0), numerator and denominator."""
    text = str(value)
    for k, letter in enumerate(text):
        if letter.isdigit():
            changed = text[:k] + str((int(letter) + 1) % 10) + text[k + 1 :]
            try:
                other = Fraction(changed)
            except ZeroDivisionError:
                continue
            if other != value:
                yield other


def replaced(rows, i, j, value):
    return tuple(
        tuple(value if (a, c) == (i, j) else v for c, v in enumerate(row))
        for a, row in enumerate(rows)
    )


CASES = table(((mr.WW, mr.CS, mr.LLW, mr.OVA, mr.ATM, mr.RM()),), (BIASES, COSTS))


@pytest.mark.parametrize(("machine", "bias", "cost"), CASES, ids=label)
def test_every_one_digit_tampering_is_refused(machine, bias, cost):
    problem = mr.Problem(machine.with_cost(cost), X, Y, C=0.5, bias=bias)
    best = exact_optimum(problem)
    unique = [low == high for low, high in bias_interval(best)]
    assert check_exact(problem, best.value, best.W, best.b, best.alpha) == []
    for value in tampered(best.value):
        assert check_exact(problem, value, best.W, best.b, best.alpha)
    for name, rows in (("W", best.W), ("alpha", best.alpha)):
        for i, row in enumerate(rows):
            for j, entry in enumerate(row):
                for value in tampered(entry):
                    parts = {"W": best.W, "alpha": best.alpha} | {name: replaced(rows, i, j, value)}
                    assert check_exact(problem, best.value, parts["W"], best.b, parts["alpha"]), (
                        name,
                        i,
                        j,
                        value,
                    )
    for c, entry in enumerate(best.b):
        for value in tampered(entry):
            if unique[c] and not (
                bias == "free" and machine in (mr.WW, mr.CS)
            ):  # there b + t (1, ..., 1) is as good
                b = (*best.b[:c], value, *best.b[c + 1 :])
                assert check_exact(problem, best.value, best.W, b, best.alpha), (c, value)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", [mr.LLW, mr.RM()], ids=lambda m: m.name)
def test_every_tampering_with_an_optimum_by_coefficients_is_refused(machine, bias):
    problem = mr.Problem(machine, X, Y, C=0.5, kernel=mr.polynomial(2), bias=bias)
    best = exact_optimum(problem, gram="kernel")
    stated = {"value": best.value, "coef": best.coef, "b": best.b, "alpha": best.alpha}
    assert check_kernel(problem, **stated) == []
    off = Fraction(1, 10**40)
    assert check_kernel(problem, **stated | {"value": best.value + off})
    for name in ("coef", "alpha"):
        for i, row in enumerate(stated[name]):
            for j, entry in enumerate(row):
                changed = replaced(stated[name], i, j, entry + off)
                assert check_kernel(problem, **stated | {name: changed}), (name, i, j)
    assert check_kernel(problem, **stated | {"b": (best.b[0] + off, *best.b[1:])})


def test_a_shifted_bias_of_a_relative_machine_is_rightly_accepted():
    problem = mr.Problem(mr.WW, X, Y, bias="free")
    best = exact_optimum(problem)
    assert check_exact(problem, best.value, best.W, [v + 7 for v in best.b], best.alpha) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda a: replaced(a, 0, 1, Fraction(-1, 10**30)), "negative"),
        (lambda a: replaced(a, 0, 0, Fraction(1, 10**30)), "does not count"),
        (lambda a: replaced(a, 0, 1, Fraction(10**30 + 1, 10**30)), "more than C_i"),
        (lambda a: replaced(a, 1, 2, a[1][2] + Fraction(1, 10**30)), "sum alpha Pi nu"),
    ],
)
def test_infeasible_alpha_is_named(change, words):
    problem = mr.Problem(mr.LLW, X, Y, bias="free")
    best = exact_optimum(problem)
    assert any(
        words in fault
        for fault in check_exact(problem, best.value, best.W, best.b, change(best.alpha))
    )


def test_infeasible_primal_is_named():
    problem = mr.Problem(mr.LLW, X, Y, bias="none")
    best = exact_optimum(problem)
    off = replaced(best.W, 0, 0, best.W[0][0] + 1)
    assert any(
        "row 0 of W" in fault for fault in check_exact(problem, best.value, off, best.b, best.alpha)
    )
    assert any(
        "no bias" in fault
        for fault in check_exact(problem, best.value, best.W, (1, 0, -1), best.alpha)
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda W, b, alpha: (W[:-1], b, alpha),
        lambda W, b, alpha: ((*W, W[0]), b, alpha),
        lambda W, b, alpha: (W, b[:-1], alpha),
        lambda W, b, alpha: (W, (*b, 0), alpha),
        lambda W, b, alpha: (W, b, alpha[:-1]),
        lambda W, b, alpha: (W, b, (*alpha, (0, 0, 0))),
        lambda W, b, alpha: (W, b, [(*row, 0) for row in alpha]),
        lambda W, b, alpha: ([(*row, 0) for row in W], b, alpha),
        lambda W, b, alpha: ((), b, alpha),
    ],
)
def test_a_row_or_column_too_many_or_too_few_is_refused(change):
    problem = mr.Problem(mr.CS, X, Y, bias="free")
    best = exact_optimum(problem)
    W, b, alpha = change(best.W, best.b, best.alpha)
    assert "does not have" in check_exact(problem, best.value, W, b, alpha)[0]
    kernel = exact_optimum(problem, gram="kernel")
    coef, b, alpha = change(kernel.coef, kernel.b, kernel.alpha)
    assert "does not have" in check_kernel(problem, kernel.value, coef, b, alpha)[0]


def test_one_bias_where_there_is_none_is_refused_even_where_it_costs_nothing():
    """No example weighs anything: every b has the value 0, and only b = 0 is a point of a problem without a bias."""
    problem = mr.Problem(mr.OVA, [[1.0], [2.0], [3.0]], [0, 1, 2], sample_weight=[0.0, 0.0, 0.0])
    zero = [[Fraction(0)] * 3]
    assert check_exact(problem, Fraction(0), zero, zero[0], zero * 3) == []
    tilted = [Fraction(1), Fraction(0), Fraction(0)]
    assert check_exact(problem, Fraction(0), zero, tilted, zero * 3) != []
    centred = mr.Problem(
        mr.LLW, problem.X, problem.y, bias="free", sample_weight=[0.0, 0.0, 0.0], n_classes=3
    )
    assert check_exact(centred, Fraction(0), zero, zero[0], zero * 3) == []
    assert check_exact(centred, Fraction(0), zero, tilted, zero * 3) == ["b does not sum to zero"]


@pytest.mark.parametrize(
    ("gram", "psd"),
    [
        ([[0, 0], [0, 1]], True),
        ([[0, 1], [1, 2]], False),
        ([[1, 1, 1], [1, 1, 2], [1, 2, 9]], False),
        ([[1, 1, 2], [1, 1, 2], [2, 2, 4]], True),
        ([[1, 2], [2, 3]], False),
    ],
)
def test_a_zero_pivot_is_harmless_only_in_a_row_of_zeros(gram, psd):
    assert _positive_semidefinite(fmpq_mat(gram)) is psd
