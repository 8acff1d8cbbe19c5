"""The kernels' cache is keyed by content: no source that differs, wherever the cache lies, ever runs an old kernel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import msvm_ref
from msvm_ref.solvers import compiled
from tests.small_problems import by_night

PACKAGE = Path(msvm_ref.__file__).parent
PROGRAM = """
import sys
from pathlib import Path
import msvm_ref.solvers.compiled as compiled
compiled.__file__ = sys.argv[1] + "/compiled.py"  # the solvers of this test, two of them
sys.path.insert(0, sys.argv[1])
import caller
print(caller.asked(1.0), sum(caller.asked.stats.cache_hits.values()))
"""
CALLER = """
from msvm_ref.solvers.compiled import njit
from callee import answer

@njit(cache=True)
def asked(x):
    return answer(x)
"""
CALLEE = """
from msvm_ref.solvers.compiled import njit

@njit(cache=True)
def answer(x):
    return x + {}
"""


def run(folder: Path, where: Path | None) -> list[str]:
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    environment["PYTHONPATH"] = str(PACKAGE.parent)
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # Python, too, sees no more of a file than that
    if where is not None:
        environment["NUMBA_CACHE_DIR"] = str(where)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
        timeout=120,
    )
    return done.stdout.split()


@by_night
@pytest.mark.parametrize("users", [True, False], ids={True: "NUMBA_CACHE_DIR", False: "beside"}.get)
def test_a_callee_that_changed_is_compiled_again_for_a_caller_that_did_not(tmp_path, users):
    """With the same time stamp and the same size, which is all numba itself would see of a file."""
    folder, where = tmp_path / "solvers", tmp_path / "cache" if users else None
    folder.mkdir()
    (folder / "caller.py").write_text(CALLER)

    def write(number: int) -> None:
        (folder / "callee.py").write_text(CALLEE.format(number))
        os.utime(folder / "callee.py", (1_000_000, 1_000_000))

    write(1)
    assert run(folder, where) == ["2.0", "0"]
    assert run(folder, where) == ["2.0", "1"]  # from the cache
    write(2)
    assert run(folder, where) == ["3.0", "0"]
    write(1)
    assert run(folder, where) == ["2.0", "1"]  # the first content's kernels are still there
    place = where if where is not None else folder / "__pycache__"
    assert len(list(place.glob(f"{compiled.PREFIX}*"))) == 2


def test_every_kernel_of_the_package_is_compiled_through_it():
    for source in PACKAGE.rglob("*.py"):
        text = source.read_text(encoding="utf-8")
        if source.name != "compiled.py":
            # an instruction that numba has no name for compiles nothing by itself
            other = r"^\s*(?:from|import) numba\b(?!.*\bconfig\b)(?!\.(?:extending|core\.cgutils)$)"
            assert not re.search(other, text, re.M), source
        assert text.count("@njit") == text.count("@njit(cache=True"), source


def test_the_key_is_of_names_and_contents(tmp_path):
    keys = set()
    for name, text in (("a.py", "x"), ("a.py", "y"), ("b.py", "y"), ("sub/b.py", "y")):
        for old in tmp_path.rglob("*.py"):
            old.unlink()
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        compiled.content_key.cache_clear()
        keys.add(compiled.content_key(tmp_path))
    compiled.content_key.cache_clear()
    assert len(keys) == 4


def test_the_users_own_setting_stands_again(tmp_path):
    before = numba.config.CACHE_DIR

    @compiled.njit(cache=True)
    def twice(x):
        return 2 * x

    assert before == numba.config.CACHE_DIR
    assert compiled.PREFIX + compiled.content_key() in str(twice.stats.cache_path)


def test_the_first_use_is_the_one_that_finds_nothing_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    assert compiled.first_use("fast")
    (tmp_path / "fast_0123").mkdir()
    (tmp_path / "fast_0123" / "steps.nbi").write_bytes(b"")
    assert not compiled.first_use("fast")
    assert compiled.first_use("classic")
    monkeypatch.setattr(compiled, "cache_folder", lambda: None)
    assert compiled.first_use("fast")


def test_old_folders_go_and_an_unwritable_place_is_no_place(tmp_path):
    for k in range(5):
        folder = tmp_path / f"{compiled.PREFIX}{k}"
        folder.mkdir()
        os.utime(folder, (1000 + k, 1000 + k))
    (tmp_path / "other").mkdir()
    compiled.remove_old(tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {
        "other",
        *(f"{compiled.PREFIX}{k}" for k in (2, 3, 4)),
    }
    (tmp_path / "file").write_text("")
    assert compiled.writable(tmp_path / "file" / "below") is None
