"""What a command says: text or JSON on standard output, remarks on standard error, files that are whole or not there."""

from __future__ import annotations

import argparse
import codecs
import contextlib
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msvm_ref.commands.parser import PICTURES, TEXT_REPORTS, UsageError
from msvm_ref.commands.table import folded, screen
from msvm_ref.errors import StoreError

ASCII = {
    "·": "|", "…": "~", "≤": "<=", "≥": ">=", "−": "-", "–": "-", "×": "x", "±": "+-", "½": "1/2",
    "✓": "ok", "‖": "||", "←": "<-", "→": "->", "└": "-", "α": "alpha", "γ": "gamma", "ξ": "xi",
    "ν": "nu", "μ": "mu", "ρ": "rho", "σ": "sigma", "λ": "lambda", "Σ": "sum", "Δ": "Delta",
    "Φ": "Phi", "Π": "Pi", "∈": "in", "∞": "inf", "²": "^2", "⊥": "_ORTHO", "∇": "grad",
}  # fmt: skip
"""What stands for a symbol where the terminal's encoding (cp1252, ascii) has none."""


def survive_any_encoding() -> None:
    """Make standard output and error fall back to ASCII symbols instead of dying of UnicodeEncodeError."""
    codecs.register_error("msvm-ascii", _fallback)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and (stream.encoding or "").lower() not in (
            "utf-8",
            "utf8",
        ):
            stream.reconfigure(errors="msvm-ascii")


def _fallback(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(ASCII.get(c, "?") for c in text), error.end


def remark(options: argparse.Namespace, text: str) -> None:
    """A line on standard error, unless --quiet."""
    if not options.quiet:
        print(text, file=sys.stderr, flush=True)


def emit(options: argparse.Namespace, title: str, text: str | Callable[[], str], data: Any) -> None:
    """``text`` (or ``data`` as JSON with --json) on standard output, and every --report."""
    words = text() if callable(text) and (options.report or not options.json) else text
    if options.json:
        print(as_json(data))
    else:
        print(folded(str(words), screen() - 1) if sys.stdout.isatty() else words)
    for path in options.report:
        write_text(path, _report(Path(path).suffix.lower(), title, str(words), data))
        remark(options, f"report: {path}")


def as_json(data: Any) -> str:
    """JSON that every reader takes: infinities and NaN become strings."""
    return json.dumps(plain(data), indent=1, ensure_ascii=False, allow_nan=False)


def plain(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(k): plain(v) for k, v in data.items()}
    if isinstance(data, (list, tuple)):
        return [plain(v) for v in data]
    if isinstance(data, float) and not math.isfinite(data):
        return str(data)
    return data


def _report(ending: str, title: str, text: str, data: Any) -> str:
    from msvm_ref.pages import escape, page, provenance, provenance_text

    origin = provenance()
    if ending == ".json":
        more = data if isinstance(data, dict) else {"results": data}
        return as_json({**more, "provenance": origin}) + "\n"
    if ending == ".md":
        return f"# {title}\n\n```text\n{text}\n```\n\n```text\n{provenance_text(origin)}\n```\n"
    end = f"<p class=quiet>{escape(provenance_text(origin))}</p>"
    return page(title, [f"<pre>{escape(text)}</pre>", end])


def check_report(options: argparse.Namespace, endings: Sequence[str] = TEXT_REPORTS) -> None:
    """Refuse a --report that could not be written, before the work."""
    for path in options.report:
        check_writable("--report", path, endings)


def check_plot(path: str | None) -> None:
    """Refuse a --plot that could not be written or drawn, before the work."""
    if path is not None:
        from msvm_ref.pictures import pyplot

        check_writable("--plot", path, PICTURES)
        pyplot()


def check_writable(option: str, path: str, endings: Sequence[str] = ()) -> None:
    """UsageError unless a file of that name can be made there."""
    file = Path(path)
    try:
        if endings and file.suffix.lower() not in endings:
            raise UsageError(f"{option} must end in {' or '.join(endings)}, got {path!r}")
        if not path or file.is_dir():
            raise UsageError(f"{option} must name a file, got {path!r}")
        if not file.absolute().parent.is_dir():
            raise UsageError(f"{option} must lie in a folder that exists, got {path!r}")
        if file.exists() and not os.access(file, os.W_OK):
            raise UsageError(f"{option} must be a file that can be written, got {path!r}")
        with tempfile.NamedTemporaryFile(dir=file.absolute().parent, prefix=".msvm-"):
            pass
    except (OSError, ValueError) as error:
        raise UsageError(f"{option} must be a file that can be written: {error}") from error


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[str]:
    """The name of a temporary file that takes the place of ``path`` when the block ends well, and is gone when it does not."""
    final = Path(path)
    handle, name = tempfile.mkstemp(
        suffix=final.suffix, prefix=".msvm-", dir=final.absolute().parent
    )
    os.close(handle)
    try:
        yield name
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, final)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def write_text(path: str | Path, text: str) -> None:
    """UTF-8, all of it or nothing."""
    try:
        with whole_file(path) as name:
            Path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(
            str(path), "be written whole", str(error), "free some space, or name another place"
        ) from error
