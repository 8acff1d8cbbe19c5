"""Bundled data are what they were, and a sample of the certified table is re-proved."""

import importlib.util
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from msvm_ref.datasets import NAMES, load
from msvm_ref.errors import DataError

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location(
    "certified_values", ROOT / "benchmarks" / "certified_values.py"
)
table = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(table)
ROWS = [json.loads(line) for line in table.ROWS.read_text().splitlines()]


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


@pytest.mark.parametrize(
    "row",
    [r for r in ROWS if r["data"] in ("iris", "thyroid") and r["C"] == 1.0][::13],
    ids=lambda r: f"{r['data']}-{r['kernel']}-{r['scaling']}-{r['machine']}",
)
def test_a_sample_of_the_table_is_reproved(row):
    again = table.certified(
        {name: row[name] for name in ("data", "kernel", "scaling", "machine", "C")}
    )
    if row["kernel"] == "linear":
        assert (again["value"], again["how"], again["errors"]) == (
            row["value"],
            row["how"],
            row["errors"],
        )
    else:  # the platform's exp may move the last of twelve digits
        assert (
            abs(Fraction(again["value"]) - Fraction(row["value"]))
            <= abs(Fraction(row["value"])) / 10**10
        )


def test_the_page_is_generated_from_the_rows():
    assert table.PAGE.read_text(encoding="utf-8") == table.page()


def test_common_digits_round_alike():
    assert table.common_digits(Fraction("1.23449"), Fraction("1.23451")) == "1.2345"
    assert table.common_digits(Fraction(1), Fraction(2)) == "?"
