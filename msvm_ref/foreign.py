"""Foreign text: what comes from files, programs and the command line, with every limit checked before the work it would cause.

A number such as 1e999999999 has eleven characters and, as a rational, a billion digits; a file of brackets nests deeper
than any stack; an archive of a kilobyte may unfold into gigabytes. Whatever is refused here is refused by its text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from msvm_ref.errors import DataError, MsvmError

FILE_LIMIT = 256 * 2**20
"""Bytes of the largest file that is read; as Python objects a JSON text takes about twenty times its size at worst."""
DIGITS = 1000
"""The longest numerator, denominator, mantissa, and (in size) the largest decimal exponent of a rational in text."""

_RATIONAL = re.compile(
    rf"[+-]?(\d{{1,{DIGITS}}}/\d{{1,{DIGITS}}}|(\d{{1,{DIGITS}}}\.?\d{{0,{DIGITS}}}|\.\d{{1,{DIGITS}}})([eE][+-]?\d{{1,4}})?)",
    re.ASCII,
)
_FLOAT = re.compile(
    rf"[+-]?(nan|inf|infinity|(\d{{1,{DIGITS}}}\.?\d{{0,{DIGITS}}}|\.\d{{1,{DIGITS}}})([eE][+-]?\d{{1,6}})?)",
    re.ASCII | re.IGNORECASE,
)


def shown(value: Any, length: int = 60) -> str:
    """``repr`` for an error message (2/5 for a Fraction): the beginning of it, or the type of what cannot be shown."""
    try:
        if isinstance(value, (list, tuple)):
            text = f"[{', '.join(shown(v, length) for v in value[:length])}]"
        elif isinstance(value, Fraction):
            text = str(value)
        else:
            text = repr(value[: 4 * length] if isinstance(value, (str, bytes)) else value)
    except (ValueError, RecursionError):  # an integer of too many digits, or nested too deeply
        text = f"<{type(value).__name__}>"
    return text if len(text) <= length else f"{text[:length]}…"


def rational(value: Any, name: str, refuse: Callable[..., MsvmError] = DataError) -> Fraction:
    """A rational out of "2/5", "0.4", "4e-1", an int or a Fraction; floats are refused, being no exact statement."""
    if isinstance(value, str):
        text = value.strip()
        exponent = re.search(r"[eE]([+-]?\d{1,4})$", text, re.ASCII)
        small = exponent is None or abs(int(exponent[1])) <= DIGITS
        if small and _RATIONAL.fullmatch(text) and not re.search(r"/0+$", text, re.ASCII):
            return Fraction(text)
        expected = f"be a rational such as 2/5 or 0.4, with at most {DIGITS} digits a part"
        raise refuse(name, expected, shown(value))
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise refuse(name, "be a rational such as '2/5'", shown(value))
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 4 * DIGITS:
        raise refuse(name, f"have at most about {DIGITS} digits a part", shown(value))
    return Fraction(value)


def is_number(text: str) -> bool:
    """Is it a decimal number, or nan or inf, in plain ASCII? (Python's float also takes 1_000 and other scripts' digits.)"""
    return _FLOAT.fullmatch(text.strip(" \t\r\n")) is not None


def read_text(path: str | Path, limit: int = FILE_LIMIT, encoding: str = "utf-8") -> str:
    """A file's text; DataError where there is none, where it is too large, or where it is no text."""
    file = Path(path)
    size_checked(file, limit)
    try:
        with file.open("rb") as stream:
            content = stream.read(limit + 1)  # what is no regular file has no size to go by
    except OSError as error:
        raise DataError(str(path), "be a file that can be read", str(error)) from error
    if len(content) > limit:
        raise _too_large(file, limit, "more")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(str(path), f"be {encoding} text", str(error)) from error


def size_checked(file: Path, limit: int = FILE_LIMIT) -> None:
    try:
        if file.is_dir() or not file.exists():
            raise DataError("file", "exist", shown(str(file), 200))
        size = file.stat().st_size
    except (OSError, ValueError) as error:  # a name too long, or with a zero byte in it
        raise DataError("file", "exist", f"{shown(str(file))} ({error})") from error
    if size > limit:
        raise _too_large(file, limit, str(size))


def _too_large(file: Path, limit: int, got: str) -> DataError:
    return DataError(str(file), f"have at most {limit} bytes", got)


def parsed_json(text: str, name: str, constants: bool = False) -> Any:
    """The value of a JSON text in which every key is stated once; what is not finite only where ``constants`` allows it."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError(f"a key is stated twice among {shown(sorted(k for k, _ in pairs))}")
        return dict(pairs)

    def constant(word: str) -> float:
        if not constants:
            raise ValueError(f"{shown(word)} is no finite number")
        return float(word)

    def number(word: str) -> float:
        value = float(word)
        return value if math.isfinite(value) else constant(word)

    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=constant, parse_float=number)
    except RecursionError as error:
        raise DataError(name, "be JSON", "lists or objects nested too deeply") from error
    except ValueError as error:
        raise DataError(name, "be JSON", shown(str(error), 200)) from error
