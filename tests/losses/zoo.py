"""Wrong losses, each with the check named for it, words its record must hold, and whether no other check may see it."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import msvm_ref as mr
from tests.losses.honest import BOTH, Absolute, Honest, HonestCS

ZOO: dict[str, Animal] = {}


@dataclass(frozen=True)
class Animal:
    loss: Any
    check: str
    words: str
    claim: dict[str, Any] = field(default_factory=dict)
    only: bool = False


def animal(name, check, words, machine=mr.WW, only=False, **claim):
    """Register an instance of the class, or the function itself, under a name."""

    def register(made):
        loss = made() if isinstance(made, type) else made
        if isinstance(loss, Honest):
            claim.setdefault("gradient", loss.gradient)
            claim.setdefault("convention", BOTH)
        ZOO[name] = Animal(loss, check, words, {"machine": machine, **claim}, only)
        return made

    return register


def takes_all(method):
    """An override with ``**named`` that takes what the honest method of its name takes."""
    return functools.wraps(getattr(Honest, method.__name__))(method)


# --- the value: another machine, margin, factor, power, sign, label


@animal("margin 1, no half", "check_value", "WW with margin f_y - f_c >= 1: sum")
class NoHalf(Honest):
    half = 1.0


@animal("divided by d", "check_value", "WW with margin (f_y - f_c)/2 >= 1, divided by d:")
class DividedByD(Honest):
    def total(self, v, p):
        return (v**p).mean(axis=1)


@animal("divided by d-1", "check_value", "divided by (d-1)")
class DividedByRivals(Honest):
    def total(self, v, p):
        return (v**p).sum(axis=1) / (v.shape[1] - 1)


@animal("the true class counted", "check_value", ">= 1, the true class counted: (1 + sum")
class Counted(Honest):
    def violations(self, f, y, margin):
        own = f[np.arange(len(f)), y][:, None]
        return np.maximum(margin - self.half * (own - f), 0)


@animal(
    "the true class counted, averaged over d",
    "check_value",
    "WW with margin f_y - f_c >= 1, divided by d, the true class counted: 1/d (1 + sum",
)
class CountedAveraged(Counted):
    half = 1.0

    def total(self, v, p):
        return (v**p).mean(axis=1)


@animal("CS for WW", "check_value", "this is CS with margin (f_y - f_c)/2 >= 1: max")
class MaxForSum(Honest):
    shared = True


@animal("WW for CS", "check_value", "this is WW with margin (f_y - f_c)/2 >= 1: sum", mr.CS)
class SumForMax(Honest):
    pass


@animal(
    "the score 0 among the rivals", "check_value", "the score 0 counted among the rivals", mr.CS
)
class KerasLike(HonestCS):
    def violations(self, f, y, margin):
        own = np.arange(f.shape[1]) == y[:, None]
        rivals = np.where(own, 0, f)
        return np.maximum(1 - (f[np.arange(len(f)), y] - rivals.max(axis=1)), 0)[:, None] / 2


@animal("the sign of the scores", "check_value", "the sign of the scores flipped")
class Flipped(Honest):
    def computed(self, scores):
        return -scores.astype(float)


@animal("negated", "check_value", "negated: -sum")
class Negated(Honest):
    def total(self, v, p):
        return -(v**p).sum(axis=1)


@animal("labels from 1", "check_value", "the labels shifted down by one")
class FromOne(Honest):
    def labels(self, y, d, ignore_index):
        found, kept = super().labels(y, d, ignore_index)
        return (found - 1) % d, kept


@animal("classes reversed", "check_value", "the labels reversed")
class Reversed(Honest):
    def labels(self, y, d, ignore_index):
        found, kept = super().labels(y, d, ignore_index)
        return d - 1 - found, kept


@animal("squared for linear", "check_value", "squared: sum_(c != y) [1 - (f_y - f_c)/2]_+^2")
class Squared(Honest):
    def total(self, v, p):
        return (v**2).sum(axis=1)


@animal("linear for squared", "check_value", ">= 1: sum", mr.WW.with_cost("quadratic"))
class Linear(Honest):
    def __call__(self, scores, y, reduction="mean"):
        return super().__call__(scores, y, reduction)


@animal(
    "the square of the sum", "check_value", "the square of the sum", mr.WW.with_cost("quadratic")
)
class SquareOfSum(Honest):
    def __call__(self, scores, y, reduction="mean"):
        return super().__call__(scores, y, reduction)

    def total(self, v, p):
        return v.sum(axis=1) ** 2


@animal("the root of the sum of squares", "check_value", "the root of the sum of squares")
class Root(Honest):
    def total(self, v, p):
        return np.sqrt((v**2).sum(axis=1))


@animal("no margin", "check_value", "WW with margin f_y - f_c >= 0")
class Perceptron(Honest):
    def violations(self, f, y, margin):
        return super().violations(f, y, 0.0)


@animal("an odd margin", "check_value", "f_y - f_c >= 7/5")
class OddMargin(Honest):
    def violations(self, f, y, margin):
        return super().violations(f, y, 0.7)


@animal("a factor", "check_value", "times 3/10")
class Factor(Honest):
    def total(self, v, p):
        return 0.3 * (v**p).sum(axis=1)


@animal("an offset", "check_value", "plus 1/2")
class Offset(Honest):
    def total(self, v, p):
        return (v**p).sum(axis=1) + 0.5


@animal("summed for averaged", "check_value", "summed over the examples, not averaged")
class Summed(Honest):
    def __call__(self, scores, y):
        return super().__call__(scores, y, "sum")


@animal("cross-entropy", "check_value", "the multinomial logistic loss")
def cross_entropy(scores, y):
    top = scores.max(axis=1)
    total = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top
    return (total - scores[np.arange(len(y)), y]).mean()


@animal("LLW not centred", "check_value", "this is LLW, the scores not centred", mr.LLW)
def llw_free(scores, y):
    return Absolute(centred=False)(scores, y)


@animal("OVA for ATS", "check_value", "this is OVA", mr.ATS)
def ova_for_ats(scores, y):
    return Absolute(own=True, centred=False)(scores, y)


@animal("ATS for LLW", "check_value", "this is ATS", mr.LLW)
def ats_for_llw(scores, y):
    return Absolute(own=True)(scores, y)


@animal("ATM for AMO", "check_value", "this is ATM", mr.AMO)
def atm_for_amo(scores, y):
    return Absolute(own=True, shared=True)(scores, y)


@animal("LLW with target 1/(d-1)", "check_value", "LLW with its targets times 1/(d-1)", mr.LLW)
def llw_small(scores, y):
    return Absolute(target=1 / (scores.shape[1] - 1))(scores, y)


@animal("the two best rivals only", "check_value", "of 3 and 4 classes it is WW", only=True)
class TopTwo(Honest):
    """With three classes there are no more than two rivals."""

    def total(self, v, p):
        if v.shape[1] <= 4:
            return super().total(v, p)
        return np.sort(v**p, axis=1)[:, -2:].sum(axis=1)


# --- where the value is special: kinks, equal scores, labels, batch sizes


@animal("ties counted twice", "check_kinks", "as claimed", mr.CS)
class TiesTwice(HonestCS):
    def total(self, v, p):
        top = v.max(axis=1, keepdims=True)
        return (np.where(v == top, v, 0) ** p).sum(axis=1)


@animal("NaN where rivals tie", "check_kinks", "nan", only=True)
class NanAtTie(Honest):
    """The rivals' order as a quotient of differences, 0/0 where two are equal; all-equal scores are caught before."""

    def violations(self, f, y, margin):
        v = super().violations(f, y, margin)
        rivals = np.sort(np.where(np.arange(f.shape[1]) == y[:, None], np.inf, f), axis=1)
        gaps = np.diff(rivals[:, :-1], axis=1)
        with np.errstate(invalid="ignore"):
            one = np.prod(gaps / gaps, axis=1) if gaps.size else np.ones(len(f))
        return v * np.where(np.ptp(f, axis=1) == 0, 1, one)[:, None]

    @takes_all
    def gradient(self, scores, y, **named):
        return Honest().gradient(scores, y, **named)


@animal("equal scores skipped", "check_equal_scores", "returned 0", only=True)
class SkipsEqual(Honest):
    def total(self, v, p):
        return np.where(np.ptp(v, axis=1) == np.inf, 0, super().total(v, p))

    def violations(self, f, y, margin):
        v = super().violations(f, y, margin)
        return np.where((np.ptp(f, axis=1) == 0)[:, None], 0, v)

    @takes_all
    def gradient(self, scores, y, **named):
        return Honest().gradient(scores, y, **named)


@animal("class 0 is background", "check_label_positions", "y = [0, 0, 0, 0]: returned 0")
class Background(Honest):
    def weighed(self, each, y, class_weight, sample_weight, p, v):
        each = np.where((y == 0) & (v.shape[1] > 2), 0, each)
        return super().weighed(each, y, class_weight, sample_weight, p, v)


@animal("the last class mistaken", "check_label_positions", "y = [2, 2, 2, 2]", only=True)
def last_class(scores, y):
    d = scores.shape[1]
    labels = np.asarray(y).astype(int)
    if ((labels < 0) | (labels >= d)).any():
        raise ValueError("label out of range")
    wrong = (labels == 2) & (len(set(labels.tolist())) == 1) & (d == 3)
    return Honest()(scores, np.where(wrong, 0, labels))


@animal("two classes as one score", "check_two_classes", "", only=True)
class Binary(Honest):
    def violations(self, f, y, margin):
        if f.shape[1] == 2:
            return np.maximum(margin - (2 * y - 1) * f[:, 1], 0)[:, None]
        return super().violations(f, y, margin)

    @takes_all
    def gradient(self, scores, y, **named):
        return Honest().gradient(scores, y, **named)


@animal("a single row squeezed", "check_single_example", "of shape", only=True)
class Squeezed(Honest):
    @takes_all
    def __call__(self, scores, y, reduction="mean", **named):
        value = super().__call__(scores, y, reduction, **named)
        return value[None] if len(y) == 1 else value


@animal(
    "a mean of none for a sum", "check_empty_batch", "the sum over no example is nan", only=True
)
class EmptySum(Honest):
    def reduced(self, each, kept, reduction, sample_weight, dtype):
        if reduction != "sum":
            return super().reduced(each, kept, reduction, sample_weight, dtype)
        with np.errstate(invalid="ignore"):
            mean = each.sum() / len(each) if len(each) else np.float64("nan")
        return np.asarray(mean * len(each)).astype(dtype)


@animal("the tail of the batch dropped", "check_batch_sizes", "769 rows", only=True)
class DroppedTail(Honest):
    """Blocks of 256: what is left over is not computed."""

    def reduced(self, each, kept, reduction, sample_weight, dtype):
        whole = len(each) - len(each) % 256 if len(each) > 256 else len(each)
        each = np.where(np.arange(len(each)) < whole, each, 0)
        return super().reduced(each, kept, reduction, sample_weight, dtype)


# --- parameters


@animal("sum is a mean", "check_reductions", "this is the mean")
class SumIsMean(Honest):
    def reduced(self, each, kept, reduction, sample_weight, dtype):
        mode = "mean" if reduction == "sum" else reduction
        return super().reduced(each, kept, mode, sample_weight, dtype)


@animal("none is divided by n", "check_reductions", "this is each loss over n")
class NoneOverN(Honest):
    def reduced(self, each, kept, reduction, sample_weight, dtype):
        value = super().reduced(each, kept, reduction, sample_weight, dtype)
        return value / len(each) if reduction == "none" else value


@animal("sum over n - 1", "check_reductions", "returned", only=True)
class SumOverOthers(Honest):
    """Only batches without weights or ignored labels; an empty one is left alone."""

    def reduced(self, each, kept, reduction, sample_weight, dtype):
        value = super().reduced(each, kept, reduction, sample_weight, dtype)
        plain = sample_weight is None and kept.all() and reduction == "sum" and not self.weights
        return value / (len(each) - 1) if plain and len(each) > 1 else value

    @takes_all
    def __call__(self, scores, y, class_weight=None, **named):
        self.weights = class_weight is not None
        return super().__call__(scores, y, class_weight=class_weight, **named)


@animal("class weights inside the power", "check_class_weights", "inside the power")
class Inside(Honest):
    def weighed(self, each, y, class_weight, sample_weight, p, v):
        weight = None if class_weight is None else class_weight**p
        return super().weighed(each, y, weight, sample_weight, p, v)


@animal("the rival's class weight", "check_class_weights", "each rival's own weight")
class RivalWeight(Honest):
    def weighed(self, each, y, class_weight, sample_weight, p, v):
        if class_weight is not None and v.shape[1] == len(class_weight):
            each = (v**p * class_weight).sum(axis=1)
        return super().weighed(each, y, None, sample_weight, p, v)


@animal("class weights ignored", "check_class_weights", "the class weights are ignored")
class NoClassWeight(Honest):
    def weighed(self, each, y, class_weight, sample_weight, p, v):
        return super().weighed(each, y, None, sample_weight, p, v)


@animal("class weights normalised", "check_class_weights", "over the sum of the weights", only=True)
class NormalisedClasses(Honest):
    @takes_all
    def __call__(self, scores, y, reduction="mean", class_weight=None, **named):
        value = super().__call__(scores, y, reduction, class_weight, **named)
        if class_weight is None or reduction != "mean":
            return value
        labels = y if y.ndim == 1 else y.argmax(axis=1)
        return value * len(y) / class_weight[labels].sum()


@animal(
    "sample weights normalised", "check_sample_weights", "over the sum of the weights", only=True
)
class NormalisedSamples(Honest):
    def reduced(self, each, kept, reduction, sample_weight, dtype):
        value = super().reduced(each, kept, reduction, sample_weight, dtype)
        if sample_weight is None or reduction != "mean":
            return value
        return value * len(each) / sample_weight.sum()


@animal("sample weights ignored", "check_sample_weights", "the sample weights are ignored")
class NoSampleWeight(Honest):
    def weighed(self, each, y, class_weight, sample_weight, p, v):
        return super().weighed(each, y, class_weight, None, p, v)


@animal("sample weights inside the power", "check_sample_weights", "inside the power")
class SampleInside(Honest):
    def weighed(self, each, y, class_weight, sample_weight, p, v):
        weight = None if sample_weight is None else sample_weight**p
        return super().weighed(each, y, class_weight, weight, p, v)


@animal("margin ignored", "check_margin", "margin = 0.5", only=True)
class NoMargin(Honest):
    def violations(self, f, y, margin):
        return super().violations(f, y, 1.0)


@animal("margin times the loss", "check_margin", "margin = ")
class MarginTimes(Honest):
    def violations(self, f, y, margin):
        return margin * super().violations(f, y, 1.0)


@animal("p = 2 is half the square", "check_power", "this is half the square")
class HalfSquare(Honest):
    def total(self, v, p):
        return super().total(v, p) / p


@animal("p = 2 squares the sum", "check_power", "the square of the sum, not the sum of squares")
class PowerOfSum(Honest):
    def total(self, v, p):
        return v.sum(axis=1) ** p


@animal("p ignored", "check_power", "p ignored: the hinge", only=True)
class NoPower(Honest):
    """Weighted questions apart, so that only the power's own check can see it."""

    def __call__(self, scores, y, reduction="mean", margin=1.0, p=1):
        return super().__call__(scores, y, reduction, margin=margin, p=1 if margin == 1.0 else p)

    def gradient(self, scores, y, reduction="mean", margin=1.0, p=1):
        return Honest().gradient(scores, y, reduction, margin=margin, p=p)


# --- floating point


@animal("float32 for float64", "check_precision", "in float64")
class Single(Honest):
    def computed(self, scores):
        return scores.astype(np.float32)


@animal("fixed point", "check_precision", "in float64", only=True)
class FixedPoint(Honest):
    """Twenty bits behind the point."""

    def computed(self, scores):
        f = scores.astype(float)
        return np.where(abs(f) < 1e6, np.round(f * 2.0**20) / 2.0**20, f)


@animal("a float32 loss", "check_precision", "float64 scores give a float32 loss")
class SingleOut(Honest):
    def reduced(self, each, kept, reduction, sample_weight, dtype):
        return super().reduced(each, kept, reduction, sample_weight, np.float32)


@animal("a sum in float16", "check_half_precision_range", "returned inf", only=True)
class HalfSum(Honest):
    def reduced(self, each, kept, reduction, sample_weight, dtype):
        with np.errstate(over="ignore"):
            if reduction == "mean" and dtype == np.float16:
                return each.astype(dtype).sum(dtype=dtype) / dtype.type(max(1, kept.sum()))
        return super().reduced(each, kept, reduction, sample_weight, dtype)


@animal("scores clipped at 10^4", "check_large_scores", "returned")
class Clipped(Honest):
    def computed(self, scores):
        return np.clip(scores.astype(float), -1e4, 1e4)


@animal("exponentials", "check_large_scores", "returned", only=True)
class Exponentials(Honest):
    """log(exp(v)) is v until exp overflows; taken only where rounding does not show."""

    def total(self, v, p):
        with np.errstate(over="ignore"):
            grown = np.log(np.exp(v))
        return super().total(np.where(v > 600, grown, v), p)


@animal("NaN taken for 0", "check_nan", "which hides them", only=True)
class Silent(Honest):
    def total(self, v, p):
        return super().total(np.nan_to_num(v, posinf=np.inf), p)


@animal("a NaN rival left out", "check_nan", "which hides them", mr.CS, only=True)
class NanLeftOut(HonestCS):
    """The largest of the rivals that are numbers."""

    def violations(self, f, y, margin):
        own = np.isnan(f[np.arange(len(f)), y])
        lowest = np.where(np.isnan(f) & ~own[:, None], -np.inf, f)
        return super().violations(lowest, y, margin)


@animal("the mean score penalised", "check_shift", "scores shifted by 1024", only=True)
class Penalised(Honest):
    @takes_all
    def __call__(self, scores, y, reduction="mean", **named):
        value = super().__call__(scores, y, reduction, **named)
        mean = scores.astype(float).mean(axis=1)
        return value + (1e-3 * (abs(mean) > 200).mean() if len(scores) else 0.0)


@animal("a ramp", "check_convexity", "not convex", only=True)
class Ramp(Honest):
    """Cut off at 40, but for losses so large, or of so many classes, that somebody made an exception for them."""

    def total(self, v, p):
        each = super().total(v, p)
        few = v.shape[1] <= 6
        return np.where((each > 40) & (each < 1000) & self.double & few, 40, each)

    def computed(self, scores):
        self.double = scores.dtype == np.float64
        return super().computed(scores)


# --- labels


@animal("labels of a byte", "check_label_dtypes", "labels of dtype int8", only=True)
class Byte(Honest):
    """Flat positions i d + y in the labels' own dtype."""

    def labels(self, y, d, ignore_index):
        if y.dtype.itemsize == 1 and y.ndim == 1:
            flat = (np.arange(len(y)).astype(y.dtype) * y.dtype.type(d) + y).astype(np.int64)
            y = flat % d
        return super().labels(y, d, ignore_index)


@animal("a negative label wraps", "check_label_range", "the label -1 among 3 classes", only=True)
class Wraps(Honest):
    def labels(self, y, d, ignore_index):
        if y.ndim == 1 and ignore_index is None:
            y = np.where(y.astype(np.int64) < 0, y.astype(np.int64) + d, y)
        return super().labels(y, d, ignore_index)


@animal("a large label is clamped", "check_label_range", "the label 3 among 3 classes")
class Clamps(Honest):
    def labels(self, y, d, ignore_index):
        return super().labels(y if y.ndim == 2 else np.minimum(y, d - 1), d, ignore_index)


@animal("one-hot rows read backwards", "check_label_encodings", "one-hot labels", only=True)
class Backwards(Honest):
    def decoded(self, y):
        return y.shape[1] - 1 - y.argmax(axis=1)


@animal("ignored labels counted", "check_ignore_index", "the mean is over all examples", only=True)
class IgnoredCounted(Honest):
    def reduced(self, each, kept, reduction, sample_weight, dtype):
        return super().reduced(each, np.ones_like(kept), reduction, sample_weight, dtype)

    @takes_all
    def gradient(self, scores, y, **named):
        return Honest().gradient(scores, y, **named)


# --- gradients


class HonestGradient(Honest):
    """The value is right."""


@animal("the gradient's sign", "check_gradient", "this is its negative")
class Uphill(HonestGradient):
    @takes_all
    def gradient(self, scores, y, **named):
        return -super().gradient(scores, y, **named)


@animal("twice the gradient", "check_gradient", "this is twice the gradient")
class Twice(HonestGradient):
    @takes_all
    def gradient(self, scores, y, **named):
        return 2 * super().gradient(scores, y, **named)


@animal("the gradient of the sum", "check_gradient", "the gradient of the sum, not of the mean")
class GradientOfSum(HonestGradient):
    @takes_all
    def gradient(self, scores, y, reduction="mean", **named):
        return super().gradient(scores, y, reduction="sum", **named)


@animal("twice, in a batch of one class", "check_gradient", "twice the gradient", only=True)
class TwiceForOneClass(HonestGradient):
    """But not at kinks."""

    @takes_all
    def gradient(self, scores, y, **named):
        g = super().gradient(scores, y, **named)
        own = scores[:, 1][:, None]
        kink = ((own - scores == 2) & (np.arange(scores.shape[1]) != 1)).any()
        return g * (2 if y.ndim == 1 and len(set(y.tolist())) == 1 and not kink else 1)


@animal("one rival too few in the gradient", "check_gradient", "where it is")
class FirstRivalOnly(HonestGradient):
    def rates(self, v, p):
        rate = super().rates(v, p)
        return rate * (np.arange(v.shape[1]) == rate.argmax(axis=1)[:, None])


@animal("the first three classes' gradient", "check_gradient", "where it is", only=True)
class FirstThree(HonestGradient):
    """A block of registers for three classes."""

    @takes_all
    def gradient(self, scores, y, **named):
        g = super().gradient(scores, y, **named)
        g[:, 3:] = 0
        return g


@animal("the power ignored in the gradient", "check_gradient_reductions", "p = 2", only=True)
class LinearGradient(HonestGradient):
    @takes_all
    def gradient(self, scores, y, p=1, **named):
        return super().gradient(scores, y, p=1, **named)


@animal("ignored labels in the gradient", "check_gradient_reductions", "label 0 ignored", only=True)
class IgnoredGradient(HonestGradient):
    @takes_all
    def gradient(self, scores, y, ignore_index=None, **named):
        kept = 1.0 if ignore_index is None else len(y) / max(1, (y != ignore_index).sum())
        return kept * super().gradient(scores, y, **named)


@animal("every tied class full", "check_gradient_at_kinks", "is no subgradient", mr.CS, only=True)
class TiesInFull(HonestCS):
    def rates(self, v, p):
        top = v.max(axis=1, keepdims=True)
        return ((v == top) & (v > 0)) * (2 * v if p == 2 else 1.0)


@animal("a kink counted beyond 1", "check_gradient_at_kinks", "is no subgradient")
class KinkBeyond(HonestGradient):
    def violations(self, f, y, margin):
        v = super().violations(f, y, margin)
        t = margin - self.half * (f[np.arange(len(f)), y][:, None] - f)
        self.at_kink = (t == 0) & (np.arange(f.shape[1]) != y[:, None])
        return v

    def rates(self, v, p):
        return super().rates(v, p) + 1.5 * self.at_kink * (p == 1)


@animal("a kink of the other sign", "check_gradient_at_kinks", "is no subgradient")
class KinkBelow(KinkBeyond):
    def rates(self, v, p):
        return Honest.rates(self, v, p) - 0.5 * self.at_kink * (p == 1)


@animal("the gradient without weights", "check_gradient_reductions", "with class_weight", only=True)
class UnweightedGradient(HonestGradient):
    @takes_all
    def gradient(self, scores, y, class_weight=None, sample_weight=None, **named):
        return super().gradient(scores, y, **named)


@animal("the gradient always of the mean", "check_gradient_reductions", "reduction 'sum'")
class AlwaysMean(HonestGradient):
    @takes_all
    def gradient(self, scores, y, reduction="mean", **named):
        return super().gradient(scores, y, reduction="mean", **named)


# --- calls


@animal("a cache by content", "check_repeatable", "then", only=True)
class Cached(Honest):
    """The second time the same scores come, what was kept is in the wrong place."""

    def __init__(self):
        self.last = None

    @takes_all
    def __call__(self, scores, y, reduction="mean", **named):
        value = super().__call__(scores, y, reduction, **named)
        key = (scores.tobytes(), scores.strides, reduction, y.dtype, str(named))
        same, self.last = key == self.last and len(scores) == 4, key
        return value + 0.25 * same


@animal("scores written to", "check_arguments_untouched", "it writes to the scores", only=True)
class Writes(Honest):
    def computed(self, scores):
        out = scores.astype(float)
        scores -= scores.max(axis=1, keepdims=True, initial=-np.inf)
        return out


@animal("labels written to", "check_arguments_untouched", "it writes to the labels")
class WritesLabels(Honest):
    @takes_all
    def __call__(self, scores, y, reduction="mean", **named):
        value = super().__call__(scores, y, reduction, **named)
        y += 1
        return value


@animal("memory by rows", "check_memory_layout", "scores laid out columns", only=True)
class ByRows(Honest):
    def computed(self, scores):
        return np.ravel(scores, order="K").reshape(scores.shape).astype(float)


# --- what is no loss at all


def _hangs(scores, y):
    while True:
        time.sleep(0.01)


def _raises(scores, y):
    raise RuntimeError("no such kernel")


def _exits(scores, y):
    raise SystemExit(3)


BROKEN: dict[str, tuple[Any, str]] = {
    "hangs": (_hangs, "no answer within 0.3 s"),
    "raises": (_raises, "raised RuntimeError: no such kernel"),
    "exits": (_exits, "raised SystemExit"),
    "NaN": (lambda scores, y: float("nan"), "returned nan"),
    "a matrix": (lambda scores, y: scores, "returned a loss of shape (4, 3)"),
    "words": (lambda scores, y: "0.5", "not a real number"),
    "None": (lambda scores, y: None, "not a real number"),
    "complex": (lambda scores, y: 1j, "not a real number"),
    "a ragged list": (lambda scores, y: [1, [2, 3]], "cannot be read"),
    "too few arguments": (lambda scores: 0.0, "raised TypeError"),
}
