"""``msvm-ref vectors``: golden vectors, exact optima that any language can check: list, show, verify, export, run, build."""

from __future__ import annotations

import argparse
import math
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msvm_ref.commands.output import check_report, emit, remark, whole_file
from msvm_ref.commands.parser import (
    OK,
    VERDICT,
    UsageError,
    add_common,
    one_of,
    positive,
    tolerance,
)
from msvm_ref.commands.progress import Progress
from msvm_ref.commands.table import cut, screen

if TYPE_CHECKING:
    from msvm_ref.conformance.verifier.values import Vector

CONFORMANCE = Path(__file__).parents[1] / "conformance"
BUNDLED = CONFORMANCE / "vectors"
LOSSES = BUNDLED / "losses"
NOT_VECTORS = {"schema.json"}
LISTING = "msvm-ref vectors list"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    listing = _action(actions, "list", _list, "one line per vector")
    listing.add_argument("--flag", help="only vectors with this flag")
    listing.add_argument("--machine", help="only this machine's file")
    listing.add_argument(
        "--losses",
        action="store_true",
        help="loss vectors: losses and subdifferentials of one example",
    )
    _action(actions, "show", _show, "one vector in full").add_argument("id")
    verify = _action(actions, "verify", _verify, "re-prove every vector in exact rationals")
    verify.add_argument("file", nargs="*", type=Path, help="default: the bundled files")
    export = _action(
        actions, "export", _export, "copy vectors, schema, FORMAT.md and checkers to a folder"
    )
    export.add_argument("directory", type=Path)
    program = _action(actions, "run", _run, "run a program on every valid vector")
    program.add_argument(
        "--command",
        required=True,
        metavar="PROGRAM",
        help="JSON on standard input, JSON on standard output: see msvm-ref template --protocol",
    )
    program.add_argument("--machine", help="only this machine's file")
    program.add_argument("--flag", help="only vectors with this flag")
    program.add_argument("--tolerance", type=tolerance, default=1e-6, help="relative error allowed")
    program.add_argument("--timeout", type=positive, default=10.0, help="seconds per vector")
    build = _action(actions, "build", _build, "regenerate the vectors (minutes)")
    build.add_argument("--directory", type=Path, default=BUNDLED, help="where to write them")


def run(options: argparse.Namespace) -> int:
    check_report(options)
    return int(options.action(options))


def _action(actions: Any, name: str, action: Any, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=text, description=text)
    add_common(parser)
    parser.set_defaults(action=action)
    return parser


def files(machine: str | None = None, folder: Path = BUNDLED) -> list[Path]:
    """The bundled vector files of a folder, or one machine's."""
    paths = {p.stem: p for p in sorted(folder.glob("*.json")) if p.name not in NOT_VECTORS}
    if machine is None:
        return list(paths.values())
    spelled = {name.upper(): name for name in paths}
    plain = machine.upper().replace("(", "-").replace(")", "").replace("/", "-")
    return [paths[one_of("machine", spelled.get(plain, machine), paths, LISTING)]]


def vectors(
    machine: str | None = None, flag: str | None = None, folder: Path = BUNDLED
) -> Iterator[Vector]:
    from msvm_ref.conformance.vectors_verify import read

    for path in files(machine, folder):
        for vector in read(path)["vectors"]:
            if flag is None or flag in vector.get("flags", ()):
                yield vector


def _build(options: argparse.Namespace) -> int:
    from msvm_ref.conformance import loss_vectors_build
    from msvm_ref.conformance.vectors_build import build

    _folder(options.directory / "losses")
    total = build(options.directory, lambda line: remark(options, line))
    total += loss_vectors_build.build(
        options.directory / "losses", lambda line: remark(options, f"losses of {line}")
    )
    emit(options, "Vectors", f"{total} vectors written to {options.directory}", {"vectors": total})
    return OK


def _list(options: argparse.Namespace) -> int:
    rows = [
        {
            "id": v["id"],
            "result": v["result"],
            "flags": v.get("flags", [v.get("reason", "")]),
            "loss" if options.losses else "optimum": _value(v),
        }
        for v in vectors(options.machine, options.flag, LOSSES if options.losses else BUNDLED)
    ]
    if not rows:
        raise UsageError(f"no vector has the flag {options.flag!r} (see {LISTING})")
    lines = [
        f"{row['id']:<52} {row['result']:<8} {row.get('optimum', row.get('loss')):<28} "
        f"{', '.join(row['flags'])}"
        for row in rows
    ]
    if sys.stdout.isatty():
        lines = [cut(line, screen()) for line in lines]
    emit(options, "Vectors", "\n".join([*lines, f"{len(rows)} vectors"]), rows)
    return OK


def _value(vector: Vector) -> str:
    """Of a valid vector: the optimum's decimals, or the loss."""
    return str(vector.get("optimum", {}).get("value", vector.get("loss", "")))


def _show(options: argparse.Namespace) -> int:
    import json

    by_id = {v["id"]: v for v in (*vectors(), *vectors(folder=LOSSES))}
    vector = by_id[one_of("vector", options.id, by_id, LISTING)]
    lines = [f"{k:<13} {json.dumps(v, ensure_ascii=False)}" for k, v in vector.items()]
    emit(options, options.id, "\n".join(lines), vector)
    return OK


def _verify(options: argparse.Namespace) -> int:
    from msvm_ref.conformance.vectors_verify import verify_file

    paths = options.file or [*files(), *files(folder=LOSSES)]
    results = []
    with Progress("verifying", len(paths), options.quiet) as bar:
        for path in paths:
            try:
                results += [(str(path), name, faults) for name, faults in verify_file(path)]
            except (OSError, ValueError) as error:
                raise UsageError(
                    f"{path} is not a vector file: {error} (FORMAT.md of vectors export describes them)"
                ) from error
            bar.step(path.stem)
    refused = [entry for entry in results if entry[2]]
    count, wrong = (sum(bool(name) for _, name, _ in entries) for entries in (results, refused))
    lines = [f"{file}: {name or 'the file'}: {'; '.join(faults)}" for file, name, faults in refused]
    lines.append(f"{count} vectors, {count - wrong} verified exactly, {wrong} refused")
    data = {"vectors": count, "refused": [{"file": f, "id": n, "faults": w} for f, n, w in refused]}
    emit(options, "Vectors verified", "\n".join(lines), data)
    return VERDICT if refused else OK


def _export(options: argparse.Namespace) -> int:
    copied = {
        str(path.relative_to(BUNDLED)): path
        for path in sorted([*BUNDLED.iterdir(), *LOSSES.iterdir()])
        if path.suffix in (".json", ".md", ".js") or path.name == "SHA256SUMS"
    }
    sources = copied | {"vectors_verify.py": CONFORMANCE / "vectors_verify.py"}
    sources |= {f"verifier/{p.name}": p for p in sorted((CONFORMANCE / "verifier").glob("*.py"))}
    _folder(options.directory / "verifier")
    _folder(options.directory / "losses")
    for name, path in sources.items():
        with whole_file(options.directory / name) as temporary:
            shutil.copyfile(path, temporary)
    emit(
        options,
        "Vectors exported",
        f"{len(sources)} files in {options.directory}; start with FORMAT.md",
        {"directory": str(options.directory), "files": list(sources)},
    )
    return OK


def _folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the directory must be a folder that can be written: {error}") from error


def _run(options: argparse.Namespace) -> int:
    from msvm_ref.conformance.command import command_line
    from msvm_ref.conformance.vectors_run import run_command

    words = command_line(options.command)
    chosen = [v for v in vectors(options.machine, options.flag) if v["result"] == "valid"]
    if not chosen:
        raise UsageError(f"no valid vector has the flag {options.flag!r} (see {LISTING})")
    outcomes = []
    with Progress("vectors", len(chosen), options.quiet) as bar:
        for vector in chosen:
            outcomes.append(run_command(words, vector, options.tolerance, options.timeout))
            bar.step(vector["id"])
    failed = [outcome for outcome in outcomes if not outcome.passed]
    worst = max((o.error for o in outcomes if o.passed), default=0.0)
    lines = [f"FAILS  {outcome.id:<52} {outcome.message}" for outcome in failed]
    lines.append(
        f"{len(outcomes)} vectors: {len(outcomes) - len(failed)} pass at {options.tolerance:g} "
        f"(worst error {worst:.1e}), {len(failed)} fail"
    )
    data = {
        "tolerance": options.tolerance,
        "passed": len(outcomes) - len(failed),
        "outcomes": [
            {**vars(o), "error": o.error if math.isfinite(o.error) else "inf"} for o in outcomes
        ],
    }
    emit(options, f"Vectors on {options.command}", "\n".join(lines), data)
    return VERDICT if failed else OK
