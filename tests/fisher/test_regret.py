from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from msvm_ref.errors import DataError, SpecError
from msvm_ref.fisher import (
    consistent_for,
    embedded_loss,
    fisher_consistency,
    minimize_risk,
    regret_constant,
    verify_regret,
)
from msvm_ref.fisher.calibration import Segment, lower_envelope, lower_hull, non_decreasing
from msvm_ref.fisher.check_data import RawLoss
from msvm_ref.fisher.loss import dot
from msvm_ref.fisher.mixtures import bounded_faces
from msvm_ref.fisher.target_consistency import _parts
from msvm_ref.model.catalogue import ATS, CATALOGUE, CS, LLW, MMR_ORTHO, OVA, RM, WW
from msvm_ref.model.machine import (
    ABSOLUTE,
    OTHERS_MAX,
    OTHERS_SUM,
    RELATIVE,
    TOTAL_SUM,
    Machine,
    Target,
)
from tests.fisher.test_consistency import weighted_llw
from tests.small_problems import NIGHTLY, by_night

F = Fraction
BY_ARGMAX = [(LLW, 3), (LLW, 4), (RM(), 3), (RM(F(1, 4)), 4), (ATS, 3), (OVA, 2), (WW, 2)]
AROUND_ARGMAX = [*BY_ARGMAX, (weighted_llw((1, 2, 3), (1, 1, 1)), 3)]
IDS = [f"{m.name}-{d}" for m, d in AROUND_ARGMAX]


@pytest.mark.parametrize("d", [2, 3, 4] if NIGHTLY else [2, 3])
def test_argmax_is_used_exactly_where_it_is_consistent(d):
    for machine in CATALOGUE:
        found = regret_constant(machine, d)
        assert found.argmax == fisher_consistency(machine, d).consistent, machine.name
        found.verify()


@by_night
def test_the_constants_of_the_catalogue():
    for d in (3, 4, 5):
        for machine in (LLW, RM(), RM(F(1, 4))):
            assert regret_constant(machine, d).kappa == 1
    assert regret_constant(ATS, 3).kappa == 1
    assert regret_constant(OVA, 2).kappa == regret_constant(ATS, 2).kappa == F(1, 2)
    through_links = {3: 3, 4: 3, 5: 5}
    for d, value in through_links.items():
        assert regret_constant(WW, d).kappa == value
    assert regret_constant(CS, 4).kappa == 2
    assert regret_constant(MMR_ORTHO, 4).kappa == 0


def test_the_calibration_function_of_llw_at_three_classes():
    found = regret_constant(LLW, 3)
    assert found.breakpoints == ((0, 0), (F(1, 2), F(1, 2)), (F(2, 3), 1), (1, F(3, 2)))
    assert [found.delta(x) for x in (0, "1/4", 0.5, F(7, 12), 1)] == [
        0,
        F(1, 4),
        F(1, 2),
        F(3, 4),
        F(3, 2),
    ]


@pytest.mark.parametrize(("machine", "d"), AROUND_ARGMAX, ids=IDS)
def test_kappa_is_never_beaten_and_is_attained(machine, d):
    """10^5 random (P, f), half of the f near scores that some part of the evidence names, all in integers."""
    found, rng = regret_constant(machine, d), np.random.default_rng(5)
    unit, top = 24, 48
    rows = np.array([[int(v * unit) for v in row] for row in found.embedded.losses])
    assert all(v * unit == int(v * unit) for row in found.embedded.losses for v in row)
    n = 100_000
    P = rng.integers(0, 7, (n, d)) * (rng.random((n, d)) < 0.7)
    P[np.arange(n), rng.integers(0, d, n)] += 1
    f = rng.integers(-top, top + 1, (n, d))
    named = np.array([[int(v * 12) for v in p.ranked] for r in found.rankings for p in r.parts])
    near = named[rng.integers(0, len(named), n // 2)] + rng.integers(-2, 3, (n // 2, d))
    f[: n // 2] = near
    if machine.sum_to_zero:
        f[:, -1] = -f[:, :-1].sum(axis=1)
    losses = integer_losses(machine, d, f)
    regret = (P * losses).sum(axis=1) - (P @ rows.T).min(axis=1)  # unit times the sum of P
    assert regret.min() >= 0
    ranked = f == f.max(axis=1, keepdims=True)
    worst = np.where(ranked, P.max(axis=1, keepdims=True) - P, -1).max(axis=1)
    kappa = found.kappa
    assert (worst * unit * kappa.denominator <= kappa.numerator * regret).all()
    w = found.extremal
    surrogate = (
        dot(w.P, RawLoss(machine, d).losses(list(w.scores))) - minimize_risk(machine, w.P).value
    )
    assert w.P[w.j] - w.P[w.k] == kappa * surrogate
    assert surrogate > 0
    assert w.scores[w.k] == max(w.scores)


def integer_losses(machine, d, f):
    """24 L(f / 12), exactly: every coefficient of these machines is a multiple of 1/2 (of 1/4 with g = 1/4)."""
    nu = np.array([[[int(v * 4) for v in row] for row in plane] for plane in machine.nu(d)])
    gamma = np.array([[int(v * 48) for v in row] for row in machine.gamma(d)])
    violation = np.maximum(gamma - np.einsum("ycm,nm->nyc", nu, f), 0)  # 48 t
    counted = violation * machine.aggregation.mask(d)
    total = counted.sum(axis=2) if machine.aggregation.slack == "own" else counted.max(axis=2)
    assert (total % 2 == 0).all() or machine.name == "RM(1/4)"
    return total / 2 if machine.name == "RM(1/4)" else total // 2


@pytest.mark.parametrize(("machine", "d"), AROUND_ARGMAX, ids=IDS)
def test_delta_is_a_floor_and_is_attained(machine, d):
    found, rng = regret_constant(machine, d), random.Random(11)
    loss = RawLoss(machine, d)
    for _ in range(300):
        weights = [rng.choice([0, 0, 1, 2, 3, 5]) for _ in range(d)]
        weights[rng.randrange(d)] += 1
        P = [F(w, sum(weights)) for w in weights]
        f = [F(rng.randint(-9, 9), 4) for _ in range(d)]
        f[-1] = -sum(f[:-1]) if machine.sum_to_zero else f[-1]
        level = max(max(P) - P[k] for k in range(d) if f[k] == max(f))
        regret = dot(P, loss.losses(f)) - found.embedded.least_risk(P)
        assert regret >= found.delta(level)
    for stretch in found.calibration:
        for end, w in zip((stretch.left, stretch.right), stretch.witnesses, strict=True):
            assert found.delta(end[0]) == end[1]
            assert dot(w.P, loss.losses(list(w.scores))) - found.embedded.least_risk(w.P) == end[1]
            assert w.P[w.j] - w.P[w.k] >= end[0]
    assert max(x / y for x, y in found.breakpoints[1:]) == found.kappa


def test_classes_alike_or_not_the_constant_is_the_same():
    """LLW with an idle component spoilt is searched over the whole simplex, Bayes borders and all."""
    nu = [[list(row) for row in plane] for plane in LLW.nu(3)]
    nu[0][0][0] = 2
    spoilt, plain = (
        regret_constant(Machine("LLW", nu, OTHERS_SUM, 1, True)),
        regret_constant(LLW, 3),
    )
    assert not spoilt.embedded.symmetric
    assert (spoilt.kappa, spoilt.breakpoints) == (plain.kappa, plain.breakpoints)
    spoilt.verify()


def test_scaling_the_loss_scales_kappa():
    twice = Machine("LLW", LLW.margin, OTHERS_SUM, Target(F(2), F(2)), True)
    assert regret_constant(twice, 3).kappa == F(1, 2)


def changed(data, *path, value):
    copy = json.loads(json.dumps(data))
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value(at[path[-1]]) if callable(value) else value
    return copy


def test_false_constants_by_argmax_are_refused():
    data = regret_constant(ATS, 3).to_dict()
    verify_regret(ATS, data)
    parts = data["rankings"][0]["parts"]
    smaller = {"kappa": "9/10", "lower": "9/10", "upper": "9/10"}
    larger = {"kappa": "2", "lower": "2", "upper": "2"}
    damaged = [
        {**data, **smaller},
        {**data, **larger},
        {**data, "upper": "2"},
        {**data, "by": "fiat"},
        {**data, "symmetric": False},
        changed(data, "rankings", value=data["rankings"][:1]),
        changed(data, "rankings", 0, "parts", value=parts[1:]),
        changed(data, "rankings", 0, "parts", value=[*parts, parts[0]]),
        changed(
            data, "rankings", 0, "parts", 0, "losses", value=lambda v: [str(F(x) + 1) for x in v]
        ),
        changed(data, "rankings", 0, "parts", 0, "best", value=2),
        changed(data, "rankings", 0, "parts", 0, "ranked", value=parts[0]["scores"]),
        changed(data, "rankings", 0, "points", 0, "P", value=["0", "1", "0"]),
        changed(data, "rankings", 0, "points", 0, "order", value=["0", "-1", "0"]),
        changed(data, "rankings", 0, "points", 0, "order", value=["7", "0", "0"]),
        changed(data, "rankings", 0, "points", 0, "multipliers", value=[["0"] * 3] * 3),
        changed(data, "rankings", 0, "points", 1, "least", value=[["0"] * 3] * 3),
        changed(data, "extremal", "k", value=0),
        changed(data, "extremal", "scores", value=["2", "-1", "-1"]),
        changed(data, "extremal", "P", value=["1/3", "1/3", "1/3"]),
        changed(data, "calibration", value=data["calibration"][1:]),
        changed(data, "calibration", 0, "right", 1, value=lambda v: str(F(v) / 2)),
        changed(data, "calibration", 0, "right", 1, value=lambda v: str(F(v) * 2)),
        changed(data, "calibration", -1, "right", 1, value=lambda v: str(F(v) * 2)),
        changed(data, "calibration", 0, "witnesses", 0, "scores", value=["0", "0", "0"]),
        changed(data, "calibration", 0, "witnesses", value=[]),
    ]
    for bad in damaged:
        with pytest.raises(DataError):
            verify_regret(ATS, bad)
    with pytest.raises(DataError):
        verify_regret(LLW, data)


def test_parts_that_overlap_do_not_make_up_for_parts_that_lack():
    """A region listed twice under other corners has the right volume in all; it is refused for naming a part twice."""
    data = regret_constant(ATS, 3).to_dict()
    parts = data["rankings"][0]["parts"]
    assert len(parts) > 1
    bad = changed(data, "rankings", 0, "parts", value=[parts[0]] * len(parts))
    with pytest.raises(DataError, match="each part once"):
        verify_regret(ATS, bad)


def test_false_constants_through_a_link_are_refused():
    data = regret_constant(CS, 3).to_dict()
    verify_regret(CS, data)
    damaged = [
        {**data, "kappa": "1", "lower": "1", "upper": "1"},
        {**data, "kappa": "3", "lower": "3", "upper": "3"},
        {**data, "kappa": None, "lower": "1"},
        {**data, "kappa": None, "lower": "1", "upper": "1"},
        {**data, "by": "argmax"},
        changed(data, "embedded", "pieces", value=data["embedded"]["pieces"][1:]),
        changed(data, "simplex", "losses", value=[["0", "2", "2"]]),
        changed(data, "simplex", "losses", value=[["0", "2", "2"], ["2", "0", "2"]]),
        changed(data, "simplex", "losses", value=[["0", "2", "2"], ["0", "2", "2"]]),
        changed(data, "simplex", "P", value=["1/2", "1/2", "0"]),
        changed(data, "scores", value=["0", "0", "0"]),
        changed(data, "simplex", "without", value=[]),
        changed(data, "simplex", "without", 0, value=data["simplex"]["P"]),
    ]
    for bad in damaged:
        with pytest.raises(DataError):
            verify_regret(CS, bad)


SQUARE = Machine("square", ABSOLUTE, TOTAL_SUM, [[3, 3, 3], [1, 0, 3], [0, 3, 3]])
"""Some bounded faces of its U have four rows in a plane: neither a simplex nor the mixture size says what kappa is."""
BENT = Machine(
    "bent", RELATIVE, OTHERS_MAX, [[1, 2, 0, 3], [3, 3, 2, 0], [3, 1, 2, 0], [3, 1, 3, 2]]
)


@pytest.mark.parametrize("machine", [SQUARE, BENT, WW], ids=lambda m: m.name)
def test_the_best_link_has_exactly_kappa(machine):
    """The rule of link.py follows the best link, so its worst ratio is kappa: never more, and attained."""
    d = machine.fixed_d or 4
    found, rng = regret_constant(machine, d), random.Random(8)
    found.verify()
    link = consistent_for(machine, found.embedded.losses, d, embedded=found.embedded).link
    assert min(link.ratios(found.scores))[0] == found.kappa
    for _ in range(8 if machine is WW else 60):
        if rng.random() < 0.7:  # near the hardest scores
            f = [v + F(rng.randint(-4, 4), rng.choice([3, 8, 20])) for v in found.scores]
        else:
            f = [F(rng.randint(-12, 12), 5) for _ in range(d)]
        f[-1] = -sum(f[:-1]) if machine.sum_to_zero else f[-1]
        assert min(link.ratios(f))[0] <= found.kappa


def test_the_hardest_loss_vector_by_brute_force():
    """Over a grid of mixtures of the rows of each bounded face, none is harder than the one that was found."""
    found = regret_constant(SQUARE)
    assert found.simplex is None
    corners = list(found.embedded.corner_risks.items())
    hardest = F(0)
    for _, rows in bounded_faces(found.embedded):
        for parts in _parts(12, len(rows)):
            u = [sum(F(w, 12) * v[c] for w, v in zip(parts, rows, strict=True)) for c in range(3)]
            ratios = []
            for v in found.embedded.losses:
                pairs = [(dot(Q, v) - least, dot(Q, u) - least) for Q, least in corners]
                if all(e or not g for g, e in pairs):
                    ratios.append(max((g / e for g, e in pairs if g), default=F(0)))
            hardest = max(hardest, min(ratios))
    assert found.kappa * F(3, 4) < hardest <= found.kappa


def test_false_constants_by_faces_are_refused():
    data = regret_constant(SQUARE).to_dict()
    verify_regret(SQUARE, data)
    kappa = F(data["kappa"])

    def stated(value):
        return {**data, **dict.fromkeys(("kappa", "lower", "upper"), str(value))}

    def to_leaf(tree):
        path = []
        while isinstance(tree, dict):
            path += ["ways", 0]
            tree = tree["ways"][0]
        return path

    leaf = ["faces", 0, "tree", *to_leaf(data["faces"][0]["tree"])]
    damaged = [
        stated(kappa * F(9, 10)),
        stated(kappa * F(11, 10)),
        stated(1),
        {**data, "upper": str(kappa + 1), "kappa": None},
        {**data, "scores": ["0", "0", "0"]},
        {**data, "scores": ["1", "0", "0"]},
        {**data, "faces": []},
        {**data, "faces": [data["faces"][0]]},
        changed(data, "faces", 0, "P", value=["1", "0", "0"]),
        changed(data, "faces", 0, "tree", value=["1"]),
        changed(data, "faces", 0, "tree", value=[]),
        changed(data, "faces", 0, "tree", "row", value=99),
        changed(data, "faces", 0, "tree", "ways", value=lambda ways: ways[1:]),
        changed(data, *leaf, value=lambda w: ["0"] * len(w)),
        changed(data, *leaf, value=lambda w: ["1"] * len(w)),
        changed(data, *leaf, value=lambda w: [*w, "0"]),
        changed(data, "embedded", "pieces", value=lambda pieces: pieces[1:]),
    ]
    for bad in damaged:
        with pytest.raises(DataError):
            verify_regret(SQUARE, bad)


def test_too_many_games_leave_an_enclosure(monkeypatch):
    import msvm_ref.fisher.link_regret as link_regret

    monkeypatch.setattr(link_regret, "MOST_GAMES", 1)
    found = regret_constant(SQUARE)
    assert found.kappa is None
    assert found.lower < found.upper
    assert "between" in str(found)
    found.verify()


def test_print():
    text = str(regret_constant(LLW, 3))
    assert "κ = 1" in text
    assert "δ(2/3) = 1" in text
    assert "κ = 2" in str(regret_constant(CS, 4))


def test_refusals():
    with pytest.raises(SpecError, match="polyhedral"):
        regret_constant(LLW.with_cost("quadratic"), 3)
    with pytest.raises(SpecError, match="at most 8"):
        regret_constant(LLW, 9)
    with pytest.raises(DataError, match="be about CS"):
        regret_constant(CS, embedded=embedded_loss(LLW, 3))
    with pytest.raises(DataError, match="consistent by argmax"):
        regret_constant(CS, 3).delta(0.5)
    for wrong in (2, -1, "x", None, float("nan")):
        with pytest.raises(DataError, match="epsilon"):
            regret_constant(LLW, 3).delta(wrong)


def test_a_consistent_user_machine_whose_classes_are_not_alike():
    machine = weighted_llw((1, 2, 3), (1, 1, 1))
    found = regret_constant(machine)
    assert found.argmax
    found.verify()
    assert found.kappa == regret_constant(replace(machine, name="again")).kappa


def test_lower_envelopes_by_hand():
    hull = lower_hull(
        [(F(0), F(0), "a"), (F(1), F(2), "b"), (F(1, 2), F(1, 4), "c"), (F(1, 2), F(3), "d")]
    )
    assert [(s.left, s.right) for s in hull] == [
        ((0, 0), (F(1, 2), F(1, 4))),
        ((F(1, 2), F(1, 4)), (1, 2)),
    ]
    down, up = (
        Segment((F(0), F(1)), (F(1), F(0)), "down"),
        Segment((F(0), F(0)), (F(1), F(1)), "up"),
    )
    envelope = lower_envelope([down, up])
    assert [s.right for s in envelope] == [(F(1, 2), F(1, 2)), (1, 0)]
    assert [s.right for s, _ in non_decreasing(envelope)][-1] == (1, 0)
    assert all(s.left[1] == s.right[1] == 0 for s, _ in non_decreasing(envelope))
