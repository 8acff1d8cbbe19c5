"""``msvm-ref demo``: the optimum of ten machines on iris by three independent routes, then scikit-learn before the judge."""

from __future__ import annotations

import argparse

from msvm_ref.commands.output import check_report, emit
from msvm_ref.commands.parser import OK, VERDICT, add_common
from msvm_ref.commands.progress import Progress


def configure(parser: argparse.ArgumentParser) -> None:
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    from msvm_ref.studies.demo import demo, steps

    check_report(options)
    with Progress("demo", steps(), options.quiet) as bar:
        result = demo(bar.step)
    emit(options, "Ten machines on iris", str(result), result.to_dict())
    return OK if result.agree else VERDICT
