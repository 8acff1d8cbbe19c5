"""The documentation builds without a warning, and a browser without a network can read it.

Needs the extra ``docs``; the browser tests also need Debian's chromium and chromium-driver. ``.ci/run`` installs both.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.webdriver import Browser, missing
from tests.small_problems import DOCS

ROOT = Path(__file__).parents[2]
PHONE = 390
pytestmark = pytest.mark.skipif(
    not DOCS, reason="mkdocs is not installed: pip install -e '.[docs]'"
)
in_a_browser = pytest.mark.skipif(bool(missing()), reason=missing() or "a browser is there")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a warning (a dead link, a missing name, a page outside the navigation) is an error."""
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, str]:
    return {
        str(path.relative_to(site)): path.read_text(encoding="utf-8")
        for path in site.rglob("*.html")
    }


def test_every_page_of_the_navigation_is_built(pages: dict[str, str]) -> None:
    named = re.findall(r": ([\w/-]+)\.md$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M)
    assert len(named) > 30
    assert {f"{name}.html" for name in named} <= set(pages)


def test_nothing_is_loaded_from_the_network(pages: dict[str, str]) -> None:
    loaded = re.compile(
        r"<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=[\"']?(?:https?:)?//[^\"' >]+"
    )
    assert not {name: loaded.findall(text) for name, text in pages.items() if loaded.search(text)}


def test_every_public_name_has_its_entry(pages: dict[str, str]) -> None:
    import msvm_ref as mr

    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"^```python\n(.*?)^```", page, re.M | re.S))
    shown = {name for name in mr.__all__ if re.search(rf"\bmr\.{name}\b", code)}
    assert set(mr.__all__) - shown == set(), "public names without an example that runs"
    documented = set(re.findall(r"^::: msvm_ref\.(\w+)$", page, re.M))
    for name in documented:
        assert f'id="msvm_ref.{name}"' in pages["api.html"]
    constants = {name for name in mr.__all__ if name.isupper()}
    spaces = {name for name in mr.__all__ if re.search(rf"^#+ mr\.{name}$", page, re.M)}
    assert set(mr.__all__) - documented - constants - spaces == set()


@pytest.fixture(scope="module", params=["wide", "phone", "dark"])
def reader(request: pytest.FixtureRequest) -> Iterator[Browser]:
    width = PHONE if request.param == "phone" else 1280
    with Browser(width, dark=request.param == "dark") as browser:
        yield browser


@in_a_browser
def test_front_page(site: Path, reader: Browser) -> None:
    reader.open((site / "index.html").as_uri())
    assert "msvm_ref" in reader.run("return document.title")
    assert reader.run("return document.querySelectorAll('.walk-box').length") >= 5
    assert readable(reader)
    assert reader.console() == []


@in_a_browser
def test_search_finds_kesler(site: Path, reader: Browser) -> None:
    reader.open((site / "index.html").as_uri())
    reader.run("document.querySelector('label[for=__search]').click()")
    reader.wait("return document.querySelector('.md-search__input').offsetWidth > 0")
    reader.type(".md-search__input", "Kesler")
    found = reader.wait(
        "return [...document.querySelectorAll('.md-search-result__link')].map(a => a.getAttribute('href')).join(' ')"
    )
    assert "mathematics.html" in found
    assert "notebooks/03-kesler.html" in found
    assert reader.console() == []


@in_a_browser
@pytest.mark.parametrize("page", ["mathematics.html", "notebooks/02-unified-dual.html"])
def test_formulas_are_rendered(site: Path, reader: Browser, page: str) -> None:
    reader.open((site / page).as_uri())
    asked = reader.wait(
        "return document.readyState == 'complete' && document.querySelectorAll('.arithmatex').length"
    )
    drawn = reader.wait(
        f"const n = document.querySelectorAll('.arithmatex .katex-html').length; return n >= {asked} && n"
    )
    assert drawn == asked > 5
    assert reader.run("return document.querySelectorAll('.katex-error').length") == 0
    loaded = (
        "return [...document.fonts].filter(f => f.status == 'loaded').map(f => f.family).join()"
    )
    assert "KaTeX_Main" in reader.wait(loaded)
    assert readable(reader)
    assert reader.console() == []


@in_a_browser
@pytest.mark.parametrize(
    "page",
    ["validate", "gallery", "command-line", "api", "architecture", "benchmarks", "certified"],
)
def test_wide_pages_stay_readable(site: Path, reader: Browser, page: str) -> None:
    reader.open((site / f"{page}.html").as_uri())
    assert readable(reader)
    broken = "return [...document.images].filter(i => i.complete && !i.naturalWidth).length"
    assert reader.run(broken) == 0
    assert reader.console() == []


def readable(browser: Browser) -> bool:
    """The page is no wider than the window, text is large enough, and ink stands out from paper (WCAG AA, 4.5)."""
    page, window = browser.run("return [document.documentElement.scrollWidth, window.innerWidth]")
    assert page <= window, f"scrolls sideways: {page} px in a window of {window}"
    size, ink, paper = browser.run(
        "const text = document.querySelector('article p'), style = getComputedStyle(text);"
        "return [parseFloat(style.fontSize), style.color, getComputedStyle(document.body).backgroundColor]"
    )
    assert size >= 13
    assert contrast(ink, paper) >= 4.5, (ink, paper)
    return True


def contrast(ink: str, paper: str) -> float:
    """(L1 + 0.05) / (L2 + 0.05) of two CSS colours, the ink laid over the paper where it is transparent."""
    below = channels(paper)[:3]
    *above, opacity = channels(ink)
    mixed = [opacity * a + (1 - opacity) * b for a, b in zip(above, below, strict=True)]
    high, low = sorted((luminance(mixed), luminance(below)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def channels(css: str) -> list[float]:
    numbers = [float(v) for v in re.findall(r"[\d.]+", css)]
    return numbers if len(numbers) == 4 else [*numbers, 1.0]


def luminance(rgb: list[float]) -> float:
    linear = [v / 12.92 if (v := c / 255) <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for c in rgb]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
