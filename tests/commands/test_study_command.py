"""msvm-ref study: the table, typed errors before the work, silence in a pipe."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from msvm_ref.cli import main
from msvm_ref.studies.experiments import registry
from tests.small_problems import NIGHTLY
from tests.studies.experiments.small import CELLS, SMALL


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    monkeypatch.setitem(registry.STUDIES, "small", SMALL)
    monkeypatch.chdir(tmp_path)


def test_list_names_every_study(capsys):
    assert main(["study", "list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in registry.STUDIES)
    assert all(len(line) <= 80 for line in listed.splitlines())


def test_run_then_show(capsys):
    assert main(["study", "run", "small"]) == 0
    ran = capsys.readouterr()
    assert f"{CELLS} cells trained" in ran.err
    assert "\r" not in ran.err  # no bar in a pipe
    assert "96.35 ± 2.59*" in ran.out
    assert main(["study", "run", "small", "--json"]) == 0
    again = capsys.readouterr()
    assert "0 cells trained" in again.err
    rows = json.loads(again.out)["results"]
    assert [(r["data"], r["machine"]) for r in rows] == [("Iris", "WW"), ("Iris", "CS")]
    assert rows[0]["printed"] == 96.35
    assert (
        main(["study", "show", "small", "--store", "msvm-studies.sqlite", "--machines", "ww"]) == 0
    )
    shown = capsys.readouterr().out
    assert "WW" in shown
    assert "CS " not in shown


@pytest.mark.skipif(not NIGHTLY, reason="nightly: half a minute")
def test_the_quick_table_of_iris_ends_within_a_minute(capsys):
    """CPU seconds, whoever else is on the machine."""
    assert main(["study", "run", "small", "-q"]) == 0  # compiled
    capsys.readouterr()
    start = time.process_time()
    words = ["run", "uv-table4", "--data-sets", "iris", "--protocol", "quick"]
    assert main(["study", *words, "--json"]) == 0
    assert time.process_time() - start < 60
    rows = json.loads(capsys.readouterr().out)["results"]
    assert len(rows) == 9
    assert all(r["worst_gap"] <= 1e-4 and r["agreement"] != "differs" for r in rows)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["run", "uv-tabel4"], "did you mean uv-table4?"),
        (["run", "small", "--data-sets", "irs"], "did you mean iris"),
        (["run", "small", "--machines", "LLW"], "be one of small's: WW, CS"),
        (["run", "uv-table5", "--data-sets", "usps"], "--data DIR"),
        (["run", "small", "--jobs", "0"], "not 0"),
        (["run", "small", "--store", "nowhere/x.sqlite"], "folder that exists"),
        (["show", "small", "--store", "x.sqlite"], "is not there"),
        (["page", "x.md", "--store", "x.sqlite"], "is not there"),
        (["export", "."], "is not there"),
        (["run", "small", "--protocol", "long"], "not one of quick, paper"),
    ],
)
def test_errors_are_one_line_and_come_before_the_work(capsys, words, expected):
    assert main(["study", *words]) == 2
    told = capsys.readouterr()
    assert expected in told.err
    assert told.err.count("\n") == 1
    assert not told.out


def test_a_file_that_is_no_store(capsys, tmp_path):
    (tmp_path / "x.sqlite").write_text("text " * 300)
    assert main(["study", "run", "small", "--store", "x.sqlite"]) == 2
    assert "not a database" in capsys.readouterr().err


def test_another_table_under_the_name(capsys, tmp_path):
    import gzip

    (tmp_path / "usps.csv.gz").write_bytes(gzip.compress(b"a,class\n1,0\n"))
    assert main(["study", "run", "uv-table5", "--data-sets", "usps", "--data", "."]) == 2
    assert "sha256" in capsys.readouterr().err


def test_export_writes_a_file_for_each_study_the_store_has(capsys, tmp_path):
    assert main(["study", "run", "small", "-q"]) == 0
    assert main(["study", "export", "nowhere"]) == 2
    assert "must be a folder" in capsys.readouterr().err
    (tmp_path / "out").mkdir()
    assert main(["study", "export", "out"]) == 0
    assert "2 cells" in capsys.readouterr().err
    (file,) = (tmp_path / "out").iterdir()
    assert file.name == "small.json"
    before = file.read_text(encoding="utf-8")
    cells = json.loads(before)["rows"]["Iris"]["quick"]
    assert list(cells) == ["WW", "CS"]
    assert len(cells["WW"]["values"]) == 3
    assert (cells["WW"]["train"], cells["WW"]["cells"]) == (40, CELLS // 2)
    changed = json.loads(before)  # what the store has replaces, what it does not have stays
    changed["rows"]["Iris"]["quick"]["WW"]["values"] = [1.0, 2.0, 3.0]
    changed["rows"]["Iris"]["paper"] = {"WW": {"values": [5.0], "gap": 0.0, "train": 105}}
    file.write_text(json.dumps(changed), encoding="utf-8")
    assert main(["study", "export", "out"]) == 0
    after = json.loads(file.read_text(encoding="utf-8"))["rows"]["Iris"]
    assert after["quick"] == cells
    assert after["paper"] == changed["rows"]["Iris"]["paper"]
    file.write_text(before.replace('"small"', '"other"'), encoding="utf-8")
    capsys.readouterr()
    assert main(["study", "export", "out"]) == 2
    assert "those of other" in capsys.readouterr().err


def test_without_a_store_what_comes_along_is_shown(capsys, tmp_path):
    assert main(["study", "show", "uv-table4", "--data-sets", "iris", "--machines", "ww,cs"]) == 0
    told = capsys.readouterr().out
    assert "Iris" in told
    assert "OVA" not in told
    assert main(["study", "show", "small"]) == 0
    assert "there is nothing of it" in capsys.readouterr().out
    assert main(["study", "page", "x.md"]) == 0
    assert "UV Table 4" in (tmp_path / "x.md").read_text(encoding="utf-8")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["page", "x.html"], ["export", "."]])
def test_a_full_disk_names_the_file_and_leaves_none(capsys, tmp_path, monkeypatch, words):
    assert main(["study", "run", "small", "-q"]) == 0
    capsys.readouterr()
    before = set(tmp_path.iterdir())

    def full(path, text, encoding):
        with open("/dev/full", "w", encoding=encoding) as device:
            device.write(text)

    monkeypatch.setattr(Path, "write_text", full)
    assert main(["study", *words]) == 2
    told = capsys.readouterr().err
    assert "must be written whole" in told
    assert "No space left" in told
    assert told.count("\n") == 1
    assert set(tmp_path.iterdir()) == before


def test_merge_takes_over_what_is_new(capsys):
    assert main(["study", "run", "small", "--machines", "ww", "--store", "a.sqlite", "-q"]) == 0
    assert main(["study", "run", "small", "--store", "b.sqlite", "-q"]) == 0
    assert main(["study", "merge", "b.sqlite", "--store", "a.sqlite"]) == 0
    assert f"{CELLS // 2} new cells" in capsys.readouterr().err
    assert main(["study", "run", "small", "--store", "a.sqlite"]) == 0
    assert "0 cells trained" in capsys.readouterr().err
    assert main(["study", "merge", "none.sqlite", "--store", "a.sqlite"]) == 2
