"""LossTrial: one loss function with what it says it is. Asks it, and holds the answers against exact rationals.

Rounding is allowed for by the a priori bound of recursive summation: a loss of n examples and d classes may be off by

    (n + d + 8) eps size,    size = sum_i weight_i sum_r q max_c (|gamma| + sum_m |nu_m f_m|)^q

in the dtype of its scores, whatever the order of its operations. Every reply is compared with the exact value to that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.conformance.losses.convention import LossConvention, Reduction
from msvm_ref.conformance.losses.exact import ExactLoss, Subdifferential, exact_loss, fractions
from msvm_ref.conformance.losses.functions import LossFunction
from msvm_ref.conformance.losses.limits import Limited, TimedOut
from msvm_ref.conformance.losses.points import Point, labels_of, scores_of
from msvm_ref.conformance.losses.question import Numbers, Question, Reply
from msvm_ref.conformance.process import NoAnswerError
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped
from msvm_ref.model.machine import Machine

ROUNDINGS = 8
"""Roundings per term beside those of the sums: of coefficients, weights, products and the division of a mean."""
MOST_TIMEOUTS = 2


class LossBroke(CheckFailed):
    """The function raised (``refused``) or hung or was ended by a signal, where it should have answered."""

    def __init__(
        self, message: str, details: dict[str, Any] | None = None, refused: bool = False
    ) -> None:
        super().__init__(message, details)
        self.refused = refused


@dataclass(frozen=True)
class Expected:
    """The exact losses of a question (one, or one an example), and how far off rounding may take each."""

    values: tuple[Fraction, ...]
    sizes: tuple[Fraction, ...]
    allowed: tuple[Fraction, ...]


@dataclass(eq=False)
class LossTrial:
    """The unit every check works on."""

    function: LossFunction
    convention: LossConvention
    seconds: float = 10.0
    seed: int = 0
    reduction: Reduction = "mean"
    """What a question without a reduction asks for: the function's default, or what it was seen to do."""
    ulps: dict[str, float] = field(default_factory=dict)
    """The largest error seen by dtype, in ulps of ``size``."""
    timeouts: int = 0
    explained: bool = False
    """Has the diagnosis been told? Once for a function is enough."""
    known: dict[Any, tuple[Fraction, Fraction]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.limited = Limited(self.seconds)

    @property
    def machine(self) -> Machine:
        assert self.convention.machine is not None, "of() ties a convention to a machine"
        return self.convention.machine

    @property
    def takes(self) -> frozenset[str]:
        return self.function.takes

    @property
    def d(self) -> int:
        """The number of classes most checks use."""
        return self.machine.fixed_d or 3

    @property
    def middle(self) -> int:
        """A label that is neither the first nor the last."""
        return 1 if self.d > 2 else 0

    @property
    def centred(self) -> bool:
        return self.convention.scores == "centred"

    def rng(self, name: str) -> np.random.Generator:
        """Random numbers of a check's own, the same every time."""
        return np.random.default_rng([self.seed, *name.encode()])

    def exact(self, d: int, margin: float | None = None, p: int | None = None) -> ExactLoss:
        return exact_loss(self.convention.machine_at(margin, p), d)

    def ask(self, question: Question, gradient: bool = False) -> Reply:
        """Its reply; LossBroke where it raises or hangs, CheckFailed where it replies with what is no loss."""
        if self.timeouts >= MOST_TIMEOUTS:
            raise LossBroke(f"not asked: {self.timeouts} earlier calls did not return")
        try:
            reply: Reply = self.call(
                lambda: self.function.ask(question, self.reduction_of(question), gradient)
            )
        except (TimedOut, NoAnswerError) as error:
            self.timeouts += 1
            raise LossBroke(f"{error}, at {question}", {"question": question.literal()}) from error
        except (CheckFailed, CheckSkipped):
            raise
        except (Exception, SystemExit) as error:
            said = f"raised {type(error).__name__}: {str(error)[:300]}"
            raise LossBroke(
                f"{said}, at {question}", {"question": question.literal()}, refused=True
            ) from error
        return reply

    def call(self, question: Callable[[], Any]) -> Any:
        """Within the limit on its time: the function's own, or a thread's."""
        return question() if self.function.limits_itself else self.limited.run(question)

    def reduction_of(self, question: Question) -> Reduction:
        return question.reduction or self.reduction

    def expected(self, question: Question, dtype: str = "float64") -> Expected:
        """The exact answer to a question; ``dtype``: of the reply, where that is coarser than the scores'."""
        q = 2 if self.convention.machine_at(None, question.p).cost == "quadratic" else 1
        loss = self.exact(question.d, question.margin, question.p)
        factor = self.convention.factor.at(question.d)
        values, sizes, weights = [], [], []
        for i, (row, label) in enumerate(zip(question.scores, question.y, strict=True)):
            y = int(label)
            if y == question.ignore_index:
                values.append(Fraction(0))
                sizes.append(Fraction(0))
                weights.append(Fraction(0))
                continue
            weight = self.weight(question, i, y, q)
            value, size = self._at(loss, row, y)
            values.append(factor * weight * value)
            sizes.append(factor * abs(weight) * size)
            weights.append(weight)
        info = coarser(question, dtype)
        eps, tiny = Fraction(float(info.eps)), Fraction(float(info.smallest_subnormal))
        count = question.d + ROUNDINGS
        least = tiny * (question.n + question.d) * (1 + sum(map(abs, weights), Fraction(0)))
        reduction = self.reduction_of(question)
        if reduction == "none":
            allowed = tuple(count * eps * size + least for size in sizes)
            return Expected(tuple(values), tuple(sizes), allowed)
        share = Fraction(1)
        if reduction == "mean":
            share = self._mean_share(question, weights)
        value, size = share * sum(values, Fraction(0)), share * sum(sizes, Fraction(0))
        return Expected((value,), (size,), ((count + question.n) * eps * size + least,))

    def _at(self, loss: ExactLoss, row: Numbers, y: int) -> tuple[Fraction, Fraction]:
        """Value and size at one row, kept: batches repeat rows."""
        key = (loss, row.dtype.str, row.tobytes(), y)
        if key not in self.known:
            f = fractions(row.tolist())
            self.known[key] = loss.value(f, y), loss.size(f, y)
        return self.known[key]

    def weight(self, question: Question, i: int, y: int, q: int) -> Fraction:
        """Of one example: its class weight (under the power, where that is the convention) times its own."""
        weight = Fraction(1)
        if question.class_weight is not None:
            given = Fraction(float(question.class_weight[y]))
            weight *= given**q if self.convention.inside else given
        if question.sample_weight is not None:
            weight *= Fraction(float(question.sample_weight[i]))
        return weight

    def _mean_share(self, question: Question, weights: Sequence[Fraction]) -> Fraction:
        if self.convention.mean_over == "weights":
            total = sum(weights, Fraction(0))
        else:
            total = Fraction(sum(int(y) != question.ignore_index for y in question.y))
        return 1 / total if total else Fraction(0)

    def compare(self, question: Question, reply: Reply | None = None) -> Reply:
        """The reply to a question; CheckFailed where it is not the exact value, to the rounding of its own dtype."""
        reply = reply or self.ask(question)
        expected = self.expected(question, reply.dtype)
        got = np.atleast_1d(reply.value)
        info = coarser(question, reply.dtype)
        eps, most = Fraction(float(info.eps)), Fraction(float(info.max))
        for k, (value, exact, size, allowed) in enumerate(
            zip(got, expected.values, expected.sizes, expected.allowed, strict=True)
        ):
            if exact + allowed > most:
                continue  # does not fit the dtype
            if np.isfinite(value):
                off = abs(Fraction(float(value)) - exact)
                if off <= allowed:
                    if size:
                        name = str(info.dtype)
                        ulps = float(off / (eps * size))
                        self.ulps[name] = max(self.ulps.get(name, 0.0), ulps)
                    continue
            raise self.wrong(question, float(value), exact, k)
        return reply

    def wrong(self, question: Question, value: float, exact: Fraction, k: int) -> CheckFailed:
        where = f" (example {k})" if self.reduction_of(question) == "none" else ""
        return CheckFailed(
            f"{question}{where}: returned {value:.10g}, exact {_shown(exact)}",
            {"question": question.literal(), "returned": value, "exact": str(exact)},
        )

    @property
    def dtype(self) -> str:
        """What scores are given in where the dtype is not what is tested."""
        return self.function.dtype

    def close(self, a: Any, b: Any) -> bool:
        """Equal but for rounding, for words about what a wrong number is; verdicts are never decided so."""
        return bool(np.allclose(a, b, rtol=1e-9 if self.dtype == "float64" else 1e-4, atol=1e-7))

    def question(self, points: Sequence[Point], dtype: str | None = None, **more: Any) -> Question:
        return Question(scores_of(points, dtype or self.dtype), labels_of(points), **more)

    def rows(self, scores: Any, labels: Any = None, **more: Any) -> Question:
        """A question of given rows, all of the middle class unless labels are given."""
        given = np.asarray(scores, dtype=self.dtype)
        y = np.full(len(given), self.middle) if labels is None else np.asarray(labels)
        return Question(given, y.astype(np.int64), **more)

    def subdifferential(
        self, question: Question, i: int, dtype: str = "float64"
    ) -> tuple[Subdifferential, Fraction]:
        """Of the reduced loss by the scores of example i, and how far off rounding may take a component."""
        q = 2 if self.convention.machine_at(None, question.p).cost == "quadratic" else 1
        y, f = int(question.y[i]), fractions(question.scores[i].tolist())
        loss = self.exact(question.d, question.margin, question.p)
        if y == question.ignore_index:
            return Subdifferential((Fraction(0),) * question.d), Fraction(0)
        share = self.convention.factor.at(question.d) * self.weight(question, i, y, q)
        if self.reduction_of(question) == "mean":
            weights = [
                self.weight(question, k, int(label), q) for k, label in enumerate(question.y)
            ]
            share *= self._mean_share(question, weights)
        members = loss.subdifferential(f, y).scaled(share)
        eps = Fraction(float(coarser(question, dtype).eps))
        room = (question.d + ROUNDINGS) * eps * abs(share) * loss.slope_size(f, y)
        return (members.centred() if self.centred else members), room


def coarser(question: Question, dtype: str) -> np.finfo[Any]:
    """What is known of the coarser of two dtypes: the scores', and the reply's."""
    formats = (np.finfo(question.scores.dtype), np.finfo(dtype))
    return max(formats, key=lambda info: float(info.eps))


def _shown(exact: Fraction) -> str:
    """A rational as it is where it is short, else as a decimal."""
    text = str(exact)
    return text if len(text) <= 12 else f"{float(exact):.10g}"
