"""fit and predict at the shell: the model reloads exactly, its certificate is recomputed, and tampering shows."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.cli import main
from msvm_ref.datasets.tables import read_points, read_table
from msvm_ref.estimator.model_file import digest
from msvm_ref.estimator.saved import MOST_CLASSES, SavedModel
from msvm_ref.judge.certificate import Certificate
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
    good, certificate, faults = model.verify()
    assert good
    assert faults == ()
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


def rewritten(path, change, signed=True) -> None:
    """The model file after ``change``, with the digest of what it then holds unless it is left as it was."""
    record = json.loads(Path(path).read_text())
    change(record)
    if signed:
        record["sha256"] = digest(record)
    Path(path).write_text(json.dumps(record))


def swapped(values, i=0, j=1) -> None:
    values[i], values[j] = values[j], values[i]


def claim(**fields):
    return lambda record: record["certificate"].update(
        {name: change(record["certificate"][name]) for name, change in fields.items()}
    )


FORGERIES = {
    "W": lambda r: r["W"][0].__setitem__(0, r["W"][0][0] + 0.1),
    "rows of W": lambda r: swapped(r["W"]),
    "alpha": lambda r: r["alpha"].__setitem__(0, [2.0, 2.0, 2.0]),
    "b": lambda r: swapped(r["b"]),
    "y": lambda r: swapped(r["train"]["y"], 0, -1),
    "X": lambda r: r["train"]["X"][0].__setitem__(0, r["train"]["X"][0][0] + 1.0),
    "C": lambda r: r.update(C=2.0),
    "bias": lambda r: r.update(bias="free"),
    "cost": lambda r: r.update(cost="quadratic"),
    "machine": lambda r: r.update(machine="CS"),
    "weights": lambda r: r["train"].update(sample_weight=[2.0] * len(r["train"]["y"])),
    "tolerance": lambda r: r.update(tolerance=1e-15),
    "labels": lambda r: swapped(r["labels"]),
    "enclosure": claim(lower=lambda v: v * (1 + 1e-11), upper=lambda v: v * (1 + 1e-11)),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_model_is_found_out_by_recomputation(train, capsys, what):
    """The digest is that of the forgery: whoever can write a file can compute it."""
    path = fit(train)
    rewritten(path, FORGERIES[what])
    status = main(["predict", path, "--verify"])
    said = capsys.readouterr().err
    assert (status, "NOT borne out" in said) in ((1, True), (2, False)), said
    assert "is borne out" not in said


@pytest.mark.parametrize("what", [*FORGERIES, "features", "method", "msvm_ref"])
def test_whatever_is_altered_the_digest_shows(train, capsys, what):
    others = {
        "features": lambda r: swapped(r["features"]),
        "method": lambda r: r.update(method="by hand"),
        "msvm_ref": lambda r: r.update(msvm_ref="9.9"),
    }
    path = fit(train)
    rewritten(path, (FORGERIES | others)[what], signed=False)
    for line in (["predict", path, "--verify"], ["predict", path, str(train)]):
        assert main(line) == 2
        assert "altered after it was saved" in capsys.readouterr().err


def claims_of_a_model():
    fitted = mr.MulticlassSVC("WW", tol=1e-6, method="primal").fit(X, Y)
    return SavedModel.of(fitted.solution_, fitted.classes_, fitted.tol).to_dict()["certificate"]


def falsified(value):
    if isinstance(value, bool) or value is None:
        return 0.25 if value is None else not value
    if isinstance(value, dict):
        return {name: not verdict for name, verdict in value.items()}
    return value + "!" if isinstance(value, str) else value / 2 + 1e-9


@pytest.mark.parametrize("name", claims_of_a_model())
def test_no_field_of_the_certificate_is_believed(train, capsys, name):
    """Neither alone nor, for a field that others follow from, with the others made to fit."""
    path = fit(train, "--method", "primal")
    rewritten(path, claim(**{name: falsified}))
    assert main(["predict", path, "--verify"]) in (1, 2)
    assert "is borne out" not in capsys.readouterr().err
    if name not in {f.name for f in dataclasses.fields(Certificate)}:
        return

    def consistent(record):
        values = record["certificate"]
        chosen = {f.name: values[f.name] for f in dataclasses.fields(Certificate)}
        record["certificate"] = Certificate(**chosen).to_dict()

    rewritten(path, consistent)
    assert main(["predict", path, "--verify"]) == 1
    assert f"NOT borne out: {name} is " in capsys.readouterr().err


@pytest.mark.parametrize("method", ["primal", "dual"])
def test_verification_prints_the_statement_it_is_about(train, capsys, method):
    """Names of columns are part of the statement: another naming is another statement, under another digest."""
    path = fit(train, "--method", method)
    told = capsys.readouterr().out.split("sha256 ")[1].strip()
    assert main(["predict", path, "--verify", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["statement"] in printed.err
    assert f"sha256 {told}" in printed.err
    assert "features: 'a', 'b', 'c'" in printed.err
    for label in LABELS:
        assert f"{label!r} ({list(np.array(LABELS)[Y]).count(label)})" in printed.err
    rewritten(path, lambda r: swapped(r["features"]))
    assert main(["predict", path, "--verify"]) == 0
    printed = capsys.readouterr().err
    assert "features: 'b', 'a', 'c'" in printed
    assert told not in printed


@pytest.mark.parametrize("bias", ["penalized", "free"])
def test_a_model_of_many_labels_is_refused_before_the_work(train, capsys, bias):
    """Eight kilobytes with 400 labels once kept the judge busy for minutes; labelling points costs what it costs."""
    path = fit(train)
    many = [f"l{k}" for k in range(400)]

    def grown(record):
        record["labels"], record["W"], record["b"] = many, [[0.0] * 400] * 3, [0.0] * 400
        record["train"].update(X=[[0.0] * 3], y=["l7"], sample_weight=None)
        record["alpha"], record["bias"] = [[0.0] * 400], bias

    rewritten(path, grown)
    assert main(["predict", path, "--verify"]) == 2
    assert f"at most {MOST_CLASSES[bias]} to be judged again" in capsys.readouterr().err
    np.savez(train.parent / "new.npz", X=X)
    assert main(["predict", path, str(train.parent / "new.npz")]) == 0


def test_work_is_estimated_before_it_is_done(train, monkeypatch, capsys):
    path = fit(train, "--kernel", "rbf:0.5")
    monkeypatch.setattr("msvm_ref.estimator.saved.MOST_WORK", 100)
    assert main(["predict", path, "--verify"]) == 2
    assert "to be judged again" in capsys.readouterr().err


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
        lambda r: r.update(format="msvm-ref model 1"),
        lambda r: r.update(extra=1),
        lambda r: r.update(W=[[1.0]]),
        lambda r: r.update(W=[[10**400] * 3] * 3),
        lambda r: r.update(W="abc"),
        lambda r: r.update(kernel={}),
        lambda r: r.update(kernel={"name": "rbf"}),
        lambda r: r.update(kernel={"name": "rbf", "gamma": []}, coef=r.pop("W")),
        lambda r: r.update(
            kernel={"name": "polynomial", "degree": 10**9, "gamma": 1, "coef0": 1}, coef=r.pop("W")
        ),
        lambda r: r.update(machine="SVM"),
        lambda r: r.update(machine=None),
        lambda r: r.update(machine="RM(1e999999999)"),
        lambda r: r.update(cost=["linear"]),
        lambda r: r.update(labels=["ant"]),
        lambda r: r.update(labels={"ant": 1, "bee": 2, "cat": 3}),
        lambda r: r.update(b=[0.0, None, 0.0]),
        lambda r: r["train"].update(X=[["x"]]),
        lambda r: r["train"].update(X={}),
        lambda r: r["train"].update(y=[[]] * 15),
        lambda r: r["train"].update(y="ant"),
        lambda r: r["train"].update(sample_weight="1"),
        lambda r: r["train"].pop("y"),
        lambda r: r.update(train=None),
        lambda r: r.update(kernel=3),
        lambda r: r["certificate"].pop("lower"),
        lambda r: r["certificate"].update(lower=[]),
        lambda r: r["certificate"].update(lower=10**400),
        lambda r: r["certificate"].update(upper="many"),
        lambda r: r.update(certificate=None),
        lambda r: r.update(C=-1.0),
        lambda r: r.update(C=10**400),
        lambda r: r.update(C="1"),
        lambda r: r.update(bias=[]),
        lambda r: r.update(kernel={"name": "os.system"}),
        lambda r: r.update(kernel={"name": ["linear"]}),
        lambda r: r.update(labels=["ant", "ant", "bee"]),
        lambda r: r.update(labels=[["ant"], {}, None]),
        lambda r: r.update(features=["a"]),
        lambda r: r.update(features=[1, 2, 3]),
        lambda r: r.update(tolerance=1e9),
        lambda r: r.update(tolerance=10**400),
        lambda r: r.update(tolerance=None),
        lambda r: r.update(method=3),
        lambda r: r.update(msvm_ref="\x1b[31m"),
    ],
)
def test_a_broken_model_gets_a_typed_error(train, capsys, change):
    path = fit(train)
    rewritten(path, change)
    capsys.readouterr()
    assert main(["predict", path, str(train)]) == 2
    assert "Error" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["", "[" * 10**5, '{"format": NaN}', '{"a": 1, "a": 2}', "9" * 5000, "\ud800"]
)
def test_texts_that_are_no_model(tmp_path, capsys, text):
    path = tmp_path / "model.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert main(["predict", str(path), "--verify"]) == 2
    assert "DataError" in capsys.readouterr().err


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
