"""Fixtures over machines, biases and costs."""

from __future__ import annotations

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
