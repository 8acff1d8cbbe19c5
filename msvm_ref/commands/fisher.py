"""The shell's view of the theory: ``fisher`` and ``circle``. Exit status 0 ok, 1 verdict (not consistent), 2 usage or data.

``fisher --all`` is a table, not a question: it ends with 0 whatever it finds.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from msvm_ref.commands.progress import Progress
from msvm_ref.fisher.consistency import ConsistencyResult, fisher_consistency
from msvm_ref.fisher.prover import MODES
from msvm_ref.fisher.risk import classes, show
from msvm_ref.model.catalogue import CATALOGUE, machine_named
from msvm_ref.model.machine import Machine
from msvm_ref.studies.theorems import published

OK, VERDICT, USAGE = 0, 1, 2


def add_commands(subparsers: Any) -> None:
    """Register ``fisher`` and ``circle`` on an argparse subparsers object; each sets ``handler``: args -> exit status."""
    fisher = subparsers.add_parser(
        "fisher",
        help="decide Fisher consistency: a proof or an exact counterexample",
        description="Decide, exactly, whether a machine's loss is Fisher consistent.",
    )
    fisher.add_argument(
        "machine", nargs="?", help="WW, CS, LLW, MMR, MMR_ORTHO, RM, RM(1/4), OVA, AMO, ATM or ATS"
    )
    fisher.add_argument(
        "--all", action="store_true", help="every machine of the catalogue, as a table"
    )
    fisher.add_argument(
        "-d", type=int, default=3, metavar="CLASSES", help="number of classes (default 3)"
    )
    fisher.add_argument(
        "--mode",
        choices=MODES,
        default="closed",
        help="closed: every P (default); generic: P > 0 with one Bayes class; open: almost every P",
    )
    fisher.add_argument(
        "--plot",
        metavar="OUT.png",
        help="also draw the map over the simplex (one machine, 3 classes)",
    )
    fisher.add_argument(
        "--json", action="store_true", help="the verdict with its proof or counterexample as JSON"
    )
    fisher.set_defaults(handler=run_fisher)
    circle = subparsers.add_parser(
        "circle",
        help="the circle problems: nine machines against Bayes",
        description="Solve the circle problems of UV section 3.3 and compare with Bayes.",
    )
    circle.add_argument("--variant", choices=("noiseless", "noisy", "both"), default="both")
    circle.add_argument(
        "--seeds", type=int, default=10, metavar="N", help="samples per cell (default 10)"
    )
    circle.add_argument(
        "--plot", metavar="OUT.png", help="draw the paper's figures; two files for both variants"
    )
    circle.add_argument("--json", action="store_true", help="the table as JSON")
    circle.set_defaults(handler=run_circle)


def run_fisher(args: argparse.Namespace) -> int:
    if bool(args.machine) == args.all:
        print("fisher needs one machine, or --all", file=sys.stderr)
        return USAGE
    if args.plot and (args.all or args.d != 3):
        print(
            "--plot draws one machine with 3 classes: msvm-ref fisher ATS -d 3 --plot out.png",
            file=sys.stderr,
        )
        return USAGE
    if args.plot is not None and not drawable(args.plot):
        return USAGE
    machines = list(CATALOGUE) if args.all else [machine_named(args.machine)]
    results = []
    with Progress(f"fisher d = {args.d}", len(machines)) as bar:
        for machine in machines:
            results.append(
                fisher_consistency(machine, args.d, args.mode, None if args.all else bar.at)
            )
            if args.all:
                bar.step(machine.name)
    if args.json:
        data = [r.to_dict() for r in results]
        print(json.dumps(data if args.all else data[0]))
    elif args.all:
        print(table(results))
    else:
        print("\n".join([str(results[0]), *remark(results[0])]))
    if args.plot:
        from msvm_ref.studies.plots import simplex_map

        simplex_map(machines[0], args.plot)
        print(f"map over the simplex: {args.plot}", file=sys.stderr)
    return OK if all(r.consistent for r in results) or args.all else VERDICT


def drawable(path: str) -> bool:
    """Can a picture be written there? Asked before the work, not after."""
    good = Path(path).suffix in (".png", ".pdf", ".svg") and Path(path).absolute().parent.is_dir()
    if not good:
        print(
            f"--plot must name a .png, .pdf or .svg file in an existing directory, got {path!r}",
            file=sys.stderr,
        )
    return good


def table(results: list[ConsistencyResult]) -> str:
    first = results[0]
    spent = sum(r.seconds for r in results)
    lines = [
        f"Fisher consistency, d = {first.d}, mode {first.mode}, decided exactly in {spent:.1f} s"
    ]
    for r in results:
        if r.proof is not None:
            told = f"proof of {r.proof.leaves} inequalities"
        else:
            assert r.counterexample is not None
            c = r.counterexample
            told = f"P = {show(c.P)}  f* = {show(c.f)}  predicts {classes(c.predicted)}"
            told += "  unique" if c.unique else ""
        lines.append(
            f"{r.machine.name:<10} {'consistent' if r.consistent else 'NOT consistent':<15} {told}"
            + "".join(f"   ← {line}" for line in remark(r))
        )
    return "\n".join(lines)


def remark(result: ConsistencyResult) -> list[str]:
    """What the literature says, where it says otherwise."""
    claim = published(result.machine, result.d)
    if claim is None or claim[0] == result.consistent:
        return []
    return [f"{claim[1]} states the opposite{_where(result.machine, result.d)}."]


def _where(machine: Machine, d: int) -> str:
    """The smaller numbers of classes at which the published claim does hold."""
    good = [
        str(e)
        for e in range(2, d)
        if (claim := published(machine, e))
        and claim[0] == fisher_consistency(machine, e).consistent
    ]
    return f"; it holds for d = {', '.join(good)}" if good else ""


def run_circle(args: argparse.Namespace) -> int:
    from msvm_ref.studies.circle import EXPONENTS, MACHINES, Variant, circle_study
    from msvm_ref.studies.readings import readings

    if args.seeds < 1:
        print("--seeds must be at least 1", file=sys.stderr)
        return USAGE
    if args.plot is not None and not drawable(args.plot):
        return USAGE
    variants: list[Variant] = ["noiseless", "noisy"] if args.variant == "both" else [args.variant]
    total = sum(len(MACHINES) * len(EXPONENTS[v]) * args.seeds for v in variants)
    with Progress("circle", total) as bar:
        studies = [circle_study(v, range(args.seeds), progress=bar.step) for v in variants]
    checked = readings(studies)
    if args.json:
        print(
            json.dumps(
                {
                    "studies": [s.to_dict() for s in studies],
                    "readings": [r.to_dict() for r in checked],
                }
            )
        )
    else:
        print("\n\n".join(map(str, studies)))
        print("\nwhat UV reads off its figures, and whether these samples show it")
        print("\n".join(map(str, checked)))
    if args.plot:
        from msvm_ref.studies.plots import circle_figure

        for study in studies:
            path = args.plot if len(studies) == 1 else _numbered(args.plot, study.variant)
            circle_figure(study, path)
            print(f"figure: {path}", file=sys.stderr)
    return OK


def _numbered(path: str, variant: str) -> str:
    stem, dot, ending = path.rpartition(".")
    return f"{stem}-{variant}.{ending}" if dot else f"{path}-{variant}"
