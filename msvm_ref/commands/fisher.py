"""``msvm-ref fisher``: decide, exactly, whether a machine's loss is Fisher consistent: a proof or an exact counterexample.

Exit status 1 says "not consistent"; ``--all`` is a table, not a question, and ends with 0 whatever it finds.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from msvm_ref.commands.output import check_plot, check_report, emit, remark, whole_file
from msvm_ref.commands.parser import MACHINES, OK, VERDICT, UsageError, add_common, number
from msvm_ref.commands.progress import Progress

if TYPE_CHECKING:
    from msvm_ref.fisher.consistency import ConsistencyResult
    from msvm_ref.model.machine import Machine

MODES = ("closed", "generic", "open")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("machine", nargs="?", help=MACHINES)
    parser.add_argument("--all", action="store_true", help="every machine of the catalogue")
    parser.add_argument(
        "-d",
        type=number("a number of classes, at least 2", 2, 1000, whole=True),
        default=3,
        metavar="CLASSES",
        help="number of classes",
    )
    parser.add_argument(
        "--mode",
        choices=MODES,
        default="closed",
        help="closed: every P; generic: P > 0 with one Bayes class; open: almost every P",
    )
    parser.add_argument(
        "--plot",
        metavar="OUT.png",
        help="also draw the map over the simplex (one machine, 3 classes)",
    )
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    if bool(options.machine) == options.all:
        raise UsageError("msvm-ref fisher: give one machine, or --all (see msvm-ref machines)")
    if options.plot is not None and (options.all or options.d != 3):
        raise UsageError(
            "--plot draws one machine with 3 classes: msvm-ref fisher ATS --plot out.png"
        )
    check_report(options)
    check_plot(options.plot)
    from msvm_ref.fisher.consistency import fisher_consistency
    from msvm_ref.model.catalogue import CATALOGUE, machine_named

    machines = list(CATALOGUE) if options.all else [machine_named(options.machine)]
    results = []
    with Progress(f"fisher d = {options.d}", len(machines), options.quiet) as bar:
        for machine in machines:
            at = None if options.all else bar.at
            results.append(fisher_consistency(machine, options.d, options.mode, at))
            bar.step(machine.name, by=int(options.all))
    data = [r.to_dict() for r in results]
    title = f"Fisher consistency, d = {options.d}"
    if options.all:
        emit(options, title, table(results), data)
    else:
        emit(options, title, "\n".join([str(results[0]), *opposed(results[0])]), data[0])
    if options.plot is not None:
        from msvm_ref.studies.plots import simplex_map

        with Progress("drawing", quiet=options.quiet), whole_file(options.plot) as name:
            simplex_map(machines[0], name)
        remark(options, f"map over the simplex: {options.plot}")
    return OK if all(r.consistent for r in results) or options.all else VERDICT


def table(results: list[ConsistencyResult]) -> str:
    from msvm_ref.fisher.risk import classes, show

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
        verdict = "consistent" if r.consistent else "NOT consistent"
        lines.append(f"{r.machine.name:<10} {verdict:<15} {told}")
        lines += [f"{'':<26} ← {line}" for line in opposed(r)]
    return "\n".join(lines)


def opposed(result: ConsistencyResult) -> list[str]:
    """What the literature says, where it says otherwise."""
    from msvm_ref.studies.theorems import published

    claim = published(result.machine, result.d)
    if claim is None or claim[0] == result.consistent:
        return []
    return [f"{claim[1]} states the opposite{_where(result.machine, result.d)}."]


def _where(machine: Machine, d: int) -> str:
    """The smaller numbers of classes at which the published claim does hold."""
    from msvm_ref.fisher.consistency import fisher_consistency
    from msvm_ref.studies.theorems import published

    agreeing = [
        str(e)
        for e in range(2, d)
        if (claim := published(machine, e))
        and claim[0] == fisher_consistency(machine, e).consistent
    ]
    return f"; it holds for d = {', '.join(agreeing)}" if agreeing else ""
