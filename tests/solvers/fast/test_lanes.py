"""A sparse row with some neighbouring classes at once: compiled, plain, and by numpy."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from msvm_ref.solvers.fast.lanes import (
    CHAINS,
    LANES,
    _plain_move,
    _plain_sum,
    move_lanes,
    no_weights,
    sum_lanes,
)


@numba.njit
def summed(data, indices, start, end, W, column, out):
    sum_lanes(data, indices, start, end, W, column, out)


@numba.njit
def moved(data, indices, start, end, W, column, step):
    move_lanes(data, indices, start, end, W, column, step)


@pytest.mark.parametrize("kind", ["d", "f"])
@pytest.mark.parametrize("classes", [1, LANES, LANES + 1])
def test_classes_are_filled_up_to_whole_vectors(classes, kind):
    W = no_weights(5, classes, kind)
    assert W.shape == (5, LANES if classes <= LANES else 2 * LANES)
    assert W.dtype == np.dtype(kind)
    assert W.ctypes.data % 64 == 0
    assert not W.any()


@pytest.mark.parametrize("kind", ["d", "f"])
@pytest.mark.parametrize("classes", [3, 8, 17])
@pytest.mark.parametrize("entries", range(2 * CHAINS + 2))
def test_the_lanes_of_a_row_are_what_numpy_says(entries, classes, kind):
    random = np.random.default_rng(entries)
    W = no_weights(20, classes, kind)
    W[:, :classes] = random.normal(size=(20, classes))
    data = random.normal(size=entries + 4).astype(kind)
    indices = np.concatenate([random.permutation(20)[:entries], [0, 1, 2, 3]]).astype(np.int32)
    data, indices, start = np.roll(data, 2), np.roll(indices, 2), 2
    column = W.shape[1] - LANES
    row = data[start : start + entries], indices[start : start + entries]
    expected = row[0].astype(float) @ W[row[1], column:].astype(float)
    close = {"d": 1e-13, "f": 1e-5}[kind]
    for way in (summed, _plain_sum):
        out = np.full(W.shape[1], 7, dtype=kind)
        way(data, indices, start, start + entries, W, column, out)
        np.testing.assert_allclose(out[column:], expected, atol=close)
        assert (out[:column] == 7).all()
    step = random.normal(size=W.shape[1]).astype(kind)
    for way in (moved, _plain_move):
        after = W.copy()
        way(data, indices, start, start + entries, after, column, step)
        change = np.zeros(W.shape)
        change[row[1], column:] = np.outer(row[0], step[column:])
        np.testing.assert_allclose(after - W, change, atol=close)
