"""A few hundred mutated inputs for every reader, the same ones each time, and all that ever crashed one."""

from __future__ import annotations

import pytest

from tests.fuzz.drive import drive, limited
from tests.fuzz.readers import CRASHED, READERS

COUNT = {"model": 40, "vectors": 40, "claim": 60}
"""Readers that go on to judge what they read get fewer; `python -m tests.fuzz` runs the long way."""


@pytest.mark.parametrize("name", READERS)
def test_a_reader_raises_nothing_but_typed_refusals(name):
    reader = READERS[name]()
    for sample in reader.samples:
        reader.read(sample)
    failure = drive(reader, COUNT.get(name, 200))
    if failure is not None:
        content, error = failure
        raise AssertionError(f"{name} does not survive {content[:500]!r}") from error


@pytest.mark.parametrize("path", sorted(CRASHED.glob("*.bin")), ids=lambda p: p.stem)
def test_what_once_crashed_a_reader(path):
    with limited():
        READERS[path.name.split("-")[0]]().read(path.read_bytes())
