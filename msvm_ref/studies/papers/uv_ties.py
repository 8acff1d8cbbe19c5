"""UV's Table 5 prints 18.45 and 19.11 % for linear AMO and ATM on Opt. Digits. Is that an accuracy of the machines?

The prediction of a row is the machine's where one class leads at every W that the certificate allows. Where the optimum gives
several classes the same weights they tie on every row, and what a solver's last digits make of that is no accuracy of anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from msvm_ref.datasets import load
from msvm_ref.model.catalogue import AMO, ATM, WW
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.methods import solve
from msvm_ref.studies.experiments.uv_printed import TABLE_5, parsed
from msvm_ref.studies.papers.claim import Claim, Evidence

ROW, TABLE = "Opt. Digits", "optdigits"
TOLERANCE = 1e-7
MOST, FEW = 0.99, 0.1
"""Shares of the rows that are decided where a machine has an accuracy, and where it has none."""


@cache
def decided(machine: Machine, C: float) -> tuple[float, float, float]:
    """Of the official test rows the share that is decided; the median lead of the first class; the certified gap."""
    table = load(TABLE)
    size = table.X[: table.train].std(axis=0)
    X = table.X / np.where(size > 0, size, 1.0)
    train, test = X[: table.train], X[table.train :]
    problem = Problem(machine, train, table.y[: table.train], C=C)
    solution = solve(problem, "fast", tolerance=TOLERANCE)
    top = np.sort(solution.decision_function(test), axis=1)
    lead = top[:, -1] - top[:, -2]
    certain = solution.lead_interval(test)[:, 0] > 0
    return (float(certain.mean()), float(np.median(lead)), solution.certificate.relative_gap)


def decide(machines: Sequence[tuple[Machine, float]]) -> Evidence:
    """Do these machines, at this C, decide the class of the test rows?"""
    told, shares = [], []
    for machine, C in machines:
        share, lead, gap = decided(machine, C)
        shares.append(share)
        told.append(
            f"{machine.name} at C = {C:g}, certified to {gap:.0e}: {100 * share:.1f} % of the rows, "
            f"the first class leads by {lead:.0e}"
        )
    holds = True if min(shares) >= MOST else False if max(shares) <= FEW else None
    return Evidence(holds, f"official parts: {'; '.join(told)}")


_PRINTED = parsed(TABLE_5)
CLAIMS = (
    Claim(
        "UV-TAB5-TIES",
        "Table 5",
        f"linear AMO and ATM have accuracies on {ROW}, {_PRINTED[ROW, 'AMO'].value} and {_PRINTED[ROW, 'ATM'].value}: "
        "their optima decide the class of a row",
        f"certified optima at the C that cross-validation chooses, gap {TOLERANCE:g}: rows on which one class leads at every W "
        "the certificate allows",
        decide,
        ((AMO, 2.0), (ATM, 2.0)),
        ((WW, 0.25),),
        "a machine that does",
    ),
)
