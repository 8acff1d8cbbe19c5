"""A checker that shared code with its finder would share its mistakes: the import graph says that none does."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import msvm_ref.fisher

CHECKERS = sorted(Path(msvm_ref.fisher.__file__).parent.glob("check_*.py"))
ALLOWED = ("msvm_ref.errors", "msvm_ref.model.", "msvm_ref.fisher.check_", "msvm_ref.foreign")


@pytest.mark.parametrize("path", CHECKERS, ids=lambda p: p.stem)
def test_checkers_import_no_finder_and_no_linear_program(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            assert not name.startswith(("msvm_ref", "flint", "scipy", "cvxpy")) or name.startswith(
                ALLOWED
            ), f"{path.name} imports {name}"
