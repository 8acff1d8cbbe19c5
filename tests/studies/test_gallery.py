"""The gallery draws the losses that the package computes, and one card a machine."""

from __future__ import annotations

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.studies import gallery


@pytest.mark.parametrize("name", gallery.CARDS)
@pytest.mark.parametrize("cost", ["linear", "quadratic"])
def test_the_surface_is_the_loss(name, cost):
    machine = gallery.CARDS[name].with_cost(cost)
    f = gallery.scores_of(np.random.default_rng(0).normal(size=(50, 2)) * 3)
    assert np.abs(f.sum(axis=1)).max() < 1e-14
    told = mr.losses.loss(machine, f, np.zeros(50, dtype=int), reduction="none")
    assert gallery.loss(machine, f) == pytest.approx(told, rel=1e-12, abs=1e-12)


def test_every_machine_has_a_card():
    assert list(gallery.CARDS.values()) == list(mr.CATALOGUE)


def test_a_card_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    path = gallery.card(mr.AMO, tmp_path / "AMO.png", resolution=6)
    from matplotlib.image import imread

    picture = imread(path)
    assert picture.shape[0] > 300
    assert picture.shape[1] > 900
    assert np.ptp(picture[..., :3]) > 0.5


def test_usage(capsys):
    assert gallery.main([]) == 2
    assert "usage" in capsys.readouterr().err
