"""diagnose_loss(): which loss is this? A machine, its margin, power, factor, offset and reduction, proved on fresh points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.conformance.losses.exact import exact_loss, fractions
from msvm_ref.conformance.losses.hypotheses import (
    SHAPES,
    SMOOTH,
    LossHypothesis,
    Shape,
    hypotheses,
    reordered,
)
from msvm_ref.conformance.losses.points import labels_of, scores_of, smooth_points
from msvm_ref.conformance.losses.question import Numbers
from msvm_ref.conformance.losses.trial import ROUNDINGS, LossTrial
from msvm_ref.conformance.losses.wording import Found, claim_words, words
from msvm_ref.conformance.verdicts import CheckFailed
from msvm_ref.losses.loss import loss
from msvm_ref.model.conventions.convention import Factor
from msvm_ref.model.machine import Machine

FITTED, FRESH = 18, 32
"""Points a hypothesis is fitted to, and fresh ones it is then proved on, for each number of classes."""
SEARCHED = 1e-6
"""Relative misfit above which a hypothesis is dropped before anything exact is computed."""
DENOMINATOR = 1000


@dataclass(frozen=True)
class LossDiagnosis:
    """``found`` is None where nothing we know agrees; ``proved_on`` counts the fresh points it was tried on."""

    claimed: str
    found: Found | None
    as_claimed: bool
    proved_on: int
    note: str = ""
    sizes: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        if self.as_claimed:
            sizes = " and ".join(map(str, self.sizes))
            return f"on ordinary scores of {sizes} classes it is {self.claimed}, as claimed ({self.proved_on} points)"
        if self.found is None:
            return self.note or f"no loss we know; claimed: {self.claimed}"
        return (
            f"this is {words(self.found)} ({self.proved_on} fresh points of "
            f"{' and '.join(map(str, self.sizes))} classes); claimed: {self.claimed}"
        )

    def __str__(self) -> str:
        return self.sentence


def diagnose_loss(
    function: Any,
    machine: Machine | None = None,
    convention: Any = None,
    framework: str | None = None,
    **settings: Any,
) -> LossDiagnosis:
    """What the function computes, on ordinary scores; arguments as for ``check_loss``."""
    from msvm_ref.conformance.losses.suite import make_loss_trial

    trial = make_loss_trial(function, machine, convention, framework, **settings)
    try:
        return diagnosed(trial)
    finally:
        trial.limited.close()


def explain(trial: LossTrial, failure: CheckFailed) -> str:
    """The diagnosis and the smallest example, for the first failure of a trial; empty for later ones."""
    if trial.explained:
        return ""
    trial.explained = True
    diagnosis = diagnosed(trial)
    text = f"\n{diagnosis.sentence}"
    if not diagnosis.as_claimed and (small := smallest(trial)) is not None:
        failure.details["smallest"] = small[1]
        text += f"\nsmallest example: {small[0]}"
    return text


def diagnosed(trial: LossTrial) -> LossDiagnosis:
    claimed = claim_words(trial)
    try:
        sizes = (trial.d, 4) if trial.machine.fixed_d is None else (trial.d,)
        probes = [Probe.of(trial, d) for d in sizes]
    except CheckFailed as broken:
        return LossDiagnosis(claimed, None, False, 0, f"it cannot be asked: {broken}")
    if probes[0].share is None:
        return LossDiagnosis(
            claimed,
            None,
            False,
            0,
            "neither a mean nor a sum: a batch of equal rows changes with its length",
        )
    if all(_agrees(trial, probe, _claimed_values(trial)) for probe in probes):
        return LossDiagnosis(claimed, None, True, FRESH * len(probes), sizes=sizes)
    for name, spec in SMOOTH.items():
        if all(
            np.allclose(
                probe.values, loss(spec, probe.scores, probe.y, reduction="none"), rtol=1e-6
            )
            for probe in probes
        ):
            return LossDiagnosis(
                claimed, Found(name=name), False, FITTED * len(probes), sizes=sizes
            )
    explanation = _search(trial, probes)
    return LossDiagnosis(
        claimed, explanation, False, FRESH * len(probes) if explanation else 0, sizes=sizes
    )


@dataclass(frozen=True, eq=False)
class Probe:
    """Values of one example each, got from batches of four equal rows (so that single rows need not work).

    ``share``: 1 where the batch is averaged (or not reduced), 4 where it is summed, None where neither.
    """

    d: int
    scores: Numbers
    y: Numbers
    values: Numbers
    fresh: Numbers
    fresh_y: Numbers
    fresh_values: Numbers
    share: int | None
    dtype: str

    @staticmethod
    def of(trial: LossTrial, d: int) -> Probe:
        rng = trial.rng(f"probe {d}")
        total = FITTED + FRESH
        points = [
            point
            for k in range(total)
            for point in smooth_points(
                rng, trial.exact(d), [k % d], span=(1, 2, 8)[k % 3], sum_to_zero=trial.centred
            )
        ]
        scores, y = scores_of(points), labels_of(points)
        replies = [
            trial.ask(trial.rows([row] * 4, [label] * 4))
            for row, label in zip(scores, y, strict=True)
        ]
        values = np.array([float(np.ravel(reply.value)[0]) for reply in replies])
        share = _share(trial, scores, y, values)
        values = values / (share or 1)
        cut = FITTED
        return Probe(
            d,
            scores[:cut],
            y[:cut],
            values[:cut],
            scores[cut:],
            y[cut:],
            values[cut:],
            share,
            replies[0].dtype,
        )


def _share(trial: LossTrial, scores: Numbers, y: Numbers, values: Numbers) -> int | None:
    """Four equal rows against eight: as much is a mean, twice as much a sum."""
    k = int(np.argmax(np.abs(values)))
    eight = float(np.ravel(trial.ask(trial.rows([scores[k]] * 8, [y[k]] * 8)).value)[0])
    if np.isclose(eight, values[k], rtol=1e-5):
        return 1
    return 4 if np.isclose(eight, 2 * values[k], rtol=1e-5) else None


Exact = Callable[[tuple[Fraction, ...], int], tuple[Fraction, Fraction]]
"""(f, y) -> (value, how far rounding may take it, in units of eps)"""


def _claimed_values(trial: LossTrial) -> Exact:
    def at(f: tuple[Fraction, ...], y: int) -> tuple[Fraction, Fraction]:
        exact, factor = trial.exact(len(f)), trial.convention.factor.at(len(f))
        return factor * exact.value(f, y), factor * exact.size(f, y)

    return at


def _agrees(trial: LossTrial, probe: Probe, exact: Exact) -> bool:
    """Is every fresh value the exact one, to rounding? The claim's reduction is part of it."""
    if probe.share == 4 and trial.reduction != "sum":
        return False
    return _proved(probe, exact)


def _proved(probe: Probe, exact: Exact) -> bool:
    eps = Fraction(float(np.finfo(probe.dtype).eps))
    for row, label, value in zip(probe.fresh, probe.fresh_y, probe.fresh_values, strict=True):
        truth, size = exact(fractions(row.tolist()), int(label))
        if not np.isfinite(value):
            return False
        if abs(Fraction(float(value)) - truth) > 4 * (ROUNDINGS + probe.d) * eps * size:
            return False
    return True


def _search(trial: LossTrial, probes: list[Probe]) -> Found | None:
    """Usual targets first; where none agrees, each shape at the target that fits it best."""
    usual = _best(trial, probes, hypotheses())
    if usual is not None:
        return usual
    for fitted in _with_fitted_targets(probes[0]):
        explanation = _best(trial, probes, [fitted]) if fitted is not None else None
        if explanation is not None:
            return explanation
    return None


def _with_fitted_targets(probe: Probe) -> Iterator[LossHypothesis | None]:
    """Every shape and power at the target whose multiple misses the values least: a scan, then smaller and smaller steps."""
    scan = np.outer((1, -1), np.geomspace(0.05, 50, 40)).ravel()
    for shape in SHAPES:
        for q in (1, 2):
            step, best = 0.2, float(scan[_misfits(shape, scan, q, probe).argmin()])
            for _ in range(45):
                around = best * np.array([1, 1 - step, 1 + step])
                closest = float(around[_misfits(shape, around, q, probe).argmin()])
                step = step / 2 if closest == best else step
                best = closest
            target = Fraction(best).limit_denominator(DENOMINATOR)
            yield LossHypothesis(shape, Factor(target), q, edits=2.0) if target else None


def _misfits(shape: Shape, targets: Numbers, q: int, probe: Probe) -> Numbers:
    """Of each target (all != 0), the least squares distance of the values from the multiples of its B.

    B at target m is |m|^q times B at target m/|m| of the scores over |m|, and a multiple of the latter all the same.
    """
    out = np.empty(len(targets))
    for sign in (1, -1):
        here = np.sign(targets) == sign
        if here.any():
            scores = probe.scores / abs(targets[here])[:, None, None]
            y = np.broadcast_to(probe.y, scores.shape[:2])
            base = np.asarray(loss(shape.at(Fraction(sign), q), scores, y, reduction="none"))
            norm = (base * base).sum(axis=1)
            share = base @ probe.values / np.where(norm > 0, norm, 1)
            rest = probe.values - share[:, None] * base
            out[here] = np.where(norm > 0, (rest * rest).sum(axis=1), np.inf)
    return out


def _best(
    trial: LossTrial, probes: list[Probe], candidates: Iterable[LossHypothesis]
) -> Found | None:
    """The proved hypothesis with the fewest edits."""
    best: Found | None = None
    for hypothesis in candidates:
        if best is not None and hypothesis.edits >= best.edits:
            continue
        fits = []
        for probe in probes:
            fit = _fit(hypothesis, probe)
            if fit is None:
                break
            fits.append(fit)
        if len(fits) < len(probes):
            continue
        if all(
            _proved(probe, _exactly(hypothesis, *fit))
            for probe, fit in zip(probes, fits, strict=True)
        ):
            explanation = Found(
                hypothesis=hypothesis,
                sizes=tuple(p.d for p in probes),
                factors=tuple(a for a, _ in fits),
                offsets=tuple(b for _, b in fits),
                halved=trial.machine.margin_name == "relative",
                summed=probes[0].share == 4 and trial.reduction != "sum",
            )
            if best is None or explanation.edits < best.edits:
                best = explanation
    return best


def _fit(hypothesis: LossHypothesis, probe: Probe) -> tuple[Fraction, Fraction] | None:
    """a and b of a B + b through the fitted points as short rationals; None where they do not fit."""
    base = hypothesis.values(probe.scores, probe.y)
    spread = np.ptp(base)
    if not np.isfinite(base).all() or spread < 1e-9 or not np.isfinite(probe.values).all():
        return None
    i, j = int(base.argmax()), int(base.argmin())
    slope = float((probe.values[i] - probe.values[j]) / (base[i] - base[j]))
    offset = float(probe.values[i] - slope * base[i])
    room = SEARCHED * float(abs(probe.values).max() + 1e-300)
    if not slope or (abs(slope * base + offset - probe.values) > room).any():
        return None
    a, b = (Fraction(v).limit_denominator(DENOMINATOR) for v in (slope, offset))
    return a, b


def _exactly(hypothesis: LossHypothesis, a: Fraction, b: Fraction) -> Exact:
    def at(f: tuple[Fraction, ...], y: int) -> tuple[Fraction, Fraction]:
        exact = exact_loss(hypothesis.machine(len(f)), len(f))
        moved = tuple(hypothesis.sign * v for v in f)
        label = int(reordered(np.array(y), hypothesis.order, len(f)))
        value, size = exact.value(moved, label), exact.size(moved, label)
        if hypothesis.outer == 2:
            value, size = value**2, 2 * size**2
        elif hypothesis.outer != 1:
            value = Fraction(float(value) ** 0.5)
            size = max(value, size)
        return a * value + b, abs(a) * size + abs(b)

    return at


def smallest(trial: LossTrial) -> tuple[str, dict[str, Any]] | None:
    """The first wrong value among scores of small integers, one example a batch (four equal ones where single rows fail)."""
    d = trial.d
    units = [0.0, 1.0, -1.0, 2.0]
    rng = np.random.default_rng(0)
    rows = [[0.0] * d, *np.eye(d).tolist(), *(-np.eye(d)).tolist()]
    rows += [[units[int(k)] for k in rng.integers(0, 4, d)] for _ in range(12)]
    for row in rows:
        if trial.centred and any(row) and abs(np.sum(row)):
            continue
        for y in range(d):
            question = trial.rows([row], [y])
            try:
                trial.compare(question)
            except CheckFailed as failure:
                return str(failure), failure.details
    return None
