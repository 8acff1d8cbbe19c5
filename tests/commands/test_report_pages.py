"""Reports on a phone: 390 px wide, dark, and nothing to scroll sideways for but what scrolls by itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from msvm_ref.cli import main
from tests.docs.webdriver import Browser, missing

PHONE = 390
REPORTS = {
    "validate": ["sklearn", "--check", "check_class_weights"],
    "claims": ["--id", "UV-C1"],
    "solve": ["iris"],
    "conventions": [],
}


@pytest.mark.skipif(bool(missing()), reason=missing() or "a browser is there")
def test_reports_are_readable_on_a_phone_in_the_dark(tmp_path: Path, monkeypatch) -> None:
    with Browser(PHONE, 800, dark=True) as phone:
        for name, arguments in REPORTS.items():
            page = tmp_path / f"{name}.html"
            words = [name, *arguments, "--report", str(page), "-q"]
            monkeypatch.setattr(sys, "argv", ["msvm-ref", *words])
            assert main() == 0
            phone.open(page.as_uri())
            assert phone.run("return document.documentElement.scrollWidth") <= PHONE, name
            colour = phone.run("return getComputedStyle(document.body).backgroundColor")
            light = [int(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
            assert max(light) < 64, (name, colour)
            text = page.read_text(encoding="utf-8")
            assert "msvm_ref 0." in text  # versions, date and command line
            assert f"msvm-ref {name}" in text
