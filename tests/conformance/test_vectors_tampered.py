"""Every field of a vector, altered by one digit, dropped, or joined by another, is refused; and bad files get clean words."""

import copy
import json
import subprocess
import sys

import pytest

from msvm_ref.commands.vectors import BUNDLED, files
from msvm_ref.conformance.vectors_verify import main, read, verify_document
from msvm_ref.conformance.verifier.invalid import verify_invalid
from msvm_ref.conformance.verifier.valid import verify_valid

DOCUMENTS = {path.stem: read(path) for path in files()}
BY_ID = {v["id"]: v for document in DOCUMENTS.values() for v in document["vectors"]}


def altered(value):
    """(what was done, the value after it): a digit or letter of every leaf, an entry more or less of every list and object."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f".{name} dropped", {k: v for k, v in value.items() if k != name}
            yield from (
                (f".{name}{where}", value | {name: other}) for where, other in altered(inner)
            )
        yield ".extra added", value | {"extra": "1"}
    elif isinstance(value, list):
        yield "[] emptied", []
        yield "[-1] dropped", value[:-1]
        yield "[-1] doubled", [*value, *(value[-1:] or ["0"])]
        for k, inner in enumerate(value):
            yield from (
                (f"[{k}]{where}", [*value[:k], other, *value[k + 1 :]])
                for where, other in altered(inner)
            )
    elif isinstance(value, bool):
        yield " flipped", not value
    elif isinstance(value, int):
        yield from (
            (f" {other}", other) for other in (value + 1, -1, 10**6, str(value), float(value))
        )
    elif value is None:
        yield " closed", "7"
    else:
        digits = [k for k, letter in enumerate(value) if letter.isdigit()]
        for k in {*digits[:1], *digits[-1:]}:
            yield f" digit {k}", value[:k] + str((int(value[k]) + 1) % 10) + value[k + 1 :]
        others = (
            (" lengthened", value + "1"),
            (" negated", "-" + value),
            (" null", None),
            (" spaced", value + " "),
        )
        yield others[len(value) % 4]


def test_the_alterations_reach_every_leaf():
    changes = dict(altered({"a": ["1", "2/3"], "b": True}))
    assert {
        ".a[0] digit 0",
        ".a[1] digit 0",
        ".a[1] digit 2",
        ".a dropped",
        ".a[-1] dropped",
        ".a[] emptied",
        ".b flipped",
        ".extra added",
    } <= set(changes)
    assert changes[".a[1] digit 2"]["a"] == ["1", "2/4"]


VALID = (
    "CS-penalized-linear-d2-ordinary",
    "CS-free-linear-d3-weighted",
    "ATM-none-linear-d3-single-example",
    "ATM-penalized-quadratic-d2-ordinary",
)
"""Vectors on which no alteration happens to leave a true statement (as another huge C would where no slack is positive)."""


@pytest.mark.parametrize("name", VALID)
def test_altered_valid_vectors_are_refused(name):
    vector = BY_ID[name]
    assert verify_valid(vector) == []
    survivors = [what for what, other in altered(vector) if not verify_valid(other)]
    assert survivors == []


@pytest.mark.parametrize("mistake", sorted({name.split("/")[1] for name in BY_ID if "/" in name}))
def test_altered_invalid_vectors_are_refused(mistake):
    vector = min(
        (v for name, v in BY_ID.items() if name.endswith(f"/{mistake}")),
        key=lambda v: len(json.dumps(v)),
    )
    base = BY_ID[vector["problem"]]
    assert verify_invalid(vector, base) == []
    assert [what for what, other in altered(vector) if not verify_invalid(other, base)] == []


def test_an_invalid_vector_with_the_right_answer_is_refused():
    vector = next(v for name, v in BY_ID.items() if name.endswith("/sign-flip"))
    base = BY_ID[vector["problem"]]
    right = vector | {"candidate": {"W": base["W"], "b": base["b"]}}
    assert verify_invalid(right, base) == ["the candidate is optimal"]


def small(key="WW"):
    """A document of the shortest vector with d = 2, its wrong answers, and a second vector with d = 2."""
    document = copy.deepcopy(DOCUMENTS[key])
    valid = [v for v in document["vectors"] if v["result"] == "valid" and len(v["b"]) == 2]
    valid.sort(key=lambda v: len(json.dumps(v)))
    names = [v["id"] for v in valid[:2]]
    return document | {
        "vectors": [
            v for v in document["vectors"] if v["id"] in names or v.get("problem") == names[0]
        ]
    }


def edit(*path, value):
    def change(document):
        inner = document
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (edit("vectors", value=[]), "no vector"),
        (edit("machine", value="CS"), "not the file's"),
        (edit("schema", value="other.json"), "schema"),
        (edit("comment", value="hello"), "unknown"),
        (lambda d: d["vectors"].append(copy.deepcopy(d["vectors"][0])), "same id"),
        (edit("vectors", 0, "result", value="proved"), "neither valid nor invalid"),
        (edit("vectors", 0, "machine", "sum_to_zero", value=True), "sum_to_zero is not that of"),
        (edit("vectors", 0, "bias", value="fixed"), "not one of"),
        (edit("vectors", 0, "cost", value="cubic"), "not one of"),
        (edit("vectors", 0, "y", 0, value=-1), "not a class"),
        (edit("vectors", 0, "C", value="-1"), "C is not positive"),
        (edit("vectors", 0, "C", value="1e-999999999"), "no such number"),
        (edit("vectors", 0, "C", value="0.1"), "binary64"),
        (edit("vectors", 0, "b_interval", value=[]), "not a list of 2"),
        (edit("vectors", 0, "X", value=[]), "missing or empty"),
        (
            lambda d: d["vectors"][0].update(X=[[] for _ in d["vectors"][0]["y"]], W=[]),
            "not a list of 0",
        ),
        (edit("vectors", 0, "flags", value=["contradictory"]), "flags must be"),
        (edit("vectors", 0, "flags", value=[]), "flags must be"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_altered_documents_are_refused(change, words):
    document = small()
    assert not any(faults for _, faults in verify_document(document))
    change(document)
    assert any(words in fault for _, faults in verify_document(document) for fault in faults)


def relabelled(vector, old, new):
    """The vector of machine ``old`` said to be one of ``new``, consistently in every field that names it."""
    vector = copy.deepcopy(vector)
    vector["machine"]["name"], vector["rival"]["machine"]["name"] = new, old
    vector["id"] = vector["id"].replace(f"{old}-", f"{new}-", 1)
    vector["comment"] = vector["comment"].replace(f"{old}:", f"{new}:", 1)
    vector["flags"] = [flag.replace(f"{old}/{new}", f"{new}/{old}") for flag in vector["flags"]]
    return vector


@pytest.mark.parametrize(
    ("old", "new"), [("CS", "WW"), ("AMO", "ATM"), ("LLW", "ATS"), ("MMR", "MMR_ORTHO")]
)
def test_a_machine_is_tied_to_its_name(old, new):
    vectors = [relabelled(v, old, new) for v in DOCUMENTS[old]["vectors"] if v["result"] == "valid"]
    results = verify_document(DOCUMENTS[old] | {"machine": new, "vectors": vectors})
    assert len(results) == len(vectors) >= 50
    assert all(any(f"is not that of {new}" in fault for fault in faults) for _, faults in results)


@pytest.mark.parametrize("field", ["aggregation", "groups", "sum_to_zero", "nu", "gamma"])
def test_a_field_of_another_machine_is_refused_by_name(field):
    """Also where the altered machine has the same optimum: W* = 0 with one example, whether or not W sums to zero."""
    vector = copy.deepcopy(BY_ID["MMR-free-linear-d3-single-example"])
    other = BY_ID["RM-1-2-free-linear-d3-single-example"]["machine"]
    changed = {"sum_to_zero": False}.get(field, other[field])
    vector["machine"][field] = changed
    assert any("of MMR with 3 classes" in fault for fault in verify_valid(vector))


def test_a_machine_of_no_known_name_is_refused():
    vector = copy.deepcopy(BY_ID["WW-none-linear-d2-ordinary"])
    for name in ("XX", "RM(1/3)", "ww", "", None, ["WW"]):
        vector["machine"]["name"] = name
        assert any("machine.name" in fault for fault in verify_valid(vector))


def long_rational(vector):
    """W in numbers whose exact values have more digits than Python prints."""
    primes = (f"1/{3**k}" for k in range(300, 420))
    vector["W"] = [[next(primes) for _ in row] for row in vector["W"]]
    vector["alpha"] = [[next(primes) for _ in row] for row in vector["alpha"]]


def test_a_refused_vector_is_refused_alone(tmp_path, capsys):
    """Also where the refusal speaks of numbers too long to print, and where a file among others is none."""
    first, second, third = (small(key) for key in ("WW", "MMR", "OVA"))
    first["vectors"][0]["machine"]["gamma"][0][0] = "7" * 5000
    long_rational(second["vectors"][0])
    names = []
    for k, document in enumerate((first, "no file", second, third)):
        path = tmp_path / f"{k}.json"
        path.write_text(json.dumps(document))
        names.append(str(path))
    assert main(names) == 2
    printed = capsys.readouterr()
    assert "1.json is not a vector file" in printed.err
    total = sum(len(d["vectors"]) for d in (first, second, third))
    assert f"{total} vectors, " in printed.out
    assert f"{names[2]}: {second['vectors'][0]['id']}: " in printed.out
    assert names[3] not in printed.out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda v: v.update(y=[0] * 33), "33 examples"),
        (lambda v: v.update(X=[["0"] * 17] * len(v["y"])), "17 features"),
        (lambda v: v["machine"].update(gamma=[["1"]] * 9), "9 classes"),
        (lambda v: v["machine"].update(gamma=[["1"]]), "1 classes"),
        (lambda v: v.update(comment="x" * 40_000), "40000 characters"),
        (lambda v: v.update(alpha=[["1" * 201] * 2] * len(v["y"])), "no such number"),
        (lambda v: v.update(C="1e100"), "no such number"),
        (lambda v: v.update(C="1" * 41), "no such number"),
    ],
)
def test_limits_are_checked_before_the_work(change, words):
    vector = copy.deepcopy(BY_ID["WW-none-linear-d2-ordinary"])
    change(vector)
    assert any(words in fault for fault in verify_valid(vector))


def test_the_simplex_method_ends(monkeypatch):
    from msvm_ref.conformance.verifier import bias

    monkeypatch.setattr(bias, "PIVOTS", 0)
    document = small("MMR")
    document["vectors"] = [BY_ID["MMR-free-linear-d3-ordinary"]]
    faults = verify_document(document)[0][1]
    assert faults == ["it cannot be verified: the range of b takes more than 0 pivots"]


def test_a_vector_out_of_its_file_still_needs_its_base():
    document = small()
    document["vectors"] = [v for v in document["vectors"] if v["result"] == "invalid"]
    assert all("not in the file" in faults[0] for _, faults in verify_document(document))


HEAD = '{"format": "msvm-ref-vectors/1", '
SOUND_HEAD = HEAD + '"schema": "schema.json", "machine": "WW", '


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("", 2, "not a vector file"),
        ("{", 2, "not a vector file"),
        ("[]", 2, "format"),
        ("null", 2, "format"),
        ('{"format": "msvm-ref-vectors/2", "vectors": []}', 2, "format"),
        (HEAD + '"machine": "WW"}', 2, "list of objects"),
        (HEAD + '"vectors": [1]}', 2, "list of objects"),
        (HEAD + HEAD[1:] + '"vectors": []}', 2, "stated twice"),
        ("[" * 100_000, 2, "deep"),
        ("\xff\xfe", 2, "not a vector file"),
        (SOUND_HEAD + '"vectors": []}', 1, "no vector"),
        (SOUND_HEAD + '"vectors": [{}]}', 1, "1 refused"),
        (SOUND_HEAD + '"vectors": [{"id": "a", "result": "valid"}]}', 1, "missing"),
        (SOUND_HEAD + '"vectors": [{"id": [], "result": {}}]}', 1, "neither valid nor invalid"),
        (
            SOUND_HEAD
            + '"vectors": [{"id": "a", "result": "valid", "y": 3, "X": [], "machine": []}]}',
            1,
            "missing or empty",
        ),
    ],
)
def test_files_that_are_none_get_words_and_a_status(tmp_path, capsys, text, status, words):
    path = tmp_path / "bad.json"
    path.write_bytes(text.encode("latin-1"))
    assert main([str(path)]) == status
    printed = capsys.readouterr()
    assert words in printed.out + printed.err


def test_no_file_and_no_argument_are_usage(tmp_path, capsys):
    assert main([]) == 2
    assert main([str(BUNDLED / "schema.json")]) == 2
    assert main([str(tmp_path / "nowhere.json")]) == 2
    assert main([str(tmp_path)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_as_a_program_in_an_isolated_python(tmp_path):
    path = tmp_path / "small.json"
    document = small("MMR")
    path.write_text(json.dumps(document))
    line = [sys.executable, "-I", "-S", str(BUNDLED.parent / "vectors_verify.py"), str(path)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    document["vectors"][0]["alpha"][0][0] += "1"
    path.write_text(json.dumps(document))
    assert subprocess.run(line, capture_output=True, check=False).returncode == 1
