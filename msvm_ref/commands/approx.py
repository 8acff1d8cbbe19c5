"""``msvm-ref approx``: accuracy against training time of low-rank representations (ZDO Fig. 1.1), as a table and a picture."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import numpy as np

from msvm_ref.commands.fisher import drawable
from msvm_ref.commands.progress import Progress
from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.model.kernels import rbf
from msvm_ref.studies.approx import KINDS, TradeOffPoint, trade_off

OK, USAGE = 0, 2


def add_commands(subparsers: Any) -> None:
    approx = subparsers.add_parser(
        "approx",
        help="accuracy against time of low-rank representations (ZDO Fig. 1.1)",
        description="Train the softmax machine on all, half, a quarter, ... of a kernel's rank.",
    )
    approx.add_argument(
        "data",
        nargs="?",
        default="vehicle",
        help="iris, wine, digits, glass, thyroid, vowel, vehicle (default), or a CSV or .npz file",
    )
    approx.add_argument("--target", metavar="COLUMN", help="name of a CSV's label column")
    approx.add_argument("--C", type=float, default=100.0)
    approx.add_argument(
        "--gamma",
        type=float,
        help="of the rbf kernel on standardized features (default 1/features)",
    )
    approx.add_argument(
        "--halvings", type=int, default=6, metavar="N", help="ranks n, n/2, ... n/2^N (default 6)"
    )
    approx.add_argument(
        "--test",
        type=float,
        default=0.5,
        metavar="SHARE",
        help="share of the examples kept for testing",
    )
    approx.add_argument("--seed", type=int, default=0, help="of the split")
    approx.add_argument("--plot", metavar="OUT.png", help="draw the trade-off")
    approx.add_argument("--json", action="store_true")
    approx.set_defaults(handler=run_approx)


def run_approx(args: argparse.Namespace) -> int:
    if args.plot is not None and not drawable(args.plot):
        return USAGE
    if not 0 < args.test < 1:
        raise DataError("--test", "lie strictly between 0 and 1", f"{args.test:g}")
    X, y = _load(args.data, args.target)
    train, test = _split(len(y), args.test, args.seed)
    mean, scale = X[train].mean(axis=0), X[train].std(axis=0)
    X = (X - mean) / np.where(scale > 0, scale, 1.0)
    kernel = rbf(1.0 / X.shape[1] if args.gamma is None else args.gamma)
    with Progress("approx", len(KINDS) * (args.halvings + 1) + 1) as bar:
        points = trade_off(
            X[train], y[train], X[test], y[test], kernel, args.C, args.halvings, step=bar.step
        )
    title = f"{args.data}: {len(train)} to train, {len(test)} to test, {kernel}, C = {args.C:g}"
    if args.json:
        print(json.dumps({"title": title, "points": [p.to_dict() for p in points]}))
    else:
        print("\n".join([title, *table(points)]))
    if args.plot:
        from msvm_ref.studies.approx_figure import approx_figure

        approx_figure(points, title, args.plot)
        print(f"figure: {args.plot}", file=sys.stderr)
    return OK


def table(points: list[TradeOffPoint]) -> list[str]:
    """One line a training."""
    head = f"{'basis':<20} {'rank':>6} {'lost of tr K':>13} {'CPU s':>9} {'iterations':>10} {'test error':>11} {'gap':>8}"
    return [
        head,
        *(
            f"{p.kind:<20} {p.rank:>6} {100 * p.trace_error:>11.2g} % {p.seconds:>9.3f} {p.iterations:>10} "
            f"{100 * p.test_error:>9.1f} % {p.relative_gap:>8.0e}"
            for p in points
        ),
    ]


def _load(name: str, target: str | None) -> tuple[Array, Any]:
    from msvm_ref.datasets import NAMES, load
    from msvm_ref.datasets.tables import read_table

    if name in NAMES:
        data = load(name)
        return np.array(data.X), np.array(data.y)
    X, y = read_table(name, target)
    return X, np.asarray(y)


def _split(n: int, share: float, seed: int) -> tuple[Any, Any]:
    order = np.random.default_rng(seed).permutation(n)
    kept = n - round(share * n)
    if not 0 < kept < n:
        raise DataError("--test", "leave examples on both sides", f"{n} examples at {share:g}")
    return order[:kept], order[kept:]
