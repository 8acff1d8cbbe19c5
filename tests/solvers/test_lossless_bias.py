"""A free bias that meets every target alone: found from two values, as it is from one value for each class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.model.loss import violations
from msvm_ref.solvers.bias import lossless_bias

MARGINS = [mr.RELATIVE, mr.ABSOLUTE, mr.Margin("odd", 1, 2, -1), mr.Margin("own", 1, -1, -1)]


@pytest.mark.parametrize("centred", [False, True], ids=["plain", "centred"])
@pytest.mark.parametrize("aggregation", [mr.TOTAL_SUM, mr.OTHERS_MAX], ids=lambda a: a.name)
@pytest.mark.parametrize("margin", MARGINS, ids=lambda m: m.name)
def test_two_values_are_enough(margin, aggregation, centred):
    X = np.random.default_rng(0).normal(size=(6, 2))
    for d in (2, 3, 4):
        machine = mr.Machine("m", margin, aggregation, sum_to_zero=centred)
        table = replace(machine, margin=machine.nu(d))
        for present in range(1, d + 1):
            few, all_of_them = (
                mr.Problem(m, X, np.arange(6) % present, n_classes=d, bias="free")
                for m in (machine, table)
            )
            b, same = lossless_bias(few), lossless_bias(all_of_them)
            assert (b is None) == (same is None), (d, present)
            if b is not None and same is not None:
                worst = [violations(few, np.tile(v, (6, 1))).max() for v in (b, same)]
                assert worst[0] <= 1e-9
                assert abs(b.sum()) <= 1e-9 or not (centred or margin is mr.RELATIVE)
                assert worst == pytest.approx([worst[1]] * 2)
