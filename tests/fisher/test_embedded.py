from __future__ import annotations

import json
from fractions import Fraction
from itertools import permutations

import pytest

from msvm_ref.errors import DataError, SpecError
from msvm_ref.fisher import EmbeddedLoss, embedded_loss, minimize_risk, verify_embedded
from msvm_ref.fisher.embedding import pieces_of
from msvm_ref.fisher.loss import dot, point_loss
from msvm_ref.fisher.naming import named
from msvm_ref.model.catalogue import AMO, ATM, ATS, CATALOGUE, CS, LLW, MMR, MMR_ORTHO, OVA, RM, WW
from msvm_ref.model.machine import ABSOLUTE, OTHERS_MAX, OTHERS_SUM, RELATIVE, TOTAL_SUM, Machine
from tests.fisher.brute_embedding import brute_rows

F = Fraction


def zero_one(d, c):
    return [[c * (y != r) for y in range(d)] for r in range(d)]


def rows(e):
    return sorted(map(list, e.losses))


@pytest.mark.parametrize("d", [3, 4, 5])
def test_what_was_computed_before_by_other_means(d):
    assert rows(embedded_loss(LLW, d)) == rows(embedded_loss(RM(), d)) == sorted(zero_one(d, d))
    assert rows(embedded_loss(CS, d)) == sorted([*zero_one(d, 2), [1] * d])
    assert rows(embedded_loss(OVA, d)) == sorted([*zero_one(d, 4), [2] * d])
    for machine in (AMO, ATM):
        assert rows(embedded_loss(machine, d)) == sorted([*zero_one(d, d), [1] * d])
    assert rows(embedded_loss(MMR, d)) == sorted(
        [[d * (y == r) for y in range(d)] for r in range(d)]
    )
    assert rows(embedded_loss(MMR_ORTHO, d)) == [[0] * d]
    assert embedded_loss(WW, d).count == {3: 12, 4: 74, 5: 540}[d]


def test_ww_at_three_classes_row_by_row():
    found = {(tuple(map(int, o.losses)), o.size) for o in embedded_loss(WW, 3).orbits}
    assert found == {((0, 2, 5), 6), ((0, 3, 3), 3), ((1, 1, 4), 3)}


def test_ats_changes_its_question_as_d_grows():
    kinds = [embedded_loss(ATS, d).name.kind for d in (2, 3, 4, 5)]
    assert kinds == ["0-1", "orbits", "sets", "orbits"]


NAMES = [
    (LLW, 4, "0-1", "the class", "4 × (0-1)"),
    (CS, 4, "abstain", 'the class, or "none above 1/2"', "2 × (0-1) with abstention at 1/2"),
    (AMO, 5, "abstain", 'the class, or "none above 4/5"', "5 × (0-1) with abstention at 1/5"),
    (MMR, 3, "least", "the least likely class", "3 × [y = the class named]"),
    (WW, 4, "partitions", "an ordered partition of the classes", "the ordered partition loss"),
    (MMR_ORTHO, 3, "nothing", "nothing: one report for every P", "the constant loss 0"),
    (WW, 2, "0-1", "the class", "2 × (0-1)"),
]


@pytest.mark.parametrize(("machine", "d", "kind", "learns", "embeds"), NAMES)
def test_names(machine, d, kind, learns, embeds):
    name = embedded_loss(machine, d).name
    assert (name.kind, name.learns, name.embeds) == (kind, learns, embeds)
    assert learns in str(embedded_loss(machine, d))


def test_top_k_and_unequal_costs_are_named_too():
    """LLW whose third component is steeper: the Bayes borders move, which no choice of targets does."""
    nu = [
        [[-F(1 + (c == 2)) * (m == c != y) for m in range(3)] for c in range(3)] for y in range(3)
    ]
    steep = embedded_loss(Machine("steep", nu, OTHERS_SUM, 1, True))
    assert steep.name.kind == "cost-sensitive"
    steep.verify()
    assert (
        embedded_loss(Machine("far", LLW.margin, OTHERS_SUM, [[1, 2, 3]] * 3, True)).name.kind
        == "0-1"
    )
    pairs = [tuple(map(F, p)) for p in ((1, 1, 3, 3),)]
    assert named(4, pairs, True).embeds == "2 × top-2 + 1"
    assert (
        named(4, list(map(tuple, set(permutations(map(F, (0, 0, 1, 1)))))), False).kind == "top-2"
    )


@pytest.mark.parametrize(
    "machine", [*CATALOGUE, RM(F(1, 4)), RM(F(3, 4)), RM(1)], ids=lambda m: m.name
)
@pytest.mark.parametrize("d", [2, 3])
def test_brute_force_finds_the_same_rows(machine, d):
    assert sorted(embedded_loss(machine, d).losses) == brute_rows(machine, d)


LOPSIDED = [
    Machine("tilted", ABSOLUTE, TOTAL_SUM, [[1, 0, 2], [1, 1, 1], [-1, 3, 1]], True),
    Machine("free", ABSOLUTE, OTHERS_MAX, [[1, 2, 0], [0, 1, 1], [1, 1, -2]]),
    Machine("relative", RELATIVE, OTHERS_SUM, [[0, 1, 2], [1, 0, 1], [3, 1, 0]]),
]


@pytest.mark.parametrize("machine", LOPSIDED, ids=lambda m: m.name)
def test_brute_force_on_machines_that_favour_classes(machine):
    found = embedded_loss(machine)
    assert not found.symmetric
    assert sorted(found.losses) == brute_rows(machine, 3)
    found.verify()


@pytest.mark.parametrize("machine", [WW, ATS, CS, RM(F(3, 4))], ids=lambda m: m.name)
def test_symmetry_is_only_a_short_cut(machine):
    d = 4
    plain = embedded_loss(machine, d)
    points, pieces = pieces_of(point_loss(machine, d), False, lambda done, total: None)
    assert sorted(p.losses for p in pieces) == sorted(plain.losses)
    unsorted = EmbeddedLoss(machine, d, False, points, pieces, 0.0)
    unsorted.verify()
    cells = dict(zip(plain.losses, plain.cells, strict=True))
    for piece, cell in zip(unsorted.pieces, unsorted.cells, strict=True):
        mine = cells[piece.losses]
        assert set(cell.vertices) == set(mine.vertices)
        assert set(cell.neighbours) == set(mine.neighbours)
        assert len(cell.normals) == len(mine.normals)


def test_cells_contain_their_corners_and_report_scores_attain_their_rows():
    e = embedded_loss(WW, 3)
    for row, report, cell in zip(e.losses, e.reports, e.cells, strict=True):
        assert report.losses == row
        for P in cell.vertices:
            assert P in cell
            assert e.least_risk(P) == dot(P, row) == minimize_risk(WW, P).value
        centre = [sum(c) / len(cell.vertices) for c in zip(*cell.vertices, strict=True)]
        least = minimize_risk(WW, centre)
        assert least.unique
        assert least.minimiser == report.scores
        assert least.argmax_classes == report.predicted


def test_faces_where_scores_are_not_unique():
    report = embedded_loss(MMR_ORTHO, 3).reports[0]
    assert not report.unique
    assert not report.bounded
    assert report.corners == ((1, 1, 1),)
    assert report.predicted == (0, 1, 2)
    assert embedded_loss(RM(1), 3).reports[0].unique
    ova = embedded_loss(OVA, 3)
    assert [r.predicted for r in ova.reports] == [(0,), (1,), (2,), (0, 1, 2)]


def test_json_goes_out_and_comes_back_verified():
    for machine, d in ((WW, 4), (LOPSIDED[0], 3)):
        e = embedded_loss(machine, d)
        back = EmbeddedLoss.from_json(e.to_json())
        assert (back.points, back.pieces, back.machine.name) == (e.points, e.pieces, machine.name)
        assert back.losses == e.losses
    assert EmbeddedLoss.from_json(embedded_loss(RM(F(1, 4)), 3).to_json()).machine == RM(F(1, 4))


def mutants(data):
    """(what is wrong, the damaged evidence)"""

    def damaged(change):
        copy = json.loads(json.dumps(data))
        change(copy)
        return copy

    def row_lost(c):
        del c["pieces"][0]

    def row_moved(c):
        c["pieces"][0]["losses"][-1] = str(F(c["pieces"][0]["losses"][-1]) + 1)

    def scores_moved(c):
        f = c["pieces"][0]["scores"]
        f[0], f[1] = str(F(f[0]) + 1), str(F(f[1]) - 1)

    def scores_off(c):
        c["pieces"][0]["scores"][0] = "100"

    def row_twice(c):
        c["pieces"].append(c["pieces"][0])

    def corner_lost(c):
        c["pieces"][0]["points"].pop()

    def corner_foreign(c):
        held = c["pieces"][0]["points"]
        held.append(next(q for q in range(len(c["points"])) if q not in held))

    def corner_moved(c):
        P = c["points"][0]["P"]
        P[0], P[1] = "1/2", "1/2"

    def corner_off(c):
        c["points"][0]["P"][0] = "2"

    def walls_lost(c):
        c["pieces"][0]["walls"] = []

    def wall_turned(c):
        c["pieces"][0]["walls"] = [[str(-F(v)) for v in w] for w in c["pieces"][0]["walls"]]

    def multiplier_negative(c):
        for q in c["points"]:
            q["multipliers"] = [[str(-F(v)) for v in row] for row in q["multipliers"]]

    def multiplier_large(c):
        for q in c["points"]:
            q["multipliers"] = [[str(2 * F(v)) for v in row] for row in q["multipliers"]]

    def multipliers_gone(c):
        for q in c["points"]:
            q["multipliers"] = [["0"] * c["d"]] * c["d"]

    def symmetry_denied(c):
        c["symmetric"] = False

    changes = [v for k, v in locals().items() if callable(v) and k != "damaged"]
    return [(change.__name__, damaged(change)) for change in changes]


@pytest.mark.parametrize("machine", [WW, ATS], ids=lambda m: m.name)
def test_the_checker_refuses_every_damaged_evidence(machine):
    data = embedded_loss(machine, 4).to_dict()
    verify_embedded(machine, data)
    missed = [what for what, bad in mutants(data) if not refused(machine, bad)]
    assert not missed


def refused(machine, evidence):
    try:
        verify_embedded(machine, evidence)
    except DataError:
        return True
    return False


def test_symmetry_is_not_believed():
    tilted = Machine("tilted", LLW.margin, OTHERS_SUM, [[1, 1, 2]] * 3, True)
    data = embedded_loss(tilted, 3).to_dict()
    data["symmetric"] = True
    with pytest.raises(DataError, match="alike"):
        verify_embedded(tilted, data)


def test_the_evidence_is_about_this_machine():
    with pytest.raises(DataError):
        verify_embedded(CS, embedded_loss(OVA, 3))
    data = embedded_loss(CS, 3).to_dict()
    data["machine"]["gamma"][0][1] = "2"
    with pytest.raises(DataError):
        EmbeddedLoss.from_json(json.dumps(data))


HOSTILE = ["1e999999999", "9" * 5000, "1/0", "nan", 0.5, True, None, [], "0x10", "1_000"]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda v: repr(v)[:12])
def test_foreign_numbers_are_bounded_in_form_and_size(value):
    data = embedded_loss(CS, 3).to_dict()
    data["points"][0]["P"][0] = value
    with pytest.raises(DataError):
        EmbeddedLoss.from_json(json.dumps(data))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"d": 3}',
        '{"d": 10000, "symmetric": true, "points": [], "pieces": []}',
        "[" * 100000,
    ],
    ids=lambda t: t[:12],
)
def test_foreign_texts(text):
    with pytest.raises(DataError):
        EmbeddedLoss.from_json(text)


def test_refusals_come_at_once():
    with pytest.raises(SpecError, match="at most 8"):
        embedded_loss(WW, 9)
    with pytest.raises(SpecError, match="polyhedral"):
        embedded_loss(WW.with_cost("quadratic"), 3)
    with pytest.raises(SpecError, match="Machine"):
        embedded_loss("WW", 3)
    with pytest.raises(SpecError, match="integer"):
        embedded_loss(WW, 3.0)
    with pytest.raises(SpecError, match="at least 2"):
        embedded_loss(WW, 1)
    with pytest.raises(SpecError, match="the size of the machine's arrays"):
        embedded_loss(LOPSIDED[0], 4)


def test_too_many_reports_are_given_up_in_words(monkeypatch):
    import msvm_ref.fisher.cell_search as cell_search

    monkeypatch.setattr(cell_search, "MOST_ROWS", 2)
    with pytest.raises(SpecError, match="at most 2 reports"):
        embedded_loss(WW, 3)


def test_progress_is_told():
    seen = []
    embedded_loss(WW, 3, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] == len(embedded_loss(WW, 3).points)
