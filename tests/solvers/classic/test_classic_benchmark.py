"""The benchmark of the classic methods finds them in the registry and writes its section in the place of the last one."""

from __future__ import annotations

from benchmarks import classic
from msvm_ref.solvers.methods import METHODS


def test_every_classic_method_is_in_the_benchmark():
    found = {name for name, _ in classic.classic_methods()}
    assert found == {name for name, where in METHODS.items() if "classic" in where}
    assert {"m1-smo", "bsvm", "acf", "larank", "cutting-plane"} <= found


def test_the_section_replaces_the_last_one_and_nothing_else(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\nfirst\n\n{classic.HEADING}\n\nold\n\n## Next\n\nlast\n")
    for words in ("new", "newer"):
        classic.write(f"{classic.HEADING}\n\n{words} \\1\n", page)
        text = f"# Page\n\nfirst\n\n{classic.HEADING}\n\n{words} \\1\n\n## Next\n\nlast\n"
        assert page.read_text() == text
    page.write_text("# Page\n")
    for _ in range(2):
        classic.write(f"{classic.HEADING}\n\nadded\n", page)
        assert page.read_text() == f"# Page\n\n{classic.HEADING}\n\nadded\n"
