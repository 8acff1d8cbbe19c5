"""A text for a library's tracker: versions, the script, what it prints, what was expected. Nothing in it needs this package."""

from __future__ import annotations

import platform

from msvm_ref.conformance.atlas.entry import Entry, Finding
from msvm_ref.conformance.atlas.findings import shown_by_script

LANGUAGES = {".py": "python", ".R": "r", ".js": "javascript"}


def bug_report(entry: Entry, limit: float = 60.0) -> str:
    """One text for each finding whose script shows it here; one line for those that it does not show."""
    version = entry.probe.version()
    if not version:
        return f"{entry.name} is not installed here: {entry.install}"
    return "\n".join(_text(entry, version, finding, limit) for finding in entry.findings)


def _text(entry: Entry, version: str, finding: Finding, limit: float) -> str:
    result = shown_by_script(finding, limit)
    if not result["shown"]:
        return f"{entry.library} {version} does not show it here: {finding.title}\n"
    return f"""# {finding.title}

{entry.library} {version}, {entry.title}; {platform.system()} {platform.machine()}, Python {platform.python_version()}.

It minimises, as documented: {entry.convention.source}.

```{LANGUAGES[finding.path.suffix]}
{finding.path.read_text().strip()}
```

This prints

```text
{result["printed"]}
```

Expected: the script ends without an error.
"""
