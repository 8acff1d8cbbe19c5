"""A loss of WW or CS with every parameter there is, right in all of them: what the wrong ones of the zoo are made from."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import msvm_ref as mr
from msvm_ref.conformance.losses.convention import LossConvention

BOTH = LossConvention("index or one-hot", encodings=("index", "one-hot"))


class Honest:
    """sum (or, ``shared``, the max) over c != y of [m - (f_y - f_c)/2]_+, to the power p inside."""

    shared = False
    half = 0.5

    def __call__(
        self,
        scores,
        y,
        reduction="mean",
        class_weight=None,
        sample_weight=None,
        margin=1.0,
        p=1,
        ignore_index=None,
    ):
        f = self.computed(scores)
        labels, kept = self.labels(y, scores.shape[1], ignore_index)
        v = self.violations(f, labels, margin)
        each = self.weighed(self.total(v, p), labels, class_weight, sample_weight, p, v)
        each = np.where(kept, each, 0)
        return self.reduced(each, kept, reduction, sample_weight, scores.dtype)

    def computed(self, scores):
        return scores.astype(np.float64)

    def labels(self, y, d, ignore_index):
        if y.ndim == 2:
            y = self.decoded(y)
        y = y.astype(np.int64)
        kept = np.ones(len(y), bool) if ignore_index is None else y != ignore_index
        if ((y < 0) | (y >= d))[kept].any():
            raise ValueError("label out of range")
        return np.where(kept, y, 0), kept

    def decoded(self, y):
        return y.argmax(axis=1)

    def violations(self, f, y, margin):
        n, d = f.shape
        own = f[np.arange(n), y][:, None]
        t = margin - self.half * (own - f)
        t = np.where(np.arange(d) == y[:, None], 0, t)
        return np.maximum(t, 0)

    def total(self, v, p):
        powered = v**p
        return powered.max(axis=1) if self.shared else powered.sum(axis=1)

    def weighed(self, each, y, class_weight, sample_weight, p, v):
        if class_weight is not None:
            each = each * class_weight[y]
        return each if sample_weight is None else each * sample_weight

    def reduced(self, each, kept, reduction, sample_weight, dtype):
        if reduction == "none":
            return each.astype(dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            total = each.sum()
            return np.asarray(total if reduction == "sum" else total / kept.sum()).astype(dtype)

    def gradient(
        self,
        scores,
        y,
        reduction="mean",
        class_weight=None,
        sample_weight=None,
        margin=1.0,
        p=1,
        ignore_index=None,
    ):
        f = scores.astype(np.float64)
        labels, kept = self.labels(y, scores.shape[1], ignore_index)
        v = self.violations(f, labels, margin)
        rate = self.rates(v, p)
        g = self.half * rate
        n = len(f)
        g[np.arange(n), labels] -= g.sum(axis=1)
        weight = self.weighed(np.ones(n), labels, class_weight, sample_weight, p, v) * kept
        g = g * weight[:, None]
        return (g / kept.sum() if reduction == "mean" else g).astype(scores.dtype)

    def rates(self, v, p):
        rate = (v > 0).astype(float) if p == 1 else 2 * v
        if self.shared:
            rate = rate * (np.arange(v.shape[1]) == v.argmax(axis=1)[:, None])
        return rate


class HonestCS(Honest):
    shared = True


class Absolute:
    """LLW, ATS, OVA, MMR, AMO, ATM by three switches; a plain function of scores and labels."""

    def __init__(self, others=True, own=False, shared=False, centred=True, target=1.0):
        self.others, self.own, self.shared = others, own, shared
        self.centred, self.target = centred, target

    def __call__(self, scores, y):
        f = scores - scores.mean(axis=1, keepdims=True) if self.centred else scores
        is_own = np.arange(f.shape[1]) == np.asarray(y)[:, None]
        t = self.target - np.where(is_own, f, -f)
        v = np.maximum(np.where(is_own, t if self.own else 0, t if self.others else 0), 0)
        return (v.max(axis=1) if self.shared else v.sum(axis=1)).mean()


HALF = Fraction(1, 2)
LLW, ATS = Absolute(), Absolute(own=True)
OVA = Absolute(own=True, centred=False)
CLAIMS = {"WW": mr.WW, "CS": mr.CS}
