from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest

from msvm_ref.cli import main
from msvm_ref.commands.progress import Progress
from msvm_ref.errors import BackendError, DataError
from msvm_ref.model.catalogue import AMO, ATS, CS, LLW, MMR, OVA, RM, WW
from msvm_ref.model.machine import OTHERS_SUM, Machine
from msvm_ref.studies.circle import (
    UNDEFINED,
    CircleCell,
    CircleStudy,
    beta,
    circle_study,
    grid,
    sample,
    sector,
)
from msvm_ref.studies.plots import circle_figure, simplex_map
from msvm_ref.studies.readings import difference, readings


def test_sectors_and_samples():
    assert sector([0.0, 4.99, 5.0, 10.99, 11.0, 19.99]).tolist() == [0, 0, 1, 1, 2, 2]
    t, y = sample("noiseless", 7)
    assert len(t) == 100
    assert (sector(t) == y).all()
    t, y = sample("noisy", 7)
    assert len(t) == 500
    assert 0.33 < np.mean(sector(t) == y) < 0.47
    assert np.allclose(np.linalg.norm(beta(t), axis=1), 1)
    assert (sample("noisy", 7)[1] == y).all()
    with pytest.raises(DataError, match="variant"):
        sample("loud", 0)
    with pytest.raises(DataError, match="variant"):
        circle_study("loud")


def test_noisy_label_shares_are_forty_thirty_thirty():
    t, y = sample("noisy", 0, n=60_000)
    shares = [np.mean(y[sector(t) == 1] == c) for c in range(3)]
    assert np.allclose(shares, [0.3, 0.4, 0.3], atol=0.015)


@pytest.fixture(scope="module")
def noiseless():
    return circle_study("noiseless", (0, 1), (WW, LLW, AMO), (0, 2))


def test_relative_margins_beat_absolute_ones_without_noise(noiseless):
    assert noiseless.best("WW").mean > noiseless.best("LLW").mean
    text = str(noiseless)
    assert "WW" in text
    assert "undefined" in text
    assert json.loads(json.dumps(noiseless.to_dict()))["rows"]


def test_max_machines_are_undefined_under_noise():
    study = circle_study("noisy", (0,), (CS,), (-2,))
    assert study.cells[0].zero
    assert study.rows()[0].mean is None
    assert (study.cells[0].classes == UNDEFINED).all()


def made_up(agreements):
    """A study whose cells agree with Bayes on given shares of each sector."""
    truth = sector(grid())
    cells = []
    for name, values in agreements.items():
        for seed, value in enumerate(values):
            wrong = np.concatenate(
                [
                    np.flatnonzero(truth == c)[: round((1 - value) * (truth == c).sum())]
                    for c in range(3)
                ]
            )
            classes = truth.copy()
            classes[wrong] = (truth[wrong] + 1) % 3
            cells += [CircleCell(name, e, seed, classes, False, 0.0) for e in (0, 4)]
    return CircleStudy("noiseless", tuple(range(len(values))), tuple(cells))


def test_intervals_and_readings_decide_by_the_numbers():
    good, bad = (0.95, 0.96, 0.97), (0.80, 0.79, 0.82)
    names = {
        "WW": good,
        "CS": good,
        "MMR": good,
        "OVA": (0.90, 0.91, 0.905),
        "LLW": bad,
        "RM(1/2)": bad,
        "ATS": bad,
        "AMO": bad,
        "ATM": bad,
    }
    study = made_up(names)
    assert [r.shown for r in readings([study])] == [True] * 5
    swapped = made_up({**names, "WW": bad, "LLW": good})
    assert not readings([swapped])[0].shown
    gap = difference(study, ("WW", 0), ("LLW", 0))
    assert gap.low < gap.mean < gap.high
    assert gap.mean == pytest.approx(16, abs=1)
    alone = CircleStudy("noiseless", (0,), tuple(c for c in study.cells if c.seed == 0))
    assert readings([alone])[0].shown is None


def test_simplex_maps_are_drawn(tmp_path):
    path = tmp_path / "map.png"
    for machine in (WW, OVA):
        simplex_map(machine, str(path), resolution=6)
        assert path.stat().st_size > 5_000
    with pytest.raises(DataError, match="resolution"):
        simplex_map(WW, resolution=1)


def test_map_of_a_machine_without_symmetry_agrees_with_its_symmetric_twin():
    from msvm_ref.studies.plots import _ranked_first

    nu = [[[-1 if m == c and c != y else 0 for m in range(3)] for c in range(3)] for y in range(3)]
    nu[0][0][0] = 5
    twin = Machine("LLW with an idle component", nu, OTHERS_SUM, 1, True)
    assert _ranked_first(twin, 4) == _ranked_first(LLW, 4)
    assert not any(p.wrong for p in _ranked_first(RM(), 4))
    pieces = _ranked_first(MMR, 4)
    assert all(p.wrong for p in pieces)
    assert sum(p.area for p in pieces) == 6 * 4**2


def test_circle_figure_is_drawn(tmp_path, noiseless):
    path = tmp_path / "circle.png"
    circle_figure(noiseless, str(path))
    assert path.stat().st_size > 5_000
    with pytest.raises(DataError, match="seed"):
        circle_figure(noiseless, seed=99)


def test_a_missing_matplotlib_names_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BackendError, match="pip install matplotlib"):
        simplex_map(WW, resolution=3)


def run(*words):
    return main(words)


def test_fisher_command(capsys, tmp_path, monkeypatch):
    assert run("fisher", "ATS", "-d", "4") == 1
    out = capsys.readouterr().out
    assert "NOT Fisher consistent" in out
    assert "UV Corollary 1 states the opposite; it holds for d = 2, 3." in out
    assert run("fisher", "LLW", "-d", "3", "--mode", "generic") == 0
    assert "proof" in capsys.readouterr().out
    assert run("fisher", "RM(3/4)", "--json") == 1
    assert json.loads(capsys.readouterr().out)["consistent"] is False
    path = tmp_path / "out.png"
    monkeypatch.setattr("msvm_ref.studies.plots.RESOLUTION", 6)
    assert run("fisher", "CS", "--plot", str(path)) == 1
    assert path.exists()


def test_fisher_all(capsys):
    assert run("fisher", "--all", "-d", "3") == 0
    out = capsys.readouterr().out
    assert out.count("NOT consistent") == 7
    assert "opposite" not in out
    assert run("fisher", "--all", "-d", "2", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)) == 10


@pytest.mark.parametrize(
    "words",
    [
        ("fisher",),
        ("fisher", "ATS", "--all"),
        ("fisher", "XYZ"),
        ("fisher", "WW", "-d", "12"),
        ("fisher", "WW", "-d", "4", "--plot", "x.png"),
        ("circle", "--seeds", "0"),
    ],
)
def test_bad_usage_is_status_two_with_a_reason(words, capsys):
    assert run(*words) == 2
    assert capsys.readouterr().err


def test_circle_command(capsys, tmp_path, monkeypatch):
    import msvm_ref.studies.circle as circle

    full = circle.circle_study
    monkeypatch.setattr(
        circle, "circle_study", lambda v, s, progress: full(v, s, circle.MACHINES, (0, 1), progress)
    )
    assert (
        run("circle", "--variant", "noiseless", "--seeds", "1", "--plot", str(tmp_path / "c.png"))
        == 0
    )
    captured = capsys.readouterr()
    assert "noiseless circle" in captured.out
    assert "no verdict" in captured.out
    assert (tmp_path / "c.png").exists()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_shows_on_a_terminal_and_is_silent_in_a_pipe(monkeypatch):
    monkeypatch.setattr("msvm_ref.commands.progress.DELAY", 0.0)
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with Progress("job", 2) as bar:
            bar.step("a")
            bar.step("b")
        assert bool(stream.getvalue()) == shown
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with Progress("job", 1) as bar:
        bar.at(1, 2)
    assert "50%" in stream.getvalue()
    with Progress("job", 1, quiet=True) as bar:
        bar.step()


def test_ats_maps_are_right_at_three_classes():
    from msvm_ref.studies.plots import _ranked_first

    assert not any(p.wrong for p in _ranked_first(ATS, 5))


def test_pictures_leave_a_chosen_backend_alone():
    import matplotlib

    from msvm_ref.pictures import pyplot

    before = matplotlib.get_backend()
    try:
        matplotlib.use("svg")
        pyplot()
        assert matplotlib.get_backend() == "svg"
    finally:
        matplotlib.use(before)
