"""Every checker is fed wrong answers: each tampering below must be refused, and refused for the right reason."""

from __future__ import annotations

import ast
import copy
from fractions import Fraction
from pathlib import Path

import pytest

import msvm_ref.fisher
from msvm_ref.errors import DataError, SpecError
from msvm_ref.fisher.check_counterexample import verify_counterexample
from msvm_ref.fisher.check_proof import verify_proof
from msvm_ref.fisher.consistency import fisher_consistency
from msvm_ref.model.catalogue import AMO, ATS, CS, LLW, MMR, MMR_ORTHO, OVA, RM, WW


@pytest.fixture(scope="module")
def proof():
    return fisher_consistency(RM(), 3).proof.to_dict()


@pytest.fixture(scope="module")
def counterexample():
    return fisher_consistency(ATS, 4).counterexample.to_dict()


def leaves(node, kind):
    if kind in node:
        yield node
    for branch in ("negative", "zero", "positive"):
        if branch in node:
            yield from leaves(node[branch], kind)


def splits(node):
    if "normal" in node:
        yield node
        for branch in ("negative", "zero", "positive"):
            yield from splits(node[branch])


def test_the_honest_proof_passes(proof):
    assert verify_proof(RM(), proof) == fisher_consistency(RM(), 3).proof.leaves


@pytest.mark.parametrize(
    "machine",
    [ATS, LLW, RM(Fraction(1, 4)), RM(Fraction(3, 4)), CS, WW, MMR, AMO, OVA],
    ids=lambda m: m.name,
)
def test_a_proof_proves_nothing_about_another_machine_at_its_d(proof, machine):
    """RM(1/2)'s proof handed in for others: those that are not consistent must refuse it."""
    consistent = fisher_consistency(machine, 3).consistent
    try:
        verify_proof(machine, proof)
    except DataError:
        return
    assert consistent


@pytest.mark.parametrize("i", range(6))
def test_every_altered_direction_or_multiplier_is_noticed_or_harmless(proof, i):
    """Push one number of a descent leaf against its inequality: the slope grows, and the bound must break somewhere."""
    nodes = [n for case in proof["cases"] for n in leaves(case["tree"], "directions")]
    tampered = copy.deepcopy(proof)
    nodes = [n for case in tampered["cases"] for n in leaves(case["tree"], "directions")]
    node = nodes[i % len(nodes)]
    node["directions"] = [[str(-Fraction(v)) for v in u] for u in node["directions"]]
    with pytest.raises(DataError):
        verify_proof(RM(), tampered)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: p["cases"].pop(), "every case"),
        (lambda p: p.update(symmetric="yes"), "symmetric"),
        (lambda p: p.update(mode="sometimes"), "mode"),
        (lambda p: p.pop("d"), "'d'"),
        (
            lambda p: next(leaves(p["cases"][0]["tree"], "directions"))["directions"][
                0
            ].__setitem__(0, "7"),
            "sum f = 0",
        ),
        (
            lambda p: next(leaves(p["cases"][0]["tree"], "directions"))["directions"][
                0
            ].__setitem__(0, "x"),
            "rational",
        ),
        (
            lambda p: next(leaves(p["cases"][0]["tree"], "directions"))["b"].__setitem__(0, "-1"),
            ">= 0",
        ),
        (
            lambda p: next(leaves(p["cases"][0]["tree"], "directions")).update(b=["0"] * 3),
            "bound|excludes none",
        ),
        (
            lambda p: next(leaves(p["cases"][0]["tree"], "empty"))["empty"].__setitem__(1, "-1"),
            ">= 0",
        ),
        (
            lambda p: next(leaves(p["cases"][0]["tree"], "empty"))["empty"].__setitem__(
                -1, "12345"
            ),
            "cancel",
        ),
        (
            lambda p: next(leaves(p["cases"][0]["tree"], "empty")).update(
                empty=["0"] * len(next(leaves(p["cases"][0]["tree"], "empty"))["empty"])
            ),
            "contradiction",
        ),
        (lambda p: next(leaves(p["cases"][0]["tree"], "empty"))["empty"].pop(), "length"),
        (lambda p: next(splits(p["cases"][0]["tree"])).pop("zero"), "'zero'"),
        (lambda p: next(splits(p["cases"][0]["tree"])).update(constant="1/0"), "rational"),
    ],
)
def test_tampered_proofs_are_refused(proof, change, words):
    tampered = copy.deepcopy(proof)
    change(tampered)
    with pytest.raises(DataError, match=words):
        verify_proof(RM(), tampered)


def test_a_swapped_branch_is_refused(proof):
    tampered = copy.deepcopy(proof)
    for case in tampered["cases"]:
        for node in splits(case["tree"]):
            node["negative"], node["positive"] = node["positive"], node["negative"]
    with pytest.raises(DataError):
        verify_proof(RM(), tampered)


def test_symmetry_cannot_be_claimed_of_a_machine_that_has_none(proof):
    from msvm_ref.model.machine import OTHERS_SUM, Machine

    nu = [[[-1 if m == c and c != y else 0 for m in range(3)] for c in range(3)] for y in range(3)]
    nu[0][1][1] = -2
    with pytest.raises(DataError, match="alike"):
        verify_proof(Machine("m", nu, OTHERS_SUM, 1, True), proof)


def test_a_generic_proof_is_not_a_closed_one():
    """A leaf that only excludes P > 0 must not pass where P may touch the boundary."""
    node = {"directions": [["0", "0"]], "a": ["0", "0"], "b": ["0", "0"]}
    proof = {"d": 2, "mode": "closed", "symmetric": True, "cases": [{"k": 0, "j": 1, "tree": node}]}
    for mode in ("closed", "generic", "open"):
        with pytest.raises(DataError, match="excludes none"):
            verify_proof(LLW, {**proof, "mode": mode})


def test_quadratic_cost_is_not_this_checker_s_business(proof):
    with pytest.raises(SpecError):
        verify_proof(RM().with_cost("quadratic"), proof)


def test_the_honest_counterexample_passes_in_every_mode(counterexample):
    for mode in ("closed", "generic", "open"):
        verify_counterexample(ATS, counterexample, mode)


NUMBERS = (
    "P",
    "f",
    "risk",
    "bayes_risk",
    "radius",
    "bayes_scores",
    "multipliers",
    "uniqueness",
    "neighbours",
)


def altered(value):
    """The first rational in a nested list, its last digit moved by one."""
    if isinstance(value, list):
        return [altered(value[0]), *value[1:]]
    last = int(value[-1])
    return value[:-1] + str((last + 1) % 10)


@pytest.mark.parametrize("name", NUMBERS)
def test_one_altered_digit_is_refused(counterexample, name):
    if name == "radius":  # a smaller radius would be true, a larger one is not
        tampered = {**counterexample, name: str(Fraction(counterexample[name]) * 2)}
    else:
        tampered = {**counterexample, name: altered(counterexample[name])}
    with pytest.raises(DataError):
        verify_counterexample(ATS, tampered)


@pytest.mark.parametrize(
    "change",
    [
        {"k": 0},
        {"j": 1},
        {"predicted": [1]},
        {"bayes": [1]},
        {"multipliers": None},
        {"uniqueness": []},
        {"neighbours": []},
        {"open": True, "radius": "0"},
        {"P": None},
        {"f": ["1", "1", "-1"]},
        {"f": ["3", "-1", "-1", "-1"]},
        {"uniqueness": None},
    ],
)
def test_false_claims_are_refused(counterexample, change):
    with pytest.raises(DataError):
        verify_counterexample(ATS, {**counterexample, **change})


def test_a_counterexample_of_one_machine_is_none_of_another(counterexample):
    for machine in (LLW, RM(), CS, AMO, OVA):
        with pytest.raises(DataError):
            verify_counterexample(machine, counterexample)


def test_uniqueness_cannot_be_claimed_where_there_is_none():
    data = fisher_consistency(MMR_ORTHO, 3).counterexample.to_dict()
    assert not data["unique"]
    with pytest.raises(DataError):
        verify_counterexample(MMR_ORTHO, {**data, "unique": True})
    zeros = [[["0"] * 3] * 3] * 4
    with pytest.raises(DataError):
        verify_counterexample(MMR_ORTHO, {**data, "unique": True, "uniqueness": zeros})


def test_modes_ask_for_more():
    data = fisher_consistency(CS, 3).counterexample.to_dict()
    plain = {**data, "open": False, "neighbours": None, "radius": None}
    verify_counterexample(CS, plain, "generic")
    with pytest.raises(DataError, match="open set"):
        verify_counterexample(CS, plain, "open")
    with pytest.raises(DataError, match="mode"):
        verify_counterexample(CS, plain, "strict")


def test_checkers_import_nothing_of_the_prover():
    folder = Path(msvm_ref.fisher.__file__).parent
    for name in ("check_proof", "check_counterexample", "check_data"):
        tree = ast.parse((folder / f"{name}.py").read_text())
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        theory = {m for m in modules if m and m.startswith("msvm_ref.fisher")}
        assert theory <= {"msvm_ref.fisher.check_data"}
        assert not any(m and ("flint" in m or "rational" in m) for m in modules)


def thin_wall():
    """Three classes; f_1 >= f_0 minimises only where P_0 = 2 P_1, a wall without interior.

    L_0 = [1 - f_0]_+ + [f_1 - 2 f_0]_+ + [f_1 + 2 f_0 / 3 - 2/3]_+,  L_1 = [1 + 2 f_0]_+,  L_2 = 0: on the wall f_0 may
    stand anywhere in [-1/2, 1] and f_1 may climb to 1/2 at f_0 = 1/4; off it f_0 is 1 or -1/2 and f_1 stays below.
    """
    from msvm_ref.model.machine import TOTAL_SUM, Machine

    two_thirds = Fraction(2, 3)
    nu = [
        [[1, 0, 0], [2, -1, 0], [-two_thirds, -1, 0]],
        [[-2, 0, 0], [0, 0, 0], [0, 0, 0]],
        [[0, 0, 0]] * 3,
    ]
    return Machine("thin wall", nu, TOTAL_SUM, [[1, 0, -two_thirds], [1, 0, 0], [0, 0, 0]])


def one_case(mode):
    from msvm_ref.fisher.consistency import _exact
    from msvm_ref.fisher.loss import point_loss
    from msvm_ref.fisher.prover import Search, root

    loss = point_loss(thin_wall(), 3)
    return _exact(Search(loss, 1, 0, mode, root(loss, 1, False), lambda: None).run()).to_dict()


def walk(tree, mode):
    from msvm_ref.fisher.check_data import RawLoss
    from msvm_ref.fisher.check_proof import _walk

    one, minus, zero = Fraction(1), Fraction(-1), Fraction(0)
    rows = [([minus, one, zero], zero, ">="), ([zero, one, minus], zero, ">=")]
    return _walk(RawLoss(thin_wall(), 3), mode, 1, 0, tree, rows, [])


def test_a_wall_without_interior_is_bad_in_the_generic_and_not_in_the_open_sense():
    from msvm_ref.fisher.prover import CounterexampleFound

    with pytest.raises(CounterexampleFound) as raised:
        one_case("generic")
    P = raised.value.bad.worst.P
    assert P[0] == 2 * P[1]
    tree = one_case("open")
    assert walk(tree, "open") > 0
    several = [n for n in leaves(tree, "directions") if len(n["directions"]) > 1]
    assert several  # the leaf that says "only on a hyperplane"
    with pytest.raises(DataError, match="excludes none"):
        walk(tree, "generic")


def test_a_hyperplane_leaf_must_name_a_hyperplane():
    tree = one_case("open")
    for node in leaves(tree, "directions"):
        if len(node["directions"]) > 1:
            node["directions"] = [["0", "0", "0"]] * 3
            node["a"] = node["b"] = ["0", "0", "0"]
    with pytest.raises(DataError, match="excludes none"):
        walk(tree, "open")
