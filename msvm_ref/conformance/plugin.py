"""The pytest plugin (entry point ``msvm_ref``): the marker ``msvm`` and ``--msvm-report PATH``. Loads nothing but pytest.

Tests made by ``msvm_ref.conformance.parametrize`` carry the marker, so ``pytest -m msvm`` runs only them. With
``--msvm-report`` their outcomes are written as JSON (.json) or Markdown (any other ending): one line per check.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("msvm", "multi-class SVM conformance")
    group.addoption(
        "--msvm-report",
        metavar="PATH",
        default=None,
        help="write the outcomes of msvm checks (.json or .md)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "msvm: a conformance check of msvm_ref over somebody's solver"
    )
    config.addinivalue_line("markers", "msvm_loss: such a check over somebody's loss function")
    path = config.getoption("--msvm-report")
    if path and not hasattr(config, "workerinput"):  # under xdist the controller writes
        config.pluginmanager.register(Reporter(Path(path)), "msvm-reporter")


class Reporter:
    """Collects the reports of marked tests and writes them at the end of the session."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if "msvm" not in report.keywords or not (
            report.when == "call" or report.skipped or report.failed
        ):
            return
        expected = hasattr(report, "wasxfail")
        status = "expected failure" if expected and report.skipped else report.outcome
        crash = getattr(report.longrepr, "reprcrash", None)
        message = (
            str(getattr(report, "wasxfail", ""))
            if expected
            else str(crash.message)
            if crash
            else ""
        )
        if report.skipped and not expected and isinstance(report.longrepr, tuple):
            message = str(report.longrepr[2])
        name = (
            report.nodeid.rpartition("[")[2].rstrip("]") if "[" in report.nodeid else report.nodeid
        )
        self.rows.append(
            {
                "name": name,
                "test": report.nodeid,
                "status": status,
                "message": message,
                "seconds": round(report.duration, 4),
            }
        )

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.path.suffix == ".json":
            self.path.write_text(
                json.dumps({"records": self.rows}, indent=1) + "\n", encoding="utf-8"
            )
            return
        lines = ["# msvm conformance", "", "| check | status | message |", "|---|---|---|"]
        for row in self.rows:
            text = (row["message"].splitlines() or [""])[0].replace("|", "\\|")
            lines.append(f"| {row['name']} | {row['status']} | {text} |")
        self.path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        bad = sum(row["status"] == "failed" for row in self.rows)
        terminalreporter.write_line(
            f"msvm: {len(self.rows)} checks, {bad} failed; report: {self.path}"
        )
