"""Imports point one way, the judge is independent, and importing the package is light."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import msvm_ref as mr

ROOT = Path(mr.__file__).parent
LAYER = {
    "errors": 0,
    "foreign": 0,
    "pictures": 0,
    "pages": 0,
    "threads": 0,
    "model": 1,
    "judge": 2,
    "exact": 3,
    "solvers": 4,
    "fisher": 5,
    "reductions": 5,
    "softmax": 5,
    "losses": 5,
    "datasets": 5,
    "estimator": 6,
    "conformance": 7,
    "studies": 7,
}
TOP = 8
VERIFIER = ROOT / "conformance" / "verifier"
"""A folder to be copied away from the package, which is why its imports are relative."""


@cache
def imports(path: Path) -> frozenset[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 or path.parent == VERIFIER, f"{path}: relative import"
            names.add("." * node.level + (node.module or ""))
    return frozenset(names)


def layer(module: str) -> int:
    parts = module.split(".")
    return LAYER.get(parts[1], TOP) if len(parts) > 1 else TOP


FILES = sorted(ROOT.rglob("*.py"))


def test_imports_point_downwards():
    for path in FILES:
        parts = path.relative_to(ROOT).with_suffix("").parts
        mine = LAYER.get(parts[0], TOP)
        for name in imports(path):
            if name.split(".")[0] == "msvm_ref" and parts != ("__init__",):
                assert layer(name) <= mine, f"{path.relative_to(ROOT)} imports {name}"


def test_the_judge_shares_no_line_with_a_solver():
    judges = [path for path in FILES if path.parent.name == "judge"]
    assert judges
    for path in judges:
        names = imports(path)
        heads = {name.split(".")[0] for name in names}
        solvers = {"cvxpy", "numba", "osqp", "ecos", "clarabel", "piqp", "sklearn"}
        assert not heads & solvers, path
        routes = ("msvm_ref.solvers.truth", "msvm_ref.solvers.fast")
        assert not any(name.startswith(routes) for name in names), path


def test_the_exact_checker_shares_no_code_with_the_finder():
    """Problem and kernels define what is checked; numbers, Grams, expansion and values are the checker's own."""
    ours = {n for n in imports(ROOT / "exact" / "check.py") if n.startswith("msvm_ref")}
    assert ours <= {"msvm_ref.model.problem", "msvm_ref.model.kernels"}


@pytest.mark.parametrize("path", sorted(VERIFIER.glob("*.py")), ids=lambda p: p.name)
def test_the_vectors_verifier_needs_the_standard_library_alone(path):
    assert all(
        name[0] == "." or name.split(".")[0] in sys.stdlib_module_names for name in imports(path)
    )


SOLVERS = [p for p in FILES if p.relative_to(ROOT).parts[0] == "solvers"]
DOOR = {f"msvm_ref.judge.{name}" for name in ("candidate", "certificate", "certify")}


def test_a_solver_sees_of_the_judge_the_candidate_and_the_door():
    assert SOLVERS
    for path in SOLVERS:
        seen = {name for name in imports(path) if name.startswith("msvm_ref.judge")}
        assert seen <= DOOR, (path, seen - DOOR)


def test_the_routes_share_nothing_but_model_and_candidate():
    shared = {
        "msvm_ref.judge.candidate",
        "msvm_ref.solvers.presolve",
        "msvm_ref.solvers.truth.backends",
    }
    for route in ("primal", "dual", "kesler"):
        ours = {
            n
            for n in imports(ROOT / "solvers" / "truth" / f"{route}.py")
            if n.startswith("msvm_ref")
        }
        assert all(n.startswith("msvm_ref.model") or n in shared for n in ours), ours


def test_importing_the_package_loads_neither_cvxpy_nor_numba():
    code = (
        "import sys, msvm_ref; heavy = {'cvxpy', 'numba', 'sklearn', 'scipy'} & set(sys.modules); "
        "assert not heavy, heavy; msvm_ref.WW; assert 'cvxpy' not in sys.modules; "
        "from msvm_ref.judge import certify; assert not {'cvxpy', 'numba'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_resolves_and_unknown_ones_do_not():
    for name in mr.__all__:
        assert getattr(mr, name) is not None
    assert set(mr.__all__) == set(dir(mr))
    with pytest.raises(AttributeError, match="nonsense"):
        _ = mr.nonsense
