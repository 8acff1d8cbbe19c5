"""The pytest plugin (entry point ``msvm_ref``): the marker ``msvm`` and ``--msvm-report PATH``. Loads nothing but pytest.

Tests made by ``msvm_ref.conformance.parametrize`` carry the marker, so ``pytest -m msvm`` runs only them. With
``--msvm-report`` their outcomes are written as a page (.html), as JSON (.json) or as Markdown (.md), one cause once.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

ENDINGS = (".html", ".json", ".md")
VERDICTS = {"failed": "FAILS", "expected failure": "known", "passed": "ok", "skipped": "skipped"}
Row = dict[str, Any]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("msvm", "multi-class SVM conformance")
    group.addoption(
        "--msvm-report",
        metavar="PATH",
        default=None,
        help="write the outcomes of msvm checks (.html, .json or .md)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "msvm: a conformance check of msvm_ref over somebody's solver"
    )
    config.addinivalue_line("markers", "msvm_loss: such a check over somebody's loss function")
    path = config.getoption("--msvm-report")
    if path and Path(path).suffix.lower() not in ENDINGS:
        raise pytest.UsageError(f"--msvm-report must end in {', '.join(ENDINGS)}, got {path!r}")
    if path and not hasattr(config, "workerinput"):  # under xdist the controller writes
        words = [str(word) for word in config.invocation_params.args]
        config.pluginmanager.register(Reporter(Path(path).absolute(), words), "msvm-reporter")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed check is its own message, in the summary too; --tb=long shows the test around it."""
    report = yield
    raised, style = call.excinfo, item.config.option.tbstyle
    failed = report.failed and raised is not None and raised.type.__name__ == "CheckFailed"
    if failed and raised is not None and style in ("auto", "short", "line"):
        report.longrepr = str(raised.value)
    return report


class Reporter:
    """Collects the reports of marked tests and writes them at the end of the session."""

    def __init__(self, path: Path, words: Sequence[str]) -> None:
        self.path, self.words = path, list(words)
        self.rows: list[Row] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if "msvm" not in report.keywords or not (
            report.when == "call" or report.skipped or report.failed
        ):
            return
        expected = hasattr(report, "wasxfail")
        status = "expected failure" if expected and report.skipped else report.outcome
        name = (
            report.nodeid.rpartition("[")[2].rstrip("]") if "[" in report.nodeid else report.nodeid
        )
        self.rows.append(
            {
                "name": name,
                "test": report.nodeid,
                "status": status,
                "message": _message(report, expected),
                "seconds": round(report.duration, 4),
            }
        )

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        makers = {".json": self._json, ".html": self._html, ".md": self._markdown}
        text = makers[self.path.suffix.lower()]()
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".msvm-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            os.chmod(name, 0o644)
            os.replace(name, self.path)  # whole, or not there
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        bad = sum(row["status"] == "failed" for row in self.rows)
        causes = len(self._causes())
        many = f", {causes} cause{'s' * (causes != 1)}" if bad else ""
        shown = os.path.relpath(self.path)
        terminalreporter.write_line(
            f"msvm: {len(self.rows)} checks, {bad} failed{many}; report: {shown}"
        )

    def _causes(self) -> dict[str, list[Row]]:
        """Failed rows by what explains them: the diagnosis without its numbers, else the message's second line."""
        causes: dict[str, list[Row]] = {}
        for row in self.rows:
            if row["status"] == "failed":
                causes.setdefault(_cause(row["message"]), []).append(row)
        return causes

    def _origin(self) -> dict[str, str]:
        from msvm_ref.pages import provenance

        return {**provenance(self.words), "command": " ".join(["pytest", *self.words])}

    def _sorted(self) -> list[Row]:
        return sorted(self.rows, key=lambda row: list(VERDICTS).index(row["status"]))

    def _json(self) -> str:
        causes = [
            {"cause": cause, "checks": [r["name"] for r in rows]}
            for cause, rows in self._causes().items()
        ]
        data = {"provenance": self._origin(), "causes": causes, "records": self.rows}
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"

    def _markdown(self) -> str:
        from msvm_ref.pages import provenance_text

        lines = ["# msvm conformance", ""]
        for cause, rows in self._causes().items():
            lines += [f"- **{_explains(rows)}**: {cause}", "", "  ```text"]
            lines += [f"  {line}" for line in rows[0]["message"].splitlines()]
            lines += ["  ```", ""]
        lines += ["| verdict | check | message |", "|---|---|---|"]
        for row in self._sorted():
            text = (row["message"].splitlines() or [""])[0].replace("|", "\\|")
            lines.append(f"| {VERDICTS[row['status']]} | {row['name']} | {text} |")
        return "\n".join([*lines, "", "```text", provenance_text(self._origin()), "```", ""])

    def _html(self) -> str:
        from msvm_ref.pages import Mark, article, escape, page, provenance_text, row, table

        marks: dict[str, Mark] = {
            "failed": "bad",
            "expected failure": "caution",
            "passed": "good",
            "skipped": "quiet",
        }
        counts = {s: sum(r["status"] == s for r in self.rows) for s in VERDICTS}
        parts = [f"<p>{', '.join(f'{n} {s}' for s, n in counts.items() if n) or 'no checks'}</p>"]
        for cause, rows in self._causes().items():
            message = f"<pre>{escape(rows[0]['message'])}</pre>"
            names = f"<p>{escape(', '.join(r['name'] for r in rows))}</p>"
            parts.append(
                article(
                    "bad",
                    "FAILS",
                    escape(_explains(rows)),
                    f"<p>{escape(cause)}</p>",
                    names,
                    message,
                )
            )
        told = (
            row(
                marks[r["status"]],
                VERDICTS[r["status"]],
                f"<code>{escape(r['name'])}</code>",
                escape((r["message"].splitlines() or [""])[0]),
                f"{r['seconds']:.2f} s",
            )
            for r in self._sorted()
        )
        parts.append(table(("verdict", "check", "", "time"), told))
        parts.append(f"<p class=quiet>{escape(provenance_text(self._origin()))}</p>")
        return page("msvm conformance", parts)


def _message(report: pytest.TestReport, expected: bool) -> str:
    if expected:
        return str(getattr(report, "wasxfail", ""))
    if report.skipped and isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    if isinstance(report.longrepr, str):
        return report.longrepr
    crash = getattr(report.longrepr, "reprcrash", None)
    message = str(crash.message) if crash else ""
    return re.sub(r"^[\w.]*CheckFailed: ", "", message)


def _cause(message: str) -> str:
    lines = message.splitlines() or [""]
    told = next((line for line in lines if line.startswith("diagnosis: ")), "")
    if told:
        words = told.removeprefix("diagnosis: ")
        words = re.sub(r"^the same as \w+: ", "", words)
        return re.sub(r" \(to [^)]*\)|; [\d.e+-]+ % above.*$", "", words)
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "#", lines[min(1, len(lines) - 1)])


def _explains(rows: Sequence[Row]) -> str:
    if len(rows) == 1:
        return str(rows[0]["name"])
    return f"one cause explains {len(rows)} checks"
