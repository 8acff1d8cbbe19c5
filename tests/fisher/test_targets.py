from __future__ import annotations

import json
import random
from fractions import Fraction
from math import lcm

import numpy as np
import pytest

from msvm_ref.errors import DataError, SpecError
from msvm_ref.fisher import (
    consistent_for,
    discrete_target,
    embedded_loss,
    fisher_consistency,
    minimize_risk,
    standard_targets,
    verify_target,
)
from msvm_ref.fisher.check_data import RawLoss
from msvm_ref.fisher.loss import dot
from msvm_ref.fisher.mixtures import mixture_size
from msvm_ref.fisher.target_consistency import _parts
from msvm_ref.model.catalogue import AMO, ATS, CATALOGUE, CS, LLW, MMR, MMR_ORTHO, OVA, RM, WW
from msvm_ref.model.machine import ABSOLUTE, OTHERS_MAX, OTHERS_SUM, Machine
from tests.small_problems import NIGHTLY, label, table

F = Fraction
SERVED = {
    3: {
        "WW": {"partitions"},
        "CS": {"abstain(1/2)", "absolute"},
        "LLW": {"0-1"},
        "MMR": {"top-2", "least"},
        "MMR_ORTHO": set(),
        "RM(1/2)": {"0-1"},
        "OVA": {"abstain(1/2)", "absolute"},
        "AMO": {"abstain(1/3)"},
        "ATM": {"abstain(1/3)"},
        "ATS": {"0-1"},
    },
    4: {
        "WW": {"partitions"},
        "CS": {"abstain(1/2)"},
        "LLW": {"0-1"},
        "MMR": {"least"},
        "MMR_ORTHO": set(),
        "RM(1/2)": {"0-1"},
        "OVA": {"abstain(1/2)"},
        "AMO": {"abstain(1/4)"},
        "ATM": {"abstain(1/4)"},
        "ATS": set(),
    },
    5: {
        "WW": {"partitions"},
        "CS": {"abstain(1/2)"},
        "LLW": {"0-1"},
        "MMR": {"least"},
        "MMR_ORTHO": set(),
        "RM(1/2)": {"0-1"},
        "OVA": {"abstain(1/2)"},
        "AMO": {"abstain(1/5)"},
        "ATM": {"abstain(1/5)"},
        "ATS": set(),
    },
}


@pytest.mark.parametrize(
    ("machine", "d"), table((CATALOGUE,), ((3, 4, 5) if NIGHTLY else (3, 4),)), ids=label
)
def test_the_standard_targets_each_machine_serves(machine, d):
    embedded, served = embedded_loss(machine, d), set()
    for target in standard_targets(d):
        result = consistent_for(machine, target, d, embedded=embedded)
        if d < 5 or not result.consistent:
            result.verify()
        if result:
            served.add(target.name)
    assert served == SERVED[d][machine.name]


def test_two_classes_every_machine_but_one_serves_every_target():
    for machine in CATALOGUE:
        for target in standard_targets(2):
            assert bool(consistent_for(machine, target, 2)) == (machine is not MMR_ORTHO)


def test_a_machine_is_consistent_for_what_it_embeds():
    tilted = Machine("tilted", ABSOLUTE, OTHERS_MAX, [[1, 2, 0], [0, 1, 1], [1, 1, -2]])
    for machine, d in ((WW, 3), (ATS, 4), (RM(F(3, 4)), 3), (tilted, 3), (MMR_ORTHO, 3)):
        embedded = embedded_loss(machine, d)
        result = consistent_for(machine, embedded.losses, d, embedded=embedded)
        assert result
        assert result.link.table == tuple(range(embedded.count))
        assert result.link.constant == (mixture_size(embedded) if embedded.count > 1 else 0)
        result.verify()


def test_how_many_rows_a_loss_vector_mixes():
    sizes = {m.name: mixture_size(embedded_loss(m, 4)) for m in CATALOGUE}
    assert sizes == {
        "WW": 4, "CS": 2, "LLW": 4, "MMR": 4, "MMR_ORTHO": 1, "RM(1/2)": 4, "OVA": 2, "AMO": 2,
        "ATM": 2, "ATS": 4,
    }  # fmt: skip


def grid(d, total):
    return [tuple(F(v, total) for v in parts) for parts in _parts(total, d)]


def brute(embedded, target):
    """Some report is optimal at all P of each row's cell, P over a grid fine enough to hold every vertex."""
    total = lcm(*(v.denominator for Q in embedded.corners for v in Q))
    cells = dict.fromkeys(embedded.losses)
    for P in grid(embedded.d, total):
        least = min(dot(P, row) for row in embedded.losses)
        values = [dot(P, row) for row in target]
        best = {r for r, v in enumerate(values) if v == min(values)}
        for row in embedded.losses:
            if dot(P, row) == least:
                cells[row] = best if cells[row] is None else cells[row] & best
    return all(cells.values())


@pytest.mark.parametrize("machine", [WW, CS, OVA, MMR, AMO, LLW, ATS], ids=lambda m: m.name)
def test_random_targets_agree_with_brute_force(machine):
    rng, embedded, verdicts = random.Random(7), embedded_loss(machine, 3), set()
    merged = [embedded.losses[rng.randrange(embedded.count)] for _ in range(2)]
    for trial in range(14):
        rows = [[rng.randint(0, 3) for _ in range(3)] for _ in range(rng.randint(2, 5))]
        if (
            trial % 3 == 0
        ):  # coarser than what is embedded: some of its rows, and one row that is always worse
            rows = [*merged, [9, 9, 9]] if trial else [*embedded.losses, [9, 9, 9]]
        result = consistent_for(machine, rows, 3, embedded=embedded)
        assert result.consistent == brute(embedded, result.target.losses)
        result.verify()
        verdicts.add(result.consistent)
    assert verdicts == {True, False}


@pytest.mark.parametrize(
    ("machine", "target"),
    [
        (CS, "abstain(1/2)"),
        (CS, "absolute"),
        (WW, "partitions"),
        (LLW, "0-1"),
        (ATS, "0-1"),
        (MMR, "top-2"),
    ],
    ids=lambda v: getattr(v, "name", v),
)
def test_the_link_keeps_its_promises_at_random_scores(machine, target):
    rng = random.Random(3)
    result = consistent_for(machine, target, 3)
    link = result.link
    for _ in range(60):
        P = [F(rng.randint(0, 6), 1) for _ in range(3)]
        P = [p / (sum(P) or 1) for p in P] if any(P) else [F(1), F(0), F(0)]
        least = minimize_risk(machine, P)
        if rng.random() < 0.5:
            f = [F(rng.randint(-20, 20), 7) for _ in range(3)]
        else:  # just within epsilon of a minimiser
            f = [v + link.epsilon * F(rng.randint(-49, 49), 100) for v in least.minimiser]
        mean = sum(f) / 3 if machine.sum_to_zero else F(0)
        f = [v - mean for v in f]
        report = link.choose(f)
        regret = dot(P, RawLoss(machine, 3).losses(f)) - least.value
        values = [dot(P, row) for row in result.target.losses]
        assert values[report] - min(values) <= link.constant * regret
        if max(abs(a - b) for a, b in zip(f, least.minimiser, strict=True)) < link.epsilon:
            assert values[report] == min(values)


def test_the_table_is_where_the_rule_starts_from():
    """At a report's own scores the rule's choice is optimal on the whole cell."""
    result = consistent_for(CS, "abstain(1/2)", 3)
    assert [result.target.labels[r] for r in result.link.table] == ["1", "2", "3", "abstain"]
    for report, cell in zip(result.embedded.reports, result.embedded.cells, strict=True):
        chosen = result.target.losses[result.link.choose(report.scores)]
        for P in cell.vertices:
            assert dot(P, chosen) == min(dot(P, row) for row in result.target.losses)


def test_print_and_json():
    text = str(consistent_for(CS, "0-1", 3))
    assert "NOT consistent for 0-1" in text
    assert "(0, 0, 0)" in text
    text = str(consistent_for(CS, "abstain(1/2)", 3))
    assert "consistent for abstain(1/2) through a link" in text
    data = json.loads(consistent_for(WW, "partitions", 3).to_json())
    verify_target(WW, data)
    assert data["link"]["constant"] == "3"


def changed(data, *path, value):
    copy = json.loads(json.dumps(data))
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return copy


def test_a_false_yes_is_refused():
    data = consistent_for(CS, "abstain(1/2)", 3).to_dict()
    verify_target(CS, data)
    damaged = [
        changed(data, "link", "table", 0, "report", value=3),
        changed(data, "link", "table", 1, "report", value=0),
        changed(data, "link", "table", 0, "report", value=9),
        changed(data, "link", "table", value=data["link"]["table"][1:]),
        changed(data, "link", "constant", value="1/2"),
        changed(data, "link", "constant", value="2"),
        changed(data, "link", "mixture", value=1),
        changed(data, "link", "epsilon", value="1"),
        changed(data, "link", "epsilon", value=None),
        changed(data, "target", "losses", 3, value=["2/3", "2/3", "2/3"]),
        changed(data, "embedded", "pieces", value=data["embedded"]["pieces"][:1]),
        changed(data, "embedded", value=None),
        changed(data, "consistent", value=False),
        changed(data, "link", value=None),
        changed(data, "d", value=4),
    ]
    for bad in damaged:
        with pytest.raises(DataError):
            verify_target(CS, bad)
    with pytest.raises(DataError):
        verify_target(OVA, data)


def test_a_false_no_is_refused():
    data = consistent_for(CS, "0-1", 3).to_dict()
    verify_target(CS, data)
    first = data["clash"]["P"][0]
    damaged = [
        changed(data, "clash", "P", 1, value=first),
        changed(data, "clash", "P", 0, value=["1", "0", "0"]),
        changed(data, "clash", "P", 0, value=["1", "1", "-1"]),
        changed(data, "clash", "P", value=[first]),
        changed(data, "clash", "scores", 0, value="1"),
        changed(data, "clash", "losses", 0, value="2"),
        changed(data, "clash", "optimal", 0, value=[0]),
        changed(data, "clash", "multipliers", 0, value=[["0"] * 3] * 3),
        changed(data, "clash", "multipliers", 0, 0, 1, value="-1"),
        changed(data, "target", "losses", value=[["0", "0", "0"]]),
        changed(data, "consistent", value=True),
        changed(data, "clash", value=None),
    ]
    for bad in damaged:
        with pytest.raises(DataError):
            verify_target(CS, bad)


def test_named_targets():
    assert discrete_target("top-2", 4).labels[0] == "{1, 2}"
    assert len(discrete_target("partitions", 4).losses) == 74
    assert discrete_target("hierarchical", 4).losses[0] == (0, 1, 2, 2)
    assert discrete_target("hierarchical", 3).losses == ((0, 1, 2), (1, 0, 2), (2, 2, 0))
    assert discrete_target("absolute", 3).losses[2] == (2, 1, 0)
    assert discrete_target("ABSTAIN(0.25)", 3).losses[3] == (F(1, 4),) * 3
    assert discrete_target(np.eye(3), 3).losses[1] == (0, 1, 0)
    assert discrete_target([["1/3", 0.1], [1, F(2)]], 2).losses[0] == (F(1, 3), F(1, 10))
    assert {t.name: t.symmetric for t in standard_targets(3)} == {
        "0-1": True, "abstain(1/2)": True, "abstain(1/3)": True, "top-2": True, "least": True,
        "absolute": False, "hierarchical": False, "partitions": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("target", "match"),
    [
        ("top-3", "top-1 to top-2"),
        ("top-x", "top-1"),
        ("top-999999999999", "top-1"),
        ("abstain(2)", "0 to 1"),
        ("abstain(1e999999999)", "rational"),
        ("abstain(x)", "rational"),
        ("accuracy", "be one of"),
        ([[0, 1], [1, 0]], "3 classes"),
        ([0, 1, 1], "matrix"),
        ([[0, 1, 1], [1, 0]], "matrix"),
        ([[0, 1, float("nan")]], "rational"),
        ([[0, 1, None]], "rational"),
        (3, "matrix"),
    ],
    ids=str,
)
def test_targets_that_are_none_are_refused_at_once(target, match):
    with pytest.raises(DataError, match=match):
        consistent_for(WW, target, 3)


def test_refusals():
    with pytest.raises(SpecError, match="at most 8"):
        consistent_for(WW, "0-1", 9)
    with pytest.raises(SpecError, match="polyhedral"):
        consistent_for(WW.with_cost("quadratic"), "0-1", 3)
    with pytest.raises(DataError, match="be about CS"):
        consistent_for(CS, "0-1", 3, embedded=embedded_loss(OVA, 3))
    link = consistent_for(LLW, "0-1", 3).link
    with pytest.raises(DataError, match="sum to 0"):
        link.choose([1, 1, 1])
    with pytest.raises(DataError, match="each of the 3 classes"):
        link.choose([1, -1])
    with pytest.raises(DataError, match="finite"):
        link.choose([float("nan"), 0, 0])


def test_argmax_and_a_link_are_different_questions():
    """Scores that mean the next class break argmax and not the link."""
    nu = LLW.nu(3)
    turned = [[[nu[y][c][(m + 1) % 3] for m in range(3)] for c in range(3)] for y in range(3)]
    machine = Machine("turned", turned, OTHERS_SUM, 1, True)
    assert consistent_for(machine, "0-1", 3)
    assert not fisher_consistency(machine, 3)
