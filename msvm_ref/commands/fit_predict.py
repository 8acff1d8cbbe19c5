"""The shell's ``fit`` and ``predict``: a JSON model that carries its certificate. Exit status 0 ok, 1 verdict, 2 usage."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

from msvm_ref.errors import DataError, MsvmError
from msvm_ref.estimator.saved import SavedModel
from msvm_ref.solvers.methods import METHODS

OK, VERDICT = 0, 1


def add_commands(subparsers: Any) -> None:
    fit = subparsers.add_parser(
        "fit", help="train a machine on a CSV or .npz file and save it as certified JSON"
    )
    fit.add_argument(
        "file", help="CSV (label in the last column, or --target) or .npz (arrays X, y)"
    )
    fit.add_argument(
        "--machine", default="WW", help="WW, CS, LLW, MMR, MMR_ORTHO, RM(1/2), OVA, AMO, ATM, ATS"
    )
    fit.add_argument("--C", type=float, default=1.0)
    fit.add_argument(
        "--kernel",
        default="linear",
        help="linear, rbf, rbf:GAMMA or polynomial:DEGREE[:GAMMA[:COEF0]]; "
        "rbf alone takes gamma = 1 / (features x variance)",
    )
    fit.add_argument("--bias", default="penalized", choices=("none", "free", "penalized"))
    fit.add_argument("--cost", default="linear", choices=("linear", "quadratic"))
    fit.add_argument("--method", default="auto", choices=tuple(METHODS))
    fit.add_argument(
        "--tolerance", type=float, default=1e-6, help="certified relative gap (default 1e-6)"
    )
    fit.add_argument("--target", metavar="COLUMN", help="name of the CSV's label column")
    fit.add_argument("--save", metavar="MODEL.json", required=True)
    fit.add_argument("--json", action="store_true", help="the certificate as JSON")
    fit.set_defaults(handler=run_fit)
    predict = subparsers.add_parser(
        "predict", help="labels of new points by a saved model, one per line"
    )
    predict.add_argument("model", help="what fit saved")
    predict.add_argument(
        "file",
        nargs="?",
        help="CSV or .npz of points without labels; columns by name where there are names",
    )
    predict.add_argument(
        "--score", action="store_true", help="the file has labels, as the training file had"
    )
    predict.add_argument(
        "--target", metavar="COLUMN", help="name of the label column, with --score"
    )
    predict.add_argument(
        "--verify", action="store_true", help="judge the saved solution again first"
    )
    predict.add_argument(
        "--json", action="store_true", help="labels, scores and what was asked for as JSON"
    )
    predict.set_defaults(handler=run_predict)


def run_fit(options: argparse.Namespace) -> int:
    from msvm_ref.commands.kernel_option import parse_kernel
    from msvm_ref.datasets.tables import columns_named, read_names, read_table
    from msvm_ref.estimator import MulticlassSVC

    X, y = read_table(options.file, options.target)
    names = read_names(options.file, options.target)
    if names is not None:
        columns_named(options.file, names, names)
    if not Path(options.save).resolve().parent.is_dir():
        raise DataError("--save", "be a file in a folder that exists", repr(options.save))
    kernel = options.kernel if options.kernel == "rbf" else parse_kernel(options.kernel)
    estimator = MulticlassSVC(
        options.machine,
        C=options.C,
        kernel=kernel,
        bias=options.bias,
        cost=options.cost,
        method=options.method,
        tol=options.tolerance,
    )
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # a gap that stayed open is told by the certificate and the exit status
        try:
            estimator.fit(X, y)
        except MsvmError:
            raise
        except (
            ValueError,
            TypeError,
        ) as error:  # scikit-learn's own refusals: labels that are no classes
            raise DataError(
                options.file, "hold examples of classes", str(error).splitlines()[0]
            ) from error
    model = SavedModel.of(estimator.solution_, estimator.classes_, options.tolerance, names)
    model.save(options.save)
    if options.json:
        print(
            json.dumps(
                {
                    "saved": options.save,
                    "method": model.method,
                    "labels": list(model.labels),
                    "support": len(estimator.support_),
                    "sha256": model.sha256,
                    "certificate": model.claimed,
                },
                indent=1,
            )
        )
    else:
        print(estimator.certificate_)
        print(
            f"method {model.method}, {len(estimator.support_)} support vectors, saved to {options.save}\n"
            f"sha256 {model.sha256}"
        )
    return OK if model.optimal else VERDICT


def run_predict(options: argparse.Namespace) -> int:
    if options.file is None and not options.verify:
        raise DataError(
            "file",
            "be given",
            "nothing",
            "pass points to label, or --verify to judge the model alone",
        )
    model = SavedModel.load(options.model)
    out: dict[str, Any] = {}
    good = True
    if options.verify:
        good, certificate, faults = model.verify()
        out["verified"], out["faults"] = good, list(faults)
        out["statement"], out["certificate"] = model.statement, certificate.to_dict()
        word = "borne out" if good else f"NOT borne out: {'; '.join(faults)}"
        about = f"the file states\n{model.statement}\nof which, recomputed from its examples,"
        print(f"{about}\n{certificate}\nthe saved certificate is {word}", file=sys.stderr)
    if options.file is not None:
        out |= _labelled(model, options)
    if options.json:
        print(json.dumps(out, indent=1))
    else:
        for label in out.get("labels", ()):
            print(label)
        if "accuracy" in out:
            print(
                f"accuracy {100 * out['accuracy']:.2f} % of {len(out['labels'])}", file=sys.stderr
            )
    return OK if good else VERDICT


def _labelled(model: SavedModel, options: argparse.Namespace) -> dict[str, Any]:
    from msvm_ref.datasets.tables import columns_named, read_names, read_points, read_table

    known, wanted = None, None if model.features is None else list(model.features)
    if options.score:
        X, known = read_table(options.file, options.target)
        names = read_names(options.file, options.target)
        if names is not None and wanted is not None:
            X = X[:, columns_named(options.file, names, wanted)]
    else:
        X = read_points(options.file, model.problem.X.shape[1], wanted)
    labels = [model.labels[code] for code in model.predict_codes(X)]
    out: dict[str, Any] = {"labels": labels, "scores": model.decision_function(X).tolist()}
    if known is not None:
        out["accuracy"] = sum(
            a == b or str(a) == str(b) for a, b in zip(labels, known, strict=True)
        ) / len(labels)
    return out
