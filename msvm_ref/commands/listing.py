"""The list of commands, and their parsers: one when it is asked for, all of them for completion and the manual."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from msvm_ref.commands.parser import Parser

COMMANDS = {
    "validate": "hold scikit-learn, your estimator, or any program to its claim",
    "atlas": "every multi-class SVM one can install, before the judge",
    "diagnose": "which problem is this the solution of?",
    "certify": "what is this solution worth? an enclosure of the optimum",
    "solve": "certified ground truth for a table",
    "fit": "train a machine on a table and save it with its certificate",
    "predict": "labels of new points by a saved model",
    "machines": "the catalogue, as the Unified View's Table 1",
    "conventions": "how papers and libraries write the machines, and the maps",
    "checks": "what validate checks",
    "template": "a ready solver in C, C++, R, Julia, JavaScript, Rust, Python",
    "demo": "ten machines, three routes, and scikit-learn before the judge",
    "fisher": "decide Fisher consistency: a proof or an exact counterexample",
    "targets": "what a machine learns: its embedded loss, its targets",
    "circle": "the circle problems: nine machines against Bayes",
    "claims": "every checkable statement of the six papers, checked",
    "compare": "accuracy, time and certified gaps of 15 methods",
    "approx": "accuracy against time of low-rank representations",
    "vectors": "golden vectors: exact optima any language can check",
    "completion": "what makes bash, zsh or fish complete msvm-ref",
}


def module(name: str) -> ModuleType:
    """The command's module: ``configure(parser)`` and ``run(options) -> exit status``."""
    return import_module(f"msvm_ref.commands.{name}")


def parser_of(name: str) -> Parser:
    parser = Parser(prog=f"msvm-ref {name}", description=_description(name))
    module(name).configure(parser)
    return parser


def whole_parser() -> Parser:
    """Every command in one parser: for shell completion and the manual."""
    parser = Parser(prog="msvm-ref", description="The reference for multi-class SVMs.")
    choices = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, text in COMMANDS.items():
        module(name).configure(choices.add_parser(name, help=text, description=_description(name)))
    return parser


def _description(name: str) -> str:
    """The first paragraph of the command's module, without its name."""
    text = " ".join((module(name).__doc__ or "").strip().split("\n\n")[0].split())
    said = text.partition(": ")[2]
    return said[:1].upper() + said[1:]
