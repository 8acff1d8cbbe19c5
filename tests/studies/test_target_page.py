"""The page in a real browser: a click in a cell shows the report that the exact engine gives."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from msvm_ref.cli import main
from msvm_ref.fisher import embedded_loss
from msvm_ref.fisher.loss import dot
from msvm_ref.model.catalogue import RM, machine_named
from msvm_ref.model.machine import OTHERS_MAX, Machine
from msvm_ref.studies.target_page import MACHINES, target_page
from tests.docs.webdriver import Browser, missing

F = Fraction
in_a_browser = pytest.mark.skipif(bool(missing()), reason=missing() or "a browser is there")
CLICKS = [(0.5, 0.2), (0.3, 0.55), (0.47, 0.62), (0.72, 0.7), (0.2, 0.8), (0.55, 0.6), (0.5, 0.64)]
"""Across and down, as shares of the picture."""
OWN = Machine(
    "own",
    [
        [[2, 0, 0], [0, -1, 0], [1, 0, -1]],
        [[-1, 0, 0], [0, 1, 0], [0, 1, -2]],
        [[-1, 0, 1], [0, -1, 0], [0, 0, 1]],
    ],
    OTHERS_MAX,
    [[1, 2, 1], [0, 1, 1], [1, F(1, 2), 1]],
)


def test_the_page_is_self_contained(tmp_path):
    assert main(["targets", "--html", str(tmp_path / "out.html")]) == 0
    text = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert text == target_page()
    assert "/*DATA*/" not in text
    assert not re.search(r"(src|href)\s*=|https?://(?!www\.w3\.org/2000/svg)|@import|url\(", text)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "learned.html"
    path.write_text(target_page(), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser(page):
    with Browser(1200, 860) as window:
        window.open(page)
        window.wait("return document.getElementById('verdict').textContent")
        yield window


def click(browser: Browser, across: float, down: float) -> dict[str, str]:
    """Press the mouse there, and what the page then says."""
    box = browser.run(
        "const b = document.getElementById('triangle').getBoundingClientRect();"
        "return [b.left, b.top, b.width, b.height]"
    )
    at = {
        "x": box[0] + across * box[2],
        "y": box[1] + down * box[3],
        "button": "left",
        "clickCount": 1,
    }
    for kind in ("mousePressed", "mouseReleased"):
        browser.devtools("Input.dispatchMouseEvent", type=kind, **at)
    names = ("P1", "P2", "P3", "scores", "losses", "risk", "predicted", "bayes", "verdict")
    return browser.run(
        "return Object.fromEntries(arguments[0].map(n => "
        "[n, document.getElementById(n).value ?? document.getElementById(n).textContent]))",
        list(names),
    )


def rationals(text: str) -> list[Fraction]:
    return [F(v.replace("−", "-")) for v in re.findall(r"−?\d+(?:/\d+)?", text)]


def said_rightly(shown: dict[str, str], embedded) -> None:
    """Everything the page says about its P is what the exact engine says."""
    P = [F(shown[f"P{i}"]) for i in (1, 2, 3)]
    assert sum(P) == 1
    least = embedded.least_risk(P)
    assert rationals(shown["risk"]) == [least]
    optimal = {row for row in embedded.losses if dot(P, row) == least}
    assert {tuple(rationals(v)) for v in shown["losses"].split(" or ")} == optimal
    bayes = [c + 1 for c in range(3) if P[c] == max(P)]
    assert rationals(shown["bayes"]) == bayes
    if len(optimal) > 1:
        assert "border" in shown["verdict"]
        return
    report = next(r for r in embedded.reports if r.losses in optimal)
    assert tuple(rationals(shown["scores"])) == report.scores
    assert rationals(shown["predicted"]) == [c + 1 for c in report.predicted]
    right = {c + 1 for c in report.predicted} <= set(bayes)
    assert shown["verdict"].startswith("right" if right else "wrong")


@in_a_browser
@pytest.mark.parametrize("name", ["WW", "CS", "LLW", "MMR", "MMR_ORTHO", "ATS", "RM(3/4)"])
def test_a_click_shows_the_report_of_the_exact_engine(browser, name):
    number = [m.name for m in MACHINES].index(name)
    browser.run(
        "const m = document.getElementById('machine'); m.value = arguments[0]; m.dispatchEvent(new Event('change'))",
        str(number),
    )
    embedded = embedded_loss(machine_named(name), 3)
    for across, down in CLICKS:
        said_rightly(click(browser, across, down), embedded)
    assert not browser.console()


@in_a_browser
def test_a_machine_typed_into_the_page_is_computed_rightly(browser):
    browser.run(
        "document.getElementById('own').open = true;"
        "document.getElementById('nu').value = arguments[0]; document.getElementById('gamma').value = arguments[1];"
        "document.getElementById('delta').value = arguments[2]; document.getElementById('zero').checked = false;"
        "document.getElementById('use').click()",
        "\n".join(" ".join(map(str, row)) for plane in OWN.nu(3) for row in plane),
        "\n".join(" ".join(map(str, row)) for row in OWN.gamma(3)),
        OWN.aggregation.name,
    )
    assert not browser.run("return document.getElementById('error').textContent")
    embedded = embedded_loss(OWN)
    assert f"{embedded.count} report" in browser.run(
        "return document.getElementById('learns').textContent"
    )
    for across, down in CLICKS:
        shown = click(browser, across, down)
        P = [F(shown[f"P{i}"]) for i in (1, 2, 3)]
        least = embedded.least_risk(P)
        assert rationals(shown["risk"]) == [least]
        optimal = {row for row in embedded.losses if dot(P, row) == least}
        assert {tuple(rationals(v)) for v in shown["losses"].split(" or ")} == optimal


@in_a_browser
def test_the_reinforced_machine_by_its_g(browser):
    browser.run(
        "document.getElementById('g').value = '2/3'; document.getElementById('use-g').click();"
        "document.getElementById('use').click()"
    )
    embedded = embedded_loss(RM(F(2, 3)), 3)
    for across, down in CLICKS:
        shown = click(browser, across, down)
        assert rationals(shown["risk"]) == [
            embedded.least_risk([F(shown[f"P{i}"]) for i in (1, 2, 3)])
        ]


@in_a_browser
@pytest.mark.parametrize(
    ("box", "value", "complaint"),
    [
        ("nu", "1 2 3", "9 lines"),
        ("gamma", "1 1 x\n1 1 1\n1 1 1", "no number"),
        ("nu", "-1 0 0\n" * 9, "margin"),
    ],
)
def test_mistakes_are_told(browser, box, value, complaint):
    browser.run(
        "document.getElementById('use-g').click(); document.getElementById(arguments[0]).value = arguments[1];"
        "document.getElementById('use').click()",
        box,
        value,
    )
    assert complaint in browser.run("return document.getElementById('error').textContent")


@in_a_browser
def test_a_phone_needs_no_sideways_scrolling(page, tmp_path):
    with Browser(390, 800, dark=True) as phone:
        phone.open(page)
        phone.wait("return document.getElementById('verdict').textContent")
        assert phone.run("return document.documentElement.scrollWidth") <= 390
        assert not phone.console()
        phone.picture(Path(tmp_path) / "phone.png")
