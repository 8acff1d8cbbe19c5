"""The table of mutants fits the code: each text stands once where it is said to, and each killer is there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests import mutation
from tests.mutation_table import MUTANTS, Mutant
from tests.small_problems import NIGHTLY

ROOT = Path(__file__).parents[1]


def test_every_mutant_can_be_put_in():
    for mutant in MUTANTS:
        text = (ROOT / "msvm_ref" / mutant.file).read_text(encoding="utf-8")
        assert text.count(mutant.before) == 1, mutant
        assert mutant.after != mutant.before, mutant
        compile(text.replace(mutant.before, mutant.after), mutant.file, "exec")


def test_every_killer_is_there():
    for killer in {m.killer for m in MUTANTS}:
        for word in killer.partition(" -k ")[0].split():
            path, _, test = word.partition("::")
            assert (ROOT / path).exists(), killer
            if test:
                name = f"def {test.partition('[')[0]}("
                assert name in (ROOT / path).read_text(encoding="utf-8"), killer


def test_the_table_is_long_and_wide():
    assert len(MUTANTS) >= 60
    assert max(Counter((m.file, m.before, m.after) for m in MUTANTS).values()) == 1
    assert len({m.file.partition("/")[0] for m in MUTANTS}) >= 8


@pytest.mark.skipif(not NIGHTLY, reason="nightly: a copy of the tree, tests run on it")
def test_a_mutant_no_test_sees_is_reported(tmp_path, monkeypatch, capsys):
    """A copy with a function and two tests, of which one looks at nothing."""
    (tmp_path / "msvm_ref").mkdir()
    (tmp_path / "msvm_ref" / "f.py").write_text("def f(x):\n    return x + 1\n")
    head = "import sys\nsys.path.insert(0, 'msvm_ref')\nfrom f import f\n"
    (tmp_path / "test_sees.py").write_text(f"{head}def test_f():\n    assert f(1) == 2\n")
    (tmp_path / "test_blind.py").write_text(f"{head}def test_f():\n    f(1)\n")
    (tmp_path / "test_wrong.py").write_text(f"{head}def test_f():\n    assert f(1) == 3\n")
    table = [
        Mutant("f.py", "x + 1", "x - 1", "test_sees.py"),
        Mutant("f.py", "x + 1", "x - 1", "test_blind.py"),
        Mutant("f.py", "x + 1", "x - 1", "test_wrong.py"),
        Mutant("f.py", "x + 2", "x - 1", "test_sees.py"),
    ]
    outcomes = mutation.run_all(tmp_path, table)
    assert [verdict for _, verdict in outcomes] == [
        "killed",
        "survived",
        "its killer does not pass on the code as it is",
        "its text occurs 0 times",
    ]
    assert (tmp_path / "msvm_ref" / "f.py").read_text().count("x + 1") == 1
    assert mutation.report(outcomes) == 1
    assert mutation.report(outcomes[:1]) == 0
    assert "4 mutants, 1 killed, 3 not" in capsys.readouterr().out
