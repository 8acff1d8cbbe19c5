"""The exact regret constant towards a machine's own embedded loss, under the best of all links.

A link sends scores f to a row v of the embedded loss. With u = L(f) and e_P(u) = <P, u> - R*(P), it is kappa-good at f iff
e_P(v) <= kappa e_P(u) for all P. That is: (kappa u - v) / (kappa - 1) lies in U, so u is a mixture in U in which v weighs
1 / kappa. So

    1 / kappa = min over u of max over rows v of weight_v(u)
    weight_v(u) = min over corners Q with e_Q(v) > 0 of e_Q(u) / e_Q(v)

and u may be taken from the largest bounded faces F of U. On F, rows off F weigh nothing, and of the corners those suffice
whose zeros on F are largest: the walls of F. It remains to minimise a maximum of minima of affine functions. Branch on
which wall attains weight_v(u): with walls chosen for some rows, the least maximum over F is the value of a matrix game,

    max over mixtures mu of the choices of  min over rows w of F of  sum mu e_Q(w) / e_Q(v),

whose mu proves it. The tree ends where the game's value reaches the least maximum known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq

from msvm_ref.exact.lp import Infeasible, Program
from msvm_ref.exact.numbers import fraction, rational
from msvm_ref.fisher.embedded import EmbeddedLoss
from msvm_ref.fisher.loss import dot
from msvm_ref.fisher.mixtures import bounded_faces

Rationals = tuple[Fraction, ...]
MOST_GAMES = 20_000
"""Matrix games after which a face is given up, and the constant stays enclosed."""


@dataclass(frozen=True)
class Leaf:
    """Weights of (row, wall) choices on the way here, in their order: the game they prove is worth 1/kappa at least."""

    weights: Rationals


@dataclass(frozen=True)
class Branch:
    """One way for each wall that ``row`` does not lie on, in the order of the walls."""

    row: int
    ways: tuple[Branch | Leaf, ...]


@dataclass(frozen=True)
class FaceProof:
    """The rows optimal at ``P`` > 0, sorted, are a bounded face; ``tree`` proves that one of them weighs 1/kappa at every u."""

    P: Rationals
    tree: Branch | Leaf


@dataclass(frozen=True)
class LinkRegret:
    """kappa, a loss vector ``u`` at which no report does better, and the proof that some report always does as well."""

    kappa: Fraction
    u: Rationals
    faces: tuple[FaceProof, ...]


def link_regret(embedded: EmbeddedLoss) -> LinkRegret | None:
    """The exact constant; None where a face takes too many games."""
    faces = [BoundedFace(embedded, P, rows) for P, rows in bounded_faces(embedded)]
    while True:
        hardest = min(faces, key=lambda face: face.least)
        proofs = []
        for face in faces:
            tree = face.proof(hardest.least)
            if tree is None:
                break
            proofs.append(FaceProof(face.P, tree))
        else:
            return LinkRegret(1 / hardest.least, hardest.at, tuple(proofs))
        if face.games > MOST_GAMES:
            return None


class BoundedFace:
    """One bounded face: its rows, its walls, and ``least``, the least over ``at`` in it of the largest weight of a row."""

    def __init__(self, embedded: EmbeddedLoss, P: Rationals, rows: Sequence[Rationals]) -> None:
        self.P, self.rows = P, sorted(rows)
        self.walls = walls(embedded, self.rows)
        self.games = 0
        self.least, self.at = Fraction(2), self.rows[0]
        n = len(self.rows)
        self._look([Fraction(1, n)] * n)
        for heights in self.walls:
            zeros = [i for i in range(n) if not heights[i]]
            self._look([Fraction(int(i in zeros), len(zeros)) for i in range(n)])

    def _look(self, mixture: Sequence[Fraction]) -> tuple[int, Fraction]:
        """The row that weighs most at a mixture of the rows, and its weight there; remembered where it is the least yet."""
        lifted = [dot(mixture, heights) for heights in self.walls]
        weights = [
            min(
                (
                    u / heights[i]
                    for u, heights in zip(lifted, self.walls, strict=True)
                    if heights[i]
                ),
                default=Fraction(1),
            )
            for i in range(len(self.rows))
        ]
        best = max(weights)
        if best < self.least:
            self.least = best
            self.at = tuple(dot(mixture, column) for column in zip(*self.rows, strict=True))
        return weights.index(best), best

    def proof(self, floor: Fraction) -> Branch | Leaf | None:
        """A tree whose leaves are all worth ``floor``; None where ``least`` turned out to be lower, or after too many games."""
        return self._tree([], floor)

    def _tree(self, chosen: list[tuple[int, int]], floor: Fraction) -> Branch | Leaf | None:
        value, mixture, weights = self._game(chosen)
        if value >= floor:
            return Leaf(weights)
        row, _ = self._look(mixture)
        if self.least < floor or self.games > MOST_GAMES:
            return None
        ways: list[Branch | Leaf] = []
        for q, heights in enumerate(self.walls):
            if heights[row]:
                way = self._tree([*chosen, (row, q)], floor)
                if way is None:
                    return None
                ways.append(way)
        return Branch(row, tuple(ways))

    def _game(self, chosen: list[tuple[int, int]]) -> tuple[Fraction, list[Fraction], Rationals]:
        """min over mixtures of the rows of the largest chosen height: value, mixture, and the weights that prove it."""
        self.games += 1
        n = len(self.rows)
        if not chosen:
            return Fraction(0), [Fraction(1, n)] * n, ()
        zero, one = fmpq(0), fmpq(1)
        program = Program(zero, [False] * n + [True])
        for row, q in chosen:
            heights = self.walls[q]
            line: dict[int, Any] = {
                i: rational(h / heights[row]) for i, h in enumerate(heights) if h
            }
            program.at_most({**line, n: -one}, zero)
        program.equal(dict.fromkeys(range(n), one), one)
        best = program.maximize({n: -one})
        assert not isinstance(best, Infeasible)
        return (
            -fraction(best.value),
            [fraction(v) for v in best.x[:n]],
            tuple(fraction(v) for v in best.y_ub),
        )


def walls(embedded: EmbeddedLoss, rows: Sequence[Rationals]) -> list[Rationals]:
    """The heights e_Q of the rows of a face over each of its walls, walls ordered by the rows that lie on them."""
    planes: dict[tuple[int, ...], Rationals] = {}
    for Q, least in embedded.corner_risks.items():
        heights = tuple(dot(Q, v) - least for v in rows)
        zeros = tuple(i for i, h in enumerate(heights) if not h)
        if zeros and len(zeros) < len(rows):
            planes.setdefault(zeros, heights)
    largest = [z for z in planes if not any(set(z) < set(other) for other in planes)]
    return [planes[z] for z in sorted(largest)]
