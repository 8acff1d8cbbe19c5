"""The notebooks as files: executed, small, free of noise, and with no number in their prose that no cell computed.

They are executed by ``pytest --nbmake notebooks`` (extra ``notebooks``), not here.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 300 * 1024

FENCED, CODE = re.compile(r"```.*?```", re.S), re.compile(r"`[^`]*`")
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]*\$", re.S)
CITED = re.compile(
    r"\((?:\d+|\d+\.\d+)'?\)"  # equations: (6), (6'), (1.4)
    r"|\b(?i:notebooks?|theorem|corollary|definitions?|table|figure|section|step|lemma) \d+(?:\.\d+)?(?: and \d+)?"
    r"|\b(?:19|20)\d\d\b"  # years
    r"|^\s*\d+\. ",
    re.M,
)  # numbered lists
NUMBER = re.compile(r"(?<![\w.])(?<![A-Za-z]-)\d+(?:\.\d+)?(?:e[-+]?\d+)?")
"""Not the 1 of M-1-SMO."""


def read(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    return [c for c in read(path)["cells"] if c["cell_type"] == kind]


def typed_numbers(text: str) -> list[str]:
    """Numbers in prose that are no citation, and in formulas those beyond a digit (constants of a formula are digits)."""
    text = CODE.sub("", FENCED.sub("", text))
    large = [n for formula in FORMULA.findall(text) for n in NUMBER.findall(formula) if len(n) > 1]
    return large + NUMBER.findall(CITED.sub("", FORMULA.sub("", text)))


def test_all_of_them_are_there() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == [
        f"{k:02d}" for k in range(1, len(NOTEBOOKS) + 1)
    ]
    others = {path.name for path in FOLDER.iterdir()} - {path.name for path in NOTEBOOKS}
    assert others <= {"conftest.py", "__pycache__"}, "only notebooks in notebooks/"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_executed_in_order_without_errors_or_noise(path: Path) -> None:
    code = cells(path, "code")
    assert [c["execution_count"] for c in code] == list(range(1, len(code) + 1))
    outputs = [o for c in code for o in c["outputs"]]
    assert not [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"]
    assert "/work/" not in json.dumps(outputs), "an output names a folder of the machine it ran on"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_closes_with_an_assertion(path: Path) -> None:
    last = read(path)["cells"][-1]
    assert last["cell_type"] == "code"
    assert isinstance(ast.parse("".join(last["source"])).body[-1], ast.Assert)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_small_and_stable(path: Path) -> None:
    notebook = read(path)
    assert path.stat().st_size < LARGEST
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert not [c["id"] for c in notebook["cells"] if c["metadata"]], "cell metadata is noise"
    assert [c["id"] for c in notebook["cells"]] == [
        f"nb{path.name[:2]}-{k + 1:02d}" for k in range(len(notebook["cells"]))
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_opens_with_prose_that_types_no_number(path: Path) -> None:
    notebook = read(path)
    assert "".join(notebook["cells"][0]["source"]).startswith("# ")
    numbers = {
        c["id"]: n for c in cells(path, "markdown") if (n := typed_numbers("".join(c["source"])))
    }
    assert not numbers, "compute these in a cell, or cite where they come from"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("the gap is 3e-9 (M-1-SMO)", ["3e-9"]),
        ("about 12 % of 150 points", ["12", "150"]),
        ("$C = 0.25$ is best", ["0.25"]),
        ("take $n = 150$", ["150"]),
        ("$\\tfrac12 \\lVert W \\rVert^2$ (Theorem 8, equation (6), JMLR 2016)", []),
        ("see section 3.3 and `float64`, `tol=1e-9`", []),
        ("1. first\n2. second", []),
        ("ZDO (1.4), (6')", []),
    ],
)
def test_the_rule_bites(text: str, numbers: list[str]) -> None:
    assert typed_numbers(text) == numbers
