"""The README and docs/ say what is so: snippets print what is shown, commands parse, links lead somewhere."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import msvm_ref as mr

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXT = {page: page.read_text(encoding="utf-8") for page in PAGES}
PYTHON = re.compile(r"^```python\n(.*?)^```\n(?:^```text\n(.*?)^```)?", re.M | re.S)
SHELL = re.compile(r"^```sh[^\n]*\n(.*?)^```", re.M | re.S)
EXECUTED = re.compile(r"^<!-- executed -->\n```sh\n(.*?)^```\n^```text\n(.*?)^```", re.M | re.S)
"""A command in a page that is run, and prints what is shown below it; … stands for anything."""


def stem(path: Path) -> str:
    return path.stem


def shows(shown: str, printed: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in shown.strip().split("…"))
    return re.fullmatch(pattern, printed.strip(), flags=re.S) is not None


@pytest.mark.parametrize("page", [p for p in PAGES if PYTHON.search(TEXT[p])], ids=stem)
def test_snippets_print_what_the_page_shows(page: Path, tmp_path, monkeypatch) -> None:
    """One namespace a page, run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {"__name__": "docs"}
    for code, shown in PYTHON.findall(TEXT[page]):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page.name, "exec"), scope)
        assert shows(shown, printed.getvalue()), printed.getvalue()


@pytest.mark.parametrize("page", [p for p in PAGES if EXECUTED.search(TEXT[p])], ids=stem)
def test_commands_print_what_the_page_shows(page: Path, tmp_path, monkeypatch, capsys) -> None:
    from msvm_ref.cli import main

    monkeypatch.chdir(tmp_path)
    for command, shown in EXECUTED.findall(TEXT[page]):
        for line in command.splitlines():
            assert main(words_of(line)[0]) in (0, 1)
        printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
        assert shows(shown, printed), printed


@pytest.fixture(scope="module")
def parser() -> argparse.ArgumentParser:
    sys.path.insert(0, str(ROOT / "docs" / "tools"))
    try:
        import command_line
    finally:
        sys.path.pop(0)
    return command_line.parsers()


def words_of(line: str) -> list[list[str]]:
    """The arguments of each msvm-ref command in a line of shell, comments and redirections left out."""
    words = shlex.split(line, comments=True)
    found: list[list[str]] = []
    inside = False
    for word in words:
        if word == "msvm-ref":
            found.append([])
            inside = True
        elif word in ("&&", "||", "|", ">", ";"):
            inside = False
        elif inside:
            found[-1].append(word)
    return found


@pytest.mark.parametrize(
    "page", [*PAGES, *sorted((ROOT / "examples").glob("*.y*ml"))], ids=lambda p: p.name
)
def test_commands_are_understood(page: Path, parser: argparse.ArgumentParser) -> None:
    if page.suffix == ".md":
        lines = [line for block in SHELL.findall(TEXT[page]) for line in block.splitlines()]
    else:
        told = re.findall(r"(?:run|entry): (.*)", page.read_text(encoding="utf-8"))
        lines = [line for line in told if "msvm-ref " in line]
        assert lines
    for line in lines:
        for words in words_of(line):
            assert parser.parse_args(words) is not None, line


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
    assert list(map(int, sections)) == list(range(1, 24))
    for claim in ledger.select():
        for erratum in claim.errata:
            assert re.search(rf"\b{claim.id}\b", sections[erratum[1:]]), (claim.id, erratum)


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
