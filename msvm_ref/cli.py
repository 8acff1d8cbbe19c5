"""The command line. Exit status 0 good, 1 verdict against, 2 usage or data error, 3 unexpected error, 130 interrupted.

A command is a module of ``commands``; only the one that is asked for is loaded, and it loads what it needs when it runs.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Sequence

from msvm_ref.commands.listing import COMMANDS, module, parser_of
from msvm_ref.commands.output import survive_any_encoding
from msvm_ref.commands.parser import INTERRUPTED, OK, UNEXPECTED, USAGE, UsageError, did_you_mean
from msvm_ref.commands.supervisor import supervised, was_interrupted
from msvm_ref.errors import MsvmError

LONGEST = 600
"""Characters of an error; a path or a cell may be any length."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command in this process; the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    survive_any_encoding()
    try:
        with warnings.catch_warnings():
            if not debug:
                warnings.simplefilter("ignore")  # a verdict tells what a warning would
            status = _run(words)
            sys.stdout.flush()
            return status
    except SystemExit as ended:  # --help, and a user's module that calls sys.exit
        return ended.code if isinstance(ended.code, int) else OK if ended.code is None else USAGE
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return OK
    except BaseException as error:
        if debug:
            traceback.print_exc()
        line, status = _told(error)
        print(_one_line(line), file=sys.stderr, flush=True)
        return status


def run() -> None:
    """The ``msvm-ref`` script: ``main`` in a process that one Ctrl-C ends within two seconds, whatever it is doing."""
    sys.exit(supervised(main))


def _run(words: list[str]) -> int:
    if not words or words[0].startswith("-"):
        return _without_command(words)
    name = words[0]
    if name not in COMMANDS:
        raise UsageError(
            f"msvm-ref: unknown command {name!r}{did_you_mean(name, COMMANDS)} (see msvm-ref --help)"
        )
    return int(module(name).run(parser_of(name).parse_args(words[1:])))


def _without_command(words: list[str]) -> int:
    if words and words[0] in ("--version", "-V"):
        import msvm_ref

        print(f"msvm-ref {msvm_ref.__version__}")
        return OK
    if not words or words[0] not in ("--help", "-h"):
        what = f"{words[0]!r} before the command" if words else "no command"
        raise UsageError(f"msvm-ref: {what} (see msvm-ref --help)")
    width = max(map(len, COMMANDS))
    print("usage: msvm-ref COMMAND ...     msvm-ref COMMAND --help\n")
    print("The reference for multi-class SVMs. Start with: msvm-ref validate sklearn\n")
    print("\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items()))
    print("\nExit status: 0 good, 1 verdict against, 2 bad input, 3 a bug, 130 interrupted")
    return OK


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} … {line[-LONGEST // 3 :]}"


def _told(error: BaseException) -> tuple[str, int]:
    """The one line that tells an error, and its exit status."""
    kind = type(error).__name__
    if isinstance(error, KeyboardInterrupt) or was_interrupted():
        return "interrupted", INTERRUPTED
    if isinstance(error, UsageError):
        return str(error), USAGE
    if isinstance(error, (MsvmError, OSError)):
        return f"{kind}: {error}", USAGE
    if isinstance(error, MemoryError):
        return "out of memory: fewer examples, or a linear kernel, need less", UNEXPECTED
    return (
        f"unexpected {kind}: {error}: a bug; please report it with what --debug shows",
        UNEXPECTED,
    )


if __name__ == "__main__":
    run()
