"""Golden vectors: all of them re-proved without solvers, schema-true, covering the grid; and tampering is noticed."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from msvm_ref.cli import main
from msvm_ref.commands.vectors import BUNDLED, files, vectors
from tests.small_problems import thinned

ALL = list(vectors())
VALID = [v for v in ALL if v["result"] == "valid"]
INVALID = [v for v in ALL if v["result"] == "invalid"]
BY_ID = {v["id"]: v for v in VALID}


def test_verified_where_cvxpy_scipy_and_numpy_cannot_be_imported():
    script = (
        "import sys, runpy\n"
        "for name in ('cvxpy', 'scipy', 'numpy', 'flint', 'sklearn', 'msvm_ref'): sys.modules[name] = None\n"
        "sys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    verifier = BUNDLED.parent / "vectors_verify.py"
    taken = thinned(files(), 4)  # `.ci/run` has all of them verified
    done = subprocess.run(
        [sys.executable, "-c", script, str(verifier), *map(str, taken)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"(\d+) vectors, \1 verified, 0 refused", done.stdout)


def test_count_size_and_coverage():
    assert len(VALID) >= 400
    assert len(BY_ID) == len(VALID)
    assert sum(path.stat().st_size for path in BUNDLED.iterdir()) < 2_000_000
    grid = {(v["machine"]["name"], v["bias"], v["cost"], len(v["machine"]["gamma"])) for v in VALID}
    names = {v["machine"]["name"] for v in VALID}
    assert {
        "WW",
        "CS",
        "LLW",
        "MMR",
        "MMR_ORTHO",
        "RM(1/4)",
        "RM(1/2)",
        "RM(3/4)",
        "OVA",
        "AMO",
        "ATM",
        "ATS",
    } == names
    assert {
        (m, b, c, d)
        for m in names
        for b in ("none", "free", "penalized")
        for c in ("linear", "quadratic")
        for d in (2, 3, 4, 5)
    } <= grid
    flags = {flag.split(":")[0] for v in VALID for flag in v["flags"]}
    assert {
        "ordinary",
        "degenerate",
        "absent-class",
        "contradictory",
        "non-unique-b",
        "tiny-C",
        "huge-C",
        "single-example",
        "zero-features",
        "weighted",
        "discriminates",
    } <= flags
    assert len({v["id"].split("/")[1] for v in INVALID}) >= 12
    assert {"primal-value", "sum-to-zero", "dual-sign", "dual-bound"} <= {
        v["fault"] for v in INVALID
    }


def schema_faults(value, schema, root, where="$"):
    """The part of JSON Schema that schema.json uses."""
    if "$ref" in schema:
        return schema_faults(
            value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, where
        )
    if "anyOf" in schema:
        tries = [schema_faults(value, option, root, where) for option in schema["anyOf"]]
        return [] if [] in tries else min(tries, key=len)
    if "const" in schema:
        return [] if value == schema["const"] else [f"{where}: not {schema['const']!r}"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{where}: {value!r} not allowed"]
    kind = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "boolean": bool,
        "null": type(None),
    }[schema["type"]]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        return [f"{where}: not {schema['type']}"]
    faults = [f"{where}: too small"] * (kind is int and value < schema.get("minimum", value))
    if kind is str and "pattern" in schema and not re.search(schema["pattern"], value):
        faults.append(f"{where}: {value!r} does not match")
    if kind is list:
        faults += [f"{where}: too short"] * (len(value) < schema.get("minItems", 0))
        faults += [f"{where}: too long"] * (len(value) > schema.get("maxItems", 10**9))
        faults += [
            f
            for k, item in enumerate(value)
            for f in schema_faults(item, schema["items"], root, f"{where}[{k}]")
        ]
    if kind is dict:
        faults += [
            f"{where}: {name} missing" for name in schema.get("required", ()) if name not in value
        ]
        known = schema.get("properties", {})
        faults += [f"{where}: {name} unknown" for name in value if name not in known]
        faults += [
            f
            for name, item in value.items()
            if name in known
            for f in schema_faults(item, known[name], root, f"{where}.{name}")
        ]
    return faults


@pytest.mark.parametrize("path", files(), ids=lambda p: p.stem)
def test_files_follow_the_published_schema(path):
    schema = json.loads((BUNDLED / "schema.json").read_text())
    document = json.loads(path.read_text())
    assert schema_faults(document, schema, schema) == []
    assert schema_faults(
        document | {"vectors": [document["vectors"][0] | {"C": 1.0}]}, schema, schema
    )


def test_interval_and_value_agree_with_a_fresh_exact_optimum():
    from msvm_ref.conformance.vectors_invalid import problem_of
    from msvm_ref.exact.bias import bias_interval
    from msvm_ref.solvers.exact_optimum import exact_optimum

    for vector in VALID[::53]:
        fresh = exact_optimum(problem_of(vector))
        assert [[str(v) for v in row] for row in fresh.W] == vector["W"]
        assert [
            [None if e is None else str(e) for e in ends] for ends in bias_interval(fresh)
        ] == vector["b_interval"]


def test_the_published_machines_are_the_catalogues():
    from msvm_ref.conformance.vectors_build import MACHINES, machine_json

    for path in files():
        for vector in json.loads(path.read_text())["vectors"]:
            if vector["result"] == "valid":
                assert vector["machine"] == machine_json(MACHINES[path.stem], len(vector["b"]))


def test_the_verifiers_machines_are_the_catalogues():
    """Written twice on purpose: the verifier must not need the package, nor believe it."""
    from msvm_ref.conformance.vectors_build import MACHINES, machine_json
    from msvm_ref.conformance.verifier import machines

    assert {machines.label(name) for name in machines.MACHINES} == set(MACHINES)
    for name, machine in machines.MACHINES.items():
        for d in range(2, 9):
            assert machine.at(name, d) == machine_json(MACHINES[machines.label(name)], d)


def test_checksums_are_those_of_the_files():
    from msvm_ref.conformance.vectors_build import checksums

    assert (BUNDLED / "SHA256SUMS").read_text() == checksums(BUNDLED)


@pytest.mark.parametrize(
    ("flag", "holds"),
    [
        ("absent-class", lambda v: len(set(v["y"])) < len(v["b"])),
        ("single-example", lambda v: len(v["y"]) == 1),
        ("tiny-C", lambda v: float(v["C"]) < 1e-5),
        ("huge-C", lambda v: float(v["C"]) > 1e5),
        ("weighted", lambda v: "sample_weight" in v),
        ("zero-features", lambda v: not any(float(x) for row in v["X"] for x in row)),
        (
            "contradictory",
            lambda v: (
                len({(*x, y) for x, y in zip(v["X"], v["y"], strict=True)})
                > len({(*x,) for x in v["X"]})
            ),
        ),
        ("zero-W", lambda v: {x for row in v["W"] for x in row} == {"0"}),
        ("non-unique-b", lambda v: any(low != high for low, high in v["b_interval"])),
        ("discriminates", lambda v: v["W"] != v["rival"]["W"]),
    ],
)
def test_a_flag_is_there_exactly_where_it_holds(flag, holds):
    assert [flag in {name.split(":")[0] for name in v["flags"]} for v in VALID] == [
        holds(v) for v in VALID
    ]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_example_in_javascript(tmp_path):
    chosen = [BUNDLED / "WW.json", BUNDLED / "ATM.json"]
    done = subprocess.run(
        ["node", str(BUNDLED / "example.js"), *map(str, chosen)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(chosen[0].read_text())
    document["vectors"][0]["alpha"][0][1] = "12345/7"
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(document))
    assert (
        subprocess.run(
            ["node", str(BUNDLED / "example.js"), str(bad)], capture_output=True, check=False
        ).returncode
        == 1
    )


def command(*arguments):
    return main(["vectors", *arguments])


def test_list_show_verify_export(capsys, tmp_path):
    assert command("list", "--machine", "CS", "--flag", "huge-C") == 0
    assert "CS-free-linear-d3-huge-C" in capsys.readouterr().out
    assert command("list", "--flag", "no-such-flag") == 2
    capsys.readouterr()
    assert command("show", VALID[0]["id"], "--json") == 0
    assert json.loads(capsys.readouterr().out)["id"] == VALID[0]["id"]
    assert command("show", "nobody") == 2
    assert command("export", str(tmp_path)) == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert {
        "FORMAT.md",
        "schema.json",
        "example.js",
        "WW.json",
        "vectors_verify.py",
        "verifier",
        "SHA256SUMS",
    } <= names
    assert command("verify", str(tmp_path / "MMR.json"), "--json") == 0
    document = json.loads((tmp_path / "MMR.json").read_text())
    document["vectors"][0]["W"][0][0] = "9"
    (tmp_path / "MMR.json").write_text(json.dumps(document))
    capsys.readouterr()
    assert command("verify", str(tmp_path / "MMR.json")) == 1
    assert (
        "95 verified exactly, 3 refused" in capsys.readouterr().out
    )  # the vector, and the two that stand on it
    assert command("verify", str(tmp_path / "FORMAT.md")) == 2
    (tmp_path / "empty.json").write_text(json.dumps(document | {"vectors": []}))
    assert command("verify", str(tmp_path / "empty.json")) == 1
    assert command("verify", str(tmp_path)) == 2


ANSWERING = """
import json, sys
question = json.load(sys.stdin)
assert "W" not in question and "alpha" not in question and "optimum" not in question
from fractions import Fraction
for vector in json.load(open({path!r}))["vectors"]:
    if vector["id"] == question["id"]:
        W = [[float(Fraction(v)) * {factor} for v in row] for row in vector["W"]]
        print(json.dumps({{"W": W, "b": [float(Fraction(v)) for v in vector["b"]], "alpha": vector["alpha"]}}))
"""


@pytest.mark.parametrize(("factor", "status"), [(1, 0), (1.5, 1)])
def test_run_judges_a_program(tmp_path, capsys, factor, status):
    program = tmp_path / "svm.py"
    program.write_text(ANSWERING.format(path=str(BUNDLED / "OVA.json"), factor=factor))
    line = f"{sys.executable} {program}"
    assert (
        command("run", "--machine", "OVA", "--flag", "huge-C", "--command", line, "--json")
        == status
    )
    outcomes = json.loads(capsys.readouterr().out)["outcomes"]
    assert len(outcomes) >= 2
    assert all(o["passed"] for o in outcomes) == (status == 0)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import sys; sys.exit(3)", "exit with status 0, got 3"),
        ("print('hello')", "one JSON object"),
        ("print('{}')", "neither W nor alpha"),
        ("print('{\"W\": [[1]]}')", "shape"),
        ('print(\'{"W": [["1e999999999", "0", "0"], ["0", "0", "0"]]}\')', "1e999999999"),
        ("print('{\"W\": ' + '[' * 100000)", "one JSON object"),
        ("print('[' * 20_000_000)", "at most 16777216 bytes"),
        ("import os; os.kill(os.getpid(), 11)", "its end by signal 11"),
        ("print('{\"W\": [1]}')", "unreadable"),
        ("print('{\"W\": [[NaN]]}')", "unreadable"),
        ("print('[1]')", "one JSON object"),
        ("import time; time.sleep(30)", "answer within 0.3 s"),
    ],
)
def test_run_reports_programs_that_misbehave(tmp_path, capsys, program, words):
    path = tmp_path / "svm.py"
    path.write_text(program)
    assert (
        command(
            "run",
            "--machine",
            "WW",
            "--flag",
            "huge-C",
            "--timeout",
            "0.3" if "sleep" in program else "10",
            "--command",
            f"{sys.executable} {path}",
        )
        == 1
    )
    assert words in capsys.readouterr().out


def test_the_zero_answer_passes_only_where_it_is_right(tmp_path, capsys):
    path = tmp_path / "zero.py"
    path.write_text(
        "import json, sys\nq = json.load(sys.stdin)\nd = q['n_classes']\n"
        "print(json.dumps({'W': [[0] * d for _ in q['X'][0]], 'b': [0] * d}))"
    )
    command(
        "run",
        "--machine",
        "LLW",
        "--flag",
        "tiny-C",
        "--command",
        f"{sys.executable} {path}",
        "--json",
    )
    outcomes = json.loads(capsys.readouterr().out)["outcomes"]
    assert outcomes
    assert not any(o["passed"] for o in outcomes if "zero-W" not in BY_ID[o["id"]]["flags"])


def test_a_missing_program_is_refused_before_the_work(capsys):
    for line in ("./no-such-program", "'unbalanced", ""):
        assert command("run", "--machine", "WW", "--flag", "huge-C", "--command", line) == 2
        assert "DataError: command must" in capsys.readouterr().err


def test_documents_are_one_vector_per_line():
    path: Path = files()[0]
    assert len(path.read_text().splitlines()) == len(json.loads(path.read_text())["vectors"]) + 2
