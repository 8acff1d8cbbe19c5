"""The printed numbers, held against what the paper says of them in words."""

from __future__ import annotations

from collections import Counter
from statistics import median

import pytest

from msvm_ref.studies.experiments.fh import TABLE_2
from msvm_ref.studies.experiments.registry import STUDIES
from msvm_ref.studies.experiments.uv import SOURCES
from msvm_ref.studies.experiments.uv_printed import COLUMNS, TABLE_3, TABLE_4, TABLE_5, parsed
from msvm_ref.studies.experiments.zdo import SIZES
from msvm_ref.studies.experiments.zdo import TABLE_1 as ZDO

THREE, FOUR, FIVE = (parsed(text) for text in (TABLE_3, TABLE_4, TABLE_5))


def rows(table):
    return list(dict.fromkeys(row for row, _ in table))


def test_sizes_and_checksums():
    """Sums of all that is printed: any digit typed wrong changes one."""
    assert [len(rows(t)) for t in (THREE, FOUR, FIVE)] == [4, 12, 17]
    sums = [round(sum(c.value for c in t.values()), 2) for t in (THREE, FOUR, FIVE)]
    spreads = [round(sum(c.deviation for c in t.values()), 2) for t in (FOUR, FIVE)]
    assert (sums, spreads) == ([251246.82, 8746.68, 9614.64], [177.94, 603.85])


def test_the_best_of_every_row_is_bold_but_where_it_is_not():
    for table in (FOUR, FIVE):
        for row in rows(table):
            best = max(COLUMNS, key=lambda c: table[row, c].value)
            assert table[row, best].bold, (row, best)


def test_ww_and_rm_are_best_by_count_and_mmr_weakest():
    """Section 4.7, non-linear machines."""
    count = Counter(column for (_, column), cell in FOUR.items() if cell.bold)
    assert {c for c, _ in count.most_common(2)} == {"WW", "RM"}
    assert min(COLUMNS, key=lambda c: count[c]) == "MMR"


def test_ww_and_cs_are_best_by_count_with_linear_kernels():
    count = Counter(column for (_, column), cell in FIVE.items() if cell.bold)
    assert {c for c, _ in count.most_common(2)} == {"WW", "CS"}


def test_mmr_is_fastest_but_nowhere_most_accurate_with_linear_kernels():
    for row in rows(THREE):
        assert min(COLUMNS, key=lambda c: THREE[row, c].value) == "MMR"
    assert not any(FIVE[row, "MMR"].bold for row in rows(FIVE))


def test_the_printed_deviations_suit_test_parts_of_a_third():
    """p (1 - p) / s^2, the size of a sample with that deviation, as a share of the rows: what the study's remark says."""
    shares = {}
    for source in SOURCES:
        cells = [FOUR[source.label, c] for c in COLUMNS]
        sizes = [c.value * (100 - c.value) / c.deviation**2 for c in cells]
        shares[source.label] = round(100 * median(sizes) / source.rows)
    assert min(shares.items(), key=lambda item: item[1]) == ("Car", 18)
    assert max(shares.items(), key=lambda item: item[1]) == ("Opt. digits", 42)
    assert shares["Soy bean"] == 32


def test_fh_adds_up():
    columns = [[sum(rows[k][c] for rows in TABLE_2.values()) for c in range(3)] for k in range(3)]
    assert columns[0] == pytest.approx([43.1, 35.7, 36.6])
    assert columns[1] == pytest.approx([14.83, 5.08, 2.52])
    assert columns[2] == [256, 277, 316]


def test_zdo_adds_up():
    """Sums of the columns, errors and deviations."""
    sums = [[round(sum(row[c][k] for row in ZDO.values()), 2) for c in range(4)] for k in (0, 1)]
    assert sums == [[46.41, 39.21, 34.33, 48.19], [4.51, 3.54, 2.62, 4.10]]
    assert all(rows > sizes[2] for _, rows, sizes in SIZES.values())


def test_what_is_printed_twice():
    """The rows of Table 5 in which machines share a mean and a deviation."""
    assert len({FIVE["Vehicle", c] for c in ("LLW", "AMO", "ATS", "ATM")}) == 1
    assert FIVE["Segment", "WW"] == FIVE["Segment", "CS"]
    assert FIVE["Vehicle", "WW"] == FIVE["Vehicle", "CS"]
    assert FIVE["Glass", "WW"].value == FIVE["Glass", "CS"].value


@pytest.mark.parametrize("study", STUDIES.values(), ids=lambda s: s.name)
def test_every_row_and_column_of_a_study_is_the_papers(study):
    there = {(s.label, c.label) for s in study.sources for c in study.contenders}
    if study.name == "zdo-table1":  # one-vs-rest is printed for the small sets alone
        there = {p for p in there if p[1] == "m-SVM" or p[0].endswith("small")}
    assert not study.printed or there <= set(study.printed)
    assert len({s.name for s in STUDIES.values()}) == len(STUDIES)
    assert all(0 < s.train <= s.rows for s in study.sources)
