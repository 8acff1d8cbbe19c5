"""Images of weights that are only known to within an error, and evaluations that are handed on."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import msvm_ref as mr
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certify import judge, worth
from msvm_ref.judge.image import image_of_coef, image_of_weights

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(9, 4)), np.arange(9) % 3


@pytest.mark.parametrize("care", [0, 2])
@pytest.mark.parametrize("to_rows", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_weights_that_err_by_so_much(to_rows, care):
    """Scores of every W within the error lie where the image of the middle says; tiny and huge numbers included."""
    draws = np.random.default_rng(1)
    for data, size, error in ((X, 1.0, 1e-3), (X, 1.0, 0.0), (X * 1e90, 1e-311, 0.0)):
        problem = mr.Problem(mr.CS, to_rows(data), Y)
        for of, rows in ((image_of_weights, 4), (image_of_coef, 9)):
            middle = draws.normal(size=(rows, 3)) * size
            slip = np.full_like(middle, error)
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


def zero() -> Candidate:
    return Candidate(W=np.zeros((4, 3)), b=np.zeros(3))
