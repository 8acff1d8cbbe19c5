"""Bundled data are what they were."""

import numpy as np
import pytest

from msvm_ref.datasets import NAMES, load
from msvm_ref.errors import DataError


@pytest.mark.parametrize(
    ("name", "shape", "classes", "train"),
    [
        ("iris", (150, 4), 3, 150),
        ("wine", (178, 13), 3, 178),
        ("digits", (1797, 64), 10, 1797),
        ("glass", (214, 9), 6, 214),
        ("thyroid", (215, 5), 3, 215),
        ("vowel", (990, 10), 11, 528),
        ("vehicle", (846, 18), 4, 846),
    ],
)
def test_load(name, shape, classes, train):
    data = load(name)
    assert (data.X.shape, len(np.unique(data.y)), data.train) == (shape, classes, train)
    assert not data.X.flags.writeable


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(DataError, match="glass"):
        load("letters")
    assert len(NAMES) == 7


def test_standardized_columns_and_constant_ones():
    data = load("digits").head(50).standardized()
    constant = np.ptp(load("digits").X[:50], axis=0) == 0
    assert constant.any()
    assert not data.X[:, constant].any()
    np.testing.assert_allclose(data.X[:, ~constant].std(axis=0), 1)
