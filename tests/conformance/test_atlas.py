"""The atlas: what is right is called right, what is wrong is not, and what ends its process is a record."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from msvm_ref.cli import main
from msvm_ref.conformance.atlas import verdict as v
from msvm_ref.conformance.atlas.data import case_of
from msvm_ref.conformance.atlas.entry import AtlasEntry, Fault
from msvm_ref.conformance.atlas.findings import shown_by_script
from msvm_ref.conformance.atlas.formula import formula_of
from msvm_ref.conformance.atlas.markdown import markdown
from msvm_ref.conformance.atlas.measure import measured
from msvm_ref.conformance.atlas.page import page
from msvm_ref.conformance.atlas.probes import Installed
from msvm_ref.conformance.atlas.registry import ENTRIES, entry_named
from msvm_ref.conformance.atlas.runner import KINDS, LibraryProcess, cell, run
from msvm_ref.conformance.atlas.runner import Truths as RunTruths
from msvm_ref.conformance.atlas.table import took
from msvm_ref.conformance.atlas.truths import truth
from msvm_ref.model.catalogue import CS, WW
from msvm_ref.model.conventions import Convention, Factor
from msvm_ref.model.conventions import literals as cv
from tests.small_problems import NIGHTLY, by_night

HERE = "tests.conformance.atlas_mutants"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("MSVM_REF_CACHE", str(tmp_path_factory.getbasetemp() / "atlas"))


def entry(function: str, **changes: object) -> AtlasEntry:
    base = entry_named("sklearn-linearsvc-primal")
    return replace(
        base, name=function, adapter=f"{HERE}:{function}", default={}, tight={}, **changes
    )


def test_names_are_unique_and_adapters_exist():
    assert len({e.name for e in ENTRIES}) == len(ENTRIES) >= 20
    for e in ENTRIES:
        module, _, function = e.adapter.partition(":")
        __import__(f"msvm_ref.conformance.atlas.adapters.{module}", fromlist=[function])
        assert e.install
        assert e.convention.source
        machine = e.convention.machine
        squared = "²" if machine.cost == "quadratic" else ""
        assert e.machine == ("OVO" if e.pairs else machine.name + squared)
        assert all(f.path.is_file() for f in e.findings)


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("kernlab-kbb", "1/2 (||W||² + ||b||²) + C Σ Σ_{c≠y} [2 − (f_y − f_c)]₊"),
        ("liblinear-s4", "1/2 (||W||² + ||b||²) + C Σ max_{c≠y} [1 − (f_y − f_c)]₊"),
        ("libsvm", "every pair: 1/2 ||w||² + C Σ [1 − y f]₊, b free"),
        ("torch-ww2", "λ/2 (||W||² + ||b||²) + 1/n Σ Σ_{c≠y} [1 − (f_y − f_c)]₊²"),
        ("snapml-hinge", "each class against the rest: λ/2 ||w||² + Σ [1 − y f]₊, no b"),
    ],
)
def test_the_formula_is_that_of_the_fields(name, formula):
    convention = entry_named(name).convention
    assert formula_of(convention, entry_named(name).pairs) == formula
    other = replace(convention, loss=Factor(Fraction(3)), multiple=Factor(Fraction(1, 2)))
    assert formula_of(other) != formula_of(convention)
    assert "[3 − " in formula_of(other)


def test_a_fault_of_input_ranks_below_a_wrong_answer():
    fit = {"objective": 1.0, "seconds": 0.1}
    cells = [{"kind": kind, "data": "iris", "fits": [{**fit, "error": 0.0}]} for kind in KINDS]
    far = [{"kind": kind, "data": "iris", "fits": [{**fit, "error": 0.5}]} for kind in KINDS]
    taken = {"title": "takes NaN", "severity": "input", "shown": True}
    right = {"name": "r", "version": "1", "cells": cells, "findings": [taken]}
    off = {"name": "o", "version": "1", "cells": far, "findings": []}
    wrong = {**right, "name": "w", "findings": [{**taken, "severity": "wrong"}]}
    assert [e["name"] for e in v.by_severity([right, off, wrong])] == ["w", "o", "r"]


def test_the_time_of_a_run_says_whose_it_is():
    entries = [{"version": "1", "seconds": 20.0}, {"version": "1", "seconds": 30.0}]
    told = took({"seconds": 26.0, "jobs": 2, "taken_over": 0, "entries": entries})
    assert "26 s by the clock" in told
    assert "2 libraries at a time" in told
    assert "50 s summed over the entries" in told
    assert "taken over" not in told


def test_a_script_uses_neither_this_package_nor_its_solvers():
    for e in ENTRIES:
        assert not any("msvm_ref" in f.path.read_text() for f in e.findings)


def test_a_right_entry_is_right_and_mutants_are_not():
    names = ("right", "mean_for_sum", "swapped", "one_step", "rounded")
    entries = [entry(name) for name in names]
    record = run(entries, ["wine"], repeats=1)
    words = {e["name"]: v.verdict_of(e) for e in record["entries"]}
    assert words == {
        "right": "right",
        "mean_for_sum": "off",
        "swapped": "off",
        "one_step": "off",
        "rounded": "close",
    }
    assert not any(v.faults_of(e) for e in record["entries"])


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("aborts", "signal 6"),
        ("refuses", "ValueError"),
        ("nothing", "no candidate"),
        ("nan", "no candidate"),
    ],
)
def test_what_breaks_is_a_record(function, words):
    made = cell(LibraryProcess(entry(function), 60.0), "tight", "wine", 2, RunTruths())
    text = json.dumps(made)
    assert words in text
    assert '"error"' not in text


def test_after_an_abort_the_next_fit_has_a_process_again():
    worker = LibraryProcess(entry("aborts_once"), 60.0)
    case = case_of("wine")
    assert "broke" in worker.fit(replace(case, C=2.0), "default")
    assert "W" in worker.fit(case, "default")


def test_a_fit_that_hangs_is_ended():
    worker = LibraryProcess(entry("hangs"), 3.0)
    late = worker.fit(case_of("wine"), "default")
    assert "3 s" in late["broke"]
    cells = [{"kind": kind, "data": "wine", "fits": [late]} for kind in KINDS]
    record = {"version": "1", "cells": cells}
    assert v.verdict_of(record) == "slow"
    assert v.remarks(record) == ["no answer within the time limit on wine"]
    ended = {
        "version": "1",
        "cells": [{**cells[1], "fits": [late, {"broke": "ended by signal 6"}]}],
    }
    assert v.verdict_of(ended) == "breaks"


def test_labels_that_are_no_argmax_are_counted():
    made = cell(LibraryProcess(entry("mislabels"), 60.0), "tight", "wine", 1, RunTruths())
    assert made["fits"][0]["labels_off"] == 5


def test_every_pair_and_the_vote_are_judged():
    from sklearn.svm import SVC

    from msvm_ref.conformance.atlas.adapters.scikit_learn import one_vs_one
    from msvm_ref.conformance.atlas.worker import plain

    svc, case = entry_named("sklearn-svc"), case_of("wine")
    C = svc.convention.from_C(case.C, len(case.y), 2)
    X = np.array(case.X)
    line = plain(one_vs_one(SVC(kernel="linear", C=C, tol=1e-8).fit(X, case.y), X))
    truths = RunTruths()
    good = measured(svc, case, line, truths)
    assert good["error"] < 1e-5
    assert good["pairs"] == 3
    assert good["labels_off"] == 0
    for k in range(3):  # any one pair off is seen, and which
        pairs = [dict(p) for p in line["pairs"]]
        pairs[k]["w"] = (np.array(pairs[k]["w"]) * 1.5).tolist()
        bad = measured(svc, case, {**line, "pairs": pairs}, truths)
        assert bad["error"] > 1e-2
        assert bad["pair"] == list(pairs[k]["classes"])
    flipped = [{**p, "w": [-x for x in p["w"]], "b": -p["b"]} for p in line["pairs"]]
    assert measured(svc, case, {**line, "pairs": flipped}, truths)["labels_off"] > 100
    short = measured(svc, case, {**line, "pairs": line["pairs"][:2]}, truths)
    assert "no weights for the pair" in short["failure"]


def test_a_stored_truth_is_certified_anew_and_a_forged_one_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("MSVM_REF_CACHE", str(tmp_path))
    problem = cv.LIBLINEAR_OVR2.pose(case_of("wine").X, case_of("wine").y, 1.0).problem
    first = truth(problem)
    (file,) = (tmp_path / "atlas").glob("*.npz")
    assert truth(problem).method == "stored"
    np.savez(file, W=first.W * 2, b=first.b, alpha=first.alpha)
    assert truth(problem).method != "stored"
    file.write_bytes(b"no archive")
    assert truth(problem).certificate.relative_gap <= 1e-9


def finding(tmp_path, monkeypatch, text: str, **more: object) -> dict[str, object]:
    import msvm_ref.conformance.atlas.entry as module

    (tmp_path / "reproducers").mkdir(exist_ok=True)
    (tmp_path / "reproducers" / "script.py").write_text(text)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    return shown_by_script(Fault("it is so", "script.py", **more), 20.0)


def test_a_fault_is_shown_by_an_assertion_alone(tmp_path, monkeypatch):
    assert finding(tmp_path, monkeypatch, "assert 1 > 2, 'got 1'")["shown"]
    assert not finding(tmp_path, monkeypatch, "print('fine')")["shown"]
    assert not finding(tmp_path, monkeypatch, "import no_such_module_at_all")["shown"]
    assert not finding(tmp_path, monkeypatch, "import os; os.abort()")["shown"]
    assert finding(tmp_path, monkeypatch, "import os; os.abort()", signal=True)["shown"]
    assert not finding(tmp_path, monkeypatch, "assert 1 > 2", signal=True)["shown"]


@pytest.mark.skipif(not NIGHTLY, reason="runs every script: nightly")
def test_every_known_fault_of_what_is_installed_is_there():
    for e in ENTRIES:
        for known in e.findings if e.probe.version() else ():
            assert shown_by_script(known, 120.0)["shown"], known.title


def test_what_is_not_installed_is_listed_with_its_line(capsys, monkeypatch):
    import msvm_ref.conformance.atlas.registry as registry

    away = replace(
        entry("right"), probe=Installed("no-such-library"), install="pip install no-such"
    )
    monkeypatch.setattr(registry, "ENTRIES", (away,))
    assert main(["atlas", "--list"]) == 0
    assert "pip install no-such" in capsys.readouterr().out
    assert main(["atlas", "--quiet"]) == 0
    assert "0 entries here, 1 not installed" in capsys.readouterr().out


@by_night
def test_the_command_writes_page_markdown_and_json(tmp_path, capsys):
    kept = tmp_path / "run.json"
    names = ["sklearn-linearsvc-primal", "sklearn-svc"]
    options = ["--data", "iris", "--repeats", "2", "--quiet"]
    assert main(["atlas", *names, *options, "--report", str(kept)]) == 0
    told = capsys.readouterr().out
    assert "sklearn-svc" in told
    html, text = tmp_path / "page.html", tmp_path / "page.md"
    assert main(["atlas", "--from", str(kept), "--report", str(html), "--report", str(text)]) == 0
    record = json.loads(kept.read_text())
    assert html.read_text() == page(record)
    assert text.read_text() == markdown(record)
    assert "right" in html.read_text()
    assert "http" not in html.read_text().replace("http-equiv", "")


def test_a_run_that_was_cut_short_goes_on_where_it_was(tmp_path, capsys, monkeypatch):
    import msvm_ref.conformance.atlas.runner as runner

    kept, measured_cells = tmp_path / "run.json", []
    small = {"kind": "tight", "data": "iris", "fits": [{"error": 0.0, "seconds": 0.1}]}

    def cut_short(worker, kind, data, *rest):
        measured_cells.append(worker.entry.name)
        if worker.entry.name == "sklearn-svc" and "cut" not in measured_cells:
            measured_cells.append("cut")
            raise KeyboardInterrupt
        return {**small, "kind": kind, "data": data}

    monkeypatch.setattr(runner, "cell", cut_short)
    words = ["atlas", "sklearn-linearsvc-primal", "sklearn-svc", "--data", "iris", "-q"]
    assert main([*words, "--report", str(kept)]) == 130
    assert (tmp_path / "run.json.partial").is_file()
    assert main([*words, "--report", str(kept)]) == 0
    assert measured_cells.count("sklearn-linearsvc-primal") == 2  # default and tight, once
    assert not (tmp_path / "run.json.partial").exists()
    assert len(json.loads(kept.read_text())["entries"]) == 2
    capsys.readouterr()


def test_time_that_is_used_up_is_told():
    from msvm_ref.conformance.atlas.runner import Budget

    late = cell(
        LibraryProcess(entry("right"), 60.0), "tight", "wine", 3, RunTruths(), Budget(end=0.0)
    )
    assert late["fits"] == [{"left": "the run's time was used up"}]
    assert v.verdict_of({"version": "1", "cells": [late]}) == "unfinished"
    short = LibraryProcess(entry("right"), 60.0)
    assert len(cell(short, "tight", "wine", 3, RunTruths(), Budget(entry=0.0), 1.0)["fits"]) == 1


@pytest.mark.parametrize(
    "words", [["atlas", "no-such"], ["atlas", "--data", "no-such"], ["atlas", "--from", "no.json"]]
)
def test_wrong_words_are_usage_errors(words, capsys):
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1


@by_night  # and by `.ci/run`
def test_the_bug_report_has_the_script_and_what_it_prints(capsys):
    assert main(["atlas", "--bug-report", "sklearn-sgd", "--data", "iris"]) == 0
    told = capsys.readouterr().out
    assert "SGDClassifier" in told
    assert "AssertionError" in told
    assert "weak duality encloses the optimum in [" in told
    assert "msvm_ref" not in told
    assert main(["atlas", "--bug-report", "sklearn-svc"]) == 2


def test_the_list_needs_no_heavy_library():
    code = (
        "import sys; from msvm_ref.cli import main; main(['atlas', '--list', '-q']); "
        "assert not {'numpy', 'scipy', 'sklearn', 'cvxpy', 'numba'} & set(sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_a_constant_before_the_penalty_and_a_factor_outside_the_power():
    """lambda/2 ||V||^2 + 3 sum xi^2 at lambda is ours at C = 3/lambda, and the objective is lambda times ours."""
    theirs = Convention(
        "t", WW.with_cost("quadratic"), multiple=Factor(Fraction(3)), parameter="1/C"
    )
    assert theirs.to_C(0.5, n=7, d=3) == 6.0
    assert theirs.from_C(6.0, n=7, d=3) == 0.5
    assert theirs.objective_factor(Fraction(1, 2), 3) == 2
    relative = Convention("r", CS, scale=Factor(Fraction(2)), parameter="1/C")
    assert relative.to_C(0.5, n=7, d=3) == 8.0


def test_without_a_compiler_the_message_says_what_to_install(monkeypatch):
    from msvm_ref.conformance.atlas.adapters import compiled
    from msvm_ref.errors import BackendError

    monkeypatch.setattr(compiled.shutil, "which", lambda name: None)
    with pytest.raises(BackendError, match="apt-get install g"):
        compiled.program("dlib.cpp")
    assert not Installed("dlib", "header").version()


def test_an_input_fault_is_told_and_makes_no_answer_wrong():
    fit = {"error": 1e-9, "objective": 1.0, "seconds": 0.1}
    cells = [{"kind": kind, "data": "iris", "fits": [fit]} for kind in ("default", "tight")]
    record = {"name": "x", "version": "1", "cells": cells, "findings": []}
    assert v.word_of(record) == "right"
    shown = {"title": "takes NaN", "severity": "input", "shown": True}
    assert v.word_of({**record, "findings": [shown]}) == "right"
    assert v.remarks({**record, "findings": [shown]}) == ["takes NaN"]
    assert v.word_of({**record, "findings": [{**shown, "severity": "wrong"}]}) == "FAULTY"
    unseen = {**shown, "severity": "wrong", "shown": False}
    assert v.word_of({**record, "findings": [unseen]}) == "right"


def test_the_published_pages_come_from_the_kept_run():
    root = Path(__file__).parents[2]
    record = json.loads((root / "benchmarks" / "atlas" / "run.json").read_text(encoding="utf-8"))
    assert (root / "ATLAS.md").read_text(encoding="utf-8") == markdown(record)
    assert (root / "docs" / "assets" / "atlas.html").read_text(encoding="utf-8") == page(record)
    assert sum(bool(e["version"]) for e in record["entries"]) >= 20
    for e in record["entries"]:  # nobody is called faulty without a script that showed it
        assert v.word_of(e) != "FAULTY" or any(f["shown"] for f in e["findings"])
        assert {f["script"] for f in e.get("findings", ())} == {
            f.script for f in entry_named(e["name"]).findings
        }
