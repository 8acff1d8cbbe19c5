"""``msvm-ref solve``: the certified ground truth of a table's problem; --json prints it as a model for certify and predict."""

from __future__ import annotations

import argparse
from typing import Any

from msvm_ref.commands.output import check_report, check_writable, emit, remark, whole_file
from msvm_ref.commands.parser import (
    OK,
    VERDICT,
    add_common,
    add_data,
    add_problem,
    positive,
    seed,
    tolerance,
)
from msvm_ref.commands.progress import Progress


def configure(parser: argparse.ArgumentParser) -> None:
    from msvm_ref.solvers.methods import METHODS

    add_data(parser)
    add_problem(parser)
    parser.add_argument("--method", default="primal", choices=tuple(METHODS), metavar="METHOD",
                        help=", ".join(METHODS))  # fmt: skip
    parser.add_argument("--backend", help="one solver instead of the default chain")
    parser.add_argument("--tolerance", type=tolerance, default=1e-9, help="certified relative gap")
    parser.add_argument("--max-seconds", type=positive, help="of methods that iterate")
    parser.add_argument("--seed", type=seed, help="of methods that draw")
    parser.add_argument("--save", metavar="MODEL.json", help="write the solution as a model")
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    from msvm_ref.datasets.tables import read_table
    from msvm_ref.estimator.saved import SavedModel
    from msvm_ref.model.catalogue import machine_named
    from msvm_ref.model.problem import Problem
    from msvm_ref.solvers.automatic import choose
    from msvm_ref.solvers.methods import options_of, solve

    check_report(options)
    if options.save is not None:
        check_writable("--save", options.save, (".json",))
    table = read_table(options.data, options.target)
    machine = machine_named(options.machine).with_cost(options.cost)
    problem = Problem(
        machine, table.X, table.y, C=options.C, kernel=options.kernel.of(table.X), bias=options.bias
    )
    given: dict[str, Any] = {"max_seconds": options.max_seconds, "seed": options.seed}
    given = {name: value for name, value in given.items() if value is not None}
    method = choose(problem) if options.method == "auto" else options.method
    announce_compilation(options, method, problem.n)
    with Progress(f"solving ({options.method})", quiet=options.quiet) as bar:
        if "progress" in options_of(options.method):
            given["progress"] = bar.at
        solution = solve(problem, options.method, options.backend, options.tolerance, **given)
    model = SavedModel.of(solution, problem.classes, options.tolerance, table.names)
    data = {**solution.to_dict(), "model": model.to_dict()}
    emit(options, f"{machine.name} on {table.title}", lambda: told(solution), data)
    if options.save is not None:
        with whole_file(options.save) as name:
            model.save(name)
        remark(options, f"saved: {options.save} (sha256 {model.sha256})")
    return OK if solution.converged else VERDICT


def told(solution: Any) -> str:
    return (
        f"{solution.certificate}\n{len(solution.support)} of {solution.problem.n} examples support it; "
        f"method {solution.method}, backend {solution.backend}"
    )


def announce_compilation(options: argparse.Namespace, method: str, n: float = float("inf")) -> None:
    """Say so where the first use of compiled solvers is about to take a while; few examples are solved without."""
    from msvm_ref.solvers.compiled import first_use
    from msvm_ref.solvers.fast.gradient import FEW
    from msvm_ref.solvers.methods import METHODS

    folder = METHODS.get(method, "").split(".")
    if method == "fast" and n <= FEW:
        return
    if len(folder) > 2 and folder[2] in ("fast", "classic") and first_use(folder[2]):
        remark(options, "compiling the solver once (about 30 s) ...")
