"""The page: every number from the store, coloured by agreement; ranks and critical differences as in the literature."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from msvm_ref.studies.experiments import engine
from msvm_ref.studies.experiments.bars import bars
from msvm_ref.studies.experiments.diagram import diagram
from msvm_ref.studies.experiments.page import chapters, html, markdown, sentences
from msvm_ref.studies.experiments.ranks import critical_difference, ranking
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.uv_printed import COLUMNS, TABLE_4, parsed
from tests.studies.experiments.small import SMALL

SCORES = {
    (row, name): value
    for row, values in {"a": (3, 2, 1), "b": (3, 2, 1), "c": (2, 3, 1), "d": (5, 5, 1)}.items()
    for name, value in zip("xyz", values, strict=True)
}


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (5, 2.728), (9, 3.102), (10, 3.164)])
def test_critical_differences_are_demsars(k, q):
    """His Table 5(a) of q at 0.05."""
    assert critical_difference(k, 6) == pytest.approx(q * (k * (k + 1) / 36) ** 0.5, abs=2e-3)


def test_ranks_are_means_with_midranks():
    ranked = ranking(SCORES, "xyz", "abcd")
    assert ranked is not None
    assert dict(zip(ranked.names, ranked.ranks, strict=True)) == {"x": 1.375, "y": 1.625, "z": 3.0}
    assert (ranked.data_sets, ranked.leaders) == (4, ("x", "y", "z"))  # 1.66 is critical
    assert ranked.cliques == [(0, 2)]
    assert ranking({("a", "x"): 1.0}, "xy", "ab") is None


def test_the_papers_own_numbers_do_not_tell_the_first_machines_apart():
    printed = {place: cell.value for place, cell in parsed(TABLE_4).items()}
    rows = list(dict.fromkeys(row for row, _ in printed))
    ranked = ranking(printed, COLUMNS, rows)
    assert ranked is not None
    assert ({*ranked.names[:2]}, ranked.names[-1]) == ({"RM", "WW"}, "MMR")
    assert {"WW", "RM", "OVA"} <= set(ranked.leaders)
    assert "MMR" not in ranked.leaders


def test_the_diagram_is_well_formed_and_names_everyone():
    ranked = ranking(SCORES, "xyz", "abcd")
    assert ranked is not None
    drawn = diagram(ranked, "a < b")
    svg = ElementTree.fromstring(
        drawn.removeprefix("<div class=scroll>").removesuffix("</div>").replace("role=img", "")
    )
    words = [t.text for t in svg.iter("text")]
    assert {"x 1.38", "y 1.62", "3.00 z", "a < b"} <= set(words)


@pytest.mark.parametrize("measure", ["accuracy", "error", "seconds", "support"])
def test_bars_are_well_formed_one_for_each_number(measure):
    values = {("a", "WW"): 90.0, ("a", "CS"): 92.0, ("b<", "WW"): 50.0}
    drawn = bars(values, ["a", "b<"], ["WW", "CS"], measure)
    svg = ElementTree.fromstring(drawn.removeprefix("<div class=scroll>").removesuffix("</div>"))
    told = [title.text for title in svg.iter("title")]
    assert told == ["a, WW: 90", "a, CS: 92", "b<, WW: 50"]
    heights = [float(r.get("height", "0")) for r in svg.iter("rect") if r.find("title") is not None]
    assert all(height > 0 for height in heights)
    if measure == "accuracy":  # both lie one percent off their mean; a row of one lies on it
        assert heights[0] == heights[1]
        assert heights[2] == 0.5


def test_pages_tell_what_the_store_has(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        assert chapters(store, [SMALL]) == []
        engine.run(SMALL, store, contenders=SMALL.contenders[:1])
        (chapter,) = chapters(store, [SMALL])
    made = chapter.at("Iris", "WW")
    assert made is not None
    number = f"{made.mean:.2f} ± {made.deviation:.2f}"
    web, text = html([chapter]), markdown([chapter])
    for page in (web, text):
        assert number in page
        assert "96.35 ± 2.59" in page
        assert "not run" in page
        assert "tiny" in page  # the protocol, in words
    mark = {"agrees": "good", "near": "caution", "differs": "bad"}[made.agreement]
    assert f"<td class={mark} title=" in web
    assert "<script" not in web
    assert any("of 1 " in s for s in sentences(chapter))
