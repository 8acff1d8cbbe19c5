"""``msvm-ref circle``: the circle problems of the Unified View's section 3.3, nine machines against Bayes."""

from __future__ import annotations

import argparse
from pathlib import Path

from msvm_ref.commands.output import check_plot, check_report, emit, remark, whole_file
from msvm_ref.commands.parser import OK, add_common, count
from msvm_ref.commands.progress import Progress


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--variant", choices=("noiseless", "noisy", "both"), default="both")
    parser.add_argument("--seeds", type=count, default=10, metavar="N", help="samples per cell")
    parser.add_argument(
        "--plot", metavar="OUT.png", help="draw the paper's figures; two files for both variants"
    )
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    check_report(options)
    check_plot(options.plot)
    from msvm_ref.studies.circle import EXPONENTS, MACHINES, Variant, circle_study
    from msvm_ref.studies.readings import readings

    both: list[Variant] = ["noiseless", "noisy"]
    variants = both if options.variant == "both" else [options.variant]
    total = sum(len(MACHINES) * len(EXPONENTS[v]) * options.seeds for v in variants)
    with Progress("circle", total, options.quiet) as bar:
        studies = [circle_study(v, range(options.seeds), progress=bar.step) for v in variants]
    checked = readings(studies)
    text = "\n\n".join(map(str, studies))
    text += "\n\nwhat UV reads off its figures, and whether these samples show it\n"
    data = {"studies": [s.to_dict() for s in studies], "readings": [r.to_dict() for r in checked]}
    emit(options, "The circle problems", text + "\n".join(map(str, checked)), data)
    if options.plot is not None:
        from msvm_ref.studies.plots import circle_figure

        for study in studies:
            path = Path(options.plot)
            if len(studies) > 1:
                path = path.with_stem(f"{path.stem}-{study.variant}")
            with whole_file(path) as name:
                circle_figure(study, name)
            remark(options, f"figure: {path}")
    return OK
