"""Solvers that hang, crash, or touch what is around them; numpy alone, so that a process that runs them starts quickly."""

from __future__ import annotations

import os
import time

import numpy as np

from tests.conformance.gradient import projected_gradient


def never_returns(X, y, C):
    while True:
        time.sleep(0.05)


def prints_without_end(X, y, C):
    while True:
        print("x" * 10_000)


def takes_the_interpreter_along(X, y, C):
    os._exit(7)


def crashes(X, y, C):
    os.abort()


def reads_standard_input(X, y, C):
    return {"W": np.full((2, 3), float(len(input())))}


def hangs_on_nan(X, y, C):
    while np.isnan(X).any():
        time.sleep(0.05)
    raise ValueError("infinite")


def raises(X, y, C):
    raise ZeroDivisionError("out of cheese")


def leaves(X, y, C):
    raise SystemExit("gone")


def hangs_at_13(X, y, C):
    while C == 13.0:
        time.sleep(0.05)
    return {"W": np.full((2, 3), C), "decision_function": lambda Z: np.zeros((len(Z), 3))}


class SharedBuffer:
    buffers: dict = {}  # noqa: RUF012 (shared on purpose)

    def __call__(self, X, y, C):
        W = projected_gradient(X, y, C)["W"]
        buffer = self.buffers.setdefault(W.shape, np.zeros(W.shape))
        buffer[:] = W
        return {"W": buffer}


class StaleWarmStart:
    last = None

    def __call__(self, X, y, C):
        W = projected_gradient(X, y, C)["W"]
        if self.last is not None and self.last.shape == W.shape:
            return {"W": self.last}
        self.last = W
        return {"W": W}


def mutates_its_input(X, y, C):
    out = projected_gradient(np.array(X), y, C)
    X -= X.mean(axis=0)
    return out


def writes_to_x(X, y, C):
    X[:] = X
    return projected_gradient(X, y, C)


def hard_coded_seed(X, y, C):
    np.random.seed(0)  # noqa: NPY002
    return projected_gradient(X, y, C)


def lucky_start(X, y, C):
    out = projected_gradient(X, y, C)
    unlucky = np.random.get_state()[1][0] == 12345  # noqa: NPY002
    return out | {"W": out["W"] / 2} if unlucky else out


def reads_memory_in_order(X, y, C):
    X = np.asarray(X)
    return projected_gradient(X.ravel(order="K").reshape(X.shape), y, C)


TOUCHING = {
    "check_copy_is_independent": SharedBuffer(),
    "check_refit": StaleWarmStart(),
    "check_input_unchanged": mutates_its_input,
    "check_readonly_input": writes_to_x,
    "check_global_random_state": hard_coded_seed,
    "check_repeatable": lucky_start,
    "check_noncontiguous_input": reads_memory_in_order,
}
"""Bugs that show in what a fit does to the objects around it, by the check that must see them."""
