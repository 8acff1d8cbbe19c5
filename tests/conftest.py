"""Fixtures over machines, biases and costs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

os.environ.setdefault("OMP_NUM_THREADS", "1")  # there is a process for each core

import pytest

import msvm_ref as mr
from tests.small_problems import BIASES, COSTS, MACHINES


@pytest.fixture(params=MACHINES, ids=lambda m: m.name)
def machine(request: pytest.FixtureRequest) -> mr.Machine:
    return request.param


@pytest.fixture(params=BIASES)
def bias(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=COSTS)
def cost(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
