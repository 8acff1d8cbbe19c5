"""Bad input in any form at any command: exit status 2, one line on standard error, nothing on standard output, no traceback."""

from __future__ import annotations

import io
import itertools
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from msvm_ref.cli import main
from msvm_ref.commands.listing import COMMANDS

TABLES = {
    "absent": None,
    "empty": b"",
    "blank lines": b"\n \n\n",
    "header only": b"a,b,label\n",
    "one column": b"1\n2\n3\n",
    "a word": b"hello\n",
    "ragged": b"a,b,l\n1,2,x\n1,y\n",
    "ragged at the end": b"1,2,x\n3,4,y\n5\n",
    "a word for a number": b"a,b,l\n1,red,x\n2,blue,y\n",
    "missing value": b"a,b,l\n1,,x\n2,3,y\n",
    "nan": b"a,b,l\n1,nan,x\n2,3,y\n",
    "infinite": b"a,b,l\n1,inf,x\n2,3,y\n",
    "1e400": b"a,b,l\n1,1e400,x\n2,3,y\n",
    "empty label": b"a,b,l\n1,2,\n2,3,y\n4,5,x\n",
    "one class": b"a,b,l\n1,2,x\n2,3,x\n3,5,x\n",
    "label first": b"x,1,2\ny,2,3\nx,3,4\n",
    "decimal commas": b"a;b;l\n1,5;2,5;x\n2,5;3,5;y\n",
    "underscores": b"a,b,l\n1_0,2,x\n2,3,y\n",
    "latin-1": "a,b,l\n1,2,caf\xe9\n2,3,y\n".encode("latin-1"),
    "utf-16": "a,b,l\n1,2,x\n".encode("utf-16"),
    "binary": bytes(range(256)),
    "half a zip": b"PK\x03\x04nonsense",
    "png": b"\x89PNG\r\n\x1a\n" + bytes(40),
    "unclosed quote": b'a,b,l\n"1,2,x\n2,3,y\n',
    "json": b'{"X": [[1, 2]], "y": [0]}',
    "too large": b"a,b,l\n1e200,2,x\n2,3,y\n1,1,x\n",
}
OF_A_TABLE = {
    "solve": ["solve", "TABLE"],
    "fit": ["fit", "TABLE", "--save", "out.json"],
    "compare": ["compare", "TABLE", "--folds", "2", "--kernel", "linear"],
    "approx": ["approx", "TABLE", "--halvings", "0"],
    "certify": ["certify", "TABLE", "answer.json"],
    "diagnose": ["diagnose", "answer.json", "--data", "TABLE"],
    "score": ["predict", "model.json", "TABLE", "--score"],
}
FINE = {
    ("too large", "approx"),
    ("too large", "compare"),
    ("too large", "score"),
    ("one class", "score"),
}
"""Standardized first, or only evaluated: large numbers and a single class are no error there."""
OF_POINTS = {"too large", "one class", "empty label"}

ANSWER = {"machine": "WW", "C": 1.0, "bias": "none", "W": [[1.0, -1.0], [0.0, 0.0]]}
CLAIM = {**ANSWER, "X": [[1.0, 2.0], [-1.0, 0.0]], "y": [0, 1]}
DEEP = "[" * 100_000
JSONS = {
    "absent": None,
    "empty": "",
    "half": '{"W": [[1',
    "a list": "[1, 2]",
    "a number": "3",
    "null": "null",
    "nested deeply": DEEP,
    "nothing in it": "{}",
    "no candidate": {k: v for k, v in CLAIM.items() if k != "W"},
    "W of text": {**CLAIM, "W": "many"},
    "W ragged": {**CLAIM, "W": [[1.0], [2.0, 3.0]]},
    "W transposed": {**CLAIM, "W": [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]},
    "W of nulls": {**CLAIM, "W": [[None, 1.0], [1.0, 2.0]]},
    "W not finite": json.dumps({**CLAIM, "W": [[float("nan"), 1.0], [1.0, 2.0]]}),
    "unknown machine": {**CLAIM, "machine": "SVM"},
    "machine of numbers": {**CLAIM, "machine": 3},
    "C negative": {**CLAIM, "C": -1},
    "C text": {**CLAIM, "C": "1"},
    "C infinite": json.dumps({**CLAIM, "C": float("inf")}),
    "unknown bias": {**CLAIM, "bias": "some"},
    "bias not said": {**{k: v for k, v in CLAIM.items() if k != "bias"}, "b": [1.0, -1.0]},
    "unknown kernel": {**CLAIM, "kernel": "sigmoid"},
    "kernel of nothing": {**CLAIM, "kernel": {}},
    "unknown cost": {**CLAIM, "cost": "cubic"},
    "X ragged": {**CLAIM, "X": [[1.0], [2.0, 3.0]]},
    "X of text": {**CLAIM, "X": [["a", "b"], ["c", "d"]]},
    "y too short": {**CLAIM, "y": [0]},
    "y of lists": {**CLAIM, "y": [[0], [1]]},
    "one class": {**CLAIM, "y": [0, 0]},
    "weights negative": {**CLAIM, "sample_weight": [1.0, -1.0]},
    "data absent": {**ANSWER, "data": "no-such-file.csv"},
    "a model of nothing": {"format": "msvm-ref model 1"},
    "a report of nothing": {"solvers": []},
    "a report of something": {"solvers": 3},
}
OF_A_JSON = {
    "diagnose": ["diagnose", "JSON"],
    "certify": ["certify", "JSON"],
    "predict": ["predict", "JSON", "iris"],
}
OPTIONS = [
    [],
    ["nonsense"],
    ["--nonsense"],
    ["valdate", "sklearn"],
    *([name, "--nonsense"] for name in COMMANDS),
    *(["solve", "iris", *o] for o in (
        ["--C", "-1"], ["--C", "0"], ["--C", "nan"], ["--C", "inf"], ["--C", "x"], ["--C", "1e200"],
        ["--kernel", "polynomial:2.5"], ["--kernel", "poly:0"], ["--kernel", "rbf:0"], ["--kernel", "rbf:x"],
        ["--kernel", ""], ["--kernel", "rbf:1:2"], ["--kernel", "poly:2:1:-1"], ["--machine", "WV"],
        ["--machine", "RM(x)"], ["--machine", "RM(1/0)"], ["--bias", "maybe"], ["--cost", "cubic"],
        ["--method", "quick"], ["--backend", "NONE"], ["--tolerance", "0"], ["--tolerance", "1"],
        ["--tolerance", "-1e-9"], ["--max-seconds", "-1"], ["--max-seconds", "nan"], ["--seed", "-1"],
        ["--seed", "1.5"], ["--target", "species"], ["--report", "out.pdf"], ["--report", "nowhere/out.html"],
        ["--report", "."], ["--save", "out.txt"], ["--save", "nowhere/out.json"], ["--C"], ["--json", "extra"],
    )),
    ["solve", "."],
    ["solve", "no\0where"],
    ["solve", "/dev/null"],
    ["solve", "x" * 3000],
    ["fit", "iris"],
    ["fit", "iris", "--save", "out.json", "--max-iter", "0"],
    ["fit", "iris", "--save", "out.json", "--method", "primal", "--max-seconds", "-1"],
    ["predict", "model.json"],
    ["predict", "model.json", "digits"],
    ["predict", "model.json", "three.csv"],
    ["approx", "iris", "--seed", "-1"],
    ["approx", "iris", "--test", "1"],
    ["approx", "iris", "--halvings", "99"],
    ["approx", "iris", "--plot", "out.gif"],
    ["compare"],
    ["compare", "iris", "--C", "1,x"],
    ["compare", "iris", "--C", "-1"],
    ["compare", "iris", "--folds", "1"],
    ["compare", "iris", "--folds", "99"],
    ["compare", "iris", "--jobs", "0"],
    ["compare", "iris", "--kernel", "rbf:-1,2"],
    ["compare", "iris", "--kernel", "poly:2"],
    ["compare", "iris", "no-such-file.csv"],
    ["fisher"],
    ["fisher", "WV"],
    ["fisher", "WW", "--all"],
    ["fisher", "WW", "-d", "1"],
    ["fisher", "WW", "-d", "x"],
    ["fisher", "WW", "-d", "4", "--plot", "out.png"],
    ["fisher", "WW", "--plot", "nowhere/out.png"],
    ["fisher", "WW", "--mode", "shut"],
    ["circle", "--seeds", "0"],
    ["circle", "--variant", "round"],
    ["claims", "--paper", "XX"],
    ["claims", "--id", "UV-NOTHING"],
    ["claims", "--report", "out.txt"],
    ["checks", "check_nothing"],
    ["conventions", "nothing"],
    ["template"],
    ["template", "cobol"],
    ["template", "c", "--schema"],
    ["completion"],
    ["completion", "dos"],
    ["machines", "WW"],
    ["vectors"],
    ["vectors", "lst"],
    ["vectors", "list", "--machine", "XX"],
    ["vectors", "list", "--flag", "nothing"],
    ["vectors", "show", "nobody"],
    ["vectors", "verify", "three.csv"],
    ["vectors", "verify", "no-such-file.json"],
    ["vectors", "export", "three.csv"],
    ["vectors", "run"],
    ["vectors", "run", "--command", ""],
    ["vectors", "run", "--command", '"x'],
    ["vectors", "run", "--command", "./no-such-program"],
    ["vectors", "run", "--command", "true", "--timeout", "-1"],
    *(["validate", *o] for o in (
        [], ["sklear"], ["sklearn", "--command", "x"], ["sklearn", "--machine", "WW"], ["sklearn", "--bias", "free"],
        ["sklearn", "--check", "check_Cc"], ["sklearn", "--report", "."], ["sklearn", "--expect", "check_x=1"],
        ["no_such_module:x"], ["os:nothing", "--machine", "WW"], ["math:pi", "--machine", "WW"], ["math:sqrt"],
        ["math:sqrt", "--machine", "XX"], ["math:sqrt", "--machine", "WW", "--convention", "liblinear"],
        ["math:sqrt", "--machine", "WW", "--convention", "margin0"], ["math:sqrt", "--cost", "linear"],
        ["math:sqrt", "--machine", "WW", "--convention", "UV, n/C"], ["math:sqrt", "--machine", "CS", "--convention", "FH(1)"],
        ["math:sqrt", "--machine", "WW", "--tolerance", "2"], ["math:sqrt", "--convention", "FH(1)", "--bias", "none"],
        ["--command", '"x', "--machine", "WW"], ["--command", "./no-such-program", "--machine", "WW"],
        ["--command", "", "--machine", "WW"], ["--command", "true", "--timeout", "0", "--machine", "WW"],
    )),
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answer.json").write_text(json.dumps(ANSWER))
    (tmp_path / "three.csv").write_text("a,b,c\n1,2,3\n")
    return tmp_path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Two features, two classes."""
    path = tmp_path_factory.mktemp("model")
    table = path / "good.csv"
    table.write_text("1,2,x\n2,1,x\n-1,0,y\n-2,1,y\n")
    assert main(["fit", str(table), "--save", str(path / "model.json"), "--quiet"]) == 0
    return (path / "model.json").read_text()


def refused(arguments, capsys):
    capsys.readouterr()
    status = main(arguments)
    out, err = capsys.readouterr()
    assert status == 2, (arguments, status, out[-300:], err)
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    assert len(err) < 700, err
    return err


@pytest.mark.parametrize("command", OF_A_TABLE)
def test_tables(command, folder, model, capsys):
    (folder / "model.json").write_text(model)
    for name, content in TABLES.items():
        if (name, command) in FINE:
            continue
        (folder / "table.csv").unlink(missing_ok=True)
        if content is not None:
            (folder / "table.csv").write_bytes(content)
        refused([a.replace("TABLE", "table.csv") for a in OF_A_TABLE[command]], capsys)
        assert not (folder / "out.json").exists()


def test_points(folder, model, capsys):
    (folder / "model.json").write_text(model)
    for name, content in TABLES.items():
        if content is not None:
            (folder / "table.csv").write_bytes(content)
            if name != "one column":
                refused(["predict", "model.json", "table.csv"], capsys)


def test_tables_on_standard_input(capsys, monkeypatch):
    for content in TABLES.values():
        stdin = SimpleNamespace(buffer=io.BytesIO(content or b""))
        monkeypatch.setattr(sys, "stdin", stdin)
        if content != TABLES["too large"]:
            assert "standard input" in refused(["solve", "-"], capsys) or content is not None


@pytest.mark.parametrize("command", OF_A_JSON)
def test_json(command, folder, capsys):
    for content in JSONS.values():
        (folder / "claim.json").unlink(missing_ok=True)
        if content is not None:
            text = content if isinstance(content, str) else json.dumps(content)
            (folder / "claim.json").write_text(text)
        refused([a.replace("JSON", "claim.json") for a in OF_A_JSON[command]], capsys)


def test_options(folder, model, capsys):
    (folder / "model.json").write_text(model)
    for arguments in OPTIONS:
        refused(arguments, capsys)


def test_there_are_many():
    tables = len(TABLES) * (len(OF_A_TABLE) + 2)
    assert tables + len(JSONS) * len(OF_A_JSON) + len(OPTIONS) >= 200


def test_messages_that_used_to_mislead(folder, capsys):
    """The remedy fits the mistake."""
    for arguments, words in (
        (["solve", "iris", "--C", "-1"], "argument --C: must be positive"),
        (["solve", "iris", "--kernel", "polynomial:2.5"], "whole degree of at least 1, got 'polynomial:2.5'"),
        (["solve", "."], "the folder '.'"),
        (["validate", "--machine", "WW", "--command", '"x'], "quotes closed"),
        (["approx", "iris", "--seed", "-1"], "from 0 to 2^32 - 1, got '-1'"),
        (["solve", "iris", "--machin", "WW"], "did you mean --machine?"),
        (["valdate", "sklearn"], "did you mean validate?"),
        (["checks", "check_optimalty"], "did you mean check_optimality?"),
        (["validate", "math:sqrt", "--machine", "WW", "--convention", "liblinear_cs"], "did you mean liblinear-cs?"),
        (["vectors", "lst"], "did you mean list?"),
    ):  # fmt: skip
        assert words in refused(arguments, capsys)
    (folder / "semicolons.csv").write_text("a;b;l\n1,5;2,5;x\n2,5;3,5;y\n")
    assert "write decimals with a point" in refused(["solve", "semicolons.csv"], capsys)
    (folder / "deep.json").write_text(DEEP)
    assert "nested too deeply" in refused(["diagnose", "deep.json"], capsys)
    (folder / "label.csv").write_text("a,b,l\n1,2,\n2,3,y\n")
    assert "line 2 must have a label" in refused(["solve", "label.csv"], capsys)


SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}


@pytest.mark.parametrize(
    ("separator", "header", "mark"),
    itertools.product(SEPARATORS, (True, False), ("", "\ufeff")),
    ids=lambda v: SEPARATORS.get(v, repr(v)),
)
def test_every_form_of_a_table_is_read(folder, separator, header, mark):
    from msvm_ref.datasets.tables import read_table

    rows = [["a", "b", "species"]] * header + [["1.5", "-2", "x y"[::2][k % 2]] for k in range(4)]
    text = mark + "\n".join(separator.join(row) for row in rows) + "\n"
    (folder / "good.txt").write_text(text, encoding="utf-8")
    table = read_table("good.txt")
    assert table.X.tolist() == [[1.5, -2.0]] * 4
    assert table.y == ["x", "y", "x", "y"]
    assert table.names == (["a", "b"] if header else None)


def test_npz_standard_input_and_bundled_names(folder, monkeypatch):
    from msvm_ref.datasets.tables import read_table

    stream = io.BytesIO()
    np.savez(stream, X=[[1.0], [2.0]], y=[0, 1])
    for content in (stream.getvalue(), b"1,0\n2,1\n"):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        table = read_table("-")
        assert table.X.tolist() == [[1.0], [2.0]]
        assert table.y == [0, 1]
    assert read_table("iris").X.shape == (150, 4)
