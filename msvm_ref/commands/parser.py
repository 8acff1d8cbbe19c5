"""The parsers' common ground: errors of one line with "did you mean", defaults in --help, types that refuse before the work.

A command is a module of this package with ``configure(parser)`` and ``run(options) -> exit status``; ``listing`` has them.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

MACHINES = "WW, CS, LLW, MMR, MMR_ORTHO, RM(1/2), OVA, AMO, ATM, ATS"
BIASES = ("none", "free", "penalized")
BIAS = "penalized"
"""The bias of what we train where nobody says otherwise: the solution is then unique. What we judge says its own."""
OK, VERDICT, USAGE, UNEXPECTED, INTERRUPTED = 0, 1, 2, 3, 130
TEXT_REPORTS = (".html", ".md", ".json")
PICTURES = (".png", ".pdf", ".svg")


class UsageError(Exception):
    """A command line that cannot be followed, in one line."""


class Help(argparse.ArgumentDefaultsHelpFormatter):
    """Defaults where there is one to tell; 80 columns whatever the terminal, so that help looks alike everywhere."""

    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, max_help_position=26, width=80)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        silent = action.default in (None, False, argparse.SUPPRESS) or action.default == []
        told = action.help is not None and "default" in action.help
        return action.help if silent or told else super()._get_help_string(action)


class Parser(argparse.ArgumentParser):
    """Raises UsageError instead of printing a usage block."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        settings = {"formatter_class": Help, "allow_abbrev": False, **settings}
        super().__init__(*arguments, **settings)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {self._better(message)} (see {self.prog} --help)")

    def _better(self, message: str) -> str:
        message = " ".join(message.split())
        if unknown := re.fullmatch(r"unrecognized arguments: (.*)", message):
            first = unknown[1].split()[0]
            options = [o for action in self._actions for o in action.option_strings]
            return f"unknown argument {first!r}{did_you_mean(first.partition('=')[0], options)}"
        if choice := re.fullmatch(r"(.*)invalid choice: '(.*)' \(choose from (.*)\)", message):
            words = [word.strip(" '") for word in choice[3].split(",")]
            return f"{choice[1]}{choice[2]!r} is not one of {', '.join(words)}{did_you_mean(choice[2], words)}"
        return message


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """'; did you mean X?', or nothing where no known word is near."""
    from difflib import get_close_matches

    table = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), list(table), 1, 0.6)
    return f"; did you mean {table[near[0]]}?" if near else ""


def one_of(what: str, word: str, known: Iterable[str], listing: str) -> str:
    """``word`` where it is known; UsageError with the nearest name and the command that lists all of them."""
    names = list(known)
    if word in names:
        return word
    raise UsageError(
        f"{what} {word!r} is unknown{did_you_mean(word, names)} ({listing} lists them)"
    )


def number(
    words: str, low: float = -math.inf, high: float = math.inf, *, whole: bool = False
) -> Callable[[str], Any]:
    """A type for argparse: a finite number with low < it < high (whole numbers: low <= it <= high)."""

    def read(text: str) -> Any:
        try:
            value = int(text) if whole else float(text)
        except (ValueError, OverflowError):
            value = math.nan
        inside = low <= value <= high if whole else low < value < high
        if not (math.isfinite(value) and inside):
            raise argparse.ArgumentTypeError(f"must be {words}, got {text!r}")
        return value

    return read


positive = number("positive and finite", 0.0)
tolerance = number("a relative gap strictly between 0 and 1", 0.0, 1.0)
count = number("a positive whole number", 1, 10**9, whole=True)
seed = number("a whole number from 0 to 2^32 - 1", 0, 2**32 - 1, whole=True)


def constant(text: str) -> float:
    """C: positive, and within what the problem takes."""
    value: float = number("positive and at most 1e100", 0.0, 1.000001e100)(text)
    return value


def add_common(parser: argparse.ArgumentParser, report: bool = True) -> None:
    """--json, --report, --quiet and --debug, with one meaning everywhere."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print JSON instead of text")
    if report:
        group.add_argument(
            "--report",
            metavar="FILE",
            action="append",
            default=[],
            help="also write what is printed to FILE: .html, .md or .json (repeatable)",
        )
    group.add_argument(
        "-q", "--quiet", action="store_true", help="no progress bar and no remarks, results only"
    )
    group.add_argument(
        "--debug", action="store_true", help="show the traceback of an unexpected error"
    )


def add_data(parser: argparse.ArgumentParser, name: str = "data", **more: Any) -> None:
    """A table: the same forms for every command."""
    parser.add_argument(
        name,
        help="a text table with any separator, with or without a header (label in the last column, or --target); "
        "an .npz with arrays X and y; - for standard input; or iris, wine, digits, glass, thyroid, vowel, vehicle",
        **more,
    )
    parser.add_argument("--target", metavar="COLUMN", help="name of the label column")


def add_problem(parser: argparse.ArgumentParser, defaults: bool = True) -> None:
    """Machine, C, kernel, bias and cost; without ``defaults`` they are what the file says where they are not given."""
    from msvm_ref.commands.kernel_option import kernel

    def default(value: Any) -> Any:
        return value if defaults else None

    group = parser.add_argument_group("problem" if defaults else "problem (instead of the file's)")
    group.add_argument("--machine", default=default("WW"), metavar="NAME", help=MACHINES)
    group.add_argument("--C", type=constant, default=default(1.0), help="constant of the loss")
    group.add_argument(
        "--kernel",
        type=kernel,
        default=default("linear"),
        help="linear, rbf[:GAMMA] or poly:DEGREE[:GAMMA[:COEF0]]; without GAMMA it is 1 / (features x variance)",
    )
    group.add_argument(
        "--bias", choices=BIASES, default=default(BIAS), help="none, free, penalized"
    )
    group.add_argument(
        "--cost",
        choices=("linear", "quadratic"),
        default=default("linear"),
        help="hinge, or squared hinge",
    )
