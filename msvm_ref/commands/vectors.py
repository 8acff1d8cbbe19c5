"""``msvm-ref vectors build | list | show ID | verify FILE | export DIR | run --command "./my_svm"``."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msvm_ref.conformance import vectors_verify
from msvm_ref.conformance.process import seconds_of
from msvm_ref.conformance.vectors_run import run_command
from msvm_ref.conformance.vectors_verify import read, verify_file
from msvm_ref.conformance.verifier.values import Vector

BUNDLED = Path(vectors_verify.__file__).parent / "vectors"
NOT_VECTORS = {"schema.json"}


def add_commands(subparsers: Any) -> None:
    """Register ``vectors`` with its actions; each sets ``handler`` (args -> exit status)."""
    parser = subparsers.add_parser(
        "vectors", help="golden vectors: exact optima any language can check"
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    build = _action(actions, "build", _build, "regenerate the vectors (needs the solvers; minutes)")
    build.add_argument("--directory", type=Path, default=BUNDLED)
    listing = _action(actions, "list", _list, "one line per vector")
    listing.add_argument("--flag", help="only vectors with this flag")
    listing.add_argument("--machine", help="only this machine's file")
    _action(actions, "show", _show, "one vector in full").add_argument("id")
    verify = _action(actions, "verify", _verify, "re-prove every vector in exact rationals")
    verify.add_argument("file", nargs="*", type=Path, help="default: the bundled files")
    _action(
        actions, "export", _export, "copy vectors, schema, FORMAT.md and example to a directory"
    ).add_argument("directory", type=Path)
    run = _action(actions, "run", _run, "run a program on every valid vector")
    run.add_argument(
        "--command",
        required=True,
        help="reads a problem as JSON on stdin, writes W and b and/or alpha as JSON",
    )
    run.add_argument("--machine", help="only this machine's file")
    run.add_argument("--flag", help="only vectors with this flag")
    run.add_argument("--tolerance", type=float, default=1e-6)
    run.add_argument("--timeout", type=float, default=10.0, help="seconds per vector")


def _action(actions: Any, name: str, handler: Any, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=text)
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.set_defaults(handler=handler)
    return parser


def files(machine: str | None = None) -> list[Path]:
    """The bundled vector files, or one machine's."""
    found = sorted(path for path in BUNDLED.glob("*.json") if path.name not in NOT_VECTORS)
    return [path for path in found if machine is None or path.stem == machine]


def vectors(machine: str | None = None, flag: str | None = None) -> Iterator[Vector]:
    for path in files(machine):
        for vector in read(path)["vectors"]:
            if flag is None or flag in vector.get("flags", ()):
                yield vector


def _build(args: argparse.Namespace) -> int:
    from msvm_ref.conformance.vectors_build import build

    total = build(args.directory, lambda line: print(line, file=sys.stderr, flush=True))
    print(
        json.dumps({"vectors": total})
        if args.json
        else f"{total} vectors written to {args.directory}"
    )
    return 0


def _list(args: argparse.Namespace) -> int:
    rows = [
        {
            "id": v["id"],
            "result": v["result"],
            "flags": v.get("flags", [v.get("reason", "")]),
            "optimum": v.get("optimum", {}).get("value", ""),
        }
        for v in vectors(args.machine, args.flag)
    ]
    if args.json:
        print(json.dumps(rows))
    else:
        for row in rows:
            print(
                f"{row['id']:<52} {row['result']:<8} {row['optimum']:<28} {', '.join(row['flags'])}"
            )
        print(f"{len(rows)} vectors")
    return 0 if rows else _usage("no vector matches", "see: msvm-ref vectors list")


def _show(args: argparse.Namespace) -> int:
    found = next((v for v in vectors() if v["id"] == args.id), None)
    if found is None:
        return _usage(f"no vector has the id {args.id!r}", "see: msvm-ref vectors list")
    print(
        json.dumps(found)
        if args.json
        else "\n".join(f"{k:<13} {json.dumps(v)}" for k, v in found.items())
    )
    return 0


def _verify(args: argparse.Namespace) -> int:
    results, status = [], 0
    for path in args.file or files():
        try:
            results += [(str(path), name, faults) for name, faults in verify_file(path)]
        except (OSError, ValueError) as error:
            status = _usage(f"{path} is not a vector file: {error}", "FORMAT.md describes them")
    refused = [entry for entry in results if entry[2]]
    count, wrong = (sum(bool(name) for _, name, _ in entries) for entries in (results, refused))
    if args.json:
        print(
            json.dumps(
                {
                    "vectors": count,
                    "refused": [{"file": f, "id": n, "faults": w} for f, n, w in refused],
                }
            )
        )
    else:
        for file, name, faults in refused:
            print(f"{file}: {name or 'the file'}: {'; '.join(faults)}")
        print(f"{count} vectors, {count - wrong} verified exactly, {wrong} refused")
    return status or int(bool(refused))


def _export(args: argparse.Namespace) -> int:
    args.directory.mkdir(parents=True, exist_ok=True)
    copied = sorted(
        path
        for path in BUNDLED.iterdir()
        if path.suffix in (".json", ".md", ".js") or path.name == "SHA256SUMS"
    )
    program = Path(vectors_verify.__file__)
    for path in [*copied, program]:
        shutil.copyfile(path, args.directory / path.name)
    shutil.copytree(
        program.parent / "verifier",
        args.directory / "verifier",
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    names = [path.name for path in copied] + [program.name, "verifier/"]
    print(
        json.dumps({"directory": str(args.directory), "files": names})
        if args.json
        else f"{len(names)} files in {args.directory}; start with FORMAT.md"
    )
    return 0


def _run(args: argparse.Namespace) -> int:
    seconds_of(args.timeout)
    chosen = [v for v in vectors(args.machine, args.flag) if v["result"] == "valid"]
    if not chosen:
        return _usage("no valid vector matches", "see: msvm-ref vectors list")
    outcomes = []
    for k, vector in enumerate(chosen, 1):
        outcomes.append(run_command(args.command, vector, args.tolerance, args.timeout))
        if sys.stderr.isatty():
            print(f"\r{k}/{len(chosen)} {vector['id']:<60}", end="", file=sys.stderr, flush=True)
    failed = [outcome for outcome in outcomes if not outcome.passed]
    if args.json:
        print(
            json.dumps(
                {
                    "tolerance": args.tolerance,
                    "passed": len(outcomes) - len(failed),
                    "outcomes": [
                        {**vars(o), "error": o.error if o.error < float("inf") else "inf"}
                        for o in outcomes
                    ],
                }
            )
        )
    else:
        for outcome in failed:
            print(f"FAILS  {outcome.id:<52} {outcome.message}")
        worst = max((o.error for o in outcomes if o.passed), default=0.0)
        print(
            f"{len(outcomes)} vectors: {len(outcomes) - len(failed)} pass at {args.tolerance:g} (worst error {worst:.1e}), "
            f"{len(failed)} fail"
        )
    return 1 if failed else 0


def _usage(problem: str, remedy: str) -> int:
    print(f"vectors: {problem}; {remedy}", file=sys.stderr)
    return 2
