"""Kernels compiled before the newest source are dropped, later ones kept."""

from __future__ import annotations

import os

from msvm_ref.solvers.compiled import drop_stale_kernels


def test_only_what_is_older_than_the_newest_source_goes(tmp_path):
    cache = tmp_path / "__pycache__"
    cache.mkdir()
    ages = {"old.nbi": 100, "old.1.nbc": 150, "new.nbi": 300, "new.1.nbc": 300, "caller.pyc": 100}
    for name, age in ages.items():
        (cache / name).write_bytes(b"")
        os.utime(cache / name, (age, age))
    for name, age in (("caller.py", 50), ("callee.py", 200)):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (age, age))
    drop_stale_kernels(str(tmp_path / "__init__.py"))
    assert {p.name for p in cache.iterdir()} == {"new.nbi", "new.1.nbc", "caller.pyc"}
    drop_stale_kernels(str(tmp_path / "elsewhere" / "__init__.py"))


def test_both_packages_with_kernels_ask_for_it():
    import msvm_ref.solvers.classic
    import msvm_ref.solvers.fast

    for package in (msvm_ref.solvers.classic, msvm_ref.solvers.fast):
        assert package.drop_stale_kernels is drop_stale_kernels
