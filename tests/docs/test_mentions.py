"""No text sends its reader to a document that is not in the repository."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = {
    path.relative_to(ROOT).as_posix()
    for path in ROOT.rglob("*")
    if path.is_file() and not {".git", "site", "node_modules"} & set(path.relative_to(ROOT).parts)
}
MADE_BY_THE_SITE = {"certified.md", "changelog.md", "command-line.md", "vectors-format.md"}
MADE_BY_THE_READER = {"report.md"}
MENTION = re.compile(
    r"(?<![\w:/.<{-])((?:[A-Za-z_][\w-]*/)*[A-Za-z_][\w-]*\.(?:md|py|pdf|tex|ipynb))(?![\w(])"
)
TEXTS = sorted(
    name
    for name in FILES
    if (
        name.startswith(("msvm_ref/", "docs/", "properties/", "benchmarks/", "notebooks/"))
        and name.endswith((".py", ".md", ".ipynb"))
    )
    or name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "mkdocs.yml")
)


def missing(text: str) -> set[str]:
    return {
        name
        for name in MENTION.findall(text)
        if name not in MADE_BY_THE_SITE | MADE_BY_THE_READER
        and not any(file == name or file.endswith(f"/{name}") for file in FILES)
    }


@pytest.mark.parametrize("folder", sorted({name.partition("/")[0] for name in TEXTS}))
def test_what_a_text_mentions_is_there(folder):
    lost = {
        name: missing((ROOT / name).read_text(encoding="utf-8"))
        for name in TEXTS
        if name.partition("/")[0] == folder
    }
    assert not {name: files for name, files in lost.items() if files}


def test_private_notes_are_not_cited():
    """The plan the project was built from is not published, so nobody may be sent to it by its name either."""
    private = re.compile(r"\b(?:MATH|DESIGN|UX|BRIEF)\b(?:\.md)?(?: section| §|\.md)")
    for name in TEXTS:
        assert not private.search((ROOT / name).read_text(encoding="utf-8")), name


def test_a_lost_document_is_noticed():
    assert missing("as docs/proofs.md and judge/certify.py say") == {"docs/proofs.md"}
    assert missing("see exact/check.py, docs/mathematics.md and report.md") == set()
