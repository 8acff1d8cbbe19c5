"""One name for one thing, and a word on every field a user can see."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import msvm_ref as mr

ROOT = Path(mr.__file__).parent


@cache
def classes() -> list[tuple[Path, ast.ClassDef]]:
    return [
        (path, node)
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    ]


def test_no_two_classes_have_one_name():
    where = defaultdict(list)
    for path, node in classes():
        where[node.name].append(str(path.relative_to(ROOT)))
    assert {name for name, paths in where.items() if len(paths) > 1} == set()


VISIBLE = {
    "conformance": "Case Diagnosis Finding Fixture Record Relation Trial",
    "datasets": "Dataset",
    "exact": "ExactOptimum",
    "fisher": "ConsistencyResult Counterexample Descent Empty Proof ProofCase Property3 RiskMinimum Split Threshold",
    "model": "Basis Convention Factor Posed Representation",
    "reductions": "BinarySVM ClassSplit Dag DagWalk MarginInterval MarginTree OneVsAll OneVsOne Samples",
    "softmax": "SoftmaxOneVsRest SoftmaxProblem SoftmaxSolution",
    "solvers": "KeslerKernel",
    "studies": "CircleCell CircleRow CircleStudy Claim ComparisonRow Decision Evidence KdeRegime Method OnePoint "
    "TheoremFinding",
}
"""Data classes that public functions take or return."""


def fields_without_a_word(node: ast.ClassDef) -> list[str]:
    following = [*node.body[1:], None]
    return [
        entry.target.id
        for entry, after in zip(node.body, following, strict=True)
        if isinstance(entry, ast.AnnAssign) and not isinstance(after, ast.Expr)
    ]


def test_every_field_of_a_visible_class_is_documented():
    for package, name in [(k, n) for k, names in VISIBLE.items() for n in names.split()]:
        (node,) = (
            node
            for path, node in classes()
            if node.name == name
            and path.relative_to(ROOT).parts[0] == package
            and any("dataclass" in ast.unparse(d) for d in node.decorator_list)
        )
        assert ast.get_docstring(node), name
        assert not fields_without_a_word(node), name
