"""fit and predict at the shell: the model reloads exactly, its certificate is recomputed, and tampering shows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.cli import main
from msvm_ref.datasets.tables import read_points, read_table
from msvm_ref.estimator.saved import SavedModel
from tests.small_problems import blobs

X, Y = blobs(3)
LABELS = ["ant", "bee", "cat"]


@pytest.fixture
def train(tmp_path):
    path = tmp_path / "train.csv"
    rows = ["a,b,c,species"] + [
        ",".join([*map(repr, map(float, x)), LABELS[y]]) for x, y in zip(X, Y, strict=True)
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


def fit(train, *options) -> str:
    model = str(train.parent / "model.json")
    assert main(["fit", str(train), "--save", model, *options]) == 0
    return model


@pytest.mark.parametrize(
    "options",
    [
        ("--machine", "WW"),
        ("--machine", "RM(1/4)", "--kernel", "rbf:0.3", "--bias", "free"),
        (
            "--machine",
            "CS",
            "--kernel",
            "polynomial:2:0.3:0.7",
            "--cost",
            "quadratic",
            "--bias",
            "none",
        ),
        ("--machine", "OVA", "--kernel", "rbf", "--C", "0.3"),
    ],
    ids=" ".join,
)
def test_a_model_reloads_exactly_and_is_verified(train, capsys, options):
    path = fit(train, *options)
    model = SavedModel.load(path)
    again = path + ".again"
    model.save(again)
    assert Path(again).read_text() == Path(path).read_text()
    good, certificate = model.verify()
    assert good
    assert (certificate.lower, certificate.upper) == (
        model.claimed["lower"],
        model.claimed["upper"],
    )
    assert certificate.relative_gap <= 1e-6
    capsys.readouterr()
    assert main(["predict", path, str(train), "--score", "--json", "--verify"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["verified"]
    assert out["accuracy"] == np.mean(np.array(out["labels"]) == np.array(LABELS)[Y])
    assert np.array_equal(out["scores"], model.decision_function(X))


def test_the_model_is_the_estimator(train):
    fitted = mr.MulticlassSVC("LLW", kernel="rbf", bias="free").fit(X, Y)
    model = SavedModel.of(fitted.solution_, fitted.classes_, fitted.tol)
    assert np.array_equal(model.decision_function(X), fitted.decision_function(X))
    model.save(str(train) + ".json")
    loaded = SavedModel.load(str(train) + ".json")
    assert np.array_equal(loaded.decision_function(X), fitted.decision_function(X))
    assert loaded.labels == (0, 1, 2)


def tampered(record: dict, what: str) -> None:
    if what == "W":
        record["W"][0][0] += 0.1
    elif what == "alpha":
        record["alpha"][0] = [2.0, 2.0, 2.0]
    elif what == "y":
        record["train"]["y"][0] = 2 - record["train"]["y"][0]
    elif what == "X":
        record["train"]["X"][0][0] += 1.0
    elif what == "C":
        record["C"] = 2.0
    elif what == "bias":
        record["bias"] = "free"
    elif what == "machine":
        record["machine"] = "CS"
    elif what == "claim":
        record["certificate"]["lower"] *= 1.001
        record["certificate"]["upper"] *= 1.001
    elif what == "weights":
        record["train"]["sample_weight"] = [2.0] * len(record["train"]["y"])


@pytest.mark.parametrize(
    "what", ["W", "alpha", "y", "X", "C", "bias", "machine", "claim", "weights"]
)
def test_a_model_that_was_tampered_with_is_found_out(train, capsys, what):
    path = fit(train)
    record = json.loads(Path(path).read_text())
    tampered(record, what)
    Path(path).write_text(json.dumps(record))
    assert main(["predict", path, "--verify"]) == 1
    assert "NOT borne out" in capsys.readouterr().err


def test_predict_finds_columns_by_name(train, tmp_path, capsys):
    path = fit(train)
    expected = [LABELS[c] for c in SavedModel.load(path).predict_codes(X)]
    shuffled = tmp_path / "new.csv"
    shuffled.write_text(
        "c,id,a,b\n"
        + "".join(f"{x[2]!r},x{i},{x[0]!r},{x[1]!r}\n" for i, x in enumerate(X.tolist()))
    )
    plain = tmp_path / "plain.csv"
    plain.write_text("".join(",".join(map(repr, x)) + "\n" for x in X.tolist()))
    np.savez(tmp_path / "new.npz", X=X)
    for file in (shuffled, plain, tmp_path / "new.npz", train):
        capsys.readouterr()
        assert main(["predict", path, str(file)]) == 0
        assert capsys.readouterr().out.split() == expected
    assert read_table(str(train)).names == ["a", "b", "c"]
    assert read_table(str(plain)).names is None


def test_score_finds_columns_by_name_too(train, tmp_path, capsys):
    path = fit(train)
    expected = SavedModel.load(path).predict_codes(X)
    right = np.mean(expected == Y)
    moved = tmp_path / "moved.csv"
    moved.write_text(
        "c,species,a,b\n"
        + "".join(
            f"{x[2]!r},{LABELS[y]},{x[0]!r},{x[1]!r}\n" for x, y in zip(X.tolist(), Y, strict=True)
        )
    )
    capsys.readouterr()
    assert main(["predict", path, str(moved), "--score", "--target", "species", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["accuracy"] == right
    assert out["labels"] == [LABELS[c] for c in expected]
    moved.write_text("a,b,species\n1,2,ant\n")
    assert main(["predict", path, str(moved), "--score"]) == 2


def test_columns_of_one_name_are_refused(train, tmp_path, capsys):
    path = fit(train)
    twice = tmp_path / "twice.csv"
    twice.write_text("a,b,c,b\n1,2,3,4\n")
    assert main(["predict", path, str(twice)]) == 2
    twice.write_text("a,a,species\n1,2,ant\n3,1,bee\n")
    assert main(["fit", str(twice), "--save", str(tmp_path / "m.json")]) == 2
    assert "each once" in capsys.readouterr().err


def test_labels_score_by_value(tmp_path, capsys):
    numbers, floats = tmp_path / "numbers.csv", tmp_path / "floats.npz"
    np.savez(floats, X=X, y=Y.astype(float))
    numbers.write_text(
        "".join(",".join(map(repr, x)) + f",{y}\n" for x, y in zip(X.tolist(), Y, strict=True))
    )
    assert main(["fit", str(floats), "--save", str(tmp_path / "m.json")]) == 0
    accuracies = []
    for file in (floats, numbers):
        capsys.readouterr()
        assert main(["predict", str(tmp_path / "m.json"), str(file), "--score", "--json"]) == 0
        accuracies.append(json.loads(capsys.readouterr().out)["accuracy"])
    assert accuracies[0] == accuracies[1] > 0.3


@pytest.mark.parametrize(
    ("data", "labels"),
    [
        (X[:, 0], Y),
        (X, Y[:-1]),
        (X.astype(str), Y),
        (X, np.column_stack([Y, Y])),
        (1j * X, Y),
        (X * np.inf, Y),
        (X, X[:, 0]),
    ],
    ids=["one axis", "a label short", "text", "two labels", "complex", "infinite", "continuous"],
)
def test_tables_that_cannot_be_fitted_end_with_2(tmp_path, capsys, data, labels):
    file = str(tmp_path / "bad.npz")
    np.savez(file, X=data, y=labels)
    assert main(["fit", file, "--save", str(tmp_path / "m.json")]) == 2
    assert "DataError" in capsys.readouterr().err
    assert not (tmp_path / "m.json").exists()


def test_a_missing_value_is_named_by_its_line(tmp_path, capsys):
    file = tmp_path / "nan.csv"
    file.write_text("a,l\n1,x\nnan,y\n")
    for command in (
        ["fit", str(file), "--save", str(tmp_path / "m.json")],
        ["approx", str(file)],
        ["compare", str(file)],
    ):
        assert main(command) == 2
        assert "line 3 must have finite features" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("a,b\n1,2\n", "none named 'c'"),
        ("1,2\n", "3 columns"),
        ("1,2,3,4\n", "3 columns"),
        ("a,b,c\n1,2\n", "3 columns"),
        ("a,b,c\n1,2,x\n", "numeric"),
        ("", "at least one row"),
        ("a,b,c\n1,2,nan\n", "finite"),
    ],
)
def test_points_that_do_not_fit_are_refused(train, tmp_path, capsys, content, match):
    path = fit(train)
    file = tmp_path / "bad.csv"
    file.write_text(content)
    capsys.readouterr()
    assert main(["predict", path, str(file)]) == 2
    assert match in capsys.readouterr().err


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.pop("alpha"),
        lambda r: r.update(format="other"),
        lambda r: r.update(W=[[1.0]]),
        lambda r: r.update(kernel={}),
        lambda r: r.update(kernel={"name": "rbf"}),
        lambda r: r.update(machine="SVM"),
        lambda r: r.update(labels=["ant"]),
        lambda r: r.update(b=[0.0, float("nan"), 0.0]),
        lambda r: r["train"].update(X=[["x"]]),
        lambda r: r.update(kernel=3),
        lambda r: r["certificate"].pop("lower"),
        lambda r: r.update(C=-1.0),
        lambda r: r.update(kernel={"name": "os.system"}),
        lambda r: r.update(labels=["ant", "ant", "bee"]),
        lambda r: r.update(labels=[["ant"], {}, None]),
        lambda r: r.update(features=["a"]),
        lambda r: r.update(tolerance=1e9),
    ],
)
def test_a_broken_model_gets_a_typed_error(train, capsys, change):
    path = fit(train)
    record = json.loads(Path(path).read_text())
    change(record)
    Path(path).write_text(json.dumps(record))
    capsys.readouterr()
    assert main(["predict", path, str(train)]) == 2
    assert "Error" in capsys.readouterr().err


def test_other_refusals(train, tmp_path, capsys):
    (tmp_path / "no.json").write_text("[1, 2")
    for arguments in (
        ["predict", str(tmp_path / "no.json"), str(train)],
        ["predict", str(tmp_path / "none.json"), "x"],
        ["predict", fit(train)],
        ["fit", str(train), "--save", str(tmp_path / "no" / "m.json")],
        ["fit", str(train), "--save", "m.json", "--machine", "SVM"],
        ["predict", fit(train), str(tmp_path / "none.csv")],
    ):
        assert main(arguments) == 2
    mine = mr.Machine("mine", margin=mr.ABSOLUTE, aggregation=mr.TOTAL_MAX)
    for estimator in (mr.MulticlassSVC(mine), mr.MulticlassSVC(kernel=lambda a, b: a @ b.T)):
        fitted = estimator.fit(X, Y)
        with pytest.raises(mr.MsvmError):
            SavedModel.of(fitted.solution_, fitted.classes_, 1e-6)
    impostor = mr.Machine("WW", margin=mr.ABSOLUTE, aggregation=mr.TOTAL_MAX)
    with pytest.raises(mr.DataError, match="catalogue"):
        SavedModel.of(mr.solve(mr.Problem(impostor, X, Y)), LABELS, 1e-6)
    assert read_points(str(train), 3, ["a", "b", "c"]).shape == X.shape


def test_what_is_not_certified_is_saved_but_told(train, capsys):
    model = str(train.parent / "model.json")
    assert main(["fit", str(train), "--save", model, "--tolerance", "1e-17", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["certificate"]["relative_gap"] > 1e-17
    assert main(["predict", model, "--verify"]) == 1
