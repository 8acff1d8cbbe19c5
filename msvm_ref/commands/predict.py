"""``msvm-ref predict``: labels of new points by a saved model, one a line; with --verify the model is judged again first."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from msvm_ref.commands.inputs import read_model
from msvm_ref.commands.output import check_report, emit, remark
from msvm_ref.commands.parser import OK, VERDICT, add_common
from msvm_ref.errors import DataError

if TYPE_CHECKING:
    from msvm_ref.estimator.saved import SavedModel


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="what fit --save or solve --json wrote; - for standard input")
    parser.add_argument(
        "data",
        nargs="?",
        help="points without labels in any form solve takes; columns by name where there are names",
    )
    parser.add_argument(
        "--score", action="store_true", help="the data have labels, as the training data had"
    )
    parser.add_argument("--target", metavar="COLUMN", help="name of the label column, with --score")
    parser.add_argument(
        "--verify", action="store_true", help="judge the saved solution again first"
    )
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    check_report(options)
    if options.data is None and not options.verify:
        raise DataError(
            "data",
            "be given",
            "nothing",
            "pass points to label, or --verify to judge the model alone",
        )
    model = read_model(options.model)
    data: dict[str, Any] = {}
    borne_out = True
    if options.verify:
        borne_out, certificate, faults = model.verify()
        data["verified"], data["faults"] = borne_out, list(faults)
        data["statement"], data["certificate"] = model.statement, certificate.to_dict()
        word = "borne out" if borne_out else f"NOT borne out: {'; '.join(faults)}"
        about = f"the file states\n{model.statement}\nof which, recomputed from its examples,"
        remark(options, f"{about}\n{certificate}\nthe saved certificate is {word}")
    if options.data is not None:
        data |= _labelled(model, options)
    emit(options, "Predictions", "\n".join(map(str, data.get("labels", ()))), data)
    if "accuracy" in data:
        remark(options, f"accuracy {100 * data['accuracy']:.2f} % of {len(data['labels'])}")
    return OK if borne_out else VERDICT


def _labelled(model: SavedModel, options: argparse.Namespace) -> dict[str, Any]:
    from msvm_ref.datasets.tables import columns_named, read_points, read_table

    known, features = None, None if model.features is None else list(model.features)
    if options.score:
        table = read_table(options.data, options.target)
        X, known = table.X, table.y
        if table.names is not None and features is not None:
            X = X[:, columns_named(table.title, table.names, features)]
    else:
        X = read_points(options.data, model.problem.X.shape[1], features)
    labels = [model.labels[code] for code in model.predict_codes(X)]
    data: dict[str, Any] = {"labels": labels, "scores": model.decision_function(X).tolist()}
    if known is not None:
        right = sum(a == b or str(a) == str(b) for a, b in zip(labels, known, strict=True))
        data["accuracy"] = right / len(labels)
    return data
