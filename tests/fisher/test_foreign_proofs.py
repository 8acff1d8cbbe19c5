"""Evidence from elsewhere: bombs are refused by their text before any work, and nothing leaves but typed errors."""

from __future__ import annotations

import copy
import json

import pytest

import msvm_ref as mr
from msvm_ref.fisher.check_counterexample import verify_counterexample
from msvm_ref.fisher.check_proof import DEEPEST, verify_proof

PROOF = json.loads(mr.fisher_consistency(mr.RM(), 3).to_json())["proof"]
COUNTER = json.loads(mr.fisher_consistency(mr.ATS, 4).to_json())["counterexample"]

BOMBS = ("1e100000000", "1e-100000000", "9" * 5000, "1/" + "7" * 5000, "1e1001")
NO_NUMBERS = ("nan", "inf", "1/0", "1_0", "٣", " ", "", None, True, 0.5, float("inf"), [], {}, "1e")


def leaf(proof):
    node = proof["cases"][0]["tree"]
    while "normal" in node:
        node = node["negative"]
    return node


@pytest.mark.parametrize("text", [*BOMBS, *NO_NUMBERS, 10**2000], ids=lambda v: repr(v)[:20])
def test_numbers_that_are_none_or_would_never_end(text):
    proof, counter = copy.deepcopy(PROOF), copy.deepcopy(COUNTER)
    proof["cases"][0]["tree"]["constant"] = text
    counter["P"][0] = text
    for check in (
        lambda: verify_proof(mr.RM(), proof),
        lambda: verify_counterexample(mr.ATS, counter),
    ):
        with pytest.raises(mr.DataError, match=r"rational|digits a part"):
            check()


def altered(evidence, path, value):
    changed = copy.deepcopy(evidence)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("cases",), [3]),
        (("cases",), [[]]),
        (("cases", 0), {"k": [], "j": {}}),
        (("cases", 0, "k"), [0]),
        (("cases", 0, "k"), "0"),
        (("cases", 0, "j"), True),
        (("cases", 0, "tree"), []),
        (("cases", 0, "tree"), {}),
        (("cases", 0, "tree", "normal"), {"0": "1"}),
        (("cases", 0, "tree", "negative"), None),
        (("d",), True),
        (("d",), 3.0),
        (("d",), 10**9),
        (("d",), 10**4000),
        (("d",), -1),
        (("d",), 17),
        (("mode",), ["closed"]),
        (("symmetric",), 1),
    ],
    ids=str,
)
def test_proofs_of_another_shape(path, value):
    with pytest.raises(mr.MsvmError):
        verify_proof(mr.RM(), altered(PROOF, path, value))


@pytest.mark.parametrize("pair", [(-1, 1), (0, 3), (1, 0), (0, 0)])
def test_cases_that_are_not_asked_for(pair):
    """A negative class would count from the end."""
    proof = copy.deepcopy(PROOF)
    proof["cases"].append(proof["cases"][0] | dict(zip("kj", pair, strict=True)))
    with pytest.raises(mr.DataError, match="and no other"):
        verify_proof(mr.RM(), proof)


def test_a_tree_deeper_than_a_stack():
    proof = copy.deepcopy(PROOF)
    node = leaf(proof)
    for _ in range(5000):
        node = {
            "normal": ["1", "0", "0"],
            "constant": "0",
            "negative": node,
            "zero": node,
            "positive": node,
        }
    proof["cases"][0]["tree"] = node
    with pytest.raises(mr.DataError, match=f"at most {DEEPEST} times"):
        verify_proof(mr.RM(), proof)


@pytest.mark.parametrize("thing", [3, None, "proof", [PROOF], b"{}"], ids=repr)
def test_what_is_no_evidence_at_all(thing):
    with pytest.raises(mr.DataError, match="JSON form"):
        verify_proof(mr.RM(), thing)
    with pytest.raises(mr.DataError, match="JSON form"):
        verify_counterexample(mr.ATS, thing)


def test_what_is_no_machine():
    with pytest.raises(mr.SpecError, match="Machine"):
        verify_proof("RM", PROOF)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("P",), []),
        (("P",), [["1"]] * 4),
        (("f",), None),
        (("k",), True),
        (("k",), 10**9),
        (("predicted",), {}),
        (("multipliers",), [[]]),
        (("multipliers", 0), ["1e99999999"] * 4),
        (("uniqueness",), "x"),
        (("neighbours",), 1),
        (("radius",), None),
        (("bayes_scores",), [None] * 4),
    ],
    ids=str,
)
def test_counterexamples_of_another_shape(path, value):
    with pytest.raises(mr.MsvmError):
        verify_counterexample(mr.ATS, altered(COUNTER, path, value))


def test_a_refusal_of_long_rationals_can_be_told():
    """The sum of two rationals of a thousand digits has more than Python prints; the refusal has words all the same."""
    counter = altered(
        COUNTER, ("f",), [f"{'7' * 999}/{'9' * k + '8' * (999 - k)}" for k in range(4)]
    )
    with pytest.raises(mr.DataError):
        verify_counterexample(mr.OVA, counter)
