"""Bundled data are what they were."""

import gzip

import numpy as np
import pytest

from msvm_ref.datasets import FROM_THE_USER, NAMES, load
from msvm_ref.datasets.catalogue import BY_NAME, ENTRIES, PACKAGE
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
    assert len(NAMES) == 20


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if e.carrier == PACKAGE], ids=lambda e: e.name
)
def test_every_bundled_table_is_what_the_catalogue_says(entry):
    if entry.shape[0] > 10_000:  # seconds to parse; the sha256 is checked wherever it is read
        return
    data = load(entry.name)
    assert (data.X.shape, data.train) == (entry.shape, entry.train)
    assert set(data.y.tolist()) == set(range(entry.classes))


def test_what_may_not_be_published_is_asked_of_the_user(tmp_path):
    assert FROM_THE_USER == ("page_blocks", "usps", "waveform")
    for folder in (None, tmp_path):
        with pytest.raises(DataError, match="--data DIR"):
            load("usps", folder)


def test_another_table_under_the_name_is_refused(tmp_path):
    with gzip.open(tmp_path / "usps.csv.gz", "wt") as file:
        file.write("a,class\n1,0\n")
    with pytest.raises(DataError, match=BY_NAME["usps"].sha256[:12]):
        load("usps", tmp_path)
    (tmp_path / "glass.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(DataError, match="gzip"):
        load("glass", tmp_path)


def test_the_iris_of_uci_differs_from_fishers_in_three_cells():
    assert np.argwhere(load("iris").X != load("iris_uci").X).tolist() == [[34, 3], [37, 1], [37, 2]]


def test_standardized_columns_and_constant_ones():
    data = load("digits").head(50).standardized()
    constant = np.ptp(load("digits").X[:50], axis=0) == 0
    assert constant.any()
    assert not data.X[:, constant].any()
    np.testing.assert_allclose(data.X[:, ~constant].std(axis=0), 1)
