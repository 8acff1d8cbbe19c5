"""The README and docs/ say what is so: snippets and commands print what is shown, links lead somewhere."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

import msvm_ref as mr
from msvm_ref.commands.listing import whole_parser
from tests.small_problems import DOCS, NIGHTLY

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN = PAGES if DOCS else PAGES[:1]
TEXT = {page: page.read_text(encoding="utf-8") for page in PAGES}
PYTHON = re.compile(r"^```python\n(.*?)^```\n(?:^```text\n(.*?)^```)?", re.M | re.S)
SHELL = re.compile(
    r"^(?:<!-- (nightly|shown)?(?:, )?(?:needs (\w+))? -->\n)?```sh[^\n]*\n(.*?)^```\n(?:^```text\n(.*?)^```)?",
    re.M | re.S,
)
"""(nightly or only shown, a program it needs, lines of shell, what they print); … stands for anything."""
SET_UP = ("pip ", "pytest ", "python -c ")
"""Lines that make an environment or need a repository: ``.ci/run`` has those."""


def stem(path: Path) -> str:
    return path.stem


def shows(shown: str, printed: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in shown.strip().split("…"))
    return re.fullmatch(pattern, printed.strip(), flags=re.S) is not None


@pytest.mark.parametrize("page", [p for p in RUN if PYTHON.search(TEXT[p])], ids=stem)
def test_snippets_print_what_the_page_shows(page: Path, tmp_path, monkeypatch) -> None:
    """One namespace a page, run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {"__name__": "docs"}
    for code, shown in PYTHON.findall(TEXT[page]):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page.name, "exec"), scope)
        assert shows(shown, printed.getvalue()), printed.getvalue()


SOLVER = """import msvm_ref as mr


class MySvm:  # WW with margins f_y - f_c >= 1
    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y):
        s = mr.solve(mr.Problem(mr.WW, X, y, C=4 * self.C))
        self.classes_, self.coef_ = s.problem.classes, s.W.T / 2
        return self

    def get_params(self, deep=True):
        return {"C": self.C}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the pages' commands speak of: tables, a claim, rounded weights, a package, a program."""
    X, y = load_iris(return_X_y=True)
    rows = [",".join([*map(str, x), f"class{label}"]) for x, label in zip(X, y, strict=True)]
    for name in ("data.csv", "train.csv", "new.csv"):
        (tmp_path / name).write_text("\n".join(["a,b,c,d,label", *rows]), encoding="utf-8")
    theirs = mr.solve(mr.Problem(mr.WW, X, y, C=4.0, bias="penalized"))
    halves = {"W": (theirs.W / 2).tolist(), "b": (theirs.b / 2).tolist()}
    claim = {"machine": "WW", "C": 1, "bias": "free", "data": "iris", **halves}
    (tmp_path / "theirs.json").write_text(json.dumps(claim), encoding="utf-8")
    truth = mr.solve(mr.Problem(mr.CS, X, y, C=4.0, bias="penalized"))
    rounded = {"W": truth.W.round(2).tolist(), "b": truth.b.round(2).tolist()}
    (tmp_path / "rounded.json").write_text(json.dumps(rounded), encoding="utf-8")
    (tmp_path / "mypkg").mkdir()
    (tmp_path / "mypkg" / "mod.py").write_text(SOLVER, encoding="utf-8")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "bin").mkdir()
    template = ROOT / "msvm_ref" / "conformance" / "program" / "templates" / "solver.py"
    programs = {"bin/msvm-ref": "-m msvm_ref", "bin/python": "", "my_svm": str(template)}
    for name, words in programs.items():
        (tmp_path / name).write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
        (tmp_path / name).chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("page", [p for p in RUN if SHELL.search(TEXT[p])], ids=stem)
def test_commands_print_what_the_page_shows(page: Path, folder: Path) -> None:
    """Each line of shell as it is written, by bash, with a verdict for an exit status."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    for when, needed, lines, shown in SHELL.findall(TEXT[page]):
        for words in filter(None, map(words_of, lines.splitlines())):
            assert whole_parser().parse_args(words) is not None
        left_out = when == "shown" or (when == "nightly" and not NIGHTLY)
        if left_out or (needed and shutil.which(needed) is None):
            continue
        printed = ""
        for line in lines.splitlines():
            if line.startswith(SET_UP):
                break
            done = subprocess.run(
                ["bash", "-c", line], cwd=folder, env=settings, capture_output=True, text=True
            )
            assert done.returncode in (0, 1), f"{line}\n{done.stderr}"
            assert "Traceback" not in done.stderr
            printed += done.stdout
        else:
            assert not shown or shows(shown, printed), printed


def words_of(line: str) -> list[str]:
    """The arguments of the msvm-ref command in a line, without what is behind it."""
    words = shlex.split(line, comments=True)
    if "msvm-ref" not in words:
        return []
    behind = words[words.index("msvm-ref") + 1 :]
    return list(takewhile(lambda word: word not in ("&&", "|", ">"), behind))


@pytest.mark.parametrize("page", sorted((ROOT / "examples").glob("*.y*ml")), ids=lambda p: p.name)
def test_ready_pieces_pass_with_a_right_solver(page: Path, folder: Path, monkeypatch, capsys):
    """The commands of the CI job and of the hook, one after the other, and the badge they make."""
    from msvm_ref.cli import main
    from msvm_ref.conformance.badge import main as badge

    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    told = re.findall(r"(?:run|entry): (.*)", page.read_text(encoding="utf-8"))
    lines = [line for line in told if line.startswith("msvm-ref ")]
    assert len(lines) == 1
    assert main(words_of(lines[0])) == 0, capsys.readouterr().out
    made = [line.split()[3:] for line in told if "conformance.badge" in line]
    for words in made:
        assert badge(words) in (0, None)
        assert "certified by msvm_ref" in (folder / words[-1]).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES[:2], ids=stem)
def test_links_lead_somewhere(page: Path) -> None:
    """mkdocs looks after those of docs/."""
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", TEXT[page])
    assert len(links) > 1
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_readme_is_a_front_page() -> None:
    assert len(TEXT[README].splitlines()) <= 150
    (shown,) = re.findall(r"^```py\n(.*?)^```", TEXT[README], re.M | re.S)
    assert shown in (ROOT / "examples" / "my_svm.py").read_text(encoding="utf-8")
    commands = re.findall(r"^## (?:Run|Test) it$.*?^```sh\n(.*?)^```", TEXT[README], re.M | re.S)
    assert [command.count("\n") for command in commands] == [1, 1]


def test_one_version_everywhere() -> None:
    """The package's; hatch reads the same line."""
    changes = re.findall(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", text_of("CHANGELOG.md"), re.M)
    assert changes[0] == mr.__version__
    assert f"\nversion: {mr.__version__}\n" in text_of("CITATION.cff")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [README, ROOT / "docs" / "machines.md"], ids=stem)
def test_the_machine_table_is_the_catalogue(page: Path) -> None:
    rows = dict(re.findall(r"^\| `(\w+)(?:\(g\))?` \| (\w+)", TEXT[page], flags=re.M))
    for machine in mr.CATALOGUE:
        assert rows[machine.name.split("(")[0]] == machine.margin_name.split("(")[0]
    assert len([name for name in rows if hasattr(mr, name)]) == len(mr.CATALOGUE)


def test_the_errata_are_numbered_as_the_ledger_cites_them() -> None:
    from msvm_ref.studies.papers import ledger

    page = TEXT[ROOT / "docs" / "mathematics.md"]
    sections = dict(re.findall(r'^### <a id="e(\d+)"></a>(.*?)(?=^#)', page, re.M | re.S))
    assert list(map(int, sections)) == list(range(1, len(sections) + 1))
    for claim in ledger.select():
        for erratum in claim.errata:
            assert re.search(rf"\b{claim.id}\b", sections[erratum[1:]]), (claim.id, erratum)


@pytest.mark.skipif(not DOCS, reason="runs with the extra docs")
def test_the_ready_test_names_the_bug_and_passes_without_it(tmp_path: Path) -> None:
    source = (ROOT / "examples" / "my_svm.py").read_text(encoding="utf-8")
    (tmp_path / "test_my_svm.py").write_bytes((ROOT / "examples" / "test_my_svm.py").read_bytes())
    outcomes = []
    for code in (source, source.replace("C / n", "C")):
        (tmp_path / "my_svm.py").write_text(code, encoding="utf-8")
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "check_C"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        outcomes.append((ran.returncode, "passed" in ran.stdout))
    assert outcomes == [(1, False), (0, True)]
