"""Foreign text becomes numbers and objects under limits that are checked before the work."""

from __future__ import annotations

from fractions import Fraction

import pytest

import msvm_ref as mr
from msvm_ref.foreign import DIGITS, is_number, parsed_json, rational, read_text, shown


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2/5", Fraction(2, 5)),
        (" -0.25 ", Fraction(-1, 4)),
        ("1e3", Fraction(1000)),
        (".5", Fraction(1, 2)),
        ("1.", Fraction(1)),
        ("+4e-1", Fraction(2, 5)),
        (7, Fraction(7)),
        (Fraction(1, 3), Fraction(1, 3)),
        (f"1e{DIGITS}", Fraction(10**DIGITS)),
    ],
)
def test_rationals(text, value):
    assert rational(text, "x") == value


BOMBS = (
    "1e999999999",
    "1e-999999999",
    "1e1001",
    "9" * 100_000,
    "1/" + "9" * 100_000,
    "0." + "1" * 9999,
)


@pytest.mark.parametrize("text", BOMBS, ids=lambda t: t[:12])
def test_bombs_are_refused_by_their_text(text):
    with pytest.raises(mr.DataError):
        rational(text, "x")
    for name in (f"RM({text})", f"rm( {text} )"):
        with pytest.raises(mr.SpecError):
            mr.machine_named(name)
    with pytest.raises(mr.SpecError):
        mr.conventions.convention_named(f"margin{text}", mr.WW)


@pytest.mark.parametrize("m", ["0", "-1", "1e200", "1/0", "x", ""])
def test_margins_that_make_no_convention(m):
    with pytest.raises(mr.SpecError):
        mr.conventions.convention_named(f"margin{m}", mr.WW)


@pytest.mark.parametrize("C", [float("nan"), float("inf"), 0.0, -1.0, "1", None, 10**400, 1e308])
def test_constants_that_cannot_be_converted(C):
    for parameter in ("C", "lambda"):
        convention = mr.conventions.margin(100, mr.WW, parameter)
        if C == 1e308 and parameter == "lambda":
            continue
        with pytest.raises(mr.DataError):
            convention.from_C(C, 3, 3)


def test_numbers_are_plain_ascii():
    assert all(map(is_number, ("1", "-1.5e300", ".5", "5.", "nan", "-inf", " 7 ", "1e999999")))
    assert not any(
        map(
            is_number,
            ("", "0.\x1f", "1_000", "٣", "0x1", "1e", "e1", "--1", "1" * 99_999, "Infinityx"),
        )
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"a": 1, "a": 2}',
        "NaN",
        "[1e999]",
        '[{"x": -Infinity}]',
        "9" * 5000,
        "\x00",
        '"\ud800',
    ],
    ids=lambda t: t[:12],
)
def test_texts_that_are_no_json(text):
    with pytest.raises(mr.DataError, match="be JSON"):
        parsed_json(text, "x")


def test_constants_where_they_are_allowed():
    assert parsed_json("[Infinity]", "x", constants=True) == [float("inf")]


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "latin").write_bytes(b"\xff\xfe\xfd")
    (tmp_path / "large").write_bytes(b"1" * 1000)
    for path, words in (
        (tmp_path / "none", "exist"),
        (tmp_path, "exist"),
        ("a\0b", "exist"),
        ("a" * 5000, "exist"),
        (tmp_path / "latin", "utf-8 text"),
        (tmp_path / "large", "at most 999 bytes"),
        ("/dev/zero", "at most 999 bytes"),
    ):
        with pytest.raises(mr.DataError, match=words):
            read_text(path, limit=999)


def test_whatever_came_can_be_shown():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (10**5000, deep, ["x" * 1000] * 1000, b"\xff" * 1000, Fraction(10**5000, 7)):
        assert len(shown(value)) <= 61
    assert shown([Fraction(1, 2), "a"]) == "[1/2, 'a']"
