"""Golden loss vectors: every one is re-proved, every altered leaf refused, and the values are those of the losses package."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.conformance import vectors_verify
from msvm_ref.conformance.vectors_build import MACHINES, checksums, machine_json
from msvm_ref.conformance.vectors_verify import main, read, verify_document
from msvm_ref.conformance.verifier.loss_mistakes import LOSSES, SLOPES, verify_wrong_loss
from msvm_ref.conformance.verifier.losses import CASES, verify_loss
from tests.conformance.test_vectors_tampered import altered

FOLDER = Path(vectors_verify.__file__).parent / "vectors" / "losses"
DOCUMENTS = {path.stem: read(path) for path in sorted(FOLDER.glob("[A-Z]*.json"))}
VALID = [
    (key, v) for key, doc in DOCUMENTS.items() for v in doc["vectors"] if v["result"] == "valid"
]
WRONG = [
    (key, v) for key, doc in DOCUMENTS.items() for v in doc["vectors"] if v["result"] != "valid"
]


def test_every_vector_is_proved_and_every_file_is_the_published_one():
    assert set(DOCUMENTS) == set(MACHINES)
    for document in DOCUMENTS.values():
        assert [entry for entry in verify_document(document) if entry[1]] == []
    assert (FOLDER / "SHA256SUMS").read_text() == checksums(FOLDER)


def test_machines_costs_sizes_cases_and_mistakes_are_all_there():
    for key in MACHINES:
        mine = [v for k, v in VALID if k == key]
        assert {(v["cost"], len(v["scores"])) for v in mine} == {
            (cost, d) for cost in ("linear", "quadratic") for d in (2, 3, 4, 5, 6)
        }
        flags = {flag for v in mine for flag in v["flags"]}
        assert {"ordinary", "zero-loss", "equal-scores", "on-margin", "kink"} <= flags
        assert any(flag.startswith("discriminates") for flag in flags)
    assert {v["id"].rpartition("-d")[2].partition("-")[2] for _, v in VALID} == set(CASES)
    assert {v["id"].rpartition("/")[2] for _, v in WRONG} == {*LOSSES, *SLOPES}
    assert {v["y"] for _, v in VALID} == set(range(6))
    assert len(VALID) >= 500
    assert len(WRONG) >= 900


def test_the_values_and_subgradients_are_those_of_the_losses_package():
    """Two routes that share no line: rationals from nu and groups, and array code."""
    for key, v in VALID:
        machine = MACHINES[key].with_cost(v["cost"])
        scores = np.array([[float(s) for s in v["scores"]]])
        value = mr.losses.loss(machine, scores, np.array([v["y"]]), reduction="sum")
        assert float(value) == pytest.approx(float(Fraction(v["loss"])), rel=1e-14, abs=1e-14)
        if "smooth" in v["flags"]:
            slope = mr.losses.subgradient(machine, scores, np.array([v["y"]]), reduction="sum")
            assert [float(Fraction(s)) for s in v["subgradient"]] == pytest.approx(
                slope[0], rel=1e-12, abs=1e-12
            )


def test_the_published_machines_are_the_catalogues():
    for key, document in DOCUMENTS.items():
        for d, machine in document["machines"].items():
            assert machine == machine_json(MACHINES[key], int(d))


@pytest.mark.parametrize(
    "name",
    [
        "loss-WW-linear-d3-corner",
        "loss-AMO-linear-d3-tie",
        "loss-ATM-quadratic-d3-tie",
        "loss-RM-1-4-quadratic-d2-ordinary",
    ],
)
def test_every_altered_leaf_of_a_valid_vector_is_refused(name):
    key, vector = next((k, v) for k, v in VALID if v["id"] == name)
    machines = DOCUMENTS[key]["machines"]
    accepted = [
        what
        for what, changed in altered(vector)
        if changed != vector and not verify_loss(changed, machines)
    ]
    assert accepted == []


@pytest.mark.parametrize("share", ["3/2", "-1/2"])
def test_a_share_beyond_its_segment_is_refused_though_the_sum_is_right(share):
    key, vector = next((k, v) for k, v in VALID if v["shares"] and not v["weights"])
    parts = vector["subdifferential"]
    shares = [share] * len(vector["shares"])
    beyond = [
        str(sum((Fraction(share) * Fraction(s[m]) for s in parts["segments"]), Fraction(base)))
        for m, base in enumerate(parts["base"])
    ]
    wrong = vector | {"shares": shares, "subgradient": beyond}
    assert verify_loss(wrong, DOCUMENTS[key]["machines"]) == ["a share is not between 0 and 1"]


@pytest.mark.parametrize("mistake", [*LOSSES, *SLOPES])
def test_every_altered_leaf_of_an_invalid_vector_is_refused(mistake):
    key, vector = next((k, v) for k, v in WRONG if v["id"].endswith("/" + mistake))
    base = next(v for _, v in VALID if v["id"] == vector["problem"])
    machines = DOCUMENTS[key]["machines"]
    assert verify_wrong_loss(vector, base, machines) == []
    accepted = [
        what
        for what, changed in altered(vector)
        if changed != vector and not verify_wrong_loss(changed, base, machines)
    ]
    assert accepted == []


def test_a_member_is_no_wrong_subgradient_and_the_right_value_no_wrong_loss():
    for key, vector in WRONG[::40]:
        base = next(v for _, v in VALID if v["id"] == vector["problem"])
        right = {name: base[name] for name in vector["candidate"]}
        assert verify_wrong_loss(vector | {"candidate": right}, base, DOCUMENTS[key]["machines"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["machines"].pop("3"), "a number of classes that machines has"),
        (lambda d: d["machines"]["3"].update(name="CS"), "is not that of CS"),
        (lambda d: d["machines"]["3"].update(sum_to_zero=True), "is not that of WW"),
        (lambda d: d["machines"].update({"9": d["machines"]["3"]}), "no number of classes"),
        (lambda d: d.update(machines=[]), "is not of type dict"),
        (lambda d: d.update(machines={}), "machines is not an object"),
        (lambda d: d.update(machine="CS"), "is not the file's, 'CS'"),
        (lambda d: d["vectors"].append(d["vectors"][0]), "the same id"),
        (lambda d: d["vectors"].clear(), "there is no vector"),
        (lambda d: d["vectors"].pop(0), "is not in the file"),
    ],
)
def test_an_altered_file_is_refused(change, words):
    document = copy.deepcopy(DOCUMENTS["WW"])
    change(document)
    faults = [fault for _, entry in verify_document(document) for fault in entry]
    assert any(words in fault for fault in faults), faults[:3]


def test_the_program_needs_the_standard_library_only(tmp_path):
    shutil.copy(vectors_verify.__file__, tmp_path)
    shutil.copytree(Path(vectors_verify.__file__).parent / "verifier", tmp_path / "verifier")
    command = [sys.executable, "-I", "-S", str(tmp_path / "vectors_verify.py")]
    done = subprocess.run([*command, str(FOLDER / "MMR.json")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 refused" in done.stdout


def test_a_loss_file_may_not_pass_for_a_file_of_optima(tmp_path, capsys):
    path = tmp_path / "WW.json"
    path.write_text(json.dumps(DOCUMENTS["WW"] | {"format": "msvm-ref-vectors/1"}))
    assert main([str(path)]) == 1
    assert "0 verified" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_example_in_javascript(tmp_path):
    command = ["node", str(FOLDER / "example.js")]
    files = [str(FOLDER / "CS.json"), str(FOLDER / "RM-1-4.json")]
    done = subprocess.run([*command, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for k, field in enumerate(("loss", "candidate")):
        document = copy.deepcopy(DOCUMENTS["CS"])
        vector = next(v for v in document["vectors"] if field in v and v.get("fault") != "loss")
        if k:
            vector["candidate"]["subgradient"] = next(
                v for v in document["vectors"] if v["id"] == vector["problem"]
            )["subgradient"]
        else:
            vector["loss"] = "12345/7"
        bad = tmp_path / f"{field}.json"
        bad.write_text(json.dumps(document))
        assert subprocess.run([*command, str(bad)], capture_output=True).returncode == 1
