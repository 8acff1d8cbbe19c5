"""fisher_consistency: is a loss Fisher consistent at d classes? A proof or an exact counterexample.

P ranges over the simplex, f over the machine's score space, and B is the set of P with a wrong minimiser:

    B = { P : some minimiser f of R_P has some k in argmax f with P_k < max P }        (UV section 3.1; Liu 2007)

*Every* minimiser counts, and so does every class in a tie. Three senses, each implied by the one before:

* closed:  B is empty: no exception anywhere, boundary of the simplex and tied Bayes classes included;
* generic: B has no P > 0 with a single most likely class;
* open:    B contains no open set, equivalently B has measure 0: almost every P is classified rightly.

The procedure (prover.py) is complete for machines with linear cost: the search ends in one of the two. The squared hinge is
decided by an exchange argument (squared.py), complete for the catalogue, and refused in words where neither it nor a
counterexample is found.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from msvm_ref.errors import DataError, SpecError
from msvm_ref.exact.numbers import fraction, fractions, rational
from msvm_ref.fisher.counterexample import Counterexample, counterexample
from msvm_ref.fisher.face import minimum
from msvm_ref.fisher.loss import PointLoss, is_symmetric, point_loss
from msvm_ref.fisher.optimality import multipliers_at
from msvm_ref.fisher.probability import bayes_classes, rounded, simple_probabilities
from msvm_ref.fisher.proof import Descent, Empty, Node, Proof, ProofCase, Split
from msvm_ref.fisher.prover import MODES, Bad, RawDescent, RawNode, TooManyRegionsError, search
from msvm_ref.fisher.region import Nothing
from msvm_ref.fisher.risk import classes, first_ranked, show
from msvm_ref.fisher.squared import SquaredProof, exchange_proof
from msvm_ref.fisher.squared_counterexample import at_simple_probabilities, squared_counterexample
from msvm_ref.model.machine import Machine

Mode = Literal["closed", "generic", "open"]
SIMPLE = 12
"""How many simple P are tried before the search: a readable counterexample beats the first one found."""
LARGEST = {True: 10, False: 5}
"""The most classes we accept for machines that do and that do not treat all classes alike."""


@dataclass(frozen=True)
class ConsistencyResult:
    """The verdict and its evidence: exactly one of ``proof`` and ``counterexample`` is there."""

    machine: Machine
    """The machine decided on."""
    d: int
    """How many classes."""
    mode: Mode
    """The sense of consistency."""
    symmetric: bool
    """Do all permutations of the classes leave the machine as it is?"""
    proof: Proof | SquaredProof | None
    """The proof, where it is consistent."""
    counterexample: Counterexample | None
    """The counterexample, where it is not."""
    seconds: float
    """What the decision took."""

    @property
    def consistent(self) -> bool:
        return self.proof is not None

    def __bool__(self) -> bool:
        return self.consistent

    def verify(self) -> None:
        """Re-check the evidence with the independent checkers; silent if it holds, a DataError if not."""
        from msvm_ref.fisher.check_counterexample import verify_counterexample
        from msvm_ref.fisher.check_proof import verify_proof
        from msvm_ref.fisher.check_squared import (
            verify_squared_counterexample,
            verify_squared_proof,
        )

        squared = self.machine.cost == "quadratic"
        if (self.proof is None) == (self.counterexample is None):
            raise DataError(
                "evidence", "be a proof or a counterexample, one of them", "both or neither"
            )
        if self.proof is not None:
            if (self.proof.d, self.proof.mode) != (self.d, self.mode):
                raise DataError(
                    "proof",
                    f"be about d = {self.d}, mode {self.mode}",
                    f"d = {self.proof.d}, {self.proof.mode}",
                )
            (verify_squared_proof if squared else verify_proof)(self.machine, self.proof)
        elif self.counterexample is not None:
            if len(self.counterexample.P) != self.d:
                raise DataError(
                    "counterexample", f"be about d = {self.d}", f"d = {len(self.counterexample.P)}"
                )
            check = verify_squared_counterexample if squared else verify_counterexample
            check(self.machine, self.counterexample, self.mode)

    def to_dict(self) -> dict[str, Any]:
        return {
            "machine": self.machine.name,
            "cost": self.machine.cost,
            "d": self.d,
            "mode": self.mode,
            "consistent": self.consistent,
            "symmetric": self.symmetric,
            "proof": self.proof.to_dict() if self.proof else None,
            "counterexample": self.counterexample.to_dict() if self.counterexample else None,
            "seconds": round(self.seconds, 3),
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    def __str__(self) -> str:
        verdict = "Fisher consistent" if self.consistent else "NOT Fisher consistent"
        lines = [
            f"{describe(self.machine)}, d = {self.d}: {verdict}{_sense(self.mode, self.consistent)}"
            f"        decided exactly in {self.seconds:.1f} s"
        ]
        if isinstance(self.proof, SquaredProof):
            told = f"proof: exchange argument, {self.proof.leaves} exact inequalit"
            return "\n".join([*lines, told + ("y" if self.proof.leaves == 1 else "ies")])
        if self.proof is not None:
            how = (
                "sorted scores, classes being alike" if self.symmetric else "every pair of classes"
            )
            return "\n".join(
                [
                    *lines,
                    f"proof: {self.proof.leaves} exact inequalities in {len(self.proof.cases)} "
                    f"case{'s' if len(self.proof.cases) > 1 else ''} ({how}); re-check it with verify_proof",
                ]
            )
        assert self.counterexample is not None
        return "\n".join([*lines, *_evidence(self.counterexample, self.machine.cost)])


def describe(machine: Machine) -> str:
    """ATS (absolute margin, total-sum, sum-to-zero)"""
    parts = [
        f"{machine.margin_name} margin",
        machine.aggregation.name,
        *(["sum-to-zero"] if machine.sum_to_zero else []),
        *(["squared hinge"] if machine.cost == "quadratic" else []),
    ]
    return f"{machine.name} ({', '.join(parts)})"


def _sense(mode: Mode, consistent: bool) -> str:
    words = {
        "closed": "",
        "generic": " at P > 0 with one Bayes class",
        "open": " at almost every P" if consistent else " on an open set of P",
    }
    return words[mode]


def _evidence(c: Counterexample, cost: str) -> list[str]:
    """Scores and risks; whether the minimiser is alone is settled for the linear cost only."""
    alone = "" if cost == "quadratic" else "unique, " if c.unique else "not unique, "
    scope = (
        "open set"
        if c.open
        else "isolated P"
        if min(c.P) > 0 and len(c.bayes) == 1
        else "special P"
    )
    P, f, g = (show(v) for v in (c.P, c.f, c.bayes_scores))
    width = max(map(len, (P, f, g)))
    margin = " " * 28
    lines = [
        f"counterexample ({scope})".ljust(28)
        + f"P  = {P.ljust(width)}   Bayes class {_plain(c.bayes)}",
        margin + f"f* = {f.ljust(width)}   {alone}predicts {classes(c.predicted)}   risk {c.risk}",
        margin
        + f"fᴮ = {g.ljust(width)}   best of those perfect for class {c.j + 1}   risk {c.bayes_risk}",
    ]
    return lines if c.bayes_scores != c.f else lines[:2]


def _plain(numbers: tuple[int, ...]) -> str:
    return str(numbers[0] + 1) if len(numbers) == 1 else classes(numbers)


def fisher_consistency(
    machine: Machine,
    d: int | None = None,
    mode: Mode = "closed",
    progress: Callable[[int, int], None] | None = None,
) -> ConsistencyResult:
    """Decide Fisher consistency of the machine's loss at d classes, in one of the three senses above.

    Machines that treat classes alike (checked exactly) are taken up to d = 10, others up to d = 5.
    ``progress`` is called with (cases done, cases in all).
    """
    if not isinstance(machine, Machine):
        raise SpecError("machine", "be a Machine such as WW or RM(0.5)", repr(machine))
    if mode not in MODES:
        raise DataError("mode", f"be one of {', '.join(MODES)}", repr(mode))
    d = (machine.fixed_d or 3) if d is None else d
    if isinstance(d, bool) or not isinstance(d, int):
        raise SpecError("d", "be an integer", repr(d))
    if d > max(LARGEST.values()):
        raise SpecError(
            "d",
            f"be at most {max(LARGEST.values())}",
            str(d),
            "use minimize_risk at the P you care about",
        )
    start = time.perf_counter()
    loss, symmetric = point_loss(machine.with_cost("linear"), d), is_symmetric(machine, d)
    if d > LARGEST[symmetric]:
        raise SpecError(
            "d",
            f"be at most {LARGEST[symmetric]} for a machine that "
            f"{'treats' if symmetric else 'does not treat'} all classes alike",
            str(d),
            "use minimize_risk at the P you care about",
        )
    refutation: Counterexample | None
    proof: Proof | SquaredProof | None
    if machine.cost == "quadratic":
        refutation, proof = _decide_squared(loss, mode, symmetric)
    else:
        refutation, proof = _decide(loss, mode, symmetric, progress or (lambda done, total: None))
    return ConsistencyResult(
        machine, d, mode, symmetric, proof, refutation, time.perf_counter() - start
    )


def _decide_squared(
    loss: PointLoss, mode: Mode, symmetric: bool
) -> tuple[Counterexample | None, SquaredProof | None]:
    """A proof by exchange, or else a counterexample; where the argument does not apply, its refusal unless there is one."""
    refusal = None
    try:
        proof = exchange_proof(loss, symmetric, mode)
        if proof is not None:
            return None, proof
    except SpecError as error:
        refusal = error
    counterexample = squared_counterexample(loss, mode) or at_simple_probabilities(loss, mode)
    if counterexample is None and refusal is not None:
        raise refusal
    if counterexample is None:
        raise SpecError(
            "machine",
            "have its bad scores excluded, or one of them found",
            "scores that the exchange argument leaves open, and no counterexample among them",
            "this case is open; minimize_risk answers at the P you care about",
        )
    return counterexample, None


def _decide(
    loss: PointLoss, mode: Mode, symmetric: bool, progress: Callable[[int, int], None]
) -> tuple[Counterexample | None, Proof | None]:
    """A counterexample, the strongest there is (on an open set, if any does that), or a proof."""
    refutation = _simple_counterexample(loss, mode)
    if refutation is None:
        outcome = search(loss, mode, symmetric, progress)
        if not isinstance(outcome, Bad):
            return None, Proof(
                loss.d,
                mode,
                symmetric,
                tuple(ProofCase(k, j, _exact(tree)) for k, j, tree in outcome),
            )
        refutation = _simplified(loss, outcome, mode)
    if not refutation.open:
        try:
            outcome = search(loss, "open", symmetric, progress)
        except TooManyRegionsError:
            return refutation, None
        if isinstance(outcome, Bad):
            refutation = _simplified(loss, outcome, mode)
    return refutation, None


def _exact(node: RawNode) -> Node:
    if isinstance(node, Nothing):
        return Empty(fractions(node.multipliers))
    if isinstance(node, RawDescent):
        w = node.worst
        return Descent(tuple(fractions(u) for u in w.directions), fractions(w.a), fractions(w.b))
    negative, zero, positive = map(_exact, node.children)
    return Split(fractions(node.h[0]), fraction(node.h[1]), negative, zero, positive)


def _simple_counterexample(loss: PointLoss, mode: Mode) -> Counterexample | None:
    """The first simple P with a wrong minimiser on an open set, or else the first with one at all (open mode: none)."""
    spare: Counterexample | None = None
    for P in simple_probabilities(loss.d, SIMPLE):
        prob = [rational(v) for v in P]
        face = minimum(loss, prob).face
        for k in range(1, loss.d):
            f = first_ranked(loss, face, k)
            if not isinstance(f, Nothing):
                refutation = counterexample(loss, prob, f, k)
                if refutation.open:
                    return refutation
                spare = spare or refutation
                break
    return None if mode == "open" else spare


def _simplified(loss: PointLoss, bad: Bad, mode: Mode) -> Counterexample:
    """The counterexample of the search, at the P of smallest denominator near its own that f still minimises wrongly."""
    first = counterexample(loss, bad.worst.P, bad.f, bad.k)
    for denominator in range(2, 61):
        P = rounded(first.P, denominator)
        prob = [rational(v) for v in P]
        if _still_bad(P, first, mode) and multipliers_at(loss, bad.f, prob) is not None:
            refutation = counterexample(loss, prob, bad.f, bad.k)
            if refutation.open or not first.open:
                return refutation
    return first


def _still_bad(P: Sequence[Fraction], c: Counterexample, mode: Mode) -> bool:
    top = bayes_classes(P)
    return P[c.k] < P[top[0]] and (mode == "closed" or (min(P) > 0 and len(top) == 1))
