"""``msvm-ref completion``: the script that makes a shell complete commands and options.

msvm-ref completion bash > ~/.local/share/bash-completion/completions/msvm-ref
msvm-ref completion zsh > "${fpath[1]}/_msvm-ref"
msvm-ref completion fish > ~/.config/fish/completions/msvm-ref.fish
"""

from __future__ import annotations

import argparse

from msvm_ref.commands.parser import OK
from msvm_ref.errors import BackendError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")


def run(options: argparse.Namespace) -> int:
    try:
        import shtab
    except ImportError as error:
        raise BackendError(
            "shtab", "be installed for completion", "no shtab", "pip install shtab"
        ) from error
    from msvm_ref.commands.listing import whole_parser

    print(shtab.complete(whole_parser(), shell=options.shell))
    return OK
