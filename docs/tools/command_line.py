"""The page of the command line, read off the parsers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator


def parsers() -> argparse.ArgumentParser:
    """Every command in one parser."""
    from msvm_ref.commands.listing import whole_parser

    return whole_parser()


def page() -> str:
    """One section a command: what it does, its usage, its options with their defaults."""
    root = parsers()
    lines = [
        "# Command line",
        "",
        "Generated from the parsers; `msvm-ref COMMAND --help` says the same.",
        "",
    ]
    lines += [*EXIT_STATUS, *COMMON, ""]
    lines += ["| command | |", "|---|---|"]
    commands = list(subcommands(root))
    lines += [f"| [`{name}`](#{anchor(name)}) | {cell(told)} |" for name, told, _ in commands]
    for name, told, parser in commands:
        lines += ["", f"## {name}", "", sentence(parser.description or told), ""]
        lines += ["```text", usage(parser), "```", ""]
        for deeper, deeper_told, sub in subcommands(parser):
            lines += [f"### {name} {deeper}", "", sentence(sub.description or deeper_told), ""]
            lines += ["```text", usage(sub), "```", "", *options(sub)]
        lines += options(parser)
        if parser.epilog:
            lines += [sentence(parser.epilog), ""]
    return "\n".join(lines) + "\n"


EXIT_STATUS = [
    "| exit status | meaning |",
    "|---|---|",
    "| 0 | as it should be: certified, passed, as known |",
    "| 1 | a verdict against: not optimal, a check failed, a known failure now passes |",
    "| 2 | usage or data error, in one line |",
    "| 3 | an unexpected error, in one line; `--debug` shows its traceback |",
    "| 130 | interrupted: one Ctrl-C ends any command within two seconds, nothing half-written |",
    "",
]


COMMON = """
**The same everywhere.** `--json` prints JSON; `--report FILE` also writes what is printed (`.html`, `.md` or `.json`,
repeatable); `-q` leaves out the progress bar and remarks, which go to standard error and only to a terminal; `--debug` shows
tracebacks. A table is a text file with any separator, with or without a header, an `.npz` with X and y, `-` for standard input,
or a bundled name (iris, wine, digits, glass, thyroid, vowel, vehicle). A kernel is `linear`, `rbf`, `rbf:0.5`, `poly:3`. What
we train has a penalized bias unless `--bias` says otherwise; what we judge says its own. `python -m msvm_ref` is the same.

**Completion.** `pip install 'msvm-ref[completion]'`, then
`msvm-ref completion bash > ~/.local/share/bash-completion/completions/msvm-ref`; for zsh into a folder of `$fpath` as
`_msvm-ref`, for fish into `~/.config/fish/completions/msvm-ref.fish`.
""".splitlines()


def subcommands(
    parser: argparse.ArgumentParser,
) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """(name, its one line of help, its parser) of each command of ``parser``."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, sub in action.choices.items():
                yield name, told.get(name, ""), sub


def options(parser: argparse.ArgumentParser) -> list[str]:
    """A table of the arguments and options: name, default, meaning."""
    rows = []
    for action in parser._actions:
        if isinstance(action, (argparse._HelpAction, argparse._SubParsersAction)):
            continue
        if action.help == argparse.SUPPRESS:
            continue
        names = ", ".join(f"`{name}`" for name in action.option_strings) or f"`{action.dest}`"
        value = "" if action.nargs == 0 or not action.option_strings else f" {placeholder(action)}"
        help_text = (action.help or "").replace("%(default)s", str(action.default))
        rows.append(
            f"| {names}{value} | {default(action)} | {cell(help_text.replace('%%', '%'))} |"
        )
    return ["| | default | |", "|---|---|---|", *rows, ""] if rows else []


def placeholder(action: argparse.Action) -> str:
    if action.choices is not None:
        return " · ".join(f"`{choice}`" for choice in action.choices)
    metavar = action.metavar or action.dest.upper()
    return metavar if isinstance(metavar, str) else " ".join(metavar)


def default(action: argparse.Action) -> str:
    silent = action.default in (None, False, argparse.SUPPRESS) or action.default in ([], ())
    return "" if silent else f"`{action.default}`"


def usage(parser: argparse.ArgumentParser) -> str:
    return re.sub(r"^usage: \S*?(?=msvm-ref| )", "", parser.format_usage()).strip()


def sentence(text: str) -> str:
    text = cell(" ".join(text.split())).replace("\\|", "|")
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def cell(text: str) -> str:
    """Text inside a table: what Markdown would read as markup is kept as it is."""
    return re.sub(r"([|*_<>\[\]])", r"\\\1", " ".join(text.split()))


def anchor(name: str) -> str:
    return name.lower().replace(" ", "-")
