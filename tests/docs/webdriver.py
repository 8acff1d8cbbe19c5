"""Chromium through chromedriver's HTTP protocol, with the standard library alone: enough to open a page and ask it things."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.small_problems import DOCS

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)


def missing() -> str:
    """Why no browser is driven here; empty where one is."""
    if not DOCS:
        return "the extra docs is not installed: pip install -e '.[docs]'"
    absent = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return (
        f"{' and '.join(absent)} not installed (apt-get install chromium chromium-driver)"
        * bool(absent)
    )


class Browser:
    """One window; ``width`` in px, ``dark`` for a reader who prefers dark pages."""

    def __init__(self, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={self.port}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.session = ""
        try:
            self._wait_for_driver()
            options = {
                "binary": shutil.which("chromium"),
                "args": [*FLAGS, f"--user-data-dir={self.profile}"],
            }
            wanted = {
                "browserName": "chrome",
                "goog:chromeOptions": options,
                "goog:loggingPrefs": {"browser": "ALL"},
            }
            answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.session = f"/session/{answer['sessionId']}"
            metrics = {
                "width": width,
                "height": height,
                "deviceScaleFactor": 1,
                "mobile": width < 600,
            }
            self.devtools("Emulation.setDeviceMetricsOverride", **metrics)
            scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
            self.devtools("Emulation.setEmulatedMedia", features=[scheme])
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self.session:
            self._ask("DELETE", self.session)
        self.driver.terminate()
        self.driver.wait(timeout=20)
        shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, url: str) -> None:
        self._ask("POST", f"{self.session}/url", {"url": url})

    def run(self, script: str, *arguments: Any) -> Any:
        """What the body of a JavaScript function returns in the page."""
        return self._ask(
            "POST", f"{self.session}/execute/sync", {"script": script, "args": list(arguments)}
        )

    def wait(self, script: str, seconds: float = 15.0) -> Any:
        """The first true value of ``script``; AssertionError after ``seconds``."""
        end = time.monotonic() + seconds
        while not (value := self.run(script)):
            assert time.monotonic() < end, f"never true in the page: {script}"
            time.sleep(0.1)
        return value

    def type(self, selector: str, text: str) -> None:
        element = self._ask(
            "POST", f"{self.session}/element", {"using": "css selector", "value": selector}
        )
        (name,) = element.values()
        self._ask("POST", f"{self.session}/element/{name}/value", {"text": text})

    def console(self) -> list[str]:
        """Errors and warnings that the page logged since the last call."""
        entries = self._ask("POST", f"{self.session}/se/log", {"type": "browser"})
        return [e["message"] for e in entries if e["level"] in ("SEVERE", "WARNING")]

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._ask("GET", f"{self.session}/screenshot")))

    def devtools(self, command: str, **parameters: Any) -> Any:
        body = {"cmd": command, "params": parameters}
        return self._ask("POST", f"{self.session}/goog/cdp/execute", body)

    def _wait_for_driver(self) -> None:
        end = time.monotonic() + 20
        while True:
            try:
                if self._ask("GET", "/status")["ready"]:
                    return
            except OSError:
                assert time.monotonic() < end, "chromedriver does not answer"
            time.sleep(0.1)

    def _ask(self, verb: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=verb,
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error
