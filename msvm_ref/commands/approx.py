"""``msvm-ref approx``: accuracy against training time of low-rank representations (Zien et al., Fig. 1.1).

The softmax machine is trained on all, half, a quarter, ... of a kernel's rank.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from msvm_ref.commands.kernel_option import kernel
from msvm_ref.commands.output import check_plot, check_report, emit, remark, whole_file
from msvm_ref.commands.parser import OK, add_common, add_data, constant, number, seed
from msvm_ref.commands.progress import Progress
from msvm_ref.errors import DataError

if TYPE_CHECKING:
    from msvm_ref.studies.approx import TradeOffPoint


def configure(parser: argparse.ArgumentParser) -> None:
    add_data(parser, nargs="?", default="vehicle")
    parser.add_argument("--C", type=constant, default=100.0, help="constant of the loss")
    parser.add_argument(
        "--kernel",
        type=kernel,
        default="rbf",
        help="rbf[:GAMMA] or poly:DEGREE[:GAMMA[:COEF0]], on standardized features",
    )
    halvings = number("a whole number from 0 to 30", 0, 30, whole=True)
    parser.add_argument(
        "--halvings", type=halvings, default=6, metavar="N", help="ranks n, n/2, ... n/2^N"
    )
    parser.add_argument(
        "--test",
        type=number("strictly between 0 and 1", 0.0, 1.0),
        default=0.5,
        metavar="SHARE",
        help="share of the examples kept for testing",
    )
    parser.add_argument("--seed", type=seed, default=0, help="of the split")
    parser.add_argument("--plot", metavar="OUT.png", help="draw the trade-off")
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    check_report(options)
    check_plot(options.plot)
    import numpy as np

    from msvm_ref.datasets.tables import read_table
    from msvm_ref.studies.approx import KINDS, trade_off

    table = read_table(options.data, options.target)
    X, y = table.X, np.asarray(table.y)
    train, test = _split(len(y), options.test, options.seed)
    mean, scale = X[train].mean(axis=0), X[train].std(axis=0)
    X = (X - mean) / np.where(scale > 0, scale, 1.0)
    chosen = options.kernel.of(X[train])
    with Progress("approx", len(KINDS) * (options.halvings + 1) + 1, options.quiet) as bar:
        points = trade_off(
            X[train], y[train], X[test], y[test], chosen, options.C, options.halvings, step=bar.step
        )
    title = (
        f"{table.title}: {len(train)} to train, {len(test)} to test, {chosen}, C = {options.C:g}"
    )
    data = {"title": title, "points": [p.to_dict() for p in points]}
    emit(options, title, "\n".join([title, *table_of(points)]), data)
    if options.plot is not None:
        from msvm_ref.studies.approx_figure import approx_figure

        with whole_file(options.plot) as name:
            approx_figure(points, title, name)
        remark(options, f"figure: {options.plot}")
    return OK


def table_of(points: list[TradeOffPoint]) -> list[str]:
    """One line a training, 80 columns."""
    head = (
        f"{'basis':<20} {'rank':>5} {'lost of tr K':>12} {'CPU s':>8} {'steps':>6} "
        f"{'test error':>10} {'gap':>7}"
    )
    return [
        head,
        *(
            f"{p.kind:<20} {p.rank:>5} {100 * p.trace_error:>10.2g} % {p.seconds:>8.3f} "
            f"{p.iterations:>6} {100 * p.test_error:>8.1f} % {p.relative_gap:>7.0e}"
            for p in points
        ),
    ]


def _split(n: int, share: float, start: int) -> tuple[Any, Any]:
    import numpy as np

    order = np.random.default_rng(start).permutation(n)
    kept = n - round(share * n)
    if not 0 < kept < n:
        raise DataError("--test", "leave examples on both sides", f"{n} examples at {share:g}")
    return order[:kept], order[kept:]
